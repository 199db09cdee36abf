// Several safetensors files that hold tensors together.
#include "runtime/train/tensor_files.h"

#include "runtime/core/error.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace stretto::runtime {
namespace {

constexpr char partMark = '@';

std::string_view fileNameOf(const TensorFiles::Part &part) {
  const std::string_view path = part.file->path();
  return path.substr(path.rfind('/') + 1);
}

} // namespace

NamedPart namedPart(std::string_view name) {
  const size_t mark = name.rfind(partMark);
  if (mark == std::string_view::npos || mark == 0)
    return {name, std::nullopt};
  const char *begin = name.data() + mark + 1, *end = name.data() + name.size();
  int64_t first = 0;
  const auto [stop, error] = std::from_chars(begin, end, first);
  if (error != std::errc() || stop != end || first < 0)
    return {name, std::nullopt};
  return {name.substr(0, mark), first};
}

TensorEntry partOf(const TensorEntry &whole, int64_t first, int64_t count) {
  if (first == 0 && count == whole.elements())
    return whole;
  TensorEntry part = whole;
  part.name = fmt::format("{}{}{}", whole.name, partMark, first);
  part.shape = {count};
  part.begin = 0;
  part.end = static_cast<uint64_t>(count) * *safetensorsElementBytes(whole.dtype);
  return part;
}

TensorFiles::TensorFiles(std::string name, const std::vector<std::string> &paths, bool followLinks)
    : ownName(std::move(name)) {
  for (const std::string &path : paths)
    add(files.emplace_back(path, followLinks));
  for (Tensor &tensor : all)
    check(tensor);
}

void TensorFiles::add(const SafetensorsFile &file) {
  for (const TensorEntry &entry : file.tensors()) {
    const NamedPart place = namedPart(entry.name);
    const auto [known, isNew] = places.try_emplace(place.tensor, all.size());
    if (isNew)
      all.push_back({std::string(place.tensor), entry.dtype, std::nullopt, {}});
    Tensor &tensor = all[known->second];
    if (!place.first)
      tensor.shape = entry.shape;
    const int64_t first = place.first.value_or(0);
    int64_t last = 0;
    if (__builtin_add_overflow(first, entry.elements(), &last))
      throw Error(fmt::format("'{}' in '{}' must have fewer than 2^63 elements", place.tensor, ownName));
    tensor.parts.push_back({&file, &entry, first, last});
  }
}

void TensorFiles::check(Tensor &tensor) const {
  std::stable_sort(tensor.parts.begin(), tensor.parts.end(),
                   [](const Part &a, const Part &b) { return a.first < b.first; });
  const Part *before = nullptr;
  for (const Part &part : tensor.parts) {
    const int64_t next = before ? before->last : 0;
    if (before && (part.first < next || tensor.shape))
      throw Error(fmt::format("'{}' in '{}' must have each element once, but element {} is in '{}' and in '{}'",
                              tensor.name, ownName, part.first, fileNameOf(*before), fileNameOf(part)));
    if (part.first > next)
      throw Error(fmt::format("'{}' in '{}' must have all elements, but {} to {} are in no file", tensor.name, ownName,
                              next, part.first - 1));
    if (part.entry->dtype != tensor.dtype)
      throw Error(fmt::format("'{}' in '{}' must have one type, but is {} in '{}' and {} in '{}'", tensor.name, ownName,
                              before->entry->dtype, fileNameOf(*before), part.entry->dtype, fileNameOf(part)));
    if (!tensor.shape && part.entry->shape.size() != 1)
      throw Error(fmt::format("a part of a tensor must have one dimension, but '{}' in '{}' has shape {}",
                              part.entry->name, part.file->path(), shapeText(part.entry->shape)));
    before = &part;
  }
}

const TensorFiles::Tensor *TensorFiles::find(std::string_view name) const {
  const auto found = places.find(name);
  return found == places.end() ? nullptr : &all[found->second];
}

const TensorFiles::Tensor &TensorFiles::expect(const TensorEntry &wanted) const {
  const Tensor *found = find(wanted.name);
  const bool hasShape =
      found && (found->shape ? *found->shape == wanted.shape : found->elements() == wanted.elements());
  if (hasShape && found->dtype == wanted.dtype)
    return *found;
  std::string what = "has no such tensor";
  if (found && found->shape)
    what = fmt::format("holds {}{}", found->dtype, shapeText(*found->shape));
  else if (found)
    what = fmt::format("holds parts of {} with {} elements", found->dtype, found->elements());
  throw Error(fmt::format("'{}' must hold '{}' as {}{}, but {}", ownName, wanted.name, wanted.dtype,
                          shapeText(wanted.shape), what));
}

void TensorFiles::expectExactly(const std::vector<TensorEntry> &wanted) const {
  std::set<std::string_view> names;
  for (const TensorEntry &entry : wanted) {
    expect(entry);
    names.insert(entry.name);
  }
  for (const Tensor &tensor : all)
    if (!names.contains(tensor.name))
      throw Error(fmt::format("'{}' must hold {} tensors, but holds '{}', which is none of them", ownName, names.size(),
                              tensor.name));
}

std::vector<std::byte> TensorFiles::Tensor::read(int64_t first, int64_t last) const {
  const int64_t size = static_cast<int64_t>(*safetensorsElementBytes(dtype));
  std::vector<std::byte> data(static_cast<size_t>((last - first) * size));
  for (const Part &part : parts) {
    const int64_t begin = std::max(first, part.first), end = std::min(last, part.last);
    if (begin < end)
      part.file->read(*part.entry, static_cast<uint64_t>((begin - part.first) * size),
                      static_cast<uint64_t>((end - begin) * size), &data[static_cast<size_t>((begin - first) * size)]);
  }
  return data;
}

} // namespace stretto::runtime
