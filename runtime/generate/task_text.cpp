// Tokens of a task as text, and text as tokens.
#include "runtime/generate/task_text.h"

#include "runtime/core/error.h"
#include "runtime/core/utf8.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace stretto::runtime {
namespace {

// Each word with a space before and behind it.
std::string singleSpaces(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string spaced = " ";
  for (std::string word; words >> word;)
    spaced.append(word).append(" ");
  return spaced;
}

// The word around a place where there is no space.
std::string_view wordAt(std::string_view text, size_t at) {
  const size_t from = text.rfind(' ', at) + 1;
  return text.substr(from, text.find(' ', at) - from);
}

} // namespace

TaskText::TaskText(std::unique_ptr<const Task> taskIn) : task(std::move(taskIn)) {
  for (int32_t id = 0; id < task->vocabulary(); ++id) {
    std::string text = task->text(id);
    longest = std::max(longest, text.size());
    ids.emplace(std::move(text), id);
  }
}

// The bytes of the longest token that a text opens with, but not fewer than `least`; 0 where there is none.
size_t TaskText::longestToken(std::string_view text, size_t least) const {
  size_t size = std::min(longest, text.size());
  while (size >= least && !ids.contains(std::string(text.substr(0, size))))
    --size;
  return size >= least ? size : 0;
}

std::vector<int32_t> TaskText::read(std::string_view text, const std::string &place) const {
  const std::string spaced = singleSpaces(text);
  const std::vector<std::string> parts = task->cutText(spaced);
  std::vector<int32_t> tokens;
  size_t at = 0;
  const auto readUpTo = [&](size_t end, bool isToken) {
    while (at < end && at + 1 < spaced.size()) { // the last is the space behind the last word
      const std::string_view rest = std::string_view(spaced).substr(at, end - at);
      if (const size_t size = longestToken(rest, isToken ? rest.size() : 1)) {
        tokens.push_back(ids.at(std::string(rest.substr(0, size))));
        at += size;
      } else if (rest[0] == ' ') {
        ++at;
      } else {
        refuse(wordAt(spaced, at), place);
      }
    }
  };
  for (const std::string &part : parts)
    readUpTo(at + part.size(), /*isToken=*/true);
  readUpTo(spaced.size(), /*isToken=*/false);
  return tokens;
}

void TaskText::refuse(std::string_view word, const std::string &place) const {
  throw Error(fmt::format("{}: a prompt must be words of the vocabulary of task '{}', but got '{}' (stretto data {} "
                          "--vocabulary, with the settings of the run, lists it)",
                          place, task->name(), printable(word), task->name()));
}

std::string TaskText::write(std::span<const int32_t> tokens) const {
  std::string text;
  for (const int32_t token : tokens) {
    const bool isOfTask = token >= 0 && token < task->vocabulary();
    const std::string next = isOfTask ? task->text(token) : fmt::format(" <{}> ", token);
    if (text.ends_with(' ') && next.starts_with(' '))
      text.pop_back();
    text += next;
  }
  const size_t from = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(from, text.find_last_not_of(' ') + 1 - from);
}

std::unique_ptr<const TaskText> makeTaskText(const RunConfig &config, const TaskRegistry &tasks) {
  if (!config.text)
    return nullptr;
  if (config.task.empty())
    throw Error(config.origins.at("text").placed("--text needs a task, whose text it is: give --task NAME"));
  return std::make_unique<const TaskText>(tasks.make(config.task, config.taskSettings));
}

} // namespace stretto::runtime
