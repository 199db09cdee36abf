// What the elaborator makes and what is lowered to MLIR are the same operations.
#include "frontend/lowering/Lowering.h"
#include "frontend/sema/builtins/Builtin.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace stretto::frontend;

namespace {

std::vector<llvm::StringRef> sorted(std::vector<llvm::StringRef> names) {
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Lowerings, AreThoseOfTheOperationsOfTheLanguage) { EXPECT_EQ(sorted(loweredNames()), sorted(operationNames())); }

TEST(Lowerings, HaveOneEntryForEachName) {
  size_t entries = elementwiseLowerings().size() + sequenceLowerings().size() + callLowerings().size();
  EXPECT_EQ(entries, loweredNames().size());
}

TEST(Builtins, HaveOneEntryForEachName) {
  std::vector<llvm::StringRef> names = sorted(builtinNames());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

} // namespace
