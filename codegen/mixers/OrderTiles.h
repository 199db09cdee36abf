//===- OrderTiles.h - the order of the operations of a tile program -------------===//
#pragma once

#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Orders the body of a walk so that few tiles are held at once: each operation stands just before what reads it, of
/// several operands the one whose computation holds most comes first, and what makes a list of a tile follows as soon
/// as the tile is there.
void orderTiles(kern::WalkOp walk);

} // namespace stretto::codegen
