// Elementwise operations on tensors, and the emission of operations.
#include "frontend/Sema/Elaborator.h"

using namespace stretto;

namespace {
/// A weight or activation larger than this is a mistake.
constexpr int64_t maxElements = int64_t(1) << 40;
/// Of an activation; kernels of rows look at each.
constexpr int64_t maxColumns = int64_t(1) << 24;
} // namespace

// ---------------------------------------------------------------- emission

Type Elaborator::rowsType(Dim width) const {
  static const Provenance batchName{"batch", {}}, lengthName{"length", {}};
  Type type;
  type.dims = {Dim{options.batch, &batchName}, Dim{options.length, &lengthName}, width};
  return type;
}

const Type &Elaborator::typeOf(const Value &value) const {
  const Tensor *tensor = value.get<Tensor>();
  return tensor->owner->typeOf(tensor->id);
}

Op &Elaborator::emit(llvm::StringRef name, llvm::ArrayRef<Value> operands, SourceRange range) {
  spend(10);
  grow(1, range);
  Op op;
  op.name = name;
  for (const Value &operand : operands)
    op.operands.push_back(operand.get<Tensor>()->id);
  op.range = range;
  op.callSites.assign(defSites.rbegin(), defSites.rend());
  op.recompute = recompute;
  op.noFuse = noFuse;
  builder->function.ops.push_back(std::move(op));
  return builder->function.ops.back();
}

Value Elaborator::addResult(Op &op, Type type) {
  int64_t elements = 1;
  for (const Dim &dim : type.dims)
    if (__builtin_mul_overflow(elements, dim.size, &elements) || elements > maxElements) {
      error(op.range, "a tensor has at most 2^40 elements, but got " + type.str());
      exhausted = true;
      return {};
    }
  if (type.isRows() && type.width().size > maxColumns) {
    Diagnostic &diagnostic = error(op.range, "a row has at most 2^24 columns, but got " + type.str());
    noteOrigin(diagnostic, type.width());
    exhausted = true;
    return {};
  }
  ValueId id = builder->function.addValue(std::move(type), op.range);
  op.results.push_back(id);
  return Tensor{builder, id};
}

std::string Elaborator::weightScope(llvm::StringRef op, NameHint hint) {
  if (hint.variable.empty())
    return builder->uniqueName(op);
  return builder->uniqueName(hint.isReassigned ? (hint.variable + "_" + op).str() : hint.variable.str());
}

Value Elaborator::makeWeight(const std::string &name, llvm::ArrayRef<Dim> dims, Initializer init, bool frozen,
                             SourceRange range) {
  spend(10);
  Weight weight;
  weight.name = name;
  weight.type.kind = Type::Kind::Weight;
  weight.type.dims.assign(dims.begin(), dims.end());
  weight.init = init;
  weight.frozen = frozen;
  weight.range = range;
  int64_t elements = 1;
  for (const Dim &dim : dims) {
    if (dim.size < 1) {
      Diagnostic &diagnostic = error(range, "a dimension of a weight is at least 1, but got " + weight.type.str());
      noteOrigin(diagnostic, dim);
      return {};
    }
    if (__builtin_mul_overflow(elements, dim.size, &elements) || elements > maxElements) {
      Diagnostic &diagnostic = error(range, "a weight has at most 2^40 elements, but got " + weight.type.str());
      for (const Dim &each : dims)
        noteOrigin(diagnostic, each);
      return {};
    }
  }
  return Tensor{builder, builder->addWeight(std::move(weight))};
}

// ---------------------------------------------------------------- elementwise

Value Elaborator::applyUnary(llvm::StringRef function, const Value &operand, SourceRange range) {
  Type type = typeOf(operand);
  if (type.kind == Type::Kind::Tokens) {
    error(range, "tokens are not numbers; use embed(tokens, ...) first");
    return {};
  }
  return addResult(emit(function, {operand}, range), type);
}

/// The type of the result: activations with equal shapes, a weight [width] used on each row, or weights with
/// equal shapes.
std::optional<Type> Elaborator::commonType(llvm::StringRef function, const Type &a, const Type &b,
                                           SourceRange range) {
  if (a.kind == Type::Kind::Tokens || b.kind == Type::Kind::Tokens) {
    error(range, "tokens are not numbers; use embed(tokens, ...) first");
    return std::nullopt;
  }
  if (a == b) {
    Type type = a;
    for (size_t i = 0; i < type.dims.size(); ++i)
      if (!type.dims[i].provenance)
        type.dims[i].provenance = b.dims[i].provenance;
    return type;
  }
  const Type &rows = a.isRows() ? a : b, &weight = a.isRows() ? b : a;
  if (rows.isRows() && weight.isWeight() && weight.dims.size() == 1 && weight.width().size == rows.width().size)
    return rows;
  Diagnostic &diagnostic =
      error(range, "the operands of '" + function + "' must have the same shape, but got " + a.str() + " and " + b.str());
  noteOrigins(diagnostic, a, b);
  return std::nullopt;
}

Value Elaborator::splat(double number, const Type &type, SourceRange range) {
  Op &op = emit("constant", {}, range);
  op.attributes = {{"value", number}};
  return addResult(op, type);
}

/// Repeats a weight [width] over all rows.
Value Elaborator::broadcast(const Tensor &tensor, const Type &type, SourceRange range) {
  if (tensor.owner->typeOf(tensor.id) == type)
    return tensor;
  return addResult(emit("broadcast", {Value(tensor)}, range), type);
}

Value Elaborator::applyBinary(llvm::StringRef function, const Value &a, const Value &b, SourceRange range) {
  std::optional<Type> type;
  if (a.isTensor() && b.isTensor())
    type = commonType(function, typeOf(a), typeOf(b), range);
  else
    type = commonType(function, typeOf(a.isTensor() ? a : b), typeOf(a.isTensor() ? a : b), range);
  if (!type)
    return {};
  auto materialize = [&](const Value &value) {
    return value.isTensor() ? broadcast(*value.get<Tensor>(), *type, range) : splat(toFloat(value), *type, range);
  };
  Value left = materialize(a), right = materialize(b);
  if (left.isError() || right.isError())
    return {};
  return addResult(emit(function, {left, right}, range), *type);
}
