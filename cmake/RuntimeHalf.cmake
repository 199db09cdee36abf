# The runtime's half of the build: LibTorch from its wheel, no MLIR, no LLVM; exceptions and RTTI on.
set(STRETTO_TORCH_DIR "" CACHE PATH "folder of the torch package (holds include/ and lib/)")
if(NOT STRETTO_TORCH_DIR)
  file(GLOB _stretto_torch ${CMAKE_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch)
  if(NOT _stretto_torch)
    message(FATAL_ERROR "LibTorch not found: run ./setup build, or set -DSTRETTO_TORCH_DIR=<torch package folder>")
  endif()
  list(GET _stretto_torch 0 STRETTO_TORCH_DIR)
endif()

add_library(stretto_torch INTERFACE)
target_include_directories(stretto_torch SYSTEM INTERFACE
  ${STRETTO_TORCH_DIR}/include ${STRETTO_TORCH_DIR}/include/torch/csrc/api/include)
target_link_libraries(stretto_torch INTERFACE
  ${STRETTO_TORCH_DIR}/lib/libtorch_cpu.so ${STRETTO_TORCH_DIR}/lib/libc10.so)
file(GLOB _stretto_cuda_libs ${STRETTO_TORCH_DIR}/../nvidia/*/lib)
list(JOIN _stretto_cuda_libs ":" _stretto_cuda_path)
target_link_options(stretto_torch INTERFACE
  "LINKER:--disable-new-dtags,-rpath,${STRETTO_TORCH_DIR}/lib:${_stretto_cuda_path},-rpath-link,${STRETTO_TORCH_DIR}/lib:${_stretto_cuda_path}")

add_library(stretto_runtime_flags INTERFACE)
target_compile_options(stretto_runtime_flags INTERFACE -Wall -Wextra)
target_include_directories(stretto_runtime_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
