// Descriptors of cuDNN's graphs, and what a graph of them computes.
#pragma once

#include <cstring>
#include <cudnn.h>
#include <functional>
#include <map>
#include <memory>
#include <vector>

// A descriptor: values under the names of attributes. Others that it names live as long as it does.
struct CudnnDescriptor {
  cudnnBackendDescriptorType_t type;
  std::map<int, std::vector<std::byte>> values;
  std::map<int, std::vector<std::shared_ptr<const CudnnDescriptor>>> descriptors;

  template <typename T> std::vector<T> list(cudnnBackendAttributeName_t name) const {
    const auto found = values.find(name);
    if (found == values.end())
      return {};
    std::vector<T> all(found->second.size() / sizeof(T));
    std::memcpy(all.data(), found->second.data(), all.size() * sizeof(T));
    return all;
  }
  template <typename T> T value(cudnnBackendAttributeName_t name, T usual = {}) const {
    const std::vector<T> all = list<T>(name);
    return all.empty() ? usual : all.front();
  }
  template <typename T> void set(cudnnBackendAttributeName_t name, T value) {
    values[name].resize(sizeof value);
    std::memcpy(values[name].data(), &value, sizeof value);
  }
  const CudnnDescriptor &at(cudnnBackendAttributeName_t name) const { return *descriptors.at(name).at(0); }
};

// Whether all operations of a graph are known.
bool isKnownCudnnGraph(const CudnnDescriptor &graph);

// Whether it computes gradients.
bool isCudnnBackward(const CudnnDescriptor &graph);

// Bytes that a plan of a graph asks for: of the scores of all heads, where the gradient of q is written at once. Else
// it is added up, as threads come to it.
int64_t cudnnWorkspaceOf(const CudnnDescriptor &graph);

// What a graph computes, as work for a stream. `addresses`: of tensors by their numbers. Results are multiplied by
// `factor`. Throws std::invalid_argument where an address or the workspace is not what was promised.
std::function<void()> cudnnWorkOf(const std::shared_ptr<const CudnnDescriptor> &graph,
                                  const std::map<int64_t, void *> &addresses, void *workspace, double factor);
