//===- Run.cpp - other programs that this one asks ------------------------===//
#include "tools/stretto-compile/Run.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace stretto;
using namespace stretto::tools;
using llvm::StringRef;

RunResult stretto::tools::runProgram(StringRef program, llvm::ArrayRef<StringRef> arguments, bool errorsToo) {
  RunResult result;
  llvm::SmallString<128> path;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("stretto", "txt", path)) {
    result.problem = "cannot write a temporary file: " + code.message();
    return result;
  }
  llvm::SmallVector<StringRef> argv{program};
  argv.append(arguments.begin(), arguments.end());
  std::optional<StringRef> errors;
  if (errorsToo)
    errors = path;
  result.status = llvm::sys::ExecuteAndWait(program, argv, std::nullopt, {std::nullopt, StringRef(path), errors}, 0, 0,
                                            &result.problem);
  if (auto text = llvm::MemoryBuffer::getFile(path))
    result.output = (*text)->getBuffer().str();
  llvm::sys::fs::remove(path);
  return result;
}
