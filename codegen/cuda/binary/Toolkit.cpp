//===- Toolkit.cpp - NVIDIA's assembler and what goes with it -------------===//
#include "codegen/cuda/binary/Toolkit.h"

#include "codegen/cuda/binary/Process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace stretto;
using namespace stretto::codegen;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

unsigned stretto::codegen::ptxOfRelease(unsigned release) {
  static constexpr std::pair<unsigned, unsigned> table[] = {
      {1300, 90}, {1209, 88}, {1208, 87}, {1207, 86}, {1205, 85},
      {1204, 84}, {1203, 83}, {1202, 82}, {1201, 81}, {1200, 80},
  };
  for (auto [least, ptx] : table)
    if (release >= least)
      return ptx;
  return 0;
}

static std::string releaseName(unsigned release) { return llvm::formatv("{0}.{1}", release / 100, release % 100); }

/// The oldest release that can make code for a chip.
static unsigned releaseFor(const Chip &chip) {
  for (unsigned release : {1200u, 1201u, 1202u, 1203u, 1204u, 1205u, 1207u, 1208u, 1209u})
    if (ptxOfRelease(release) >= chip.leastPtx)
      return release;
  return 1300;
}

unsigned stretto::codegen::readRelease(StringRef text) {
  StringRef number = text.split("release ").second;
  unsigned major = 0, minor = 0;
  if (number.consumeInteger(10, major) || !number.consume_front(".") || number.consumeInteger(10, minor))
    return 0;
  return major * 100 + minor;
}

namespace {
/// A folder that may hold the tools.
struct Place {
  std::string folder, name; // name: as messages call it

  std::string file(llvm::ArrayRef<StringRef> candidates) const {
    for (StringRef candidate : candidates)
      if (std::string full = folder + "/" + candidate.str(); fs::exists(full) && !fs::is_directory(full))
        return full;
    return "";
  }
  std::string ptxas() const { return file({"bin/ptxas"}); }
  /// As in the toolkit and its wheel, in Triton's wheel, and in Debian's package.
  std::string libdevice() const {
    return file(
        {"nvvm/libdevice/libdevice.10.bc", "lib/libdevice.10.bc", "lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc"});
  }
};
} // namespace

/// The folder above the `bin` that a program lies in, behind links.
static std::string folderOf(StringRef program) {
  llvm::SmallString<128> real;
  if (fs::real_path(program, real))
    return "";
  return path::parent_path(path::parent_path(real)).str();
}

static std::vector<Place> findPlaces(StringRef cudaPath) {
  std::vector<Place> places;
  if (!cudaPath.empty())
    places.push_back({cudaPath.str(), "--cuda-path"});
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto folder = llvm::sys::Process::GetEnv(variable); folder && !folder->empty())
      places.push_back({*folder, variable});
  if (auto program = llvm::sys::findProgramByName("ptxas"))
    places.push_back({folderOf(*program), "PATH"});
  places.push_back({"/usr/local/cuda", "/usr/local/cuda"});
  if (StringRef packages = STRETTO_SITE_PACKAGES; !packages.empty()) {
    places.push_back({(packages + "/nvidia/cu13").str(), "the wheel nvidia-cuda-nvcc"});
    places.push_back({(packages + "/nvidia/cuda_nvcc").str(), "the wheel nvidia-cuda-nvcc"});
    places.push_back({(packages + "/triton/backends/nvidia").str(), "the wheel triton"});
  }
  return places;
}

/// Whether a ptxas lists the chip among those it makes code for.
static bool knowsChip(StringRef ptxas, const Chip &chip) {
  return StringRef(runProgram(ptxas, {"--help"}).output).contains(("'" + chip.name + "'").str());
}

/// Why a ptxas cannot serve; empty where it can, and then `toolkit` says which it is.
static std::string examine(const Place &place, const Chip &chip, Toolkit &toolkit) {
  std::string program = place.ptxas();
  Finished run = runProgram(program, {"--version"});
  if (run.status != 0)
    return llvm::formatv("'{0}' cannot be run: {1}", program, run.problem);
  unsigned release = readRelease(run.output);
  if (release == 0)
    return llvm::formatv("'{0}' does not say which release it is", program);
  toolkit.ptxas = program;
  toolkit.release = release;
  toolkit.ptx = ptxOfRelease(release);
  if (toolkit.ptx < chip.leastPtx || !knowsChip(program, chip))
    return llvm::formatv("'{0}' is of release {1}", program, releaseName(release));
  return "";
}

static std::string firstOf(const Place &preferred, llvm::ArrayRef<Place> places,
                           llvm::function_ref<std::string(const Place &)> find) {
  if (std::string file = find(preferred); !file.empty())
    return file;
  for (const Place &place : places)
    if (std::string file = find(place); !file.empty())
      return file;
  return "";
}

static std::string explainFailure(StringRef cudaPath, const Chip &chip, llvm::ArrayRef<std::string> unfit,
                                  llvm::ArrayRef<Place> places) {
  std::string wanted =
      llvm::formatv("{0} needs the assembler ptxas of release {1} or newer", chip.name, releaseName(releaseFor(chip)));
  if (!unfit.empty())
    return wanted + ", but " + llvm::join(unfit, "; ");
  if (!cudaPath.empty())
    return llvm::formatv("{0}, but --cuda-path names '{1}', which has no bin/ptxas", wanted, cudaPath);
  std::vector<StringRef> names;
  for (const Place &place : places)
    if (!llvm::is_contained(names, place.name))
      names.push_back(place.name);
  return llvm::formatv(
      "{0}, but there is none (looked in {1}{2}); install the CUDA toolkit or the Python package triton, "
      "or name its folder with --cuda-path",
      wanted, llvm::join(names, ", "), llvm::is_contained(names, "PATH") ? "" : ", PATH");
}

llvm::FailureOr<Toolkit> Toolkit::find(StringRef cudaPath, const Chip &chip,
                                       llvm::function_ref<void(const llvm::Twine &)> reportError) {
  if (ScratchFile scratch("out"); !scratch.problem.empty()) { // no program could be run
    reportError(scratch.problem);
    return llvm::failure();
  }
  std::vector<Place> places = findPlaces(cudaPath);
  std::vector<std::string> unfit;
  for (const Place &place : llvm::ArrayRef(places).take_front(cudaPath.empty() ? places.size() : 1)) {
    Toolkit toolkit;
    if (place.ptxas().empty())
      continue;
    if (std::string why = examine(place, chip, toolkit); !why.empty()) {
      unfit.push_back(why);
      continue;
    }
    toolkit.libdevice = firstOf(place, places, [](const Place &p) { return p.libdevice(); });
    toolkit.nvdisasm = firstOf(place, places, [](const Place &p) { return p.file({"bin/nvdisasm"}); });
    toolkit.cuobjdump = firstOf(place, places, [](const Place &p) { return p.file({"bin/cuobjdump"}); });
    return toolkit;
  }
  reportError(explainFailure(cudaPath, chip, unfit, places));
  return llvm::failure();
}
