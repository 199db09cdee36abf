// Strict reading of JSON that may come from strangers: no duplicate keys, a depth limit, no recursion.
#include "runtime/train/json.h"

#include "runtime/core/error.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace stretto::runtime {

const JsonValue *JsonValue::find(std::string_view key) const {
  for (const auto &[name, value] : members)
    if (name == key)
      return &value;
  return nullptr;
}

std::optional<double> JsonValue::asNumber() const {
  if (kind == Kind::Float)
    return number;
  if (kind == Kind::Unsigned)
    return static_cast<double>(integer);
  return kind == Kind::Signed ? std::optional(static_cast<double>(static_cast<int64_t>(integer))) : std::nullopt;
}

std::optional<int64_t> JsonValue::asInteger() const {
  const bool fits = kind == Kind::Signed || (kind == Kind::Unsigned && integer <= uint64_t{INT64_MAX});
  return fits ? std::optional(static_cast<int64_t>(integer)) : std::nullopt;
}

namespace {

class Builder final : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit Builder(int maxDepth) : maxDepth(maxDepth) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override {
    JsonValue result;
    result.kind = JsonValue::Kind::Boolean;
    result.boolean = value;
    return add(std::move(result));
  }
  bool number_integer(number_integer_t value) override {
    return addInteger(JsonValue::Kind::Signed, static_cast<uint64_t>(value));
  }
  bool number_unsigned(number_unsigned_t value) override { return addInteger(JsonValue::Kind::Unsigned, value); }
  bool number_float(number_float_t value, const string_t &) override {
    JsonValue result;
    result.kind = JsonValue::Kind::Float;
    result.number = value;
    return add(std::move(result));
  }
  bool string(string_t &value) override {
    JsonValue result;
    result.kind = JsonValue::Kind::String;
    result.text = std::move(value);
    return add(std::move(result));
  }
  bool binary(binary_t &) override { return false; }
  bool start_object(size_t) override { return open(JsonValue::Kind::Object); }
  bool start_array(size_t) override { return open(JsonValue::Kind::Array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    if (!stack.back().keys.insert(name).second)
      throw Error(fmt::format("keys of a JSON object must differ, but got {} twice", quoteJson(name)));
    stack.back().key = name;
    return true;
  }
  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &) override {
    throw Error(fmt::format("JSON text must follow RFC 8259, but got something else at byte {}", position));
  }

  JsonValue result;

private:
  struct Level {
    JsonValue value;
    std::string key;
    std::set<std::string> keys;
  };
  bool addInteger(JsonValue::Kind kind, uint64_t bits) {
    JsonValue value;
    value.kind = kind;
    value.integer = bits;
    return add(std::move(value));
  }
  bool add(JsonValue value) {
    if (stack.empty())
      result = std::move(value);
    else if (stack.back().value.kind == JsonValue::Kind::Array)
      stack.back().value.items.push_back(std::move(value));
    else
      stack.back().value.members.push_back({std::move(stack.back().key), std::move(value)});
    return true;
  }
  bool open(JsonValue::Kind kind) {
    if (static_cast<int>(stack.size()) >= maxDepth)
      throw Error(fmt::format("JSON must be nested at most {} deep, but got more", maxDepth));
    stack.emplace_back();
    stack.back().value.kind = kind;
    return true;
  }
  bool close() {
    JsonValue value = std::move(stack.back().value);
    stack.pop_back();
    return add(std::move(value));
  }

  int maxDepth;
  std::vector<Level> stack;
};

} // namespace

JsonValue parseJson(std::string_view text, int maxDepth) {
  Builder builder(maxDepth);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder.result);
}

std::string quoteJson(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string formatJson(double value) {
  if (std::isnan(value))
    return "\"nan\"";
  if (std::isinf(value))
    return value > 0 ? "\"inf\"" : "\"-inf\"";
  return fmt::format("{}", value);
}

// Of lists and objects.
static std::string formatMembers(const JsonValue &value) {
  std::vector<std::string> all;
  for (const JsonValue &item : value.items)
    all.push_back(formatJson(item));
  for (const auto &[name, member] : value.members)
    all.push_back(fmt::format("{}:{}", quoteJson(name), formatJson(member)));
  return fmt::format("{}", fmt::join(all, ","));
}

std::string formatJson(const JsonValue &value) {
  switch (value.kind) {
  case JsonValue::Kind::Null:
    return "null";
  case JsonValue::Kind::Boolean:
    return value.boolean ? "true" : "false";
  case JsonValue::Kind::Unsigned:
    return std::to_string(value.integer);
  case JsonValue::Kind::Signed:
    return std::to_string(static_cast<int64_t>(value.integer));
  case JsonValue::Kind::Float:
    return nlohmann::json(value.number).dump();
  case JsonValue::Kind::String:
    return quoteJson(value.text);
  case JsonValue::Kind::Array:
    return fmt::format("[{}]", formatMembers(value));
  case JsonValue::Kind::Object:
    return fmt::format("{{{}}}", formatMembers(value));
  }
  return "";
}

} // namespace stretto::runtime
