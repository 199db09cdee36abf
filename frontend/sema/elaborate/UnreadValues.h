// Values that nothing reads: warnings of a whole model.
#pragma once

#include "frontend/sema/FunctionBuilder.h"
#include "frontend/sema/Reporter.h"

#include "llvm/ADT/MapVector.h"

#include <map>

namespace stretto::frontend {

/// A place of the source makes several values where its function is called with other numbers, and in each layer of a
/// repeat: it is one that nothing reads if none of them is read.
class UnreadValues {
public:
  /// Takes up the results with a name of a function that is finished.
  void note(const FunctionBuilder &built);
  /// Warns of places whose values nothing reads, in the order in which they were met.
  void warn(Reporter &reporter) const;

private:
  struct Place {
    SourceRange range;
    bool isRead = false;
  };
  using Key = std::tuple<uint32_t, uint32_t, std::string>; // file, begin, name
  llvm::MapVector<Key, Place, std::map<Key, unsigned>> places;
};

/// Warns of one value.
void warnOfUnread(Reporter &reporter, SourceRange range, llvm::StringRef name);

} // namespace stretto::frontend
