// The manifest of a checkpoint: what belongs to it, with checksums, closed by a checksum of itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::runtime {

struct ManifestTensor {
  std::string name;
  uint64_t begin = 0, end = 0; // bytes in the file
  std::string checksum;
};

struct ManifestFile {
  std::string name; // a plain name
  uint64_t bytes = 0;
  std::string checksum;
  std::vector<ManifestTensor> tensors;
};

struct Manifest {
  int64_t step = 0;
  std::map<std::string, std::string> facts; // model, spec_hash, dtype, data, seed and the like
  std::vector<ManifestFile> files;
};

std::string writeManifest(const Manifest &manifest);

// What to tell the user where facts of a checkpoint and of this machine name other ways to compute matmuls, on which
// bits depend; empty where they do not.
std::string otherMatmuls(const std::map<std::string, std::string> &then, const std::map<std::string, std::string> &now);

// How many steps up to a checkpoint changed the weights: all, where it does not say. Throws Error where it says no
// number.
int64_t updatesOf(const Manifest &manifest);

// Throws Error for anything that writeManifest would not have written byte for byte.
Manifest readManifest(std::string_view text);

} // namespace stretto::runtime
