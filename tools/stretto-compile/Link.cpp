//===- Link.cpp - objects become programs ---------------------------------===//
#include "tools/stretto-compile/Link.h"

#include "tools/stretto-compile/Run.h"
#include "tools/stretto-compile/Shape.h"
#include "tools/support/extensions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace stretto;
using namespace stretto::tools;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// The linker's driver: $CXX, else the compiler Stretto was built with, else c++. Fills `error` where there is none.
static std::string findDriver(std::string &error) {
  std::vector<std::string> candidates;
  if (auto chosen = llvm::sys::Process::GetEnv("CXX"); chosen && !chosen->empty())
    candidates.push_back(*chosen);
  else
    candidates = {STRETTO_CXX, "c++"};
  for (const std::string &candidate : candidates)
    if (auto path = llvm::sys::findProgramByName(candidate))
      return *path;
  error = llvm::formatv("cannot link: no C++ compiler found (tried {0}); install g++, or set CXX",
                        llvm::join(candidates, ", "));
  return "";
}

/// In link order: what every program is linked with, those of its backend in between.
static constexpr codegen::BackendLibrary librariesBefore[] = {{"libstretto_program_main.a", true, ""},
                                                              {"libstretto_tasks.so", true, ""}},
                                         libraryBehind{"libstretto_runtime.so", true, ""};

ProgramLibraries stretto::tools::findLibraries(const codegen::Backend &backend,
                                               const codegen::BackendSettings &settings, std::string &error) {
  llvm::SmallString<128> folder(llvm::sys::path::parent_path(programFolder()));
  fs::make_absolute(folder);
  ProgramLibraries found;
  auto find = [&](const codegen::BackendLibrary &library, const std::string &whoNeedsIt) {
    std::string path = (folder + "/lib/" + library.name).str();
    std::string with = library.builtWith.empty() ? "" : " with " + library.builtWith.str();
    if (!fs::exists(path))
      error = llvm::formatv("cannot link: '{0}' is missing{1}; build the runtime{2}, or use --emit=object", path,
                            whoNeedsIt, with);
    (library.linked ? found.linked : found.loaded).push_back(path);
  };
  for (const codegen::BackendLibrary &library : librariesBefore)
    find(library, "");
  for (const codegen::BackendLibrary &library : backend.libraries(settings))
    find(library, ", which --target=" + backend.name().str() + " needs");
  for (const std::string &library : extensionLibraries())
    find({library, true, ""}, ", which an extension of the compiler needs");
  find(libraryBehind, "");
  return found;
}

std::string stretto::tools::whyNotLinkable(const codegen::Backend &backend, const codegen::BackendSettings &settings) {
  std::string error;
  findLibraries(backend, settings, error);
  if (error.empty())
    findDriver(error);
  return error;
}

/// What the libraries and the object ask of the linker's driver.
static llvm::SmallVector<StringRef> sanitizerFlags(bool checksAddresses) {
  llvm::SmallVector<StringRef> flags;
  StringRef(STRETTO_SANITIZE_FLAGS).split(flags, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (flags.empty() && checksAddresses)
    flags.push_back("-fsanitize=address");
  return flags;
}

std::string stretto::tools::linkProgram(StringRef object, StringRef output, const ProgramLibraries &libraries,
                                        StringRef search, bool checksAddresses) {
  std::string error, driver = findDriver(error), path = ("-Wl,--disable-new-dtags,-rpath," + search).str();
  if (driver.empty())
    return error;
  // Extensions are not asked for by name. What libraries need of others they were checked for when they were linked:
  // to read LibTorch's symbols again takes longer than the link.
  std::vector<StringRef> arguments{"-o", output, object, "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"};
  arguments.insert(arguments.end(), libraries.linked.begin(), libraries.linked.end());
  arguments.push_back(path);
  llvm::append_range(arguments, sanitizerFlags(checksAddresses));
  const RunResult result = runProgram(driver, arguments, /*errorsToo=*/true);
  if (result.status == 0)
    return "";
  StringRef said = StringRef(result.output).trim();
  return llvm::formatv("linking with '{0}' failed{1}{2}", driver, result.problem.empty() ? "" : ": " + result.problem,
                       said.empty() ? "" : "\n" + said);
}
