// The parameters of a task: described once, then parsed, checked and listed from that description.
#include "tasks/common/parameters.h"

#include "runtime/core/nearest.h"
#include "runtime/core/whole_number.h"

#include <algorithm>
#include <charconv>

namespace stretto::tasks {

ParameterInfo ParameterInfo::word(std::string name, std::vector<std::string> words, std::string meaning) {
  return {std::move(name), 0, 0, 0, std::move(meaning), Kind::Word, std::move(words)};
}

ParameterInfo ParameterInfo::text(std::string name, std::string fallback, std::string meaning) {
  return {std::move(name), 0, 0, 0, std::move(meaning), Kind::Text, {}, std::move(fallback)};
}

std::string ParameterInfo::fallbackAsText() const {
  return kind == Kind::Integer ? std::to_string(fallback) : kind == Kind::Word ? words.front() : fallbackText;
}

std::string ParameterInfo::range() const {
  if (kind == Kind::Text)
    return "text";
  if (kind == Kind::Integer)
    return std::to_string(low) + ".." + std::to_string(high);
  std::string all;
  for (const std::string &word : words)
    all.append(all.empty() ? "" : "|").append(word);
  return all;
}

static const ParameterInfo &findParameter(const std::string &name, std::span<const ParameterInfo> known,
                                          const Parameters &parameters) {
  std::vector<std::string> names;
  for (const ParameterInfo &info : known) {
    if (info.name == name)
      return info;
    names.push_back(info.name);
  }
  parameters.fail("has no parameter '" + name + "'" + runtime::suggestName(name, names));
}

static int64_t parseInteger(const std::string &text, const ParameterInfo &info, const Parameters &parameters) {
  int64_t value = 0;
  const bool isNumber = runtime::parseWholeNumber(text, value);
  int64_t digits = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digits);
  const bool overflows = error == std::errc::result_out_of_range && end == text.data() + text.size();
  if (!isNumber && !overflows)
    parameters.refuse(info.name, "must be an integer, but got '" + text + "'");
  if (overflows || value < info.low || value > info.high)
    parameters.refuse(info.name, "must lie in " + std::to_string(info.low) + ".." + std::to_string(info.high) +
                                     ", but got " + text);
  return value;
}

Parameters::Parameters(std::string task, std::span<const ParameterInfo> known,
                       const std::map<std::string, std::string> &settings)
    : taskName(std::move(task)) {
  for (const ParameterInfo &info : known)
    set(info, info.fallbackAsText());
  for (const auto &[name, text] : settings)
    set(findParameter(name, known, *this), text);
}

void Parameters::set(const ParameterInfo &info, const std::string &text) {
  if (info.kind == ParameterInfo::Kind::Integer)
    integers[info.name] = parseInteger(text, info, *this);
  else if (info.kind == ParameterInfo::Kind::Word && std::ranges::find(info.words, text) == info.words.end())
    refuse(info.name, "must be " + info.range() + ", but got '" + text + "'" + runtime::didYouMean(text, info.words));
  else
    texts[info.name] = text;
}

std::map<std::string, std::string> Parameters::text() const {
  std::map<std::string, std::string> result = texts;
  for (const auto &[name, value] : integers)
    result[name] = std::to_string(value);
  return result;
}

void Parameters::fail(const std::string &what) const { throw TaskError("task '" + taskName + "': " + what); }

void Parameters::refuse(const std::string &parameter, const std::string &what) const {
  throw TaskError("task '" + taskName + "': parameter '" + parameter + "' " + what, parameter);
}

} // namespace stretto::tasks
