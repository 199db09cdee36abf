// Ops as the user knows them.
#pragma once

#include "runtime/core/op.h"

#include <string>

namespace stretto {

// "kernel 'layer.forward.rowwise0' (a.stretto:7:3)", "product 64 x 64 x 128 (a.stretto:8:5)".
std::string describeOp(const Op &op, const CallSite &at);

} // namespace stretto
