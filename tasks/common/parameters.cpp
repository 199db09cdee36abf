#include "tasks/common/parameters.h"

#include "runtime/core/nearest.h"

#include <charconv>

namespace stretto {

static const ParameterInfo &findParameter(const std::string &name, std::span<const ParameterInfo> known,
                                          const Parameters &parameters) {
  std::vector<std::string> names;
  for (const ParameterInfo &info : known) {
    if (info.name == name)
      return info;
    names.push_back(info.name);
  }
  parameters.fail("has no parameter '" + name + "'" + suggestName(name, names));
}

static int64_t parseInteger(const std::string &text, const ParameterInfo &info, const Parameters &parameters) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = end == text.data() + text.size();
  bool overflow = error == std::errc::result_out_of_range && whole;
  if ((error != std::errc() || !whole) && !overflow)
    parameters.fail("parameter '" + info.name + "' must be an integer, but got '" + text + "'");
  if (overflow || value < info.low || value > info.high)
    parameters.fail("parameter '" + info.name + "' must lie in " + std::to_string(info.low) + ".." +
                    std::to_string(info.high) + ", but got " + text);
  return value;
}

Parameters::Parameters(std::string task, std::span<const ParameterInfo> known,
                       const std::map<std::string, std::string> &settings)
    : taskName(std::move(task)) {
  for (const ParameterInfo &info : known)
    values[info.name] = info.fallback;
  for (const auto &[name, text] : settings)
    values[name] = parseInteger(text, findParameter(name, known, *this), *this);
}

std::map<std::string, std::string> Parameters::text() const {
  std::map<std::string, std::string> result;
  for (const auto &[name, value] : values)
    result[name] = std::to_string(value);
  return result;
}

void Parameters::fail(const std::string &what) const { throw TaskError("task '" + taskName + "': " + what); }

} // namespace stretto
