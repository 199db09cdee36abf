// Files of tokens: a header, then ids.
#include "tasks/tokens/token_file.h"

#include "runtime/core/token_magic.h"
#include "runtime/core/utf8.h"
#include "tasks/common/parameters.h"

#include <algorithm>
#include <cstring>

namespace stretto::tasks {

static constexpr std::string_view magic = runtime::tokenMagic;
static constexpr int64_t mostIds = (int64_t{1} << 31) - 1;

static uint64_t readNumber(const std::byte *at, int width) {
  uint64_t number = 0;
  for (int i = 0; i < width; ++i)
    number |= uint64_t(at[i]) << (8 * i);
  return number;
}

static TokenHeader readHeader(std::span<const std::byte> bytes, const std::string &path) {
  auto fail = [&](const std::string &what) { throw TaskError("token file '" + path + "': " + what); };
  if (int64_t(bytes.size()) < tokenHeaderBytes)
    fail("must open with a header of " + std::to_string(tokenHeaderBytes) + " bytes, but got " +
         std::to_string(bytes.size()) + " bytes");
  if (std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    fail("must open with 'sttokens', but got '" +
         runtime::printable({reinterpret_cast<const char *>(bytes.data()), 8}) + "'");
  auto number = [&](int64_t at, int width) { return int64_t(readNumber(bytes.data() + at, width)); };
  if (number(8, 4) != 1)
    fail("must have version 1, but got " + std::to_string(number(8, 4)));
  TokenHeader head = {number(12, 4), number(16, 8), number(24, 8), number(32, 8), number(40, 8)};
  if (head.width != 2 && head.width != 4)
    fail("ids must be 2 or 4 bytes wide, but got " + std::to_string(head.width));
  const int64_t most = head.width == 2 ? 1 << 16 : mostIds;
  if (head.vocabulary < 1 || head.vocabulary > most)
    fail("the vocabulary must lie in 1.." + std::to_string(most) + " for ids of " + std::to_string(head.width) +
         " bytes, but got " + std::to_string(uint64_t(head.vocabulary)));
  for (int64_t id : {head.separator, head.opener})
    if (id < -1 || id >= head.vocabulary)
      fail("the ids that part documents must lie in -1.." + std::to_string(head.vocabulary - 1) + ", but got " +
           std::to_string(id));
  const uint64_t rest = bytes.size() - uint64_t(tokenHeaderBytes);
  if (rest % uint64_t(head.width) || rest / uint64_t(head.width) != uint64_t(head.count))
    fail("must hold " + std::to_string(uint64_t(head.count)) + " ids of " + std::to_string(head.width) +
         " bytes after its header, but got " + std::to_string(rest) + " bytes");
  return head;
}

TokenView::TokenView(std::span<const std::byte> bytes, const std::string &path)
    : head(readHeader(bytes, path)), ids(bytes.data() + tokenHeaderBytes),
      ofBytes(digestOf(bytes.first(tokenHeaderBytes))) {
  constexpr int64_t piece = 1 << 16; // ids: in a cache between the two looks at them
  for (int64_t from = 0; from < head.count; from += piece) {
    const int64_t to = std::min(from + piece, head.count);
    checkIds(from, to, path);
    ofBytes = digestOf(bytes.subspan(size_t(tokenHeaderBytes + from * head.width), size_t((to - from) * head.width)),
                       ofBytes);
  }
}

void TokenView::checkIds(int64_t from, int64_t to, const std::string &path) const {
  for (int64_t i = from; i < to; ++i)
    if (int64_t id = uint32_t((*this)[i]); id >= head.vocabulary)
      throw TaskError("token file '" + path + "': ids must be below the vocabulary of " +
                      std::to_string(head.vocabulary) + ", but id " + std::to_string(i) + ", at byte " +
                      std::to_string(tokenHeaderBytes + i * head.width) + ", is " + std::to_string(id));
}

static void writeNumber(std::ostream &out, uint64_t number, int width) {
  for (int i = 0; i < width; ++i)
    out.put(char(number >> (8 * i)));
}

static int widthOf(const TokenHeader &header) { return header.vocabulary <= 1 << 16 ? 2 : 4; }

void writeTokenHeader(std::ostream &out, const TokenHeader &header) {
  out.write(magic.data(), magic.size());
  writeNumber(out, 1, 4);
  writeNumber(out, uint64_t(widthOf(header)), 4);
  for (int64_t number : {header.vocabulary, header.separator, header.opener, header.count})
    writeNumber(out, uint64_t(number), 8);
}

void writeTokens(std::ostream &out, const TokenHeader &header, std::span<const int32_t> tokens) {
  for (int32_t token : tokens)
    writeNumber(out, uint64_t(token), widthOf(header));
}

} // namespace stretto::tasks
