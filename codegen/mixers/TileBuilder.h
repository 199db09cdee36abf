//===- TileBuilder.h - writing arithmetic on tiles briefly ----------------------===//
#pragma once

#include "ir/kern/KernOps.h"
#include "passes/support/RowBuilder.h"

namespace stretto::codegen {

/// Writes the body of a tile program. Vectors, tensors of one dimension, stand for the rows of a tile or its columns; a
/// null factor is 1.
class TileBuilder : public passes::RowBuilder {
public:
  /// Operands of matmuls are rounded to `stored`, everything else is `real`.
  TileBuilder(mlir::ImplicitLocOpBuilder &b, mlir::Type stored, mlir::Type real)
      : RowBuilder(b.getLoc(), b), stored(stored), real(real) {}

  /// The numbers of a tile as another type; made once.
  Value convert(Value x, mlir::Type element);
  Value toReal(Value x) { return convert(x, real); }

  /// a b, either transposed.
  Value matmul(Value a, Value b) { return matmul(a, b, false, false); }
  Value matmulTransposeA(Value a, Value b) { return matmul(a, b, /*transposeA=*/true, false); }
  Value matmulTransposeB(Value a, Value b) { return matmul(a, b, false, /*transposeB=*/true); }

  /// x times a factor: a number, a vector with one for each row, or a tile of as many numbers.
  Value scaled(Value x, Value factor);
  /// (x times factor) m, or (x times factor) m^T: rows are scaled behind the matmul, where they are not rounded.
  Value scaledMatmul(Value x, Value factor, Value m, bool transposeM);
  /// The product of two factors.
  Value both(Value a, Value b);

  /// Sums over the columns of a * b.
  Value rowDots(Value a, Value b);
  Value rowSums(Value x) { return reduce(seq::ReduceKind::add, x); }
  Value columnSums(Value x);
  Value row(Value x, int64_t number);
  Value prefixSum(Value x, int64_t rows, bool exclusive = false, bool reverse = false);
  Value inverse(Value matrix);
  Value solve(Value matrix, Value right, bool transpose);

  /// The numbers 0, 1, ..., n-1 of the rows of a tile.
  Value rowNumbers(int64_t n);
  /// A vector as the rows, or as the columns, of a square: [n] to [n, n].
  Value asRows(Value vector) { return square(vector, 0); }
  Value asColumns(Value vector) { return square(vector, 1); }
  /// The whole part of numbers that are not negative.
  Value wholePart(Value x);
  /// 1 where a condition holds, else 0.
  Value indicator(Value condition);

private:
  Value matmul(Value a, Value b, bool transposeA, bool transposeB);
  Value square(Value vector, int64_t dimension);

  mlir::Type stored, real;
  llvm::DenseMap<std::pair<Value, mlir::Type>, Value> converted;
};

} // namespace stretto::codegen
