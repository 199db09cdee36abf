//===- NarrowMixer.h - mixers with many heads of a few columns -------------------===//
//
// Tiles would be empty for the most part there: a recurrence of each column by itself has heads of one key and one
// value column. Instead each key column of each head has a thread, which goes from token to token with its row of the
// state in registers. Neighbouring threads have neighbouring columns. What is summed over the key columns of a head is
// exchanged within a warp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/KernelFunction.h"

#include "ir/seq/SeqOps.h"

namespace stretto::codegen {

/// Whether a kernel of that kind is the way for a seq.mixer or seq.mixer_grad.
bool isNarrowMixer(mlir::Operation *op);

/// The operands that a mixer and its gradient have in common; null where they are not given. Sizes, and how threads
/// share them.
struct NarrowMixer {
  template <typename Op> explicit NarrowMixer(Op op);

  mlir::Value q, k, v, decay, write, beta, erase, eraseWrite, positions;
  int64_t batch, length, segment;
  int64_t heads, keyHeads, keys, values; ///< keys, values: columns of a head
  int64_t headsOfPart = 1;               ///< that the gradients of q and k have one part for
  double scale;
  bool byChannel, before; ///< a decay for each key column; what is erased is read before the decay
  mlir::Type stored;      ///< of rows in memory
  mlir::Type real;        ///< of everything else

  bool erases() const { return beta || erase; }
  int64_t segments() const { return llvm::divideCeil(length, segment); }
  /// Threads of a head: its key columns, and some that have none, so that halves can be exchanged.
  int64_t lanes() const { return llvm::PowerOf2Ceil(keys); }
  /// Tokens that are read together: their states are in registers where gradients are computed. Divides segments.
  int64_t together() const;
  /// Tokens of a segment, and groups of those that are read together in one.
  int64_t tokensOfSegment() const { return std::min(segment, length); }
  int64_t groupsOfSegment() const { return llvm::divideCeil(tokensOfSegment(), together()); }
  /// Bytes of shared memory where a warp keeps the states before groups for the gradient, and where a block exchanges
  /// what is added up over the heads of parts.
  int64_t stateBytes() const;
  int64_t exchangeBytes() const;
  int64_t sharedBytes() const { return threads() / warpThreads * stateBytes() + exchangeBytes(); }

  /// Of a block: few, so that multiprocessors have alike many, but all of a part.
  int64_t threads() const { return std::max(warpThreads, threadsOfPart()); }
  int64_t threadsOfPart() const { return headsOfPart * lanes(); }
  int64_t blocks() const { return llvm::divideCeil(heads * lanes(), threads()); } ///< of a sequence
};

/// What a thread reads of a token.
struct NarrowToken {
  mlir::Value valid;               ///< whether there is such a token; null: yes
  mlir::Value row;                 ///< its number among all of the batch
  mlir::Value begins;              ///< whether a document does; null: no
  mlir::Value q, k, kept, w, r, p; ///< kept: exp(decay); w: what v is multiplied by; null where not given
  Values v;
};

/// The code of a thread that forward and backward have in common.
class NarrowThread {
public:
  NarrowThread(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, mlir::Operation *op, const NarrowMixer &mixer);

  /// The launch of all of it.
  CudaLaunch launch() const;

  /// Reads a token of the sequence; what is not valid leaves the state as it is.
  NarrowToken read(mlir::Value token, bool mayBeNone);
  /// The state that a token goes on from: zero where a document begins.
  Values stateBefore(const NarrowToken &token, mlir::ValueRange state);
  /// The state behind a token, from stateBefore.
  Values advance(const NarrowToken &token, mlir::ValueRange before);
  /// What is written into the state: u[e].
  Values written(const NarrowToken &token);
  /// What is erased: over all key columns the sum of r times what it reads. And what that is, of this one.
  Values erased(const NarrowToken &token, mlir::ValueRange before);
  Values readable(const NarrowToken &token, mlir::ValueRange before);

  /// The thread's part of the saved states before a segment, of the buffer of `states`.
  Values loadState(mlir::Value states, mlir::Value segment);
  void storeState(mlir::Value states, mlir::Value segment, mlir::ValueRange state);

  /// A number of a row of an operand or result: of the thread's key column, of a value column, of its head.
  mlir::Value load(mlir::Value rows, mlir::Value row, mlir::Value column);
  /// Stores it, where the token is valid and the thread has a key column, or is the first one of its head.
  void storeOfKey(mlir::Value rows, const NarrowToken &token, mlir::Value value);
  void storeOfHead(mlir::Value rows, const NarrowToken &token, int64_t columns, int64_t column, mlir::Value value);
  /// Stores it where `where` holds, too; null: yes.
  void store(mlir::Value where, mlir::Value rows, const NarrowToken &token, mlir::Value column, mlir::Value value);

  /// The column of a row of as many numbers for each head.
  mlir::Value columnOfHead(int64_t columns, int64_t column);
  mlir::Value columnOfKey();

  mlir::Value sumOfHead(mlir::Value value);
  mlir::Value times(mlir::Value a, mlir::Value b);
  mlir::Value zero() { return b.real(mixer.real, 0); }
  Values zeros() { return Values(mixer.values, zero()); }

  CudaBuilder &b;
  const NarrowMixer &mixer;
  KernelFunction function;

private:
  mlir::Value buffer(mlir::Value value);
  mlir::Value loadOfKey(mlir::Value rows, const NarrowToken &token, mlir::Value column);
  mlir::Value beginsAt(const NarrowToken &token);
  mlir::Value widen(mlir::Value value);
  mlir::Value placeOfState(mlir::Value states, mlir::Value segment);

  mlir::Operation *op;
  mlir::Value sequence, head, key, keyHead; // key: the key column, one that there is
  mlir::Value ownsKey, ownsHead; // whether the thread stores what is of its key column, of its head; null: yes
};

/// The kernels.
void buildNarrowMixer(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, seq::MixerOp op);
void buildNarrowMixerGrad(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, seq::MixerGradOp op);

} // namespace stretto::codegen
