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
  "LINKER:--disable-new-dtags,-rpath,${STRETTO_TORCH_DIR}/lib:${_stretto_cuda_path},-rpath-link,${STRETTO_TORCH_DIR}/lib:${_stretto_cuda_path}")

# LibTorch with CUDA, where the wheel has it: headers and libraries of CUDA lie in the wheels beside it.
get_filename_component(_stretto_cuda_root ${STRETTO_TORCH_DIR}/../nvidia/cu13 ABSOLUTE)
set(STRETTO_CUDA_INCLUDE ${_stretto_cuda_root}/include)
set(_stretto_cuda_needed ${STRETTO_TORCH_DIR}/lib/libtorch_cuda.so ${STRETTO_TORCH_DIR}/lib/libc10_cuda.so
  ${_stretto_cuda_root}/lib/libcudart.so.13 ${_stretto_cuda_root}/lib/libcublasLt.so.13)
set(_stretto_cuda_missing "")
foreach(_file ${_stretto_cuda_needed} ${STRETTO_CUDA_INCLUDE}/cublasLt.h)
  if(NOT EXISTS ${_file})
    list(APPEND _stretto_cuda_missing ${_file})
  endif()
endforeach()
if(_stretto_cuda_missing)
  message(STATUS "No libstretto_cuda.so, which programs for CUDA need: missing ${_stretto_cuda_missing}")
else()
  add_library(stretto_torch_cuda INTERFACE)
  target_link_libraries(stretto_torch_cuda INTERFACE stretto_torch)
  target_include_directories(stretto_torch_cuda SYSTEM INTERFACE ${STRETTO_CUDA_INCLUDE})
  # All of them: LibTorch finds its CUDA half only where that is loaded.
  target_link_libraries(stretto_torch_cuda INTERFACE -Wl,--no-as-needed ${_stretto_cuda_needed} -Wl,--as-needed)
endif()
