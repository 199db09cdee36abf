// Main of a compiled training program.
#include "runtime/program/program.h"
#include "tasks/all_tasks.h"
#include "tools/support/streams.h"

int main(int argc, char **argv) {
  stretto::tools::openClosedStreams();
  return stretto::runtime::runProgram(stretto_compiled_program, stretto::tasks::allTasks(), argc, argv);
}
