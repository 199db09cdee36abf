// Finds the first op that writes a NaN or an infinity, by the sites that a program announces its calls with.
#include "runtime/core/finite.h"

#include "runtime/core/bf16.h"
#include "runtime/core/op_table.h"
#include "runtime/core/parameters.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <utility>

namespace stretto::runtime {
namespace {

std::string positionText(const stretto_result &result, int64_t element) {
  const std::span<const int64_t> shape(result.shape, static_cast<size_t>(result.rank));
  std::vector<int64_t> position(shape.size());
  for (size_t i = shape.size(); i-- > 0; element /= shape[i])
    position[i] = element % shape[i];
  return fmt::format("[{}] of [{}]", fmt::join(position, ", "), fmt::join(shape, ", "));
}

float valueOf(uint16_t bits) { return widenBf16(bits); }
float valueOf(float value) { return value; }
double valueOf(double value) { return value; }

// Index and value of the first element that is not finite; index: -1 where there is none.
template <typename Stored> std::pair<int64_t, double> search(const void *data, const stretto_result &result) {
  const int64_t rowElements = result.row_bytes / static_cast<int64_t>(sizeof(Stored));
  for (int64_t row = 0; row < result.rows; ++row) {
    const Stored *values = reinterpret_cast<const Stored *>(static_cast<const char *>(data) + row * result.stride);
    for (int64_t i = 0; i < rowElements; ++i)
      if (!std::isfinite(valueOf(values[i])))
        return {row * rowElements + i, static_cast<double>(valueOf(values[i]))};
  }
  return {-1, 0};
}

// Numbers that lie together.
stretto_result inOneRun(int64_t bytes, int32_t dtype) {
  stretto_result run{};
  run.rows = 1, run.row_bytes = bytes, run.dtype = dtype;
  return run;
}

} // namespace

FiniteCheck::Bad FiniteCheck::firstBad(const void *data, const stretto_result &result) const {
  if (result.rows <= 0)
    return {-1, 0};
  std::vector<std::byte> storage;
  const void *values = arenas.hostView(data, (result.rows - 1) * result.stride + result.row_bytes, storage);
  const auto [element, value] = result.dtype == STRETTO_F64    ? search<double>(values, result)
                                : result.dtype == STRETTO_BF16 ? search<uint16_t>(values, result)
                                                               : search<float>(values, result);
  return {element, value};
}

void FiniteCheck::checkState() const {
  for (stretto_arena arena : {STRETTO_ARENA_PARAMETERS, STRETTO_ARENA_MOMENT1, STRETTO_ARENA_MOMENT2})
    for (const stretto_parameter &parameter : parametersOf(program)) {
      if (arena != STRETTO_ARENA_PARAMETERS && !parameter.trainable)
        continue;
      const int64_t size = elementBytes(program.dtype), first = parameter.offset * size;
      for (const ArenaPiece &piece : arenas.pieces(arena)) {
        const int64_t begin = std::max(piece.origin, first);
        const int64_t end = std::min(piece.origin + piece.bytes, first + elementsOf(parameter) * size);
        if (begin >= end)
          continue;
        const Bad bad = firstBad(arenas.resolve({arena, 0, begin}, end - begin), inOneRun(end - begin, program.dtype));
        if (bad.element >= 0)
          throw NonFiniteError(
              fmt::format("{} of '{}' must be finite numbers before the first step, but element {} is {}",
                          arenaName(arena), parameter.name, (begin - first) / size + bad.element, bad.value));
      }
    }
}

// In a result of a launch.
FiniteCheck::Bad FiniteCheck::firstBadOf(const LaunchOp &op, const stretto_result &result) const {
  const stretto_kernel &kernel = *op.kernel;
  const void *const data = op.buffers.at(result.buffer);
  const int64_t ofChunk = kernel.chunk_bytes ? kernel.chunk_bytes[result.buffer] : 0;
  if (ofChunk == 0 || op.end - op.begin == kernel.chunks)
    return firstBad(data, result);
  // Of a part of the chunks nothing else is there, and they lie together.
  const int64_t begin = op.begin * ofChunk, end = std::min(kernel.buffer_bytes[result.buffer], op.end * ofChunk);
  Bad bad = firstBad(static_cast<const char *>(data) + begin, inOneRun(end - begin, result.dtype));
  if (bad.element >= 0)
    bad.element += begin / elementBytes(result.dtype);
  return bad;
}

void FiniteCheck::after(const Op &op, const CallSite &at, double) {
  if (!at.site)
    return;
  const std::vector<const void *> buffers = buffersOf(op);
  for (const stretto_result &result : std::span(at.site->results, at.site->count)) {
    const auto *launch = std::get_if<LaunchOp>(&op);
    const Bad bad = launch ? firstBadOf(*launch, result) : firstBad(buffers.at(result.buffer), result);
    if (bad.element >= 0)
      throw NonFiniteError(describe(op, at, result, bad));
  }
}

std::string FiniteCheck::describe(const Op &op, const CallSite &at, const stretto_result &result,
                                  const Bad &bad) const {
  const stretto_parameter *parameter = parameterOf(op, result, bad.element);
  // Several calls may have become one matmul; the weight tells which it was.
  const bool narrow = parameter && *parameter->location && std::strstr(result.location, parameter->location);
  const char *location = narrow ? parameter->location : result.location;
  std::string text = fmt::format("the first NaN or infinity was written by {}", *result.operation ? result.operation
                                                                                : *result.kernel  ? "a kernel"
                                                                                                  : "the program");
  if (*location)
    text += fmt::format(" at {}", location);
  if (parameter)
    text += fmt::format("{} '{}'", result.weight >= 0 ? " with weight" : " for", parameter->name);
  if (*result.kernel)
    text += fmt::format(", in kernel '{}'", result.kernel);
  if (at.iteration >= 0)
    text += fmt::format(", in iteration {} of its loop", at.iteration);
  text += fmt::format(": element {} is {}", positionText(result, bad.element), bad.value);
  if (*result.kernel)
    text += "; a kernel of several operations is looked at as a whole, with --fuse=none each of them";
  return text;
}

// Where matmuls of one input are one matmul, column c of the result belongs to row c of the weights.
const stretto_parameter *FiniteCheck::parameterOf(const Op &op, const stretto_result &result, int64_t element) const {
  const std::vector<const void *> buffers = buffersOf(op);
  const bool reads = result.weight >= 0;
  const void *address = buffers.at(reads ? result.weight : result.buffer);
  const bool rounded = arenas.contains(STRETTO_ARENA_ROUNDED, address);
  const auto arena = rounded ? STRETTO_ARENA_ROUNDED
                     : reads ? STRETTO_ARENA_PARAMETERS
                             : static_cast<stretto_arena>(result.arena);
  const bool likeParameters = rounded || (arena >= STRETTO_ARENA_PARAMETERS && arena <= STRETTO_ARENA_ACCUMULATOR);
  if (!likeParameters || !arenas.contains(arena, address))
    return nullptr;
  const char *base = static_cast<const char *>(arenas.base(arena));
  int64_t index = (static_cast<const char *>(address) - base) / elementBytes(rounded ? STRETTO_BF16 : program.dtype);
  const auto *matmul = std::get_if<MatmulOp>(&op);
  if (!reads)
    index += element;
  else if (matmul && matmul->transpose_b)
    index += element % matmul->n * matmul->ldb;
  return parameterAt(program, index);
}

} // namespace stretto::runtime
