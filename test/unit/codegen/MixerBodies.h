//===- MixerBodies.h - walks that the compiler makes of mixers -----------------===//
#pragma once

#include <string>

namespace stretto::test {

/// A mixer with decay, `beta` and documents.
struct MixerKind {
  std::string stored = "f32"; // the type of its rows; decay and beta are f32, or f64 if these are
  bool byChannel = false;     // a decay for each key channel, else for each head
};

/// A module with what kern-expand-mixers makes of it ("mixer.walk0"), and of its gradient ("mixer.walk1" recomputes
/// states, "mixer.walk2"): three chunks, the last of two rows, for each of two sequences.
std::string mixerWalks(const MixerKind &kind);

} // namespace stretto::test
