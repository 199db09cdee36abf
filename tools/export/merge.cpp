// The files of a checkpoint as one safetensors file.
#include "tools/export/merge.h"

#include "runtime/core/error.h"
#include "runtime/train/tensor_files.h"

#include <fmt/format.h>
#include <map>

namespace stretto::tools {
namespace {

using namespace runtime;

// What is written, and where each tensor is read.
struct Merged {
  std::vector<TensorEntry> entries;
  std::map<std::string, const TensorFiles::Tensor *, std::less<>> sources;

  void add(const std::string &name, const std::vector<int64_t> &shape, const TensorFiles::Tensor &tensor) {
    entries.push_back({name, tensor.dtype, shape, 0, 0});
    sources[name] = &tensor;
  }
};

void addWeights(const TensorFiles &weights, Merged &merged) {
  for (const TensorFiles::Tensor &tensor : weights.tensors()) {
    if (!tensor.shape)
      throw Error(fmt::format("'{}' in '{}' must be whole, but is in parts", tensor.name, weights.name()));
    merged.add(tensor.name, *tensor.shape, tensor);
  }
}

// Moments have the shapes of their weights, also where they lie in parts.
void addMoments(const TensorFiles &weights, const TensorFiles &moments, Merged &merged) {
  std::vector<TensorEntry> taken;
  for (const char *suffix : {".moment1", ".moment2"})
    for (const TensorFiles::Tensor &weight : weights.tensors()) {
      const TensorEntry wanted{weight.name + suffix, weight.dtype, *weight.shape, 0, 0};
      if (!moments.find(wanted.name)) // of what is not trained
        continue;
      merged.add(wanted.name, wanted.shape, moments.expect(wanted));
      taken.push_back(wanted);
    }
  moments.expectExactly(taken);
}

} // namespace

void mergeCheckpoint(const FoundWeights &checkpoint, bool withMoments, const std::string &path) {
  const TensorFiles weights(checkpoint.path, checkpoint.files);
  std::vector<std::string> momentFiles;
  if (withMoments)
    momentFiles = momentPaths(checkpoint.folder, *checkpoint.manifest);
  const TensorFiles moments(checkpoint.folder, momentFiles);
  Merged merged;
  addWeights(weights, merged);
  if (withMoments)
    addMoments(weights, moments, merged);
  std::vector<std::byte> data;
  writeSafetensors(path, merged.entries, [&](const TensorEntry &entry) -> const void * {
    data = merged.sources.find(entry.name)->second->read(0, entry.elements());
    return data.data();
  });
}

} // namespace stretto::tools
