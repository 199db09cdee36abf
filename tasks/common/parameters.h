// The parameters of a task: described once, then parsed, checked and listed from that description.
#pragma once

#include "runtime/core/error.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace stretto {

// A request that cannot be served: an unknown task, parameter or preset, or a value out of range.
struct TaskError : Error {
  using Error::Error;
};

// One integer parameter; values are low .. high.
struct ParameterInfo {
  std::string name;
  int64_t fallback = 0, low = 0, high = 0;
  std::string meaning;
};

// Values of all parameters of one task.
class Parameters {
public:
  // `settings` overrides defaults. Throws TaskError for an unknown name (with the nearest one), a value
  // that is no integer, and a value out of range.
  Parameters(std::string task, std::span<const ParameterInfo> known,
             const std::map<std::string, std::string> &settings);

  int64_t operator[](const std::string &name) const { return values.at(name); }
  const std::string &task() const { return taskName; }

  // Every parameter as text.
  std::map<std::string, std::string> text() const;

  // Throws a TaskError that opens with the task's name.
  [[noreturn]] void fail(const std::string &what) const;

private:
  std::string taskName;
  std::map<std::string, int64_t> values;
};

} // namespace stretto
