//===- Devices.h - what is assumed of devices and of the links between them -------===//
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stretto::codegen {

/// A number, and on what grounds it is believed.
struct Assumption {
  double value = 0;
  std::string source;
};

/// One device of devices.json. Bytes, seconds, and both per second; FLOP/s as they are reached, not as they are sold.
struct Device {
  std::string name, title, target; // as --device and --target have it
  Assumption memory, libraryBytes;
  Assumption copyRate, kernelShare; // of it, by a kernel that moves rows
  Assumption matmulBf16, matmulF32, matmulF64;
  Assumption attention, attentionBackward, mixer; // in bf16; other types have the share that their matmuls have
  Assumption leastKernel, betweenKernels;
  Assumption hostRanks;                 // devices of a host
  Assumption insideRate, insideLatency; // of a link between two devices of a host, each way
  Assumption acrossRate, acrossLatency; // of a device's link to other hosts, each way
  Assumption collective;                // the start of one
  Assumption spread;                    // of the times of a step over ranks: one standard deviation, as a share
};

/// How the JSON has the numbers of a device.
struct DeviceNumber {
  const char *name;
  Assumption Device::*field;
};
const std::vector<DeviceNumber> &deviceNumbers();

/// The devices of a table, by name; on a mistake nothing, and `error` says which number of which device it is in.
std::optional<std::vector<Device>> readDevices(const std::string &json, std::string &error);

/// Those that are known.
const std::vector<Device> &allDevices();

/// Null where there is none of that name.
const Device *findDevice(const std::string &name);

} // namespace stretto::codegen
