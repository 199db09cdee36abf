/* The contract between a compiled model (an object file written by the compiler) and the runtime
 * (a library linked with LibTorch). Plain C; this folder alone is included by both halves.
 *
 * Words used below:
 *   arena    one contiguous allocation on the device; everything a program touches lives in one of them
 *   buffer   a place in an arena: (arena, byte offset)
 *   launch   one call of a generated kernel over a range of chunks
 *   context  the stream on which work is put in order; opaque to generated code
 *
 * The entry points of a program are host code: they put work on the context in order and return. They
 * never read a number from the device. A caller that needs one (the loss, the norm) waits for the context
 * first and reads the OUTPUTS arena then. */
#ifndef STRETTO_RUNTIME_ABI_ABI_H
#define STRETTO_RUNTIME_ABI_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STRETTO_ABI_VERSION 25u

typedef enum stretto_dtype { STRETTO_F32 = 0, STRETTO_F64 = 1, STRETTO_I32 = 2, STRETTO_BF16 = 3 } stretto_dtype;

/* All arenas: X(number, name in C, name in IR and in messages). */
#define STRETTO_ARENAS(X) \
  X(0, ACTIVATIONS, activations) /* planned by the compiler: gradients, saved values and transients     */ \
  X(1, PARAMETERS, parameters)   /* flat: trainable parameters first, then frozen ones                  */ \
  X(2, GRADIENTS, gradients)     /* a part of ACTIVATIONS: same layout as the trainable part
                                  * of PARAMETERS; whole after `gradients`, until the next entry but
                                  * `accumulate`, `take_accumulated`, `squares`, `norm` and `apply`      */ \
  X(3, MOMENT1, moment1)         /* AdamW first moment, same layout                                     */ \
  X(4, MOMENT2, moment2)         /* AdamW second moment, same layout                                    */ \
  X(5, ACCUMULATOR, accumulator) /* sum of gradients over micro-batches, same layout; optional          */ \
  X(6, INPUTS, inputs)           /* see stretto_input and stretto_decode                                */ \
  X(7, OUTPUTS, outputs)         /* what the host reads: see stretto_output and stretto_decode          */ \
  X(8, TABLES, tables)           /* constant tables, filled once by the runtime                         */ \
  X(9, HYPER, hyper)             /* real[STRETTO_HYPER_COUNT]: learning rate and the like               */ \
  X(10, ROUNDED, rounded)        /* PARAMETERS rounded to bf16, element for element; written by
                                  * `round_parameters` and by `apply`; empty where all is one type      */ \
  X(11, CACHE, cache)            /* what generation remembers of each sequence from one call of a decode
                                  * entry to the next; allocated only where text is generated           */ \
  X(12, SQUARES, squares)        /* real[rows]: the sum of squares of each row of GRADIENTS, whose rows
                                  * have STRETTO_FLAT_COLUMNS elements; zeros behind the last            */ \
  X(13, FACTORS, factors)        /* real[rows, 2, factor_columns]: what learning rates, then weight
                                  * decays of a row of PARAMETERS are multiplied by, each of as many
                                  * elements; filled once by the runtime; empty where all are 1         */

/* STRETTO_ARENA_ACTIVATIONS = 0 and so on. */
#define STRETTO_ARENA(number, NAME, name) STRETTO_ARENA_##NAME = number,
typedef enum stretto_arena { STRETTO_ARENAS(STRETTO_ARENA) STRETTO_ARENA_COUNT } stretto_arena;
#undef STRETTO_ARENA

/* The flat arenas are seen as rows of so many elements by the optimizer. */
#define STRETTO_FLAT_COLUMNS 512

typedef struct stretto_buffer {
  int32_t arena;  /* stretto_arena */
  int32_t unused; /* 0 */
  int64_t offset; /* bytes from the start of the arena; a multiple of 64 for whole tensors */
} stretto_buffer;

/* Positions in the HYPER arena (values of the program's real type). The host writes them before each
 * update; bias corrections are 1 - beta^step, of the betas in that type. */
typedef enum stretto_hyper {
  STRETTO_HYPER_LEARNING_RATE = 0,
  STRETTO_HYPER_BETA1 = 1,
  STRETTO_HYPER_BETA2 = 2,
  STRETTO_HYPER_EPSILON = 3,
  STRETTO_HYPER_WEIGHT_DECAY = 4,
  STRETTO_HYPER_BIAS_CORRECTION1 = 5,
  STRETTO_HYPER_BIAS_CORRECTION2 = 6,
  STRETTO_HYPER_CLIP_NORM = 7, /* gradients are scaled to at most this norm; infinity: never */
  STRETTO_HYPER_COUNT = 8
} stretto_hyper;

/* ------------------------------------------------------------------ the program, as data */

typedef enum stretto_init_kind {
  STRETTO_INIT_CONSTANT = 0,        /* a: the value                                                  */
  STRETTO_INIT_NORMAL = 1,          /* a: mean, b: standard deviation                                */
  STRETTO_INIT_TRUNCATED_NORMAL = 2,/* a: standard deviation, b: bound in standard deviations, mean 0 */
  STRETTO_INIT_UNIFORM = 3,         /* a: low, b: high                                               */
  STRETTO_INIT_LOG_OF_UNIFORM = 4,  /* ln u, u uniform in (a, b), 0 <= a < b                         */
  STRETTO_INIT_STEP_BIAS = 5        /* softplus^-1(e^u), u uniform in (ln a, ln b), 0 < a < b        */
} stretto_init_kind;

/* One named parameter: a slice of the PARAMETERS arena (and of the arenas laid out like it). */
typedef struct stretto_parameter {
  const char *name;   /* e.g. "layers.3.attention.q.weight"; the name in checkpoints and in PyTorch */
  int64_t offset;     /* in elements from the start of the arena */
  int64_t shape[4];
  int32_t rank;
  int32_t trainable;  /* 0: frozen (lies behind all trainable parameters) */
  int32_t init;       /* stretto_init_kind */
  int32_t unused;
  double init_a, init_b;
  double lr_factor, weight_decay_factor; /* of the learning rate and the weight decay */
  const char *location; /* "file:line:column" of the operation that makes it; "" where it has no place */
} stretto_parameter;

typedef enum stretto_table_kind {
  /* real[T, dims]; row t, column j: cos(t * theta^(-2 p/rotated)), where p is the index of the pair that
   * column j belongs to (half-split: j mod rotated/2; interleaved: j/2); columns >= rotated hold 1. */
  STRETTO_TABLE_ROTARY_COS = 0,
  /* the same with sin, negated for the first member of each pair; columns >= rotated hold 0. */
  STRETTO_TABLE_ROTARY_SIN = 1,
  /* real[layers, columns]; all of row r is numbers[r], so that each number has an aligned place of its own. */
  STRETTO_TABLE_NUMBERS = 2
} stretto_table_kind;

typedef struct stretto_table {
  int32_t kind;        /* stretto_table_kind */
  int32_t interleaved; /* 0: half-split pairs (j, j+rotated/2); 1: neighbours (2j, 2j+1) */
  int64_t offset;      /* bytes in the TABLES arena */
  int64_t rows, columns;
  int64_t rotated;     /* how many leading columns of `columns` are rotated; even */
  double theta;
  const double *numbers; /* of STRETTO_TABLE_NUMBERS, one for each row; null for all others */
} stretto_table;

/* A kernel generated for the CPU: processes the chunks [begin, end). `buffers` are resolved addresses, in the order
 * of the launch. `scratch` holds scratch_bytes, private to the calling thread. */
typedef void (*stretto_kernel_fn)(void *const *buffers, int64_t begin, int64_t end, void *scratch);

/* A tensor as bulk tensor copies (TMA) of a kernel see it. Dimensions as CUDA counts them: 0 is the one whose elements
 * lie side by side. Unused ones are 0. */
typedef struct stretto_tensor_map {
  int64_t buffer;     /* of the kernel: where the tensor begins */
  int32_t dtype;      /* stretto_dtype */
  int32_t rank;       /* 1 to STRETTO_MAP_RANK */
  int64_t sizes[5];   /* elements */
  int64_t strides[5]; /* bytes from one to the next along a dimension */
  int64_t box[5];     /* elements that a copy brings */
  int64_t swizzle;    /* bytes of the rows in which blocks of 16 bytes change places: 32, 64, 128; 0: none */
} stretto_tensor_map;

typedef struct stretto_kernel {
  const char *name;      /* unique; names the fused group, e.g. "layer.forward.rowwise0" */
  const char *location;  /* places in the .stretto source, "file:line:column, ..." */
  const char *group;     /* what it is counted under in profiles: "rowwise", "optimizer", "loss" */
  stretto_kernel_fn function; /* null for a kernel of a device image */
  int64_t chunks;        /* how many chunks a whole launch has; independent of the thread count */
  int64_t buffers;       /* how many buffers it takes */
  int64_t scratch_bytes;
  int64_t bytes_moved;   /* bytes read and written by a whole launch, each operand counted once */
  int64_t flops;         /* of a whole launch */
  const char *symbol;    /* its name in the device images, or null. It takes one pointer for each buffer. */
  int64_t grid[2];       /* blocks of a launch in x and y */
  int64_t block;         /* threads of a block */
  int64_t cluster;       /* blocks of a cluster, side by side in x; divides grid[0]; 0 and 1: it has no clusters */
  int64_t shared_bytes;  /* static shared memory of a block */
  int64_t dynamic_shared_bytes; /* shared memory that a launch gives each block besides it */
  int64_t registers;     /* of a thread, and bytes it spills, as the assembler says; 0 where unknown */
  int64_t spill_bytes;
  const int64_t *buffer_bytes; /* how many bytes of each buffer it may touch; null: it does not say */
  /* Of a kernel that may be launched on a range of its chunks: how many rows of the flat arenas a chunk is, and how many
   * bytes of each buffer belong to one (0: all chunks read all of it). Others: 0 and null. */
  int64_t chunk_rows;
  const int64_t *chunk_bytes;
  const stretto_tensor_map *maps; /* of a kernel of a device image: arguments by value behind its buffers */
  int64_t map_count;
} stretto_kernel;

/* All device kernels of a program as code for one kind of device. */
typedef enum stretto_image_kind {
  STRETTO_IMAGE_CUBIN = 0, /* machine code for `architecture` alone */
  STRETTO_IMAGE_PTX = 1    /* text, ends in 0; the driver makes code of it for `architecture` and newer devices */
} stretto_image_kind;

typedef struct stretto_image {
  int32_t kind; /* stretto_image_kind */
  int32_t unused;
  const char *architecture; /* e.g. "sm_90a" */
  const void *data;
  int64_t bytes;
} stretto_image;

typedef struct stretto_context stretto_context;

/* Rows of the flat arenas whose gradients are exchanged together by ranks. */
typedef struct stretto_bucket {
  int64_t first_row, rows; /* of STRETTO_FLAT_COLUMNS elements */
} stretto_bucket;

typedef struct stretto_output {
  int64_t loss;       /* byte offset in OUTPUTS of real[1]: sum over positions of weight * (nll + nll_square * nll^2 + z_loss * z^2 +
                       * what the model adds), z the log-sum-exp of the logits; coefficients: of the program */
  int64_t grad_norm;  /* real[1]: global 2-norm of the gradient before clipping (written by norm) */
  int64_t grad_squares; /* real[1]: its square, which apply reads */
  int64_t nll;        /* real[B,T]: negative log-likelihood of each target (written by evaluate) */
  int64_t predicted;  /* i32[B,T]: most likely next token (written by evaluate) */
} stretto_output;

typedef struct stretto_input {
  int64_t tokens;   /* byte offset in INPUTS of i32[B,T] */
  int64_t targets;  /* i32[B,T]: the token that should follow; any valid id where the weight is 0 */
  int64_t weights;  /* real[B,T]: loss weight of each target, normally mask / (number of ones in the step) */
  int64_t positions; /* i32[B,T]: 0 at the first token of a sequence, one more at each token after; or -1 */
  int64_t is_masked; /* 1: rows hold several documents, which see nothing of each other. Positions are there, and are 0 at
                      * the first token of each document, too. 0: positions, if any, count through all of them */
  int64_t starts;    /* i32[documents + 1]: where each document begins among the B*T tokens, then B*T to the end; or -1 */
  int64_t documents; /* how many documents `starts` has room for; 0 where there are none */
  int64_t dropout_keys; /* i32[B,T]: of `gradients`, a random number for each token; or -1 */
} stretto_input;

/* An entry that goes `rows` tokens on in each of B sequences: it remembers what later tokens need of them in CACHE and
 * gives the logits behind the last. All offsets are in bytes, in INPUTS (logits: in OUTPUTS). Sequence b has counts[b]
 * valid tokens, its first ones; 0: it stays as it is, and its logits mean nothing. Sequences do not touch each other. A
 * sequence starts anew with position 0: what an earlier one left in its place is never read. */
typedef struct stretto_decode {
  int64_t rows;      /* tokens of each sequence; 0: the program has no such entry */
  int64_t tokens;    /* i32[B,rows]; any valid id behind the valid ones */
  int64_t positions; /* i32[B,rows]: where tokens stand in their sequence, each one further than the one before; behind
                      * the valid ones any that is below `length` of the program */
  int64_t counts;    /* i32[B]: 0 to rows */
  int64_t logits;    /* real[B,columns] */
  int64_t columns;   /* of logits: at least the vocabulary; those behind it are of no tokens */
  void (*run)(stretto_context *);
} stretto_decode;

typedef struct stretto_program {
  uint32_t abi_version;  /* STRETTO_ABI_VERSION */
  uint32_t struct_size;  /* sizeof(stretto_program) */
  const char *model;     /* name of the model in the spec */
  const char *spec_text; /* the resolved spec: imports inlined, as text */
  const char *stage;     /* the text of the stage that was compiled in its place, which may be edited; or "" */
  const char *spec_hash; /* 32 hex digits over spec, settings and weights: which model it is, whatever it is compiled for */
  const char *settings;  /* JSON array: every parameter of the model with its value and where it came from */
  const char *plan;      /* JSON object: memory plan, FLOPs, parameters per block (what `summary` prints) */
  const char *target;    /* "cpu", "cuda", or "cuda-emulated": kernels made for CUDA that run on the CPU */
  const char *cpu;       /* CPU the host code was made for, e.g. "x86-64-v4" */
  const char *cpu_features; /* instruction sets the code may use, as LLVM names them, separated by commas */
  const char *compiler;  /* version line of the compiler */
  int32_t dtype;         /* "real" in this header: of parameters, gradients, moments, loss: STRETTO_F32 or STRETTO_F64 */
  int32_t activation_dtype; /* of most activations, and of matmuls: as dtype, or STRETTO_BF16 */
  int64_t batch, length, vocabulary;
  int64_t arena_bytes[STRETTO_ARENA_COUNT]; /* ACCUMULATOR: what it needs when it is used */
  int64_t gradients_begin;                  /* offset of GRADIENTS in ACTIVATIONS */
  int64_t activation_bytes;                 /* what ACTIVATIONS would take without gradients in it */
  int64_t trainable_elements;               /* elements of the trainable part, padding included */
  int64_t factor_columns;                   /* of FACTORS; 0 where it is empty */
  double flops_forward, flops_backward;     /* of one micro-batch: matmuls, attention and mixers, as 2*m*n*k */
  double nll_square, z_loss;                /* coefficients of terms of the loss, 0: without the term */
  const char *lr_factors, *weight_decay_factors; /* what was asked for beside the spec, NAMES=FACTOR,...; or "" */
  const stretto_parameter *parameters;
  int64_t parameter_count;
  const stretto_table *tables;
  int64_t table_count;
  const stretto_kernel *kernels;
  int64_t kernel_count;
  const stretto_image *images; /* of the device kernels: the first that a device takes is used */
  int64_t image_count;
  stretto_input input;
  stretto_output output;
  /* In the order in which their gradients become final in `gradients`; each trainable row is in one of them. */
  const stretto_bucket *buckets;
  int64_t bucket_count;
  /* Entry points. gradients: forward, loss and backward of one micro-batch into GRADIENTS.
   * accumulate: ACCUMULATOR += GRADIENTS. take_accumulated: GRADIENTS = ACCUMULATOR, ACCUMULATOR = 0.
   * squares: SQUARES of GRADIENTS. norm: their sum and its root in OUTPUTS. apply: clipping by that sum, AdamW with FACTORS. The kernels
   * of squares and apply may be launched on a range of their chunks.
   * evaluate: forward, nll and predicted.
   * round_parameters: ROUNDED from PARAMETERS, after anything but `apply` wrote them. */
  void (*gradients)(stretto_context *);
  void (*accumulate)(stretto_context *);
  void (*take_accumulated)(stretto_context *);
  void (*squares)(stretto_context *);
  void (*norm)(stretto_context *);
  void (*apply)(stretto_context *);
  void (*evaluate)(stretto_context *);
  void (*round_parameters)(stretto_context *);
  /* The kernel of `accumulate`: (sum, addend, sum), sum += addend over the trainable part, or a range of its chunks. */
  const stretto_kernel *add;
  stretto_decode decode_one;   /* one token of each sequence */
  stretto_decode decode_chunk; /* several, for prompts; both share what they remember */
} stretto_program;

/* The one symbol a compiled object exports. */
extern const stretto_program stretto_compiled_program;

/* ------------------------------------------------------------------ what the runtime offers generated code
 * Functions, and structs stretto_<call>_args with what stretto_<call> does (the list of these calls ends this part).
 * All of them put work on the context and return at once where the device is asynchronous. None throws;
 * a failure is kept in the context and reported by the runtime after the entry point returns. */

/* One tensor of reals that a call writes, and what it is in the source. It is `rows` runs of row_bytes, `stride` bytes
 * apart, which hold its elements in row-major order. Buffers are numbered as the call takes them: in the order of the
 * launch, or of the argument struct. */
typedef struct stretto_result {
  const char *operation; /* as the source calls it: "rms_norm", "the gradient of linear"; "" where it has no name */
  const char *location;  /* "file:line:column", several with commas between; "" where it has no place */
  const char *kernel;    /* the kernel that computes it, or "" */
  int32_t buffer;        /* which buffer it is written to */
  int32_t weight;        /* which buffer holds the weight the operation reads, or -1 */
  int64_t rows, row_bytes, stride;
  int64_t shape[4];
  int32_t rank;
  int32_t arena;         /* stretto_arena it is written to */
  int32_t dtype;         /* stretto_dtype of its elements */
  int32_t unused;
} stretto_result;

typedef struct stretto_site {
  const stretto_result *results;
  int64_t count;
} stretto_site;

/* Says what the next call is for; the context keeps it for messages alone. `iteration`: of the scan the call is in,
 * or -1. */
void stretto_at(stretto_context *, const stretto_site *, int64_t iteration);

void stretto_launch(stretto_context *, const stretto_kernel *, const stretto_buffer *buffers);

/* C[m,n] = op(A) op(B) (+ C if accumulate, + D if has_residual; not both), row-major. A and B have one type; C and D have it
 * too, or are STRETTO_F32 where they are STRETTO_BF16. Sums are kept in the type of C, at least in STRETTO_F32.
 * op(X) = X or its transpose; lda, ldb, ldc, ldd are row strides in elements of the stored matrices. D may be C, row for
 * row, or shares no byte with it. */
typedef struct stretto_matmul_args {
  int64_t m, n, k;
  int64_t lda, ldb, ldc;
  int32_t transpose_a, transpose_b;
  int32_t accumulate;
  int32_t dtype;   /* of A and B: stretto_dtype */
  int32_t dtype_c; /* of C and D */
  int32_t has_residual;
  stretto_buffer a, b, c, d;
  int64_t ldd;
} stretto_matmul_args;

/* Softmax attention. q: [B,T,heads*head_dim], k: [B,T,kv_heads*head_dim], v: [B,T,kv_heads*value_dim],
 * o: [B,T,heads*value_dim], each with its own row stride in elements (so they may be column ranges of one buffer), all of type `dtype`; lse: real[B,heads,T].
 * Where it is causal, a token sees itself and those before it; with a window > 0, the last `window` of them alone; with
 * alibi, 2^(-8 (h + 1) / heads) times the distance of query and key is taken from the scores of head h; with a cap > 0,
 * a score is cap * tanh(score / cap) before. With a decay, real[B,T,heads], the sum of it from the token behind the key
 * up to the query is added, too. With a bias, real[heads,reach], bias[h,min(d,reach-1)] is added where the query is d
 * tokens behind the key; reach is 0 without one. With sinks,
 * real[heads], exp(sinks[h]) is in the sum of head h besides, and in its lse; share: real[B,T,heads] is
 * written then, exp(sinks[h]) by that sum.
 * positions and starts, where they are there, are as in stretto_input; a token then sees its own document alone. */
typedef struct stretto_attention_args {
  int64_t batch, length, heads, kv_heads, head_dim, value_dim;
  int64_t q_stride, k_stride, v_stride, o_stride;
  int64_t window, reach;
  double scale, cap;
  double flops; /* of this call */
  int32_t causal, alibi;
  int32_t dtype; /* stretto_dtype */
  int32_t has_positions, has_starts, has_sinks, has_decay;
  int32_t unused;
  stretto_buffer q, k, v, o, lse, positions, starts, sinks, share, decay, bias;
  int64_t documents; /* see stretto_input */
} stretto_attention_args;

/* Gradients of the above; dq, dk, dv have strides of their own. As o and lse have what sinks add, these are not there.
 * d_decay: real[B,T,heads], where there is a decay; d_bias: real[heads,reach], where there is a bias. */
typedef struct stretto_attention_grad_args {
  stretto_attention_args forward; /* o and lse are inputs here; flops are those of the gradients */
  int64_t do_stride, dq_stride, dk_stride, dv_stride;
  stretto_buffer d_o, d_q, d_k, d_v, d_decay, d_bias;
} stretto_attention_grad_args;

/* out[r,:] = table[tokens[r],:] for r < rows. table: [vocabulary, width]. */
typedef struct stretto_embed_args {
  int64_t rows, width, vocabulary;
  stretto_buffer tokens, table, out;
} stretto_embed_args;

/* d_table[v,:] = sum of d_out[r,:] over r with tokens[r] = v, in the order of r; rows of absent tokens are
 * set to zero unless accumulate is set. */
typedef struct stretto_embed_grad_args {
  int64_t rows, width, vocabulary;
  int32_t accumulate;
  int32_t unused;
  stretto_buffer tokens, d_out, d_table;
} stretto_embed_grad_args;

/* What decode entries remember: cache[b, p mod capacity, :] is the row of position p of sequence b, of row_bytes bytes.
 * `positions`: i32[batch,rows], `counts`: i32[batch], as in stretto_decode. */

/* cache[b, positions[b,r] mod capacity, :] = from[b,r,:] for r < counts[b]; rows of `from` lie from_stride bytes apart. */
typedef struct stretto_write_cache_args {
  int64_t batch, rows, capacity, row_bytes, from_stride;
  stretto_buffer from, positions, counts, cache;
} stretto_write_cache_args;

/* to[b,r,:] = the row `back` positions before positions[b,r]; zeros where there is none. */
typedef struct stretto_read_cache_args {
  int64_t batch, rows, capacity, row_bytes, back;
  stretto_buffer cache, positions, to;
} stretto_read_cache_args;

/* to[b,:] = from[b, counts[b] - 1, :]; the first row where counts[b] is 0. */
typedef struct stretto_last_row_args {
  int64_t batch, rows, row_bytes;
  stretto_buffer from, counts, to;
} stretto_last_row_args;

/* Causal softmax attention of a few queries of each sequence over its cached keys and values:
 * q: [batch,rows,heads*head_dim], o: [batch,rows,heads*value_dim] with row strides in elements,
 * k: [batch,capacity,kv_heads*head_dim], v: [batch,capacity,kv_heads*value_dim]. Query r of sequence b sees keys 0 ... positions[b,r], with a window > 0 the last `window` of them; that of position p lies at
 * p mod capacity. alibi, cap, bias and sinks as there; decay is a cache, too: real[batch,capacity,heads]. Rows of `o` behind the valid ones are zeros. */
typedef struct stretto_attention_step_args {
  int64_t batch, rows, capacity, heads, kv_heads, head_dim, value_dim;
  int64_t q_stride, o_stride;
  int64_t window, reach;
  double scale, cap;
  int32_t dtype; /* stretto_dtype of q, k, v and o */
  int32_t alibi, has_sinks, has_decay;
  stretto_buffer q, k, v, positions, counts, o, sinks, decay, bias;
} stretto_attention_step_args;

/* A tensor: its last dimension lies together; from one row to the next (all dimensions but the last count rows) there are
 * row_stride elements. */
typedef struct stretto_tensor {
  const char *name; /* of an operand or result that may be left out: "decay"; else "" */
  stretto_buffer buffer;
  int64_t shape[4]; /* the first `rank` */
  int64_t row_stride;
  int32_t rank;
  int32_t dtype; /* stretto_dtype */
} stretto_tensor;

/* An attribute of an operation; a boolean is 1 or 0. */
typedef struct stretto_number {
  const char *name; /* "heads" */
  double value;
} stretto_number;

/* Any other operation that is computed whole: by the function that a library of the program has under its name
 * (runtime/library/operation.h). Buffers are numbered as the tensors are. */
typedef struct stretto_library_args {
  const char *name;              /* as IR has it: "mean.cumulative" */
  const stretto_tensor *tensors; /* the operands, then the results */
  const stretto_number *numbers; /* its attributes */
  int32_t operands, results, number_count;
  int32_t unused;
  double flops; /* of this call */
} stretto_library_args;
void stretto_library(stretto_context *, const stretto_library_args *);

/* With what was put on the context before, the gradients of the first `buckets` buckets of the program are final: until the
 * entry ends, nothing writes there. Called by `gradients`, each time with at least as many as before. */
void stretto_ready(stretto_context *, int64_t buckets);

/* What is put on the context from now on reads trainable parameters of the last `buckets` buckets of the program, and of no
 * others that it was not told of before. Called by `gradients`. */
void stretto_await(stretto_context *, int64_t buckets);

/* Sets bytes to zero. */
void stretto_zero(stretto_context *, const stretto_buffer *, int64_t bytes);

/* Copies `rows` runs of row_bytes; strides are the distances in bytes between the starts of runs. The two
 * ranges do not overlap. */
typedef struct stretto_copy_args {
  int64_t rows, row_bytes;
  int64_t from_stride, to_stride;
  stretto_buffer from, to;
} stretto_copy_args;

/* The functions of the structs above: void stretto_matmul(stretto_context *, const stretto_matmul_args *) and so on. */
#define STRETTO_CALLS(X) \
  X(matmul) X(attention) X(attention_grad) X(attention_step) X(embed) X(embed_grad) \
  X(write_cache) X(read_cache) X(last_row) X(copy)

#define STRETTO_CALL(call) void stretto_##call(stretto_context *, const stretto_##call##_args *);
STRETTO_CALLS(STRETTO_CALL)
#undef STRETTO_CALL

/* ------------------------------------------------------------------ what the runtime offers kernels of the CPU
 * Called on the thread of the kernel.
 *
 * Panels of a matrix [depth, n]: 32 columns each, [n / 32 rounded up][depth][32], zeros behind the last column. The order
 * within a panel is known to these functions alone. */

/* c[rows, columns] = a[rows, depth] times the first columns of `panels`; rows of a and c are lda and ldc elements apart. Each
 * element is one chain of multiply-adds, term after term. */
void stretto_block_matmul_f32(int64_t rows, int64_t columns, int64_t depth, const float *a, int64_t lda,
                              const float *panels, float *c, int64_t ldc);
void stretto_block_matmul_f64(int64_t rows, int64_t columns, int64_t depth, const double *a, int64_t lda,
                              const double *panels, double *c, int64_t ldc);
/* One panel of `columns` columns, at most 32, from where the first lies: of a matrix [depth, n], or of its transpose
 * [n, depth], whose rows are `stride` elements apart. */
void stretto_pack_panel_f32(int64_t depth, int64_t columns, const float *from, int64_t stride, int64_t transposed,
                            float *panel);
void stretto_pack_panel_f64(int64_t depth, int64_t columns, const double *from, int64_t stride, int64_t transposed,
                            double *panel);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
