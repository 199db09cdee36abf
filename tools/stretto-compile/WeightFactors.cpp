//===- WeightFactors.cpp - learning rates and weight decays of some weights ---===//
#include "tools/stretto-compile/WeightFactors.h"

#include "frontend/diagnostics/Diagnostics.h"
#include "ir/seq/ModelFacts.h"
#include "ir/seq/SeqOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::tools;
using llvm::StringRef;

std::vector<FactorRequest> stretto::tools::readFactors(StringRef text, std::string &error) {
  std::vector<FactorRequest> requests;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [names, number] = part.rsplit('=');
    double factor = 0;
    if (names.empty() || names.size() == part.size()) {
      error = llvm::formatv("must look like NAMES=FACTOR,NAMES=FACTOR, but got '{0}'", text);
      return {};
    }
    if (number.getAsDouble(factor) || !std::isfinite(factor) || factor < 0) {
      error = llvm::formatv("must give factors of at least 0, but got '{0}' for {1}", number, names);
      return {};
    }
    auto pattern = llvm::GlobPattern::create(names);
    if (!pattern) {
      error = llvm::formatv("must name weights, but got '{0}': {1}", names, llvm::toString(pattern.takeError()));
      return {};
    }
    requests.push_back({names.str(), std::move(*pattern), factor});
  }
  return requests;
}

namespace {
/// Gives the weights of a module factors, one parameter after the other.
class FactorSetter {
public:
  FactorSetter(FactorKind kind, llvm::ArrayRef<FactorRequest> requests)
      : kind(kind), requests(requests), fits(requests.size(), false) {}

  void set(seq::ParameterOp parameter) {
    auto parts = llvm::map_to_vector(parameter.getParts().getAsRange<seq::PartAttr>(),
                                     [&](seq::PartAttr part) { return Attribute(withFactors(parameter, part)); });
    parameter.setPartsAttr(ArrayAttr::get(parameter.getContext(), parts));
  }

  /// The first request that no weight fits, or null.
  const FactorRequest *unused() const {
    auto none = llvm::find(fits, false);
    return none == fits.end() ? nullptr : &requests[none - fits.begin()];
  }
  /// The names of all weights.
  llvm::ArrayRef<std::string> weights() const { return names; }

private:
  seq::PartAttr withFactors(seq::ParameterOp parameter, seq::PartAttr part) {
    llvm::SmallVector<seq::FactorsAttr> all;
    for (int64_t layer = 0; layer < parameter.getLayers(); ++layer) {
      names.push_back(part.getNameIn(parameter.getFirst() + layer * parameter.getStep()));
      all.push_back(asAsked(names.back(), part.getFactors(layer), parameter.getContext()));
    }
    const auto none = seq::FactorsAttr::get(parameter.getContext(), 1, 1);
    if (llvm::all_equal(all))
      all.truncate(all.front() == none ? 0 : 1);
    return seq::PartAttr::get(parameter.getContext(), part.getName(), part.getRows(), part.getInits(), all);
  }

  seq::FactorsAttr asAsked(StringRef name, seq::FactorsAttr before, MLIRContext *context) {
    double rate = before ? before.getLearningRate().getValueAsDouble() : 1;
    double decay = before ? before.getWeightDecay().getValueAsDouble() : 1;
    for (auto [request, fit] : llvm::zip_equal(requests, fits))
      if (request.pattern.match(name)) {
        (kind == FactorKind::learningRate ? rate : decay) = request.factor;
        fit = true;
      }
    return seq::FactorsAttr::get(context, rate, decay);
  }

  FactorKind kind;
  llvm::ArrayRef<FactorRequest> requests;
  llvm::SmallVector<bool> fits; // a weight
  std::vector<std::string> names;
};
} // namespace

/// The nearest name, or else some that there are.
static std::string suggestion(StringRef pattern, llvm::ArrayRef<std::string> weights) {
  constexpr size_t most = 8;
  llvm::SmallVector<StringRef> names(weights);
  std::string nearest = frontend::didYouMean(pattern, names);
  if (!nearest.empty() || names.empty())
    return nearest;
  return "; there are " + llvm::join(llvm::ArrayRef<StringRef>(names).take_front(most), ", ") +
         (names.size() > most ? ", ..." : "");
}

std::string stretto::tools::setFactors(ModuleOp module, FactorKind kind, StringRef text) {
  std::string error;
  const std::vector<FactorRequest> requests = readFactors(text, error);
  if (!error.empty())
    return error;
  FactorSetter setter(kind, requests);
  for (auto parameter : module.getOps<seq::ParameterOp>())
    if (!parameter.getFrozen())
      setter.set(parameter);
  if (const FactorRequest *request = setter.unused())
    return llvm::formatv("no weight that is trained is called '{0}'{1}", request->names,
                         suggestion(request->names, setter.weights()));
  module->setAttr(kind == FactorKind::learningRate ? lrFactorsAttr : weightDecayFactorsAttr,
                  StringAttr::get(module.getContext(), text));
  return "";
}
