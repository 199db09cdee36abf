//===- Calls.cpp - operations as calls of C functions ---------------------===//
#include "codegen/host/Calls.h"

#include "codegen/facts/NumberAttributes.h"
#include "codegen/host/Sites.h"
#include "codegen/memory/Views.h"
#include "ir/kern/Kernels.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/ParameterLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

std::string stretto::codegen::hostFunctionName(StringRef function) { return ("host." + function).str(); }

namespace {

/// What lies in the buffers of a call, by their numbers.
using CallBuffers = FailureOr<SmallVector<Value>>;

/// Calls a C function with its argument struct.
CallBuffers callWith(HostBuilder &b, StringRef name, const AbiFields &args) {
  b.call(name, b.pack(args));
  return args.tensors();
}

/// A launch of the kernel that `op` names, with its operands and results.
CallBuffers emitLaunch(HostBuilder &b, Operation *op, const KernelNumbers &kernels) {
  StringAttr given = kern::kernelNameOf(op);
  StringRef name = given ? given.getValue() : "";
  auto number = kernels.find(name);
  if (number == kernels.end())
    return op->emitOpError() << "must name a kernel that exists as llvm.func, but got '" << name << "'";
  Value kernel = b.address(kernelTableName, number->second * sizeof(stretto_kernel));
  SmallVector<Value> tensors(op->getOperands());
  llvm::append_range(tensors, op->getResults());
  auto buffers = llvm::map_to_vector(tensors, [&](Value tensor) { return b.buffer(tensor); });
  b.call("stretto_launch", {kernel, b.pack<stretto_buffer>(buffers)});
  return tensors;
}

/// c[m, n] = op(a) op(b), added to what is there if it accumulates, or to the residual.
struct Matmul {
  int64_t m, n, k;
  Value a, b, c, residual = {};
  bool transposeA = false, transposeB = false, accumulate = false;
};

CallBuffers emitMatmul(HostBuilder &b, const Matmul &matmul) {
  using Args = stretto_matmul_args;
  auto args = b.start<Args>();
  args.set(&Args::m, matmul.m)
      .set(&Args::n, matmul.n)
      .set(&Args::k, matmul.k)
      .set(&Args::lda, rowStride(matmul.a))
      .set(&Args::ldb, rowStride(matmul.b))
      .set(&Args::ldc, rowStride(matmul.c))
      .set(&Args::ldd, matmul.residual ? rowStride(matmul.residual) : 0)
      .set(&Args::transpose_a, matmul.transposeA)
      .set(&Args::transpose_b, matmul.transposeB)
      .set(&Args::accumulate, matmul.accumulate)
      .set(&Args::has_residual, matmul.residual != nullptr)
      .set(&Args::dtype, dtypeOf(matmul.a.getType()))
      .set(&Args::dtype_c, dtypeOf(matmul.c.getType()))
      .set(&Args::a, b.buffer(matmul.a))
      .set(&Args::b, b.buffer(matmul.b))
      .set(&Args::c, b.buffer(matmul.c))
      .set(&Args::d, b.buffer(matmul.residual));
  return callWith(b, "stretto_matmul", args);
}

CallBuffers emit(HostBuilder &b, seq::LinearOp op) {
  return emitMatmul(b, {.m = rowsOf(op.getOperand()),
                        .n = columnsOf(op.getResult()),
                        .k = columnsOf(op.getOperand()),
                        .a = op.getOperand(),
                        .b = op.getWeight(),
                        .c = op.getResult(),
                        .residual = op.getResidual(),
                        .transposeB = true});
}

CallBuffers emit(HostBuilder &b, seq::LinearInputGradOp op) {
  return emitMatmul(b, {.m = rowsOf(op.getGrad()),
                        .n = columnsOf(op.getResult()),
                        .k = columnsOf(op.getGrad()),
                        .a = op.getGrad(),
                        .b = op.getWeight(),
                        .c = op.getResult()});
}

CallBuffers emit(HostBuilder &b, seq::LinearWeightGradOp op) {
  return emitMatmul(b, {.m = columnsOf(op.getGrad()),
                        .n = columnsOf(op.getOperand()),
                        .k = rowsOf(op.getGrad()),
                        .a = op.getGrad(),
                        .b = op.getOperand(),
                        .c = op.getResult(),
                        .transposeA = true,
                        .accumulate = static_cast<bool>(op.getAccumulator())});
}

template <typename Attention> double capOf(Attention op) { return op.getCap() ? op.getCap()->convertToDouble() : 0; }

/// What attention and its gradient have in common. Sinks and their share are of attention alone.
template <typename Op>
AbiStruct<stretto_attention_args> attentionArgs(HostBuilder &b, Op op, Value sinks = {}, Value share = {}) {
  using Args = stretto_attention_args;
  auto type = typeOf(op.getQ());
  int64_t heads = op.getHeads();
  Value positions = op.getPositions(), starts = op.getStarts();
  auto args = b.start<Args>();
  args.set(&Args::batch, type.getDimSize(0))
      .set(&Args::length, type.getDimSize(1))
      .set(&Args::heads, heads)
      .set(&Args::kv_heads, op.getKvHeads())
      .set(&Args::head_dim, columnsOf(op.getQ()) / heads)
      .set(&Args::value_dim, columnsOf(op.getOut()) / heads)
      .set(&Args::q_stride, rowStride(op.getQ()))
      .set(&Args::k_stride, rowStride(op.getK()))
      .set(&Args::v_stride, rowStride(op.getV()))
      .set(&Args::o_stride, rowStride(op.getOut()))
      .set(&Args::scale, op.getScale().convertToDouble())
      .set(&Args::flops, op.getFlops())
      .set(&Args::window, op.getWindow().value_or(0))
      .set(&Args::reach, op.getBias() ? columnsOf(op.getBias()) : 0)
      .set(&Args::causal, op.getCausal())
      .set(&Args::alibi, op.getAlibi())
      .set(&Args::cap, capOf(op))
      .set(&Args::dtype, dtypeOf(type))
      .set(&Args::q, b.buffer(op.getQ()))
      .set(&Args::k, b.buffer(op.getK()))
      .set(&Args::v, b.buffer(op.getV()))
      .set(&Args::o, b.buffer(op.getOut()))
      .set(&Args::lse, b.buffer(op.getLse()))
      .set(&Args::positions, b.buffer(positions))
      .set(&Args::starts, b.buffer(starts))
      .set(&Args::sinks, b.buffer(sinks))
      .set(&Args::share, b.buffer(share))
      .set(&Args::decay, b.buffer(op.getDecay()))
      .set(&Args::bias, b.buffer(op.getBias()))
      .set(&Args::has_positions, positions != nullptr)
      .set(&Args::has_starts, starts != nullptr)
      .set(&Args::has_sinks, sinks != nullptr)
      .set(&Args::has_decay, op.getDecay() != nullptr)
      .set(&Args::documents, starts ? typeOf(starts).getDimSize(0) - 1 : 0);
  return args;
}

CallBuffers emit(HostBuilder &b, seq::AttentionOp op) {
  return callWith(b, "stretto_attention", attentionArgs(b, op, op.getSinks(), op.getShare()));
}

CallBuffers emit(HostBuilder &b, seq::AttentionGradOp op) {
  using Args = stretto_attention_grad_args;
  auto args = b.start<Args>();
  args.set(&Args::forward, attentionArgs(b, op))
      .set(&Args::do_stride, rowStride(op.getGrad()))
      .set(&Args::dq_stride, rowStride(op.getDq()))
      .set(&Args::dk_stride, rowStride(op.getDk()))
      .set(&Args::dv_stride, rowStride(op.getDv()))
      .set(&Args::d_o, b.buffer(op.getGrad()))
      .set(&Args::d_q, b.buffer(op.getDq()))
      .set(&Args::d_k, b.buffer(op.getDk()))
      .set(&Args::d_v, b.buffer(op.getDv()))
      .set(&Args::d_decay, b.buffer(op.getDdecay()))
      .set(&Args::d_bias, b.buffer(op.getDbias()));
  return callWith(b, "stretto_attention_grad", args);
}

CallBuffers emit(HostBuilder &b, seq::WriteCacheOp op) {
  using Args = stretto_write_cache_args;
  auto rows = typeOf(op.getRows());
  auto args = b.start<Args>();
  args.set(&Args::batch, rows.getDimSize(0))
      .set(&Args::rows, rows.getDimSize(1))
      .set(&Args::capacity, typeOf(op.getCache()).getDimSize(1))
      .set(&Args::row_bytes, rowBytes(op.getRows()))
      .set(&Args::from_stride, rowStride(op.getRows()) * elementBytes(rows))
      .set(&Args::from, b.buffer(op.getRows()))
      .set(&Args::positions, b.buffer(op.getPositions()))
      .set(&Args::counts, b.buffer(op.getCounts()))
      .set(&Args::cache, b.buffer(op.getCache()));
  return callWith(b, "stretto_write_cache", args);
}

CallBuffers emit(HostBuilder &b, seq::ReadCacheOp op) {
  using Args = stretto_read_cache_args;
  auto args = b.start<Args>();
  args.set(&Args::batch, op.getType().getDimSize(0))
      .set(&Args::rows, op.getType().getDimSize(1))
      .set(&Args::capacity, typeOf(op.getCache()).getDimSize(1))
      .set(&Args::row_bytes, rowBytes(op.getResult()))
      .set(&Args::back, op.getBack())
      .set(&Args::cache, b.buffer(op.getCache()))
      .set(&Args::positions, b.buffer(op.getPositions()))
      .set(&Args::to, b.buffer(op.getResult()));
  return callWith(b, "stretto_read_cache", args);
}

CallBuffers emit(HostBuilder &b, seq::LastRowOp op) {
  using Args = stretto_last_row_args;
  auto args = b.start<Args>();
  args.set(&Args::batch, typeOf(op.getRows()).getDimSize(0))
      .set(&Args::rows, typeOf(op.getRows()).getDimSize(1))
      .set(&Args::row_bytes, rowBytes(op.getRows()))
      .set(&Args::from, b.buffer(op.getRows()))
      .set(&Args::counts, b.buffer(op.getCounts()))
      .set(&Args::to, b.buffer(op.getResult()));
  return callWith(b, "stretto_last_row", args);
}

CallBuffers emit(HostBuilder &b, seq::AttentionStepOp op) {
  using Args = stretto_attention_step_args;
  auto q = typeOf(op.getQ());
  int64_t heads = op.getHeads();
  auto args = b.start<Args>();
  args.set(&Args::batch, q.getDimSize(0))
      .set(&Args::rows, q.getDimSize(1))
      .set(&Args::capacity, typeOf(op.getK()).getDimSize(1))
      .set(&Args::heads, heads)
      .set(&Args::kv_heads, op.getKvHeads())
      .set(&Args::head_dim, columnsOf(op.getQ()) / heads)
      .set(&Args::value_dim, columnsOf(op.getOut()) / heads)
      .set(&Args::q_stride, rowStride(op.getQ()))
      .set(&Args::o_stride, rowStride(op.getOut()))
      .set(&Args::window, op.getWindow().value_or(0))
      .set(&Args::reach, op.getBias() ? columnsOf(op.getBias()) : 0)
      .set(&Args::scale, op.getScale().convertToDouble())
      .set(&Args::dtype, dtypeOf(q))
      .set(&Args::alibi, op.getAlibi())
      .set(&Args::cap, capOf(op))
      .set(&Args::q, b.buffer(op.getQ()))
      .set(&Args::k, b.buffer(op.getK()))
      .set(&Args::v, b.buffer(op.getV()))
      .set(&Args::positions, b.buffer(op.getPositions()))
      .set(&Args::counts, b.buffer(op.getCounts()))
      .set(&Args::o, b.buffer(op.getOut()))
      .set(&Args::sinks, b.buffer(op.getSinks()))
      .set(&Args::has_sinks, op.getSinks() != nullptr)
      .set(&Args::decay, b.buffer(op.getDecay()))
      .set(&Args::bias, b.buffer(op.getBias()))
      .set(&Args::has_decay, op.getDecay() != nullptr);
  return callWith(b, "stretto_attention_step", args);
}

CallBuffers emit(HostBuilder &b, seq::EmbedOp op) {
  using Args = stretto_embed_args;
  auto args = b.start<Args>();
  args.set(&Args::rows, rowsOf(op.getResult()))
      .set(&Args::width, columnsOf(op.getResult()))
      .set(&Args::vocabulary, typeOf(op.getTable()).getDimSize(0))
      .set(&Args::tokens, b.buffer(op.getTokens()))
      .set(&Args::table, b.buffer(op.getTable()))
      .set(&Args::out, b.buffer(op.getResult()));
  return callWith(b, "stretto_embed", args);
}

CallBuffers emit(HostBuilder &b, seq::EmbedGradOp op) {
  using Args = stretto_embed_grad_args;
  auto args = b.start<Args>();
  args.set(&Args::rows, rowsOf(op.getGrad()))
      .set(&Args::width, columnsOf(op.getGrad()))
      .set(&Args::vocabulary, op.getType().getDimSize(0))
      .set(&Args::accumulate, static_cast<bool>(op.getAccumulator()))
      .set(&Args::tokens, b.buffer(op.getTokens()))
      .set(&Args::d_out, b.buffer(op.getGrad()))
      .set(&Args::d_table, b.buffer(op.getResult()));
  return callWith(b, "stretto_embed_grad", args);
}

AbiStruct<stretto_tensor> describeTensor(HostBuilder &b, Value tensor, StringRef name) {
  using Tensor = stretto_tensor;
  auto type = typeOf(tensor);
  auto fields = b.start<Tensor>();
  fields.set(&Tensor::name, b.text(name))
      .set(&Tensor::buffer, b.buffer(tensor))
      .set(&Tensor::shape, type.getShape())
      .set(&Tensor::row_stride, rowStride(tensor))
      .set(&Tensor::rank, static_cast<int32_t>(type.getRank()))
      .set(&Tensor::dtype, dtypeOf(type));
  return fields;
}

/// The attributes of an operation that are numbers or booleans, with their names.
SmallVector<AbiStruct<stretto_number>> numbersOf(HostBuilder &b, Operation *op) {
  SmallVector<AbiStruct<stretto_number>> numbers;
  forEachNumber(op, [&](StringRef name, const NumberAttribute &value) {
    const auto *real = std::get_if<APFloat>(&value);
    const auto *integer = std::get_if<int64_t>(&value);
    double number = real      ? real->convertToDouble()
                    : integer ? static_cast<double>(*integer)
                              : static_cast<double>(std::get<bool>(value));
    numbers.push_back(b.start<stretto_number>());
    numbers.back().set(&stretto_number::name, b.text(name)).set(&stretto_number::value, number);
  });
  return numbers;
}

/// Any other operation of the library goes by its name.
CallBuffers emit(HostBuilder &b, seq::LibraryOp op) {
  using Args = stretto_library_args;
  SmallVector<Value> tensors(op->getOperands());
  llvm::append_range(tensors, op->getResults());
  SmallVector<AbiStruct<stretto_tensor>> described;
  for (OpOperand &operand : op->getOpOperands())
    described.push_back(describeTensor(b, operand.get(), op.getOperandName(operand.getOperandNumber())));
  for (OpResult result : op->getResults())
    described.push_back(describeTensor(b, result, op.getResultName(result.getResultNumber())));
  auto numbers = numbersOf(b, op);
  auto args = b.start<Args>();
  args.set(&Args::name, b.text(op->getName().getStringRef()))
      .set(&Args::tensors, b.pack<stretto_tensor>(described))
      .set(&Args::numbers, b.pack<stretto_number>(numbers))
      .set(&Args::operands, static_cast<int32_t>(op->getNumOperands()))
      .set(&Args::results, static_cast<int32_t>(op->getNumResults()))
      .set(&Args::number_count, static_cast<int32_t>(numbers.size()))
      .set(&Args::flops, op.getFlops());
  b.call("stretto_library", b.pack(args));
  return tensors;
}

CallBuffers emit(HostBuilder &b, kern::CopyOp op) {
  Runs from = runsOf(op.getOperand(), op), to = runsOf(op.getResult(), op);
  int64_t count = std::max(from.count, to.count), bytes = bytesOf(op.getType()) / count;
  if (std::min(from.count, to.count) != 1 && from.count != to.count)
    return op.emitOpError() << "must copy between runs of one size, but got " << from.count << " and " << to.count;
  using Args = stretto_copy_args;
  auto args = b.start<Args>();
  args.set(&Args::rows, count)
      .set(&Args::row_bytes, bytes)
      .set(&Args::from_stride, from.count == 1 ? bytes : from.stride)
      .set(&Args::to_stride, to.count == 1 ? bytes : to.stride)
      .set(&Args::from, b.buffer(op.getOperand()))
      .set(&Args::to, b.buffer(op.getResult()));
  return callWith(b, "stretto_copy", args);
}

CallBuffers emit(HostBuilder &b, arith::ConstantOp op) {
  Runs runs = runsOf(op.getResult(), op);
  int64_t bytes = bytesOf(op.getType()) / runs.count;
  auto zero = [&](Value offset) { b.call("stretto_zero", {b.pack(b.buffer(op.getResult(), offset)), b.i64(bytes)}); };
  if (runs.count == 1)
    zero({});
  else
    b.loop(runs.count, [&](Value i) { zero(LLVM::MulOp::create(b, i, b.i64(runs.stride))); });
  return SmallVector<Value>{op.getResult()};
}

void emitScan(HostBuilder &b, seq::ScanOp op) {
  std::string body = hostFunctionName(op.getBody());
  int64_t trips = op.getTrips();
  b.loop(trips, [&](Value step) {
    Value i = op.getReverse() ? LLVM::SubOp::create(b, b.i64(trips - 1), step).getRes() : step;
    b.callHost(body, i);
  });
}

/// What is neither a kernel nor a loop: a call of the C function for it.
CallBuffers emitLibrary(HostBuilder &b, Operation *op) {
  return llvm::TypeSwitch<Operation *, CallBuffers>(op)
      .Case<seq::LinearOp, seq::LinearInputGradOp, seq::LinearWeightGradOp, seq::AttentionOp, seq::AttentionGradOp,
            seq::EmbedOp, seq::EmbedGradOp, seq::WriteCacheOp, seq::ReadCacheOp, seq::LastRowOp, seq::AttentionStepOp,
            kern::CopyOp, arith::ConstantOp, seq::LibraryOp>([&](auto call) { return emit(b, call); })
      .Default([](Operation *other) -> CallBuffers {
        return other->emitOpError() << "cannot be carried out by the host program";
      });
}
} // namespace

LogicalResult stretto::codegen::emitCall(HostBuilder &b, Operation *op, const KernelNumbers &kernels,
                                         std::vector<Site> &sites) {
  b.setLoc(op->getLoc());
  if (auto ready = dyn_cast<kern::ReadyOp>(op))
    b.call("stretto_ready", b.lookUp(ready.getBuckets()));
  if (auto await = dyn_cast<kern::AwaitOp>(op))
    b.call("stretto_await", b.lookUp(await.getBuckets()));
  if (isa<seq::AliasOp>(op))
    return success();
  if (auto scan = dyn_cast<seq::ScanOp>(op)) {
    emitScan(b, scan);
    return success();
  }
  b.call("stretto_at", {b.address(siteTableName, sites.size() * sizeof(stretto_site)), b.iteration()});
  CallBuffers buffers = kern::isKernel(op) ? emitLaunch(b, op, kernels) : emitLibrary(b, op);
  if (failed(buffers))
    return failure();
  sites.push_back(describeSite(op, *buffers));
  return success();
}
