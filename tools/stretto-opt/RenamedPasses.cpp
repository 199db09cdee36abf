//===- RenamedPasses.cpp - names that passes had ------------------------------===//
#include "tools/stretto-opt/RenamedPasses.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

static constexpr std::pair<StringRef, StringRef> renamed[] = {
    {"kern-check-memory", "kern-verify-memory"},      {"kern-repeat-cheap", "kern-duplicate-producers"},
    {"seq-add-in-products", "seq-fuse-residuals"},    {"seq-merge-products", "seq-merge-matmuls"},
    {"seq-separate-documents", "seq-mask-documents"},
};

/// Whether a text holds a word; `-` belongs to words.
static bool holdsWord(StringRef text, StringRef word) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_'; };
  for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1)) {
    StringRef before = text.take_front(at).rtrim('-'), behind = text.drop_front(at + word.size());
    if ((before.empty() || !isPart(before.back())) && (behind.empty() || !isPart(behind.front())))
      return true;
  }
  return false;
}

std::string stretto::tools::describeRenamedPass(int count, const char *const *arguments) {
  for (int i = 1; i < count; ++i)
    for (auto [old, current] : renamed)
      if (StringRef argument = arguments[i]; argument.starts_with("-") && holdsWord(argument, old))
        return llvm::formatv("the pass '{0}' is called '{1}' now", old, current);
  return "";
}
