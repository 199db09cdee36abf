// The run directory: one writer at a time, everything needed to repeat the run.
#pragma once

#include "runtime/abi/abi.h"
#include "runtime/core/descriptor.h"
#include "runtime/train/config.h"

#include <filesystem>
#include <string>

namespace stretto::runtime {

// Throws Error when another process has the run directory.
void checkFree(const std::string &path);

// Where a run directory has the stage that its program was compiled from; nothing is there where that was the spec.
std::string stageOf(const std::string &run);

// Whether a path, or what a link there leads to, lies in a run directory under a name that runs write. `run`: a folder
// that counts as a run directory, whatever is in it; another does where it has spec.stretto and run.toml.
bool isFileOfRun(const std::filesystem::path &path, const std::filesystem::path &run = {});

// Makes a folder that there is not yet: `path`, or where that is taken `path`-2, -3, ... Returns its name.
std::string makeNewFolder(const std::string &path);

class RunDirectory {
public:
  // Creates and locks the folder, and removes what an interrupted writer left in it. Throws Error when another process
  // has it, or when it cannot be written.
  explicit RunDirectory(const std::string &path);

  // Throws Error where the folder is no longer there, or no longer this writer's.
  void checkHeld() const;

  // Writes run.toml, if the settings are new, spec.stretto, model.sha, what belongs to the program in build, and
  // rerun.sh.
  void describe(const RunConfig &config, const stretto_program &program, bool hasNewSettings) const;

  // Whether the run's options make the same model of its spec as those of a program: its name, --set, and the length
  // and vocabulary that weights may have.
  bool hasModelOptions(const stretto_program &program) const;

  // Empties the logs of steps after `step`. Returns whether metrics.jsonl has all steps up to it.
  bool dropLinesAfter(int64_t step) const;

  std::string file(const std::string &name) const { return path + "/" + name; }
  const std::string path;

private:
  Descriptor lock; // of the file `lock`, as long as this lives
};

} // namespace stretto::runtime
