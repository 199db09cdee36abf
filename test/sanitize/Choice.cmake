# Which tests run under the sanitizers: those that they can say something of. What runs each time is in `short_folders`, and
# has the label `short`.
if(STRETTO_SANITIZE STREQUAL "thread")
  set(unit_folders runtime)
  set(lit_folders integration/runtime)
else()
  list(REMOVE_ITEM lit_folders campaign docs extension gpu integration lint)
  list(APPEND lit_folders integration/runtime integration/program)
endif()
set(short_folders runtime)

# Emulated threads have stacks of their own, so that frames stay on them.
find_program(STRETTO_SYMBOLIZER NAMES llvm-symbolizer-22 HINTS /usr/lib/llvm-22/bin REQUIRED)
set(common external_symbolizer_path=${STRETTO_SYMBOLIZER})
set(test_environment
  ASAN_OPTIONS=${common}:detect_stack_use_after_return=0
  TSAN_OPTIONS=${common}:halt_on_error=1:second_deadlock_stack=1
  UBSAN_OPTIONS=${common}:print_stacktrace=1)
if(STRETTO_SANITIZE STREQUAL "thread") # they change bit after bit of a file, on one thread
  list(APPEND test_environment GTEST_FILTER=-Checkpoint.EveryBitFlip*:Checkpoint.Truncation*:Safetensors.RandomDamage*)
endif()
