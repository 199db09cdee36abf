# Where things lie below the build folder and below an install prefix, which look alike:
#   bin/                    stretto and its siblings
#   lib/                    what compiled programs are linked with
#   share/stretto/models/   the models, and what a spec imports as "std/..."
# Programs find lib and share from where they lie themselves, so that a tree may be moved; LibTorch and LLVM stay where
# they were found.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/stretto)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/models ${CMAKE_BINARY_DIR}/share/stretto/models SYMBOLIC)

# Called when all targets are known.
function(stretto_install)
  foreach(target stretto stretto-compile stretto-opt stretto-translate stretto-check stretto-data stretto-compare stretto-demo stretto-export stretto-sweep
                 stretto_program_main stretto_emulator stretto_runtime stretto_cuda stretto_tasks)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
      install(TARGETS ${target} RUNTIME DESTINATION bin LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
    endif()
  endforeach()
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/models/ DESTINATION share/stretto/models)
endfunction()
