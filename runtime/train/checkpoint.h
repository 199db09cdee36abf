// Checkpoints: a folder per step (runtime/train/checkpoint_files.h says what lies there).
//
// Protocol: everything is written and synced under a temporary name, the manifest last; the folder is renamed into
// place and its parent synced; the new checkpoint is read back and verified; only then are older ones deleted. A
// checkpoint counts if and only if its manifest and all checksums agree.
//
// The ranks of a run write one checkpoint: rank 0 makes the folder, each writes its share, and when all have told that
// they did, rank 0 writes the manifest and does what follows. Any number of ranks reads it. What takes a group is
// called by all ranks, and returns or throws the same on all; without one it is of a process alone.
#pragma once

#include "runtime/dist/outcomes.h"
#include "runtime/train/checkpoint_files.h"

namespace stretto::runtime {

class CheckpointFolder {
public:
  // `path` need not exist yet. `keep`: how many of the newest checkpoints stay (at least 1). `shareFrom`: see Writer.
  CheckpointFolder(std::string path, int64_t keep, int64_t shareFrom = 64 << 20)
      : path(std::move(path)), keep(keep), shareFrom(shareFrom) {}

  // Removes what an interrupted writer left.
  void clean(Group &group = alone()) const;

  // Steps that have a folder, oldest first; not verified.
  std::vector<int64_t> steps() const;
  std::string folderOf(int64_t step) const;

  // Writes a checkpoint of the state, of which each rank has its own moments. Throws Error; whatever goes wrong, older
  // checkpoints are intact. Returns what settle() returns.
  std::string save(const TrainingState &state, int64_t step, const std::map<std::string, std::string> &facts,
                   Group &group = alone()) const;

  // What follows a good checkpoint: `latest` names it, older ones beyond `keep` go. An interrupted save may not have
  // come to it. Returns what to tell where that fails, empty otherwise: the checkpoint is good in any case.
  std::string settle(int64_t step, Group &group = alone()) const;

  // Reads the manifest of one checkpoint and compares every checksum; throws Error with what is wrong.
  Manifest verify(int64_t step, CheckpointPart part = CheckpointPart::all, Group &group = alone()) const;

  // The newest checkpoint of which the part is good. `skipped` is told about each newer one: its step, and what is
  // wrong.
  using Skipped = std::function<void(int64_t step, const std::string &reason)>;
  std::optional<Manifest> newest(CheckpointPart part, const Skipped &skipped, Group &group = alone()) const;

  // Fills parameters, and the moments of this rank. Throws Error when names or shapes are not those of the program.
  void restore(const TrainingState &state, int64_t step, Group &group = alone()) const;

private:
  std::string makeTemporary(int64_t step) const;
  Manifest writeAll(const std::string &temporary, const TrainingState &state, Manifest manifest, Group &group) const;
  void commit(const std::string &temporary, const Manifest &manifest) const;
  void readBack(const Manifest &manifest, Group &group) const;
  void settleAlone(int64_t step) const;
  void dropOld(int64_t newestStep) const;
  std::vector<std::string> search(CheckpointPart part) const;

  std::string path;
  int64_t keep, shareFrom;
};

} // namespace stretto::runtime
