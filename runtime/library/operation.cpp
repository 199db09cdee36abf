// Operations of the library by their names, over tensors that lie in the memory of the program.
#include "runtime/library/operation.h"

#include "runtime/core/error.h"
#include "runtime/library/run.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <map>
#include <string>

namespace stretto::runtime {
namespace {

using Table = std::map<std::string, LibraryOperation::Compute, std::less<>>;
Table &table() {
  static Table known;
  return known;
}

at::ScalarType scalarOf(int32_t dtype) {
  switch (dtype) {
  case STRETTO_F64:
    return at::kDouble;
  case STRETTO_I32:
    return at::kInt;
  case STRETTO_BF16:
    return at::kBFloat16;
  default:
    return at::kFloat;
  }
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

LibraryOperation::Compute find(const LibraryOp &op) {
  const auto found = table().find(std::string_view(op.name));
  if (found == table().end())
    throw Error(std::string("the operation '") + op.name +
                "' must be known to a library that the program is linked with, but none has it");
  return found->second;
}

void run(const LibraryOp &op, at::Device device) {
  const at::NoGradGuard guard;
  LibraryCall call{{}, {}, op.numbers};
  for (size_t i = 0; i < op.tensors.size(); ++i)
    (i < op.operands ? call.operands : call.results).push_back(tensorAt(op.buffers[i], op.tensors[i], device));
  try {
    find(op)(call);
  } catch (const c10::Error &error) {
    throw Error(std::string("the operation '") + op.name + "' failed: " + error.what_without_backtrace());
  }
}

} // namespace

LibraryOperation::LibraryOperation(const char *name, Compute compute) { table().emplace(name, compute); }

void expectKnown(const std::vector<LibraryOp> &ops) {
  for (const LibraryOp &op : ops)
    find(op);
}

void runOnCpu(const LibraryOp &op) { run(op, at::kCPU); }
void runOnGpu(const LibraryOp &op, int gpu) { run(op, at::Device(at::kCUDA, static_cast<at::DeviceIndex>(gpu))); }

} // namespace stretto::runtime
