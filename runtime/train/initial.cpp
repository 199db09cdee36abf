// First values of parameters and constant tables, as the compiled program describes them.
#include "runtime/train/initial.h"

#include "runtime/core/context.h"
#include "runtime/core/error.h"
#include "runtime/core/parameters.h"
#include "runtime/core/philox.h"
#include "runtime/core/threads.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numbers>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace stretto::runtime {
namespace {

// The counter of a draw: element (40 bits and more) and attempt in the first half, parameter in the second.
PhiloxCounter drawCounter(uint64_t nameHash, uint64_t index, uint32_t attempt) {
  return {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32) ^ attempt << 16,
          static_cast<uint32_t>(nameHash), static_cast<uint32_t>(nameHash >> 32)};
}

// Elements 2i and 2i+1 share a draw and take its cosine and its sine.
double normal(uint64_t seed, uint64_t nameHash, uint64_t index) {
  const PhiloxCounter words = philox(drawCounter(nameHash, index / 2, 0), philoxKey(seed));
  const double radius = std::sqrt(-2 * std::log(openUniform(words[0], words[1])));
  const double angle = 2 * std::numbers::pi * openUniform(words[2], words[3]);
  return radius * (index % 2 ? std::sin(angle) : std::cos(angle));
}

// Draws again until the value is inside the bound.
double truncatedNormal(uint64_t seed, uint64_t nameHash, uint64_t index, double bound) {
  for (uint32_t attempt = 1; attempt < 0x10000; ++attempt) {
    const PhiloxCounter words = philox(drawCounter(nameHash, index, attempt), philoxKey(seed));
    const double value = std::sqrt(-2 * std::log(openUniform(words[0], words[1]))) *
                         std::cos(2 * std::numbers::pi * openUniform(words[2], words[3]));
    if (std::abs(value) <= bound)
      return value;
  }
  throw Error(fmt::format("the bound of a truncated normal must leave room for values, but got {}", bound));
}

double uniform(uint64_t seed, uint64_t nameHash, uint64_t index) {
  const PhiloxCounter words = philox(drawCounter(nameHash, index, 0), philoxKey(seed));
  return openUniform(words[0], words[1]);
}

double between(double low, double high, double fraction) { return low + (high - low) * fraction; }

// x with softplus(x) = y, also where y is small.
double inverseSoftplus(double y) { return y + std::log(-std::expm1(-y)); }

template <typename Real, typename Value>
void fill(Device &device, void *address, int64_t count, const Value &value) {
  std::vector<std::byte> data(count * sizeof(Real));
  Real *out = reinterpret_cast<Real *>(data.data());
  constexpr int64_t block = 4096;
  parallelFor((count + block - 1) / block, [&](int64_t piece, int) {
    for (int64_t i = piece * block; i < std::min(count, (piece + 1) * block); ++i)
      out[i] = static_cast<Real>(value(i));
  });
  device.submit(CopyInOp{address, std::move(data)});
}

template <typename Value>
void fillTensor(const TrainingState &state, void *address, int64_t count, const Value &value) {
  if (state.program.dtype == STRETTO_F64)
    fill<double>(state.device, address, count, value);
  else
    fill<float>(state.device, address, count, value);
}

// Whether there are values of this initialisation.
bool hasValues(const stretto_parameter &parameter) {
  const double a = parameter.init_a, b = parameter.init_b;
  switch (parameter.init) {
  case STRETTO_INIT_CONSTANT:
  case STRETTO_INIT_NORMAL:
  case STRETTO_INIT_UNIFORM:
    return true;
  case STRETTO_INIT_TRUNCATED_NORMAL:
    return b >= 0.01;
  case STRETTO_INIT_LOG_OF_UNIFORM:
    return 0 <= a && a < b;
  case STRETTO_INIT_STEP_BIAS:
    return 0 < a && a < b;
  default:
    return false;
  }
}

void checkInit(const stretto_parameter &parameter) {
  if (!hasValues(parameter))
    throw Error(fmt::format("the initialisation of '{}' must be one the runtime knows, but got kind {} with {}, {}",
                            parameter.name, parameter.init, parameter.init_a, parameter.init_b));
}

} // namespace

uint64_t parameterNameHash(const char *name) { return XXH3_64bits(name, std::strlen(name)); }

double initialValue(const stretto_parameter &parameter, uint64_t seed, uint64_t nameHash, uint64_t index) {
  const double a = parameter.init_a, b = parameter.init_b;
  switch (parameter.init) {
  case STRETTO_INIT_NORMAL:
    return a + b * normal(seed, nameHash, index);
  case STRETTO_INIT_TRUNCATED_NORMAL:
    return a * truncatedNormal(seed, nameHash, index, b);
  case STRETTO_INIT_UNIFORM:
    return between(a, b, uniform(seed, nameHash, index));
  case STRETTO_INIT_LOG_OF_UNIFORM:
    return std::log(between(a, b, uniform(seed, nameHash, index)));
  case STRETTO_INIT_STEP_BIAS:
    return inverseSoftplus(std::exp(between(std::log(a), std::log(b), uniform(seed, nameHash, index))));
  default:
    return a;
  }
}

void initialiseParameters(const TrainingState &state, uint64_t seed) {
  const std::vector<StateTensor> tensors = parameterTensors(state, STRETTO_ARENA_PARAMETERS);
  for (int64_t i = 0; i < state.program.parameter_count; ++i) {
    const stretto_parameter &parameter = state.program.parameters[i];
    checkInit(parameter);
    const uint64_t hash = parameterNameHash(parameter.name);
    fillTensor(state, tensors[i].address, tensors[i].entry.elements(),
               [&](int64_t index) { return initialValue(parameter, seed, hash, static_cast<uint64_t>(index)); });
  }
  state.device.wait();
}

void roundParameters(const TrainingState &state) {
  Context(state.device, state.arenas, state.program.dtype).run(state.program.round_parameters);
  state.device.wait();
}

double tableValue(const stretto_table &table, int64_t row, int64_t column) {
  if (table.kind == STRETTO_TABLE_NUMBERS)
    return table.numbers[row];
  const bool cosine = table.kind == STRETTO_TABLE_ROTARY_COS;
  if (column >= table.rotated)
    return cosine ? 1 : 0;
  const int64_t half = table.rotated / 2;
  const int64_t pair = table.interleaved ? column / 2 : column % half;
  const bool first = table.interleaved ? column % 2 == 0 : column < half;
  const double exponent = -2.0 * static_cast<double>(pair) / static_cast<double>(table.rotated);
  const double angle = static_cast<double>(row) * std::pow(table.theta, exponent);
  return cosine ? std::cos(angle) : first ? -std::sin(angle) : std::sin(angle);
}

namespace {

// Row by row what learning rates, then weight decays are multiplied by.
void fillFactors(const TrainingState &state) {
  const stretto_program &program = state.program;
  const int64_t columns = program.factor_columns;
  if (columns == 0)
    return;
  std::vector<int64_t> rows;
  for (const FlatRange &held : state.moments)
    for (int64_t at = held.begin; at < std::min(held.end, program.trainable_elements); at += STRETTO_FLAT_COLUMNS)
      rows.push_back(at);
  fillTensor(state, state.arenas.base(STRETTO_ARENA_FACTORS), static_cast<int64_t>(rows.size()) * 2 * columns,
             [&](int64_t index) {
               const int64_t column = index % columns, isDecay = index / columns % 2;
               const stretto_parameter *parameter =
                   parameterAt(program, rows[index / columns / 2] + column * (STRETTO_FLAT_COLUMNS / columns));
               return !parameter ? 1 : isDecay ? parameter->weight_decay_factor : parameter->lr_factor;
             });
}

} // namespace

void fillTables(const TrainingState &state) {
  fillFactors(state);
  for (int64_t i = 0; i < state.program.table_count; ++i) {
    const stretto_table &table = state.program.tables[i];
    if (table.kind < STRETTO_TABLE_ROTARY_COS || table.kind > STRETTO_TABLE_NUMBERS || table.rotated % 2 != 0)
      throw Error(fmt::format("table {} must be of a kind the runtime knows, but got kind {} with {} rotated columns",
                              i, table.kind, table.rotated));
    const int64_t count = table.rows * table.columns;
    void *address =
        state.arenas.resolve({STRETTO_ARENA_TABLES, 0, table.offset}, count * elementBytes(state.program.dtype));
    fillTensor(state, address, count,
               [&](int64_t index) { return tableValue(table, index / table.columns, index % table.columns); });
  }
  state.device.wait();
}

} // namespace stretto::runtime
