// The way to the CUDA device: libstretto_cuda.so, which lies beside libstretto_runtime.so and is loaded only by
// programs that need it. Those for the CPU come without CUDA's libraries.
#pragma once

#include "runtime/core/device.h"
#include "runtime/dist/ranks.h"

namespace stretto::runtime {

// Throws Error when the library is missing or cannot be loaded, and what CudaDevice throws.
std::unique_ptr<Device> makeCudaDevice(const stretto_program &program, const DeviceOptions &options);

// Groups over the memory of such a device, see runtime/dist/nccl_groups.h.
MakeGroup cudaGroups(const Device &device);

// What libstretto_cuda.so exports: `stretto_make_cuda_device` and `stretto_make_cuda_group`, which may throw Error, and
// `stretto_cuda_abi_version`, the STRETTO_ABI_VERSION (uint32_t) that it was built with.
using MakeCudaDevice = Device *(const stretto_program &program, const DeviceOptions &options);
using MakeCudaGroup = Group *(const Device &device, const GroupStore &store, const std::string &name, int rank,
                              int size);

} // namespace stretto::runtime
