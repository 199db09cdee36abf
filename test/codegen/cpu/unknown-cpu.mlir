// RUN: not stretto-opt %s -kern-choose-schedule=cpu=skylak 2>&1 | FileCheck %s
// CHECK: error: cpu must be native or a name that LLVM knows, but got 'skylak'; did you mean 'skylake'?
module {}
