//===- ParameterLayout.h - what lies where in the flat arenas ----------------===//
#pragma once

#include "ir/seq/SeqOps.h"
#include "ir/seq/TensorBytes.h"
#include "runtime/abi/abi.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace stretto::passes {

/// Every tensor starts at a multiple of this many bytes.
constexpr int64_t slotAlignment = 64;
inline int64_t alignSlot(int64_t bytes) { return llvm::alignTo(bytes, slotAlignment); }

/// The flat buffers are seen as rows of this many elements by the optimizer; the trainable part is padded to whole
/// rows.
constexpr int64_t flatColumns = STRETTO_FLAT_COLUMNS;

/// Byte offsets in the OUTPUTS arena; see stretto_output in the ABI.
constexpr int64_t lossOffset = 0, gradNormOffset = slotAlignment, gradSquaresOffset = 2 * slotAlignment,
                  evaluationOffset = 3 * slotAlignment;

/// Where one parameter lies: entry i of a stacked one at `offset + i * stride` bytes, others at `offset`.
struct ParameterSlot {
  int64_t offset = 0, stride = 0;
  int64_t at(int64_t entry) const { return offset + entry * stride; }
};

/// Bytes of an entry of a stacked parameter, or of the whole one.
int64_t entryBytes(seq::ParameterOp parameter);

/// Parameters of one module: trainable ones first, then frozen ones; in each part the ones that are not stacked and
/// the layers in the order of the module, all weights of a layer side by side. The GRADIENTS, MOMENT1, MOMENT2 and
/// ACCUMULATOR arenas are laid out like the trainable part.
struct ParameterLayout {
  llvm::MapVector<mlir::Operation *, ParameterSlot> slots;
  int64_t trainableBytes = 0; // padded to whole rows of flatColumns elements
  int64_t totalBytes = 0;     // likewise where there is a bf16 copy
  int64_t roundedBytes = 0;   // of the bf16 copy: the ROUNDED arena
  int64_t squaresBytes = 0;   // of a sum for each row of the trainable part, padded to whole rows of such sums
  int64_t factorColumns = 0;  // learning rates, and weight decays, of a row; 0 where all weights have those of the run
  mlir::Type elementType;     // f32 where the module has no parameter

  /// Bytes of a row of the flat buffers.
  int64_t flatRowBytes() const { return flatColumns * elementBytes(elementType); }
  /// The FACTORS arena: for each row factors of learning rates, then of weight decays, each of as many elements.
  int64_t factorsBytes() const { return trainableBytes / flatColumns * 2 * factorColumns; }
};

/// The bf16 copy exists where activations are bf16 (`seq.activation_type`).
ParameterLayout layoutParameters(mlir::ModuleOp module);

/// Where the bf16 copy of a parameter lies: element for element as the parameter, in half the bytes.
inline ParameterSlot bf16Slot(ParameterSlot slot) { return {slot.offset / 2, slot.stride / 2}; }

} // namespace stretto::passes
