// Tokens of a task as text, and text as tokens.
#pragma once

#include "runtime/train/config.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stretto::runtime {

class TaskText {
public:
  explicit TaskText(std::unique_ptr<const Task> task);

  // The tokens of a text: at each place the longest, where the task does not cut the text. White space of ASCII counts
  // as one space, and a space that belongs to no token is left out. Throws Error, opening with `place`, for a word that
  // tokens do not spell.
  std::vector<int32_t> read(std::string_view text, const std::string &place) const;

  // The texts of tokens joined, with single spaces. An id that the task does not have is written as a mark: "<32>".
  std::string write(std::span<const int32_t> tokens) const;

private:
  size_t longestToken(std::string_view text, size_t least) const;
  [[noreturn]] void refuse(std::string_view word, const std::string &place) const;

  std::unique_ptr<const Task> task;
  std::unordered_map<std::string, int32_t> ids; // by text
  size_t longest = 0;                           // text, in bytes
};

// That of the task of a run, where --text asks for it; else null. Throws Error where there is no task.
std::unique_ptr<const TaskText> makeTaskText(const RunConfig &config, const TaskRegistry &tasks);

} // namespace stretto::runtime
