//===- KernelLibrary.h - compile fused kernels, load them, run them -----------===//
#pragma once

#include "RowInterpreter.h"

#include "codegen/cpu/Passes.h"
#include "codegen/rows/Passes.h"
#include "codegen/target/EmitObject.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::test {

/// How to schedule and compile; 0 leaves the choice to the compiler.
struct KernelOptions {
  std::string cpu = "native";
  int64_t rows = 0, chunk = 0;
  int64_t keptBytes = 0;      // from which on kernels walk strips of columns
  std::string schedules = ""; // overrides of fields (codegen/rows/ScheduleOverrides.h)
  bool storeAll = false;      // carry and keep in scratch memory whatever may be
  std::optional<codegen::ChooseEpiloguesOptions> epilogues = {}; // which kernels lie in matmuls; null: none
};

/// A launch whose result `result` is stored in the memory of operand `operand`.
struct InPlace {
  unsigned operand, result;
};
/// All that the compiler allows of a kernel, with its schedule where it has one.
llvm::SmallVector<InPlace> waysInPlace(kern::RowKernel op);

/// The kernels of a module whose functions hold one kern.rowwise each; a kernel has the name of its function. A matmul
/// may stand in front of it that is fused with it.
class KernelLibrary {
public:
  KernelLibrary(mlir::ModuleOp module, KernelOptions options);
  ~KernelLibrary();

  bool isLoaded() const { return handle; }
  const std::string &objectPath() const { return object; }
  mlir::ArrayRef<codegen::KernelInfo> kernels() const { return infos; }
  /// The kernel of rows of function `name`, with its schedule.
  kern::RowKernel kernelOf(llvm::StringRef name) const;
  /// Whether the kernel of function `name` walks strips of columns.
  bool walksStrips(llvm::StringRef name) const;
  /// Whether the kernel of function `name` lies in the epilogue of a matmul.
  bool isEpilogue(llvm::StringRef name) const;
  /// Results of the kernel of function `name`, of column sums the whole sums, for the arguments `inputs` of the
  /// function; chunks run in descending order, one call for each.
  std::vector<Numbers> run(llvm::StringRef name, const std::vector<Numbers> &inputs, std::optional<InPlace> over = {});
  /// One whole launch of a kernel, its chunks in descending order.
  void launch(llvm::StringRef kernel, std::vector<void *> buffers);

private:
  std::string folder, object;
  mlir::OwningOpRef<mlir::ModuleOp> planned;
  llvm::SmallVector<codegen::KernelInfo> infos;
  void *handle = nullptr;
};

/// A context with every dialect of a kernel, and a module parsed in it.
std::unique_ptr<mlir::MLIRContext> makeContext();
mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context, llvm::StringRef text);
kern::RowwiseOp rowwiseOf(mlir::ModuleOp module, llvm::StringRef function);
/// Numbers of the type of a tensor, seeded: reals in [-2, 2) rounded to the type, whole numbers in [0, 8).
Numbers randomNumbers(mlir::Type type, uint64_t seed);
std::vector<Numbers> randomInputs(kern::RowwiseOp op, uint64_t seed);
/// The largest difference, relative to 1 or the largest reference number.
double distance(const Numbers &got, const Numbers &want);

} // namespace stretto::test
