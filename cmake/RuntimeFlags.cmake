# How the runtime and the tasks are compiled; the tasks need nothing else of it but headers.
add_library(stretto_runtime_flags INTERFACE)
target_compile_options(stretto_runtime_flags INTERFACE ${STRETTO_WARNINGS} ${STRETTO_FALSE_WARNINGS})
target_include_directories(stretto_runtime_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
