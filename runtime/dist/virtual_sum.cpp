// Adds the gradients of several virtual ranks, which one rank computes one after the other.
#include "runtime/dist/virtual_sum.h"

#include "runtime/dist/levels.h"

namespace stretto::runtime {

static int64_t flatBytes(const stretto_program &program) {
  return program.trainable_elements * elementBytes(program.dtype);
}

int64_t VirtualSum::bytes(const stretto_program &program, int64_t count) {
  return pendingSums(count) * flatBytes(program);
}

VirtualSum::VirtualSum(const stretto_program &program, Device &device, const Arenas &arenas, int64_t count)
    : program(program), device(device), arenas(arenas), count(count) {
  for (int64_t i = 0; i < pendingSums(count); ++i)
    memory.push_back(device.allocate(flatBytes(program)));
}

VirtualSum::~VirtualSum() {
  for (void *data : memory)
    device.release(data, flatBytes(program));
}

void VirtualSum::copy(const void *from, void *to) {
  const int64_t bytes = flatBytes(program);
  const stretto_copy_args whole{
      .rows = 1, .row_bytes = bytes, .from_stride = bytes, .to_stride = bytes, .from = {}, .to = {}};
  CopyOp op{{whole}};
  op.from = from, op.to = to;
  device.submit(op);
}

void VirtualSum::addPending() {
  void *const gradients = arenas.base(STRETTO_ARENA_GRADIENTS);
  device.submit(LaunchOp(program.add, {gradients, memory[--pending], gradients}));
}

std::vector<void *> VirtualSum::takePending() {
  std::vector<void *> sums;
  while (pending > 0)
    sums.push_back(memory[--pending]);
  return sums;
}

void VirtualSum::add(int64_t number) {
  if (number == 0) // of a step whose last sums a device may have taken from its memory of an earlier one
    pending = 0;
  for (int64_t full = number + 1; full % 2 == 0; full /= 2)
    addPending();
  if (number + 1 < count)
    copy(arenas.base(STRETTO_ARENA_GRADIENTS), memory[pending++]);
  else
    while (pending > 0)
      addPending();
}

} // namespace stretto::runtime
