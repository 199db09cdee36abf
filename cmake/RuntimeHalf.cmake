# The runtime's half of the build: LibTorch from its wheel, no MLIR, no LLVM; exceptions and RTTI on.
if(NOT STRETTO_TORCH_DIR)
  message(FATAL_ERROR "LibTorch not found: run ./setup build, or set -DSTRETTO_TORCH_DIR=<torch package folder>")
endif()

add_library(stretto_torch INTERFACE)
target_include_directories(stretto_torch SYSTEM INTERFACE
  ${STRETTO_TORCH_DIR}/include ${STRETTO_TORCH_DIR}/include/torch/csrc/api/include)
target_link_libraries(stretto_torch INTERFACE
  ${STRETTO_TORCH_DIR}/lib/libtorch_cpu.so ${STRETTO_TORCH_DIR}/lib/libc10.so)
file(GLOB _stretto_cuda_libs ${STRETTO_TORCH_DIR}/../nvidia/*/lib)
list(JOIN _stretto_cuda_libs ":" _stretto_cuda_path)
target_link_options(stretto_torch INTERFACE
  "LINKER:--disable-new-dtags,-rpath-link,${STRETTO_TORCH_DIR}/lib:${_stretto_cuda_path}")
# Where libraries that are linked with LibTorch look for it: beside themselves first, so that copies that lie together
# stay together.
set(STRETTO_TORCH_RPATH ${CMAKE_INSTALL_RPATH} ${STRETTO_TORCH_DIR}/lib ${_stretto_cuda_libs})
