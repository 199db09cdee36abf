//===- Output.cpp - where results go --------------------------------------===//
#include "tools/stretto-compile/Output.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace stretto;
using namespace stretto::tools;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// Whether something lies at `path` that is no file: a device, a pipe.
static bool isSpecial(StringRef path) {
  fs::file_status status;
  return !fs::status(path, status) && fs::is_other(status);
}

PendingFile::PendingFile(StringRef path) : path(path.str()), place(path.str()) {
  if (llvm::SmallString<128> real; !fs::real_path(path, real))
    place = real.str().str();
  name = isSpecial(place) ? place : place + ".partial" + std::to_string(llvm::sys::Process::getProcessId());
}

PendingFile::~PendingFile() {
  if (!name.empty() && name != place)
    fs::remove(name);
}

std::string PendingFile::write(StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream os(name, code);
  if (fs::file_status before; !code && name != place && !fs::status(place, before))
    code = fs::setPermissions(name, before.permissions());
  if (code)
    return llvm::formatv("cannot write '{0}': {1}", path, code.message());
  os << bytes;
  os.close();
  if (!os.has_error())
    return "";
  code = os.error();
  os.clear_error();
  return llvm::formatv("cannot write '{0}': {1}", path, code.message());
}

std::string PendingFile::keep() {
  if (name == place)
    return "";
  if (std::error_code code = fs::rename(name, place))
    return llvm::formatv("cannot write '{0}': {1}", path, code.message());
  name.clear();
  return "";
}

std::string stretto::tools::whyNotWritable(StringRef path) {
  if (fs::is_directory(path))
    return llvm::formatv("cannot write '{0}': it is a folder", path);
  if (isSpecial(path))
    return "";
  StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (!fs::exists(folder))
    return llvm::formatv("cannot write '{0}': there is no folder '{1}'", path, folder);
  if (fs::access(folder, fs::AccessMode::Write))
    return llvm::formatv("cannot write '{0}': the folder '{1}' is read-only", path, folder);
  return "";
}

std::string stretto::tools::writeFile(StringRef path, StringRef bytes) {
  PendingFile file(path);
  std::string problem = file.write(bytes);
  return problem.empty() ? file.keep() : problem;
}

std::string stretto::tools::printText(StringRef text) {
  llvm::raw_fd_ostream &os = llvm::outs();
  os << text;
  os.flush();
  bool isWritten = !os.has_error();
  os.clear_error(); // else it aborts the process at its end
  return isWritten ? "" : "the output could not be written";
}
