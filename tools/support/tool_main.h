// The main of a tool that prints to standard output and whose options CLI11 reads.
#pragma once

#include "runtime/core/nearest.h"
#include "runtime/core/parse_words.h"
#include "runtime/core/utf8.h"
#include "runtime/core/whole_number.h"
#include "tools/support/argument_rules.h"
#include "tools/support/streams.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stretto::tools {

// What is wrong with the command line alone.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// What the arguments are called.
inline std::string argumentsOf(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    if (option->get_positional())
      return "a " + option->get_name() + " and options";
  return "options";
}

// What is wrong where an argument that has to be given is not.
inline std::string missingArgument(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    if (option->get_required() && option->empty())
      return std::string(namedBy(option->get_type_name())) + " is missing: name " + option->get_description();
  return "";
}

// What is wrong where an option has none or several values, but takes one.
inline std::string countError(const CLI::App &app, const CLI::ArgumentMismatch &error) {
  for (const CLI::Option *option : app.get_options())
    if (const CLI::results_t &values = option->results(); option->get_items_expected_max() == 1 && values.size() > 1)
      return givenTwice(option->get_name(), values[1]);
  const std::string text = error.what(); // "--name: ..."
  return text.substr(0, text.find(':')) + " needs a value";
}

// What is wrong with the value of an option: its name and what it must be, without the colon that CLI11 has between.
inline std::string valueError(const CLI::Error &error) {
  std::string text = error.what(); // "--name: must be ..."
  if (const size_t colon = text.find(':'); colon != text.npos)
    text.erase(colon, 1);
  return text;
}

// No name is empty, or "-", which elsewhere is the standard output.
inline void expectNames(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    for (const std::string &value : option->results())
      if (const std::string kind = option->get_type_name(); !namedBy(kind).empty() && (value.empty() || value == "-"))
        throw UsageError(noName(option->get_name(), kind, value));
}

// What CLI11 says of a command line that it refuses; in the words of all commands about an unknown option, with the
// nearest one, an option that is given twice, and a word too many.
inline std::string optionError(const CLI::App &app, const CLI::Error &error, std::span<char *const> words) {
  if (dynamic_cast<const CLI::RequiredError *>(&error) != nullptr)
    return missingArgument(app);
  if (const auto *mismatch = dynamic_cast<const CLI::ArgumentMismatch *>(&error))
    return countError(app, *mismatch);
  if (dynamic_cast<const CLI::ValidationError *>(&error) != nullptr)
    return valueError(error);
  if (dynamic_cast<const CLI::ExtrasError *>(&error) == nullptr)
    return error.what();
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  for (std::string word : words.subspan(1))
    if (const std::string name = word.substr(0, word.find('='));
        name.starts_with("--") && std::ranges::find(names, name) == names.end())
      return "no option is called '" + name + "'" + runtime::suggestName(name, names);
  if (const std::vector<std::string> extra = app.remaining(); !extra.empty())
    return surplusArgument(argumentsOf(app), extra.front());
  return error.what();
}

// For options that are a whole number of a range, digits or a real as elsewhere. (CLI11 itself takes what does not fit
// for the largest number.)
inline CLI::Validator wholeNumber(int64_t low, int64_t high) {
  const auto toDigits = [=](std::string &text) {
    int64_t value = 0;
    if (!runtime::isWholeNumber(text, low, high, value))
      return runtime::notWholeNumber(runtime::printable(text), low, high);
    text = std::to_string(value);
    return std::string();
  };
  return {toDigits, std::to_string(low) + ".." + std::to_string(high)};
}

// Reads the command line, calls `run` and gives the exit status: 0; 2 where the command line is wrong; 1 after another
// failure, or where not all that was printed could be written. Says on standard error what is wrong.
template <typename Run> int runTool(CLI::App &app, int argc, char **argv, const Run &run) {
  const auto fail = [&](const std::string &message, int status) {
    std::cerr << app.get_name() << ": error: " << message << "\n";
    return status;
  };
  openClosedStreams();
  outliveFileLimit();
  try {
    runtime::parseWords(app, argc, argv);
    expectNames(app);
    run();
  } catch (const CLI::Success &success) {
    app.exit(success);
  } catch (const CLI::Error &error) {
    return fail(optionError(app, error, {argv, static_cast<size_t>(argc)}), 2);
  } catch (const UsageError &error) {
    return fail(error.what(), 2);
  } catch (const std::exception &error) {
    return fail(error.what(), 1);
  }
  return std::cout.flush() && outputIsWritten() ? 0 : fail("the output could not be written", 1);
}

} // namespace stretto::tools
