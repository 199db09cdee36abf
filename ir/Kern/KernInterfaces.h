//===- KernInterfaces.h - what fused kernels have in common ---------------------===//
#pragma once

#include "ir/Kern/KernAttrs.h"

#include "mlir/IR/OpDefinition.h"

#include "ir/Kern/KernInterfaces.h.inc"
