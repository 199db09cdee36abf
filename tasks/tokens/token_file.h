// Files of tokens: a header, then ids. All numbers are little-endian.
//
//   byte  0   "sttokens"
//   byte  8   u32   version, 1
//   byte 12   u32   width of an id in bytes, 2 or 4
//   byte 16   u64   vocabulary: ids are below it
//   byte 24   i64   id of a token that ends a document; -1: none
//   byte 32   i64   id of a token that opens a document; -1: none
//   byte 40   u64   number of ids
//   byte 48   ids, unsigned
#pragma once

#include "tasks/common/digest.h"
#include "tasks/common/files.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace stretto::tasks {

struct TokenHeader {
  int64_t width = 4, vocabulary = 0, separator = -1, opener = -1, count = 0;
};

inline constexpr int64_t tokenHeaderBytes = 48;

// The bytes of a token file, which somebody else keeps.
class TokenView {
public:
  // Reads every id once. Throws TaskError, with the path, for bytes that are no token file, have not the size the
  // header tells, or hold an id outside of the vocabulary.
  TokenView(std::span<const std::byte> bytes, const std::string &path);

  const TokenHeader &header() const { return head; }
  // The digest of all bytes.
  std::string digest() const { return digestText(ofBytes); }
  // The i-th id, i below header().count.
  int32_t operator[](int64_t i) const {
    const std::byte *at = ids + i * head.width;
    uint32_t id = uint32_t(at[0]) | uint32_t(at[1]) << 8;
    return int32_t(head.width == 2 ? id : id | uint32_t(at[2]) << 16 | uint32_t(at[3]) << 24);
  }

private:
  void checkIds(int64_t from, int64_t to, const std::string &path) const;

  TokenHeader head;
  const std::byte *ids;
  uint64_t ofBytes;
};

// A token file, mapped into memory. Throws TaskError as a view does, and where the file cannot be read.
class TokenFile : private MappedFile, public TokenView {
public:
  explicit TokenFile(const std::string &path) : MappedFile(path), TokenView(bytes(), path) {}
  using MappedFile::expectUnchanged;
};

// Writes a header, or ids after it. The width is 2 where the vocabulary allows it; header.width is ignored.
void writeTokenHeader(std::ostream &out, const TokenHeader &header);
void writeTokens(std::ostream &out, const TokenHeader &header, std::span<const int32_t> tokens);

} // namespace stretto::tasks
