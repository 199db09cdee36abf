#ifndef STRETTO_IR_SEQ_SEQINTERFACES_TD
#define STRETTO_IR_SEQ_SEQINTERFACES_TD

include "mlir/IR/OpBase.td"

// What operations say of themselves, so that passes need not know them by name.

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

def Seq_LibraryOpInterface : OpInterface<"LibraryOp"> {
  let cppNamespace = "::stretto::seq";
  let description = [{
    An operation that the runtime or a kernel of its own computes whole: no fusion crosses it. Operands and results are told
    by their numbers among those that are given; where an operand is optional, those behind it are alike.
  }];
  let methods = [
    InterfaceMethod<"What an operand is.", "::stretto::seq::ValueFacts", "getOperandFacts", (ins "unsigned":$number)>,
    InterfaceMethod<"What a result is.", "::stretto::seq::ValueFacts", "getResultFacts", (ins "unsigned":$number)>,
    InterfaceMethod<"Whether rows of the results are computed from other rows than their own.",
                    "bool", "mixesRows", (ins), "", "return false;">,
    InterfaceMethod<"The operand whose buffer the result takes over, added up, or null.",
                    "::mlir::OpOperand *", "getAccumulatorOperand", (ins), "", "return nullptr;">,
    InterfaceMethod<"The operand that is added before the result is rounded, or null.",
                    "::mlir::OpOperand *", "getAddendOperand", (ins), "", "return nullptr;">,
    InterfaceMethod<"Which matrix products it consists of.",
                    "::stretto::seq::ProductKind", "getProductKind", (ins), "",
                    "return ::stretto::seq::ProductKind::none;">,
    InterfaceMethod<"What its kernel is counted under in profiles, where it has one.",
                    "::llvm::StringRef", "getProfileGroup", (ins), "", "return {};">,
    InterfaceMethod<"Multiplications and additions.", "double", "getFlops", (ins), "", "return 0;">,
    InterfaceMethod<"Bytes of an operand that it reads.", "double", "getBytesRead", (ins "unsigned":$number), "",
                    "return ::stretto::seq::bytesOf($_op->getOperand(number));">
  ];
}

#endif
