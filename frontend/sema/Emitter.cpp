// Puts operations and weights into the function being built.
#include "frontend/sema/Emitter.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace stretto;
using namespace stretto::frontend;

namespace {
/// Of a model whose blocks, defs and repeats within repeats are written out, as passes see it; a few thousand layers
/// that differ.
constexpr int64_t maxOperations = 10'000;
/// A weight or activation larger than this is a mistake.
constexpr int64_t maxElements = int64_t(1) << 40;
/// Of an activation; kernels of rows look at each.
constexpr int64_t maxColumns = int64_t(1) << 24;
/// What an operation or a weight spends.
constexpr unsigned steps = 10;

/// Adds a dimension to a shape; false if it gets too large.
bool multiply(int64_t &elements, const Dim &dim) {
  return !__builtin_mul_overflow(elements, dim.size, &elements) && elements <= maxElements;
}
} // namespace

// ---------------------------------------------------------------- operations

Type Emitter::tokensType() const {
  static const Provenance batchName{"batch", {}}, lengthName{"length", {}};
  return {Type::Kind::Tokens, {Dim{batch, &batchName}, Dim{length, &lengthName}}};
}

Type Emitter::rowsType(Dim width) const {
  Type type = tokensType();
  type.kind = Type::Kind::Rows;
  type.dims.push_back(width);
  return type;
}

bool Emitter::expectHeld(double number, SourceRange range) const {
  bool isSmall = number != 0 && std::abs(number) < smallest;
  if (std::abs(number) <= largest && !isSmall)
    return true;
  reporter.error(range, llvm::formatv("tensors of this model hold numbers {0} {1:e2}, but got {2}",
                                      isSmall ? "from" : "up to", isSmall ? smallest : largest, toString(Value(number)))
                            .str());
  return false;
}

bool Emitter::grow(int64_t operations, SourceRange range) {
  Function &function = place.function->function;
  function.operations += operations;
  if (budget.isExhausted())
    return false;
  if (function.operations <= maxOperations)
    return true;
  budget.exhaust();
  reporter.error(place.defSites.empty() ? range : place.defSites.front(),
                 "a model has at most " + llvm::Twine(maxOperations) +
                     " operations when its calls are written out, but gets more here");
  return false;
}

Op &Emitter::append(llvm::StringRef name, SourceRange range) {
  budget.spend(steps, range);
  grow(1, range);
  Op &op = place.function->function.ops.emplace_back();
  op.name = name;
  op.range = range;
  op.callSites.assign(place.defSites.rbegin(), place.defSites.rend());
  op.recompute = surroundings.recompute;
  op.noFuse = surroundings.noFuse;
  return op;
}

Value Emitter::addResult(Op &op, const Type &type) {
  int64_t elements = 1;
  for (const Dim &dim : type.dims)
    if (!multiply(elements, dim)) {
      reporter.error(op.range, "a tensor has at most 2^40 elements, but got " + type.str());
      budget.exhaust();
      return {};
    }
  if (type.isRows() && type.width().size > maxColumns) {
    Diagnostic &diagnostic = reporter.error(op.range, "a row has at most 2^24 columns, but got " + type.str());
    noteOrigin(diagnostic, type.width().provenance);
    budget.exhaust();
    return {};
  }
  ValueId id = place.function->function.addValue(type, op.range);
  op.results.push_back(id);
  return Tensor{place.function, id};
}

Value Emitter::emit(llvm::StringRef name, llvm::ArrayRef<Value> operands, const Type &type, SourceRange range,
                    llvm::ArrayRef<Attribute> attributes) {
  Op &op = append(name, range);
  for (const Value &operand : operands)
    op.operands.push_back(operand.get<Tensor>()->id);
  op.attributes.assign(attributes.begin(), attributes.end());
  return addResult(op, type);
}

std::vector<Value> Emitter::emitCall(unsigned callee, llvm::ArrayRef<ValueId> operands, llvm::ArrayRef<Type> types,
                                     SourceRange range) {
  Op &op = append("call", range);
  op.callee = callee;
  op.operands.assign(operands.begin(), operands.end());
  std::vector<Value> results;
  for (const Type &type : types)
    results.push_back(addResult(op, type));
  return results;
}

void Emitter::markRecomputed(llvm::ArrayRef<Value> values) {
  for (const Value &value : values)
    for (Op &op : place.function->function.ops)
      if (llvm::is_contained(op.results, value.get<Tensor>()->id))
        op.recompute = true;
}

// ---------------------------------------------------------------- weights

std::string Emitter::weightScope(llvm::StringRef op, NameHint hint) {
  if (hint.variable.empty())
    return place.function->uniqueName(op);
  return place.function->uniqueName(hint.isReassigned ? (hint.variable + "_" + op).str() : hint.variable.str());
}

Value Emitter::makeWeight(const std::string &name, llvm::ArrayRef<Dim> dims, Initializer init, Training training,
                          SourceRange range) {
  budget.spend(steps, range);
  Weight weight;
  weight.name = name;
  weight.type.kind = Type::Kind::Weight;
  weight.type.dims.assign(dims.begin(), dims.end());
  weight.inits = {init};
  weight.factors = {training.factors};
  weight.frozen = training.frozen;
  weight.range = range;
  int64_t elements = 1;
  for (const Dim &dim : dims) {
    if (dim.size < 1) {
      Diagnostic &diagnostic =
          reporter.error(range, "a dimension of a weight is at least 1, but got " + weight.type.str());
      noteOrigin(diagnostic, dim.provenance);
      return {};
    }
    if (!multiply(elements, dim)) {
      Diagnostic &diagnostic =
          reporter.error(range, "a weight has at most 2^40 elements, but got " + weight.type.str());
      for (const Dim &each : dims)
        noteOrigin(diagnostic, each.provenance);
      return {};
    }
  }
  return Tensor{place.function, place.function->addWeight(std::move(weight))};
}
