//===- CudaFaultsTest.cpp - generated kernels that are broken on purpose --------------------===//
//
// A small rewrite breaks one place of a kernel between lowering and emulation. Each broken kernel must be caught, by a
// report of the emulator or by wrong numbers, and the tables below say by which; the test prints it for each place.
// Where a broken kernel still does the same, its table names the place and the reason.
#include "CudaFaults.h"
#include "Bodies.h"
#include "CudaLibrary.h"
#include "MatmulBodies.h"
#include "MixerBodies.h"
#include "WalkBodies.h"
#include "WalkMasks.h"

#include "codegen/cuda/KernelFunction.h"
#include "test/unit/support/whole.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

namespace {
//===- Kernels --------------------------------------------------------------------===//

/// Leaves one kernel of a module; what the others compute becomes arguments.
void isolate(ModuleOp module, Operation *kernel) {
  for (Operation *op : kernelsOf(module)) {
    if (op == kernel)
      continue;
    auto function = op->getParentOfType<func::FuncOp>();
    for (Value result : op->getResults())
      result.replaceAllUsesWith(function.getBody().addArgument(result.getType(), op->getLoc()));
    function.setType(FunctionType::get(module.getContext(), function.getBody().getArgumentTypes(), {}));
    op->erase();
  }
}

/// A scheduled module with one kernel, which is broken.
struct Patient {
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module;
  Operation *kernel = nullptr;
  Part part; // of the kernel, that runs

  Patient(StringRef text, StringRef name, CudaSchedule schedule, Part part = {}) : part(part) {
    module = scheduleForCuda(*parse(*context, text), schedule);
    for (Operation *op : kernelsOf(*module))
      if (kern::kernelNameOf(op).getValue() == name)
        kernel = op;
    isolate(*module, kernel);
  }
};

std::string bodyText(StringRef name) {
  for (unsigned i = 0; i < bodyCount; ++i)
    if (name == bodies[i].name)
      return fill(bodies[i], {});
  return "";
}

/// Two warps of each group have the 40 columns of a row; steps of two rows do not fit chunks of five, and these not the
/// 19 rows of a sequence.
constexpr CudaSchedule awkward = {.rows = 2, .lanes = 1, .chunk = 5, .threads = 64, .groups = 3, .tiles = 1};

/// Of 12 and of 4 blocks.
constexpr StringLiteral fusedSums = R"(
func.func @f(%p: tensor<200x90xf32>, %q: tensor<20x60xf32>) {
  %s:2 = kern.sum_partials kernel "sums" %p, %q : tensor<200x90xf32>, tensor<20x60xf32> -> tensor<90xf32>, tensor<60xf32>
  return
})";

/// Of 2 x 1000 tokens, an eighth for each warp of a block, and rows of 4 numbers.
std::string embedGradient(int64_t vocabulary) {
  return llvm::formatv(R"(
func.func @embeddings(%t: tensor<2x1000xi32>, %d: tensor<2x1000x4xf32>) {{
  %g = seq.embed_grad %t, %d : tensor<2x1000xi32>, tensor<2x1000x4xf32> -> tensor<{0}x4xf32>
  return
})",
                       vocabulary);
}

//===- Verdicts -----------------------------------------------------------------===//

// Seconds of processor time that a sound kernel takes at most. A broken one works without end when it has taken some
// more than several times as long.
constexpr rlim_t mostSeconds = 60, moreSeconds = 2, timesAsLong = 4;

/// What caught a kernel, from what its process printed.
std::string classify(StringRef text) {
  static const std::pair<StringRef, StringRef> signs[] = {
      {"race: ", "race"},
      {"which the block has not written", "unwritten"},
      {"nobody has waited for", "copy"},
      {"every thread waits", "deadlock"},
      {"but copies bring", "bytes"},
      {"with no fence.mbarrier.init", "fence"},
      {"divergent barrier", "deadlock"},
      {"its mask must hold", "mask"},
      {"lane of its mask", "mask"},
      {"lanes of one mask", "mask"},
      {"nothing says that", "ends early"},
      {"have ended", "ends early"},
      {"no mbarrier has been initialised", "no mbarrier"},
      {"arrivals at the mbarrier", "arrivals"},
      {" behind buffer ", "bounds"},
      {" before buffer ", "bounds"},
      {"shared variable of", "bounds"},
      {"gives other bits", "orders differ"},
      {"differs by", "numbers"},
      {"works without end", "endless"},
  };
  for (auto [sign, verdict] : signs)
    if (text.contains(sign))
      return verdict.str();
  return text.empty() ? "nothing" : "unknown: " + text.str();
}

/// What a process printed, and the processor time that it took.
struct Run {
  std::string text;
  double seconds;
};

/// Runs the kernel on several inputs, until it differs, in a process of its own that may take so many seconds.
Run runApart(const CudaLibrary &library, const Patient &patient, rlim_t seconds,
             llvm::function_ref<void(std::vector<Numbers> &)> change = nullptr) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    rlimit limit = {seconds, seconds};
    setrlimit(RLIMIT_CPU, &limit);
    std::string problems;
    for (uint64_t seed = 6; seed < 9 && problems.empty(); ++seed)
      problems = checkKernel(patient.kernel, library, seed, patient.part, change);
    llvm::errs() << problems;
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t count; (count = read(ends[0], bytes, sizeof bytes)) > 0;)
    text.append(bytes, count);
  close(ends[0]);
  int status = 0;
  rusage usage;
  wait4(child, &status, 0, &usage);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    text = "works without end";
  else if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 70))
    text = "the process ended with " + std::to_string(status) + "\n" + text;
  return {text, static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec)};
}

/// Runs the sound kernel, which nothing may catch. Returns the seconds that a broken one may take.
rlim_t checkSound(const CudaLibrary &library, const Patient &patient) {
  Run run = runApart(library, patient, mostSeconds);
  EXPECT_EQ(run.text, "");
  return moreSeconds + timesAsLong * static_cast<rlim_t>(std::ceil(run.seconds));
}

/// A broken kernel.
struct Broken {
  std::string place;   // empty: there is none
  std::string verdict; // what catches it
};

Broken breakPlace(const Patient &patient, const Fault &fault, int64_t number, rlim_t seconds) {
  Broken broken;
  std::string symbol = kernelSymbol(kern::kernelNameOf(patient.kernel).getValue());
  ScopedDiagnosticHandler silence(patient.context.get(), [](Diagnostic &) { return success(); });
  CudaLibrary library(*patient.module, [&](gpu::GPUModuleOp kernels) {
    broken.place = fault(kernels.lookupSymbol<LLVM::LLVMFuncOp>(symbol), number);
  });
  if (broken.place.empty())
    EXPECT_TRUE(library.isLoaded());
  else
    broken.verdict = library.isLoaded() ? classify(runApart(library, patient, seconds).text) : "refused";
  return broken;
}

struct Row {
  const char *fault;
  Fault apply;
  std::vector<std::string> verdicts;                // any of them, at each place that can be broken this way
  std::map<std::string, std::string> harmless = {}; // but at these places nothing, for the reason given
};

/// Breaks one place after the other, of many each `step`th (stepOf); prints which was caught by what.
void expectCaught(const Patient &patient, ArrayRef<Row> rows, int64_t step = 1) {
  ASSERT_TRUE(patient.kernel);
  rlim_t seconds = checkSound(CudaLibrary(*patient.module), patient);
  for (const Row &row : rows) {
    std::map<std::string, std::vector<std::string>> found;
    size_t harmless = 0;
    for (int64_t number = 0;; number += stepOf(step)) {
      auto [place, verdict] = breakPlace(patient, row.apply, number, seconds);
      if (place.empty())
        break;
      found[verdict].push_back(place);
      bool isHarmless = row.harmless.count(place);
      harmless += isHarmless;
      EXPECT_TRUE(isHarmless ? verdict == "nothing" : llvm::is_contained(row.verdicts, verdict))
          << row.fault << ", " << place << ": " << verdict;
    }
    EXPECT_FALSE(found.empty()) << row.fault << ": the kernel has no such place";
    EXPECT_EQ(harmless, row.harmless.size()) << row.fault << ": the kernel has no such harmless place";
    for (auto &[verdict, places] : found)
      llvm::outs() << "  " << row.fault << ": " << verdict << " catches " << llvm::join(places, ", ") << "\n";
    for (auto &[place, reason] : row.harmless)
      llvm::outs() << "    " << place << " is harmless: " << reason << "\n";
    llvm::outs().flush();
  }
}

/// Leaves out the masks of a walk, one after the other, of many each `step`th (stepOf).
void expectMasksCaught(const Patient &patient, int64_t step, const std::map<std::string, std::string> &harmless) {
  ASSERT_TRUE(patient.kernel);
  auto walk = cast<kern::WalkOp>(patient.kernel);
  int64_t count = addFaults(walk), found = 0;
  CudaLibrary library(*patient.module);
  ASSERT_TRUE(library.isLoaded());
  rlim_t seconds = checkSound(library, patient);
  for (int64_t fault = 0; fault < count; fault += stepOf(step)) {
    std::string place = nameOfFault(fault);
    auto choose = [&](std::vector<Numbers> &inputs) { chooseFault(walk, inputs, fault); };
    std::string said = runApart(library, patient, seconds, choose).text, verdict = classify(said);
    EXPECT_EQ(verdict, harmless.count(place) ? "nothing" : "numbers")
        << place << ": " << StringRef(said).split('\n').first.str();
    found += verdict == "numbers";
  }
  llvm::outs() << "  " << found << " of " << count << " choices left out are found by numbers\n";
}

//===- The tables ---------------------------------------------------------------===//

// What many tables have.
const Row storeSkipped = {"store skipped", neverStore, {"numbers"}};
const Row barrierRemoved = {"barrier removed", removeBarrier, {"race", "unwritten"}};
const Row barrierOfCopiesRemoved = {"barrier removed", removeBarrier, {"race", "unwritten", "copy"}};
const Row halfMask = {"shuffle with half the mask", halveMask, {"mask"}};
const Row storeWithoutWork = {"store of threads and rows without work", alwaysStore, {"race"}};
const Row columnOff = {"column one off", shiftGlobalLoad, {"numbers", "bounds"}};
const Row sameLane = {"shuffle to the same lane", shuffleNowhere, {"numbers"}};
const Row copiesNotAwaited = {"copies not waited for", removeWait, {"copy"}};
const Row tailSkipped = {"tail skipped", skipTail, {"numbers"}};
const Row sharedStoreOff = {"shared memory written one further on", shiftSharedStore, {"race", "unwritten", "bounds"}};

TEST(CudaFaults, NormAndCanon) {
  expectCaught(Patient(bodyText("norm_canon"), "norm_canon", awkward),
               {
                   barrierRemoved,
                   halfMask,
                   sameLane,
                   storeSkipped,
                   storeWithoutWork,
                   sharedStoreOff,
                   {"shared memory read one further on", shiftSharedLoad, {"numbers", "unwritten", "bounds"}},
                   columnOff,
                   {"tap one row off", change(-3, -2), {"numbers"}},
                   tailSkipped,
                   {"row owned by two chunks", change(5, 6), {"race"}},
               });
}

TEST(CudaFaults, NormAndCanonBackward) {
  expectCaught(Patient(bodyText("norm_canon_backward"), "norm_canon_backward", awkward),
               {
                   barrierRemoved,
                   halfMask,
                   sameLane,
                   storeSkipped,
                   storeWithoutWork,
                   sharedStoreOff,
                   columnOff,
                   {"tap one row off", change(2, 1), {"numbers"}},
                   tailSkipped,
                   {"row owned by two chunks", change(5, 6), {"race"}},
               });
}

TEST(CudaFaults, RowsThroughPlaces) {
  CudaSchedule schedule = {.rows = 1, .lanes = 4, .chunk = 8, .threads = 32, .groups = 2, .tiles = 1, .places = 4};
  expectCaught(Patient(bodyText("norm_canon_backward"), "norm_canon_backward", schedule),
               {
                   copiesNotAwaited,
                   storeSkipped,
                   {"shared memory read one further on", shiftSharedLoad, {"numbers", "unwritten", "bounds", "copy"}},
                   columnOff,
               });
}

TEST(CudaFaults, Loss) {
  expectCaught(Patient(bodyText("cross_entropy"), "cross_entropy", awkward),
               {barrierRemoved, halfMask, sameLane, tailSkipped, storeSkipped, storeWithoutWork});
}

TEST(CudaFaults, HeadNorm) {
  expectCaught(Patient(bodyText("head_norm_rotary"), "head_norm_rotary", awkward),
               {barrierRemoved, storeSkipped, storeWithoutWork});
}

TEST(CudaFaults, SumPartials) {
  expectCaught(Patient(bodyText("norm_canon_backward"), "norm_canon_backward.sum1", awkward),
               {barrierRemoved, storeSkipped, storeWithoutWork, columnOff});
}

/// The first sum has more threads than the second, and both have blocks that end within a tile.
TEST(CudaFaults, FusedSums) {
  expectCaught(Patient(fusedSums, "sums", {}),
               {
                   barrierRemoved,
                   storeSkipped,
                   {"store of threads without work", alwaysStore, {"race", "unwritten"}},
                   columnOff,
                   sharedStoreOff,
                   {"first block of the second sum one off", change(-12, -11), {"numbers"}},
               });
}

/// Blocks that have 8 ids each, of which the first two run.
TEST(CudaFaults, EmbeddingGradient) {
  expectCaught(
      Patient(embedGradient(4227), "embeddings.embed0", {}, {2, 2 * 8 * 4}),
      {
          barrierRemoved,
          halfMask,
          {"shuffle to the same lane", shuffleNowhere, {"race", "unwritten", "bounds", "numbers"}},
          storeSkipped,
          {"store without need", alwaysStore, {"race"}},
          {"shared memory written one further on", shiftSharedStore, {"race", "unwritten", "bounds", "endless"}},
          {"shared memory read one further on", shiftSharedLoad, {"race", "unwritten", "bounds", "numbers"}},
          {"tail skipped", skipTail, {"race", "unwritten", "numbers"}},
      });
}

/// A block for each of 11 ids.
TEST(CudaFaults, EmbeddingGradientOneId) {
  expectCaught(Patient(embedGradient(11), "embeddings.embed0", {}),
               {
                   barrierRemoved,
                   {"store skipped",
                    neverStore,
                    {"numbers"},
                    {{"store 0 to buffer 2", "it fills rows of absent ids, and none is absent"}}},
                   {"store without need", alwaysStore, {"race", "numbers"}},
                   {"shared memory written one further on",
                    shiftSharedStore,
                    {"race", "unwritten", "bounds", "endless", "numbers"}},
               });
}

/// Two items of two tiles, which hang over; a tile has three steps, which go through two stages.
TEST(CudaFaults, Matmul) {
  std::string text = matmulOnTensorCores(
      {.batch = 3, .time = 71, .depth = 136, .columns = 100},
      "run 128, tile_rows 64, pieces 1, strip 64, stages 2, blocks 2, warps 3, threads 32, rows 2, lanes 2");
  expectCaught(Patient(text, "matmul", {}),
               {
                   {"mbarrier not waited for", removePhaseWait, {"race", "unwritten", "copy"}},
                   {"nobody arrives", removeArrival, {"deadlock"}},
                   {"lanes do not meet", removeWarpBarrier, {"race"}},
                   {"half of the bytes expected", halveExpectedBytes, {"bytes"}},
                   {"mbarriers not made visible", removeInitFence, {"fence"}},
                   {"matmuls not waited for", removeMatmulWait, {"race", "refused"}},
                   {"matmuls without a fence",
                    removeMatmulFence,
                    {"refused"},
                    {{"fence 1", "the sums are those of matmuls of the same shape"}}},
                   {"barrier removed", removeBarrier, {"race"}},
                   {"no swizzle", removeSwizzle, {"numbers"}},
                   {"store skipped",
                    neverStore,
                    {"numbers"},
                    {{"store 1 to buffer 2", "the second row of a last step is not there"},
                     {"store 5 to buffer 2", "the second row of a last step is not there"}}},
                   {"store of what is not there",
                    alwaysStore,
                    {"race", "bounds"},
                    {{"store 0 to buffer 2", "the first row of a step is there wherever the step is"}}},
                   {"tile read one further on",
                    shiftSharedLoad,
                    {"unwritten", "numbers"},
                    {{"load 7 of _shared", "the second row of a last step is stored nowhere"}}},
               });
}

/// A cluster of two blocks, of which the second one has a run of one tile less, then none.
TEST(CudaFaults, MatmulInCluster) {
  std::string text = matmulOnTensorCores({.batch = 3, .time = 71, .depth = 136, .columns = 100},
                                         "run 80, tile_rows 64, pieces 1, strip 64, stages 2, blocks 2, warps 3, "
                                         "threads 32, rows 2, lanes 2, cluster 2");
  expectCaught(Patient(text, "matmul", {}),
               {
                   {"blocks do not meet", meetAlone, {"no mbarrier", "ends early"}},
                   {"weight copied for one block", copyAlone, {"deadlock"}},
                   {"readers of other blocks not awaited", awaitOwnReaders, {"race"}},
                   {"nobody arrives", removeArrival, {"deadlock"}},
                   {"mbarrier not waited for", removePhaseWait, {"race", "unwritten", "copy", "arrivals"}},
                   {"half of the bytes expected", halveExpectedBytes, {"bytes"}},
                   {"mbarriers not made visible", removeInitFence, {"race"}},
                   {"store of what is not there",
                    alwaysStore,
                    {"race"},
                    {{"store 0 to buffer 2", "the first row of a step is there wherever the step is"}}},
               });
}

/// Three runs that begin and end inside of sequences; taps reach over two tiles.
TEST(CudaFaults, MatmulWithTaps) {
  std::string text = tapsOnTensorCores({.batch = 3, .time = 71, .depth = 72, .columns = 80},
                                       "run 90, tile_rows 64, pieces 1, strip 64, stages 2, blocks 2, warps 3, "
                                       "threads 32, rows 2, lanes 2",
                                       9);
  expectCaught(Patient(text, "taps", {}),
               {
                   {"rows kept before others have read them", removeNumberedBarrier, {"race"}},
                   {"rows of the operand not waited for", removeWait, {"copy"}},
                   {"lanes do not meet", removeWarpBarrier, {"race"}},
                   storeSkipped,
                   {"kept rows one further on", shiftSharedStore, {"unwritten", "numbers"}},
                   {"rows read one further on",
                    shiftSharedLoad,
                    {"unwritten", "numbers"},
                    {{"load 18 of ic_shared", "the second row of a last step is stored nowhere"}}},
                   {"mbarrier not waited for", removePhaseWait, {"race", "unwritten", "copy"}},
               });
}

/// Threads read what others bring, and warps exchange registers.
TEST(CudaFaults, MatmulWithTables) {
  std::string text = tablesOnTensorCores({.batch = 3, .time = 71, .depth = 64, .columns = 128},
                                         "run 213, tile_rows 128, pieces 1, strip 128, stages 2, blocks 1, warps 4, "
                                         "threads 32, rows 2, lanes 4");
  expectCaught(Patient(text, "tables", {}), {
                                                {"tables not waited for", removeWait, {"copy"}},
                                                {"lanes do not meet", removeWarpBarrier, {"race", "copy", "unwritten"}},
                                                {"registers not given back", removeGiving, {"deadlock"}},
                                            });
}

/// Of three chunks the last has two rows; of states, each second is stored.
TEST(CudaFaults, Walk) {
  expectCaught(Patient(linearAttention("f32"), "linear_attention.walk0", {}),
               {
                   barrierOfCopiesRemoved,
                   copiesNotAwaited,
                   storeSkipped,
                   {"store of rows and states that are not there", alwaysStore, {"race"}},
               });
}

TEST(CudaFaults, WalkWithSharedState) {
  expectCaught(Patient(withSharedState(linearAttention("f32")), "linear_attention.walk0", {}),
               {barrierOfCopiesRemoved, storeSkipped});
}

TEST(CudaFaults, WalkWithReductions) {
  expectCaught(Patient(reductionWalks({32, 16}), "reductions.walk0", {}), {barrierOfCopiesRemoved, halfMask, sameLane});
}

const Row firstWaitIsHarmless = {
    "copies not waited for", removeWait, {"copy"}, {{"wait 0", "the other follows at once, and waits for all copies"}}};

/// The gated delta rule with documents.
TEST(CudaFaults, Mixer) {
  Patient patient(mixerWalks({}), "mixer.walk0", {});
  expectCaught(patient, {barrierOfCopiesRemoved, storeSkipped},
               /*step=*/3);
  expectCaught(patient, {copiesNotAwaited});
}

TEST(CudaFaults, MixerGradient) {
  Patient patient(mixerWalks({}), "mixer.walk2", {});
  expectCaught(patient, {barrierOfCopiesRemoved, storeSkipped},
               /*step=*/11);
  expectCaught(patient, {halfMask}, /*step=*/60);
  expectCaught(patient, {firstWaitIsHarmless});
}

/// With matmuls of warps.
TEST(CudaFaults, MixerByChannelOfBf16) {
  Patient patient(mixerWalks({"bf16", true}), "mixer.walk0", {});
  expectCaught(patient, {barrierOfCopiesRemoved}, /*step=*/18);
  expectCaught(patient, {copiesNotAwaited});
}

/// Masks of documents, of pairs above the diagonal, of halves of blocks.
TEST(CudaFaults, MixerMasks) {
  const std::string solved = "a system is made of what lies below the diagonal";
  expectMasksCaught(Patient(mixerWalks({}), "mixer.walk0", {}), /*step=*/1, {{"first value of choice 1", solved}});
}

TEST(CudaFaults, MixerGradientMasks) {
  const std::string solved = "a system is made of what lies below the diagonal";
  const std::string balanced = "pairs above the diagonal are zero, and those of a row with itself cancel";
  expectMasksCaught(Patient(mixerWalks({}), "mixer.walk2", {}), /*step=*/5,
                    {{"first value of choice 1", solved},
                     {"first value of choice 6", solved},
                     {"first value of choice 8", balanced}});
}

TEST(CudaFaults, MixerByChannelMasks) {
  const std::string halves = "of one block there is no other second half";
  expectMasksCaught(Patient(mixerWalks({"f32", true}), "mixer.walk0", {}), /*step=*/7,
                    {{"first value of choice 15", halves},
                     {"first value of choice 20", "a row is in one document with itself"},
                     {"first value of choice 36", halves}});
}

/// Squares that become one of 64 rows in two turns.
TEST(CudaFaults, WalkWithInverse) {
  expectCaught(Patient(inverseWalks({64, 16}), "inverse.walk0", {}), {barrierOfCopiesRemoved, storeSkipped});
}

/// With matmuls of warps.
TEST(CudaFaults, WalkOfBf16) {
  expectCaught(Patient(roundedWalks({16, 32}), "rounded.walk0", {}), {barrierOfCopiesRemoved, copiesNotAwaited});
}
} // namespace
