//===- AddDecode.cpp - the model a few tokens at a time -----------------------===//
#include "ir/seq/EntryNames.h"
#include "passes/entries/DecodeBody.h"
#include "passes/entries/DropUnread.h"
#include "passes/entries/Passes.h"
#include "passes/support/Requirements.h"

namespace stretto::passes {
#define GEN_PASS_DEF_ADDDECODE
#include "passes/entries/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
struct AddDecodePass : stretto::passes::impl::AddDecodeBase<AddDecodePass> {
  using AddDecodeBase::AddDecodeBase;

  void runOnOperation() final {
    func::FuncOp main = requireModel(getOperation());
    if (!main)
      return signalPassFailure();
    auto tokens = cast<RankedTensorType>(main.getArgumentTypes()[0]);
    int64_t most = chunk;
    if (most < 1 || most > tokens.getDimSize(1)) {
      emitError(main.getLoc()) << "a chunk of decoding must have 1 to " << tokens.getDimSize(1) << " tokens, but got "
                               << most;
      return signalPassFailure();
    }
    dropUnread(main);
    bool hasMore = main.getNumResults() > 1; // than logits
    func::FuncOp source = hasMore ? copyForLogits(main, "main.logits") : main;
    RowAnalysis rows(getOperation());
    for (auto [name, count] : {std::pair(entryname::decodeOne, int64_t(1)), std::pair(entryname::decodeChunk, most)}) {
      DecodeShape shape{name.str(), tokens.getDimSize(0), tokens.getDimSize(1), count, most};
      if (failed(requireFreeName(getOperation(), name, getArgument())) || failed(addDecodeEntry(source, shape, rows)))
        return signalPassFailure();
    }
    if (!hasMore)
      return;
    SmallVector<func::FuncOp> bodies = scanBodiesOf(source);
    source.erase();
    for (func::FuncOp body : bodies)
      body.erase();
  }
};
} // namespace
