//===- Devices.cpp - what is assumed of devices and of the links between them -----===//
#include "codegen/scaling/Devices.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace stretto::codegen;

namespace stretto::codegen {
extern const char *const devicesText; // devices.json, made a string by CMake
} // namespace stretto::codegen

const std::vector<DeviceNumber> &stretto::codegen::deviceNumbers() {
  static const std::vector<DeviceNumber> numbers{
      {"memory_bytes", &Device::memory},
      {"library_bytes", &Device::libraryBytes},
      {"copy_bytes_per_second", &Device::copyRate},
      {"kernel_share_of_copy", &Device::kernelShare},
      {"matmul_bf16_flops", &Device::matmulBf16},
      {"matmul_f32_flops", &Device::matmulF32},
      {"matmul_f64_flops", &Device::matmulF64},
      {"attention_flops", &Device::attention},
      {"attention_backward_flops", &Device::attentionBackward},
      {"mixer_flops", &Device::mixer},
      {"least_kernel_seconds", &Device::leastKernel},
      {"between_kernels_seconds", &Device::betweenKernels},
      {"host_ranks", &Device::hostRanks},
      {"inside_bytes_per_second", &Device::insideRate},
      {"inside_latency_seconds", &Device::insideLatency},
      {"across_bytes_per_second", &Device::acrossRate},
      {"across_latency_seconds", &Device::acrossLatency},
      {"collective_seconds", &Device::collective},
      {"spread", &Device::spread},
  };
  return numbers;
}

/// [number, source]; nothing where it is not.
static std::optional<Assumption> readAssumption(const llvm::json::Value *json) {
  const llvm::json::Array *pair = json ? json->getAsArray() : nullptr;
  if (!pair || pair->size() != 2)
    return std::nullopt;
  const std::optional<double> value = (*pair)[0].getAsNumber();
  const std::optional<llvm::StringRef> source = (*pair)[1].getAsString();
  if (!value || !(*value > 0) || !source || source->empty())
    return std::nullopt;
  return Assumption{*value, source->str()};
}

static std::optional<Device> readDevice(llvm::StringRef name, const llvm::json::Value &json, std::string &error) {
  const llvm::json::Object *object = json.getAsObject();
  const llvm::json::Object *numbers = object ? object->getObject("numbers") : nullptr;
  if (!numbers || !object->getString("title") || !object->getString("target")) {
    error = llvm::formatv("device '{0}' must have a title, a target and numbers", name);
    return std::nullopt;
  }
  Device device;
  device.name = name.str();
  device.title = object->getString("title")->str();
  device.target = object->getString("target")->str();
  for (const DeviceNumber &number : deviceNumbers()) {
    std::optional<Assumption> assumption = readAssumption(numbers->get(number.name));
    if (!assumption) {
      error = llvm::formatv("'{0}' of device '{1}' must be [a number above 0, its source]", number.name, name);
      return std::nullopt;
    }
    device.*number.field = std::move(*assumption);
  }
  if (numbers->size() == deviceNumbers().size())
    return device;
  error =
      llvm::formatv("device '{0}' must have {1} numbers, but got {2}", name, deviceNumbers().size(), numbers->size());
  return std::nullopt;
}

std::optional<std::vector<Device>> stretto::codegen::readDevices(const std::string &json, std::string &error) {
  llvm::Expected<llvm::json::Value> table = llvm::json::parse(json);
  if (!table) {
    error = llvm::toString(table.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *object = table->getAsObject();
  if (!object) {
    error = "the table of devices must be an object";
    return std::nullopt;
  }
  std::vector<Device> devices;
  for (auto &[name, value] : *object) {
    std::optional<Device> device = readDevice(name, value, error);
    if (!device)
      return std::nullopt;
    devices.push_back(std::move(*device));
  }
  llvm::sort(devices, [](const Device &a, const Device &b) { return a.name < b.name; });
  return devices;
}

const std::vector<Device> &stretto::codegen::allDevices() {
  static const std::vector<Device> devices = [] {
    std::string error;
    std::optional<std::vector<Device>> read = readDevices(devicesText, error);
    if (!read)
      llvm::report_fatal_error(llvm::Twine("devices.json: ") + error);
    return *read;
  }();
  return devices;
}

const Device *stretto::codegen::findDevice(const std::string &name) {
  for (const Device &device : allDevices())
    if (device.name == name)
      return &device;
  return nullptr;
}
