//===- KernelLibrary.cpp - compile fused kernels, load them, run them ---------===//
#include "KernelLibrary.h"

#include "KernelBuffer.h"

#include "codegen/rows/Overwrite.h"
#include "ir/Register.h"
#include "runtime/abi/abi.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <cmath>
#include <dlfcn.h>
#include <random>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

std::unique_ptr<MLIRContext> stretto::test::makeContext() {
  DialectRegistry registry;
  registerModelDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

OwningOpRef<ModuleOp> stretto::test::parse(MLIRContext &context, StringRef text) {
  return parseSourceString<ModuleOp>(text, &context);
}

kern::RowwiseOp stretto::test::rowwiseOf(ModuleOp module, StringRef function) {
  auto ops = module.lookupSymbol<func::FuncOp>(function).getOps<kern::RowwiseOp>();
  return *ops.begin();
}

static double roundTo(Type element, double value) {
  APFloat rounded(value);
  bool isInexact;
  rounded.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &isInexact);
  return rounded.convertToDouble();
}

Numbers stretto::test::randomNumbers(Type type, uint64_t seed) {
  std::mt19937_64 engine(seed);
  Numbers numbers(cast<RankedTensorType>(type).getNumElements());
  Type element = getElementTypeOrSelf(type);
  for (double &number : numbers)
    number = element.isInteger() ? static_cast<double>(engine() % 8)
                                 : roundTo(element, std::ldexp(static_cast<double>(engine() >> 11), -51) - 2);
  return numbers;
}

std::vector<Numbers> stretto::test::randomInputs(kern::RowwiseOp op, uint64_t seed) {
  std::vector<Numbers> inputs;
  for (Type type : op.getOperandTypes())
    inputs.push_back(randomNumbers(type, seed++));
  return inputs;
}

double stretto::test::distance(const Numbers &got, const Numbers &want) {
  if (got.size() != want.size())
    return INFINITY;
  double scale = 1, worst = 0;
  for (double number : want)
    scale = std::max(scale, std::abs(number));
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i]))
      continue;
    double difference = std::abs(got[i] - want[i]) / scale;
    worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
  }
  return worst;
}

SmallVector<InPlace> stretto::test::waysInPlace(kern::RowKernel op) {
  SmallVector<InPlace> ways;
  for (BlockArgument argument : op.getBody().getArguments())
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      if (mayOverwrite(op, argument.getArgNumber(), result))
        ways.push_back({op.getOperandOf(argument.getArgNumber())->getOperandNumber(), result});
  return ways;
}

KernelLibrary::KernelLibrary(ModuleOp module, KernelOptions options) : planned(module.clone()) {
  for (auto function : planned->getOps<func::FuncOp>())
    for (auto op : function.getOps<kern::RowwiseOp>())
      op.setKernel(function.getName());
  if (options.storeAll)
    planned->walk([](kern::RowwiseOp op) {
      auto unit = UnitAttr::get(op.getContext());
      for (Operation &inner : op.getBody().front())
        for (StringRef mark : {"kern.rolling", "kern.cached"})
          inner.setAttr(mark, unit);
    });
  PassManager passes(module.getContext());
  if (options.epilogues) {
    passes.addPass(createChooseEpilogues(*options.epilogues));
    passes.addPass(createFuseEpilogues());
  }
  ChooseScheduleOptions schedule;
  schedule.cpu = options.cpu;
  schedule.rows = options.rows;
  schedule.chunk = options.chunk;
  schedule.overrides = options.schedules;
  if (options.keptBytes)
    schedule.keptBytes = options.keptBytes;
  passes.addPass(createChooseSchedule(schedule));
  passes.addPass(createPackWeights());
  passes.addPass(createSplitColumnSums());
  auto target = Target::resolve(options.cpu, [](const llvm::Twine &message) { llvm::errs() << message << "\n"; });
  if (failed(passes.run(*planned)) || failed(target) || failed(lowerKernels(*planned, *target, infos)))
    return;
  OwningOpRef<ModuleOp> code = planned->clone();
  for (auto function : llvm::make_early_inc_range(code->getOps<func::FuncOp>()))
    function.erase();
  llvm::SmallString<64> path;
  llvm::sys::fs::createUniqueDirectory("stretto-kernels", path);
  folder = path.str().str();
  object = folder + "/kernels.o";
  if (failed(emitObject(*code, *target, object)))
    return;
  std::string library = folder + "/kernels.so";
  auto linker = llvm::sys::findProgramByName("cc");
  if (!linker || llvm::sys::ExecuteAndWait(*linker, {"cc", "-shared", "-o", library, object, "-lm"}) != 0)
    return;
  handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
}

KernelLibrary::~KernelLibrary() {
  if (handle)
    dlclose(handle);
  llvm::sys::fs::remove_directories(folder);
}

void KernelLibrary::launch(StringRef kernel, std::vector<void *> buffers) {
  auto info = llvm::find_if(infos, [&](KernelInfo &i) { return i.name == kernel; });
  auto function = reinterpret_cast<stretto_kernel_fn>(dlsym(handle, info->name.c_str()));
  std::vector<char> scratch(info->scratchBytes + 128, 0x5a);
  char *aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
  for (int64_t chunk = info->chunks; chunk-- > 0;)
    function(buffers.data(), chunk, chunk + 1, aligned);
  for (char *byte = aligned + info->scratchBytes; byte < scratch.data() + scratch.size(); ++byte)
    if (*byte != 0x5a)
      llvm::report_fatal_error("a kernel wrote behind its scratch memory");
}

kern::RowKernel KernelLibrary::kernelOf(StringRef name) const {
  return *ModuleOp(*planned).lookupSymbol<func::FuncOp>(name).getOps<kern::RowKernel>().begin();
}

bool KernelLibrary::walksStrips(StringRef name) const {
  auto schedule = dyn_cast<kern::VectorScheduleAttr>(*kernelOf(name).getSchedule());
  return schedule && schedule.getStrip();
}

bool KernelLibrary::isEpilogue(StringRef name) const { return isa<kern::MatmulOp>(kernelOf(name)); }

std::vector<Numbers> KernelLibrary::run(StringRef name, const std::vector<Numbers> &inputs,
                                        std::optional<InPlace> over) {
  auto function = planned->lookupSymbol<func::FuncOp>(name);
  kern::RowKernel rows = kernelOf(name);
  llvm::DenseMap<Value, std::shared_ptr<KernelBuffer>> buffers;
  for (auto [argument, numbers] : llvm::zip_equal(function.getArguments(), inputs)) {
    buffers[argument] = std::make_shared<KernelBuffer>(argument.getType());
    buffers[argument]->set(numbers);
  }
  for (auto kernel : function.getOps<kern::KernelOp>()) {
    for (Value result : kernel->getResults())
      buffers[result] = std::make_shared<KernelBuffer>(result.getType());
    if (over && kernel == rows)
      buffers[kernel->getResult(over->result)] = buffers[kernel->getOperand(over->operand)];
    std::vector<void *> pointers;
    for (Value value :
         llvm::concat<Value>(llvm::to_vector(kernel->getOperands()), llvm::to_vector(kernel->getResults())))
      pointers.push_back(buffers[value]->data());
    launch(kernel.getKernelAttr(), pointers);
  }
  std::vector<Numbers> results;
  for (auto [i, result] : llvm::enumerate(rows->getResults())) {
    bool isSum = rows.isColumnSum(i);
    results.push_back(buffers[isSum ? result.user_begin()->getResult(0) : Value(result)]->get());
  }
  return results;
}
