# Operations that lie outside of this repository (docs/extending.md): an extension is a folder whose CMakeLists.txt calls
# stretto_extension, and whose name it bears.
set(STRETTO_EXTENSIONS "" CACHE STRING "folders of extensions to build into the compiler, with semicolons between them")

# stretto_extension(NAME DIALECT d OPS file.td COMPILER sources... [RUNTIME sources...])
#   OPS        the dialect `d` and its operations; sources include "<name>/Dialect.h.inc", "<name>/Ops.h.inc" and the
#              two .cpp.inc beside them
#   COMPILER   among them the function stretto_add_<name>(), which makes known what the extension brings
#   RUNTIME    what its operations compute: a library that programs are linked with
function(stretto_extension name)
  cmake_parse_arguments(ARG "" "DIALECT;OPS" "COMPILER;RUNTIME" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_OPS})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name})
  foreach(kind decls:h defs:cpp)
    string(REPLACE ":" ";" kind ${kind})
    list(POP_FRONT kind what)
    mlir_tablegen(${name}/Dialect.${kind}.inc -gen-dialect-${what} -dialect=${ARG_DIALECT})
    mlir_tablegen(${name}/Ops.${kind}.inc -gen-op-${what})
  endforeach()
  add_public_tablegen_target(stretto_extension_${name}_ops)
  stretto_compiler_library(stretto_extension_${name} ${ARG_COMPILER}
    LIBS StrettoFrontend StrettoPyTorch StrettoIR MLIR DEPENDS stretto_extension_${name}_ops)
  target_include_directories(stretto_extension_${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  if(ARG_RUNTIME AND STRETTO_BUILD_RUNTIME)
    add_library(stretto_${name} SHARED ${ARG_RUNTIME})
    target_link_libraries(stretto_${name} PRIVATE stretto_runtime stretto_runtime_flags stretto_torch)
    set_target_properties(stretto_${name} PROPERTIES INSTALL_RPATH "${STRETTO_TORCH_RPATH}" BUILD_WITH_INSTALL_RPATH ON)
  endif()
endfunction()

# stretto_extension_list(TARGET NAMES...): the library of tools/support/extensions.h for tools with these extensions.
function(stretto_extension_list target)
  set(declarations "")
  set(calls "")
  set(libraries "")
  foreach(name ${ARGN})
    string(APPEND declarations "extern \"C\" void stretto_add_${name}();\n")
    string(APPEND calls "  stretto_add_${name}();\n")
    if(TARGET stretto_${name})
      string(APPEND libraries "\"libstretto_${name}.so\", ")
    endif()
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// The extensions of this build.
#include \"tools/support/extensions.h\"
@declarations@
void stretto::tools::addExtensions() {
@calls@}
std::vector<std::string> stretto::tools::extensionLibraries() { return {@libraries@}; }
")
  stretto_compiler_library(${target} ${source} TEXT_ONLY)
  foreach(name ${ARGN})
    target_link_libraries(${target} PUBLIC stretto_extension_${name})
    if(TARGET stretto_${name})
      add_dependencies(${target} stretto_${name})
    endif()
  endforeach()
endfunction()

# Builds STRETTO_EXTENSIONS, and makes the library StrettoExtensions.
function(stretto_add_extensions)
  set(names "")
  foreach(folder ${STRETTO_EXTENSIONS})
    get_filename_component(folder ${folder} ABSOLUTE)
    get_filename_component(name ${folder} NAME)
    add_subdirectory(${folder} ${CMAKE_BINARY_DIR}/extensions/${name})
    if(NOT TARGET stretto_extension_${name})
      message(FATAL_ERROR "${folder}/CMakeLists.txt must call stretto_extension(${name} ...), by the name of its folder")
    endif()
    if(TARGET stretto_${name})
      install(TARGETS stretto_${name} LIBRARY DESTINATION lib)
    endif()
    list(APPEND names ${name})
  endforeach()
  stretto_extension_list(StrettoExtensions ${names})
endfunction()
