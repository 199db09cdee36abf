//===- LiveRanges.h - which memory is in use, and when -------------------------===//
#pragma once

#include "codegen/memory/Allocate.h"
#include "codegen/memory/SlotAssigner.h"

#include "llvm/ADT/MapVector.h"

namespace stretto::codegen {

/// Some bytes of a root (a node of the storage that lies in no other) in use by one value for one span of time.
struct Occupation {
  int64_t from, to; // bytes, from the start of the root
  Interval live;
  bool isSlot; // of a stack: the bytes are those of some iterations only
};

/// All occupations of the roots of one entry point and of the bodies it calls, by root. Uses through views are those
/// of the views.
llvm::MapVector<unsigned, llvm::SmallVector<Occupation>> collectOccupations(SlotAssigner &assigner,
                                                                            const Timeline &timeline);

/// The pieces of a root that are live at times of their own: the slots of a stack apart, anything else as a whole of
/// `bytes`.
llvm::SmallVector<LivePiece> piecesOf(llvm::ArrayRef<Occupation> occupations, int64_t bytes);

} // namespace stretto::codegen
