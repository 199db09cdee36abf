#include "runtime/train/find_checkpoint.h"

#include "runtime/core/error.h"
#include "runtime/train/checkpoint.h"
#include "runtime/train/files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace stretto {
namespace {

namespace fs = std::filesystem;

constexpr const char *weightsFile = "weights.safetensors";

bool isFolder(const fs::path &path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

// Without slashes at the end.
fs::path plain(const std::string &path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool isStepName(const std::string &name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isCheckpointFolder(const fs::path &path) {
  const std::vector<std::string> names = listDirectory(path.string());
  return std::any_of(names.begin(), names.end(), isStepName) || pathExists((path / "latest").string());
}

std::string newestIn(const fs::path &folder) {
  const CheckpointFolder checkpoints(folder.string(), 1);
  std::string refused;
  const auto manifest = checkpoints.newest([&](const std::string &text) { refused += "; " + text; });
  if (!manifest)
    throw Error(fmt::format("'{}' must hold a good checkpoint, but has none{}", folder.string(), refused));
  return checkpoints.folderOf(manifest->step) + "/" + weightsFile;
}

std::string contentText(const fs::path &path) {
  std::vector<std::string> names = listDirectory(path.string());
  if (names.empty())
    return "an empty folder";
  const bool more = names.size() > 4;
  names.resize(std::min<size_t>(names.size(), 4));
  std::string text = "a folder with";
  for (const std::string &name : names)
    text += fmt::format("{} '{}'", &name == &names.front() ? "" : ",", name);
  return text + (more ? " and more" : "");
}

} // namespace

std::string findWeights(const std::string &given) {
  const fs::path path = plain(given);
  if (!isFolder(path)) {
    if (path.filename() != "latest" || !pathExists(path.string()))
      return given;
    std::string step = readFile(path.string(), 64);
    while (!step.empty() && std::isspace(static_cast<unsigned char>(step.back())))
      step.pop_back();
    const fs::path folder = path.parent_path() / step;
    if (!isStepName(step) || !isFolder(folder))
      throw Error(fmt::format("'{}' must name a checkpoint beside it, but names '{}'", given, step));
    return (folder / weightsFile).string();
  }
  if (pathExists((path / weightsFile).string()))
    return (path / weightsFile).string();
  if (isFolder(path / "ckpt"))
    return newestIn(path / "ckpt");
  if (isCheckpointFolder(path))
    return newestIn(path);
  throw Error(fmt::format("'{}' must be a run directory, its folder 'ckpt', a checkpoint of it or a safetensors file, but is "
                          "{}",
                          given, contentText(path)));
}

std::string findRunDirectory(const std::string &given) {
  const fs::path path = plain(given), parent = path.parent_path();
  if (path.filename() == "ckpt" && pathExists((parent / "run.toml").string()))
    return parent.string();
  if (parent.filename() != "ckpt" || !pathExists((parent.parent_path() / "run.toml").string()))
    return given;
  if (path.filename() == "latest")
    return parent.parent_path().string();
  throw Error(fmt::format("a run goes on from its newest checkpoint, but got '{}'; give the run directory '{}', or "
                          "--init-from to start a new run from these weights",
                          given, parent.parent_path().string()));
}

} // namespace stretto
