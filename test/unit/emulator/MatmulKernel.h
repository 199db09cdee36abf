//===- MatmulKernel.h - a matmul whose warps have roles, written by hand --------===//
#pragma once

#include <string>

namespace stretto::test {

/// a2 = a0 a1' rounded to bf16: [200,160], [16,160] and [200,16]. Two blocks, each with two tiles of 64 rows. Warps 0
/// to 3 multiply, warp 4 copies boxes of 64 terms into two stages. Shared memory: stages of 8192 + 2048 bytes, from
/// 20480 on the mbarriers full and empty, from 20608 on a tile of the result with rows of 48 bytes. Comments name what
/// may be left out:
/// "// initialised", "// empty", "// announced", "// full", "// ready", "// drained", "// awaited", "// staged",
/// "// stored".
extern const std::string roleMatmul;

} // namespace stretto::test
