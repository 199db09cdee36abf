//===- Backend.h - a kind of device that programs are made for ------------------===//
#pragma once

#include "codegen/target/BackendOptions.h"
#include "passes/support/CostModel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace llvm {
class raw_ostream;
class Twine;
} // namespace llvm

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace stretto::codegen {

/// A library that programs for a backend need besides the runtime itself.
struct BackendLibrary {
  llvm::StringRef name;      // of the file
  bool linked;               // false: programs load it when they start
  llvm::StringRef builtWith; // what the runtime must be built with to have it; empty: it always has
};

/// What --target names. A backend says how kernels are scheduled and lowered for its device; what is computed, and the
/// program around the kernels, does not depend on it. All backends stand in codegen/pipelines/Backends.cpp.
class Backend {
public:
  using Report = llvm::function_ref<void(const llvm::Twine &)>;

  virtual ~Backend() = default;

  /// As --target names it.
  virtual llvm::StringRef name() const = 0;
  /// What it is, for the help: "a GPU of NVIDIA's".
  virtual llvm::StringRef description() const = 0;
  /// Which types of numbers --dtype may name.
  virtual llvm::ArrayRef<llvm::StringRef> types() const = 0;
  /// The names of those of `backendOptions` that it takes.
  virtual llvm::ArrayRef<llvm::StringRef> options() const { return {}; }
  /// What --emit can print of the device's machine code: "ptx", say.
  virtual llvm::ArrayRef<llvm::StringRef> deviceTexts() const { return {}; }
  /// Whether kernels are code of a processor of its own, with a phase `nvvm` and costs to be told.
  virtual bool hasDeviceCode() const { return false; }
  /// The largest logits, in bytes, that are held at once if the user does not say.
  virtual int64_t headBytes() const = 0;
  /// The least bytes of gradients that ranks exchange together if the user does not say.
  virtual int64_t bucketBytes() const = 0;
  /// What moving rows through memory and computing them again cost on the device: it decides what shares a kernel.
  virtual passes::CostModel costModel() const = 0;
  /// Whether matmuls add another value as they write, for less than a kernel that reads both.
  virtual bool fusesResiduals() const { return false; }
  /// Whether a launch costs so much that sums of partial sums share one, though partials have longer live ranges then.
  virtual bool fusesSums() const { return false; }

  /// Bytes that addresses of rows of logits should be multiples of, so that the loss and matmuls read and write them in
  /// vectors; 0: rows follow each other without gaps.
  virtual int64_t logitsAlignment() const { return 0; }

  /// Fills in what the user left open, from `made` (IR that is continued) where it says, or null. Reports what cannot
  /// be.
  virtual llvm::LogicalResult resolve(BackendSettings &settings, mlir::ModuleOp made, Report report) const;
  /// Writes on the module what later stages must know of the device.
  virtual void describe(mlir::ModuleOp module, const BackendSettings &settings) const;
  /// How many documents a batch of `batch` rows of `length` tokens has room for; 0: any number. `perRow`: how many a
  /// row holds at most; 0: not known.
  virtual int64_t documentRoom(const BackendSettings &settings, int64_t batch, int64_t length, int64_t perRow) const;

  /// Into the phase `fused`: kernels of rows move into the epilogues of matmuls, where it pays or wherever they can.
  /// `cpu`: the host, as LLVM names it.
  virtual void addEpilogues(mlir::OpPassManager &passes, const BackendSettings &settings, llvm::StringRef cpu,
                            bool wherePossible) const = 0;
  /// Into the phase `kernels`: a schedule for each kernel. `cpu`: the host, as LLVM names it; `overrides`: what the
  /// user asks of some schedules (codegen/rows/ScheduleOverrides.h).
  virtual void addSchedules(mlir::OpPassManager &passes, const BackendSettings &settings, llvm::StringRef cpu,
                            llvm::StringRef overrides) const = 0;
  /// Into the phase `nvvm`: kernels as code of the device; nothing where they are code of the host.
  virtual void addDeviceKernels(mlir::OpPassManager &passes, const BackendSettings &settings) const;
  /// Within the phase `kernels`: notes on each kernel what it takes of the device; nothing where no machine code tells.
  virtual void addResources(mlir::OpPassManager &passes, const BackendSettings &settings) const;
  /// Into the phase `llvm`: kernels as functions of the host, or images.
  virtual void addHostKernels(mlir::OpPassManager &passes, const BackendSettings &settings,
                              llvm::StringRef cpu) const = 0;

  /// Whether what makes machine code for the device is on this machine. Reports what is missing.
  virtual llvm::LogicalResult findTools(const BackendSettings &settings, Report report) const;
  /// Prints one of `deviceTexts` of a module in the phase `nvvm`; errors go to the module's context.
  virtual llvm::LogicalResult printDeviceCode(mlir::ModuleOp module, const BackendSettings &settings,
                                              llvm::StringRef text, llvm::raw_ostream &os) const;
  /// Prints what the kernels of a module in the phase `nvvm` take of the device, or why that is not known.
  virtual llvm::LogicalResult printKernelCosts(mlir::ModuleOp module, const BackendSettings &settings,
                                               llvm::raw_ostream &os) const;

  /// What programs need.
  virtual llvm::ArrayRef<BackendLibrary> libraries(const BackendSettings &settings) const;
  /// How the names of libraries begin that these load by name while a program runs, from where they lie themselves.
  virtual llvm::ArrayRef<llvm::StringRef> librariesByName(const BackendSettings &) const { return {}; }

  /// The target as programs and IR name it: kernels that are emulated are another one.
  std::string programTarget(const BackendSettings &settings) const {
    return name().str() + (settings.emulate ? "-emulated" : "");
  }
};

} // namespace stretto::codegen
