// What holds for the arguments of all commands.
//
// An option is given once, unless it adds up or is a setting of a run or of its program, of which the last value
// counts; what has to name something is not empty; no command takes more than it says.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace stretto::tools {

// What an option names whose value the help shows as `value`; empty where that is no name.
constexpr std::string_view namedBy(std::string_view value) {
  constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"FILE", "a file"},       {"FOLDER", "a folder"}, {"DIR", "a folder"}, {"TASK", "a task"},
      {"PRESET", "a preset"},   {"MODEL", "a model"},   {"CHIP", "a chip"},  {"RUN", "a run"},
      {"PROGRAM", "a program"}, {"AXIS", "an axis"}};
  for (const auto &[shown, named] : kinds)
    if (shown == value)
      return named;
  return "";
}

// A value that is no name, for an option or argument whose value the help shows as `value`.
inline std::string noName(std::string_view option, std::string_view value, std::string_view given = "") {
  return std::string(option) + " must name " + std::string(namedBy(value)) + ", but got '" + std::string(given) + "'";
}

// A value of an option that has one.
inline std::string givenTwice(std::string_view option, std::string_view value) {
  return std::string(option) + " must be given once, but got '" + std::string(value) + "' as well";
}

// An argument more than there may be. `all`: what they are, "a spec and options".
inline std::string surplusArgument(std::string_view all, std::string_view argument) {
  return "arguments must be " + std::string(all) + ", but got '" + std::string(argument) + "' as well" +
         (argument.find('=') == argument.npos ? "" : "; --set and --task-set take one setting each");
}

} // namespace stretto::tools
