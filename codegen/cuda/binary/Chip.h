//===- Chip.h - GPU architectures that code can be made for --------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <string>

namespace llvm {
class Twine;
}

namespace stretto::codegen {

/// A GPU architecture as NVIDIA's tools and LLVM name it. The name ends in `a` where the code uses what this
/// architecture alone has, in `f` where what its family has; code of neither kind runs on newer ones, too.
struct Chip {
  llvm::StringRef name; // e.g. sm_90a
  unsigned version;     // 90
  unsigned leastPtx;    // the oldest PTX version that knows it, 80 for 8.0 (from LLVM 22: older ones abort the process)

  bool isPortable() const { return name.back() != 'a' && name.back() != 'f'; }
  /// The architecture as PTX for a driver's compiler is named: compute_90a.
  std::string virtualName() const { return ("compute_" + name.drop_front(3)).str(); }

  /// The chip of a name. Reports an unknown one with the nearest known name, and one that is too old.
  static llvm::FailureOr<Chip> resolve(llvm::StringRef name, llvm::function_ref<void(const llvm::Twine &)> reportError);
  /// Every chip that is new enough, the oldest first.
  static llvm::ArrayRef<Chip> all();
};

} // namespace stretto::codegen
