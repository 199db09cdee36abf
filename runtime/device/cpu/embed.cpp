// Rows of a table picked by tokens, and the gradient of that.
#include "runtime/device/cpu/embed.h"

#include "runtime/core/error.h"
#include "runtime/core/threads.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

constexpr int64_t smallElements = 8 << 10; // up to here one thread is quicker

template <typename Work> void share(int64_t pieces, int64_t elements, const Work &work) {
  if (elements > smallElements)
    return parallelFor(pieces, [&](int64_t piece, int) { work(piece); });
  for (int64_t piece = 0; piece < pieces; ++piece)
    work(piece);
}

void checkTokens(const int32_t *tokens, int64_t rows, int64_t vocabulary) {
  for (int64_t row = 0; row < rows; ++row)
    if (tokens[row] < 0 || tokens[row] >= vocabulary)
      throw Error(fmt::format("tokens must be in 0..{}, but got {} at row {}", vocabulary - 1, tokens[row], row));
}

// Each block of columns walks all rows in order, so that every sum has one fixed order.
template <typename Real> void scatter(const EmbedGradOp &op) {
  constexpr int64_t block = 64;
  const Real *dOut = static_cast<const Real *>(op.d_out);
  Real *dTable = static_cast<Real *>(op.d_table);
  share((op.width + block - 1) / block, op.rows * op.width, [&](int64_t piece) {
    const int64_t begin = piece * block;
    const int64_t columns = std::min(block, op.width - begin);
    if (!op.accumulate)
      for (int64_t token = 0; token < op.vocabulary; ++token)
        std::memset(dTable + token * op.width + begin, 0, columns * sizeof(Real));
    for (int64_t row = 0; row < op.rows; ++row) {
      const Real *source = dOut + row * op.width + begin;
      Real *sum = dTable + op.tokens[row] * op.width + begin;
      for (int64_t column = 0; column < columns; ++column)
        sum[column] += source[column];
    }
  });
}

} // namespace

void embed(const EmbedOp &op) {
  checkTokens(op.tokens, op.rows, op.vocabulary);
  const int64_t bytes = op.width * elementBytes(op.real);
  const char *table = static_cast<const char *>(op.table);
  char *out = static_cast<char *>(op.out);
  constexpr int64_t block = 64;
  share((op.rows + block - 1) / block, op.rows * op.width, [&](int64_t piece) {
    for (int64_t row = piece * block; row < std::min(op.rows, (piece + 1) * block); ++row)
      std::memcpy(out + row * bytes, table + op.tokens[row] * bytes, bytes);
  });
}

void embedGrad(const EmbedGradOp &op) {
  checkTokens(op.tokens, op.rows, op.vocabulary);
  if (op.real == STRETTO_F64)
    scatter<double>(op);
  else
    scatter<float>(op);
}

} // namespace stretto::runtime
