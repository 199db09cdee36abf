//===- SmallKernels.cpp - operations that become CUDA kernels, run on the emulator -===//
#include "SmallKernels.h"

#include "../emulator/EmulatedKernels.h"

#include "codegen/cuda/Passes.h"
#include "ir/Register.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

static constexpr int64_t guardBytes = 64;

static int64_t bytesOf(const std::string &type) { return type == "f64" ? 8 : type == "bf16" ? 2 : 4; }

double stretto::test::roundTo(const std::string &type, double value) {
  if (type == "f64" || type == "i32")
    return value;
  float narrow = static_cast<float>(value);
  if (type == "f32")
    return narrow;
  uint32_t bits = std::bit_cast<uint32_t>(narrow);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
  return std::bit_cast<float>(bits);
}

void DeviceTensor::Free::operator()(char *memory) const { std::free(memory); }

DeviceTensor::DeviceTensor(std::string type, std::vector<int64_t> dims)
    : element(std::move(type)), shape(std::move(dims)) {
  bytes.reset(static_cast<char *>(std::aligned_alloc(64, (size() + guardBytes + 63) / 64 * 64)));
  std::memset(bytes.get(), 0xff, size() + guardBytes);
}

DeviceTensor::DeviceTensor(std::string type, std::vector<int64_t> dims, uint64_t seed)
    : DeviceTensor(std::move(type), std::move(dims)) {
  std::mt19937_64 engine(seed);
  for (int64_t i = 0; i < count(); ++i)
    set(i, roundTo(element, std::ldexp(static_cast<double>(engine() >> 11), -51) - 2));
}

std::string DeviceTensor::type() const {
  std::string text = "tensor<";
  for (int64_t dim : shape)
    text += std::to_string(dim) + "x";
  return text + element + ">";
}

int64_t DeviceTensor::count() const {
  int64_t matmul = 1;
  for (int64_t dim : shape)
    matmul *= dim;
  return matmul;
}

int64_t DeviceTensor::size() const { return count() * bytesOf(element); }

void DeviceTensor::set(int64_t i, double value) {
  if (element == "f32")
    reinterpret_cast<float *>(bytes.get())[i] = static_cast<float>(value);
  else if (element == "f64")
    reinterpret_cast<double *>(bytes.get())[i] = value;
  else if (element == "i32")
    reinterpret_cast<int32_t *>(bytes.get())[i] = static_cast<int32_t>(value);
  else
    reinterpret_cast<uint16_t *>(bytes.get())[i] = std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
}

double DeviceTensor::get(int64_t i) const {
  if (element == "f32")
    return reinterpret_cast<float *>(bytes.get())[i];
  if (element == "f64")
    return reinterpret_cast<double *>(bytes.get())[i];
  if (element == "i32")
    return reinterpret_cast<int32_t *>(bytes.get())[i];
  return std::bit_cast<float>(static_cast<uint32_t>(reinterpret_cast<uint16_t *>(bytes.get())[i]) << 16);
}

std::vector<char> DeviceTensor::bits() const { return {bytes.get(), bytes.get() + size()}; }

bool DeviceTensor::isGuardWhole() const {
  for (int64_t i = size(); i < size() + guardBytes; ++i)
    if (bytes.get()[i] != static_cast<char>(0xff))
      return false;
  return true;
}

static std::string kernelName(size_t op) { return "k" + std::to_string(op); }

/// A function for each operation.
static std::string moduleText(const std::vector<DeviceOp> &ops) {
  std::string text;
  for (size_t i = 0; i < ops.size(); ++i) {
    std::string body = ops[i].text;
    body.replace(body.find("NAME"), 4, kernelName(i));
    text += "func.func @f" + std::to_string(i) + "(";
    for (size_t operand = 0; operand < ops[i].operands.size(); ++operand)
      text += (operand ? ", %" : "%") + std::to_string(operand) + ": " + ops[i].operands[operand]->type();
    text += ") {\n  %r:" + std::to_string(ops[i].results.size()) + " = " + body + "\n  return\n}\n";
  }
  return text;
}

/// The gpu.module alone, as text.
static std::string lower(const std::string &text) {
  DialectRegistry registry;
  registerModelDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PassManager passes(&context);
  passes.addPass(createLowerCudaKernels());
  if (!module || failed(passes.run(*module)))
    return "";
  std::string lowered;
  llvm::raw_string_ostream stream(lowered);
  for (auto kernels : module->getOps<gpu::GPUModuleOp>())
    stream << *kernels.getOperation() << "\n";
  return lowered;
}

DeviceOps::DeviceOps(const std::vector<DeviceOp> &list) : ops(list) {
  kernels = std::make_unique<EmulatedKernels>(lower(moduleText(ops)));
}

DeviceOps::~DeviceOps() = default;

bool DeviceOps::isLoaded() const { return kernels->isLoaded(); }

bool DeviceOps::run(size_t number, const std::vector<char> &before) {
  const DeviceOp &op = ops[number];
  std::vector<void *> buffers;
  for (DeviceTensor *operand : op.operands)
    buffers.push_back(operand->data());
  for (DeviceTensor *result : op.results)
    buffers.push_back(result->data());
  stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_FULL);
  std::vector<std::vector<char>> first;
  for (uint64_t seed : {1, 2, 3}) {
    if (!before.empty())
      std::memcpy(op.results[0]->data(), before.data(), before.size());
    stretto_emulator_set_seed(seed);
    kernels->launch(kernelName(number), buffers, seed);
    std::vector<std::vector<char>> bits;
    for (DeviceTensor *result : op.results) {
      bits.push_back(result->bits());
      if (!result->isGuardWhole())
        return false;
    }
    if (first.empty())
      first = bits;
    if (first != bits)
      return false;
  }
  return true;
}
