// A compiled model as a program: command line in, trained weights out.
#include "runtime/train/program.h"

#include "runtime/core/cpu_features.h"
#include "runtime/core/error.h"
#include "runtime/core/finite.h"
#include "runtime/core/record.h"
#include "runtime/device/make.h"
#include "runtime/device/names.h"
#include "runtime/generate/write_prompts.h"
#include "runtime/train/bench.h"
#include "runtime/train/initial.h"
#include "runtime/train/initial_weights.h"
#include "runtime/train/memory.h"
#include "runtime/train/peak.h"
#include "runtime/train/request.h"
#include "runtime/train/signals.h"
#include "runtime/train/trainer.h"

#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <span>
#include <thread>

namespace stretto::runtime {
namespace {

void checkProgram(const stretto_program &program) {
  if (program.abi_version != STRETTO_ABI_VERSION || program.struct_size != sizeof(stretto_program))
    throw Error(fmt::format("the compiled model must have interface version {} ({} bytes), but got {} ({} bytes); "
                            "compile it again",
                            STRETTO_ABI_VERSION, sizeof(stretto_program), program.abi_version, program.struct_size));
  const bool mixed = program.activation_dtype == STRETTO_BF16 && program.dtype == STRETTO_F32;
  if (program.activation_dtype != program.dtype && !mixed)
    throw Error(fmt::format("activations must have the type of the parameters, or be BF16 beside F32, but got type {} "
                            "beside {}",
                            program.activation_dtype, program.dtype));
  const std::string missing = missingCpuFeatures(program.cpu_features);
  if (!missing.empty())
    throw Error(fmt::format("the model was compiled for the CPU '{}', but this CPU lacks {}; compile it again on this "
                            "machine, or with --cpu=x86-64-v3",
                            program.cpu, missing));
}

std::unique_ptr<BatchSource> makeSource(const RunConfig &config, const stretto_program &program,
                                        const TaskRegistry &tasks) {
  if (!config.tokens.empty())
    return fileSource(config.tokens, program.batch, program.length, program.vocabulary);
  return taskSource(makeTask(config, {program.target, program.length, program.vocabulary}, tasks),
                    static_cast<uint64_t>(config.seed));
}

// Restores the newest good checkpoint. Returns whether there was one.
bool resume(Trainer &trainer, const CheckpointFolder &folder, const TrainingState &state, bool strict,
            Progress &progress) {
  const auto manifest = folder.newest(CheckpointPart::all, [&](int64_t, const std::string &text) {
    if (strict)
      throw Error(text + "; with --strict no other is used");
    progress.warning(text);
  });
  if (!manifest) {
    if (!folder.steps().empty())
      throw Error("no checkpoint of the run directory can be used; see the warnings");
    progress.message("no checkpoint yet: starting from the first step");
    return false;
  }
  trainer.resumeFrom(*manifest);
  folder.restore(state, manifest->step);
  folder.settle(manifest->step);
  progress.message(
      fmt::format("resumed from checkpoint '{}' (step {})", folder.folderOf(manifest->step), manifest->step));
  return true;
}

// The loss as a formula of n, the negative log-likelihood, and z, the log-sum-exp of the logits.
std::string lossFormula(const stretto_program &program) {
  const auto square = [](double coefficient, char name) {
    return coefficient == 0 ? "" : fmt::format(" + {} {}^2", coefficient, name);
  };
  return "n" + square(program.nll_square, 'n') + square(program.z_loss, 'z');
}

void announce(const RunConfig &config, const stretto_program &program, const Device &device, Progress &progress,
              const MemoryPlan &plan) {
  const std::string types =
      safetensorsDtype(program.dtype) + (program.activation_dtype == program.dtype ? "" : " and BF16");
  progress.message(fmt::format("{} ({}, {} parameters in {} tensors), batch {} x {} tokens x {}, {}", program.model,
                               types, countParameters(program), program.parameter_count, program.batch, program.length,
                               config.accumulate, device.describe()));
  if (program.nll_square != 0 || program.z_loss != 0)
    progress.message(fmt::format("loss of a token: {}; evaluations report n", lossFormula(program)));
  progress.message(fmt::format("planned memory: {} ({}); resident so far, program and libraries: {}",
                               formatBytes(plan.total()), describePlan(plan), formatBytes(residentPeak())));
}

// Everything of one run that needs memory or files.
class Session {
public:
  Session(const stretto_program &program, RunConfig &config, const TaskRegistry &tasks)
      : program(program), config(config), progress(config.progress, config.quiet, config.logEvery),
        source(config.writesOnly() ? nullptr : makeSource(config, program, tasks)),
        device(makeDeviceFor(program, config.device, {config.graph, config.deterministic, config.tf32})) {
    device->setThreads(config.threads ? static_cast<int>(config.threads)
                                      : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  }

  int run(const char *self) {
    if (device->availableBytes()) // of a GPU: libraries take part of it as they make ready
      checkFits(0);
    const double peak = config.quiet ? 0 : measurePeak(*device, program.activation_dtype);
    device->submit(needsOf(program));
    device->wait();
    const MemoryPlan plan = planMemory(program, config.accumulate > 1, device->libraryPeakBytes());
    checkFits(device->libraryPeakBytes());
    announce(config, program, *device, progress, plan);
    if (const std::string_view target = emulatedTarget(program.target); !target.empty())
      progress.warning(fmt::format(
          "the kernels of this program are made for --target={} and are emulated on the CPU, which is slow", target));
    openRunDirectory();
    Arenas arenas(*device, program, config.accumulate > 1);
    const TrainingState state{program, *device, arenas};
    if (config.writesOnly()) {
      initialise(state);
      fmt::print(stderr, "{}\n", writePrompts(state, config, std::cout));
      return 0;
    }
    if (config.bench) {
      initialise(state);
      answerRequests(state, config, *source, plan, std::cin, std::cout);
      return 0;
    }
    catchLostOutput();
    Profile profile;
    Trainer trainer({state, config, *source, directory.get(), checkpoints.get(), config.profile ? &profile : nullptr,
                     progress, peak});
    prepare(state, trainer);
    if (directory)
      directory->describe(config, program); // only now: a refused resume changes nothing
    std::unique_ptr<FiniteCheck> finite;
    if (config.checkFinite) {
      finite = std::make_unique<FiniteCheck>(arenas, program);
      finite->checkState();
    }
    device->observe(config.checkFinite ? static_cast<OpObserver *>(finite.get()) : config.profile ? &profile : nullptr);
    const int signal = trainer.run();
    device->observe(nullptr);
    if (config.profile)
      fmt::print("{}", profileReport(profile));
    conclude(trainer, signal, self, arenas.totalBytes() + device->libraryPeakBytes());
    return signal ? 128 + signal : 0;
  }

private:
  // Throws Error when arenas and `library` bytes do not fit into the memory of the device.
  void checkFits(int64_t library) const {
    const int64_t onDevice = device->availableBytes();
    const int64_t available = config.memoryLimit ? config.memoryLimit : onDevice ? onDevice : availableMemory();
    checkMemory(program, planMemory(program, config.accumulate > 1, library), available);
  }

  void openRunDirectory() {
    if (config.out == "none")
      return;
    if (config.origins.at("out") == "default")
      config.out = makeNewFolder(config.out);
    directory = std::make_unique<RunDirectory>(config.out);
    checkpoints = std::make_unique<CheckpointFolder>(directory->file("ckpt"), config.keep);
    checkpoints->clean();
    checkNew(config);
    makeDirectory(directory->file("log"));
    progress.logTo(directory->file("log/rank-00.txt"));
  }

  void prepare(const TrainingState &state, Trainer &trainer) {
    if (config.resume) {
      fillTables(state);
      if (resume(trainer, *checkpoints, state, config.strict, progress))
        return roundParameters(state);
    }
    trainer.startFrom(initialise(state));
  }

  std::optional<WeightsOrigin> initialise(const TrainingState &state) {
    fillTables(state);
    initialiseParameters(state, static_cast<uint64_t>(config.seed));
    std::optional<WeightsOrigin> origin;
    if (!config.initFrom.empty())
      origin = takeInitialWeights(state, config, progress);
    roundParameters(state);
    return origin;
  }

  void conclude(const Trainer &trainer, int signal, const char *self, int64_t memory) {
    if (signal) {
      const std::string how = directory ? fmt::format("; go on with: {} --resume --out {}", self, config.out) : "";
      progress.message(fmt::format("stopped by signal {} after step {}{}", signal, trainer.step(), how));
      return;
    }
    const std::string steps = config.steps ? fmt::format("{} steps, ", trainer.step()) : "";
    progress.message(fmt::format("done: {}{} of planned memory taken, {} resident at the peak{}", steps,
                                 formatBytes(memory), formatBytes(residentPeak()),
                                 directory ? ", everything in " + config.out : ""));
  }

  const stretto_program &program;
  RunConfig &config;
  Progress progress;
  std::unique_ptr<BatchSource> source;
  std::unique_ptr<Device> device;
  std::unique_ptr<RunDirectory> directory;
  std::unique_ptr<CheckpointFolder> checkpoints;
};

} // namespace

int runProgram(const stretto_program &program, const TaskRegistry &tasks, int argc, const char *const *argv) {
  try {
    checkProgram(program);
    const std::string version = fmt::format("{} compiled by {} for {}, spec {}", program.model, program.compiler,
                                            program.cpu, program.spec_hash);
    const auto line = parseCommandLine(argc, argv, fmt::format("Trains the model '{}'.", program.model), version);
    if (!line)
      return 0;
    catchStopSignals();
    RunConfig config = configure(*line, program.model, tasks);
    settleLoss(config, program);
    if (!config.ofRun.empty())
      checkModelOf(config.ofRun, program);
    checkRequest(config, {program.target, program.length, program.vocabulary});
    return Session(program, config, tasks).run(argv[0]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what()); // takes no memory; where nobody reads, the status tells
    return 1;
  }
}

} // namespace stretto::runtime
