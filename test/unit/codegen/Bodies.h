//===- Bodies.h - the fused kernels that the tests run --------------------------===//
#pragma once

#include <string>

namespace stretto::test {

/// Sizes and number type of a body.
struct Sizes {
  int64_t batch = 2, time = 19, columns = 40, heads = 2;
  std::string real = "f32";
};

/// A function whose kernel has the name `name`. $B, $T, $D, $H, $K (= D / H), $J (= D / 2), $R stand for the sizes.
struct Body {
  const char *name;
  const char *text;
};

extern const Body bodies[];
extern const unsigned bodyCount;

/// The text of `body` with the sizes filled in.
std::string fill(const Body &body, const Sizes &sizes);

} // namespace stretto::test
