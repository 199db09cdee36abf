# What our own sources are compiled with; headers of others are system headers.
#   STRETTO_WARNINGS        the warnings that are asked for
#   STRETTO_FALSE_WARNINGS  those of them that compilers give without reason
option(STRETTO_WARNINGS_ARE_ERRORS "Warnings of our own sources are errors" OFF)
set(STRETTO_WARNINGS -Wall -Wextra)
if(STRETTO_WARNINGS_ARE_ERRORS)
  list(APPEND STRETTO_WARNINGS -Werror)
endif()
set(STRETTO_FALSE_WARNINGS "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang") # of what libstdc++ 12 itself uses, where a source sorts
  list(APPEND STRETTO_FALSE_WARNINGS -Wno-deprecated-declarations)
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13) # GCC: of texts that are joined by + although nothing overlaps (bug 105651)
  list(APPEND STRETTO_FALSE_WARNINGS -Wno-restrict)
endif()
