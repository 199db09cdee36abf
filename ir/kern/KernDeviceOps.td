// Kernels that exist as code for a device.
#ifndef STRETTO_IR_KERN_KERNDEVICEOPS_TD
#define STRETTO_IR_KERN_KERNDEVICEOPS_TD

include "ir/kern/KernDialect.td"

def Kern_ImageKind : I32EnumAttr<"ImageKind", "what the bytes of an image are", [
  I32EnumAttrCase<"cubin", 0>, I32EnumAttrCase<"ptx", 1>]> {
  let cppNamespace = "::stretto::kern";
  let genSpecializedAttr = 0;
}

def Kern_ImageAttr : AttrDef<Kern_Dialect, "Image"> {
  let mnemonic = "image";
  let summary = "code for a GPU that the program carries";
  let description = [{
    The constant `global` of the module holds the bytes: a `cubin`, machine code for the GPU architecture named
    (`sm_90a`), or `ptx`, text that the driver of this or any newer architecture compiles (`compute_80`), with a byte 0
    at its end. The attribute `kern.images` of the module lists the images in the order in which a program tries them.

    ```mlir
    #kern.image<@stretto.image.0, cubin, "sm_90a">
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$global, EnumParameter<Kern_ImageKind>:$kind,
                        "::mlir::StringAttr":$architecture);
  let assemblyFormat = "`<` $global `,` $kind `,` $architecture `>`";
}

def Kern_TensorMapAttr : AttrDef<Kern_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "a tensor as bulk tensor copies (TMA) of a kernel see it";
  let description = [{
    Buffer `buffer` of the kernel holds a tensor of `sizes` elements, whose dimensions but the last are `strides` bytes
    apart; the elements of the last one lie side by side. A copy brings a `box` of it into shared memory, where blocks
    of 16 bytes change places in rows of `swizzle` bytes (32, 64 or 128; 0: they do not). What lies outside of the
    tensor is zero. The attribute `kern.tensor_maps` of a kernel's function lists the maps that it takes by value
    behind its buffers, each 128 bytes, in the form of the driver; a launch makes them of the addresses of its buffers.

    ```mlir
    #kern.tensor_map<buffer 0, bf16, sizes [32768, 768], strides [1536], box [128, 64], swizzle 128>
    ```
  }];
  let parameters = (ins "int64_t":$buffer, "::mlir::Type":$element, ArrayRefParameter<"int64_t">:$sizes,
                        OptionalArrayRefParameter<"int64_t">:$strides, ArrayRefParameter<"int64_t">:$box,
                        "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` `buffer` $buffer `,` $element `,` `sizes` ` ` `[` $sizes `]` `,` (`strides` ` ` `[` $strides^ `]` `,`)?
    `box` ` ` `[` $box `]` `,` `swizzle` $swizzle `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of a map as an argument of a kernel, and what it is aligned to there.
    static constexpr int64_t bytes = 128, alignment = 64;
  }];
}

def Kern_DeviceKernelOp : Kern_Op<"device_kernel", [Symbol]> {
  let summary = "a kernel in the images for the GPU";
  let description = [{
    Stands for the kernel that `kern.rowwise` and the like name: its `symbol` in each of the images that `kern.images`
    of the module lists, and how it is launched: `grid` blocks in x and y, of `block` threads each, in clusters of
    `cluster` blocks side by side in x (none where it is not there). What a launch takes: `shared` bytes of static
    shared memory of a block, and `dynamic_shared` bytes that the launch adds (none where it is not there); `registers`
    and `local` bytes of local memory of a thread, `spills` of them for registers that did not fit. `bytes_moved`
    between memory and the GPU and `flops` are those of a whole launch. Its parameters are one pointer for each buffer,
    operands, then results, and behind these the `tensor_maps`, by value.

    ```mlir
    kern.device_kernel @layers.forward.rowwise0 symbol "layers_forward_rowwise0" grid [512, 1] block 192 shared 0
      registers 40 spills 0 local 0 bytes_moved 25165824 flops 6291456
    kern.device_kernel @layers.mixer0 symbol "layers_mixer0" grid [96, 1] block 256 cluster 2 shared 0
      dynamic_shared 172032 registers 168 spills 0 local 0 bytes_moved 25165824 flops 1610612736
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$symbol, DenseI64ArrayAttr:$grid, I64Attr:$block,
                       DefaultValuedAttr<I64Attr, "1">:$cluster,
                       I64Attr:$shared_bytes, DefaultValuedAttr<I64Attr, "0">:$dynamic_shared_bytes, I64Attr:$registers,
                       I64Attr:$spill_bytes, I64Attr:$local_bytes, I64Attr:$bytes_moved, I64Attr:$flops,
                       OptionalAttr<TypedArrayAttrBase<Kern_TensorMapAttr, "tensor maps">>:$tensor_maps);
  let assemblyFormat = [{
    $sym_name `symbol` $symbol `grid` $grid `block` $block (`cluster` $cluster^)? `shared` $shared_bytes
    (`dynamic_shared` $dynamic_shared_bytes^)? `registers` $registers `spills` $spill_bytes `local` $local_bytes
    `bytes_moved` $bytes_moved `flops` $flops (`tensor_maps` $tensor_maps^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// As many blocks a cluster may have on any GPU that has clusters.
    static constexpr int64_t mostOfCluster = 8;
    /// Blocks of a launch along x and y at most (CUDA programming guide, "Technical Specifications per Compute
    /// Capability").
    static constexpr int64_t mostGridX = INT32_MAX, mostGridY = 65535;
  }];
}

#endif
