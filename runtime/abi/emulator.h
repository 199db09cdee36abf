/* What emulated CUDA kernels and the emulator's runtime (libstretto_emulator.so) agree on. Plain C.
 *
 * A kernel becomes a function of one GPU thread and a constant that describes the launch; its function of the type
 * stretto_kernel_fn (abi.h), whose chunks are the clusters of blocks, calls stretto_emulate. */
#ifndef STRETTO_RUNTIME_ABI_EMULATOR_H
#define STRETTO_RUNTIME_ABI_EMULATOR_H

#include "runtime/abi/abi.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a GPU thread knows of itself. */
typedef struct stretto_emulated_thread {
  int32_t thread;           /* within its block */
  int32_t block_x, block_y; /* of the block within the grid */
  int32_t rank;             /* of the block within its cluster */
  char *shared;             /* shared memory of the block */
} stretto_emulated_thread;

/* `arguments`: the addresses of the buffers, then of tensor maps. */
typedef void (*stretto_emulated_thread_fn)(stretto_emulated_thread *self, void *const *arguments);

typedef enum stretto_emulated_use {
  STRETTO_EMULATED_WRITTEN = 1,  /* the kernel may write to the buffer */
  STRETTO_EMULATED_READ_ONLY = 2 /* compilers may take it that nobody writes there */
} stretto_emulated_use;

typedef struct stretto_emulated_buffer {
  int64_t bytes;
  int64_t uses; /* bits of stretto_emulated_use */
} stretto_emulated_buffer;

/* Texts lie in one global, each ended by a zero; other structs name them by their offset in it. */
typedef struct stretto_emulated_kernel {
  const char *texts;
  int64_t name;
  stretto_emulated_thread_fn function;
  int64_t grid_x, grid_y; /* blocks */
  int64_t block;          /* threads of a block, a multiple of 32 */
  int64_t cluster;        /* blocks of a cluster, side by side in x; divides grid_x */
  int64_t shared_bytes;
  int64_t shared_alignment; /* that the variables ask for: the memory is not aligned to more */
  int64_t buffer_count;
  const stretto_emulated_buffer *buffers;
  int64_t waits;          /* whether a thread may wait for others; if not, they run one after the other */
  int64_t granule;        /* bytes, a power of two: every checked access covers whole granules */
  int64_t map_count;
  const stretto_tensor_map *maps;
  int64_t partial;        /* whether parts of a block other than warps wait for each other */
} stretto_emulated_kernel;

/* One load, store or copy of the program. */
typedef struct stretto_emulated_access {
  int32_t place;        /* in the source; "" where unknown */
  int32_t bytes, alignment;
  int32_t object;       /* number of the buffer, or offset of the shared variable; -1: any */
  int32_t object_bytes; /* of the shared variable */
} stretto_emulated_access;

typedef enum stretto_emulated_collective_kind {
  STRETTO_EMULATED_SYNC_WARP = 0, /* no operands */
  STRETTO_EMULATED_SHUFFLE_BFLY,  /* of x; y: offset; z: mask and clamp, as PTX packs them */
  STRETTO_EMULATED_SHUFFLE_UP,
  STRETTO_EMULATED_SHUFFLE_DOWN,
  STRETTO_EMULATED_SHUFFLE_IDX,
  STRETTO_EMULATED_VOTE_ANY,      /* of x, 0 or 1 */
  STRETTO_EMULATED_VOTE_ALL,
  STRETTO_EMULATED_VOTE_UNI,
  STRETTO_EMULATED_VOTE_BALLOT,
  STRETTO_EMULATED_REDUCE_ADD,    /* of x */
  STRETTO_EMULATED_REDUCE_AND,
  STRETTO_EMULATED_REDUCE_OR,
  STRETTO_EMULATED_REDUCE_XOR,
  STRETTO_EMULATED_REDUCE_MIN,    /* signed */
  STRETTO_EMULATED_REDUCE_MAX,
  STRETTO_EMULATED_REDUCE_UMIN,
  STRETTO_EMULATED_REDUCE_UMAX,
  /* Of matrices that a warp holds together, a fragment in the registers of each lane (PTX ISA, "Matrix fragments"): */
  STRETTO_EMULATED_LOAD_MATRICES, /* 8 x 8 numbers of 16 bits */
  STRETTO_EMULATED_LOAD_MATRICES_TRANSPOSED,
  STRETTO_EMULATED_MULTIPLY_BF16, /* C + A B; A: 16 x 16, B: 16 x 8, C: 16 x 8 f32 */
  STRETTO_EMULATED_MULTIPLY_TF32, /* A: 16 x 8, B: 8 x 8, C: 16 x 8 f32 */
  STRETTO_EMULATED_MULTIPLY_F64,  /* A: 8 x 4, B: 4 x 8, C: 8 x 8 */
  STRETTO_EMULATED_STORE_MATRICES, /* 8 x 8 numbers of 16 bits */
  STRETTO_EMULATED_STORE_MATRICES_TRANSPOSED,
  STRETTO_EMULATED_ELECT          /* no operands; 1 in one lane of the mask, always the same, 0 in the others */
} stretto_emulated_collective_kind;

/* Kind of an asynchronous matmul of a warpgroup: its columns, a multiple of 8 up to 256, and */
typedef enum stretto_emulated_matmul_kind {
  STRETTO_EMULATED_COLUMNS = 511,
  STRETTO_EMULATED_A_TRANSPOSED = 1 << 10, /* in shared memory: M-major instead of K-major */
  STRETTO_EMULATED_B_TRANSPOSED = 1 << 11, /* N-major */
  STRETTO_EMULATED_A_NEGATED = 1 << 12,
  STRETTO_EMULATED_B_NEGATED = 1 << 13,
  STRETTO_EMULATED_D_ZERO = 1 << 14        /* D = A B instead of D + A B */
} stretto_emulated_matmul_kind;

typedef enum stretto_emulated_phase_kind {
  STRETTO_EMULATED_PHASE_PARITY = 0, /* a phase of an mbarrier is given by its parity */
  STRETTO_EMULATED_PHASE_NUMBER      /* by what an arrival returned */
} stretto_emulated_phase_kind;

typedef enum stretto_emulated_arrival_kind {
  STRETTO_EMULATED_ARRIVE_AND_WAIT = 0,
  STRETTO_EMULATED_ARRIVE
} stretto_emulated_arrival_kind;

typedef enum stretto_emulated_cluster_arrival_kind {
  STRETTO_EMULATED_RELAXED = 0,
  STRETTO_EMULATED_RELEASES /* what the thread did before is done for those that wait */
} stretto_emulated_cluster_arrival_kind;

/* In place of a mask of 16 blocks of the cluster: the thread's own. */
enum { STRETTO_EMULATED_OWN_BLOCK = 1 << 16 };

/* One operation of the program at which threads wait for each other. */
typedef struct stretto_emulated_wait {
  int32_t operation, place;
  int32_t kind; /* one of the enums above; 0 of operations that none is about */
} stretto_emulated_wait;

/* Runs the clusters begin .. end-1 of a launch. Cluster i has the blocks from number i * cluster on; block n is
 * (n % grid_x, n / grid_x). A violation ends the process. */
void stretto_emulate(const stretto_emulated_kernel *kernel, void *const *buffers, int64_t begin, int64_t end);

/* For generated code. Before each access: */
void stretto_emulator_read_global(stretto_emulated_thread *, const void *, const stretto_emulated_access *);
void stretto_emulator_write_global(stretto_emulated_thread *, const void *, const stretto_emulated_access *);
void stretto_emulator_read_shared(stretto_emulated_thread *, const void *, const stretto_emulated_access *);
void stretto_emulator_write_shared(stretto_emulated_thread *, const void *, const stretto_emulated_access *);
/* Of any block of the cluster: */
void stretto_emulator_read_cluster(stretto_emulated_thread *, const void *, const stretto_emulated_access *);
void stretto_emulator_write_cluster(stretto_emulated_thread *, const void *, const stretto_emulated_access *);
/* The same place in the shared memory of another block of the cluster. */
void *stretto_emulator_map_shared(stretto_emulated_thread *, const stretto_emulated_wait *, const void *,
                                  uint32_t block);
/* Instead of waits: */
void stretto_emulator_barrier(stretto_emulated_thread *, const stretto_emulated_wait *);
/* At barrier `number` of the block, as one of `threads`. */
void stretto_emulator_named_barrier(stretto_emulated_thread *, const stretto_emulated_wait *, uint32_t number,
                                    uint32_t threads);
/* The 128 threads of a warpgroup have `registers` each from now on: they take more, if need be when others have given
   some back, or give some back. All threads were launched with `launched`. */
void stretto_emulator_take_registers(stretto_emulated_thread *, const stretto_emulated_wait *, uint32_t registers,
                                     uint32_t launched);
void stretto_emulator_give_registers(stretto_emulated_thread *, const stretto_emulated_wait *, uint32_t registers,
                                     uint32_t launched);
/* At the barrier of the cluster. */
void stretto_emulator_arrive_cluster(stretto_emulated_thread *, const stretto_emulated_wait *);
void stretto_emulator_await_cluster(stretto_emulated_thread *, const stretto_emulated_wait *);
/* mbarriers, 8 bytes of shared memory, of any block of the cluster. An arrival returns the number of the phase that it belongs to. */
void stretto_emulator_init_mbarrier(stretto_emulated_thread *, const stretto_emulated_wait *, const void *,
                                    uint32_t count, const stretto_emulated_access *);
void stretto_emulator_invalidate_mbarrier(stretto_emulated_thread *, const stretto_emulated_wait *, const void *);
uint64_t stretto_emulator_arrive_mbarrier(stretto_emulated_thread *, const stretto_emulated_wait *, const void *,
                                          uint32_t count);
/* The phase that goes on lacks more bytes, or (below 0) less. */
void stretto_emulator_expect_bytes(stretto_emulated_thread *, const stretto_emulated_wait *, const void *,
                                   int64_t bytes);
void stretto_emulator_await_mbarrier(stretto_emulated_thread *, const stretto_emulated_wait *, const void *,
                                     uint64_t phase);
/* Whether the phase is over: 0 or 1. */
uint32_t stretto_emulator_test_mbarrier(stretto_emulated_thread *, const stretto_emulated_wait *, const void *,
                                        uint64_t phase);
/* The result in the lower 32 bits; of a shuffle bit 32 says whether the lane it reads is in range. */
uint64_t stretto_emulator_collective(stretto_emulated_thread *, const stretto_emulated_wait *, uint32_t mask,
                                     uint32_t x, uint32_t y, uint32_t z);
/* Of all lanes of the warp. `row`: where a row lies, aligned to 16 bytes: in lane 8 i + j row j of matrix i; `registers`
 * gets one register of each of the `count` matrices (1, 2 or 4). */
void stretto_emulator_load_matrices(stretto_emulated_thread *, const stretto_emulated_wait *, const void *row,
                                    uint32_t count, uint32_t *registers, const stretto_emulated_access *);
/* The same the other way. */
void stretto_emulator_store_matrices(stretto_emulated_thread *, const stretto_emulated_wait *, void *row,
                                     uint32_t count, uint32_t *registers, const stretto_emulated_access *);
/* `registers`: those of A, of B and of C, which become the result's; 64 bits each of F64, else 32. */
void stretto_emulator_multiply(stretto_emulated_thread *, const stretto_emulated_wait *, void *registers);
/* An address in shared memory as a number. */
uint64_t stretto_emulator_shared_address(stretto_emulated_thread *, const void *);
/* Of all threads of a warpgroup: D (64 x columns, f32) + A (64 x 16) B of bf16, which lie in shared memory as matrix
 * descriptors say (PTX ISA). `d`: the thread's registers of D. The results are there at once: it is an error of the
 * program to look at them before they have been awaited. */
void stretto_emulator_multiply_async(stretto_emulated_thread *, const stretto_emulated_wait *, uint64_t a, uint64_t b,
                                     float *d);
void stretto_emulator_commit_matmuls(stretto_emulated_thread *, const stretto_emulated_wait *);
void stretto_emulator_await_matmuls(stretto_emulated_thread *, const stretto_emulated_wait *, uint32_t groups);
/* Bulk tensor copy of the box that begins at `coordinates` (`count` of them, the one of elements side by side first)
 * into shared memory; the phase of the mbarrier gets its bytes. `blocks`: a bit for each block of the cluster that it
 * is copied into, or STRETTO_EMULATED_OWN_BLOCK; into the same place of each, whose mbarrier at the same place gets the
 * bytes. */
void stretto_emulator_copy_box(stretto_emulated_thread *, const stretto_emulated_wait *, void *to, const void *map,
                               const void *mbarrier, const int32_t *coordinates, uint32_t count, uint32_t blocks,
                               const stretto_emulated_access *);
/* The other way, in groups of the thread: all since the last commit are one; a wait leaves the last `groups`. */
void stretto_emulator_store_box(stretto_emulated_thread *, const stretto_emulated_wait *, const void *from,
                                const void *map, const int32_t *coordinates, uint32_t count,
                                const stretto_emulated_access *);
void stretto_emulator_commit_stores(stretto_emulated_thread *);
void stretto_emulator_await_stores(stretto_emulated_thread *, uint32_t groups);
/* The mbarriers that the thread has initialised are visible to bulk tensor copies. */
void stretto_emulator_fence_mbarriers(stretto_emulated_thread *);
/* What the thread has written to shared memory is visible to the asynchronous proxy (matmuls of warpgroups, bulk
 * tensor copies). */
void stretto_emulator_fence_proxy(stretto_emulated_thread *);
/* Instead of asynchronous copies; `source_bytes` of `to`'s bytes are copied, the others become 0. */
void stretto_emulator_copy_async(stretto_emulated_thread *, void *to, const void *from, uint32_t source_bytes,
                                 const stretto_emulated_access *write, const stretto_emulated_access *read);
void stretto_emulator_commit_copies(stretto_emulated_thread *);
void stretto_emulator_await_copies(stretto_emulated_thread *, uint32_t groups);

/* Settings, in place of the environment's. */
typedef enum stretto_emulator_checks {
  STRETTO_EMULATOR_CHECKS_NONE = 0,
  STRETTO_EMULATOR_CHECKS_FAST = 1, /* places and alignment of accesses, all rules of shared memory, read-only buffers */
  STRETTO_EMULATOR_CHECKS_FULL = 2  /* and races on global memory */
} stretto_emulator_checks;
void stretto_emulator_set_seed(uint64_t seed);
void stretto_emulator_set_checks(stretto_emulator_checks checks);

/* Called once with the message of the first violation, on the host thread's own stack; the process ends with
 * status 70 when it returns. The default prints to stderr. */
typedef void (*stretto_emulator_report_fn)(const char *message);
void stretto_emulator_set_report(stretto_emulator_report_fn report);

#ifdef __cplusplus
}
#endif
#endif
