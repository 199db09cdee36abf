// What a device can be asked to do. Ops hold resolved addresses; a device may run them later, in order.
#pragma once

#include "runtime/abi/abi.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace stretto::runtime {

// Bytes of one element.
constexpr int64_t elementBytes(int32_t dtype) { return dtype == STRETTO_F64 ? 8 : dtype == STRETTO_BF16 ? 2 : 4; }

// Some chunks of a kernel: [begin, end). Of one that is launched whole they are all.
struct LaunchOp {
  LaunchOp() = default;
  LaunchOp(const stretto_kernel *kernel, std::vector<void *> buffers)
      : LaunchOp(kernel, std::move(buffers), 0, kernel->chunks) {}
  LaunchOp(const stretto_kernel *kernel, std::vector<void *> buffers, int64_t begin, int64_t end)
      : kernel(kernel), buffers(std::move(buffers)), begin(begin), end(end) {}

  const stretto_kernel *kernel = nullptr;
  // Where buffers begin, or would begin if there were all of them: chunk c has bytes [c, c + 1) * chunk_bytes.
  std::vector<void *> buffers;
  int64_t begin = 0, end = 0;
};

// A call with an argument struct: its fields, and for each of its buffers an address of the same name, which stands for
// it. Null where an optional buffer is not there. What fields mean is said in runtime/abi/abi.h.
template <typename Arguments> struct CallOp : Arguments {
  using Args = Arguments;
  CallOp(const Args &args = {}, int32_t real = STRETTO_F32) : Args(args), real(real) {}
  int32_t real; // what "real" is in abi.h
};

struct MatmulOp : CallOp<stretto_matmul_args> {
  const void *a = nullptr, *b = nullptr;
  void *c = nullptr;
  const void *d = nullptr;
};

// Writes o, lse and share.
struct AttentionOp : CallOp<stretto_attention_args> {
  void *q = nullptr, *k = nullptr, *v = nullptr, *o = nullptr, *lse = nullptr;
  const int32_t *positions = nullptr, *starts = nullptr;
  void *sinks = nullptr, *share = nullptr, *decay = nullptr, *bias = nullptr;
};

// Reads o and lse.
struct AttentionGradOp : CallOp<stretto_attention_grad_args> {
  AttentionOp forward{{Args::forward, real}};
  void *d_o = nullptr, *d_q = nullptr, *d_k = nullptr, *d_v = nullptr, *d_decay = nullptr, *d_bias = nullptr;
};

struct EmbedOp : CallOp<stretto_embed_args> {
  const int32_t *tokens = nullptr;
  const void *table = nullptr;
  void *out = nullptr;
};

struct EmbedGradOp : CallOp<stretto_embed_grad_args> {
  const int32_t *tokens = nullptr;
  const void *d_out = nullptr;
  void *d_table = nullptr;
};

struct WriteCacheOp : CallOp<stretto_write_cache_args> {
  const void *from = nullptr;
  const int32_t *positions = nullptr, *counts = nullptr;
  void *cache = nullptr;
};

struct ReadCacheOp : CallOp<stretto_read_cache_args> {
  const void *cache = nullptr;
  const int32_t *positions = nullptr;
  void *to = nullptr;
};

struct LastRowOp : CallOp<stretto_last_row_args> {
  const void *from = nullptr;
  const int32_t *counts = nullptr;
  void *to = nullptr;
};

struct AttentionStepOp : CallOp<stretto_attention_step_args> {
  const void *q = nullptr, *k = nullptr, *v = nullptr;
  const int32_t *positions = nullptr, *counts = nullptr;
  void *o = nullptr;
  const void *sinks = nullptr, *decay = nullptr, *bias = nullptr;
};

// An operation that a library knows by its name (runtime/library): its operands, then its results.
struct LibraryOp {
  const char *name = "";
  std::vector<stretto_tensor> tensors;
  std::vector<void *> buffers; // of the tensors
  size_t operands = 0;         // how many of them are that
  std::vector<stretto_number> numbers;
  double flops = 0;
};

struct CopyOp : CallOp<stretto_copy_args> {
  const void *from = nullptr;
  void *to = nullptr;
};

struct ZeroOp {
  void *data = nullptr;
  int64_t bytes = 0;
};

// Host to device; holds its own copy of the data.
struct CopyInOp {
  void *destination = nullptr;
  std::vector<std::byte> data;
};

// Device to host; the destination is valid after Device::wait.
struct CopyOutOp {
  void *destination = nullptr;
  const void *source = nullptr;
  int64_t bytes = 0;
};

// Makes ready for the ops of a program: scratch memory is taken, and libraries take theirs, so that nothing more is
// needed while the program runs. Of addresses in the ops only the alignment is looked at.
struct ReserveOp {
  std::vector<MatmulOp> matmuls; // each size, type, stride and alignment once; so below
  std::vector<AttentionOp> attention;
  std::vector<AttentionGradOp> attentionGrad;
  std::vector<AttentionStepOp> attentionStep;
  std::vector<LibraryOp> library; // each name and shape once
  int64_t kernelScratch = 0;      // bytes that a thread needs for the hungriest kernel
};

// Work of a library that is not the program's, in its turn: what ranks exchange.
struct WorkOp {
  std::function<void()> work;
};

// Where an op comes from in the source; null for what the runtime does on its own account.
struct CallSite {
  const stretto_site *site = nullptr;
  int64_t iteration = -1; // of the scan it is in, or -1
};

using Op =
    std::variant<LaunchOp, MatmulOp, AttentionOp, AttentionGradOp, EmbedOp, EmbedGradOp, WriteCacheOp, ReadCacheOp,
                 LastRowOp, AttentionStepOp, LibraryOp, ZeroOp, CopyOp, CopyInOp, CopyOutOp, ReserveOp, WorkOp>;

// Whether an op is that of a call with these arguments.
template <typename Op, typename Arguments>
concept CallWith = requires { typename Op::Args; } && std::same_as<typename Op::Args, Arguments>;

// The op of a call; addresses are missing. `real`: what "real" is in abi.h.
template <typename Arguments> Op opOf(const Arguments &args, int32_t real) {
  Op op;
  const auto tryAs = [&]<typename Call>(std::type_identity<Call>) {
    if constexpr (CallWith<Call, Arguments>)
      op = Call{{args, real}};
  };
  [&]<typename... Ops>(std::type_identity<std::variant<Ops...>>) {
    static_assert((CallWith<Ops, Arguments> + ...) == 1, "each argument struct has one op");
    (tryAs(std::type_identity<Ops>()), ...);
  }(std::type_identity<Op>());
  return op;
}

} // namespace stretto::runtime
