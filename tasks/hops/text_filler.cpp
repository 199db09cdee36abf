// What stands between facts: pieces of a text of the user.
#include "runtime/core/utf8.h"
#include "tasks/common/digest.h"
#include "tasks/common/files.h"
#include "tasks/hops/filler.h"

#include <algorithm>

namespace stretto::tasks {

namespace {

class TextFiller final : public Filler {
public:
  TextFiller(const std::string &path, Vocabulary &words) {
    const std::string read = readWords(path), text = singleSpaces(read);
    ofFile = digestText(digestOf(read));
    if (text.empty())
      throw TaskError("text '" + path + "' must hold words");
    for (size_t from = 0; from < text.size();) {
      size_t end = sentenceEnd(text, from);
      std::vector<int32_t> tokens = words.encode(std::string_view(text).substr(from, end - from));
      all.tokens.insert(all.tokens.end(), tokens.begin(), tokens.end());
      all.ends.push_back(int64_t(all.tokens.size()));
      least = std::min(least, int64_t(tokens.size()));
      from = end;
    }
    if (words.size() > 1 << 20)
      throw TaskError("text '" + path + "' must hold at most 1048576 different words, but got " +
                      std::to_string(words.size()));
  }

  Sentences draw(Random &random, int64_t most) const override {
    const size_t first = random.below(all.ends.size());
    const int64_t from = first ? all.ends[first - 1] : 0;
    Sentences run;
    size_t next = first;
    for (; next < all.ends.size() && all.ends[next] - from <= most; ++next)
      run.ends.push_back(all.ends[next] - from);
    if (!run.ends.empty())
      run.tokens.assign(all.tokens.begin() + from, all.tokens.begin() + all.ends[next - 1]);
    return run;
  }

  int64_t shortest() const override { return least; }
  std::string digest() const override { return ofFile; }

private:
  static std::string readWords(const std::string &path) {
    std::string text = readTextFile(path);
    const size_t size = std::min(runtime::validUtf8(text), text.find('\0'));
    if (size < text.size())
      throw TaskError(path + ":" + std::to_string(1 + std::count(text.begin(), text.begin() + int64_t(size), '\n')) +
                      ": a text must be written in UTF-8, but got the byte " + std::to_string(uint8_t(text[size])));
    return text;
  }

  // Each word with one space before it.
  static std::string singleSpaces(const std::string &text) {
    std::string result;
    bool space = true;
    for (char c : text) {
      bool isSpace = c == ' ' || (c >= '\t' && c <= '\r');
      if (!isSpace && space)
        result += ' ';
      if (!isSpace)
        result += c;
      space = isSpace;
    }
    return result;
  }

  static size_t sentenceEnd(const std::string &text, size_t from) {
    for (size_t space = text.find(' ', from + 1); space != std::string::npos; space = text.find(' ', space + 1)) {
      size_t last = text.find_last_not_of("\"')]", space - 1);
      if (last != std::string::npos && (text[last] == '.' || text[last] == '!' || text[last] == '?'))
        return space;
    }
    return text.size();
  }

  Sentences all;
  int64_t least = INT64_MAX;
  std::string ofFile;
};

} // namespace

std::unique_ptr<Filler> makeTextFiller(const std::string &path, Vocabulary &words) {
  return std::make_unique<TextFiller>(path, words);
}

} // namespace stretto::tasks
