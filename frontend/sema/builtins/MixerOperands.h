// The operands that linear_attention may be called without.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace stretto::frontend {

struct MixerOperand {
  llvm::StringRef name, attribute; // the attribute of the operation says whether it is given
  bool perHead, perKeyColumn;      // what it may have a column for
  bool mayBeWeight = false;        // whether the operation takes it without batch and time
};

/// In the order of the operation, behind q, k and v.
inline constexpr MixerOperand mixerOperands[] = {{"decay", "has_decay", true, true, true},
                                                 {"write", "has_write", true, false},
                                                 {"beta", "has_beta", true, false},
                                                 {"erase", "has_erase", false, true},
                                                 {"erase_write", "has_erase_write", false, true}};

} // namespace stretto::frontend
