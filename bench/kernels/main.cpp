//===- main.cpp - fused kernels against the memory of the machine ---------------===//
//
//   stretto_bench_kernels FILE.mlir [rounds] [rows] [chunk] [cpu] [threads]
//
// FILE holds one function with one kern.rowwise over f32. Compiles it, then measures in turns, in one process: the
// kernel with its sums, and a copy (or, where it reads more than it writes, the sum of two streams) of the same bytes.
// Prints the median of the ratios and the smallest times. Buffers are cycled, so that they come from memory.
#include "bench/kernels/Baselines.h"
#include "codegen/cpu/Passes.h"
#include "codegen/rows/Passes.h"
#include "codegen/target/EmitObject.h"
#include "ir/Register.h"
#include "runtime/abi/abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int copies = 6; // sets of buffers

struct Settings {
  int rounds = 31, threads = 1;
  int64_t rows = 0, chunk = 0;
  std::string cpu = "native";
};

double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

float *allocate(size_t count) {
  auto *data = static_cast<float *>(std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64));
  for (size_t i = 0; i < count; ++i)
    data[i] = static_cast<float>(static_cast<int>(i * 2654435761u % 2048) - 1024) / 1024;
  return data;
}

size_t countOf(Type type) { return cast<RankedTensorType>(type).getNumElements(); }

template <typename Work> void inParallel(int threads, int64_t parts, Work work) {
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t)
    others.emplace_back([=] { work(parts * t / threads, parts * (t + 1) / threads); });
  work(0, parts / threads);
  for (std::thread &other : others)
    other.join();
}

/// The compiled kernels of a file and their buffers.
struct Program {
  OwningOpRef<ModuleOp> module;
  llvm::SmallVector<KernelInfo> kernels;
  void *library = nullptr;
  std::vector<std::vector<std::vector<void *>>> buffers; // [copy][kernel][buffer]

  bool compile(const Settings &settings);
  void allocateBuffers();
  void run(int copy, int threads);
};
} // namespace

bool Program::compile(const Settings &settings) {
  ChooseScheduleOptions options;
  options.cpu = settings.cpu;
  options.rows = settings.rows;
  options.chunk = settings.chunk;
  PassManager passes(module->getContext());
  passes.addPass(createChooseSchedule(options));
  passes.addPass(createSplitColumnSums());
  auto target = Target::resolve(settings.cpu, [](const llvm::Twine &message) { llvm::errs() << message << "\n"; });
  double start = now();
  if (failed(target) || failed(passes.run(*module)) || failed(lowerKernels(*module, *target, kernels)))
    return false;
  double lowered = now();
  auto code = module->clone();
  for (auto function : llvm::make_early_inc_range(code.getOps<func::FuncOp>()))
    function.erase();
  llvm::SmallString<64> folder;
  llvm::sys::fs::createUniqueDirectory("stretto-bench", folder);
  std::string object = (folder + "/kernel.o").str(), shared = (folder + "/kernel.so").str();
  if (failed(emitObject(code, *target, object)))
    return false;
  llvm::outs() << llvm::format("compiled: %.0f ms to the LLVM dialect, %.0f ms to an object\n", lowered - start,
                               now() - lowered);
  auto linker = llvm::sys::findProgramByName("cc");
  if (!linker || llvm::sys::ExecuteAndWait(*linker, {"cc", "-shared", "-o", shared, object, "-lm"}) != 0)
    return false;
  library = dlopen(shared.c_str(), RTLD_NOW);
  llvm::sys::fs::remove_directories(folder);
  return library;
}

void Program::allocateBuffers() {
  for (int copy = 0; copy < copies; ++copy) {
    llvm::DenseMap<Value, void *> places;
    std::vector<std::vector<void *>> perKernel;
    auto slotOf = [&](Value value) {
      void *&place = places[value];
      return place = place ? place : allocate(countOf(value.getType()));
    };
    module->walk([&](Operation *op) {
      if (!isa<kern::RowwiseOp, kern::SumPartialsOp>(op))
        return;
      std::vector<void *> list;
      for (Value value : op->getOperands())
        list.push_back(slotOf(value));
      for (Value value : op->getResults())
        list.push_back(slotOf(value));
      perKernel.push_back(list);
    });
    buffers.push_back(perKernel);
  }
}

void Program::run(int copy, int threads) {
  for (auto [kernel, list] : llvm::zip_equal(kernels, buffers[copy])) {
    auto function = reinterpret_cast<stretto_kernel_fn>(dlsym(library, kernel.name.c_str()));
    inParallel(threads, kernel.chunks, [&, &list = list, &kernel = kernel](int64_t begin, int64_t end) {
      auto *scratch = static_cast<char *>(std::aligned_alloc(64, kernel.scratchBytes + 64));
      function(list.data(), begin, end, scratch);
      std::free(scratch);
    });
  }
}

static void measure(Program &program, const Settings &settings) {
  kern::RowwiseOp op;
  program.module->walk([&](kern::RowwiseOp found) { op = found; });
  auto numbers = [](TypeRange types) {
    size_t count = 0;
    for (Type type : types)
      count += countOf(type);
    return count;
  };
  size_t read = numbers(op.getOperandTypes()), written = numbers(op.getResultTypes());
  bool twoReads = 3 * read >= 4 * written;
  written = (read + written) / (twoReads ? 3 : 2); // what the baseline writes
  std::vector<float *> from, other, to;
  for (int copy = 0; copy < copies; ++copy) {
    from.push_back(allocate(written));
    other.push_back(allocate(twoReads ? written : 16));
    to.push_back(allocate(written));
  }
  std::vector<double> ratios, kernelTimes, baseTimes;
  for (int round = 0; round < settings.rounds + 2; ++round) {
    int copy = round % copies;
    double start = now();
    program.run(copy, settings.threads);
    double middle = now();
    inParallel(settings.threads, static_cast<int64_t>(written), [&](int64_t begin, int64_t end) {
      if (twoReads)
        bench::addStreams(to[copy] + begin, from[copy] + begin, other[copy] + begin, end - begin);
      else
        bench::copy(to[copy] + begin, from[copy] + begin, end - begin);
    });
    double end = now();
    if (round < 2)
      continue;
    kernelTimes.push_back(middle - start);
    baseTimes.push_back(end - middle);
    ratios.push_back(kernelTimes.back() / baseTimes.back());
  }
  auto median = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  };
  double bestKernel = *llvm::min_element(kernelTimes), bestBase = *llvm::min_element(baseTimes);
  llvm::outs() << llvm::format("%s: median ratio %.2f to %s; least %.4f ms, %.4f ms: %.2f\n",
                               op.getKernel()->str().c_str(), median(ratios), twoReads ? "two streams" : "memcpy",
                               bestKernel, bestBase, bestKernel / bestBase);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: stretto_bench_kernels FILE.mlir [rounds] [rows] [chunk] [cpu] [threads]\n";
    return 2;
  }
  Settings settings;
  if (argc > 2)
    settings.rounds = std::atoi(argv[2]);
  if (argc > 3)
    settings.rows = std::atoi(argv[3]);
  if (argc > 4)
    settings.chunk = std::atoi(argv[4]);
  if (argc > 5)
    settings.cpu = argv[5];
  if (argc > 6)
    settings.threads = std::atoi(argv[6]);
  DialectRegistry registry;
  registerModelDialects(registry);
  MLIRContext context(registry);
  Program program;
  program.module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!program.module || !program.compile(settings))
    return 1;
  program.allocateBuffers();
  measure(program, settings);
  return 0;
}
