#include "runtime/core/finite.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace stretto {
namespace {

constexpr int64_t block = 4096;

// What an op may write, and how it is called in a message.
struct Writes {
  std::string writer;
  std::vector<const void *> outputs;
};

struct Describe {
  Writes operator()(const LaunchOp &op) const {
    return {fmt::format("kernel '{}' ({})", op.kernel->name, op.kernel->location),
            {op.buffers.begin(), op.buffers.end()}};
  }
  Writes operator()(const MatmulOp &op) const {
    return {fmt::format("a matrix product {} x {} x {}", op.m, op.n, op.k), {op.c}};
  }
  Writes operator()(const AttentionOp &op) const { return {"attention", {op.o, op.lse}}; }
  Writes operator()(const AttentionGradOp &op) const {
    return {"the backward of attention", {op.dq, op.dk, op.dv}};
  }
  Writes operator()(const EmbedOp &op) const { return {"the embedding", {op.out}}; }
  Writes operator()(const EmbedGradOp &op) const { return {"the backward of the embedding", {op.dTable}}; }
  Writes operator()(const ZeroOp &op) const { return {"clearing", {op.data}}; }
  Writes operator()(const CopyOp &op) const { return {"a copy", {op.to}}; }
  Writes operator()(const CopyInOp &op) const { return {"the host", {op.destination}}; }
  Writes operator()(const CopyOutOp &) const { return {}; }
};

} // namespace

FiniteCheck::FiniteCheck(const Arenas &arenas, const stretto_program &program) : arenas(arenas), program(program) {
  for (int i = 0; i < STRETTO_ARENA_COUNT; ++i) {
    const bool written = i != STRETTO_ARENA_INPUTS && i != STRETTO_ARENA_HYPER;
    const std::byte *data = static_cast<const std::byte *>(arenas.base(static_cast<stretto_arena>(i)));
    if (written && data)
      shadows[i].assign(data, data + arenas.bytes(static_cast<stretto_arena>(i)));
  }
}

void FiniteCheck::after(const Op &op) {
  const Writes writes = std::visit(Describe{}, op);
  std::array<bool, STRETTO_ARENA_COUNT> touched{};
  for (const void *output : writes.outputs)
    if (const int arena = arenas.find(output); arena >= 0)
      touched[arena] = true;
  for (int arena = 0; arena < STRETTO_ARENA_COUNT; ++arena)
    if (touched[arena] && !shadows[arena].empty())
      check(arena, writes.writer);
}

template <typename Real> int64_t FiniteCheck::firstBad(int arena, int64_t begin, int64_t end) const {
  const std::byte *data = static_cast<const std::byte *>(arenas.base(static_cast<stretto_arena>(arena)));
  for (int64_t at = begin; at + static_cast<int64_t>(sizeof(Real)) <= end; at += sizeof(Real)) {
    Real value;
    std::memcpy(&value, data + at, sizeof(Real));
    if (!std::isfinite(value) && std::memcmp(data + at, &shadows[arena][at], sizeof(Real)) != 0)
      return at;
  }
  return -1;
}

void FiniteCheck::check(int arena, const std::string &writer) {
  const std::byte *data = static_cast<const std::byte *>(arenas.base(static_cast<stretto_arena>(arena)));
  const int64_t bytes = arenas.bytes(static_cast<stretto_arena>(arena));
  for (int64_t begin = 0; begin < bytes; begin += block) {
    const int64_t end = std::min(bytes, begin + block);
    if (std::memcmp(data + begin, &shadows[arena][begin], end - begin) == 0)
      continue;
    const int64_t bad = program.dtype == STRETTO_F64 ? firstBad<double>(arena, begin, end)
                                                     : firstBad<float>(arena, begin, end);
    if (bad >= 0)
      throw NonFiniteError(
          fmt::format("the first NaN or infinity was written by {} into {}", writer, place(arena, bad)));
    std::memcpy(&shadows[arena][begin], data + begin, end - begin);
  }
}

std::string FiniteCheck::place(int arena, int64_t byte) const {
  const bool flat = arena >= STRETTO_ARENA_PARAMETERS && arena <= STRETTO_ARENA_ACCUMULATOR;
  const int64_t element = byte / elementBytes(program.dtype);
  for (int64_t i = 0; flat && i < program.parameter_count; ++i) {
    const stretto_parameter &parameter = program.parameters[i];
    int64_t count = 1;
    for (int32_t dimension = 0; dimension < parameter.rank; ++dimension)
      count *= parameter.shape[dimension];
    if (element >= parameter.offset && element < parameter.offset + count)
      return fmt::format("{} of '{}', element {}", arenaName(arena), parameter.name, element - parameter.offset);
  }
  return fmt::format("{} at byte {}", arenaName(arena), byte);
}

} // namespace stretto
