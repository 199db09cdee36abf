// Types and locations of an elaborated program in a context.
#include "frontend/lowering/Translator.h"

#include "ir/seq/SourceNames.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::frontend;

RankedTensorType Translator::type(const frontend::Type &type) const {
  llvm::SmallVector<int64_t> shape;
  for (const Dim &dim : type.dims)
    shape.push_back(dim.size);
  return RankedTensorType::get(shape, type.isIndices() ? IntegerType::get(&context, 32) : elementType);
}

Location Translator::location(SourceRange range) const {
  if (!range.isValid())
    return UnknownLoc::get(&context);
  LineColumn place = sources.lineColumn(range.file, range.begin);
  return FileLineColLoc::get(&context, sources.name(range.file), place.line, place.column);
}

Location Translator::location(const Op &op, const Function &function) const {
  Location loc = nameOperation(location(op.range), op.name == "scan" ? "repeat" : op.name);
  llvm::StringRef name = op.results.size() == 1 ? llvm::StringRef(function.values[op.results[0]].name) : "";
  if (!name.empty())
    loc = NameLoc::get(StringAttr::get(&context, name), loc);
  if (op.callSites.empty())
    return loc;
  Location caller = location(op.callSites.back());
  for (SourceRange site : llvm::reverse(llvm::ArrayRef(op.callSites).drop_back()))
    caller = CallSiteLoc::get(location(site), caller);
  return CallSiteLoc::get(loc, caller);
}
