// Characters of texts in UTF-8.
#include "frontend/diagnostics/Characters.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

using namespace stretto;
using namespace stretto::frontend;

Character frontend::firstCharacter(llvm::StringRef text) {
  const llvm::UTF8 *next = text.bytes_begin();
  llvm::UTF32 code = 0;
  bool isValid =
      llvm::convertUTF8Sequence(&next, text.bytes_end(), &code, llvm::strictConversion) == llvm::conversionOK;
  if (!isValid)
    return {*text.bytes_begin(), text.take_front(1), false};
  return {code, text.take_front(next - text.bytes_begin()), true};
}

/// Whether terminals show it: controls and invalid bytes are not shown, nor is what changes the direction of a text.
static bool isPrintable(const Character &character) {
  return character.isValid && llvm::sys::unicode::isPrintable(character.code);
}

unsigned frontend::columnsOf(const Character &character) {
  return isPrintable(character) ? std::max(0, llvm::sys::unicode::columnWidthUTF8(character.bytes)) : 1;
}

std::string frontend::describe(const Character &character) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool isAscii = character.code < 128;
  if (!character.isValid)
    os << "byte " << llvm::format("0x%02X", character.code) << ", which is no UTF-8";
  else if (!isPrintable(character))
    os << "character " << llvm::format("U+%04X", character.code);
  else
    os << "character '" << character.bytes << '\'';
  if (!isAscii && isPrintable(character))
    os << llvm::format(" (U+%04X)", character.code);
  return text;
}

std::string frontend::printable(llvm::StringRef text) {
  std::string shown;
  while (!text.empty()) {
    Character character = firstCharacter(text);
    shown += character.code == '\t' || isPrintable(character) ? character.bytes : "?";
    text = text.drop_front(character.bytes.size());
  }
  return shown;
}
