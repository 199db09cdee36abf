//===- Register.cpp - the dialects a Stretto module may hold ------------------===//
#include "ir/Register.h"

#include "ir/kern/KernOps.h"
#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

static std::vector<void (*)(mlir::DialectRegistry &)> &extensions() {
  static std::vector<void (*)(mlir::DialectRegistry &)> list;
  return list;
}

void stretto::alsoRegister(void (*add)(mlir::DialectRegistry &registry)) { extensions().push_back(add); }

void stretto::registerModelDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect, seq::SeqDialect,
                  kern::KernDialect>();
  mlir::func::registerInlinerExtension(registry);
  for (auto *add : extensions())
    add(registry);
}
