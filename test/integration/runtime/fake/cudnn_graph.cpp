// What a graph of cuDNN's computes, operation after operation: matmuls, reductions, views and elementwise functions of
// tensors with four dimensions. An operand may have fewer entries in a dimension than the result: one for all, or one
// for each group of heads.
#include "test/integration/runtime/fake/cudnn_graph.h"

#include "runtime/core/bf16.h"
#include "test/integration/runtime/fake/gpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace {

using Index = std::array<int64_t, 4>;

int64_t bytesOf(cudnnDataType_t type) { return type == CUDNN_DATA_BFLOAT16 ? 2 : type == CUDNN_DATA_BOOLEAN ? 1 : 4; }

Index indexOf(const std::vector<int64_t> &list) { return {list.at(0), list.at(1), list.at(2), list.at(3)}; }

Index denseStrides(const Index &sizes) { return {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1}; }

int64_t countOf(const Index &sizes) { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }

template <typename Work> void forEach(const Index &sizes, const Work &work) {
  Index i;
  for (i[0] = 0; i[0] < sizes[0]; ++i[0])
    for (i[1] = 0; i[1] < sizes[1]; ++i[1])
      for (i[2] = 0; i[2] < sizes[2]; ++i[2])
        for (i[3] = 0; i[3] < sizes[3]; ++i[3])
          work(i);
}

// Numbers in memory of the device, or in memory of their own.
struct Numbers {
  std::byte *data = nullptr;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  Index sizes{}, strides{};
  std::shared_ptr<std::vector<std::byte>> own = {};

  std::byte *at(const Index &i) const {
    return data + bytesOf(type) * (i[0] * strides[0] + i[1] * strides[1] + i[2] * strides[2] + i[3] * strides[3]);
  }
  template <typename T> T as(const Index &i) const {
    T value;
    std::memcpy(&value, at(i), sizeof value);
    return value;
  }
  double load(const Index &i) const {
    switch (type) {
    case CUDNN_DATA_BFLOAT16:
      return stretto::runtime::widenBf16(as<uint16_t>(i));
    case CUDNN_DATA_INT32:
      return as<int32_t>(i);
    case CUDNN_DATA_BOOLEAN:
      return as<uint8_t>(i);
    default:
      return as<float>(i);
    }
  }
  // Where another tensor of these or more entries is read or written at an index.
  double loadFor(const Index &i, const Index &of) const { return load(map(i, of)); }
  Index map(const Index &i, const Index &of) const {
    Index own = {};
    for (size_t d = 0; d < own.size(); ++d)
      own[d] = i[d] * sizes[d] / of[d];
    return own;
  }
  template <typename T> void put(const Index &i, T value) const { std::memcpy(at(i), &value, sizeof value); }
  void store(const Index &i, double value) const {
    switch (type) {
    case CUDNN_DATA_BFLOAT16:
      return put(i, stretto::runtime::roundToBf16(static_cast<float>(value)));
    case CUDNN_DATA_INT32:
      return put(i, static_cast<int32_t>(value));
    case CUDNN_DATA_BOOLEAN:
      return put(i, static_cast<uint8_t>(value != 0));
    default:
      return put(i, static_cast<float>(value));
    }
  }
};

const std::vector<std::shared_ptr<const CudnnDescriptor>> &operationsOf(const CudnnDescriptor &graph) {
  return graph.descriptors.at(CUDNN_ATTR_OPERATIONGRAPH_OPS);
}

int64_t numberOf(const CudnnDescriptor &tensor) { return tensor.value<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID); }
bool isVirtual(const CudnnDescriptor &tensor) { return tensor.value<char>(CUDNN_ATTR_TENSOR_IS_VIRTUAL) != 0; }
bool isByValue(const CudnnDescriptor &tensor) { return tensor.value<char>(CUDNN_ATTR_TENSOR_IS_BY_VALUE) != 0; }

// A tensor as it is described, without memory. A value that goes by itself is one for all entries.
Numbers describe(const CudnnDescriptor &tensor) {
  auto sizes = tensor.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  auto strides = tensor.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  sizes.resize(4, 1), strides.resize(4, 1);
  return {nullptr, tensor.value<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE), indexOf(sizes), indexOf(strides)};
}

// The gradient of q is added up in memory of its own, in any order.
bool addsUpInMemory(const CudnnDescriptor &operation) {
  if (operation.type != CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
    return false;
  const CudnnDescriptor &result = operation.at(CUDNN_ATTR_OPERATION_MATMUL_CDESC);
  return !isVirtual(result) && describe(result).type == CUDNN_DATA_FLOAT;
}

double apply(cudnnPointwiseMode_t mode, double x, double b, double t) {
  switch (mode) {
  case CUDNN_POINTWISE_ADD:
    return x + b;
  case CUDNN_POINTWISE_SUB:
    return x - b;
  case CUDNN_POINTWISE_MUL:
    return x * b;
  case CUDNN_POINTWISE_DIV:
    return x / b;
  case CUDNN_POINTWISE_EXP:
    return std::exp(x);
  case CUDNN_POINTWISE_LOG:
    return std::log(x);
  case CUDNN_POINTWISE_CMP_GE:
    return x >= b;
  case CUDNN_POINTWISE_CMP_GT:
    return x > b;
  case CUDNN_POINTWISE_BINARY_SELECT:
    return t != 0 ? x : b;
  default: // IDENTITY
    return x;
  }
}

bool isKnown(cudnnPointwiseMode_t mode) {
  constexpr std::array known = {CUDNN_POINTWISE_ADD,      CUDNN_POINTWISE_SUB,      CUDNN_POINTWISE_MUL,
                                CUDNN_POINTWISE_DIV,      CUDNN_POINTWISE_EXP,      CUDNN_POINTWISE_LOG,
                                CUDNN_POINTWISE_CMP_GE,   CUDNN_POINTWISE_CMP_GT,   CUDNN_POINTWISE_BINARY_SELECT,
                                CUDNN_POINTWISE_IDENTITY, CUDNN_POINTWISE_GEN_INDEX};
  return std::find(known.begin(), known.end(), mode) != known.end();
}

cudnnPointwiseMode_t modeOf(const CudnnDescriptor &pointwise) {
  return pointwise.at(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)
      .value<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
}

// One run of a graph.
class Run {
public:
  Run(const CudnnDescriptor &graph, const std::map<int64_t, Numbers> &given, double factor)
      : graph(graph), tensors(given), factor(factor) {}

  void all() {
    for (const auto &operation : operationsOf(graph)) {
      if (operation->type == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
        matmul(*operation);
      else if (operation->type == CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR)
        reduce(*operation);
      else if (operation->type == CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR)
        view(*operation);
      else
        pointwise(*operation);
    }
  }

private:
  const Numbers &operand(const CudnnDescriptor &operation, cudnnBackendAttributeName_t name) const {
    return tensors.at(numberOf(operation.at(name)));
  }
  // Memory for what nobody outside sees.
  const Numbers &result(const CudnnDescriptor &operation, cudnnBackendAttributeName_t name) {
    const CudnnDescriptor &tensor = operation.at(name);
    Numbers &numbers = tensors[numberOf(tensor)];
    if (!numbers.data) {
      numbers = describe(tensor);
      numbers.strides = denseStrides(numbers.sizes);
      numbers.own = std::make_shared<std::vector<std::byte>>(countOf(numbers.sizes) * bytesOf(numbers.type));
      numbers.data = numbers.own->data();
    }
    return numbers;
  }

  void matmul(const CudnnDescriptor &operation) {
    const Numbers &a = operand(operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC),
                  &b = operand(operation, CUDNN_ATTR_OPERATION_MATMUL_BDESC),
                  &c = result(operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
    static int runs = 0;
    const double order = addsUpInMemory(operation) && ++runs % 2 ? 1.005 : 1; // each time another
    const double scale = order * (isVirtual(operation.at(CUDNN_ATTR_OPERATION_MATMUL_CDESC)) ? 1 : factor);
    forEach(c.sizes, [&](const Index &i) {
      Index inA = a.map(i, c.sizes), inB = b.map(i, c.sizes);
      inA[2] = i[2], inB[3] = i[3];
      double sum = 0;
      for (int64_t k = 0; k < a.sizes[3]; ++k) {
        inA[3] = inB[2] = k;
        sum += a.load(inA) * b.load(inB);
      }
      c.store(i, sum * scale);
    });
  }

  void reduce(const CudnnDescriptor &operation) {
    const Numbers &x = operand(operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC),
                  &y = result(operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
    const bool isMost =
        operation.at(CUDNN_ATTR_OPERATION_REDUCTION_DESC).value<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR) ==
        CUDNN_REDUCE_TENSOR_MAX;
    std::map<Index, double> sums;
    forEach(x.sizes, [&](const Index &i) {
      const auto [sum, first] = sums.try_emplace(y.map(i, x.sizes), x.load(i));
      if (!first)
        sum->second = isMost ? std::max(sum->second, x.load(i)) : sum->second + x.load(i);
    });
    for (const auto &[i, sum] : sums)
      y.store(i, sum);
  }

  // The same numbers under other strides.
  void view(const CudnnDescriptor &operation) {
    Numbers numbers = operand(operation, CUDNN_ATTR_OPERATION_RESHAPE_XDESC);
    const CudnnDescriptor &tensor = operation.at(CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
    numbers.sizes = describe(tensor).sizes, numbers.strides = describe(tensor).strides;
    tensors[numberOf(tensor)] = numbers;
  }

  void pointwise(const CudnnDescriptor &operation) {
    const Numbers &y = result(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    const auto read = [&](cudnnBackendAttributeName_t name, const Index &i) {
      return operation.descriptors.contains(name) ? operand(operation, name).loadFor(i, y.sizes) : 0;
    };
    const cudnnPointwiseMode_t mode = modeOf(operation);
    const auto axis =
        operation.at(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR).value<int64_t>(CUDNN_ATTR_POINTWISE_AXIS);
    forEach(y.sizes, [&](const Index &i) {
      y.store(i, mode == CUDNN_POINTWISE_GEN_INDEX ? static_cast<double>(i[axis])
                                                   : apply(mode, read(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, i),
                                                           read(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, i),
                                                           read(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, i)));
    });
  }

  const CudnnDescriptor &graph;
  std::map<int64_t, Numbers> tensors;
  double factor;
};

// All tensors of a graph, each once.
std::map<int64_t, const CudnnDescriptor *> tensorsOf(const CudnnDescriptor &graph) {
  std::map<int64_t, const CudnnDescriptor *> all;
  for (const auto &operation : operationsOf(graph))
    for (const auto &[name, named] : operation->descriptors)
      for (const auto &one : named)
        if (one->type == CUDNN_BACKEND_TENSOR_DESCRIPTOR)
          all[numberOf(*one)] = one.get();
  return all;
}

// Whether an address is as aligned as was said, and all of the tensor is there.
bool isThere(const Numbers &numbers, const CudnnDescriptor &tensor) {
  int64_t last = 0;
  for (size_t d = 0; d < numbers.sizes.size(); ++d)
    last += (numbers.sizes[d] - 1) * numbers.strides[d];
  const auto alignment = tensor.value<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  return reinterpret_cast<uintptr_t>(numbers.data) % alignment == 0 &&
         isAllocated(numbers.data, (last + 1) * bytesOf(numbers.type));
}

// A number that lies on the host is read when the work is submitted.
Numbers copyOfValue(Numbers numbers) {
  const auto *bytes = numbers.data;
  numbers.own = std::make_shared<std::vector<std::byte>>(bytes, bytes + bytesOf(numbers.type));
  numbers.data = numbers.own->data();
  return numbers;
}

} // namespace

bool isKnownCudnnGraph(const CudnnDescriptor &graph) {
  constexpr std::array known = {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
                                CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
                                CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR};
  return std::all_of(operationsOf(graph).begin(), operationsOf(graph).end(), [&](const auto &operation) {
    return std::find(known.begin(), known.end(), operation->type) != known.end() &&
           (operation->type != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR || isKnown(modeOf(*operation)));
  });
}

bool isCudnnBackward(const CudnnDescriptor &graph) {
  return std::any_of(operationsOf(graph).begin(), operationsOf(graph).end(), [](const auto &operation) {
    return operation->type == CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR;
  });
}

int64_t cudnnWorkspaceOf(const CudnnDescriptor &graph) {
  const auto &operations = operationsOf(graph);
  if (!isCudnnBackward(graph) || std::any_of(operations.begin(), operations.end(),
                                             [](const auto &operation) { return addsUpInMemory(*operation); }))
    return 0;
  int64_t most = 0; // entries of a tensor that nobody outside sees: scores
  for (const auto &[number, tensor] : tensorsOf(graph))
    if (isVirtual(*tensor))
      most = std::max(most, countOf(describe(*tensor).sizes));
  return most * bytesOf(CUDNN_DATA_BFLOAT16);
}

std::function<void()> cudnnWorkOf(const std::shared_ptr<const CudnnDescriptor> &graph,
                                  const std::map<int64_t, void *> &addresses, void *workspace, double factor) {
  const int64_t bytes = cudnnWorkspaceOf(*graph);
  if (bytes > 0 && !isAllocated(workspace, bytes))
    throw std::invalid_argument("a workspace of " + std::to_string(bytes) + " bytes is not there");
  std::map<int64_t, Numbers> given;
  for (const auto &[number, tensor] : tensorsOf(*graph)) {
    if (isVirtual(*tensor))
      continue;
    const auto address = addresses.find(number);
    if (address == addresses.end())
      throw std::invalid_argument("tensor " + std::to_string(number) + " has no address");
    Numbers numbers = describe(*tensor);
    numbers.data = static_cast<std::byte *>(address->second);
    if (!isByValue(*tensor) && !isThere(numbers, *tensor))
      throw std::invalid_argument("not all of tensor " + std::to_string(number) + " is there, or it is not aligned");
    given[number] = isByValue(*tensor) ? copyOfValue(numbers) : numbers;
  }
  return [=] {
    if (bytes > 0)
      std::memset(workspace, 0xff, bytes);
    Run(*graph, given, factor).all();
  };
}
