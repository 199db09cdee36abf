// Rows of a table picked by tokens, and the gradient of that.
#pragma once

#include "runtime/core/op.h"

namespace stretto::runtime {

// Both throw Error when a token is not in 0 .. vocabulary-1.
void embed(const EmbedOp &op);
void embedGrad(const EmbedGradOp &op);

} // namespace stretto::runtime
