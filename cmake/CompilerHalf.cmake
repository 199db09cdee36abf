# The compiler's half of the build: MLIR and LLVM, no LibTorch, no exceptions, no RTTI.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "MLIR 22 is needed, but found ${LLVM_VERSION}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})   # where tablegen looks
include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(stretto_compiler_flags INTERFACE)
target_compile_options(stretto_compiler_flags INTERFACE -fno-exceptions -fno-rtti ${STRETTO_WARNINGS} -Wno-unused-parameter
  ${STRETTO_FALSE_WARNINGS})
target_compile_definitions(stretto_compiler_flags INTERFACE ${LLVM_DEFINITIONS_LIST} NDEBUG)

option(STRETTO_PRECOMPILE "Precompile the MLIR headers that most sources of the compiler include" ON)
if(STRETTO_PRECOMPILE)
  file(WRITE ${CMAKE_BINARY_DIR}/compiler_pch.cpp "")
  add_library(stretto_compiler_pch STATIC ${CMAKE_BINARY_DIR}/compiler_pch.cpp)
  target_link_libraries(stretto_compiler_pch PUBLIC stretto_compiler_flags)
  target_precompile_headers(stretto_compiler_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/compiler_pch.h)
  target_compile_options(stretto_compiler_flags INTERFACE ${STRETTO_PRECOMPILED_FLAGS})
endif()

# stretto_precompiled(TARGET...): their sources use the precompiled header, which is made for libraries; programs must be
# compiled like these.
function(stretto_precompiled)
  foreach(target ${ARGN})
    if(STRETTO_PRECOMPILE)
      target_precompile_headers(${target} REUSE_FROM stretto_compiler_pch)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
  endforeach()
endfunction()

# stretto_compiler_library(NAME SOURCES... [TEXT_ONLY] [LIBS ...] [DEPENDS ...]): a static library of the
# compiler. TEXT_ONLY: it knows nothing of MLIR, so the precompiled headers would only slow it down.
function(stretto_compiler_library name)
  cmake_parse_arguments(ARG "TEXT_ONLY" "" "LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC stretto_compiler_flags ${ARG_LIBS})
  if(NOT ARG_TEXT_ONLY)
    stretto_precompiled(${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()
