//===- SeqLoops.cpp - parameters and the layer loop ---------------------------===//
#include "ir/seq/SeqOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cmath>

using namespace mlir;
using namespace stretto::seq;

/// Whether a distribution of the kind is there with these numbers.
static bool isDistribution(InitKind kind, double a, double b) {
  switch (kind) {
  case InitKind::constant:
    return true;
  case InitKind::normal:
    return b >= 0;
  case InitKind::truncated_normal:
    return a >= 0 && b > 0;
  case InitKind::uniform:
    return a <= b;
  case InitKind::log_of_uniform:
    return 0 <= a && a < b;
  case InitKind::step_bias:
    return 0 < a && a < b;
  }
  llvm_unreachable("a kind of distribution");
}

LogicalResult InitAttr::verify(function_ref<InFlightDiagnostic()> emitError, InitKind kind, FloatAttr a, FloatAttr b) {
  double first = a.getValueAsDouble(), second = b.getValueAsDouble();
  if (std::isfinite(first) && std::isfinite(second) && isDistribution(kind, first, second))
    return success();
  return emitError() << "there is no distribution " << stringifyInitKind(kind) << " with " << a << " and " << b;
}

LogicalResult FactorsAttr::verify(function_ref<InFlightDiagnostic()> emitError, FloatAttr learningRate,
                                  FloatAttr weightDecay) {
  for (FloatAttr factor : {learningRate, weightDecay})
    if (double number = factor.getValueAsDouble(); !std::isfinite(number) || number < 0)
      return emitError() << "a factor must be finite and not negative, but is " << factor;
  return success();
}

LogicalResult PartAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name, int64_t rows,
                               ArrayRef<InitAttr>, ArrayRef<FactorsAttr>) {
  if (rows >= 1)
    return success();
  return emitError() << "a part must have at least 1 row, but " << name << " has " << rows;
}

std::string PartAttr::getNameIn(int64_t layer) {
  auto [front, back] = getName().getValue().split("{}");
  bool isStacked = front.size() != getName().getValue().size();
  return isStacked ? (front + std::to_string(layer) + back).str() : front.str();
}

LogicalResult ParameterOp::verify() {
  ArrayRef<int64_t> type = getTensorType().getShape();
  if (type.size() < (getStacked() ? 2u : 1u) || type.size() > (getStacked() ? 4u : 3u))
    return emitOpError() << "must have one to three dimensions per layer, but got " << getType();
  uint64_t rows = 0;
  const uint64_t layers = getLayers();
  llvm::SmallPtrSet<Attribute, 8> names;
  for (auto part : getParts().getAsRange<PartAttr>()) {
    if (getStacked() != part.getName().getValue().contains("{}"))
      return emitOpError() << "names of stacked parameters, and no others, hold '{}', but got " << part.getName();
    if (!names.insert(part.getName()).second)
      return emitOpError() << "parts must have different names, but got " << part.getName() << " twice";
    if (size_t inits = part.getInits().size(); inits != 1 && inits != layers)
      return emitOpError() << "parts must have one initial distribution, or one for each of " << layers
                           << " layers, but got " << inits << " of " << part.getName();
    if (size_t factors = part.getFactors().size(); factors > 1 && factors != layers)
      return emitOpError() << "parts must have factors for all, or for each of " << layers << " layers, but got "
                           << factors << " of " << part.getName();
    rows = llvm::SaturatingAdd(rows, static_cast<uint64_t>(part.getRows()));
  }
  if (rows != static_cast<uint64_t>(getLayerShape().front()))
    return emitOpError() << "parts must cover the first dimension (" << getLayerShape().front() << "), but got " << rows
                         << " rows";
  return success();
}

/// A use of a parameter must have its type; the bf16 copy is bf16.
static LogicalResult verifyUse(Operation *op, FlatSymbolRefAttr name, Type type, SymbolTableCollection &symbols,
                               bool isRounded = false) {
  auto parameter = symbols.lookupNearestSymbolFrom<ParameterOp>(op, name);
  if (!parameter)
    return op->emitOpError() << "names no parameter: " << name;
  Type expected =
      isRounded ? parameter.getTensorType().clone(BFloat16Type::get(op->getContext())) : parameter.getType();
  if (expected == type)
    return success();
  auto diagnostic = op->emitOpError() << "must have the type of the parameter" << (isRounded ? " in bf16" : "")
                                      << ", but got " << type;
  diagnostic.attachNote(parameter.getLoc()) << "declared here with type " << parameter.getType();
  return diagnostic;
}

LogicalResult GetParameterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyUse(*this, getParameterAttr(), getType(), symbols, getRounded());
}

LogicalResult GradientOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyUse(*this, getParameterAttr(), getValue().getType(), symbols);
}

/// The type that one iteration sees of a slice or a stack; nothing where the type does not lead with the trips.
static Type iterationType(ScanOp scan, Value value) {
  auto tensor = cast<RankedTensorType>(value.getType());
  if (tensor.getRank() < 1 || tensor.getDimSize(0) != static_cast<int64_t>(scan.getTrips()))
    return {};
  return RankedTensorType::get(tensor.getShape().drop_front(), tensor.getElementType());
}

static InFlightDiagnostic wrongTrips(ScanOp scan, StringRef what, Value value) {
  return scan.emitOpError() << what << " must lead with the number of trips (" << scan.getTrips() << "), but got "
                            << value.getType();
}

/// The body takes an iteration's view of the operands and returns one of the results.
static LogicalResult verifyBodyType(ScanOp scan, FunctionOpInterface body) {
  if (scan.getNumResults() < scan.getCarry().size()) {
    auto diagnostic = scan.emitOpError() << "must return each carried value, but got " << scan.getNumResults()
                                         << " results";
    diagnostic.attachNote(body->getLoc()) << "its body returns " << body.getNumResults() << " values";
    return diagnostic;
  }
  SmallVector<Type> inputs(scan.getCarry().getTypes()), results(scan.getCarry().getTypes());
  for (Value slice : scan.getSlices()) {
    inputs.push_back(iterationType(scan, slice));
    if (!inputs.back()) {
      auto diagnostic = wrongTrips(scan, "slices", slice);
      diagnostic.attachNote(slice.getLoc()) << "the slice is made here";
      return diagnostic;
    }
  }
  llvm::append_range(inputs, scan.getInvariants().getTypes());
  for (Value stack : scan.getStackResults()) {
    results.push_back(iterationType(scan, stack));
    if (!results.back())
      return wrongTrips(scan, "stacked results", stack);
  }
  if (ValueRange(scan.getCarryResults()).getTypes() == scan.getCarry().getTypes() &&
      body.getArgumentTypes() == ArrayRef<Type>(inputs) && body.getResultTypes() == ArrayRef<Type>(results))
    return success();
  auto expected = FunctionType::get(scan.getContext(), inputs, results);
  auto diagnostic = scan.emitOpError() << "body must have type " << expected;
  diagnostic.attachNote(body->getLoc()) << "declared here with type " << body.getFunctionType();
  return diagnostic;
}

void ScanOp::eraseRead(unsigned number) {
  unsigned read = number - getCarry().size();
  if (isSlice(number))
    getSlicesMutable().erase(read);
  else
    getInvariantsMutable().erase(read - getSlices().size());
}

LogicalResult ScanOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto body = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getBodyAttr());
  if (!body)
    return emitOpError() << "names no function: " << getBodyAttr();
  if (failed(verifyBodyType(*this, body)))
    return failure();
  if (!body.isExternal())
    return success();
  auto diagnostic = emitOpError() << "must call a function that has a body: " << getBodyAttr();
  diagnostic.attachNote(body->getLoc()) << "only declared here";
  return diagnostic;
}
