//===- Overwrite.h - results in the memory of operands --------------------------===//
#pragma once

#include "ir/kern/KernInterfaces.h"

namespace stretto::codegen {

/// Whether a kernel may store a result in the memory of the operand of an argument of its body, for code that visits
/// the sections of a column loop (RowPlan.h) together and loads before it stores. Each element of the operand is then
/// read where that of the result is written, or before, and nowhere else, in one of three cases:
///  * What the kernel computes from the operand is elementwise and ends in this result alone. However the result is
///    divided, the section that stores an element is the only one that reads it.
///  * What it computes from the operand is elementwise and ends in several results, this one among them, and the body
///    has nothing that divides a row or makes stages: no movement but of single numbers, no reduction, no tap. Then
///    each of these results is one section, all columns of a row, and they share one loop. (Were one of them divided
///    otherwise than the others, another thread, or another loop of the same one, might read an element after it was
///    written; were this result computed from something else, another thread block.)
///  * One thread takes the levels (RowPlan.h) of a row one after the other, as the schedule is one of vectors, for the
///    CPU; no tap reads other rows; and the result is of a higher level than all else that reads the operand, which is
///    elementwise up to its reductions: the gradient of a norm or of a softmax.
bool mayOverwrite(kern::RowKernel op, unsigned argument, unsigned result);

/// Whether some result may be stored in the memory of the operand of an argument. Who stores no element of it must not
/// read it then.
bool mayBeOverwritten(kern::RowKernel op, unsigned argument);

} // namespace stretto::codegen
