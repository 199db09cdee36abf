// Why a rank ended, for the user.
#include "runtime/dist/last_words.h"

#include <algorithm>
#include <fmt/format.h>

#include <sys/wait.h>

namespace stretto::runtime {
namespace {

constexpr std::string_view errorMark = "error: ";

// The last lines of a text, each behind two spaces.
std::string lastLines(std::string_view text, int most) {
  size_t begin = text.size();
  for (int lines = 0; lines < most && begin != 0; ++lines) {
    const size_t end = begin > 1 ? text.rfind('\n', begin - 2) : text.npos;
    begin = end == text.npos ? 0 : end + 1;
  }
  std::string result;
  for (text.remove_prefix(begin); !text.empty();) {
    const size_t end = std::min(text.find('\n'), text.size());
    result += fmt::format("\n  {}", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

// From the last line that is an error to the end; empty where there is none.
std::string_view lastError(std::string_view text) {
  size_t at = text.rfind(errorMark);
  while (at != text.npos && at != 0 && text[at - 1] != '\n')
    at = text.rfind(errorMark, at - 1);
  return at == text.npos ? "" : text.substr(at + errorMark.size());
}

} // namespace

bool toldError(std::string_view said) { return !lastError(said).empty(); }

std::string lastWords(int rank, int pid, int status, std::string_view said) {
  while (said.ends_with('\n'))
    said.remove_suffix(1);
  const std::string name = fmt::format("rank {} (pid {})", rank, pid);
  if (const std::string_view error = lastError(said); !error.empty() && WIFEXITED(status))
    return fmt::format("{}: {}", name, error);
  const std::string how = WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                              : fmt::format("ended with status {}", WEXITSTATUS(status));
  return fmt::format("{} {}{}{}", name, how, said.empty() ? "" : "; it said last:", lastLines(said, 8));
}

} // namespace stretto::runtime
