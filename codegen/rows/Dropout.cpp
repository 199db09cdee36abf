//===- Dropout.cpp - random numbers of rows -------------------------------------===//
//
// The formula stands at seq.dropout (ir/seq/SeqRowOps.td). Its hash is the finaliser "lowbias32" of C. Wellons' hash
// prospector, with multipliers by TheIronBorn.
//
//===----------------------------------------------------------------------------===//
#include "codegen/rows/Dropout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr uint32_t golden = 0x9e3779b9, multiplier0 = 0x21f0aaad, multiplier1 = 0xd35a2d97;

/// Arithmetic of 32 bits on words of any number of lanes.
class Words {
public:
  Words(VectorBuilder &b, int64_t lanes) : b(b), lanes(lanes) {}

  Value number(uint32_t value) {
    auto word = b.getI32IntegerAttr(static_cast<int32_t>(value));
    Value scalar = arith::ConstantOp::create(b, word);
    return b.splat(scalar, lanes);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value mul(Value x, uint32_t factor) { return arith::MulIOp::create(b, x, number(factor)); }
  Value flip(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  /// x ^ x >> bits
  Value fold(Value x, uint32_t bits) { return flip(x, arith::ShRUIOp::create(b, x, number(bits))); }
  Value mix(Value x) { return fold(mul(fold(mul(fold(x, 16), multiplier0), 15), multiplier1), 15); }

private:
  VectorBuilder &b;
  const int64_t lanes;
};

/// Of all 2^32 words those below are zero.
uint32_t thresholdOf(double rate) { return static_cast<uint32_t>(std::min(std::round(rate * 0x1p32), 0x1p32 - 1)); }

/// first, first + 1, ... as words.
Value columnNumbers(VectorBuilder &b, Value first, int64_t lanes) {
  Value word = arith::TruncIOp::create(b, b.getI32Type(), first);
  if (lanes == 1)
    return word;
  SmallVector<int32_t> steps;
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back(static_cast<int32_t>(lane));
  auto type = VectorType::get({lanes}, b.getI32Type());
  Value iota = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<int32_t>(steps)));
  return arith::AddIOp::create(b, b.splat(word, lanes), iota);
}
} // namespace

std::pair<Value, Value> stretto::codegen::emitDropoutWords(VectorBuilder &b, Value key, Value place) {
  const int64_t lanes = std::max(lanesOf(key), lanesOf(place));
  Words words(b, lanes);
  Value number = arith::FPToUIOp::create(b, withLanes(b.getI32Type(), lanes), b.splat(place, lanes));
  Value one = words.mix(words.flip(b.splat(key, lanes), words.mul(number, golden)));
  return {one, words.mix(words.add(one, words.number(golden)))};
}

Value stretto::codegen::emitDropout(VectorBuilder &b, seq::DropoutOp op, Value x, std::pair<Value, Value> words,
                                    Value first) {
  const int64_t lanes = lanesOf(x);
  const double rate = op.getRate().convertToDouble();
  Words w(b, lanes);
  Value word = w.fold(w.flip(b.splat(words.first, lanes), columnNumbers(b, first, lanes)), 16);
  word = w.add(w.fold(w.mul(word, multiplier0), 15), b.splat(words.second, lanes));
  word = w.fold(w.mul(word, multiplier1), 15);
  Value isZero = b.compare(arith::CmpIPredicate::ult, word, w.number(thresholdOf(rate)));
  Value scaled = arith::MulFOp::create(b, x, b.real(x.getType(), 1 / (1 - rate)));
  return arith::SelectOp::create(b, isZero, b.real(x.getType(), 0), scaled);
}
