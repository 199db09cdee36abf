# bench_library(NAME SOURCE [TORCH SOURCE]): a library that a bench in Python loads. What stands behind TORCH sees LibTorch's
# headers, which carry another version of fmt.
function(bench_library name source)
  cmake_parse_arguments(PARSE_ARGV 2 bench "" "TORCH" "")
  add_library(${name} SHARED EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE stretto_runtime)
  if(bench_TORCH)
    add_library(${name}_torch OBJECT EXCLUDE_FROM_ALL ${bench_TORCH})
    target_link_libraries(${name}_torch PRIVATE stretto_runtime_flags stretto_torch)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_torch>)
    target_link_libraries(${name} PRIVATE stretto_torch)
  endif()
endfunction()
