//===- Bundle.cpp - libraries beside a program ----------------------------===//
#include "tools/stretto-compile/Bundle.h"

#include "tools/stretto-compile/Output.h"
#include "tools/stretto-compile/Run.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <map>

using namespace stretto;
using namespace stretto::tools;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Where libraries lie, by the name they are loaded by.
using Libraries = std::map<std::string, std::string>;

/// Parts of the C library, which belong together with the program loader of a system, and the driver of its GPU.
static bool isOfSystem(StringRef name) {
  constexpr StringRef parts[] = {"ld-linux",      "linux-vdso", "libc.so",   "libm.so",    "libmvec.so",
                                 "libpthread.so", "libdl.so",   "librt.so",  "libutil.so", "libresolv.so",
                                 "libanl.so",     "libcuda.so", "libnvidia-"};
  return llvm::any_of(parts, [&](StringRef part) { return name.starts_with(part); });
}

/// Adds what the system's loader finds for one line of ldd, "name => path (address)". Returns an error text, or an
/// empty one.
static std::string addLine(StringRef line, Libraries &found) {
  auto [left, right] = line.trim().split(" => ");
  std::string name = path::filename(left).str();
  if (right.empty() || isOfSystem(name))
    return "";
  if (right.starts_with("not found"))
    return llvm::formatv("cannot bundle: the library '{0}' must be on this machine, but is not found", name);
  found.insert({name, right.substr(0, right.rfind(" (")).str()});
  return "";
}

static std::string addLoaded(llvm::ArrayRef<std::string> files, Libraries &found) {
  auto ldd = llvm::sys::findProgramByName("ldd");
  if (!ldd)
    return "cannot bundle: no program ldd found, which lists the libraries that a program loads";
  const RunResult result = runProgram(*ldd, std::vector<StringRef>(files.begin(), files.end()));
  if (result.status != 0)
    return llvm::formatv("cannot bundle: '{0}' failed{1}", *ldd, result.problem.empty() ? "" : ": " + result.problem);
  llvm::SmallVector<StringRef> lines;
  StringRef(result.output).split(lines, '\n');
  for (StringRef line : lines)
    if (std::string error = addLine(line, found); !error.empty())
      return error;
  return "";
}

/// Adds the libraries beside those found whose names begin so. Returns the paths of new ones.
static std::vector<std::string> addNamed(llvm::ArrayRef<StringRef> beginnings, Libraries &found) {
  Libraries named;
  for (const auto &[name, file] : found) {
    std::error_code none;
    if (!beginnings.empty())
      for (fs::directory_iterator entry(path::parent_path(file), none), end; entry != end && !none;
           entry.increment(none))
        if (StringRef other = path::filename(entry->path());
            other.contains(".so") &&
            llvm::any_of(beginnings, [&](StringRef begin) { return other.starts_with(begin); }))
          named.insert({other.str(), entry->path()});
  }
  std::vector<std::string> added;
  for (const auto &library : named)
    if (found.insert(library).second)
      added.push_back(library.second);
  return added;
}

static Libraries closureOf(const ProgramLibraries &libraries, llvm::ArrayRef<StringRef> byName, std::string &error) {
  Libraries found;
  std::vector<std::string> open;
  for (const std::vector<std::string> *files : {&libraries.linked, &libraries.loaded})
    llvm::copy_if(*files, std::back_inserter(open), [](StringRef file) { return path::extension(file) == ".so"; });
  for (const std::string &file : open)
    found.insert({path::filename(file).str(), file});
  while (error.empty() && !open.empty()) {
    error = addLoaded(open, found);
    open = addNamed(byName, found);
  }
  return found;
}

/// Copies a file so that it appears whole or not at all, and leaves one alone that a program may be running with.
static std::string copyFile(StringRef from, StringRef to, int64_t &bytes) {
  fs::file_status source, target;
  if (!fs::status(from, source) && !fs::status(to, target) && fs::equivalent(source, target))
    return "";
  PendingFile file(to);
  if (std::error_code code = fs::copy_file(from, file.temporary()))
    return llvm::formatv("cannot copy '{0}' to '{1}': {2}", from, to, code.message());
  bytes += int64_t(source.getSize());
  return file.keep();
}

Bundle stretto::tools::copyLibraries(const ProgramLibraries &libraries, llvm::ArrayRef<StringRef> byName,
                                     StringRef folder, std::string &error) {
  Bundle bundle;
  Libraries found = closureOf(libraries, byName, error);
  if (!error.empty())
    return bundle;
  if (std::error_code code = fs::create_directories(folder, /*IgnoreExisting=*/true, fs::all_all))
    error = llvm::formatv("cannot create folder '{0}': {1}", folder, code.message());
  for (const auto &[name, file] : found) {
    if (!error.empty())
      break;
    error = copyFile(file, (folder + "/" + name).str(), bundle.bytes);
    ++bundle.files;
  }
  return bundle;
}
