# What our own sources are compiled with; headers of others are system headers.
option(STRETTO_WARNINGS_ARE_ERRORS "Warnings of our own sources are errors" OFF)
set(STRETTO_WARNINGS -Wall -Wextra)
if(STRETTO_WARNINGS_ARE_ERRORS)
  list(APPEND STRETTO_WARNINGS -Werror)
endif()
# GCC 12 warns of texts that are joined by + although nothing overlaps (bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND STRETTO_WARNINGS -Wno-restrict)
endif()
