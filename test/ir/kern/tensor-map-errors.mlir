// RUN: stretto-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{a tensor map must be of a buffer, but got -1}}
module attributes {a = #kern.tensor_map<buffer -1, bf16, sizes [8], box [8], swizzle 0>} {}

// -----

// expected-error @+1 {{a tensor map must have elements of f32, f64 or bf16, but got 'i32'}}
module attributes {a = #kern.tensor_map<buffer 0, i32, sizes [8], box [8], swizzle 0>} {}

// -----

// expected-error @+1 {{a tensor map must have 1 to 5 sizes, but got 6}}
module attributes {a = #kern.tensor_map<buffer 0, bf16, sizes [8, 8, 8, 8, 8, 8], strides [16, 16, 16, 16, 16], box [8, 8, 8, 8, 8, 8], swizzle 0>} {}

// -----

// expected-error @+1 {{a tensor map of 2 sizes must have 1 strides and a box of 2, but got 0 and 2}}
module attributes {a = #kern.tensor_map<buffer 0, bf16, sizes [8, 8], box [8, 8], swizzle 0>} {}

// -----

// expected-error @+1 {{sizes of a tensor map must be 1 to 4294967296, but got 0}}
module attributes {a = #kern.tensor_map<buffer 0, bf16, sizes [0, 8], strides [16], box [8, 8], swizzle 0>} {}

// -----

// A row of a vocabulary that is no multiple of 8.
// expected-error @+1 {{strides of a tensor map must be multiples of 16 bytes below 1099511627776, but got 18}}
module attributes {a = #kern.tensor_map<buffer 0, bf16, sizes [8, 9], strides [18], box [8, 8], swizzle 0>} {}

// -----

// expected-error @+1 {{sides of a box must be 1 to 256, but got 257}}
module attributes {a = #kern.tensor_map<buffer 0, bf16, sizes [8, 8], strides [16], box [257, 8], swizzle 0>} {}

// -----

// expected-error @+1 {{swizzle must be 0, 32, 64 or 128 bytes, but got 16}}
module attributes {a = #kern.tensor_map<buffer 0, bf16, sizes [8, 8], strides [16], box [8, 8], swizzle 16>} {}

// -----

// expected-error @+1 {{a row of a box must be a multiple of 16 bytes, but got 12}}
module attributes {a = #kern.tensor_map<buffer 0, f32, sizes [8, 8], strides [32], box [8, 3], swizzle 0>} {}

// -----

// expected-error @+1 {{a row of a box must be a multiple of 16 bytes and at most the 64 of its swizzle, but got 128}}
module attributes {a = #kern.tensor_map<buffer 0, bf16, sizes [8, 64], strides [128], box [8, 64], swizzle 64>} {}
