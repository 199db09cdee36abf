//===- CudaLibrary.cpp - compile CUDA kernels for the emulator, load them ------------------===//
#include "CudaLibrary.h"

#include "KernelBuffer.h"
#include "codegen/cuda/KernelFunction.h"
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/RowWalk.h"
#include "codegen/cuda/narrow/NarrowMixer.h"
#include "codegen/emulator/Passes.h"
#include "codegen/rows/Passes.h"
#include "runtime/abi/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

//===- Schedules ----------------------------------------------------------------===//

/// What the compiler chose with what is wanted instead; the tiles follow from threads and lanes where there may be
/// several.
static kern::ThreadScheduleAttr complete(kern::RowwiseOp op, CudaSchedule wanted) {
  auto chosen = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
  auto either = [](int64_t number, int64_t other) { return number ? number : other; };
  int64_t groups = wanted.threads ? std::max<int64_t>(1, 128 / wanted.threads) : chosen.getGroups();
  auto with = [&](int64_t tiles) {
    return kern::ThreadScheduleAttr::get(
        op.getContext(), either(wanted.rows, chosen.getRows()), either(wanted.lanes, chosen.getLanes()),
        either(wanted.chunk, chosen.getChunk()), either(wanted.threads, chosen.getThreads()),
        either(wanted.groups, groups), tiles, either(wanted.places, chosen.getPlaces()));
  };
  bool several = wanted.tiles ? wanted.tiles > 1 : chosen.getTiles() > 1;
  op.setScheduleAttr(with(several ? 2 : 1));
  return with(RowWalk(RowPlan(op)).tiles());
}

OwningOpRef<ModuleOp> stretto::test::scheduleForCuda(ModuleOp module, CudaSchedule schedule) {
  OwningOpRef<ModuleOp> scheduled = module.clone();
  scheduled->walk([](kern::RowwiseOp op) {
    if (!op.getKernel())
      op.setKernel(op->getParentOfType<func::FuncOp>().getName());
  });
  PassManager choose(module.getContext()), split(module.getContext());
  choose.addPass(createNameCudaKernels());
  choose.addPass(createChooseCudaSchedule());
  split.addPass(createSplitColumnSums());
  if (failed(choose.run(*scheduled)))
    return nullptr;
  scheduled->walk([&](kern::RowwiseOp op) { op.setScheduleAttr(complete(op, schedule)); });
  if (failed(split.run(*scheduled)))
    return nullptr;
  return scheduled;
}

//===- bf16 ---------------------------------------------------------------------===//

static RankedTensorType rounded(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getElementType().isF32() ? tensor.clone(BFloat16Type::get(type.getContext())) : tensor;
}

static void readRounded(BlockArgument argument, OpBuilder &b) {
  Type type = argument.getType();
  if (rounded(type) == type)
    return;
  argument.setType(rounded(type));
  auto extended = arith::ExtFOp::create(b, argument.getLoc(), type, argument);
  argument.replaceAllUsesExcept(extended, extended);
}

/// The row of a matmul, which keeps the type of sums.
static void readSums(BlockArgument argument, OpBuilder &b) {
  auto low = arith::TruncFOp::create(b, argument.getLoc(), rounded(argument.getType()), argument);
  Value extended = arith::ExtFOp::create(b, argument.getLoc(), argument.getType(), low.getResult());
  argument.replaceAllUsesExcept(extended, low);
}

static void roundKernel(kern::RowKernel op) {
  Block &body = op.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (BlockArgument argument : body.getArguments())
    if (op.getOperandOf(argument.getArgNumber()))
      readRounded(argument, b);
    else
      readSums(argument, b);
  Operation *yield = body.getTerminator();
  b.setInsertionPoint(yield);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (op.isColumnSum(i) || rounded(result.getType()) == result.getType())
      continue;
    OpOperand &yielded = yield->getOpOperand(i);
    yielded.set(arith::TruncFOp::create(b, op.getLoc(), rounded(yielded.get().getType()), yielded.get()));
    result.setType(rounded(result.getType()));
  }
}

void stretto::test::storeAsBf16(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    for (BlockArgument argument : function.getArguments())
      argument.setType(rounded(argument.getType()));
    auto types = llvm::to_vector(function.getBody().getArgumentTypes());
    function.setType(FunctionType::get(module.getContext(), types, function.getResultTypes()));
    function.walk(roundKernel);
  }
}

//===- Code ---------------------------------------------------------------------===//

SmallVector<Operation *> stretto::test::kernelsOf(ModuleOp module) {
  SmallVector<Operation *> kernels;
  module.walk([&](Operation *op) {
    if (isa<kern::RowwiseOp, kern::MatmulOp, kern::SumPartialsOp, kern::WalkOp, seq::EmbedOp, seq::EmbedGradOp>(op) ||
        isNarrowMixer(op))
      kernels.push_back(op);
  });
  return kernels;
}

CudaLibrary::CudaLibrary(ModuleOp scheduled, llvm::function_ref<void(gpu::GPUModuleOp)> edit) {
  OwningOpRef<ModuleOp> code = scheduled.clone();
  PassManager lower(code->getContext()), emulate(code->getContext());
  lower.addPass(createLowerCudaKernels());
  lower.addPass(createCheckAsyncProxies());
  emulate.addPass(createEmulateCudaKernels());
  if (failed(lower.run(*code)))
    return;
  for (Operation &op : llvm::make_early_inc_range(code->getOps()))
    if (!isa<gpu::GPUModuleOp>(op))
      op.erase();
  if (edit)
    edit(*code->getOps<gpu::GPUModuleOp>().begin());
  if (succeeded(emulate.run(*code)))
    compile(*code);
}

bool CudaLibrary::compile(ModuleOp code) {
  for (auto function : code.getOps<LLVM::LLVMFuncOp>())
    if (auto chunks = function->getAttrOfType<IntegerAttr>("kern.chunks"))
      blocks[function.getName().str()] = chunks.getInt();
  auto target = Target::resolve("native", [](const llvm::Twine &message) { llvm::errs() << message << "\n"; });
  llvm::SmallString<64> path;
  llvm::sys::fs::createUniqueDirectory("stretto-cuda-kernels", path);
  folder = path.str().str();
  std::string library = folder + "/kernels.so", object = folder + "/kernels.o";
  auto linker = llvm::sys::findProgramByName("cc");
  if (failed(target) || failed(emitObject(code, *target, object)) || !linker ||
      llvm::sys::ExecuteAndWait(*linker, {"cc", "-shared", "-o", library, object, "-lm"}) != 0)
    return false;
  handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  return handle;
}

CudaLibrary::~CudaLibrary() {
  if (handle)
    dlclose(handle);
  llvm::sys::fs::remove_directories(folder);
}

std::vector<Numbers> CudaLibrary::launch(Operation *op, const std::vector<Numbers> &inputs, std::optional<InPlace> over,
                                         int64_t most) const {
  std::vector<std::unique_ptr<KernelBuffer>> buffers;
  std::vector<void *> pointers;
  auto add = [&](Type type) {
    buffers.push_back(std::make_unique<KernelBuffer>(type));
    pointers.push_back(buffers.back()->data());
  };
  for (auto [type, numbers] : llvm::zip_equal(op->getOperandTypes(), inputs)) {
    add(type);
    buffers.back()->set(numbers);
  }
  for (Type type : op->getResultTypes())
    add(type);
  if (over) {
    // What is read as the result holds the operand.
    std::swap(buffers[over->operand], buffers[inputs.size() + over->result]);
    pointers[inputs.size() + over->result] = pointers[over->operand];
  }
  std::string name = kern::kernelNameOf(op).str();
  auto function = reinterpret_cast<stretto_kernel_fn>(dlsym(handle, name.c_str()));
  function(pointers.data(), 0, std::min(most, blocks.at(name)), nullptr);
  std::vector<Numbers> results;
  for (size_t i = inputs.size(); i < buffers.size(); ++i)
    results.push_back(buffers[i]->get());
  return results;
}
