// The numbers a training program carries from step to step, tensor by tensor.
#pragma once

#include "runtime/core/arenas.h"
#include "runtime/train/safetensors.h"

#include <limits>

namespace stretto::runtime {

// Elements of the flat arenas of what is trained, in which parameters lie at their offsets.
struct FlatRange {
  int64_t begin = 0, end = std::numeric_limits<int64_t>::max();
};

struct TrainingState {
  const stretto_program &program;
  Device &device;
  const Arenas &arenas;
  std::vector<FlatRange> moments = {{}}; // MOMENT1 and MOMENT2 hold these, one behind the other, and no others
};

// One tensor, or a part of one, as a file knows it, and where it lies on the device.
struct StateTensor {
  TensorEntry entry;
  void *address = nullptr;
};

std::string safetensorsDtype(int32_t dtype);
// Of weights and, where they have another type, of activations: "F32 and BF16".
std::string typesOf(const stretto_program &program);

// Numbers in all weights, without what lies between them in memory.
int64_t countParameters(const stretto_program &program);

// Every parameter by its name, in the layout of `arena` (PARAMETERS, or GRADIENTS: trainable ones only).
std::vector<StateTensor> parameterTensors(const TrainingState &state, stretto_arena arena);
// Of every trainable parameter "<parameter>.moment1" and "<parameter>.moment2", or what of them is in `state.moments`:
// a part has the name that partOf gives it (runtime/train/tensor_files.h).
std::vector<StateTensor> momentTensors(const TrainingState &state);
// The same tensors, whole.
std::vector<TensorEntry> momentEntries(const stretto_program &program);

// Device to host; waits.
void readTensor(Device &device, const StateTensor &tensor, void *data);
// Host to device.
void writeTensor(Device &device, const StateTensor &tensor, std::vector<std::byte> data);

} // namespace stretto::runtime
