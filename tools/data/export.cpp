// Sequences of a task written to files.
#include "tools/data/export.h"

#include "runtime/train/files.h"
#include "tasks/common/files.h"
#include "tasks/tokens/token_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

namespace stretto::tools {

namespace {

// Finds the token that stands at one kind of place, and nowhere else.
class Mark {
public:
  void see(int32_t token, bool there) {
    if (there && !candidate)
      candidate = token;
    unsure |= there ? *candidate != token : false;
    if (!there && int64_t(elsewhere.size()) <= token)
      elsewhere.resize(size_t(token) + 1);
    if (!there)
      elsewhere[token] = true;
  }
  bool isSeen() const { return candidate.has_value(); }
  int64_t id() const {
    const bool single = candidate && !unsure;
    return single && (int64_t(elsewhere.size()) <= *candidate || !elsewhere[*candidate]) ? *candidate : -1;
  }

private:
  std::optional<int32_t> candidate;
  std::vector<bool> elsewhere;
  bool unsure = false;
};

} // namespace

static void forRows(const runtime::Task &task, uint64_t seed, runtime::Stream stream, uint64_t first, int64_t rows,
                    const std::function<void(Samples &)> &visit) {
  for (int64_t r = 0; r < rows; ++r) {
    Samples row(task, seed, stream, first + uint64_t(r), 1);
    visit(row);
  }
}

namespace {
struct Marks {
  tasks::TokenHeader header;
  bool suffice; // to say where documents begin
};
} // namespace

// The tokens that open and end documents. What stands first in a sequence need not open a document, nor end what came
// before.
static Marks findMarks(const runtime::Task &task, uint64_t seed, runtime::Stream stream, uint64_t first, int64_t rows) {
  Mark opener, separator;
  forRows(task, seed, stream, first, rows, [&](Samples &row) {
    for (int64_t t = 1; t < row.length; ++t) {
      opener.see(row.tokens[t], row.positions[t] == 0);
      separator.see(row.tokens[t - 1], row.positions[t] == 0);
    }
  });
  const tasks::TokenHeader header = {.vocabulary = task.vocabulary(),
                                     .separator = separator.id(),
                                     .opener = opener.id(),
                                     .count = rows * task.length()};
  return {header, !opener.isSeen() || header.opener >= 0 || header.separator >= 0};
}

namespace {

// A new file, which has its name when it is whole: until keep() it lies beside it under a name of this process, and
// goes with this object.
class NewFile {
public:
  explicit NewFile(const std::string &path)
      : path(path), partial(path + std::string(runtime::temporaryMark) + std::to_string(getpid())) {
    if (tasks::fileExists(path))
      fail(EEXIST);
    std::remove(partial.c_str()); // of a process that had this number and was killed
    const int made = open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (made < 0)
      fail(errno);
    close(made);
    stream.open(partial, std::ios::binary);
    check();
  }
  ~NewFile() { std::remove(partial.c_str()); }
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;

  // Throws TaskError where something could not be written.
  void check() const {
    if (!stream)
      fail(errno);
  }
  void keep() {
    stream.close();
    check();
    if (link(partial.c_str(), path.c_str()) == 0)
      return;
    if (errno == EEXIST || tasks::fileExists(path))
      fail(EEXIST);
    if (std::rename(partial.c_str(), path.c_str()) != 0) // file systems without links
      fail(errno);
  }

  std::ofstream stream;

private:
  [[noreturn]] void fail(int code) const {
    throw tasks::TaskError("cannot write '" + path + "': " + (code == EEXIST ? "it exists" : std::strerror(code)));
  }

  std::string path, partial;
};

} // namespace

bool exportRows(const std::string &path, const runtime::Task &task, uint64_t seed, runtime::Stream stream,
                uint64_t first, int64_t rows, PrintOptions options) {
  const bool tokens = path.ends_with(".tokens");
  if (!tokens && !path.ends_with(".jsonl"))
    throw tasks::TaskError("--export must name a file that ends in .jsonl or .tokens, but got '" + path + "'");
  if (tokens && options.published)
    throw tasks::TaskError("--export must name a .jsonl file where --ids=published");
  NewFile file(path);
  std::ofstream &out = file.stream;
  bool saysDocuments = true;
  if (tokens) {
    const auto [header, suffice] = findMarks(task, seed, stream, first, rows);
    saysDocuments = suffice;
    tasks::writeTokenHeader(out, header);
    forRows(task, seed, stream, first, rows, [&](Samples &row) {
      tasks::writeTokens(out, header, row.tokens);
      file.check();
    });
  } else {
    forRows(task, seed, stream, first, rows, [&](Samples &row) {
      printJson(out, task, row, options);
      file.check();
    });
  }
  file.keep();
  return saysDocuments;
}

} // namespace stretto::tools
