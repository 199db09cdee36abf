// Strict reading of JSON that may come from strangers: no duplicate keys, a depth limit, no recursion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::runtime {

// One JSON value. Numbers keep the form they were written in: only digits become Unsigned.
struct JsonValue {
  enum class Kind { Null, Boolean, Unsigned, Signed, Float, String, Array, Object };
  Kind kind = Kind::Null;
  bool boolean = false;
  uint64_t integer = 0; // Unsigned; Signed: the bits of an int64_t
  double number = 0;    // Float
  std::string text;
  std::vector<JsonValue> items;
  std::vector<struct JsonMember> members; // in the order of the file

  const JsonValue *find(std::string_view key) const;
  // A number in whatever form.
  std::optional<double> asNumber() const;
  // A number written as an integer, where int64_t holds it.
  std::optional<int64_t> asInteger() const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// Throws Error with the place and the rule that was broken.
JsonValue parseJson(std::string_view text, int maxDepth);

// A string as JSON, quotes included.
std::string quoteJson(std::string_view text);
// The shortest form that reads back to the same bits; NaN and infinities as strings.
std::string formatJson(double value);
// A value without spaces.
std::string formatJson(const JsonValue &value);

} // namespace stretto::runtime
