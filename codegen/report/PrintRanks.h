//===- PrintRanks.h - what a run on many ranks needs and takes, as text and JSON ---===//
#pragma once

#include "codegen/scaling/Estimate.h"

#include "llvm/Support/raw_ostream.h"

namespace stretto::codegen {

/// For the terminal; tokens per step come first, since a model can make use of so many and no more.
void printRanks(const RankEstimate &estimate, llvm::raw_ostream &os);

/// The same facts as a JSON object, with the assumptions about the device and their sources. Bytes and seconds.
std::string ranksJson(const RankEstimate &estimate);

} // namespace stretto::codegen
