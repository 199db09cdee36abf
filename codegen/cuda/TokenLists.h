//===- TokenLists.h - where the tokens of a block's part of the vocabulary stand --===//
//
// A block looks after `ids` neighbouring ids. Each of its warps looks through a range of the positions and lists those
// of such ids in shared memory, in order; then the lists of all warps are sorted by id, again in order (a counting
// sort). Where the lists are full before the positions end, what is listed is worked off, and the warps go on.
#pragma once

#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/KernelFunction.h"

namespace stretto::codegen {

class TokenLists {
public:
  static constexpr int64_t warps = 8, threads = warps * warpThreads;
  /// Positions a warp lists before it waits for the others.
  static constexpr int64_t warpItems = 192;
  /// Ids that a block can look after at most.
  static constexpr int64_t mostIds = 128;

  /// Positions of `tokens` (i32) below `positions`; `ids` is a power of two, at most 2^32 / positions. `firstId` is the
  /// block's first id, and it looks after `count` of them (i64 both). `thread`: number of the thread in the block.
  TokenLists(CudaBuilder &b, KernelFunction &function, mlir::Value tokens, int64_t positions, int64_t ids,
             mlir::Value firstId, mlir::Value count, mlir::Value thread);

  /// Repeats for each filling of the lists: `body(isFirst)`, in front of which all threads meet.
  void forEachFilling(llvm::function_ref<void(mlir::Value)> body);

  // Of the current filling, where ids count from the block's first:
  mlir::Value size();                 // items, in order of their ids and within those in order of position
  mlir::Value start(mlir::Value id);  // the first item of an id; `ids`: the end
  mlir::Value idOf(mlir::Value item); // of item number `item`
  mlir::Value positionOf(mlir::Value item);

private:
  static constexpr int64_t loads = 4, chunk = loads * warpThreads; // positions a warp looks at together

  mlir::Value word(int64_t value);
  mlir::Value number(mlir::Value word);
  mlir::Value readWord(mlir::Value array, mlir::Value at) { return b.load(b.getI32Type(), 1, wordAt(array, at)); }
  void writeWord(mlir::Value value, mlir::Value array, mlir::Value at) { b.store(value, wordAt(array, at)); }
  mlir::Value wordAt(mlir::Value array, mlir::Value at) { return b.address(array, b.getI32Type(), at); }
  /// How many lanes of `ballot` are below this one; how many in all.
  mlir::Value lanesBelow(mlir::Value ballot);
  mlir::Value lanesOfBallot(mlir::Value ballot);

  Values look(mlir::Value chunkNumber, mlir::Value listed);
  mlir::Value append(mlir::Value position, mlir::Value local, mlir::Value isOurs, mlir::Value listed);
  mlir::Value idBits(mlir::Value item);
  void clearCounts();
  void walk(mlir::Value listed, bool place);
  void addCounts();
  mlir::Value prefix(mlir::Value own, mlir::Value &total);

  CudaBuilder &b;
  mlir::Value tokens, firstId, count, thread;
  int64_t positions, ids, idShift;
  mlir::Value lane, warp;
  mlir::Value lists;  // [warps][warpItems]: id << idShift | position
  mlir::Value sorted; // [warps * warpItems]
  mlir::Value counts; // [warps][ids]: items of a warp's list, then where the next of them goes
  mlir::Value starts; // [ids + 1]
  mlir::Value unread; // [warps]: whether a warp has positions left
  mlir::Value again;  // whether one has
};

} // namespace stretto::codegen
