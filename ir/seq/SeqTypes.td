// Types of tensors that both dialects have.
#ifndef STRETTO_IR_SEQ_SEQTYPES_TD
#define STRETTO_IR_SEQ_SEQTYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

// All sizes are known, as dynamic ones are negative, none is 0, and bytes can be counted in 64 bits.
def HasSizesPred : CPred<[{
  ::llvm::all_of(::llvm::cast<::mlir::RankedTensorType>($_self).getShape(),
                 [elements = int64_t(1)](int64_t size) mutable {
                   return size > 0 && size <= (int64_t(1) << 48) / elements && (elements *= size);
                 })
}]>;

// A tensor of a model.
class Stretto_TensorOf<list<Type> allowedTypes>
    : RankedTensorOf<allowedTypes, [HasSizesPred], "ranked tensor of 1 to 2^48 elements">;

#endif
