// Rows into and out of the caches of decode entries; see stretto_write_cache and its like in the ABI.
#pragma once

#include "runtime/core/op.h"

namespace stretto::runtime {

void writeCache(const WriteCacheOp &op);
void readCache(const ReadCacheOp &op);
void lastRow(const LastRowOp &op);

} // namespace stretto::runtime
