// Weights of a user's files as those of a program.
#include "runtime/train/load_weights.h"

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"
#include "runtime/core/whole_number.h"
#include "runtime/train/tensor_files.h"

#include <algorithm>
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

// A name with # in place of its parts that are numbers, as those of layers.
std::string withoutNumbers(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const size_t end = std::min(name.find('.'), name.size());
    text += isDigits(name.substr(0, end)) ? "#" : name.substr(0, end);
    text += end < name.size() ? "." : "";
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return text;
}

// Throws Error for a tensor that is none of the parameters.
void refuseTensor(const std::string &name, const TensorFiles &files, const std::set<std::string> &known) {
  for (const std::string_view suffix : {".moment1", ".moment2"})
    if (name.ends_with(suffix) && known.contains(name.substr(0, name.size() - suffix.size())))
      throw Error(fmt::format("'{}' must hold weights alone, but holds moments, too, as '{}'; a file without them is "
                              "written by: stretto export RUN, without --moments",
                              files.name(), name));
  const std::vector<std::string> names(known.begin(), known.end());
  const bool isOfOtherLayer = std::ranges::any_of(
      names, [&](const std::string &other) { return withoutNumbers(other) == withoutNumbers(name); });
  throw Error(fmt::format("each tensor of '{}' must be a parameter, but got '{}'{}", files.name(), name,
                          isOfOtherLayer ? "; the program has no such layer" : suggestName(name, names)));
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
      refuseTensor(tensor.name, files, known);
  state.device.wait();
}

} // namespace stretto::runtime
