// Safetensors files (an 8-byte length, a JSON header, the data). The reader trusts nothing: every number is
// checked once, when the file is opened, so that no user of it sees an unchecked one.
#pragma once

#include "runtime/train/files.h"

#include <map>
#include <optional>

namespace stretto::runtime {

struct TensorEntry {
  std::string name;
  std::string dtype;           // "F32", "F64", "I32", ...
  std::vector<int64_t> shape;  // at most 8 dimensions
  uint64_t begin = 0, end = 0; // bytes in the data part
  uint64_t bytes() const { return end - begin; }
  int64_t elements() const;
};

// As messages show it: "[2, 3]".
std::string shapeText(const std::vector<int64_t> &shape);

// Bytes of one element, or nothing for a name outside the closed list of the format.
std::optional<uint64_t> safetensorsElementBytes(std::string_view dtype);

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors; // in the order of their data
  std::map<std::string, std::string> metadata;
};

// Checks the header against the size of the data part; throws Error naming the rule that is broken.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, uint64_t dataBytes);

class SafetensorsFile {
public:
  // Throws Error that opens with the path.
  explicit SafetensorsFile(const std::string &path, bool followLinks = false);
  const std::vector<TensorEntry> &tensors() const { return header.tensors; }
  const std::map<std::string, std::string> &metadata() const { return header.metadata; }
  const TensorEntry *find(std::string_view name) const;
  // Reads a whole tensor into `data`, which has room for entry.bytes().
  void read(const TensorEntry &entry, void *data) const;
  // Reads `bytes` of a tensor from its byte `offset` on, which lie in it.
  void read(const TensorEntry &entry, uint64_t offset, uint64_t bytes, void *data) const;
  const std::string &path() const { return file.path; }

private:
  InputFile file;
  SafetensorsHeader header;
  uint64_t dataStart = 0;
};

// Length field and header for tensors that follow in this order; fills begin and end. The data starts at a
// multiple of 64 bytes.
std::string safetensorsPrefix(std::vector<TensorEntry> &tensors, const std::map<std::string, std::string> &metadata);

// Writes a file in one go (data given tensor by tensor) under a temporary name, then renames it to where links lead.
// Throws Error where something lies there that is no regular file.
void writeSafetensors(const std::string &path, std::vector<TensorEntry> tensors,
                      const std::function<const void *(const TensorEntry &)> &data,
                      const std::map<std::string, std::string> &metadata = {});

} // namespace stretto::runtime
