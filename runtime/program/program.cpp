// A compiled model as a program: command line in, trained weights out.
#include "runtime/program/program.h"

#include "runtime/core/command_line.h"
#include "runtime/core/counted.h"
#include "runtime/core/cpu_features.h"
#include "runtime/core/error.h"
#include "runtime/core/finite.h"
#include "runtime/core/record.h"
#include "runtime/device/make.h"
#include "runtime/device/names.h"
#include "runtime/dist/fault.h"
#include "runtime/dist/launch.h"
#include "runtime/dist/outcomes.h"
#include "runtime/dist/ranks.h"
#include "runtime/generate/write_prompts.h"
#include "runtime/program/bench.h"
#include "runtime/program/request.h"
#include "runtime/program/several_ranks.h"
#include "runtime/program/trainer.h"
#include "runtime/train/changes.h"
#include "runtime/train/config_file.h"
#include "runtime/train/files.h"
#include "runtime/train/initial.h"
#include "runtime/train/initial_weights.h"
#include "runtime/train/meanings.h"
#include "runtime/train/memory.h"
#include "runtime/train/peak.h"
#include "runtime/train/signals.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <sysexits.h>
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

ModelShape shapeOf(const stretto_program &program) { return {program.target, program.length, program.vocabulary}; }

std::unique_ptr<BatchSource> makeSource(const RunConfig &config, const stretto_program &program,
                                        const TaskRegistry &tasks) {
  if (!config.tokens.empty())
    return fileSource(config.tokens, program.batch, program.length, program.vocabulary);
  return taskSource(makeTask(config, shapeOf(program), tasks), static_cast<uint64_t>(config.seed));
}

// Restores the newest good checkpoint, the same on all ranks. Returns whether there was one.
bool resume(Trainer &trainer, const CheckpointFolder &folder, const TrainingState &state, bool strict, Ranks &ranks,
            Progress &progress) {
  const auto skipped = [&](int64_t, const std::string &text) {
    if (strict)
      throw SharedError(text + "; with --strict no other is used");
    if (ranks.isFirst())
      progress.warning(text);
  };
  const auto manifest = folder.newest(CheckpointPart::all, skipped, ranks.control());
  if (!manifest) {
    together(ranks.control(), [&] {
      if (!folder.steps().empty())
        throw Error("no checkpoint of the run directory can be used; see the warnings");
    });
    return false;
  }
  together(ranks.control(), [&] { trainer.resumeFrom(*manifest); });
  folder.restore(state, manifest->step, ranks.control());
  const std::string left = folder.settle(manifest->step, ranks.control());
  if (ranks.isFirst() && !left.empty())
    progress.warning(left);
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

std::string describeRanks(const Ranks &ranks, int64_t virtualRanks, int64_t rowsOfEach) {
  const std::string each = ranks.size() == virtualRanks
                               ? ""
                               : fmt::format(", {} each", counted(virtualRanks / ranks.size(), "virtual rank"));
  return fmt::format("a step has {}: {} on each of {}, computed by {}{}",
                     counted(rowsOfEach * virtualRanks, "sequence"), rowsOfEach, counted(virtualRanks, "virtual rank"),
                     counted(ranks.size(), "rank"), each);
}

void announce(const RunConfig &config, const stretto_program &program, const Device &device, const Ranks &ranks,
              Progress &progress, const MemoryPlan &plan) {
  progress.message(fmt::format("{} ({}, {} in {}), batch {} x {} x {}, {}", program.model, typesOf(program),
                               counted(countParameters(program), "parameter"),
                               counted(program.parameter_count, "tensor"), program.batch,
                               counted(program.length, "token"), config.accumulate, device.describe()));
  if (config.virtualRanks > 1)
    progress.message(describeRanks(ranks, config.virtualRanks, program.batch * config.accumulate));
  if (program.nll_square != 0 || program.z_loss != 0)
    progress.message(fmt::format("loss of a token: {}; evaluations report n", lossFormula(program)));
  progress.message(fmt::format("planned memory: {} ({}); resident so far, program and libraries: {}",
                               formatBytes(plan.total()), describePlan(plan), formatBytes(residentPeak())));
}

// Threads of this rank, where the user does not say: its part of the cores of its host.
int usualThreads(const Ranks &ranks) {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / ranks.localSize());
}

// Everything of one run that needs memory or files. All ranks call the same functions; what fails on one of them fails
// on all.
class Session {
public:
  Session(const stretto_program &program, RunConfig &config, const TaskRegistry &tasks, Ranks &ranks)
      : program(program), config(config), ranks(ranks),
        progress(config.progress, config.quiet || config.answers() || !ranks.isFirst(), config.logEvery),
        parallel(ranks, program, config.virtualRanks) {
    together(ranks.control(), [&] {
      if (ranks.isFirst() && ranks.size() > 1) // one that is alone has done so
        checkRequest(config, shapeOf(program), tasks, /*isWriter=*/true);
      source = config.writesOnly() ? nullptr : makeSource(config, program, tasks);
      text = makeTaskText(config, tasks);
      if (source && source->task())
        settleParameters(config, source->task()->settings());
      if (ranks.isFirst())
        tellDoubts(tasks);
      device = makeDeviceFor(program, config.device, deviceOptions());
    });
    ranks.compare(whatMustAgree(program, config, source ? source->identity() : "", device->name()));
    ranks.connect(groupsFor(*device));
    device->setThreads(config.threads ? static_cast<int>(config.threads) : usualThreads(ranks));
  }

  int run() {
    const MemoryPlan plan = reserve();
    if (!hasHostMemory(device->name())) // what it is, and what it has chosen by trying
      ranks.compare({{"device", device->describe()}});
    announce(config, program, *device, ranks, progress, plan);
    if (leavesGraphsOut())
      progress.message("ranks of several hosts submit each op of a step; --graph=on lets them replay it as a graph");
    if (const std::string_view target = emulatedTarget(program.target); !target.empty())
      progress.warning(fmt::format(
          "the kernels of this program are made for --target={} and are emulated on the CPU, which is slow", target));
    openRunDirectory();
    if (ranks.isFirst() && config.trains() && changeSteps(config.ofRunChanged, config))
      progress.warning(
          fmt::format("the settings of '{}' were changed at its resumes ([[changed]] in its run.toml): all "
                      "steps are made with the last ones, so that this is another run",
                      config.ofRun));
    Arenas arenas(*device, program, config.accumulate > 1, parallel.shares().shard);
    parallel.begin(*device, arenas);
    std::vector<FlatRange> moments;
    for (const RowRange &rows : parallel.shares().shard.owned)
      moments.push_back({rows.begin * STRETTO_FLAT_COLUMNS, rows.end * STRETTO_FLAT_COLUMNS});
    const TrainingState state{program, *device, arenas, std::move(moments)};
    if (config.writesOnly()) {
      initialise(state);
      const std::string speed = writePrompts(state, config, text.get(), std::cout);
      if (!config.quiet)
        fmt::print(stderr, "{}\n", speed);
      return 0;
    }
    if (config.bench) {
      initialise(state);
      answerRequests(state, config, *source, plan, parallel, std::cin, std::cout);
      return 0;
    }
    return train(state);
  }

private:
  // Warns of what the user may not have meant.
  void tellDoubts(const TaskRegistry &tasks) {
    std::vector<std::string> texts = config.leftOut;
    if (source && source->task())
      texts.push_back(transferWarning(config, *source->task(), tasks));
    for (const std::string &text : texts)
      if (!text.empty())
        progress.warning(text);
  }

  DeviceOptions deviceOptions() {
    DeviceOptions options{config.graph && !leavesGraphsOut(), config.deterministic, config.tf32, ranks.localRank(), {}};
    if (ranks.size() == 1)
      options.onUnkept = [this](const std::string &reason) {
        progress.warning("from here on each op of a step is submitted by itself, which is slower, as steps cannot be "
                         "replayed: " +
                         reason);
      };
    return options;
  }

  // Graphs that reach over several hosts must be asked for: no GPUs have shown that they work.
  bool leavesGraphsOut() const {
    return ranks.localSize() != ranks.size() && config.origins.at("graph").isDefault() &&
           !hasHostMemory(chooseDevice(program.target, config.device));
  }

  // Makes ready for the program; throws Error where it does not fit into memory.
  MemoryPlan reserve() {
    MemoryPlan plan;
    together(ranks.control(), [&] {
      if (device->availableBytes()) // of a GPU: libraries take part of it as they make ready
        checkFits(planFor(0));
      peak = progress.quiet() ? 0 : measurePeak(*device, program.activation_dtype);
      device->submit(needsOf(program));
      device->wait();
      plan = planFor(device->libraryPeakBytes());
      checkFits(plan);
    });
    return plan;
  }

  int train(const TrainingState &state) {
    if (ranks.isFirst() && config.trains())
      catchLostOutput();
    Profile profile;
    Trainer trainer({state, config, *source, directory.get(), checkpoints.get(), config.profile ? &profile : nullptr,
                     progress, peak, parallel, goOnWith()});
    prepare(state, trainer);
    together(ranks.control(), [&] {
      if (directory)
        describe(/*hasNewSettings=*/!config.resume || trainer.step() < config.steps);
    });
    std::unique_ptr<FiniteCheck> finite;
    if (config.checkFinite) {
      finite = std::make_unique<FiniteCheck>(state.arenas, program);
      finite->checkState();
    }
    device->observe(config.checkFinite ? static_cast<OpObserver *>(finite.get()) : config.profile ? &profile : nullptr);
    const int signal = trainer.run();
    device->observe(nullptr);
    if (config.profile)
      report(profile);
    conclude(trainer, signal, state.arenas.totalBytes() + parallel.bytes() + device->libraryPeakBytes() + batchBytes());
    return signal ? 128 + signal : 0;
  }

  // Only after the checkpoint was taken: a refused resume changes nothing; nor does one without a step to come.
  void describe(bool hasNewSettings) {
    if (config.resume)
      keepOrigins(config, config.out);
    if (!config.ofRun.empty())
      keepOrigins(config, config.ofRun);
    directory->describe(config, program, hasNewSettings);
  }

  // Of several ranks each leaves its own beside its log.
  void report(const Profile &profile) {
    const std::string text = profileReport(profile);
    if (ranks.isFirst())
      std::fputs(text.c_str(), stdout);
    if (ranks.size() > 1 && checkpoints)
      together(ranks.control(),
               [&] { replaceFile(fmt::format("{}/log/profile-{:02}.txt", config.out, ranks.rank()), text); });
  }

  // `library`: bytes of it.
  MemoryPlan planFor(int64_t library) const {
    return planMemory(
        program,
        {config.accumulate > 1, parallel.shares().shard, parallel.bytes() + parallel.carrierBytes(), batchBytes()},
        library);
  }

  // Of the sequences of the step that is computed, and of those of the next one, in the memory of the device.
  int64_t batchBytes() const { return hasHostMemory(device->name()) ? sequenceBytes() : 0; }

  // The same, wherever they are.
  int64_t sequenceBytes() const {
    if (!source)
      return 0;
    const double tokens = static_cast<double>(config.accumulate * parallel.virtualRanks()) *
                          static_cast<double>(program.batch * program.length);
    return static_cast<int64_t>(std::min(2 * tokens * TokenBlock::bytesOfToken, 0x1p60));
  }

  // The ranks of a host share its memory.
  void checkFits(const MemoryPlan &plan) const {
    const int64_t onDevice = device->availableBytes();
    const int64_t available = config.memoryLimit ? config.memoryLimit : onDevice ? onDevice : availableMemory();
    const bool onHost = hasHostMemory(device->name());
    checkMemory(program, plan, {available, onHost ? ranks.localSize() : 1});
    if (!onHost)
      checkBatches(sequenceBytes(), {availableMemory(), ranks.localSize()});
  }

  // The first rank makes and owns it; the others are told its name.
  void openRunDirectory() {
    if (config.out == "none")
      return;
    together(ranks.control(), [&] {
      if (!ranks.isFirst())
        return;
      if (config.origins.at("out").isDefault())
        config.out = makeNewFolder(config.out);
      directory = std::make_unique<RunDirectory>(config.out);
      CheckpointFolder(directory->file("ckpt"), config.keep).clean();
      checkNew(config);
      makeDirectory(directory->file("log"));
    });
    config.out = gatherTexts(ranks.control(), config.out)[0];
    checkpoints = std::make_unique<CheckpointFolder>(config.out + "/ckpt", config.keep);
    together(ranks.control(), [&] { progress.logTo(fmt::format("{}/log/rank-{:02}.txt", config.out, ranks.rank())); });
  }

  // The command that resumes the run: the program that it keeps needs no spec.
  std::string goOnWith() const {
    std::vector<std::string> command{config.out + "/build/program", "--resume", "--out", config.out};
    if (config.ranks > 1)
      command.insert(command.end(), {"--ranks", fmt::format("{}", config.ranks)});
    return commandLine(command);
  }

  void prepare(const TrainingState &state, Trainer &trainer) {
    if (config.resume) {
      fillTables(state);
      if (resume(trainer, *checkpoints, state, config.strict, ranks, progress)) {
        takeChanges(trainer.step());
        return roundParameters(state);
      }
      progress.message("no checkpoint yet: starting from the first step");
    }
    config.changed.clear();
    const std::optional<WeightsOrigin> origin = initialise(state);
    together(ranks.control(), [&] { trainer.startFrom(origin); });
  }

  // What a resume has otherwise counts from here on; without a step to come, for nothing.
  void takeChanges(int64_t step) {
    if (config.changes.empty())
      return;
    const std::string text = changesText(config.changes);
    if (step == config.steps && ranks.isFirst())
      progress.warning(fmt::format("no step is left for other settings, and run.toml stays as it is: {}", text));
    if (step == config.steps)
      return;
    config.changed = changedAt(step, config.changed, config.changes);
    const std::string told = "goes on with other settings: " + text;
    if (ranks.isFirst() && changeSteps(config.changes, config))
      progress.warning(told);
    else
      progress.message(told);
  }

  std::optional<WeightsOrigin> initialise(const TrainingState &state) {
    together(ranks.control(), [&] {
      fillTables(state);
      initialiseParameters(state, static_cast<uint64_t>(config.seed));
    });
    std::optional<WeightsOrigin> origin;
    if (!config.initFrom.empty())
      origin = takeInitialWeights(state, config, source ? source->task() : nullptr, progress, ranks.control());
    together(ranks.control(), [&] { roundParameters(state); });
    return origin;
  }

  void conclude(const Trainer &trainer, int signal, int64_t memory) {
    if (signal) {
      const std::string how = checkpoints ? "; go on with: " + goOnWith() : "";
      progress.message(fmt::format("stopped by signal {} after step {}{}", signal, trainer.step(), how));
      return;
    }
    const std::string steps = config.steps ? counted(trainer.step(), "step") + ", " : "";
    progress.message(fmt::format("done: {}{} of planned memory taken, {} resident at the peak{}", steps,
                                 formatBytes(memory), formatBytes(residentPeak()),
                                 checkpoints ? ", everything in " + config.out : ""));
  }

  const stretto_program &program;
  RunConfig &config;
  Ranks &ranks;
  Progress progress;
  double peak = 0; // measured; 0: unknown
  std::unique_ptr<BatchSource> source;
  std::unique_ptr<const TaskText> text; // of prompts and answers
  std::unique_ptr<Device> device;
  DataParallel parallel; // its memory is of the device
  std::unique_ptr<RunDirectory> directory;
  std::unique_ptr<CheckpointFolder> checkpoints;
};

// Throws Error where standard output did not take all that was printed.
void checkWritten() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    throw Error("the output could not be written");
}

int runOnRanks(const stretto_program &program, RunConfig &config, const TaskRegistry &tasks,
               const std::optional<Launch> &launch) {
  using std::chrono::seconds;
  Ranks ranks = launch ? Ranks(*launch, seconds(config.joinTimeout), seconds(config.rankTimeout)) : Ranks();
  if (config.trains()) // what does not has nothing to save; nor has a rank that waits for others
    catchStopSignals();
  if (config.virtualRanks == 0)
    config.virtualRanks = ranks.size();
  int status = EXIT_FAILURE;
  try {
    ranks.orLeave([&] { status = Session(program, config, tasks, ranks).run(); });
  } catch (const SharedError &) {
    if (ranks.isFirst())
      throw;
  }
  return status;
}

// Says why, without taking memory; where nobody reads, the status tells.
int endFor(const std::exception &error, int status) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return status;
}

} // namespace

int runProgram(const stretto_program &program, const TaskRegistry &tasks, int argc, const char *const *argv) {
  try {
    checkProgram(program);
    const std::string version = fmt::format("{} compiled by {} for {}, spec {}", program.model, program.compiler,
                                            program.cpu, program.spec_hash);
    const auto line = parseCommandLine(argc, argv, fmt::format("Trains the model '{}'.", program.model), version);
    if (!line)
      return checkWritten(), 0;
    RunConfig config = configure(*line, program.model, tasks);
    const ModelShape model = shapeOf(program);
    settleCompiled(config, program);
    settleLength(config, model);
    if (!config.ofRun.empty())
      checkModelOf(config, program);
    const std::optional<Launch> launch = launchOf(config, ::getenv);
    checkRequest(config, model, tasks, /*isWriter=*/!launch || launch->ranks == 1);
    if (!launch && config.ranks > 1)
      return startRanks(config, argc, argv);
    outliveFileLimit();
    const int status = runOnRanks(program, config, tasks, launch);
    if (!config.trains() || config.profile) // what was asked for is in no run directory
      checkWritten();
    return status;
  } catch (const LostStore &error) {
    return endFor(error, EX_TEMPFAIL);
  } catch (const std::exception &error) {
    return endFor(error, EXIT_FAILURE);
  }
}

} // namespace stretto::runtime
