// sweep.toml: what a sweep directory holds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::runtime {

// A setting that varies: an option of the program ("lr"), a parameter of the model ("set.dim") or of the task
// ("task-set.n"), or the "spec", and its values as text.
struct Axis {
  std::string name;
  std::vector<std::string> values;

  bool isSpec() const { return name == "spec"; }
};

// A spec that runs are of.
struct SweepSpec {
  std::string path;   // as it was given
  std::string digest; // of its text and what it imports
};

// One combination of values.
struct SweepRun {
  std::string folder;              // below the sweep directory
  std::vector<std::string> values; // one per axis
  std::string command;             // trains it, as typed into a shell
  // Options that come with the values: the weight decay that a recipe has for a rate.
  std::vector<std::string> more = {};
};

struct SweepFile {
  std::vector<SweepSpec> specs;     // the values of the axis "spec", or the only one
  std::vector<std::string> options; // those that all runs share
  std::vector<Axis> axes;
  std::vector<SweepRun> runs;
};

// Whether the folder is a sweep directory: it has a sweep.toml.
bool isSweep(const std::filesystem::path &folder);

// Reads sweep.toml of the folder. Throws Error that names the place where it makes no sense.
SweepFile readSweepFile(const std::filesystem::path &folder);

// Writes it beside and renames it into place. Throws Error.
void writeSweepFile(const SweepFile &sweep, const std::filesystem::path &folder);

} // namespace stretto::runtime
