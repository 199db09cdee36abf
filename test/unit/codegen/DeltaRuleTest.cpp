//===- DeltaRuleTest.cpp - how exact the systems of the delta rule are solved with rounded inverses ---===//
#include "CudaLibrary.h"
#include "WalkBodies.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
constexpr int64_t rows = 64, columns = 16; // of a system
constexpr int64_t systems = 2;             // whole ones in what the walk reads; another one is cut
constexpr int64_t rowsOfAll = rows * 5 / 2;
constexpr double most = 5e-3; // relative error

using Rows = std::vector<Numbers>;

class Draw {
public:
  explicit Draw(uint64_t seed) : engine(seed) {}
  double normal() { return std::normal_distribution<double>()(engine); }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine); }

  /// Keys of length 1, any two of which have `cosine` in the mean.
  Rows keys(double cosine) {
    Numbers common = direction();
    Rows keys;
    for (int64_t row = 0; row < rows; ++row) {
      Numbers own = direction();
      for (int64_t i = 0; i < rows; ++i)
        own[i] = std::sqrt(cosine) * common[i] + std::sqrt(1 - cosine) * own[i];
      keys.push_back(normalized(own));
    }
    return keys;
  }

private:
  Numbers direction() {
    Numbers numbers(rows);
    for (double &number : numbers)
      number = normal();
    return normalized(numbers);
  }
  static Numbers normalized(Numbers numbers) {
    double squares = 0;
    for (double number : numbers)
      squares += number * number;
    for (double &number : numbers)
      number /= std::sqrt(squares);
    return numbers;
  }

  std::mt19937_64 engine;
};

/// beta of row i times the products of keys i and j, as f32.
Numbers systemOf(Draw &draw, double cosine, bool isStrong) {
  Rows keys = draw.keys(cosine);
  Numbers matrix;
  for (int64_t i = 0; i < rows; ++i) {
    double beta = isStrong ? 1 : draw.uniform();
    for (int64_t j = 0; j < rows; ++j) {
      double product = 0;
      for (int64_t k = 0; k < rows; ++k)
        product += keys[i][k] * keys[j][k];
      matrix.push_back(static_cast<float>(beta * product));
    }
  }
  return matrix;
}

/// X of (I + strict(matrix)) X = right, or of its transpose, in double precision; system `number` of all.
Numbers solve(const Numbers &matrix, const Numbers &right, int64_t number, bool transpose) {
  auto at = [&](int64_t i, int64_t j) { return matrix[(number * rows + i) * rows + j]; };
  Numbers x(right.begin() + number * rows * columns, right.begin() + (number + 1) * rows * columns);
  for (int64_t turn = 0; turn < rows; ++turn) {
    int64_t i = transpose ? rows - 1 - turn : turn;
    for (int64_t j = transpose ? i + 1 : 0; j < (transpose ? rows : i); ++j)
      for (int64_t column = 0; column < columns; ++column)
        x[i * columns + column] -= (transpose ? at(j, i) : at(i, j)) * x[j * columns + column];
  }
  return x;
}

double errorOf(const Numbers &all, const Numbers &want, int64_t number) {
  double wrong = 0, size = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    double difference = all[number * rows * columns + i] - want[i];
    wrong += difference * difference;
    size += want[i] * want[i];
  }
  return std::sqrt(wrong / size);
}

/// The largest relative error of what solves systems of such keys, and their transposes.
double errorWith(const CudaLibrary &library, Operation *walk, double cosine, bool isStrong) {
  Draw draw(1);
  double worst = 0;
  for (int turn = 0; turn < 5; ++turn) {
    Numbers matrix, right;
    for (int64_t i = 0; i < systems; ++i)
      llvm::append_range(matrix, systemOf(draw, cosine, isStrong));
    matrix.resize(rowsOfAll * rows, 0.0);
    for (int64_t i = 0; i < rowsOfAll * columns; ++i)
      right.push_back(static_cast<float>(draw.normal()));
    Numbers scaled = matrix;
    for (double &number : scaled)
      number *= 32; // the walk takes a 32nd
    std::vector<Numbers> found = library.launch(walk, {right, scaled});
    for (int64_t i = 0; i < systems; ++i)
      for (bool transpose : {false, true})
        worst = std::max(worst, errorOf(found[transpose], solve(matrix, right, i, transpose), i));
  }
  return worst;
}

TEST(DeltaRule, InversesAreExactEnough) {
  auto context = makeContext();
  auto module = scheduleForCuda(*parse(*context, inverseWalks({rows, columns})), {});
  ASSERT_TRUE(module);
  CudaLibrary library(*module);
  ASSERT_TRUE(library.isLoaded());
  Operation *walk = kernelsOf(*module)[1];
  for (double cosine : {0.0, 0.12, 0.5, 0.9})
    for (bool isStrong : {false, true}) {
      double error = errorWith(library, walk, cosine, isStrong);
      RecordProperty("cosine " + std::to_string(cosine) + (isStrong ? ", beta 1" : ""), std::to_string(error));
      EXPECT_LT(error, most) << "cosine " << cosine << (isStrong ? ", beta 1" : "");
      EXPECT_GT(error, 1e-4) << "is rounded to bf16";
    }
}
} // namespace
