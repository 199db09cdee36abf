// The options of passes that weigh memory against arithmetic.
#ifndef STRETTO_PASSES_SUPPORT_COSTMODELOPTIONS_TD
#define STRETTO_PASSES_SUPPORT_COSTMODELOPTIONS_TD

include "mlir/Pass/PassBase.td"

// What a target's `Backend::costModel` says; the defaults are the CPU's.
defvar operationsPerByte = Option<"operationsPerByte", "operations-per-byte", "double",
                                  "::stretto::passes::CostModel().operationsPerByte",
                                  "elementwise operations that take as long as one byte from memory">;
defvar blockRows = Option<"blockRows", "block-rows", "int64_t", "::stretto::passes::CostModel().blockRows",
                          "rows that a kernel computes together">;
defvar heldRows = Option<"heldRows", "held-rows", "int64_t", "::stretto::passes::CostModel().heldRows",
                         "rows that a kernel with taps holds between stages">;
defvar heldBytes = Option<"heldBytes", "held-bytes", "int64_t", "::stretto::passes::CostModel().heldBytes",
                          "bytes of rows that later stages of a kernel need not read from memory again">;
defvar keptRows = Option<"keptRows", "kept-rows", "int64_t", "::stretto::passes::CostModel().keptRows",
                         "rows over which a kernel keeps what taps read again">;
defvar savedByteWeight = Option<"savedByteWeight", "saved-byte-weight", "double",
                                "::stretto::passes::CostModel().savedByteWeight",
                                "bytes moved that weigh as much as one that a saved value takes">;

#endif // STRETTO_PASSES_SUPPORT_COSTMODELOPTIONS_TD
