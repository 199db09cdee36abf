// The manifest of a checkpoint: what belongs to it, with checksums, closed by a checksum of itself.
#include "runtime/train/manifest.h"

#include "runtime/core/error.h"
#include "runtime/core/whole_number.h"
#include "runtime/train/checksum.h"
#include "runtime/train/json.h"

#include <fmt/format.h>

namespace stretto::runtime {
namespace {

constexpr uint64_t formatVersion = 1;
constexpr int maxDepth = 8;

std::string checksumLine(std::string_view body) {
  return fmt::format("\"checksum\": \"{}\"}}\n", checksumOf(body.data(), body.size()));
}

const JsonValue &member(const JsonValue &object, std::string_view key, JsonValue::Kind kind) {
  const JsonValue *value = object.find(key);
  if (!value || value->kind != kind)
    throw Error(fmt::format("the manifest must hold '{}' in the right form", key));
  return *value;
}

uint64_t number(const JsonValue &object, std::string_view key) {
  return member(object, key, JsonValue::Kind::Unsigned).integer;
}

const std::string &text(const JsonValue &object, std::string_view key) {
  return member(object, key, JsonValue::Kind::String).text;
}

ManifestFile readFileEntry(const JsonValue &value) {
  ManifestFile file;
  file.name = text(value, "name");
  if (file.name.empty() || file.name.front() == '.' || file.name.find('/') != std::string::npos)
    throw Error(fmt::format("a file in a manifest must have a plain name, but got {}", quoteJson(file.name)));
  file.bytes = number(value, "bytes");
  file.checksum = text(value, "xxh3_128");
  for (const JsonValue &item : member(value, "tensors", JsonValue::Kind::Array).items)
    file.tensors.push_back({text(item, "name"), number(item, "begin"), number(item, "end"), text(item, "xxh3_128")});
  return file;
}

} // namespace

std::string writeManifest(const Manifest &manifest) {
  std::string body = fmt::format("{{\"format\": {},\n\"step\": {},\n\"facts\": {{", formatVersion, manifest.step);
  const char *separator = "";
  for (const auto &[key, value] : manifest.facts) {
    body += fmt::format("{}\n  {}: {}", separator, quoteJson(key), quoteJson(value));
    separator = ",";
  }
  body += "},\n\"files\": [";
  separator = "";
  for (const ManifestFile &file : manifest.files) {
    body += fmt::format("{}\n  {{\"name\": {}, \"bytes\": {}, \"xxh3_128\": \"{}\", \"tensors\": [", separator,
                        quoteJson(file.name), file.bytes, file.checksum);
    separator = ",";
    const char *inner = "";
    for (const ManifestTensor &tensor : file.tensors) {
      body += fmt::format("{}\n    {{\"name\": {}, \"begin\": {}, \"end\": {}, \"xxh3_128\": \"{}\"}}", inner,
                          quoteJson(tensor.name), tensor.begin, tensor.end, tensor.checksum);
      inner = ",";
    }
    body += "]}";
  }
  body += "],\n";
  return body + checksumLine(body);
}

std::string otherMatmuls(const std::map<std::string, std::string> &then,
                         const std::map<std::string, std::string> &now) {
  const auto before = then.find("matmuls"), here = now.find("matmuls");
  if (before == then.end() || here == now.end() || before->second == here->second)
    return "";
  return fmt::format("matmuls of this run were computed by {}, and on this machine are by {}: from here on, bits are "
                     "not those of the machine before",
                     before->second, here->second);
}

int64_t updatesOf(const Manifest &manifest) {
  int64_t updates = manifest.step;
  const auto found = manifest.facts.find("updates");
  if (found != manifest.facts.end() && !parseWholeNumber(found->second, updates))
    throw Error(fmt::format("the checkpoint's 'updates' must be a whole number, but got '{}'", found->second));
  return updates;
}

Manifest readManifest(std::string_view content) {
  const size_t close = content.rfind("\"checksum\": ");
  if (close == std::string_view::npos || content.substr(close) != checksumLine(content.substr(0, close)))
    throw Error("the manifest's checksum does not match its content");
  const JsonValue root = parseJson(content, maxDepth);
  if (number(root, "format") != formatVersion)
    throw Error(fmt::format("the manifest's format must be {}, but got {}", formatVersion, number(root, "format")));
  Manifest manifest;
  const uint64_t step = number(root, "step");
  if (step > static_cast<uint64_t>(INT64_MAX))
    throw Error(fmt::format("the manifest's step must be below 2^63, but got {}", step));
  manifest.step = static_cast<int64_t>(step);
  for (const auto &[key, value] : member(root, "facts", JsonValue::Kind::Object).members)
    manifest.facts[key] = value.text;
  for (const JsonValue &value : member(root, "files", JsonValue::Kind::Array).items)
    manifest.files.push_back(readFileEntry(value));
  return manifest;
}

} // namespace stretto::runtime
