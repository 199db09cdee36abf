// The dialect `kern`, how a model is computed: the dialect itself, its types, and what a kernel takes of a GPU.
#ifndef STRETTO_IR_KERN_KERNDIALECT_TD
#define STRETTO_IR_KERN_KERNDIALECT_TD

include "ir/kern/KernInterfaces.td"
include "ir/seq/SeqInterfaces.td"
include "ir/seq/SeqTypes.td"

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kern_Dialect : Dialect {
  let name = "kern";
  let cppNamespace = "::stretto::kern";
  let summary = "how a model is computed: fused kernels and planned memory";
  let description = [{
    `kern.rowwise` is the fused kernel: a small synchronous dataflow program run for each row. Its body is
    made of `arith`, `math` and the row operations of `seq` on one row, batch and time being implicit.
    `kern.slot` attributes say where values live once memory is planned.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::stretto::seq::SeqDialect"];
  let extraClassDeclaration = [{
    /// Operations by earlier names are errors that say what they are called.
    ::std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

class Kern_Op<string mnemonic, list<Trait> traits = []> : Op<Kern_Dialect, mnemonic, traits>;

def Kern_Real : Stretto_TensorOf<[F32, F64]>;
def Kern_Tensor : Stretto_TensorOf<[F32, F64, BF16, I32]>;

def Kern_ResourcesAttr : AttrDef<Kern_Dialect, "Resources"> {
  let mnemonic = "resources";
  let summary = "what a kernel takes of a GPU";
  let description = [{
    As the machine code says: `registers` of a thread, `spill_bytes` of registers that a thread keeps in local memory,
    and `shared_bytes` of shared memory of a block, static and dynamic. It is there to be read: what goes on from the
    module drops it.

    ```mlir
    #kern.resources<registers 40, spill_bytes 0, shared_bytes 1024>
    ```
  }];
  let parameters = (ins "int64_t":$registers, "int64_t":$spillBytes, "int64_t":$sharedBytes);
  let assemblyFormat = "`<` `registers` $registers `,` `spill_bytes` $spillBytes `,` `shared_bytes` $sharedBytes `>`";
}

#endif
