// Several safetensors files that hold tensors together: each tensor lies whole in one of them, or cut into parts in
// some of them. A part is a one-dimensional tensor "<name>@<first element>".
#pragma once

#include "runtime/train/safetensors.h"

#include <deque>
#include <unordered_map>

namespace stretto::runtime {

// The entry of `count` elements of a tensor from element `first` on: the tensor's own where that is all of it.
TensorEntry partOf(const TensorEntry &whole, int64_t first, int64_t count);

// What an entry of this name holds: a tensor, or a part of one from element `first` on.
struct NamedPart {
  std::string_view tensor;
  std::optional<int64_t> first;
};
NamedPart namedPart(std::string_view name);

class TensorFiles {
public:
  // `name` stands for all of them in messages. Throws Error where parts overlap or leave a hole, or where a tensor is
  // there twice.
  TensorFiles(std::string name, const std::vector<std::string> &paths, bool followLinks = false);
  TensorFiles(const TensorFiles &) = delete;
  TensorFiles &operator=(const TensorFiles &) = delete;

  // The parts of one tensor, by their elements: from 0 on, each begins where the one before it ends.
  struct Part {
    const SafetensorsFile *file;
    const TensorEntry *entry;
    int64_t first, last; // elements of the tensor
  };
  struct Tensor {
    std::string name, dtype;
    std::optional<std::vector<int64_t>> shape; // not known of one in parts
    std::vector<Part> parts;
    int64_t elements() const { return parts.back().last; }
    // Reads elements [first, last), which must be there.
    std::vector<std::byte> read(int64_t first, int64_t last) const;
  };

  const std::string &name() const { return ownName; }
  // In the order of the files, and of the data in each.
  const std::vector<Tensor> &tensors() const { return all; }
  const Tensor *find(std::string_view name) const;
  // Throws Error unless there is such a tensor, of this type and shape (in parts: of as many elements).
  const Tensor &expect(const TensorEntry &wanted) const;
  // The same of all of these; there must be no others.
  void expectExactly(const std::vector<TensorEntry> &wanted) const;

private:
  void add(const SafetensorsFile &file);
  void check(Tensor &tensor) const;

  std::string ownName;
  std::deque<SafetensorsFile> files;
  std::vector<Tensor> all;
  std::unordered_map<std::string_view, size_t> places; // in `all`, by name
};

} // namespace stretto::runtime
