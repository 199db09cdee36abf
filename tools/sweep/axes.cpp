// The axes of a sweep and their product.
#include "tools/sweep/axes.h"

#include "runtime/core/nearest.h"
#include "runtime/core/whole_number.h"
#include "tools/stretto/error.h"
#include "tools/stretto/options.h"
#include "tools/stretto/train.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <string_view>

namespace stretto::tools {

static CommandError wrong(const std::string &what) { return CommandError(what, 2); }

// Cuts at commas outside of brackets.
static std::vector<std::string> splitValues(const std::string &text, const std::string &whole) {
  static constexpr std::string_view opening = "{[(", closing = "}])";
  std::vector<std::string> values{""};
  std::string open;
  for (char c : text) {
    if (opening.find(c) != opening.npos)
      open += c;
    else if (size_t kind = closing.find(c); kind != closing.npos) {
      if (open.empty() || open.back() != opening[kind])
        throw wrong("brackets must match, but got '" + whole + "'");
      open.pop_back();
    }
    if (c == ',' && open.empty())
      values.emplace_back();
    else
      values.back() += c;
  }
  if (!open.empty())
    throw wrong("brackets must match, but got '" + whole + "'");
  return values;
}

// Whether all of the text is an integer of few digits.
static bool isInteger(std::string_view text, int64_t &value) {
  constexpr size_t mostDigits = 15;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && text.size() <= mostDigits;
}

// What two ways to write the same value have in common: numbers as numbers, lists without blanks.
static std::string sameForm(const std::string &value) {
  if (int64_t whole = 0; runtime::parseWholeNumber(value, whole))
    return std::to_string(whole);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size())
    return fmt::format("{}", number);
  std::string text = value;
  if (value.find_first_of("{[(") != std::string::npos)
    std::erase(text, ' ');
  return text;
}

// The values with each range of integers, "0..4", written out.
static std::vector<std::string> withoutRanges(const std::vector<std::string> &values, const std::string &whole) {
  constexpr int64_t most = 10000;
  std::vector<std::string> all;
  for (const std::string &value : values) {
    int64_t first = 0, last = 0;
    const size_t dots = value.find("..");
    if (dots == std::string::npos || !isInteger({value.data(), dots}, first) ||
        !isInteger({value.data() + dots + 2, value.size() - dots - 2}, last)) {
      all.push_back(value);
      continue;
    }
    if (last < first || last >= first + most)
      throw wrong("a range must go from a number to one that is not smaller, in at most " + std::to_string(most) +
                  " values, but got '" + whole + "'");
    for (; first <= last; ++first)
      all.push_back(std::to_string(first));
  }
  return all;
}

static void checkValues(const runtime::Axis &axis) {
  std::set<std::string> seen;
  for (const std::string &value : axis.values) {
    if (value.find_first_not_of(' ') == std::string::npos)
      throw wrong("each value of '" + axis.name + "' must have text, but got an empty one");
    if (axis.isSpec() && (!isSpec(value) || value.starts_with("-")))
      throw wrong("each value of 'spec' must be a file that ends in .stretto or .mlir, but got '" + value + "'");
    const std::string form = axis.isSpec() ? std::filesystem::path(value).lexically_normal().string() : sameForm(value);
    if (!seen.insert(form).second)
      throw wrong("the values of '" + axis.name + "' must differ, but got '" + value + "' again");
  }
}

static bool isParameter(const std::string &name) {
  for (std::string_view prefix : {"set.", "task-set."})
    if (name.starts_with(prefix) && name.size() > prefix.size())
      return true;
  return false;
}

// Which options may be axes: those with one value that results may depend on, and that are not the sweep's own.
static bool mayVary(const TrainOption &option) {
  static constexpr std::string_view others[] = {"--out",    "--ranks",   "--set",   "--task-set", "-I",
                                                "--prompt", "--prompts", "--write", "--end-token"};
  const bool isConduct = option.ofProgram && option.ofProgram->kind == runtime::ProgramOption::conduct;
  return option.takesValue && !isConduct && std::ranges::find(others, option.name) == std::end(others);
}

static void checkName(const std::string &name) {
  if (isParameter(name))
    return;
  std::vector<std::string> names{"set.NAME", "task-set.NAME", "spec"};
  for (std::span<const TrainOption> table : {compilerOptions(), programOptions()})
    for (const TrainOption &option : table)
      if (mayVary(option))
        names.emplace_back(option.name.substr(2));
  if (std::ranges::find(names.begin() + 2, names.end(), name) == names.end())
    throw wrong("an axis must be an option of train that can vary, 'set.NAME', 'task-set.NAME' or 'spec', but got '" +
                name + "'" + runtime::suggestName(name, names));
}

runtime::Axis parseAxis(const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw wrong("--over must look like NAME=VALUE,VALUE, but got '" + text + "'");
  runtime::Axis axis{text.substr(0, equals), withoutRanges(splitValues(text.substr(equals + 1), text), text)};
  checkName(axis.name);
  checkValues(axis);
  return axis;
}

std::vector<std::string> optionWords(const runtime::Axis &axis, const std::string &value) {
  if (axis.isSpec())
    return {value};
  if (!isParameter(axis.name))
    return {"--" + axis.name, value};
  const size_t dot = axis.name.find('.');
  return {"--" + axis.name.substr(0, dot), axis.name.substr(dot + 1) + "=" + value};
}

std::vector<std::vector<std::string>> combinations(std::span<const runtime::Axis> axes) {
  std::vector<std::vector<std::string>> runs{{}};
  for (const runtime::Axis &axis : axes) {
    constexpr size_t most = 10000;
    if (runs.size() * axis.values.size() > most)
      throw wrong("a sweep must have at most " + std::to_string(most) + " runs, but got more");
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string> &run : runs)
      for (const std::string &value : axis.values) {
        longer.push_back(run);
        longer.back().push_back(value);
      }
    runs = std::move(longer);
  }
  return runs;
}

// Text with what file systems and shells dislike replaced by single dashes.
static std::string plain(const std::string &text) {
  std::string plain;
  for (char c : text) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+' || c == '_';
    if (kept)
      plain += c;
    else if (!plain.empty() && plain.back() != '-')
      plain += '-';
  }
  while (!plain.empty() && plain.back() == '-')
    plain.pop_back();
  return plain.empty() ? "none" : plain;
}

// What a value adds to the name of a folder.
static std::string namePart(const runtime::Axis &axis, const std::string &value) {
  if (axis.isSpec())
    return plain(std::filesystem::path(value).stem().string());
  return plain(axis.name.substr(axis.name.find('.') + 1)) + "-" + plain(value);
}

std::vector<std::string> folderNames(std::span<const runtime::Axis> axes,
                                     std::span<const std::vector<std::string>> runs) {
  constexpr size_t most = 190; // and room for a number
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::vector<std::string> &values : runs) {
    std::string name;
    for (size_t i = 0; i < axes.size(); ++i)
      name += (i ? "_" : "") + namePart(axes[i], values[i]);
    name.resize(std::min(name.size(), most));
    const std::string stem = name;
    for (size_t n = 2; !taken.insert(name).second; ++n)
      name = stem + "_" + std::to_string(n);
    names.push_back(name);
  }
  return names;
}

} // namespace stretto::tools
