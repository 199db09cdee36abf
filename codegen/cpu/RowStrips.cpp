//===- RowStrips.cpp - which kernels of rows walk strips of columns ------------===//
#include "codegen/cpu/RowStrips.h"

#include "passes/support/ParameterLayout.h"

#include "ir/seq/TensorBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

int64_t stretto::codegen::bytesPerRow(kern::RowKernel op) {
  int64_t bytes = 0;
  for (BlockArgument argument : op.getBody().getArguments())
    if (op.getMap(argument.getArgNumber()) != kern::RowMap::shared)
      bytes += bytesOf(argument);
  for (auto [i, value] : llvm::enumerate(op.getYielded()))
    if (!op.isColumnSum(i))
      bytes += bytesOf(value);
  return std::max<int64_t>(bytes, 1);
}

int64_t stretto::codegen::columnSumBytes(kern::RowKernel op) {
  int64_t bytes = 0;
  for (auto [i, value] : llvm::enumerate(op.getYielded()))
    if (op.isColumnSum(i))
      bytes += bytesOf(value);
  return bytes;
}

static int64_t sharedBytes(kern::RowKernel op) {
  int64_t bytes = 0;
  for (BlockArgument argument : op.getBody().getArguments())
    if (op.getMap(argument.getArgNumber()) == kern::RowMap::shared)
      bytes += bytesOf(argument);
  return bytes;
}

static RowStrips stripsOf(const MeetingColumns &meeting, StripForm form) {
  return {form, static_cast<int64_t>(llvm::divideCeil(meeting.columns() / form.pieces, form.width))};
}

/// How many columns are added up.
static int64_t summedColumns(kern::RowKernel op, const MeetingColumns &meeting) {
  llvm::BitVector columns(meeting.columns());
  for (auto sum : op.getBody().getOps<seq::ColumnSumOp>())
    columns |= meeting.columnsOf(sum.getOperand());
  return columns.count();
}

std::optional<RowStrips> stretto::codegen::chooseRowStrips(kern::RowKernel op, int64_t keptBytes) {
  int64_t sums = columnSumBytes(op), kept = sums + sharedBytes(op);
  if (sums == 0 || kept < keptBytes)
    return std::nullopt;
  MeetingColumns meeting = MeetingColumns::ofWidestOperand(op);
  if (!meeting.problem().empty())
    return std::nullopt;
  int64_t strips = llvm::divideCeil(kept * 3, keptBytes * 2);
  int64_t wanted = summedColumns(op, meeting) / strips;
  std::optional<StripForm> form = meeting.choose(std::max<int64_t>(wanted, 1), meeting.columns() - 1);
  if (!form || !Strips(meeting, *form).problem(op).empty())
    return std::nullopt;
  return stripsOf(meeting, *form);
}

std::optional<RowStrips> stretto::codegen::rowStripsOf(kern::RowKernel op, int64_t width) {
  MeetingColumns meeting = MeetingColumns::ofWidestOperand(op);
  std::optional<int64_t> pieces = meeting.leastPieces(width);
  if (!pieces || !Strips(meeting, {*pieces, width}).problem(op).empty())
    return std::nullopt;
  return stripsOf(meeting, {*pieces, width});
}
