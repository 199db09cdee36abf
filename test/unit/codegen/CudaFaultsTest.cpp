//===- CudaFaultsTest.cpp - generated kernels that are broken on purpose --------------------===//
//
// A small rewrite breaks a kernel between lowering and emulation. Each broken kernel must be caught, by a report of the
// emulator or by wrong numbers, and the tables below say by which.
#include "Bodies.h"
#include "CudaLibrary.h"

#include "codegen/cuda/KernelFunction.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
/// Breaks the `number`th place of a kernel that can be broken this way; false where there is none.
using Fault = std::function<bool(LLVM::LLVMFuncOp, int64_t number)>;

//===- Faults -------------------------------------------------------------------===//

template <typename Op> Op find(LLVM::LLVMFuncOp kernel, int64_t number, llvm::function_ref<bool(Op)> fits) {
  Op found = nullptr;
  kernel.walk([&](Op op) {
    if (fits(op) && number-- == 0)
      found = op;
  });
  return found;
}

Value constant(Operation *before, Type type, int64_t value) {
  OpBuilder b(before);
  return LLVM::ConstantOp::create(b, before->getLoc(), type, b.getIntegerAttr(type, value));
}

template <typename Op> bool isIn(Op access, unsigned space) {
  return cast<LLVM::LLVMPointerType>(access.getAddr().getType()).getAddressSpace() == space;
}
constexpr unsigned globalSpace = 1, sharedSpace = 3;

bool removeBarrier(LLVM::LLVMFuncOp kernel, int64_t number) {
  auto barrier = find<Operation *>(kernel, number, [](Operation *op) {
    return op->getName().getStringRef().starts_with("nvvm.barrier");
  });
  if (barrier)
    barrier->erase();
  return barrier;
}

bool halveMask(LLVM::LLVMFuncOp kernel, int64_t number) {
  auto shuffle = find<NVVM::ShflOp>(kernel, number, [](NVVM::ShflOp) { return true; });
  if (shuffle)
    shuffle->setOperand(0, constant(shuffle, shuffle.getThreadMask().getType(), 0xffff));
  return bool(shuffle);
}

bool shuffleNowhere(LLVM::LLVMFuncOp kernel, int64_t number) {
  auto shuffle = find<NVVM::ShflOp>(kernel, number, [](NVVM::ShflOp) { return true; });
  if (shuffle)
    shuffle->setOperand(2, constant(shuffle, shuffle.getOffset().getType(), 0));
  return bool(shuffle);
}

/// The branch that decides whether the block of a store runs, where that is all it decides.
LLVM::CondBrOp guardOf(LLVM::StoreOp store) {
  Block *block = store->getBlock(), *before = block->getSinglePredecessor();
  auto branch = before ? dyn_cast<LLVM::CondBrOp>(before->getTerminator()) : LLVM::CondBrOp();
  if (!branch || block->getNumSuccessors() != 1)
    return {};
  Block *behind = branch.getTrueDest() == block ? branch.getFalseDest() : branch.getTrueDest();
  return block->getSuccessor(0) == behind ? branch : LLVM::CondBrOp();
}

bool force(LLVM::LLVMFuncOp kernel, int64_t number, bool runs) {
  auto store = find<LLVM::StoreOp>(kernel, number, [](LLVM::StoreOp op) { return isIn(op, globalSpace) && guardOf(op); });
  if (!store)
    return false;
  LLVM::CondBrOp guard = guardOf(store);
  bool onTrue = guard.getTrueDest() == store->getBlock();
  guard.getConditionMutable().assign(constant(guard, guard.getCondition().getType(), runs == onTrue));
  return true;
}
bool neverStore(LLVM::LLVMFuncOp kernel, int64_t number) { return force(kernel, number, false); }
bool alwaysStore(LLVM::LLVMFuncOp kernel, int64_t number) { return force(kernel, number, true); }

/// One element further on.
template <typename Op> bool shiftAddress(LLVM::LLVMFuncOp kernel, int64_t number, unsigned space, Type element) {
  auto access = find<Op>(kernel, number, [&](Op op) { return isIn(op, space); });
  if (!access)
    return false;
  OpBuilder b(access);
  Value next = LLVM::GEPOp::create(b, access.getLoc(), access.getAddr().getType(), element, access.getAddr(),
                                   ArrayRef<LLVM::GEPArg>{1});
  access.getAddrMutable().assign(next);
  access.setAlignment(element.getIntOrFloatBitWidth() / 8);
  return true;
}
bool shiftSharedStore(LLVM::LLVMFuncOp kernel, int64_t number) {
  return shiftAddress<LLVM::StoreOp>(kernel, number, sharedSpace, Float32Type::get(kernel.getContext()));
}
bool shiftSharedLoad(LLVM::LLVMFuncOp kernel, int64_t number) {
  return shiftAddress<LLVM::LoadOp>(kernel, number, sharedSpace, Float32Type::get(kernel.getContext()));
}
bool shiftGlobalLoad(LLVM::LLVMFuncOp kernel, int64_t number) {
  return shiftAddress<LLVM::LoadOp>(kernel, number, globalSpace, Float32Type::get(kernel.getContext()));
}

/// In additions, the constant `from` becomes `to`.
Fault change(int64_t from, int64_t to) {
  return [=](LLVM::LLVMFuncOp kernel, int64_t number) {
    auto isIt = [&](LLVM::AddOp add) {
      auto value = add.getRhs().getDefiningOp<LLVM::ConstantOp>();
      auto known = value ? dyn_cast<IntegerAttr>(value.getValue()) : IntegerAttr();
      return known && known.getInt() == from;
    };
    auto add = find<LLVM::AddOp>(kernel, number, isIt);
    if (add)
      add->setOperand(1, constant(add, add.getType(), to));
    return bool(add);
  };
}

//===- Kernels --------------------------------------------------------------------===//

/// A scheduled module, one of whose kernels is broken.
struct Patient {
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module;
  Operation *kernel = nullptr;

  Patient(StringRef text, StringRef name, CudaSchedule schedule) {
    module = scheduleForCuda(*parse(*context, text), schedule);
    for (Operation *op : kernelsOf(*module))
      if (kernelNameOf(op).getValue() == name)
        kernel = op;
  }
};

std::string bodyText(StringRef name) {
  for (unsigned i = 0; i < bodyCount; ++i)
    if (name == bodies[i].name)
      return fill(bodies[i], {});
  return "";
}

/// Two warps of each team have the 40 columns of a row; steps of two rows do not fit chunks of five, and these not the 19 rows
/// of a sequence.
constexpr CudaSchedule awkward = {.rows = 2, .lanes = 1, .chunk = 5, .threads = 64, .teams = 3, .strips = 1};

const char *const embedGradient = R"(
func.func @embeddings(%t: tensor<2x19xi32>, %d: tensor<2x19x40xf32>) {
  %g = seq.embed_grad %t, %d : tensor<2x19xi32>, tensor<2x19x40xf32> -> tensor<11x40xf32>
  return
})";

//===- Verdicts -----------------------------------------------------------------===//

/// What caught a kernel, from what its process printed.
std::string classify(StringRef text) {
  static const std::pair<StringRef, StringRef> signs[] = {
      {"race: ", "race"},
      {"which the block has not written", "unwritten"},
      {"every thread waits", "deadlock"},
      {"divergent barrier", "deadlock"},
      {"its mask must hold", "mask"},
      {"lane of its mask", "mask"},
      {"lanes of one mask", "mask"},
      {" behind buffer ", "bounds"},
      {" before buffer ", "bounds"},
      {"shared variable of", "bounds"},
      {"gives other bits", "orders differ"},
      {"differs by", "numbers"},
  };
  for (auto [sign, verdict] : signs)
    if (text.contains(sign))
      return verdict.str();
  return text.empty() ? "nothing" : "unknown: " + text.str();
}

/// Runs the kernel in a process of its own and returns what that printed.
std::string runApart(const CudaLibrary &library, Operation *kernel) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    std::string problems = checkKernel(kernel, library, 6);
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
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 70))
    text = "the process ended with " + std::to_string(status) + "\n" + text;
  return text;
}

/// What catches the kernel with its `number`th place broken; empty where there is no such place.
std::string verdictOf(const Patient &patient, const Fault &fault, int64_t number) {
  bool isBroken = false;
  std::string symbol = kernelSymbol(kernelNameOf(patient.kernel).getValue());
  CudaLibrary library(*patient.module, [&](gpu::GPUModuleOp kernels) {
    isBroken = fault(kernels.lookupSymbol<LLVM::LLVMFuncOp>(symbol), number);
  });
  EXPECT_TRUE(library.isLoaded());
  return isBroken ? classify(runApart(library, patient.kernel)) : "";
}

struct Row {
  const char *fault;
  Fault apply;
  std::vector<std::string> verdicts; // any of them, at each place that can be broken this way
};

/// Breaks one place after the other; prints how often what was caught.
void expectCaught(const Patient &patient, ArrayRef<Row> rows) {
  ASSERT_TRUE(patient.kernel);
  for (const Row &row : rows) {
    std::map<std::string, int> found;
    for (int64_t number = 0;; ++number) {
      std::string verdict = verdictOf(patient, row.apply, number);
      if (verdict.empty())
        break;
      ++found[verdict];
      EXPECT_TRUE(llvm::is_contained(row.verdicts, verdict)) << row.fault << ", place " << number << ": " << verdict;
    }
    EXPECT_FALSE(found.empty()) << row.fault << ": the kernel has no such place";
    for (auto &[verdict, count] : found)
      llvm::outs() << "  " << row.fault << ": " << verdict << " " << count << " times\n";
  }
}

//===- The tables ---------------------------------------------------------------===//

TEST(CudaFaults, NormAndCanon) {
  expectCaught(Patient(bodyText("norm_canon"), "norm_canon", awkward), {
      {"barrier removed", removeBarrier, {"race", "unwritten"}},
      {"shuffle with half the mask", halveMask, {"mask"}},
      {"shuffle to the same lane", shuffleNowhere, {"numbers"}},
      {"store skipped", neverStore, {"numbers"}},
      {"store of threads and rows without work", alwaysStore, {"race"}},
      {"shared memory written one further on", shiftSharedStore, {"race", "unwritten", "bounds"}},
      {"shared memory read one further on", shiftSharedLoad, {"numbers", "unwritten", "bounds"}},
      {"column one off", shiftGlobalLoad, {"numbers", "bounds"}},
      {"tap one row off", change(-3, -2), {"numbers"}},
      {"chunk one row longer", change(5, 6), {"race"}},
  });
}

TEST(CudaFaults, NormAndCanonBackward) {
  expectCaught(Patient(bodyText("norm_canon_backward"), "norm_canon_backward", awkward), {
      {"barrier removed", removeBarrier, {"race", "unwritten"}},
      {"shuffle with half the mask", halveMask, {"mask"}},
      {"shuffle to the same lane", shuffleNowhere, {"numbers"}},
      {"store skipped", neverStore, {"numbers"}},
      {"store of threads and rows without work", alwaysStore, {"race"}},
      {"shared memory written one further on", shiftSharedStore, {"race", "unwritten", "bounds"}},
      {"column one off", shiftGlobalLoad, {"numbers", "bounds"}},
      {"tap one row off", change(2, 1), {"numbers"}},
      {"chunk one row longer", change(5, 6), {"race"}},
  });
}

TEST(CudaFaults, Loss) {
  expectCaught(Patient(bodyText("cross_entropy"), "cross_entropy", awkward), {
      {"barrier removed", removeBarrier, {"race", "unwritten"}},
      {"store skipped", neverStore, {"numbers"}},
      {"store of threads and rows without work", alwaysStore, {"race"}},
  });
}

TEST(CudaFaults, HeadNorm) {
  expectCaught(Patient(bodyText("head_norm_rotary"), "head_norm_rotary", awkward), {
      {"barrier removed", removeBarrier, {"race", "unwritten"}},
      {"store skipped", neverStore, {"numbers"}},
      {"store of threads and rows without work", alwaysStore, {"race"}},
  });
}

TEST(CudaFaults, SumPartials) {
  expectCaught(Patient(bodyText("norm_canon_backward"), "norm_canon_backward.sum1", awkward), {
      {"barrier removed", removeBarrier, {"race", "unwritten"}},
      {"store skipped", neverStore, {"numbers"}},
      {"store of threads and rows without work", alwaysStore, {"race"}},
      {"column one off", shiftGlobalLoad, {"numbers", "bounds"}},
  });
}

TEST(CudaFaults, EmbeddingGradient) {
  expectCaught(Patient(embedGradient, "embeddings.embed0", {}), {
      {"barrier removed", removeBarrier, {"race", "unwritten"}},
      {"store skipped", neverStore, {"numbers"}},
      {"store without need", alwaysStore, {"numbers"}},
  });
}
} // namespace
