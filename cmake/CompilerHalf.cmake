# The compiler's half of the build: MLIR and LLVM, no LibTorch, no exceptions, no RTTI.
find_package(MLIR 22 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(stretto_compiler_flags INTERFACE)
target_compile_options(stretto_compiler_flags INTERFACE
  -fno-exceptions -fno-rtti -Wall -Wextra -Wno-unused-parameter -Werror=deprecated-declarations)
target_include_directories(stretto_compiler_flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_include_directories(stretto_compiler_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
target_compile_definitions(stretto_compiler_flags INTERFACE ${LLVM_DEFINITIONS_LIST} NDEBUG)

# stretto_compiler_library(NAME SOURCES... [LIBS ...] [DEPENDS ...]): a static library of the compiler.
function(stretto_compiler_library name)
  cmake_parse_arguments(ARG "" "" "LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC stretto_compiler_flags ${ARG_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()
