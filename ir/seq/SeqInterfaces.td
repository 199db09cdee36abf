// What operations say of themselves, so that passes need not know them by name.
#ifndef STRETTO_IR_SEQ_SEQINTERFACES_TD
#define STRETTO_IR_SEQ_SEQINTERFACES_TD

include "mlir/IR/OpBase.td"

def Seq_RowOpInterface : OpInterface<"RowOp"> {
  let cppNamespace = "::stretto::seq";
  let description = [{
    An operation that may stand in the body of a kernel of rows. Elementwise operations and constants need not say so;
    `isRowOperation` knows them all.
  }];
  let methods = [
    InterfaceMethod<"Which rows of its operands a row of the result is computed from.",
                    "::stretto::seq::RowReach", "getReach", (ins), "", "return ::stretto::seq::RowReach::own;">,
    InterfaceMethod<"Whether the result holds nothing but elements of its operands, or their places.",
                    "bool", "onlyMoves", (ins), "", "return false;">
  ];
}

def Seq_MovementOpInterface : OpInterface<"MovementOp"> {
  let cppNamespace = "::stretto::seq";
  let description = [{
    A row operation whose result holds elements of its operands, each where the types say. In a kernel it is no work:
    who reads an element of the result reads the one that it is.
  }];
  let methods = [
    InterfaceMethod<"Which element of which operand an element of the result is, both counted in row-major order.",
                    "::stretto::seq::Element", "getSource", (ins "int64_t":$element)>
  ];
}

def Seq_AliasOpInterface : OpInterface<"AliasOp"> {
  let cppNamespace = "::stretto::seq";
  let description = [{
    An operation that is no work outside of kernels: it says in which memory a value lies.
  }];
  let methods = [
    InterfaceMethod<"Which value lies where.", "::stretto::seq::Alias", "getAlias", (ins)>,
    InterfaceMethod<"For columns and pieces: the column of the wider value at which the narrower one begins, the "
                    "result or that operand.",
                    "int64_t", "getFirstColumn", (ins "unsigned":$operand), "", "return 0;">
  ];
}

def Seq_LibraryOpInterface : OpInterface<"LibraryOp"> {
  let cppNamespace = "::stretto::seq";
  let description = [{
    An operation that the runtime or a kernel of its own computes whole: no fusion crosses it. Operands and results are
    told by their numbers among those that are given; where an operand is optional, those behind it are alike.
  }];
  let methods = [
    InterfaceMethod<"What an operand is.", "::stretto::seq::ValueFacts", "getOperandFacts", (ins "unsigned":$number)>,
    InterfaceMethod<"What a result is.", "::stretto::seq::ValueFacts", "getResultFacts", (ins "unsigned":$number)>,
    InterfaceMethod<"Whether rows of the results are computed from other rows than their own.",
                    "bool", "mixesRows", (ins), "", "return false;">,
    InterfaceMethod<"Whether the results hold nothing but elements of its operands that are reals, and zeros.",
                    "bool", "onlyMoves", (ins), "", "return false;">,
    InterfaceMethod<"Where the value stands that the result is added to and whose buffer it takes over: one operand, "
                    "or none yet; nothing where it cannot.",
                    "::std::optional<::mlir::MutableOperandRange>", "getAccumulatorSlot", (ins), "",
                    "return std::nullopt;">,
    InterfaceMethod<"Where the value stands that is added before the result is rounded: one operand, or none yet; "
                    "nothing where it cannot.",
                    "::std::optional<::mlir::MutableOperandRange>", "getResidualSlot", (ins), "",
                    "return std::nullopt;">,
    InterfaceMethod<"Which operand's memory a result takes over, as the new content of a cache does; nothing where it "
                    "has memory of its own.",
                    "::std::optional<unsigned>", "getUpdatedOperand", (ins "unsigned":$result), "",
                    "return std::nullopt;">,
    InterfaceMethod<"What an operand is called that may be left out, or stands behind such a one; else empty.",
                    "::llvm::StringRef", "getOperandName", (ins "unsigned":$number), "", "return {};">,
    InterfaceMethod<"What a result is called that may be left out, or stands behind such a one; else empty.",
                    "::llvm::StringRef", "getResultName", (ins "unsigned":$number), "", "return {};">,
    InterfaceMethod<"Which matmuls it consists of.",
                    "::stretto::seq::MatmulKind", "getMatmulKind", (ins), "",
                    "return ::stretto::seq::MatmulKind::none;">,
    InterfaceMethod<"What its kernel is counted under in profiles, where it has one.",
                    "::llvm::StringRef", "getProfileGroup", (ins), "", "return {};">,
    InterfaceMethod<"Multiplications and additions.", "double", "getFlops", (ins), "", "return 0;">,
    InterfaceMethod<"Bytes of an operand that it reads.", "double", "getBytesRead", (ins "unsigned":$number), "",
                    "return ::stretto::seq::bytesOf($_op->getOperand(number));">
  ];
  let extraClassDeclaration = [{
    /// The operand that the result is added to and whose buffer it takes over, or null.
    ::mlir::OpOperand *getAccumulatorOperand() { return ::stretto::seq::givenOf(getAccumulatorSlot()); }
    /// The operand that is added before the result is rounded, or null.
    ::mlir::OpOperand *getResidualOperand() { return ::stretto::seq::givenOf(getResidualSlot()); }
  }];
}

def Seq_DifferentiableOpInterface : OpInterface<"DifferentiableOp"> {
  let cppNamespace = "::stretto::seq";
  let description = [{
    An operation that says its derivative. The rules of row operations and of elementwise ones are formulas in
    `passes/autodiff`.
  }];
  let methods = [
    InterfaceMethod<"Adds to the adjoints of the operands what follows from `gradients`, those of the results; null "
                    "for a result that the loss does not depend on.",
                    "::llvm::LogicalResult", "differentiate",
                    (ins "::mlir::ValueRange":$gradients, "::stretto::seq::Differentiation &":$backward)>,
    InterfaceMethod<"Is called before the function is differentiated. Has the operation give, too, what only its "
                    "derivative reads, if need be by another one in its place.",
                    "void", "saveForBackward", (ins), "", "return;">
  ];
}

def Seq_DecodableOpInterface : OpInterface<"DecodableOp"> {
  let cppNamespace = "::stretto::seq";
  let description = [{
    An operation on rows of several tokens that says how text is generated with it, token by token. One that leaves rows
    apart need not: it is the same for a few tokens.
  }];
  let methods = [
    InterfaceMethod<"Writes the operation for the tokens of one call. Gives what stands for each result; null for one "
                    "that nothing reads. Where it cannot be, says why in `reason` and gives nothing.",
                    "::llvm::SmallVector<::mlir::Value>", "decode",
                    (ins "::stretto::seq::Decoding &":$decoding, "std::string &":$reason)>
  ];
}

def Seq_DocumentsOpInterface : OpInterface<"DocumentsOp"> {
  let cppNamespace = "::stretto::seq";
  let description = [{
    An operation that reads several tokens of a sequence and has a form with a document mask.
  }];
  let methods = [
    InterfaceMethod<"Has each token see its own document alone.", "void", "maskDocuments",
                    (ins "::stretto::seq::Documents &":$documents)>
  ];
}

#endif
