// The parameters of a task: described once, then parsed, checked and listed from that description.
#pragma once

#include "runtime/train/task.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace stretto::tasks {

using runtime::TaskError;

// One parameter of a task: an integer, one of some words, or any text (the name of a file, say).
struct ParameterInfo {
  enum class Kind : uint8_t { Integer, Word, Text };

  std::string name;
  int64_t fallback = 0, low = 0, high = 0; // of an integer: its default, and the values it may have
  std::string meaning;
  Kind kind = Kind::Integer;
  std::vector<std::string> words{}; // of a word: what it may be, the default first
  std::string fallbackText{};       // of a text

  static ParameterInfo word(std::string name, std::vector<std::string> words, std::string meaning);
  static ParameterInfo text(std::string name, std::string fallback, std::string meaning);

  // The default as text, and what may be given: "3..20", "last|last_quarter", "text".
  std::string fallbackAsText() const;
  std::string range() const;
};

// Values of all parameters of one task.
class Parameters {
public:
  // `settings` overrides defaults. Throws TaskError for an unknown name (with the nearest one), a value
  // that is no integer, a value out of range, and a word that is none of its parameter's.
  Parameters(std::string task, std::span<const ParameterInfo> known,
             const std::map<std::string, std::string> &settings);

  // An integer, and a word or text.
  int64_t operator[](const std::string &name) const { return integers.at(name); }
  const std::string &word(const std::string &name) const { return texts.at(name); }
  const std::string &task() const { return taskName; }

  // Every parameter as text.
  std::map<std::string, std::string> text() const;

  // Throws a TaskError that opens with the task's name.
  [[noreturn]] void fail(const std::string &what) const;
  // The same where the value of a parameter is refused: "must be ...".
  [[noreturn]] void refuse(const std::string &parameter, const std::string &what) const;

private:
  std::string taskName;
  void set(const ParameterInfo &info, const std::string &text);

  std::map<std::string, int64_t> integers;
  std::map<std::string, std::string> texts;
};

} // namespace stretto::tasks
