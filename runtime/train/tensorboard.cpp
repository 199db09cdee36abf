// TensorBoard event files without protobuf: the three messages that scalars need are written by hand
// (Event: wall_time = 1, step = 2, file_version = 3, summary = 5; Summary: value = 1; Value: tag = 1,
// simple_value = 2).
#include "runtime/core/host_name.h"
#include "runtime/train/files.h"
#include "runtime/train/metrics.h"

#include <array>
#include <chrono>
#include <cstring>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

constexpr uint64_t maxEventBytes = 4ull << 30;

constexpr std::array<uint32_t, 256> makeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = value >> 1 ^ (value & 1 ? 0x82F63B78u : 0);
    table[i] = value;
  }
  return table;
}

template <typename T> std::string raw(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string field(char tag, const std::string &content) {
  std::string bytes(1, tag);
  bytes += varint(content.size());
  return bytes += content;
}

uint32_t maskedCrc(std::string_view data) {
  const uint32_t crc = crc32c(data);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

std::string record(const std::string &event) {
  const std::string length = raw(static_cast<uint64_t>(event.size()));
  return length + raw(maskedCrc(length)) + event + raw(maskedCrc(event));
}

std::string event(int64_t step, const std::string &rest) {
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::string bytes(1, '\x09');
  bytes += raw(now);
  bytes += '\x10';
  return bytes + varint(static_cast<uint64_t>(step)) + rest;
}

// Step of an event as written above: wall time, then the step.
int64_t stepOfEvent(std::string_view data) {
  uint64_t step = 0;
  for (size_t i = 10, shift = 0; i < data.size() && shift < 63; ++i, shift += 7) {
    step |= static_cast<uint64_t>(data[i] & 0x7f) << shift;
    if (!(data[i] & 0x80))
      break;
  }
  return static_cast<int64_t>(step);
}

// Bytes of the whole records up to a step.
size_t bytesUpTo(std::string_view file, int64_t step) {
  size_t at = 0;
  while (file.size() - at >= 16) {
    uint64_t length = 0;
    std::memcpy(&length, file.data() + at, 8);
    if (length > file.size() - at - 16)
      break;
    const std::string_view data = file.substr(at + 12, length);
    if (file.substr(at + 12 + length, 4) != raw(maskedCrc(data)) || stepOfEvent(data) > step)
      break;
    at += 16 + length;
  }
  return at;
}

// Path of the folder's event file, cut after `step`; a new name where there is none.
std::string prepare(const std::string &folder, int64_t step) {
  for (const std::string &name : listDirectory(folder)) {
    if (!name.starts_with(eventFilePrefix) || name.find(temporaryMark) != std::string::npos)
      continue;
    const std::string path = folder + "/" + name;
    const std::string content = readFile(path, maxEventBytes);
    const size_t keep = bytesUpTo(content, step);
    if (keep != content.size())
      replaceFile(path, std::string_view(content).substr(0, keep));
    return path;
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string path = fmt::format("{}/{}{}.{}", folder, eventFilePrefix,
                                       std::chrono::duration_cast<std::chrono::seconds>(now).count(), hostName());
  AppendFile(path).append(record(event(0, field('\x1a', "brain.Event:2"))));
  return path;
}

} // namespace

uint32_t crc32c(std::string_view data) {
  static constexpr std::array<uint32_t, 256> table = makeTable();
  uint32_t crc = ~0u;
  for (unsigned char byte : data)
    crc = crc >> 8 ^ table[(crc ^ byte) & 0xff];
  return ~crc;
}

EventFile::EventFile(const std::string &folder, int64_t step) : file(prepare(folder, step)) {}

void EventFile::scalars(int64_t step, const std::vector<std::pair<std::string, double>> &values) {
  std::string summary;
  for (const auto &[tag, value] : values)
    summary += field('\x0a', field('\x0a', tag) + '\x15' + raw(static_cast<float>(value)));
  file.append(record(event(step, field('\x2a', summary))));
}

} // namespace stretto::runtime
