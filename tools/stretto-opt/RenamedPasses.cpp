//===- RenamedPasses.cpp - names that passes and their options had -------------===//
#include "tools/stretto-opt/RenamedPasses.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

static constexpr std::pair<StringRef, StringRef> renamed[] = {
    {"kern-check-memory", "kern-verify-memory"},      {"kern-repeat-cheap", "kern-duplicate-producers"},
    {"seq-add-in-products", "seq-fuse-residuals"},    {"seq-merge-products", "seq-merge-matmuls"},
    {"seq-separate-documents", "seq-mask-documents"},
};

/// An option of both passes that choose schedules.
static constexpr std::pair<StringRef, StringRef> renamedOption = {"given", "overrides"};

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

/// The pass that an argument gives the renamed option to; empty where there is none.
static StringRef passOfRenamedOption(StringRef argument) {
  if (holdsWord(argument, renamedOption.first) && argument.contains((renamedOption.first + "=").str()))
    for (StringRef pass : {"kern-choose-schedule", "kern-choose-cuda-schedule"})
      if (holdsWord(argument, pass))
        return pass;
  return "";
}

std::string stretto::tools::describeRenamedPass(int count, const char *const *arguments) {
  for (StringRef argument : llvm::ArrayRef(arguments, count).drop_front()) {
    if (!argument.starts_with("-"))
      continue;
    for (auto [old, current] : renamed)
      if (holdsWord(argument, old))
        return llvm::formatv("the pass '{0}' is called '{1}' now", old, current);
    if (StringRef pass = passOfRenamedOption(argument); !pass.empty())
      return llvm::formatv("the option '{0}' of '{1}' is called '{2}' now", renamedOption.first, pass,
                           renamedOption.second);
  }
  return "";
}
