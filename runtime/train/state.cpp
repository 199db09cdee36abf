// The numbers a training program carries from step to step, tensor by tensor.
#include "runtime/train/state.h"

#include <functional>
#include <numeric>
#include <span>

namespace stretto::runtime {
namespace {

void append(std::vector<StateTensor> &tensors, const TrainingState &state, stretto_arena arena,
            const std::string &suffix, bool trainableOnly) {
  const int64_t element = elementBytes(state.program.dtype);
  for (int64_t i = 0; i < state.program.parameter_count; ++i) {
    const stretto_parameter &parameter = state.program.parameters[i];
    if (trainableOnly && !parameter.trainable)
      continue;
    StateTensor tensor;
    tensor.entry.name = parameter.name + suffix;
    tensor.entry.dtype = safetensorsDtype(state.program.dtype);
    tensor.entry.shape.assign(parameter.shape, parameter.shape + parameter.rank);
    const int64_t bytes = tensor.entry.elements() * element;
    tensor.address = state.arenas.resolve({arena, 0, parameter.offset * element}, bytes);
    tensor.entry.end = static_cast<uint64_t>(bytes);
    tensors.push_back(std::move(tensor));
  }
}

} // namespace

std::string safetensorsDtype(int32_t dtype) {
  return dtype == STRETTO_F64 ? "F64" : dtype == STRETTO_I32 ? "I32" : "F32";
}

int64_t countParameters(const stretto_program &program) {
  int64_t count = 0;
  for (const stretto_parameter &parameter : std::span(program.parameters, program.parameter_count))
    count += std::accumulate(parameter.shape, parameter.shape + parameter.rank, int64_t(1), std::multiplies());
  return count;
}

std::vector<StateTensor> parameterTensors(const TrainingState &state, stretto_arena arena) {
  std::vector<StateTensor> tensors;
  append(tensors, state, arena, "", arena != STRETTO_ARENA_PARAMETERS);
  return tensors;
}

std::vector<StateTensor> momentTensors(const TrainingState &state) {
  std::vector<StateTensor> tensors;
  append(tensors, state, STRETTO_ARENA_MOMENT1, ".moment1", true);
  append(tensors, state, STRETTO_ARENA_MOMENT2, ".moment2", true);
  return tensors;
}

void readTensor(Device &device, const StateTensor &tensor, void *data) {
  device.submit(CopyOutOp{data, tensor.address, static_cast<int64_t>(tensor.entry.bytes())});
  device.wait();
}

void writeTensor(Device &device, const StateTensor &tensor, std::vector<std::byte> data) {
  device.submit(CopyInOp{tensor.address, std::move(data)});
}

} // namespace stretto::runtime
