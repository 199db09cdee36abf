// cuDNN on this machine's memory, as far as graphs of attention need it: descriptors with attributes, one engine for
// any graph whose operations are known, plans that must be made before a capture.
#include "test/integration/runtime/fake/cudnn.h"

#include "test/integration/runtime/fake/cudnn_graph.h"
#include "test/integration/runtime/fake/gpu.h"

#include <algorithm>
#include <stdexcept>
#include <string>

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

namespace {

using Shared = std::shared_ptr<CudnnDescriptor>;

CudnnBehaviour behaviour = CudnnBehaviour::Right;
int plans = 0;
std::string lastError; // until it is asked for

Shared &of(cudnnBackendDescriptor_t descriptor) { return *static_cast<Shared *>(descriptor); }

size_t bytesOf(cudnnBackendAttributeType_t type) {
  switch (type) {
  case CUDNN_TYPE_BOOLEAN:
  case CUDNN_TYPE_CHAR:
    return 1;
  case CUDNN_TYPE_INT64:
  case CUDNN_TYPE_DOUBLE:
  case CUDNN_TYPE_VOID_PTR:
  case CUDNN_TYPE_HANDLE:
    return 8;
  default: // enumerations, int32 and float
    return 4;
  }
}

// The graph that an engine was found for.
const std::shared_ptr<const CudnnDescriptor> &graphOf(const CudnnDescriptor &plan) {
  return plan.at(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
      .at(CUDNN_ATTR_ENGINECFG_ENGINE)
      .descriptors.at(CUDNN_ATTR_ENGINE_OPERATION_GRAPH)[0];
}

bool isRefused(const CudnnDescriptor &graph) {
  return behaviour == CudnnBehaviour::Refused || !isKnownCudnnGraph(graph) ||
         (behaviour == CudnnBehaviour::NoBackward && isCudnnBackward(graph));
}

// An engine for the graph that was asked about, where there is one.
cudnnStatus_t findEngines(CudnnDescriptor &heuristics) {
  const auto graph = heuristics.descriptors.at(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)[0];
  auto &found = heuristics.descriptors[CUDNN_ATTR_ENGINEHEUR_RESULTS];
  if (isRefused(*graph))
    return lastError = "no engine for such heads", CUDNN_STATUS_SUCCESS;
  const Shared engine(new CudnnDescriptor{CUDNN_BACKEND_ENGINE_DESCRIPTOR, {}, {}});
  engine->descriptors[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = {graph};
  engine->set<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 0);
  const Shared config(new CudnnDescriptor{CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, {}, {}});
  config->descriptors[CUDNN_ATTR_ENGINECFG_ENGINE] = {engine};
  config->set<int64_t>(CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, cudnnWorkspaceOf(*graph));
  config->set<int32_t>(CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED, 0);
  found = {config};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t makePlan(CudnnDescriptor &plan) {
  if (refuseInCapture() != cudaSuccess) // it loads code
    return CUDNN_STATUS_INTERNAL_ERROR;
  ++plans;
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, cudnnWorkspaceOf(*graphOf(plan)));
  return CUDNN_STATUS_SUCCESS;
}

// The clock of the made-up GPU counts events.
void takeLong(cudaStream_t stream) {
  for (int i = 0; i < 100; ++i) {
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    cudaEventRecord(event, stream);
    cudaEventDestroy(event);
  }
}

} // namespace

void setCudnnBehaviour(CudnnBehaviour now) { behaviour = now; }
int cudnnPlans() { return plans; }

extern "C" {

size_t cudnnGetVersion() { return CUDNN_VERSION; }
const char *cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS ? "CUDNN_STATUS_SUCCESS" : "CUDNN_STATUS_INTERNAL_ERROR";
}
void cudnnGetLastErrorString(char *message, size_t most) {
  std::strncpy(message, lastError.c_str(), most);
  lastError.clear();
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) { return *handle = new cudnnContext, CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return delete handle, CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return handle->stream = stream, CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *stream) {
  return *stream = handle->stream, CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *descriptor) {
  *descriptor = new Shared(new CudnnDescriptor{type, {}, {}});
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  return delete &of(descriptor), CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count, const void *elements) {
  CudnnDescriptor &one = *of(descriptor);
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto *all = static_cast<const cudnnBackendDescriptor_t *>(elements);
    one.descriptors[name].assign(count, nullptr);
    std::transform(all, all + count, one.descriptors[name].begin(), of);
    return CUDNN_STATUS_SUCCESS;
  }
  const auto *bytes = static_cast<const std::byte *>(elements);
  one.values[name].assign(bytes, bytes + count * bytesOf(type));
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t most, int64_t *count, void *elements) {
  const CudnnDescriptor &one = *of(descriptor);
  const bool isDescriptor = type == CUDNN_TYPE_BACKEND_DESCRIPTOR;
  const auto named = one.descriptors.find(name);
  const auto value = one.values.find(name);
  const int64_t has = isDescriptor ? (named == one.descriptors.end() ? 0 : named->second.size())
                                   : (value == one.values.end() ? 0 : value->second.size() / bytesOf(type));
  if (count)
    *count = has;
  for (int64_t i = 0; i < std::min(has, most) && elements && isDescriptor; ++i)
    of(static_cast<cudnnBackendDescriptor_t *>(elements)[i]) =
        std::const_pointer_cast<CudnnDescriptor>(named->second[i]);
  if (has > 0 && elements && !isDescriptor)
    std::memcpy(elements, value->second.data(), std::min(has, most) * bytesOf(type));
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  CudnnDescriptor &one = *of(descriptor);
  if (one.type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
    return findEngines(one);
  return one.type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ? makePlan(one) : CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
  const auto numbers = of(pack)->list<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers = of(pack)->list<void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  std::map<int64_t, void *> addresses;
  for (size_t i = 0; i < numbers.size(); ++i)
    addresses[numbers[i]] = pointers.at(i);
  std::function<void()> work;
  try {
    work = cudnnWorkOf(graphOf(*of(plan)), addresses, of(pack)->value<void *>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE),
                       behaviour == CudnnBehaviour::Wrong ? 1.1 : 1);
  } catch (const std::invalid_argument &reason) {
    return lastError = reason.what(), CUDNN_STATUS_BAD_PARAM;
  }
  if (behaviour == CudnnBehaviour::Slow)
    takeLong(handle->stream);
  if (behaviour != CudnnBehaviour::Unwritten && enqueue(handle->stream, work) != cudaSuccess)
    return CUDNN_STATUS_EXECUTION_FAILED;
  return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
