// Where a path of the user leads that stands for a checkpoint.
#include "runtime/train/find_checkpoint.h"

#include "runtime/core/error.h"
#include "runtime/core/utf8.h"
#include "runtime/train/checkpoint.h"
#include "runtime/train/files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stretto::runtime {
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

FoundWeights newestIn(const fs::path &folder) {
  const CheckpointFolder checkpoints(folder.string(), 1);
  FoundWeights found;
  const auto manifest = checkpoints.newest(CheckpointPart::weights, [&](int64_t step, const std::string &reason) {
    found.passedOver.push_back(step);
    found.warnings.push_back(reason);
  });
  if (!manifest)
    throw Error(fmt::format("'{}' must hold a good checkpoint, but has none{}{}", folder.string(),
                            found.warnings.empty() ? "" : "; ", fmt::join(found.warnings, "; ")));
  found.path = checkpoints.folderOf(manifest->step) + "/" + weightsFile;
  found.manifest = manifest;
  return found;
}

// A file: a checkpoint vouches for its weights; of others nothing is known. A link stands for what it leads to.
FoundWeights weightsAt(const std::string &given) {
  std::error_code none;
  const fs::path path = fs::is_symlink(given, none) ? fs::canonical(given, none) : fs::path(given);
  const fs::path folder = fs::absolute(path, none).lexically_normal().parent_path();
  const bool isPlaceOfOne = isStepName(folder.filename().string()) && folder.parent_path().filename() == "ckpt";
  const bool isKnown =
      path.filename() == weightsFile && (isPlaceOfOne || pathExists((folder / "manifest.json").string()));
  if (!isKnown || !pathExists(path.string()))
    return {given, std::nullopt, {}, {}};
  try {
    return {path.string(), verifyWeights(folder.string()), {}, {}};
  } catch (const Error &error) {
    throw Error(fmt::format("checkpoint '{}' is refused: {}", folder.string(), error.what()));
  }
}

// `latest` names the newest checkpoint, unless somebody changed it or the writer was interrupted.
FoundWeights latestAt(const fs::path &latest) {
  std::string step = readFile(latest.string(), 64);
  while (!step.empty() && std::isspace(static_cast<unsigned char>(step.back())))
    step.pop_back();
  const fs::path parent = latest.has_parent_path() ? latest.parent_path() : ".", folder = parent / step;
  if (!isStepName(step) || !isFolder(folder))
    throw Error(fmt::format("'{}' must name a checkpoint beside it, but names '{}'", latest.string(), printable(step)));
  FoundWeights found = weightsAt((folder / weightsFile).string());
  const CheckpointFolder checkpoints(parent.string(), 1);
  const std::vector<int64_t> steps = checkpoints.steps();
  for (auto newer = steps.rbegin(); newer != steps.rend() && checkpoints.folderOf(*newer) != folder.string(); ++newer) {
    found.passedOver.push_back(*newer);
    found.warnings.push_back(fmt::format("checkpoint '{}' is passed over, as '{}' names '{}'",
                                         checkpoints.folderOf(*newer), latest.string(), step));
  }
  return found;
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

FoundWeights findWeights(const std::string &given) {
  const fs::path path = plain(given);
  if (!isFolder(path))
    return path.filename() == "latest" && pathExists(path.string()) ? latestAt(path) : weightsAt(given);
  if (pathExists((path / weightsFile).string()))
    return weightsAt((path / weightsFile).string());
  if (isFolder(path / "ckpt"))
    return newestIn(path / "ckpt");
  if (isCheckpointFolder(path))
    return newestIn(path);
  throw Error(
      fmt::format("'{}' must be a run directory, its folder 'ckpt', a checkpoint of it or a safetensors file, but is "
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

} // namespace stretto::runtime
