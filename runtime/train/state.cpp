// The numbers a training program carries from step to step, tensor by tensor.
#include "runtime/train/state.h"

#include "runtime/core/error.h"
#include "runtime/core/parameters.h"
#include "runtime/train/tensor_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace stretto::runtime {
namespace {

constexpr std::pair<stretto_arena, const char *> momentArenas[] = {{STRETTO_ARENA_MOMENT1, ".moment1"},
                                                                   {STRETTO_ARENA_MOMENT2, ".moment2"}};

TensorEntry entryOf(const stretto_program &program, const stretto_parameter &parameter, const char *suffix) {
  TensorEntry entry;
  entry.name = std::string(parameter.name) + suffix;
  entry.dtype = safetensorsDtype(program.dtype);
  entry.shape.assign(parameter.shape, parameter.shape + parameter.rank);
  entry.end = static_cast<uint64_t>(entry.elements() * elementBytes(program.dtype));
  return entry;
}

// Calls use(arena, parameter, whole tensor) for each moment, all first ones before all second ones.
void forMoments(const stretto_program &program,
                const std::function<void(stretto_arena, const stretto_parameter &, const TensorEntry &)> &use) {
  for (const auto &[arena, suffix] : momentArenas)
    for (const stretto_parameter &parameter : parametersOf(program))
      if (parameter.trainable)
        use(arena, parameter, entryOf(program, parameter, suffix));
}

// Where element `at` of what an arena of moments holds lies.
void *addressOfMoments(const TrainingState &state, stretto_arena arena, int64_t at, int64_t elements) {
  const int64_t size = elementBytes(state.program.dtype), bytes = state.arenas.bytes(arena);
  if ((at + elements) * size > bytes)
    throw Error(
        fmt::format("'{}' must hold {} elements of moments, but has {} bytes", arenaName(arena), at + elements, bytes));
  return static_cast<char *>(state.arenas.base(arena)) + at * size;
}

} // namespace

std::string safetensorsDtype(int32_t dtype) {
  return dtype == STRETTO_F64 ? "F64" : dtype == STRETTO_I32 ? "I32" : "F32";
}

std::string typesOf(const stretto_program &program) {
  return safetensorsDtype(program.dtype) + (program.activation_dtype == program.dtype ? "" : " and BF16");
}

int64_t countParameters(const stretto_program &program) {
  int64_t count = 0;
  for (const stretto_parameter &parameter : parametersOf(program))
    count += elementsOf(parameter);
  return count;
}

std::vector<StateTensor> parameterTensors(const TrainingState &state, stretto_arena arena) {
  std::vector<StateTensor> tensors;
  for (const stretto_parameter &parameter : parametersOf(state.program)) {
    if (arena != STRETTO_ARENA_PARAMETERS && !parameter.trainable)
      continue;
    StateTensor tensor{entryOf(state.program, parameter, "")};
    tensor.address = state.arenas.resolve({arena, 0, parameter.offset * elementBytes(state.program.dtype)},
                                          static_cast<int64_t>(tensor.entry.bytes()));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::vector<StateTensor> momentTensors(const TrainingState &state) {
  std::vector<StateTensor> tensors;
  forMoments(state.program, [&](stretto_arena arena, const stretto_parameter &parameter, const TensorEntry &entry) {
    int64_t before = 0; // elements of earlier ranges
    for (const FlatRange &held : state.moments) {
      const int64_t begin = std::max(held.begin, parameter.offset);
      const int64_t end = std::min(held.end, parameter.offset + entry.elements());
      if (begin < end)
        tensors.push_back({partOf(entry, begin - parameter.offset, end - begin),
                           addressOfMoments(state, arena, before + begin - held.begin, end - begin)});
      before += held.end - held.begin;
    }
  });
  return tensors;
}

std::vector<TensorEntry> momentEntries(const stretto_program &program) {
  std::vector<TensorEntry> entries;
  forMoments(program,
             [&](stretto_arena, const stretto_parameter &, const TensorEntry &entry) { entries.push_back(entry); });
  return entries;
}

void readTensor(Device &device, const StateTensor &tensor, void *data) {
  device.submit(CopyOutOp{data, tensor.address, static_cast<int64_t>(tensor.entry.bytes())});
  device.wait();
}

void writeTensor(Device &device, const StateTensor &tensor, std::vector<std::byte> data) {
  device.submit(CopyInOp{tensor.address, std::move(data)});
}

} // namespace stretto::runtime
