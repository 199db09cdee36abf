//===- Process.cpp - other programs, run to their end ---------------------===//
#include "codegen/cuda/binary/Process.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace stretto;
using namespace stretto::codegen;
using llvm::StringRef;

/// What is told of a file or folder; nothing where nothing went wrong.
static std::string unwritten(StringRef path, std::error_code code) {
  if (!code)
    return "";
  return llvm::formatv("cannot write '{0}': {1}; set TMPDIR to another folder", path, code.message());
}

ScratchFile::ScratchFile(StringRef suffix) {
  llvm::SmallString<128> name, folder;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("stretto", suffix, name)) {
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
    problem = unwritten(folder, code);
  } else {
    path = name.str().str();
  }
}

ScratchFile::~ScratchFile() {
  if (!path.empty())
    llvm::sys::fs::remove(path);
}

std::string ScratchFile::write(StringRef bytes) const {
  if (path.empty())
    return problem;
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return unwritten(path, code);
  os << bytes;
  os.close();
  code = os.error();
  os.clear_error();
  return unwritten(path, code);
}

std::string ScratchFile::read() const {
  auto text = llvm::MemoryBuffer::getFile(path);
  return text ? (*text)->getBuffer().str() : "";
}

Finished stretto::codegen::runProgram(StringRef program, llvm::ArrayRef<StringRef> arguments) {
  ScratchFile output("out"), errors("err");
  Finished result;
  result.problem = output.path.empty() ? output.problem : errors.problem;
  if (!result.problem.empty()) {
    result.status = -1;
    return result;
  }
  llvm::SmallVector<StringRef> all{program};
  all.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(output.path), StringRef(errors.path)};
  result.status = llvm::sys::ExecuteAndWait(program, all, std::nullopt, redirects, 0, 0, &result.problem);
  result.output = output.read();
  result.errors = errors.read();
  if (result.status > 0 && result.problem.empty())
    result.problem = llvm::formatv("it ended with status {0}", result.status);
  return result;
}
