//===- Run.cpp - other programs that this one asks ------------------------===//
#include "tools/stretto-compile/Run.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <sys/mman.h>

using namespace stretto;
using namespace stretto::tools;
using llvm::StringRef;

RunResult stretto::tools::runProgram(StringRef program, llvm::ArrayRef<StringRef> arguments, bool errorsToo) {
  RunResult result;
  // In memory, as disks may be full; the program inherits it.
  int written = memfd_create("stretto", 0);
  if (written < 0) {
    result.problem = "cannot make a file in memory: " + llvm::errnoAsErrorCode().message();
    return result;
  }
  const std::string path = "/proc/self/fd/" + std::to_string(written);
  llvm::SmallVector<StringRef> argv{program};
  argv.append(arguments.begin(), arguments.end());
  std::optional<StringRef> errors;
  if (errorsToo)
    errors = path;
  result.status = llvm::sys::ExecuteAndWait(program, argv, std::nullopt, {std::nullopt, StringRef(path), errors}, 0, 0,
                                            &result.problem);
  if (auto text = llvm::MemoryBuffer::getFile(path))
    result.output = (*text)->getBuffer().str();
  llvm::sys::fs::closeFile(written);
  return result;
}
