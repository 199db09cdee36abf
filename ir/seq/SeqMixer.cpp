//===- SeqMixer.cpp - shape rules and canonical forms of linear mixers --------===//
#include "ir/seq/SeqOps.h"

#include "ir/seq/ShapeRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <numeric>

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;

//===- Shapes -----------------------------------------------------------------===//

/// What sums over rows of a type are kept in.
static Type realTypeOf(Type rows) { return rows.isBF16() ? Float32Type::get(rows.getContext()) : rows; }

namespace {
/// What seq.mixer, its gradient and its step have in common.
template <typename Op> struct Shapes {
  Op op;
  int64_t heads = op.getHeads(), keyHeads = op.getKeyHeads();
  RankedTensorType q = typeOf(op.getQ()), v = typeOf(op.getV());

  LogicalResult verify() {
    if (failed(verifyWidths()) || failed(verifyDecay()))
      return failure();
    int64_t keys = heads * op.getKeyColumns();
    if (failed(verifyRows("write", op.getWrite(), heads, real())) ||
        failed(verifyRows("beta", op.getBeta(), heads, real())) ||
        failed(verifyRows("erase", op.getErase(), keys, stored())) ||
        failed(verifyRows("erase_write", op.getEraseWrite(), keys, stored())))
      return failure();
    return verifyGiven();
  }

  /// What rows consist of, and what is never bf16.
  Type stored() { return q.getElementType(); }
  Type real() { return realTypeOf(stored()); }

  LogicalResult have(StringRef what, Value value, ArrayRef<int64_t> shape, Type elements) {
    if (failed(haveShape(what, value, shape)))
      return failure();
    return typeOf(value).getElementType() == elements ? success() : reportElements(what, value, elements);
  }

  LogicalResult haveShape(StringRef what, Value value, ArrayRef<int64_t> shape) {
    return seq::haveShape(op, what, typeOf(value), shape);
  }

private:
  LogicalResult reportElements(StringRef what, Value value, Type elements) {
    return op.emitOpError() << what << " must consist of " << elements << " beside rows of " << stored() << ", but got "
                            << value.getType();
  }

  LogicalResult verifyWidths() {
    if (heads < 1 || keyHeads < 1 || heads % keyHeads != 0)
      return op.emitOpError() << "key_heads must divide heads, but got " << keyHeads << " and " << heads;
    if (q.getRank() != 3 || v.getRank() != 3 || q.getShape().take_front(2) != v.getShape().take_front(2) ||
        q.getElementType() != v.getElementType())
      return op.emitOpError() << "q and v must be [batch, time, columns] of one type, but got " << q << " and " << v;
    if (q.getDimSize(2) % keyHeads != 0)
      return op.emitOpError() << "key_heads must divide the columns of q, but got " << keyHeads << " and " << q;
    if (v.getDimSize(2) % heads != 0)
      return op.emitOpError() << "heads must divide the columns of v, but got " << heads << " and " << v;
    return success();
  }

  LogicalResult verifyDecay() {
    if (!op.getDecay())
      return success();
    auto type = typeOf(op.getDecay());
    int64_t keys = heads * op.getKeyColumns(), columns = columnsOf(op.getDecay());
    bool isShared = type.getRank() == 1, isRows = type.getRank() == 3;
    if ((columns == heads || columns == keys) &&
        (isShared || (isRows && type.getShape().take_front(2) == q.getShape().take_front(2))))
      return type.getElementType() == real() ? success() : reportElements("decay", op.getDecay(), real());
    return op.emitOpError() << "decay must have " << heads << " or " << keys << " columns, with or without the rows of "
                            << q << ", but got " << type;
  }

  LogicalResult verifyRows(StringRef what, Value value, int64_t columns, Type elements) {
    return value ? have(what, value, {q.getDimSize(0), q.getDimSize(1), columns}, elements) : success();
  }

  LogicalResult verifyGiven() {
    if (op.getBeta() && (op.getWrite() || op.getErase()))
      return op.emitOpError() << "beta says what write and erase are: it must stand without them";
    if (op.getEraseWrite() && !op.getErase())
      return op.emitOpError() << "erase_write needs erase";
    if (op.getReadBefore() && !op.erases())
      return op.emitOpError() << "read_before needs beta or erase: nothing else is read";
    return success();
  }
};

/// The states before the segments, and the positions of documents.
template <typename Op> LogicalResult verifySegments(Op op, Value states) {
  Shapes<Op> shapes{op};
  int64_t segment = op.getSegment(), batch = shapes.q.getDimSize(0), time = shapes.q.getDimSize(1);
  if (segment < 1 || segment % MixerOp::segmentMultiple != 0)
    return op.emitOpError() << "segment must be a multiple of " << MixerOp::segmentMultiple << ", but got " << segment;
  if (op.getPositions() && failed(shapes.haveShape("positions", op.getPositions(), {batch, time})))
    return failure();
  int64_t segments = llvm::divideCeil(time, segment), size = op.getKeyColumns() * op.getValueColumns();
  return states ? shapes.have("states", states, {batch, shapes.heads, segments, size}, shapes.real()) : success();
}
} // namespace

RankedTensorType MixerOp::getStatesType(int64_t segment) {
  RankedTensorType rows = typeOf(getQ());
  int64_t segments = llvm::divideCeil(rows.getDimSize(1), segment), heads = getHeads();
  return RankedTensorType::get({rows.getDimSize(0), heads, segments, getKeyColumns() * getValueColumns()},
                               realTypeOf(rows.getElementType()));
}

LogicalResult MixerOp::verify() {
  if (failed(Shapes<MixerOp>{*this}.verify()))
    return failure();
  return verifySegments(*this, getStates());
}

LogicalResult MixerGradOp::verify() {
  Shapes<MixerGradOp> shapes{*this};
  if (failed(shapes.verify()) || failed(verifySegments(*this, getStates())))
    return failure();
  auto rows = shapes.q.getShape().take_front(2);
  if (failed(shapes.have("dq", getDq(), {rows[0], rows[1], getPartColumns()}, shapes.stored())))
    return failure();
  std::tuple<StringRef, Value, Value> pairs[] = {{"decay", getDecay(), getDdecay()},
                                                 {"write", getWrite(), getDwrite()},
                                                 {"beta", getBeta(), getDbeta()},
                                                 {"erase", getErase(), getDerase()},
                                                 {"erase_write", getEraseWrite(), getDeraseWrite()}};
  for (auto [name, operand, gradient] : pairs) {
    if (gradient && !operand)
      return emitOpError() << "there is no " << name << " to have a gradient";
    if (gradient && failed(shapes.have(("the gradient of " + name).str(), gradient,
                                       {rows[0], rows[1], columnsOf(operand)}, typeOf(operand).getElementType())))
      return failure();
  }
  return success();
}

LogicalResult MixerStepOp::verify() {
  Shapes<MixerStepOp> shapes{*this};
  if (failed(shapes.verify()))
    return failure();
  int64_t batch = shapes.q.getDimSize(0), rows = shapes.q.getDimSize(1);
  if (failed(shapes.have("state", getState(), {batch, shapes.heads * getKeyColumns(), getValueColumns()},
                         shapes.real())) ||
      failed(shapes.haveShape("positions", getPositions(), {batch, rows})))
    return failure();
  return shapes.haveShape("counts", getCounts(), {batch});
}

//===- Canonical forms --------------------------------------------------------===//

/// What a value repeats along the columns, each column of the first several times side by side; null if it does not.
static Value spreadOperand(Value value) {
  if (auto spread = value.getDefiningOp<SpreadOp>())
    return spread.getOperand();
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto broadcast = reshape ? reshape.getOperand().getDefiningOp<BroadcastOp>() : nullptr;
  if (!broadcast)
    return {};
  auto from = typeOf(broadcast.getOperand()), to = typeOf(broadcast.getResult());
  bool isLast = to.getRank() == from.getRank() + 1 && to.getShape().drop_back() == from.getShape() &&
                llvm::all_of(llvm::enumerate(broadcast.getDims()),
                             [](auto dim) { return dim.value() == static_cast<int64_t>(dim.index()); });
  bool joins = typeOf(value).getRank() == from.getRank();
  return isLast && joins && from.getRank() >= 1 ? broadcast.getOperand() : Value();
}

/// A column of a value.
using Column = std::pair<Value, int64_t>;

/// The column that this one is a copy of.
static Column originOf(Column column) {
  auto [value, number] = column;
  if (auto slice = value.getDefiningOp<SliceOp>())
    return originOf({slice.getOperand(), number + static_cast<int64_t>(slice.getOffset())});
  if (Value narrow = spreadOperand(value))
    return originOf({narrow, number / (columnsOf(value) / columnsOf(narrow))});
  auto concat = value.getDefiningOp<ConcatOp>();
  if (!concat)
    return column;
  for (Value input : concat.getInputs()) {
    if (number < columnsOf(input))
      return originOf({input, number});
    number -= columnsOf(input);
  }
  llvm_unreachable("a concatenation has the columns of its inputs");
}

/// How many heads beside each other have the same columns, from the first head on; a divisor of `heads`.
static int64_t repetitions(Value value, int64_t heads) {
  int64_t columns = columnsOf(value) / heads, times = heads;
  for (int64_t head = 1; head < heads; ++head) {
    auto isCopied = [&](int64_t c) {
      return originOf({value, head * columns + c}) == originOf({value, (head - 1) * columns + c});
    };
    if (!llvm::all_of(llvm::seq<int64_t>(0, columns), isCopied))
      times = std::gcd(times, head);
  }
  return times;
}

namespace {
/// States that nothing reads are not given.
struct DropStates : OpRewritePattern<MixerOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(MixerOp op, PatternRewriter &rewriter) const final {
    if (!op.getStates() || !op.getStates().use_empty())
      return failure();
    auto without =
        MixerOp::create(rewriter, op.getLoc(), TypeRange{op.getOut().getType()}, op->getOperands(), op->getAttrs());
    rewriter.replaceOp(op, {without.getOut(), Value()});
    return success();
  }
};

/// A decay of 1 is none; one that is the same for the channels of a head is that of the head.
struct SimplifyDecay : OpRewritePattern<MixerOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(MixerOp op, PatternRewriter &rewriter) const final {
    Value decay = op.getDecay();
    if (!decay)
      return failure();
    Value narrow = op.decaysByChannel() ? spreadOperand(decay) : Value();
    bool isZero = matchPattern(decay, m_AnyZeroFloat());
    if (!isZero && (!narrow || columnsOf(narrow) != static_cast<int64_t>(op.getHeads())))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { isZero ? op.getDecayMutable().clear() : op.getDecayMutable().assign(narrow); });
    return success();
  }
};

/// erase_write that is k is left out; write and erase by one number for each head are beta.
struct SimplifyErase : OpRewritePattern<MixerOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(MixerOp op, PatternRewriter &rewriter) const final {
    if (op.getEraseWrite() && op.getEraseWrite() == op.getK()) {
      rewriter.modifyOpInPlace(op, [&] { op.getEraseWriteMutable().clear(); });
      return success();
    }
    if (!op.getErase() || op.getEraseWrite() || !op.getWrite() || !isScaledKey(op))
      return failure();
    Value beta = op.getWrite();
    rewriter.modifyOpInPlace(op, [&] {
      op.getEraseMutable().clear();
      op.getWriteMutable().clear();
      op.getBetaMutable().assign(beta);
    });
    return success();
  }

  static bool isScaledKey(MixerOp op) {
    auto product = op.getErase().getDefiningOp<arith::MulFOp>();
    if (!product)
      return false;
    auto isPair = [&](Value factor, Value key) { return key == op.getK() && spreadOperand(factor) == op.getWrite(); };
    return isPair(product.getLhs(), product.getRhs()) || isPair(product.getRhs(), product.getLhs());
  }
};

/// Heads beside each other that have the same q and k share them.
struct ShareKeys : OpRewritePattern<MixerOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(MixerOp op, PatternRewriter &rewriter) const final {
    int64_t keyHeads = op.getKeyHeads();
    int64_t times = std::gcd(repetitions(op.getQ(), keyHeads), repetitions(op.getK(), keyHeads));
    if (times == 1)
      return failure();
    Value q = firstOfEach(op.getQ(), keyHeads, times, rewriter);
    Value k = op.getK() == op.getQ() ? q : firstOfEach(op.getK(), keyHeads, times, rewriter);
    rewriter.modifyOpInPlace(op, [&] {
      op.getQMutable().assign(q);
      op.getKMutable().assign(k);
      op.setKeyHeads(keyHeads / times);
    });
    return success();
  }

  /// Of each `times` heads the first.
  static Value firstOfEach(Value value, int64_t heads, int64_t times, PatternRewriter &rewriter) {
    int64_t columns = columnsOf(value) / heads;
    SmallVector<Value> kept;
    for (int64_t head = 0; head < heads; head += times) {
      auto [from, offset] = rangeOf(value, head * columns, columns);
      kept.push_back(
          rewriter.createOrFold<SliceOp>(value.getLoc(), typeWith(from, columns), from, static_cast<uint64_t>(offset)));
    }
    return rewriter.createOrFold<ConcatOp>(value.getLoc(), typeWith(value, columns * (heads / times)), kept);
  }

  /// Where the columns come from, if they lie side by side there.
  static Column rangeOf(Value value, int64_t first, int64_t columns) {
    auto [from, offset] = originOf({value, first});
    for (int64_t c = 1; c < columns; ++c)
      if (originOf({value, first + c}) != Column{from, offset + c})
        return {value, first};
    return {from, offset};
  }

  static RankedTensorType typeWith(Value value, int64_t columns) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape.back() = columns;
    return typeOf(value).clone(shape);
  }
};
} // namespace

void MixerOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropStates, SimplifyDecay, SimplifyErase, ShareKeys>(context);
}
