// Weights of a user's files as those of a program.
#include "runtime/train/load_weights.h"

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"
#include "runtime/train/tensor_files.h"

#include <cstring>
#include <fmt/format.h>
#include <set>

namespace stretto::runtime {
namespace {

template <typename To, typename From> std::vector<std::byte> convert(const std::vector<std::byte> &data) {
  std::vector<std::byte> result(data.size() / sizeof(From) * sizeof(To));
  for (size_t i = 0; i < data.size() / sizeof(From); ++i) {
    From from;
    std::memcpy(&from, &data[i * sizeof(From)], sizeof(From));
    const To to = static_cast<To>(from);
    std::memcpy(&result[i * sizeof(To)], &to, sizeof(To));
  }
  return result;
}

// What to say of a shape that is as it must be but for the vocabulary; empty of any other.
std::string tellVocabulary(const std::vector<int64_t> &wanted, const std::vector<int64_t> &got, int64_t vocabulary) {
  if (wanted.size() != got.size())
    return "";
  int64_t other = vocabulary;
  for (size_t i = 0; i < wanted.size(); ++i)
    if ((wanted[i] == vocabulary) == (wanted[i] == got[i]))
      return "";
    else if (wanted[i] != got[i])
      other = got[i];
  return fmt::format("; the model was compiled for a vocabulary of {}, the weights are of one of {}", vocabulary,
                     other);
}

void loadTensor(const TrainingState &state, const StateTensor &tensor, const TensorFiles &files) {
  const TensorFiles::Tensor *found = files.find(tensor.entry.name);
  if (!found)
    throw Error(fmt::format("'{}' must hold every parameter, but got no '{}'", files.name(), tensor.entry.name));
  if (!found->shape)
    throw Error(fmt::format("'{}' in '{}' must be whole, but is in parts", found->name, files.name()));
  if (*found->shape != tensor.entry.shape)
    throw Error(fmt::format("'{}' in '{}' must have shape {}, but got {}{}", found->name, files.name(),
                            shapeText(tensor.entry.shape), shapeText(*found->shape),
                            tellVocabulary(tensor.entry.shape, *found->shape, state.program.vocabulary)));
  if (found->dtype != "F32" && found->dtype != "F64")
    throw Error(fmt::format("'{}' in '{}' must be F32 or F64, but got {}", found->name, files.name(), found->dtype));
  std::vector<std::byte> data = found->read(0, found->elements());
  if (found->dtype != tensor.entry.dtype)
    data = found->dtype == "F32" ? convert<double, float>(data) : convert<float, double>(data);
  writeTensor(state.device, tensor, std::move(data));
}

} // namespace

void loadWeights(const TrainingState &state, const FoundWeights &weights) {
  const TensorFiles files(weights.path, weights.files, /*followLinks=*/true);
  std::set<std::string> known;
  for (const StateTensor &tensor : parameterTensors(state, STRETTO_ARENA_PARAMETERS)) {
    known.insert(tensor.entry.name);
    loadTensor(state, tensor, files);
  }
  for (const TensorFiles::Tensor &tensor : files.tensors())
    if (!known.contains(tensor.name))
      throw Error(fmt::format("each tensor of '{}' must be a parameter, but got '{}'{}", files.name(), tensor.name,
                              suggestName(tensor.name, std::vector<std::string>(known.begin(), known.end()))));
  state.device.wait();
}

} // namespace stretto::runtime
