//===- VectorBuilder.h - small pieces of vector code ---------------------------===//
#pragma once

#include "codegen/target/Target.h"
#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto::codegen {

/// Builds scalars and vectors of any lane count; one lane means a scalar type.
class VectorBuilder : public mlir::ImplicitLocOpBuilder {
public:
  VectorBuilder(mlir::Location loc, mlir::MLIRContext *context, bool fusedMultiplyAdd, bool vectorMasks = false)
      : ImplicitLocOpBuilder(loc, context), fused(fusedMultiplyAdd), masks(vectorMasks) {}

  /// Whether a vector under a mask costs what a whole one does.
  bool hasVectorMasks() const { return masks; }

  mlir::Value index(int64_t value);
  mlir::Value real(mlir::Type type, double value); // splat for a vector type
  mlir::Value add(mlir::Value a, mlir::Value b);   // of indices
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value splat(mlir::Value scalar, int64_t lanes);

  /// a * b + c, rounded once where the machine can.
  mlir::Value mulAdd(mlir::Value a, mlir::Value b, mlir::Value c);
  /// Value that `kind` leaves any number as it is, and `kind` applied to two.
  mlir::Value identity(seq::ReduceKind kind, mlir::Type type);
  mlir::Value combine(seq::ReduceKind kind, mlir::Value a, mlir::Value b);
  /// Reduces the lanes of a vector: halves are combined until one lane is left.
  mlir::Value horizontal(seq::ReduceKind kind, mlir::Value vector);

  /// Address of element `offset` of `type` behind `pointer`.
  mlir::Value address(mlir::Value pointer, mlir::Type type, mlir::Value offset);
  mlir::Value address(mlir::Value pointer, mlir::Type type, int64_t offset);
  /// Memory access to `lanes` numbers of `element`; `mask` (a vector of i1, or null) names the lanes that exist.
  mlir::Value load(mlir::Type element, int64_t lanes, mlir::Value pointer, mlir::Value mask = {});
  void store(mlir::Value value, mlir::Value pointer, mlir::Value mask = {});
  /// Mask of `lanes` lanes whose first `count` are set.
  mlir::Value firstLanes(int64_t lanes, int64_t count);
  mlir::Value firstLanes(int64_t lanes, mlir::Value count);

private:
  bool fused, masks;
};

/// The number that `kind` leaves any other one with as it is.
double identityOf(seq::ReduceKind kind);

mlir::Type withLanes(mlir::Type element, int64_t lanes);
int64_t lanesOf(mlir::Value value);

} // namespace stretto::codegen
