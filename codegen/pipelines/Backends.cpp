//===- Backends.cpp - all kinds of devices that programs can be made for --------===//
#include "codegen/pipelines/Backends.h"

#include "codegen/cpu/Backend.h"
#include "codegen/cuda/Backend.h"

#include "llvm/ADT/STLExtras.h"

using namespace stretto;
using namespace stretto::codegen;

llvm::ArrayRef<const Backend *> stretto::codegen::allBackends() {
  static const Backend *const backends[] = {&cpuBackend(), &cudaBackend()};
  return backends;
}

const Backend *stretto::codegen::findBackend(llvm::StringRef name) {
  const auto *found = llvm::find_if(allBackends(), [&](const Backend *backend) { return backend->name() == name; });
  return found == allBackends().end() ? nullptr : *found;
}
