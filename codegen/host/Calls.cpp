//===- Calls.cpp - operations as calls of C functions ---------------------===//
#include "codegen/host/Calls.h"

#include "codegen/host/Sites.h"
#include "codegen/memory/ParameterLayout.h"
#include "codegen/memory/Views.h"
#include "ir/Seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;

std::string stretto::hostFunctionName(StringRef function) { return ("host." + function).str(); }

LLVM::LLVMStructType stretto::kernelType(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context), number = IntegerType::get(context, 64);
  Type grid = LLVM::LLVMArrayType::get(number, 2);
  return LLVM::LLVMStructType::getLiteral(context, {pointer, pointer, pointer, pointer, number, number, number, number,
                                                    number, pointer, grid, number, number, number, number, pointer});
}

LLVM::LLVMStructType stretto::siteType(MLIRContext *context) {
  return LLVM::LLVMStructType::getLiteral(context, {LLVM::LLVMPointerType::get(context), IntegerType::get(context, 64)});
}

namespace {

/// The fields of an argument struct, in order.
class Fields {
public:
  explicit Fields(HostBuilder &b) : b(b) {}
  Fields &i64(std::initializer_list<int64_t> values) {
    for (int64_t value : values)
      list.push_back(b.i64(value));
    return *this;
  }
  Fields &i32(std::initializer_list<int32_t> values) {
    for (int32_t value : values)
      list.push_back(b.i32(value));
    return *this;
  }
  Fields &f64(double value) {
    list.push_back(b.f64(value));
    return *this;
  }
  Fields &buffers(ValueRange values) {
    for (Value value : values)
      llvm::append_range(list, b.buffer(placeOf(value)));
    return *this;
  }
  /// A buffer, or zeros for what is not there.
  Fields &optionalBuffer(Value value) { return value ? buffers(value) : i32({0, 0}).i64({0}); }
  void call(StringRef name) { b.call(name, b.pack(list)); }
  ArrayRef<Value> get() const { return list; }

private:
  HostBuilder &b;
  SmallVector<Value> list;
};

struct Matmul {
  int64_t m, n, k;
  Value a, b, c;
  bool transposeA, transposeB, accumulate;
  Value addend = {};
};

void emitMatmul(HostBuilder &b, const Matmul &product) {
  Fields(b)
      .i64({product.m, product.n, product.k, rowStride(product.a), rowStride(product.b), rowStride(product.c)})
      .i32({product.transposeA, product.transposeB, product.accumulate, dtypeOf(product.a.getType()), dtypeOf(product.c.getType()),
            product.addend != nullptr})
      .buffers({product.a, product.b, product.c})
      .optionalBuffer(product.addend)
      .i64({product.addend ? rowStride(product.addend) : 0})
      .call("stretto_matmul");
}

LogicalResult emit(HostBuilder &b, seq::LinearOp op, const KernelNumbers &) {
  emitMatmul(b, {rowsOf(op.getOperand()), columnsOf(op.getResult()), columnsOf(op.getOperand()), op.getOperand(),
                 op.getWeight(), op.getResult(), false, true, false, op.getAddend()});
  return success();
}

LogicalResult emit(HostBuilder &b, seq::LinearInputGradOp op, const KernelNumbers &) {
  emitMatmul(b, {rowsOf(op.getGrad()), columnsOf(op.getResult()), columnsOf(op.getGrad()), op.getGrad(), op.getWeight(),
                 op.getResult(), false, false, false});
  return success();
}

LogicalResult emit(HostBuilder &b, seq::LinearWeightGradOp op, const KernelNumbers &) {
  emitMatmul(b, {columnsOf(op.getGrad()), columnsOf(op.getOperand()), rowsOf(op.getGrad()), op.getGrad(), op.getOperand(),
                 op.getResult(), true, false, static_cast<bool>(op.getAccumulator())});
  return success();
}

template <typename Op>
Fields &attentionFields(Fields &fields, Op op, Value out) {
  auto type = typeOf(op.getQ());
  int64_t heads = op.getHeads();
  Value positions = op.getPositions(), starts = op.getStarts();
  return fields
      .i64({type.getDimSize(0), type.getDimSize(1), heads, static_cast<int64_t>(op.getKvHeads()),
            columnsOf(op.getQ()) / heads, rowStride(op.getQ()), rowStride(op.getK()), rowStride(op.getV()),
            rowStride(out)})
      .f64(op.getScale().convertToDouble())
      .i32({op.getCausal(), dtypeOf(op.getQ().getType())})
      .buffers({op.getQ(), op.getK(), op.getV(), out, op.getLse()})
      .optionalBuffer(positions)
      .optionalBuffer(starts)
      .i32({positions != nullptr, starts != nullptr})
      .i64({starts ? typeOf(starts).getDimSize(0) - 1 : 0});
}

LogicalResult emit(HostBuilder &b, seq::AttentionOp op, const KernelNumbers &) {
  Fields fields(b);
  attentionFields(fields, op, op.getOut()).call("stretto_attention");
  return success();
}

LogicalResult emit(HostBuilder &b, seq::AttentionGradOp op, const KernelNumbers &) {
  Fields fields(b);
  attentionFields(fields, op, op.getOut())
      .i64({rowStride(op.getGrad()), rowStride(op.getDq()), rowStride(op.getDk()), rowStride(op.getDv())})
      .buffers({op.getGrad(), op.getDq(), op.getDk(), op.getDv()})
      .call("stretto_attention_grad");
  return success();
}

/// A launch of the kernel that `op` names, with its operands and results.
LogicalResult emitLaunch(HostBuilder &b, Operation *op, const KernelNumbers &kernels) {
  StringRef name = kernelOf(op).value_or("");
  auto number = kernels.find(name);
  if (number == kernels.end())
    return op->emitOpError() << "must name a kernel that exists as llvm.func, but got '" << name << "'";
  auto tableType = LLVM::LLVMArrayType::get(kernelType(b.getContext()), kernels.size());
  Value table = LLVM::AddressOfOp::create(b, b.pointer(), kernelTableName);
  Value kernel = LLVM::GEPOp::create(b, b.pointer(), tableType, table,
                                     ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(number->second)});
  Fields fields(b);
  fields.buffers(op->getOperands()).buffers(op->getResults());
  b.call("stretto_launch", {kernel, b.pack(fields.get())});
  return success();
}

int64_t rowBytes(Value value) { return columnsOf(value) * typeOf(value).getElementTypeBitWidth() / 8; }

LogicalResult emit(HostBuilder &b, seq::WriteCacheOp op, const KernelNumbers &kernels) {
  if (kernelOf(op))
    return emitLaunch(b, op, kernels);
  auto cache = typeOf(op.getCache()), rows = typeOf(op.getRows());
  int64_t stride = rowStride(op.getRows()) * rows.getElementTypeBitWidth() / 8;
  Fields(b)
      .i64({rows.getDimSize(0), rows.getDimSize(1), cache.getDimSize(1), rowBytes(op.getRows()), stride})
      .buffers({op.getRows(), op.getPositions(), op.getCounts(), op.getCache()})
      .call("stretto_write_cache");
  return success();
}

LogicalResult emit(HostBuilder &b, seq::ReadCacheOp op, const KernelNumbers &kernels) {
  if (kernelOf(op))
    return emitLaunch(b, op, kernels);
  auto cache = typeOf(op.getCache()), rows = op.getType();
  Fields(b)
      .i64({rows.getDimSize(0), rows.getDimSize(1), cache.getDimSize(1), rowBytes(op.getResult()),
            static_cast<int64_t>(op.getBack())})
      .buffers({op.getCache(), op.getPositions(), op.getResult()})
      .call("stretto_read_cache");
  return success();
}

LogicalResult emit(HostBuilder &b, seq::LastRowOp op, const KernelNumbers &kernels) {
  if (kernelOf(op))
    return emitLaunch(b, op, kernels);
  auto rows = typeOf(op.getRows());
  Fields(b)
      .i64({rows.getDimSize(0), rows.getDimSize(1), rowBytes(op.getRows())})
      .buffers({op.getRows(), op.getCounts(), op.getResult()})
      .call("stretto_last_row");
  return success();
}

LogicalResult emit(HostBuilder &b, seq::AttentionStepOp op, const KernelNumbers &kernels) {
  if (kernelOf(op))
    return emitLaunch(b, op, kernels);
  auto q = typeOf(op.getQ());
  int64_t heads = op.getHeads();
  Fields(b)
      .i64({q.getDimSize(0), q.getDimSize(1), typeOf(op.getK()).getDimSize(1), heads,
            static_cast<int64_t>(op.getKvHeads()), columnsOf(op.getQ()) / heads, rowStride(op.getQ()),
            rowStride(op.getOut())})
      .f64(op.getScale().convertToDouble())
      .i32({dtypeOf(q), 0})
      .buffers({op.getQ(), op.getK(), op.getV(), op.getPositions(), op.getCounts(), op.getOut()})
      .call("stretto_attention_step");
  return success();
}

LogicalResult emit(HostBuilder &b, seq::EmbedOp op, const KernelNumbers &kernels) {
  if (kernelOf(op))
    return emitLaunch(b, op, kernels);
  auto table = typeOf(op.getTable());
  Fields(b)
      .i64({rowsOf(op.getResult()), columnsOf(op.getResult()), table.getDimSize(0)})
      .buffers({op.getTokens(), op.getTable(), op.getResult()})
      .call("stretto_embed");
  return success();
}

LogicalResult emit(HostBuilder &b, seq::EmbedGradOp op, const KernelNumbers &kernels) {
  if (kernelOf(op))
    return emitLaunch(b, op, kernels);
  Fields(b)
      .i64({rowsOf(op.getGrad()), columnsOf(op.getGrad()), op.getType().getDimSize(0)})
      .i32({static_cast<bool>(op.getAccumulator()), 0})
      .buffers({op.getTokens(), op.getGrad(), op.getResult()})
      .call("stretto_embed_grad");
  return success();
}

LogicalResult emit(HostBuilder &b, kern::RowwiseOp op, const KernelNumbers &kernels) {
  return emitLaunch(b, op, kernels);
}

LogicalResult emit(HostBuilder &b, kern::SumPartialsOp op, const KernelNumbers &kernels) {
  return emitLaunch(b, op, kernels);
}

LogicalResult emit(HostBuilder &b, kern::CopyOp op, const KernelNumbers &) {
  Runs from = runsOf(op.getOperand(), op), to = runsOf(op.getResult(), op);
  int64_t count = std::max(from.count, to.count), bytes = byteSize(op.getType()) / count;
  if (std::min(from.count, to.count) != 1 && from.count != to.count)
    return op.emitOpError() << "must copy between runs of one size, but got " << from.count << " and " << to.count;
  Fields(b)
      .i64({count, bytes, from.count == 1 ? bytes : from.stride, to.count == 1 ? bytes : to.stride})
      .buffers({op.getOperand(), op.getResult()})
      .call("stretto_copy");
  return success();
}

LogicalResult emit(HostBuilder &b, arith::ConstantOp op, const KernelNumbers &) {
  Runs runs = runsOf(op.getResult(), op);
  int64_t bytes = byteSize(op.getType()) / runs.count;
  auto zero = [&](Value offset) {
    b.call("stretto_zero", {b.pack(b.buffer(placeOf(op.getResult()), offset)), b.i64(bytes)});
  };
  if (runs.count == 1)
    zero({});
  else
    b.loop(runs.count, [&](Value i) { zero(LLVM::MulOp::create(b, i, b.i64(runs.stride))); });
  return success();
}

LogicalResult emit(HostBuilder &b, seq::ScanOp op, const KernelNumbers &) {
  std::string body = hostFunctionName(op.getBody());
  int64_t trips = op.getTrips();
  b.loop(trips, [&](Value step) {
    Value i = op.getReverse() ? LLVM::SubOp::create(b, b.i64(trips - 1), step).getRes() : step;
    b.callHost(body, i);
  });
  return success();
}
} // namespace

/// Tells the context which site the next call is.
static void emitSite(HostBuilder &b, Operation *op, std::vector<Site> &sites) {
  if (isa<seq::ScanOp>(op))
    return;
  Value table = LLVM::AddressOfOp::create(b, b.pointer(), siteTableName);
  Value site = LLVM::GEPOp::create(b, b.pointer(), siteType(b.getContext()), table,
                                   ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(sites.size())});
  b.call("stretto_at", {site, b.iteration()});
  sites.push_back(describeSite(op));
}

LogicalResult stretto::emitCall(HostBuilder &b, Operation *op, const KernelNumbers &kernels,
                                std::vector<Site> &sites) {
  b.setLoc(op->getLoc());
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<seq::LinearOp, seq::LinearInputGradOp, seq::LinearWeightGradOp, seq::AttentionOp, seq::AttentionGradOp,
            seq::EmbedOp, seq::EmbedGradOp, seq::ScanOp, kern::RowwiseOp, kern::SumPartialsOp, kern::CopyOp,
            arith::ConstantOp, seq::WriteCacheOp, seq::ReadCacheOp, seq::LastRowOp, seq::AttentionStepOp>([&](auto known) {
        emitSite(b, op, sites);
        return emit(b, known, kernels);
      })
      .Case<seq::ReshapeOp, seq::SliceOp, seq::ConcatOp, seq::GetParameterOp, seq::GetCacheOp, seq::GradientOp, seq::TableOp>(
          [](auto) { return success(); })
      .Default([](Operation *other) { return other->emitOpError() << "cannot be carried out by the host program"; });
}
