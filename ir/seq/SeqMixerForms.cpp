//===- SeqMixerForms.cpp - what linear mixers say of themselves ---------------===//
#include "ir/seq/SeqOps.h"

#include "ir/seq/Facts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;
using namespace stretto::seq::facts;

//===- Operands and results ---------------------------------------------------===//

namespace {
/// The number of an operand in the definition of its operation, those that are left out counted.
template <typename Op> unsigned definedOperand(Op op, unsigned given) {
  for (unsigned number = 0;; ++number)
    if (auto [begin, size] = op.getODSOperandIndexAndLength(number); given < begin + size)
      return number;
}

template <typename Op> unsigned definedResult(Op op, unsigned given) {
  for (unsigned number = 0;; ++number)
    if (auto [begin, size] = op.getODSResultIndexAndLength(number); given < begin + size)
      return number;
}

/// The operands of every mixer, from q on; `positions` and states follow.
struct Given {
  enum : unsigned { q, k, v, decay, write, beta, erase, eraseWrite, count };
};
constexpr llvm::StringLiteral givenNames[] = {"", "", "", "decay", "write", "beta", "erase", "erase_write"};

/// What rows are that are neither decays nor factors.
template <typename Op> ValueFacts rowFacts(Op op) { return op.getExact() ? exactRow : roundedRow; }

template <typename Op> ValueFacts givenFacts(Op op, unsigned number) {
  if (number == Given::decay)
    return typeOf(op.getDecay()).getRank() == 1 ? exactWeight : exactRow;
  return number == Given::write || number == Given::beta ? exactRow : rowFacts(op);
}
} // namespace

ValueFacts MixerOp::getOperandFacts(unsigned number) {
  unsigned defined = definedOperand(*this, number);
  return defined < Given::count ? givenFacts(*this, defined) : ownExactRow;
}
ValueFacts MixerOp::getResultFacts(unsigned number) { return number == 0 ? rowFacts(*this) : statistics; }
StringRef MixerOp::getOperandName(unsigned number) {
  unsigned defined = definedOperand(*this, number);
  return defined < Given::count ? givenNames[defined] : "positions";
}
StringRef MixerOp::getResultName(unsigned number) { return number == 0 ? "" : "states"; }

ValueFacts MixerGradOp::getOperandFacts(unsigned number) {
  unsigned defined = definedOperand(*this, number);
  if (defined == 0)
    return rowFacts(*this);
  return defined <= Given::count       ? givenFacts(*this, defined - 1)
         : defined == Given::count + 1 ? ownExactRow
                                       : statistics;
}
ValueFacts MixerGradOp::getResultFacts(unsigned number) {
  unsigned defined = definedResult(*this, number);
  return defined >= Given::decay && defined <= Given::beta ? exactRow : rowFacts(*this);
}
StringRef MixerGradOp::getOperandName(unsigned number) {
  unsigned defined = definedOperand(*this, number);
  if (defined == 0)
    return "";
  return defined <= Given::count       ? StringRef(givenNames[defined - 1])
         : defined == Given::count + 1 ? "positions"
                                       : "states";
}
StringRef MixerGradOp::getResultName(unsigned number) { return givenNames[definedResult(*this, number)]; }

/// The operands of a step are those of a mixer with state, positions and counts behind v.
static std::optional<unsigned> givenOfStep(unsigned defined) {
  constexpr unsigned own = 3;
  if (defined <= Given::v)
    return defined;
  return defined <= Given::v + own ? std::nullopt : std::optional(defined - own);
}

ValueFacts MixerStepOp::getOperandFacts(unsigned number) {
  if (std::optional<unsigned> given = givenOfStep(definedOperand(*this, number)))
    return givenFacts(*this, *given);
  return number == getPositionsMutable().getOperandNumber() ? ownExactRow : statistics;
}
ValueFacts MixerStepOp::getResultFacts(unsigned number) { return number == 0 ? rowFacts(*this) : statistics; }
StringRef MixerStepOp::getOperandName(unsigned number) {
  std::optional<unsigned> given = givenOfStep(definedOperand(*this, number));
  return given ? StringRef(givenNames[*given]) : StringRef();
}
std::optional<unsigned> MixerStepOp::getUpdatedOperand(unsigned result) {
  return result == 1 ? std::optional(getStateMutable().getOperandNumber()) : std::nullopt;
}

//===- Cost -------------------------------------------------------------------===//

/// Multiplications and additions of the recurrence itself: the state is written and read, with the delta rule read once
/// more. Chunks do more of them, as the target likes it.
template <typename Op> static double recurrenceFlops(Op op) {
  double state = static_cast<double>(rowsOf(op.getV())) * op.getHeads() * op.getKeyColumns() * op.getValueColumns();
  return state * (op.getEraseWrite() ? 8 : op.erases() ? 6 : 4);
}

bool MixerOp::mixesRows() { return true; }
MatmulKind MixerOp::getMatmulKind() { return MatmulKind::forward; }
double MixerOp::getFlops() { return recurrenceFlops(*this); }

bool MixerGradOp::mixesRows() { return true; }
MatmulKind MixerGradOp::getMatmulKind() { return MatmulKind::backward; }
double MixerGradOp::getFlops() { return 2 * recurrenceFlops(*this); }

bool MixerStepOp::mixesRows() { return true; }

//===- Gradient ---------------------------------------------------------------===//

/// The same mixer with states in its place.
void MixerOp::saveForBackward() {
  if (getStates())
    return;
  IRRewriter rewriter(*this);
  auto with = MixerOp::create(rewriter, getLoc(), TypeRange{getOut().getType(), getStatesType(getSegment())},
                              (*this)->getOperands(), (*this)->getAttrs());
  rewriter.replaceAllUsesWith(getOut(), with.getOut());
  rewriter.eraseOp(*this);
}

/// Adds up the parts of the heads that share a key head: [batch, time, parts * dk] becomes [batch, time, key_heads *
/// dk].
static Value sumOfSharers(ImplicitLocOpBuilder &b, Value parts, RankedTensorType type, int64_t keyHeads) {
  if (parts.getType() == type)
    return parts;
  int64_t batch = type.getDimSize(0), time = type.getDimSize(1), columns = type.getDimSize(2) / keyHeads;
  auto grouped = type.clone({batch, time, keyHeads, columnsOf(parts) / keyHeads});
  auto one = type.clone({batch, time, keyHeads, columns});
  Value groups = ReshapeOp::create(b, grouped, parts), sum;
  for (int64_t begin = 0; begin < grouped.getDimSize(3); begin += columns) {
    Value member = SliceOp::create(b, one, groups, begin);
    sum = sum ? Value(arith::AddFOp::create(b, sum, member)) : member;
  }
  return ReshapeOp::create(b, type, sum);
}

LogicalResult MixerOp::differentiate(ValueRange gradients, Differentiation &backward) {
  if (gradients.size() > 1 && gradients[1])
    return emitError() << "the states of a mixer have no derivative";
  if (!getStates())
    return emitError() << "a mixer must give its states to have a derivative";
  auto primal = [&](Value value) { return backward.primal(value); };
  auto type = typeOf(getQ());
  auto keys = type.clone({type.getDimSize(0), type.getDimSize(1), getPartColumns()});
  auto gradientType = [&](Value value) -> Type {
    if (!value || !backward.isActive(value))
      return {};
    return type.clone({type.getDimSize(0), type.getDimSize(1), columnsOf(value)});
  };
  ImplicitLocOpBuilder &b = backward.builder();
  auto grad = MixerGradOp::create(b, keys, keys, getV().getType(), gradientType(getDecay()), gradientType(getWrite()),
                                  gradientType(getBeta()), gradientType(getErase()), gradientType(getEraseWrite()),
                                  gradients[0], primal(getQ()), primal(getK()), primal(getV()), primal(getDecay()),
                                  primal(getWrite()), primal(getBeta()), primal(getErase()), primal(getEraseWrite()),
                                  primal(getPositions()), primal(getStates()), getHeads(), getKeyHeads(), getScale(),
                                  getSegment(), getReadBefore(), getExact());
  int64_t keyHeads = getKeyHeads();
  backward.add(getQ(), sumOfSharers(b, grad.getDq(), type, keyHeads));
  backward.add(getK(), sumOfSharers(b, grad.getDk(), type, keyHeads));
  backward.add(getV(), grad.getDv());
  if (Value decay = grad.getDdecay()) {
    bool isShared = typeOf(getDecay()).getRank() == 1;
    backward.add(getDecay(), isShared ? Value(ColumnSumOp::create(b, getDecay().getType(), decay)) : decay);
  }
  std::pair<Value, Value> others[] = {{getWrite(), grad.getDwrite()},
                                      {getBeta(), grad.getDbeta()},
                                      {getErase(), grad.getDerase()},
                                      {getEraseWrite(), grad.getDeraseWrite()}};
  for (auto [operand, gradient] : others)
    if (gradient)
      backward.add(operand, gradient);
  return success();
}

//===- Generation, documents --------------------------------------------------===//

/// The state is all that later tokens need of earlier ones.
SmallVector<Value> MixerOp::decode(Decoding &decoding, std::string &reason) {
  if (getStates() && !getStates().use_empty()) {
    reason = "the states of a mixer are used";
    return {};
  }
  auto rows = [&](Value value) { return value ? decoding.rows(value) : Value(); };
  Value q = rows(getQ()), k = rows(getK()), v = rows(getV()), decay = rows(getDecay()), write = rows(getWrite()),
        beta = rows(getBeta()), erase = rows(getErase()), eraseWrite = rows(getEraseWrite());
  Type real = typeOf(getQ()).getElementType();
  Value state = decoding.state(getHeads() * getKeyColumns(), getValueColumns(), real);
  Value positions = decoding.positions(), counts = decoding.counts();
  auto step = MixerStepOp::create(decoding.builder(), v.getType(), state.getType(), q, k, v, state, positions, counts,
                                  decay, write, beta, erase, eraseWrite, getHeads(), getKeyHeads(), getScale(),
                                  getReadBefore(), getExact());
  SmallVector<Value> results{step.getOut()};
  results.resize((*this)->getNumResults());
  return results;
}

void MixerOp::maskDocuments(Documents &documents) { getPositionsMutable().assign(documents.positions()); }
