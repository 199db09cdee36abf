// Reads a run directory as --resume does, and prints a line of what it would go on from.
#include "test/campaign/inspect.h"

#include "runtime/core/error.h"
#include "runtime/device/make.h"
#include "runtime/train/checkpoint.h"
#include "runtime/train/checksum.h"
#include "runtime/train/config.h"
#include "runtime/train/files.h"
#include "runtime/train/find_checkpoint.h"
#include "runtime/train/metrics.h"
#include "runtime/train/rundir.h"

#include <algorithm>
#include <map>
#include <memory>

using namespace stretto::runtime;

namespace stretto::campaign {
namespace {

// Programs stay loaded: their memory is taken once.
struct Memory {
  explicit Memory(const stretto_program &program) : device(makeDevice("cpu")), arenas(*device, program, false) {}
  std::unique_ptr<Device> device;
  Arenas arenas;
};

Memory &memoryOf(const stretto_program &program) {
  static std::map<const stretto_program *, std::unique_ptr<Memory>> all;
  std::unique_ptr<Memory> &memory = all[&program];
  if (!memory)
    memory = std::make_unique<Memory>(program);
  return *memory;
}

std::string checksumOf(const TrainingState &state) {
  Checksum checksum;
  std::vector<std::byte> data;
  std::vector<StateTensor> tensors = parameterTensors(state, STRETTO_ARENA_PARAMETERS);
  std::ranges::copy(momentTensors(state), std::back_inserter(tensors));
  for (const StateTensor &tensor : tensors) {
    data.resize(tensor.entry.bytes());
    readTensor(state.device, tensor, data.data());
    checksum.add(data.data(), data.size());
  }
  return checksum.hex();
}

std::string checksumOfFile(const std::string &path) {
  const std::string text = pathExists(path) ? readFile(path, 1 << 30) : "";
  return stretto::runtime::checksumOf(text.data(), text.size());
}

} // namespace

std::string inspect(const stretto_program &program, const std::string &folder) {
  Memory &memory = memoryOf(program);
  const TrainingState state{program, *memory.device, memory.arenas};
  if (pathExists(folder + "/run.toml"))
    readConfigFile(folder + "/run.toml");
  const RunDirectory run(folder);
  const CheckpointFolder checkpoints(run.file("ckpt"), 2);
  checkpoints.clean();
  int64_t refused = 0;
  const auto manifest = checkpoints.newest(CheckpointPart::all, [&](int64_t, const std::string &) { ++refused; });
  if (!manifest && !checkpoints.steps().empty())
    throw Error("no checkpoint of the run directory can be used");
  const int64_t step = manifest ? manifest->step : -1;
  std::string weights = "none";
  if (manifest) {
    checkpoints.restore(state, step);
    weights = checksumOf(state);
    if (pathExists(run.file("ckpt/latest")))
      findWeights(run.file("ckpt/latest"));
  }
  run.dropLinesAfter(std::max<int64_t>(step, 0));
  EventFile events(folder, std::max<int64_t>(step, 0));
  return std::to_string(step) + " " + weights + " " + checksumOfFile(run.file("metrics.jsonl")) + " " +
         std::to_string(refused);
}

} // namespace stretto::campaign
