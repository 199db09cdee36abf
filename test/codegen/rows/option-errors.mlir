// Numbers of passes that cannot be.
// RUN: not stretto-opt %s --kern-choose-schedule=least-chunks=0 2>&1 | FileCheck %s --check-prefix=CHUNKS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule=processors=0 2>&1 | FileCheck %s --check-prefix=PROCESSORS
// RUN: not stretto-opt %s --kern-choose-cuda-schedule=rows=-1 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not stretto-opt %s --kern-choose-schedule=rows=33 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not stretto-opt %s --kern-choose-cuda-schedule=rows=33 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not stretto-opt %s --kern-choose-schedule=chunk=2147483648 2>&1 | FileCheck %s --check-prefix=CHUNK
// RUN: not stretto-opt %s --kern-choose-cuda-schedule=lanes=3 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not stretto-opt %s --kern-expand-mixers=processors=-4 2>&1 | FileCheck %s --check-prefix=MIXERS
// CHUNKS: error: least-chunks must be at least 1, but got 0
// PROCESSORS: error: processors must be at least 1, but got 0
// ROWS: error: rows must be at least 0, but got -1
// MANY: error: rows must be at most 32, but got 33
// CHUNK: error: chunk must be at most 2147483647, but got 2147483648
// LANES: error: lanes must be a power of two of at most 64, but got 3
// MIXERS: error: processors must be at least 1, but got -4
module {}
