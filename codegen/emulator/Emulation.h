//===- Emulation.h - what the rewriting of CUDA kernels has to know -------------===//
#pragma once

#include "codegen/host/AbiStruct.h"
#include "runtime/abi/emulator.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace stretto::codegen {

/// What the runtime is told about a kernel, or has to hold for all of them because a function that they call needs it.
struct KernelFacts {
  bool waits = false;                          // threads may wait for each other
  bool partial = false;                        // and not only those of whole blocks or warps
  int64_t granule = 16;                        // bytes; divides the size and the alignment of every checked access
  bool writesAny = false;                      // to a buffer that is not known
  llvm::BitVector written;                     // the buffers that are written
  int64_t dynamicShared = 0, staticShared = 0; // bytes of shared memory
  int64_t sharedAlignment = 1;                 // that its variables ask for
  llvm::MapVector<mlir::Operation *, int64_t> staticOffsets; // of the static shared variables it names

  /// Shared memory of a block: the dynamic one, which is aligned to whatever it asks for; the static one from here on.
  int64_t staticStart() const { return llvm::alignTo(dynamicShared, 1024); }
  int64_t sharedBytes() const { return staticShared ? staticStart() + staticShared : dynamicShared; }
};

/// Where a shared variable lies in the block's memory.
struct SharedPlace {
  int64_t offset, bytes;
};

/// Name of the global that holds the texts.
inline constexpr llvm::StringLiteral emulatorTexts = "stretto.emulator.texts";

/// Rewrites the functions of a gpu.module, one after the other, into functions of the module around it that call the
/// emulator's runtime. The first argument of each is then the thread (stretto_emulated_thread).
class Emulation {
public:
  Emulation(mlir::ModuleOp module, mlir::Operation *gpuModule);

  /// For one function: its body is rewritten in place, types included. Further arguments stay as they are.
  mlir::LogicalResult rewrite(mlir::LLVM::LLVMFuncOp function, KernelFacts &facts);
  /// Writes the globals that describe accesses and waits, and their texts; call it last.
  void finish();

  // For the rewriting of one operation, with the builder in front of it:
  mlir::ImplicitLocOpBuilder at(mlir::Operation *op) { return mlir::ImplicitLocOpBuilder(op->getLoc(), op); }
  /// The thread.
  mlir::Value self() { return current.getArgument(0); }
  /// A number that the runtime keeps with the thread.
  mlir::Value field(mlir::ImplicitLocOpBuilder &b, mlir::Type type, size_t offset);
  /// Memory of the thread for what a call of the runtime takes or gives besides numbers. All calls use the same.
  mlir::Value scratch(int64_t bytes = 64);
  /// Calls a function of the runtime; its parameters have the types of `arguments`, pointers in any space.
  mlir::LLVM::CallOp call(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function, mlir::Type result,
                          mlir::ValueRange arguments);
  /// A function of another library, declared where it is not.
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, mlir::Type result, mlir::TypeRange arguments);
  /// Address of the constant that describes a wait (stretto_emulated_wait).
  mlir::Value describeWait(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, int32_t kind);
  /// The same for an operation of parts of a block that are not warps.
  mlir::Value describePartialWait(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, int32_t kind);
  /// Address of the constant that describes an access (stretto_emulated_access). `object`, `objectBytes` as there.
  mlir::Value describeAccess(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, int32_t bytes, int32_t alignment,
                             int32_t object, int32_t objectBytes);
  /// Where a shared variable lies that an operation names. Shared memory is as aligned as that variable asks for.
  mlir::FailureOr<SharedPlace> sharedPlace(mlir::Operation *user, mlir::LLVM::GlobalOp variable);
  /// A symbol of the gpu.module.
  mlir::Operation *lookup(llvm::StringRef name) { return mlir::SymbolTable::lookupSymbolIn(gpuModule, name); }

  /// Number of the buffer whose address an argument of the kernel is; -1 for other values.
  int64_t bufferOf(mlir::Value value);
  bool isKernel();
  /// Number of the buffer that holds the tensor whose map an argument of the kernel is; -1 for other values.
  int64_t mappedBufferOf(mlir::Value value);
  /// Offset of a text in the global of that name.
  int32_t text(llvm::StringRef text);
  KernelFacts &facts() { return *currentFacts; }
  mlir::ModuleOp module;

  /// Does the rewriting that would hide where pointers come from, when all accesses are rewritten.
  void later(std::function<void()> action) { deferred.push_back(std::move(action)); }

private:
  mlir::FailureOr<SharedPlace> staticPlace(mlir::LLVM::GlobalOp variable);
  /// Records in a global, as the numbers they consist of.
  struct Table {
    llvm::StringLiteral name;
    std::vector<int32_t> numbers = {};
  };
  mlir::Value addRecord(mlir::ImplicitLocOpBuilder &b, Table &table, const AbiFields &record);
  void defineTable(const Table &table);
  void replaceTypes();

  mlir::Operation *gpuModule;
  mlir::LLVM::LLVMPointerType pointer;
  Table accesses{"stretto.emulator.accesses"}, waits{"stretto.emulator.waits"};
  std::string texts;
  llvm::StringMap<int32_t> textOffsets;
  mlir::LLVM::LLVMFuncOp current;
  KernelFacts *currentFacts = nullptr;
  mlir::LLVM::AllocaOp currentScratch; // null until it is needed
  std::vector<std::function<void()>> deferred;
};

/// Address of the constant that describes an access of an operation through `pointer`; reports what cannot be.
mlir::FailureOr<mlir::Value> describeAccess(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, mlir::Value pointer,
                                            int64_t bytes, int64_t alignment, bool writes, Emulation &emulation);

/// Rewrites an operation, or reports why it cannot be.
mlir::LogicalResult rewriteKnownOp(mlir::Operation *op, Emulation &emulation);

// The families of operations; each rewrites or reports.
mlir::LogicalResult rewriteLoad(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteStore(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteAddressOf(mlir::Operation *op, Emulation &emulation);
/// The address of shared memory as a number.
mlir::LogicalResult rewritePointerToNumber(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteSpaceCast(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteAsyncCopy(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteCommitCopies(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteAwaitCopies(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteBarrier(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteArriveAtBarrier(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteArriveAtCluster(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteAwaitCluster(mlir::Operation *op, Emulation &emulation);
/// The address of the same place in another block of the cluster.
mlir::LogicalResult rewriteMapShared(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteSetMaxRegister(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteElect(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteInitMbarrier(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteInvalidateMbarrier(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteArriveAtMbarrier(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteExpectBytes(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteArriveExpectBytes(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteCompleteBytes(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteAwaitMbarrier(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteTestMbarrier(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteSyncWarp(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteShuffle(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteVote(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteRedux(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteLoadMatrices(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteStoreMatrices(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteMultiply(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteRoundToTF32(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteAsyncMatmul(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteCommitMatmuls(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteAwaitMatmuls(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteFenceMatmuls(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteBoxCopy(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteBoxStore(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteCommitStores(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteAwaitStores(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteFenceMbarriers(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteFenceProxy(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteCall(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteCallIntrinsic(mlir::Operation *op, Emulation &emulation);
mlir::LogicalResult rewriteReciprocal(mlir::Operation *op, Emulation &emulation);
/// Operations on bf16 that do more than move it, and constants of it.
mlir::LogicalResult rewriteBF16(mlir::Operation *op, Emulation &emulation);
/// Whether an operand or a result is bf16, or a vector of it.
bool usesBF16(mlir::Operation *op);

} // namespace stretto::codegen
