//===- KernDialect.cpp - registration of the dialect `kern` --------------------===//
#include "ir/kern/KernOps.h"

#include "ir/kern/Attributes.h"
#include "ir/seq/AttributeRules.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::kern;

/// A word that `symbolize` knows, one of `expected`.
template <typename Enum>
static ParseResult parseWord(OpAsmParser &parser, std::optional<Enum> (*symbolize)(StringRef), StringRef expected,
                             Enum &value) {
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Enum> known = symbolize(word);
  if (!known)
    return parser.emitError(place) << "expected " << expected << ", but got " << word;
  value = *known;
  return success();
}

//===- custom<RowMaps>: [row, time, shared] --------------------------------===//

static ParseResult parseRowMaps(OpAsmParser &parser, ArrayAttr &maps) {
  SmallVector<Attribute> values;
  auto one = [&]() -> ParseResult {
    RowMap map;
    if (parseWord<RowMap>(parser, symbolizeRowMap, "row, time or shared", map))
      return failure();
    values.push_back(RowMapAttr::get(parser.getContext(), map));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, one))
    return failure();
  maps = parser.getBuilder().getArrayAttr(values);
  return success();
}

static void printRowMaps(OpAsmPrinter &printer, Operation *, ArrayAttr maps) {
  printer << "[";
  llvm::interleaveComma(maps.getAsRange<RowMapAttr>(), printer,
                        [&](RowMapAttr map) { printer << stringifyRowMap(map.getValue()); });
  printer << "]";
}

//===- custom<WeightForm>: rows, transposed, panels ---------------------------===//

static ParseResult parseWeightForm(OpAsmParser &parser, WeightFormAttr &form) {
  WeightForm value;
  if (parseWord<WeightForm>(parser, symbolizeWeightForm, "rows, transposed or panels", value))
    return failure();
  form = WeightFormAttr::get(parser.getContext(), value);
  return success();
}

static void printWeightForm(OpAsmPrinter &printer, Operation *, WeightFormAttr form) {
  printer << stringifyWeightForm(form.getValue());
}

//===- custom<Windows>: [<rows 4>, <shared 4>] --------------------------------===//

static ParseResult parseWindows(OpAsmParser &parser, ArrayAttr &windows) {
  SmallVector<Attribute> values;
  auto one = [&]() -> ParseResult {
    WindowAttr window;
    if (parser.parseCustomAttributeWithFallback(window))
      return failure();
    values.push_back(window);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, one))
    return failure();
  windows = parser.getBuilder().getArrayAttr(values);
  return success();
}

static void printWindows(OpAsmPrinter &printer, Operation *, ArrayAttr windows) {
  printer << "[";
  llvm::interleaveComma(windows.getAsRange<WindowAttr>(), printer,
                        [&](WindowAttr window) { printer.printStrippedAttrOrType(window); });
  printer << "]";
}

#include "ir/kern/KernDialect.cpp.inc"
#include "ir/kern/KernEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/kern/KernAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/kern/KernOps.cpp.inc"

std::optional<Dialect::ParseOpHook> KernDialect::getParseOperationHook(StringRef name) const {
  if (name != "kern.tile_product")
    return std::nullopt;
  return [](OpAsmParser &parser, OperationState &) -> ParseResult {
    return parser.emitError(parser.getNameLoc(), "is called 'kern.tile_matmul' now"); // behind the operation's name
  };
}

void KernDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/kern/KernAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/kern/KernOps.cpp.inc"
      >();
}

static bool isBytesOfArenas(Attribute attribute) {
  auto bytes = dyn_cast<DenseI64ArrayAttr>(attribute);
  return bytes && bytes.size() == static_cast<int64_t>(getMaxEnumValForArena()) + 1 &&
         llvm::all_of(bytes.asArrayRef(), [](int64_t number) { return number >= 0; });
}

static constexpr AttributeRule rules[] = {
    {targetAttr, expectedText, isText},
    {cpuAttr, expectedText, isText},
    {cpuFeaturesAttr, expectedText, isText},
    {"kern.chip", expectedText, isText},
    {activationBytesAttr, expectedCount, isCount},
    {gradientsBeginAttr, expectedCount, isCount},
    {arenasAttr, "an array<i64> of the bytes of each arena", isBytesOfArenas},
    {bucketsAttr, "a list of #kern.bucket", isListOf<BucketAttr>},
    {imagesAttr, "a list of #kern.image", isListOf<ImageAttr>},
};

LogicalResult KernDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyAttribute(op, attribute, rules);
}
