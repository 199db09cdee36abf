// Operations of the library by their names, over tensors that lie in the memory of the program.
#include "runtime/library/operation.h"

#include "runtime/core/error.h"
#include "runtime/core/matmul_shape.h"
#include "runtime/library/dtypes.h"
#include "runtime/library/run.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <algorithm>
#include <map>
#include <string>

namespace stretto::runtime {
namespace {

struct Known {
  LibraryOperation::Compute compute;
  LibraryOperation::ScratchBytes scratchBytes;
  LibraryOperation::Matmuls matmuls;
};

using Table = std::map<std::string, Known, std::less<>>;
Table &table() {
  static Table known;
  return known;
}

at::Tensor tensorAt(void *data, const stretto_tensor &tensor, at::Device device) {
  std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.rank), strides(tensor.rank, 1);
  int64_t next = tensor.row_stride;
  for (int32_t i = tensor.rank - 2; i >= 0; --i) {
    strides[i] = next;
    next *= shape[i];
  }
  return at::from_blob(data, shape, strides, at::TensorOptions(scalarOf(tensor.dtype)).device(device));
}

const Known &find(const LibraryOp &op) {
  const auto found = table().find(std::string_view(op.name));
  if (found == table().end())
    throw Error(std::string("the operation '") + op.name +
                "' must be known to a library that the program is linked with, but none has it");
  return found->second;
}

LibraryCall callOf(const LibraryOp &op, at::Device device) {
  LibraryCall call;
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    const bool isOperand = i < op.operands;
    (isOperand ? call.operands : call.results).push_back(tensorAt(op.buffers[i], op.tensors[i], device));
    (isOperand ? call.operandNames : call.resultNames).push_back(op.tensors[i].name);
  }
  for (const stretto_number &number : op.numbers)
    call.numbers.push_back({number.name, number.value});
  return call;
}

void run(const LibraryOp &op, LibraryCall call) {
  const at::NoGradGuard guard;
  try {
    find(op).compute(call);
  } catch (const c10::Error &error) {
    throw Error(std::string("the operation '") + op.name + "' failed: " + error.what_without_backtrace());
  }
}

at::Tensor named(const std::vector<std::string_view> &names, const std::vector<at::Tensor> &tensors,
                 std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? at::Tensor() : tensors[static_cast<size_t>(found - names.begin())];
}

} // namespace

at::Tensor LibraryCall::operand(std::string_view name) const { return named(operandNames, operands, name); }
at::Tensor LibraryCall::result(std::string_view name) const { return named(resultNames, results, name); }

double LibraryCall::number(std::string_view name) const {
  for (const Number &number : numbers)
    if (number.name == name)
      return number.value;
  throw Error("the operation must have the attribute '" + std::string(name) + "', but has none of this name");
}

LibraryOperation::LibraryOperation(const char *name, Compute compute, ScratchBytes scratchBytes, Matmuls matmuls) {
  table().emplace(name, Known{compute, scratchBytes, matmuls});
}

void expectKnown(const std::vector<LibraryOp> &ops) {
  for (const LibraryOp &op : ops)
    find(op);
}

int64_t scratchBytes(const LibraryOp &op) {
  const Known &known = find(op);
  return known.scratchBytes ? known.scratchBytes(callOf(op, at::kCPU)) : 0;
}

std::vector<MatmulShape> matmulsOf(const LibraryOp &op) {
  const Known &known = find(op);
  return known.matmuls ? known.matmuls(callOf(op, at::kCPU)) : std::vector<MatmulShape>();
}

void runOnCpu(const LibraryOp &op, const std::function<char *(int64_t)> &scratch) {
  LibraryCall call = callOf(op, at::kCPU);
  call.scratch = scratch;
  run(op, std::move(call));
}

void runOnGpu(const LibraryOp &op, int gpu, int capability) {
  LibraryCall call = callOf(op, at::Device(at::kCUDA, static_cast<at::DeviceIndex>(gpu)));
  call.capability = capability;
  run(op, std::move(call));
}

} // namespace stretto::runtime
