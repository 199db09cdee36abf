// Safetensors files (an 8-byte length, a JSON header, the data).
#include "runtime/train/safetensors.h"

#include "runtime/core/command_line.h"
#include "runtime/core/error.h"
#include "runtime/train/json.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

constexpr uint64_t maxHeaderBytes = 100'000'000, maxMetadataBytes = 1'000'000;
constexpr size_t maxTensors = 100'000, maxNameBytes = 1024, maxDimensions = 8;
constexpr int maxHeaderDepth = 4;

[[noreturn]] void refuse(const std::string &rule) { throw Error(rule); }

void checkName(const std::string &name) {
  if (name.empty() || name.size() > maxNameBytes)
    refuse(fmt::format("a tensor name must have 1 to {} bytes, but got {}", maxNameBytes, name.size()));
  for (unsigned char byte : name)
    if (byte < 0x20 || byte == 0x7f)
      refuse(fmt::format("a tensor name must hold no control bytes, but got {}", quoteJson(name)));
}

uint64_t unsignedNumber(const JsonValue &value, const std::string &what) {
  if (value.kind != JsonValue::Kind::Unsigned)
    refuse(what + " must be an unsigned integer");
  return value.integer;
}

void readShape(const JsonValue &value, TensorEntry &entry) {
  if (value.kind != JsonValue::Kind::Array || value.items.size() > maxDimensions)
    refuse(fmt::format("the shape of '{}' must be an array of at most {} numbers", entry.name, maxDimensions));
  for (const JsonValue &item : value.items) {
    const uint64_t size = unsignedNumber(item, fmt::format("each size in the shape of '{}'", entry.name));
    if (size > static_cast<uint64_t>(INT64_MAX))
      refuse(fmt::format("a size in the shape of '{}' must be below 2^63, but got {}", entry.name, size));
    entry.shape.push_back(static_cast<int64_t>(size));
  }
}

// Product of the shape and the element size; refuses overflow even where another size is 0.
uint64_t bytesOfShape(const TensorEntry &entry, uint64_t elementBytes) {
  uint64_t nonzero = elementBytes, product = elementBytes;
  for (int64_t size : entry.shape) {
    if (size != 0 && __builtin_mul_overflow(nonzero, static_cast<uint64_t>(size), &nonzero))
      refuse(fmt::format("the bytes of '{}' must fit 64 bits, but its shape does not", entry.name));
    product *= static_cast<uint64_t>(size);
  }
  return product;
}

TensorEntry readEntry(const std::string &name, const JsonValue &value, uint64_t dataBytes) {
  TensorEntry entry;
  entry.name = name;
  checkName(name);
  if (value.kind != JsonValue::Kind::Object || value.members.size() != 3)
    refuse(fmt::format("the entry of '{}' must be an object of dtype, shape and data_offsets", name));
  const JsonValue *dtype = value.find("dtype"), *shape = value.find("shape"), *offsets = value.find("data_offsets");
  if (!dtype || !shape || !offsets || dtype->kind != JsonValue::Kind::String)
    refuse(fmt::format("the entry of '{}' must be an object of dtype, shape and data_offsets", name));
  entry.dtype = dtype->text;
  const auto elementBytes = safetensorsElementBytes(entry.dtype);
  if (!elementBytes)
    refuse(fmt::format("the dtype of '{}' must be one of the format, but got {}", name, quoteJson(entry.dtype)));
  readShape(*shape, entry);
  if (offsets->kind != JsonValue::Kind::Array || offsets->items.size() != 2)
    refuse(fmt::format("data_offsets of '{}' must be two numbers", name));
  entry.begin = unsignedNumber(offsets->items[0], fmt::format("data_offsets of '{}'", name));
  entry.end = unsignedNumber(offsets->items[1], fmt::format("data_offsets of '{}'", name));
  if (entry.begin > entry.end || entry.end > dataBytes)
    refuse(fmt::format("the data of '{}' must lie in the {} bytes behind the header, but got {} to {}", name, dataBytes,
                       entry.begin, entry.end));
  const uint64_t expected = bytesOfShape(entry, *elementBytes);
  if (entry.bytes() != expected)
    refuse(
        fmt::format("the data of '{}' must have the {} bytes of its shape, but got {}", name, expected, entry.bytes()));
  return entry;
}

void readMetadata(const JsonValue &value, SafetensorsHeader &header) {
  if (value.kind != JsonValue::Kind::Object)
    refuse("__metadata__ must be an object of strings");
  uint64_t total = 0;
  for (const auto &[key, item] : value.members) {
    if (item.kind != JsonValue::Kind::String)
      refuse("__metadata__ must be an object of strings");
    total += key.size() + item.text.size();
    header.metadata[key] = item.text;
  }
  if (total > maxMetadataBytes)
    refuse(fmt::format("__metadata__ must have at most {} bytes, but got {}", maxMetadataBytes, total));
}

// No overlap, no hole: each tensor starts where the one before it ends.
void checkCover(const std::vector<TensorEntry> &sorted, uint64_t dataBytes) {
  uint64_t next = 0;
  for (const TensorEntry &entry : sorted) {
    if (entry.begin != next)
      refuse(fmt::format("data must have no {}, but '{}' starts at {} and not at {}",
                         entry.begin < next ? "overlap" : "hole", entry.name, entry.begin, next));
    next = entry.end;
  }
  if (next != dataBytes)
    refuse(fmt::format("the data must end with the file, but {} bytes follow", dataBytes - next));
}

// A file whose first eight bytes are no length of a header.
[[noreturn]] void refuseLength(uint64_t headerBytes, const std::string &path) {
  std::string first(sizeof(headerBytes), '\0');
  std::memcpy(first.data(), &headerBytes, first.size());
  // A zip archive; from before version 1.6 a pickle, whose next two bytes begin the number that marks a file.
  for (const std::string_view magic : {"PK\x03\x04", "\x80\x02\x8a\x0a"})
    if (first.starts_with(magic))
      refuse("it looks like one that torch.save wrote; to convert its tensors: " +
             commandLine({"python3", "-c",
                          "import sys, torch, safetensors.torch as s; s.save_file(torch.load(sys.argv[1]), "
                          "sys.argv[2])",
                          path, path + ".safetensors"}));
  refuse(fmt::format("the header must fit the file and {} bytes, but its length is {}", maxHeaderBytes, headerBytes));
}

} // namespace

int64_t TensorEntry::elements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string shapeText(const std::vector<int64_t> &shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::optional<uint64_t> safetensorsElementBytes(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, uint64_t>, 14> sizes = {{{"BOOL", 1},
                                                                                   {"U8", 1},
                                                                                   {"I8", 1},
                                                                                   {"F8_E5M2", 1},
                                                                                   {"F8_E4M3", 1},
                                                                                   {"I16", 2},
                                                                                   {"U16", 2},
                                                                                   {"F16", 2},
                                                                                   {"BF16", 2},
                                                                                   {"I32", 4},
                                                                                   {"U32", 4},
                                                                                   {"F32", 4},
                                                                                   {"F64", 8},
                                                                                   {"I64", 8}}};
  for (const auto &[name, bytes] : sizes)
    if (name == dtype)
      return bytes;
  return std::nullopt;
}

SafetensorsHeader parseSafetensorsHeader(std::string_view json, uint64_t dataBytes) {
  if (json.empty() || json.front() != '{')
    refuse("the header must start with '{'");
  const JsonValue root = parseJson(json, maxHeaderDepth);
  // The JSON parser has accepted white space behind the object; the format allows only spaces.
  const size_t last = json.find_last_not_of(' ');
  if (json[last] != '}')
    refuse("only spaces may follow the object in the header");
  SafetensorsHeader header;
  if (root.members.size() > maxTensors + 1)
    refuse(fmt::format("a file must hold at most {} tensors, but got {}", maxTensors, root.members.size()));
  for (const auto &[name, value] : root.members) {
    if (name == "__metadata__")
      readMetadata(value, header);
    else
      header.tensors.push_back(readEntry(name, value, dataBytes));
  }
  std::stable_sort(header.tensors.begin(), header.tensors.end(), [](const TensorEntry &a, const TensorEntry &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  checkCover(header.tensors, dataBytes);
  return header;
}

SafetensorsFile::SafetensorsFile(const std::string &path, bool followLinks) : file(path, followLinks) {
  try {
    uint64_t headerBytes = 0;
    if (file.bytes() < 8)
      refuse(fmt::format("a safetensors file must have at least 8 bytes, but got {}", file.bytes()));
    file.read(0, &headerBytes, 8);
    if (headerBytes > maxHeaderBytes || headerBytes > file.bytes() - 8)
      refuseLength(headerBytes, path);
    std::string json(headerBytes, '\0');
    file.read(8, json.data(), json.size());
    dataStart = 8 + headerBytes;
    header = parseSafetensorsHeader(json, file.bytes() - dataStart);
  } catch (const Error &error) {
    throw Error(fmt::format("'{}' is not a valid safetensors file: {}", path, error.what()));
  }
}

const TensorEntry *SafetensorsFile::find(std::string_view name) const {
  for (const TensorEntry &entry : header.tensors)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

void SafetensorsFile::read(const TensorEntry &entry, void *data) const { read(entry, 0, entry.bytes(), data); }

void SafetensorsFile::read(const TensorEntry &entry, uint64_t offset, uint64_t bytes, void *data) const {
  file.read(dataStart + entry.begin + offset, data, bytes);
}

std::string safetensorsPrefix(std::vector<TensorEntry> &tensors, const std::map<std::string, std::string> &metadata) {
  std::string json = "{";
  if (!metadata.empty()) {
    json += "\"__metadata__\":{";
    for (const auto &[key, value] : metadata)
      json += fmt::format("{}{}:{}", json.back() == '{' ? "" : ",", quoteJson(key), quoteJson(value));
    json += "}";
  }
  uint64_t next = 0;
  for (TensorEntry &entry : tensors) {
    entry.begin = next;
    entry.end = next += static_cast<uint64_t>(entry.elements()) * *safetensorsElementBytes(entry.dtype);
    json +=
        fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", json.size() == 1 ? "" : ",",
                    quoteJson(entry.name), entry.dtype, fmt::join(entry.shape, ","), entry.begin, entry.end);
  }
  json += "}";
  json.resize((8 + json.size() + 63) / 64 * 64 - 8, ' ');
  const uint64_t length = json.size();
  std::string prefix(8, '\0');
  std::memcpy(prefix.data(), &length, 8);
  return prefix + json;
}

void writeSafetensors(const std::string &path, std::vector<TensorEntry> tensors,
                      const std::function<const void *(const TensorEntry &)> &data,
                      const std::map<std::string, std::string> &metadata) {
  const std::string prefix = safetensorsPrefix(tensors, metadata);
  writeReplacement(placeOfOutput(path), /*executable=*/false, [&](OutputFile &file) {
    file.write(prefix.data(), prefix.size());
    for (const TensorEntry &entry : tensors)
      file.write(data(entry), entry.bytes());
  });
}

} // namespace stretto::runtime
