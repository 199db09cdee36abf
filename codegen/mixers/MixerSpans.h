//===- MixerSpans.h - the states between spans of a sequence --------------------===//
//
// A mixer with several spans goes over them side by side, each from the state that the spans before it leave. That
// state is known before: a span adds to a state what it would make of zero, and maps what came in, linearly. Without an
// eraser the map is a factor for each key channel, else a matrix of keys by keys. So three kinds of walks find the
// states: one that goes over each span from zero, one that finds the matrices, and one that goes over the spans in
// order. The gradient of the state is carried from the last span to the first in the same way, by the transposed maps.
#pragma once

#include "codegen/mixers/WalkBuilder.h"

namespace stretto::codegen {

/// The tiles of all operands that are given, in the body of a walk.
MixerOperands tilesOf(WalkBuilder &walk, const MixerShape &shape, const MixerOperands &values);

/// The state before each span: [batch, heads, spans, keys * values].
mlir::Value spanStates(mlir::ImplicitLocOpBuilder &builder, const MixerShape &shape, const MixerOperands &values);

/// The gradient of the state behind each span, where `grad` is that of the output.
mlir::Value spanGradients(mlir::ImplicitLocOpBuilder &builder, const MixerShape &shape, const MixerOperands &values,
                          mlir::Value grad);

} // namespace stretto::codegen
