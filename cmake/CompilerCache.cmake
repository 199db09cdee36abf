# Uses ccache where it is installed. The two leniencies are what ccache asks for with precompiled headers:
# without them every file that uses one is compiled again.
find_program(STRETTO_CCACHE ccache)
if(STRETTO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${STRETTO_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${STRETTO_CCACHE})
endif()
# What sources are compiled with that use a precompiled header, so that ccache works.
set(STRETTO_PRECOMPILED_FLAGS $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
