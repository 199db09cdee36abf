// Where a path of the user leads that stands for a checkpoint.
#include "runtime/train/find_checkpoint.h"

#include "runtime/core/error.h"
#include "runtime/core/utf8.h"
#include "runtime/train/checkpoint.h"
#include "runtime/train/files.h"
#include "runtime/train/metrics.h"

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

bool isStepName(const std::string &name) { return stepOfName(name).has_value(); }

bool isCheckpointFolder(const fs::path &path) {
  const std::vector<std::string> names = listDirectory(path.string());
  return std::any_of(names.begin(), names.end(), isStepName) || pathExists((path / "latest").string());
}

bool hasWeights(const fs::path &folder) { return std::ranges::any_of(listDirectory(folder.string()), isWeightsName); }

// Of a checkpoint that agrees with its manifest.
FoundWeights weightsOf(const fs::path &folder, Manifest manifest) {
  FoundWeights found;
  found.folder = folder.string();
  found.files = weightPaths(found.folder, manifest);
  found.path = found.files.size() == 1 ? found.files.front() : found.folder;
  found.manifest = std::move(manifest);
  return found;
}

FoundWeights newestIn(const fs::path &folder, CheckpointPart part) {
  const CheckpointFolder checkpoints(folder.string(), 1);
  std::vector<int64_t> passedOver;
  std::vector<std::string> warnings;
  auto manifest = checkpoints.newest(part, [&](int64_t step, const std::string &reason) {
    passedOver.push_back(step);
    warnings.push_back(reason);
  });
  if (!manifest)
    throw Error(fmt::format("'{}' must hold a good checkpoint, but has none{}{}", folder.string(),
                            warnings.empty() ? "" : "; ", fmt::join(warnings, "; ")));
  const std::string of = checkpoints.folderOf(manifest->step);
  FoundWeights found = weightsOf(of, std::move(*manifest));
  found.passedOver = std::move(passedOver);
  found.warnings = std::move(warnings);
  return found;
}

// The folder by its whole path; an empty one is the current.
fs::path placeOf(const fs::path &folder) {
  std::error_code none;
  return plain(fs::absolute(folder.empty() ? "." : folder, none).string());
}

// Whether a folder is one of a checkpoint, whatever became of what was in it.
bool isCheckpoint(const fs::path &folder) {
  const fs::path place = placeOf(folder);
  return (isStepName(place.filename().string()) && place.parent_path().filename() == "ckpt") ||
         pathExists((place / "manifest.json").string());
}

// `name`: the file that stands for the checkpoint, if one was given.
FoundWeights checkpointAt(const fs::path &folder, const std::string &name, CheckpointPart part) {
  const fs::path place = placeOf(folder);
  try {
    Manifest manifest = verifyFolder(place.string(), stepOfName(place.filename().string()), part);
    if (!name.empty() && std::ranges::find(manifest.files, name, &ManifestFile::name) == manifest.files.end())
      throw Error(fmt::format("the manifest must list '{}', but does not", name));
    return weightsOf(folder.empty() ? "." : folder, std::move(manifest));
  } catch (const Error &error) {
    throw Error(fmt::format("checkpoint '{}' is refused: {}", place.string(), error.what()));
  }
}

// A file: a checkpoint vouches for its weights; of others nothing is known. A link stands for what it leads to.
FoundWeights weightsAt(const std::string &given, CheckpointPart part) {
  std::error_code none;
  const fs::path path = fs::is_symlink(given, none) ? fs::canonical(given, none) : fs::path(given);
  const std::string name = path.filename().string();
  if (pathExists(path.string()) && isWeightsName(name) && isCheckpoint(path.parent_path()))
    return checkpointAt(path.parent_path(), name, part);
  return {given, {given}, {}, {}, {}, {}};
}

// `latest` names the newest checkpoint, unless somebody changed it or the writer was interrupted.
FoundWeights latestAt(const fs::path &latest, CheckpointPart part) {
  std::string step = readFile(latest.string(), 64);
  while (!step.empty() && std::isspace(static_cast<unsigned char>(step.back())))
    step.pop_back();
  const fs::path parent = latest.has_parent_path() ? latest.parent_path() : ".", folder = parent / step;
  if (!isStepName(step) || !isFolder(folder))
    throw Error(fmt::format("'{}' must name a checkpoint beside it, but names '{}'", latest.string(), printable(step)));
  FoundWeights found = checkpointAt(folder, "", part);
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

FoundWeights findWeights(const std::string &given, CheckpointPart part) {
  const fs::path path = plain(given);
  if (!isFolder(path))
    return path.filename() == "latest" && pathExists(path.string()) ? latestAt(path, part) : weightsAt(given, part);
  if (hasWeights(path) && isCheckpoint(path))
    return checkpointAt(path, "", part);
  if (pathExists((path / weightsFile).string()))
    return weightsAt((path / weightsFile).string(), part);
  if (isCheckpointFolder(path / "ckpt"))
    return newestIn(path / "ckpt", part);
  if (isCheckpointFolder(path))
    return newestIn(path, part);
  if (pathExists((path / "run.toml").string()))
    throw Error(fmt::format("'{}' has no checkpoint: its run has come to step {}, and writes one every --save-every "
                            "steps and at its end",
                            given, lastStepOf((path / "metrics.jsonl").string())));
  throw Error(
      fmt::format("'{}' must be a run directory, its folder 'ckpt', a checkpoint of it or a safetensors file, but is "
                  "{}",
                  given, contentText(path)));
}

static std::string pack(const FoundWeights &found) {
  std::vector<std::string> steps;
  for (int64_t step : found.passedOver)
    steps.push_back(fmt::format("{}", step));
  return packTexts({found.path, packTexts(found.files), found.folder,
                    found.manifest ? writeManifest(*found.manifest) : "", packTexts(steps), packTexts(found.warnings)});
}

static FoundWeights unpack(const std::string &packed) {
  const std::vector<std::string> texts = unpackTexts(packed);
  FoundWeights found{texts[0], unpackTexts(texts[1]), texts[2], std::nullopt, {}, unpackTexts(texts[5])};
  if (!texts[3].empty())
    found.manifest = readManifest(texts[3]);
  for (const std::string &step : unpackTexts(texts[4]))
    found.passedOver.push_back(std::stoll(step));
  return found;
}

FoundWeights findWeights(const std::string &path, Group &group) {
  return unpack(outcomeOfFirst(group, [&] { return pack(findWeights(path)); }));
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
