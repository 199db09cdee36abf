//===- Parameters.cpp - parameters by the names a user knows --------------===//
#include "codegen/host/Parameters.h"

#include "codegen/facts/Locations.h"

#include "ir/seq/ModelFacts.h"
#include "ir/seq/TensorBytes.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MD5.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

LogicalResult stretto::codegen::checkWeightNames(ModuleOp module) {
  llvm::StringMap<seq::ParameterOp> known;
  for (auto op : module.getOps<seq::ParameterOp>())
    for (int64_t layer = 0; layer < op.getLayers(); ++layer)
      for (auto part : op.getParts().getAsRange<seq::PartAttr>()) {
        std::string name = part.getNameIn(op.getFirst() + layer * op.getStep());
        auto [other, isNew] = known.try_emplace(name, op);
        if (isNew)
          continue;
        InFlightDiagnostic error = op.emitOpError() << "must have weights with names of their own, but '" << name
                                                    << "' is the name of two";
        error.attachNote(other->second.getLoc()) << "the other one is declared here";
        return error;
      }
  return success();
}

/// The locations of the parts of a parameter; where they cannot be told apart, all locations for each.
static SmallVector<std::string> locationsOfParts(seq::ParameterOp op) {
  SmallVector<SourceLocation> locations = listLocations(op.getLoc());
  if (locations.size() != op.getParts().size())
    return SmallVector<std::string>(op.getParts().size(), sourceLocations(op.getLoc()));
  return SmallVector<std::string>(
      llvm::map_range(locations, [](const SourceLocation &location) { return location.text(); }));
}

SmallVector<ParameterEntry> stretto::codegen::listParameters(ModuleOp module) {
  passes::ParameterLayout layout = passes::layoutParameters(module);
  int64_t element = elementBytes(layout.elementType);
  SmallVector<ParameterEntry> entries;
  for (auto op : module.getOps<seq::ParameterOp>()) {
    passes::ParameterSlot slot = layout.slots.lookup(op);
    ArrayRef<int64_t> shape = op.getLayerShape();
    int64_t layers = op.getLayers();
    SmallVector<std::string> locations = locationsOfParts(op);
    int64_t rowElements = ShapedType::getNumElements(shape.drop_front());
    for (int64_t i = 0; i < layers; ++i) {
      int64_t offset = slot.at(i) / element;
      for (auto [part, location] : llvm::zip_equal(op.getParts().getAsRange<seq::PartAttr>(), locations)) {
        SmallVector<int64_t, 4> partShape(shape);
        partShape.front() = part.getRows();
        seq::InitAttr init = part.getInit(i);
        seq::FactorsAttr factors = part.getFactors(i);
        entries.push_back({part.getNameIn(op.getFirst() + i * op.getStep()), offset, partShape, !op.getFrozen(),
                           static_cast<int32_t>(init.getKind()), init.getA().getValueAsDouble(),
                           init.getB().getValueAsDouble(), factors ? factors.getLearningRate().getValueAsDouble() : 1,
                           factors ? factors.getWeightDecay().getValueAsDouble() : 1, location});
        offset += part.getRows() * rowElements;
      }
    }
  }
  llvm::stable_sort(entries, [](const auto &a, const auto &b) { return a.offset < b.offset; });
  return entries;
}

/// Names and values of the settings without their origins, as text.
static std::string valuesOf(StringRef settings) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(settings);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return settings.str();
  }
  if (llvm::json::Array *list = parsed->getAsArray())
    for (llvm::json::Value &one : *list)
      if (llvm::json::Object *object = one.getAsObject())
        object->erase("origin");
  if (llvm::json::Object *object = parsed->getAsObject())
    for (auto &[name, one] : *object)
      if (llvm::json::Object *inner = one.getAsObject())
        inner->erase("origin");
  std::string text;
  llvm::raw_string_ostream(text) << *parsed;
  return text;
}

static std::string digestOf(StringRef text) {
  llvm::MD5 hash;
  hash.update(text);
  return std::string(hash.final().digest());
}

std::string stretto::codegen::hashParameters(ModuleOp module, ArrayRef<ParameterEntry> parameters) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (StringRef name : {modelAttr, specTextAttr})
    if (auto attr = module->getAttrOfType<StringAttr>(name))
      os << attr.getValue() << '\0';
  if (auto stage = module->getAttrOfType<StringAttr>(continuedFromAttr))
    os << digestOf(stage.getValue()) << '\0';
  if (auto attr = module->getAttrOfType<StringAttr>(settingsAttr))
    os << valuesOf(attr.getValue());
  SmallVector<ParameterEntry> sorted(parameters); // slots depend on the types
  llvm::sort(sorted, [](const auto &a, const auto &b) { return a.name < b.name; });
  for (const ParameterEntry &entry : sorted) {
    os << '\0' << entry.name << ' ' << entry.trainable << ' ' << entry.init << ' ' << entry.a << ' ' << entry.b;
    for (int64_t size : entry.shape)
      os << ' ' << size;
  }
  return digestOf(text);
}
