// RUN: stretto-opt %s --split-input-file --verify-diagnostics --verify-roundtrip | FileCheck %s

// CHECK: kern.images = [#kern.image<@stretto.image.0, cubin, "sm_90a">, #kern.image<@stretto.image.1, ptx, "compute_80">]
module attributes {kern.images = [#kern.image<@stretto.image.0, cubin, "sm_90a">, #kern.image<@stretto.image.1, ptx, "compute_80">]} {
  // CHECK: kern.device_kernel @layers.k symbol "layers_k" grid [512, 1] block 192 shared 64 registers 40 spills 8 local 16 bytes_moved 25165824 flops 6
  kern.device_kernel @layers.k symbol "layers_k" grid [512, 1] block 192 shared 64 registers 40 spills 8 local 16
    bytes_moved 25165824 flops 6
  // CHECK: kern.device_kernel @layers.mixer symbol "layers_mixer" grid [96, 1] block 256 cluster 2 shared 64 dynamic_shared 100000 registers 168 spills 0 local 0
  kern.device_kernel @layers.mixer symbol "layers_mixer" grid [96, 1] block 256 cluster 2 shared 64 dynamic_shared 100000
    registers 168 spills 0 local 0 bytes_moved 25165824 flops 6
  // CHECK: bytes_moved 4 flops 6 tensor_maps [#kern.tensor_map<buffer 0, bf16, sizes [9, 72], strides [144], box [9, 64], swizzle 128>, #kern.tensor_map<buffer 1, f32, sizes [8], box [4], swizzle 0>]
  kern.device_kernel @layers.gemm symbol "layers_gemm" grid [96, 1] block 256 shared 64 registers 168 spills 0 local 0
    bytes_moved 4 flops 6 tensor_maps [#kern.tensor_map<buffer 0, bf16, sizes [9, 72], strides [144], box [9, 64], swizzle 128>,
                                       #kern.tensor_map<buffer 1, f32, sizes [8], box [4], swizzle 0>]
}

// -----

// expected-error @+1 {{grid must be two numbers of at least 1, at most 2147483647 and 65535, but got [512, 0]}}
kern.device_kernel @k symbol "k" grid [512, 0] block 32 shared 0 registers 8 spills 0 local 0 bytes_moved 0 flops 0

// -----

// expected-error @+1 {{block must be a multiple of 32 up to 1024, but got 48}}
kern.device_kernel @k symbol "k" grid [1, 1] block 48 shared 0 registers 8 spills 0 local 0 bytes_moved 0 flops 0

// -----

// expected-error @+1 {{cluster must be 1 to 8 blocks that divide the 12 of the grid in x, but got 5}}
kern.device_kernel @k symbol "k" grid [12, 1] block 32 cluster 5 shared 0 registers 8 spills 0 local 0 bytes_moved 0 flops 0

// -----

// expected-error @+1 {{cluster must be 1 to 8 blocks that divide the 12 of the grid in x, but got 12}}
kern.device_kernel @k symbol "k" grid [12, 1] block 32 cluster 12 shared 0 registers 8 spills 0 local 0 bytes_moved 0 flops 0

// -----

// expected-error @+1 {{registers must be between 1 and 255, but got 0}}
kern.device_kernel @k symbol "k" grid [1, 1] block 32 shared 0 registers 0 spills 0 local 0 bytes_moved 0 flops 0

// -----

// expected-error @+1 {{numbers must not be negative, but got -1}}
kern.device_kernel @k symbol "k" grid [1, 1] block 32 shared -1 registers 8 spills 0 local 0 bytes_moved 0 flops 0

// -----

// expected-error @+1 {{numbers must not be negative, but got -2}}
kern.device_kernel @k symbol "k" grid [1, 1] block 32 shared 0 dynamic_shared -2 registers 8 spills 0 local 0 bytes_moved 0 flops 0

// -----

// expected-error @+1 {{spills must be a part of the 4 bytes of local memory, but got 8}}
kern.device_kernel @k symbol "k" grid [1, 1] block 32 shared 0 registers 8 spills 8 local 4 bytes_moved 0 flops 0

// -----

// expected-error @+1 {{symbol must not be empty}}
kern.device_kernel @k symbol "" grid [1, 1] block 32 shared 0 registers 8 spills 0 local 0 bytes_moved 0 flops 0
