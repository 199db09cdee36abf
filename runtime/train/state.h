// The numbers a training program carries from step to step, tensor by tensor.
#pragma once

#include "runtime/core/arenas.h"
#include "runtime/train/safetensors.h"

namespace stretto::runtime {

struct TrainingState {
  const stretto_program &program;
  Device &device;
  const Arenas &arenas;
};

// One tensor as a file knows it, and where it lies on the device.
struct StateTensor {
  TensorEntry entry;
  void *address = nullptr;
};

std::string safetensorsDtype(int32_t dtype);

// Numbers in all weights, without what lies between them in memory.
int64_t countParameters(const stretto_program &program);

// Every parameter by its name, in the layout of `arena` (PARAMETERS, or GRADIENTS: trainable ones only).
std::vector<StateTensor> parameterTensors(const TrainingState &state, stretto_arena arena);
// "<parameter>.moment1" and "<parameter>.moment2" of every trainable parameter.
std::vector<StateTensor> momentTensors(const TrainingState &state);

// Device to host; waits.
void readTensor(Device &device, const StateTensor &tensor, void *data);
// Host to device.
void writeTensor(Device &device, const StateTensor &tensor, std::vector<std::byte> data);

} // namespace stretto::runtime
