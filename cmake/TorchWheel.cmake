# Where PyTorch's wheel lies, if it is there: the runtime links it, and the compiler finds NVIDIA's tools beside it.
set(STRETTO_TORCH_DIR "" CACHE PATH "folder of the torch package (holds include/ and lib/)")
if(NOT STRETTO_TORCH_DIR)
  file(GLOB _stretto_torch ${CMAKE_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch)
  if(_stretto_torch)
    list(GET _stretto_torch 0 STRETTO_TORCH_DIR)
  endif()
endif()
