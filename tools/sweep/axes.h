// The axes of a sweep and their product.
#pragma once

#include "runtime/runs/sweep_file.h"

#include <span>

namespace stretto::tools {

// "name=value,value,...": commas inside of brackets do not separate, "0..4" is a range of integers. The name is an
// option of the program that takes a value, without dashes, or "set.X", "task-set.X", or "spec". Throws CommandError
// (status 2) for other names (with the nearest one), options that belong to the sweep itself, empty or repeated values,
// brackets that do not match and specs that are no such files.
runtime::Axis parseAxis(const std::string &text);

// The words that give an axis a value on the command line of `stretto train`.
std::vector<std::string> optionWords(const runtime::Axis &axis, const std::string &value);

// Every combination of the values, the last axis changing fastest. Throws CommandError where there are more than 10000.
std::vector<std::vector<std::string>> combinations(std::span<const runtime::Axis> axes);

// A folder name for each combination: "llama_lr-1e-3_canon_at-A-B_seed-0"; letters, digits, '.', '-', '+' and '_' only,
// no two the same, at most 200 characters.
std::vector<std::string> folderNames(std::span<const runtime::Axis> axes,
                                     std::span<const std::vector<std::string>> runs);

} // namespace stretto::tools
