//===- KernInterfaces.h - what fused kernels have in common ---------------------===//
#pragma once

#include "ir/kern/KernAttrs.h"

#include "mlir/IR/OpDefinition.h"

#include "ir/kern/KernInterfaces.h.inc"
