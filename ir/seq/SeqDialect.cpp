//===- SeqDialect.cpp - registration of the dialect `seq` ---------------------===//
#include "ir/seq/ActivationType.h"
#include "ir/seq/AttributeRules.h"
#include "ir/seq/BlockInliner.h"
#include "ir/seq/Documents.h"
#include "ir/seq/LossTerms.h"
#include "ir/seq/ModelFacts.h"
#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;

/// A list of attributes. One that there is not is told once, by its verifier.
template <typename Attr> static ParseResult parseList(AsmParser &parser, SmallVector<Attr> &list) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    FailureOr<Attr> one = FieldParser<Attr>::parse(parser);
    if (failed(one))
      return failure();
    list.push_back(*one);
    return success();
  });
}

static ParseResult parseInits(AsmParser &parser, SmallVector<InitAttr> &inits) { return parseList(parser, inits); }
static void printInits(AsmPrinter &printer, ArrayRef<InitAttr> inits) { printer.printStrippedAttrOrType(inits); }

static ParseResult parseFactors(AsmParser &parser, SmallVector<FactorsAttr> &factors) {
  return parseList(parser, factors);
}
static void printFactors(AsmPrinter &printer, ArrayRef<FactorsAttr> factors) {
  printer.printStrippedAttrOrType(factors);
}

#include "ir/seq/SeqDialect.cpp.inc"
#include "ir/seq/SeqEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/seq/SeqAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/seq/SeqOps.cpp.inc"

void SeqDialect::initialize() {
  addInterfaces<BlockInliner>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/seq/SeqAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/seq/SeqOps.cpp.inc"
      >();
}

static bool isLossTerm(Attribute attribute) {
  auto number = dyn_cast<FloatAttr>(attribute);
  return number && number.getType().isF64() && isCoefficient(number.getValue());
}

static bool isActivationType(Attribute attribute) {
  auto type = dyn_cast<TypeAttr>(attribute);
  return type && type.getValue().isBF16();
}

static constexpr StringLiteral expectedTerm = "a finite f64 of at least 0";

static constexpr AttributeRule rules[] = {
    {modelAttr, expectedText, isText},
    {specTextAttr, expectedText, isText},
    {settingsAttr, expectedText, isText},
    {continuedFromAttr, expectedText, isText},
    {lrFactorsAttr, expectedText, isText},
    {weightDecayFactorsAttr, expectedText, isText},
    {batchAttr, expectedCount, isCount},
    {lengthAttr, expectedCount, isCount},
    {vocabularyAttr, expectedCount, isCount},
    {documentsAttr, expectedCount, isCount},
    {activationTypeAttr, "bf16", isActivationType},
    {nllSquareAttr, expectedTerm, isLossTerm},
    {zLossAttr, expectedTerm, isLossTerm},
};

LogicalResult SeqDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyAttribute(op, attribute, rules);
}

LogicalResult SeqDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned number, NamedAttribute attribute) {
  auto word = dyn_cast<StringAttr>(attribute.getValue());
  if (attribute.getName() != inputAttr ||
      (word && llvm::is_contained({positionsInput, startsInput, dropoutKeysInput}, word.getValue())))
    return success();
  return op->emitOpError() << "must have " << inputAttr << " = \"" << positionsInput << "\", \"" << startsInput
                           << "\" or \"" << dropoutKeysInput << "\" at argument " << number << ", but has "
                           << attribute.getValue();
}
