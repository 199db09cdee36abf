//===- SumBlocks.cpp - adding up what several programs have parts of ----------===//
#include "codegen/mixers/SumBlocks.h"

#include "passes/support/RowBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using passes::RowBuilder;

/// [programs * width] to [columns], of as many programs each.
static Value sumOfBlocks(RowBuilder &b, Value row, int64_t programs, int64_t columns) {
  int64_t width = columnsOf(row) / programs, groups = columns / width, all = columnsOf(row) / groups;
  Value ofGroups = b.reshape(row, {groups, all}), sum;
  for (int64_t begin = 0; begin < all; begin += width) {
    Value block = b.slice(ofGroups, begin, width);
    sum = sum ? b.add(sum, block) : block;
  }
  return b.reshape(sum, {columns});
}

static Value rounded(RowBuilder &b, Value row, Type element) {
  auto type = typeOf(row).clone(element);
  return type == row.getType() ? row : arith::TruncFOp::create(b, type, row).getResult();
}

/// A name that no other kernel of the function has.
static std::string kernelName(kern::WalkOp walk) {
  auto function = walk->getParentOfType<func::FuncOp>();
  int64_t number = 0;
  function.walk([&](kern::RowwiseOp op) { number += op.getKernel() && op.getKernel()->contains(".blocks"); });
  return (function.getName() + ".blocks" + Twine(number)).str();
}

SmallVector<Value> stretto::codegen::sumBlocks(ImplicitLocOpBuilder &b, kern::WalkOp walk, TypeRange types,
                                               int64_t programs) {
  SmallVector<Value> results(walk.getResults()), partial;
  SmallVector<Type> summed;
  for (auto [result, type] : llvm::zip_equal(results, types))
    if (result.getType() != type) {
      partial.push_back(result);
      summed.push_back(type);
    }
  if (partial.empty())
    return results;
  SmallVector<Attribute> maps(partial.size(), kern::RowMapAttr::get(b.getContext(), kern::RowMap::row));
  auto kernel = kern::RowwiseOp::create(b, summed, partial, b.getArrayAttr(maps), /*partial_sums=*/false,
                                        b.getStringAttr(kernelName(walk)), /*schedule=*/kern::Schedule(),
                                        /*resources=*/kern::ResourcesAttr());
  Block &body = kernel.getBody().emplaceBlock();
  RowBuilder rows(walk.getLoc(), b.getContext());
  rows.setInsertionPointToStart(&body);
  SmallVector<Value> sums;
  for (auto [value, type] : llvm::zip_equal(partial, summed)) {
    auto row = typeOf(value).clone(typeOf(value).getShape().drop_front(2));
    auto wanted = cast<RankedTensorType>(type);
    Value sum = sumOfBlocks(rows, body.addArgument(row, walk.getLoc()), programs, wanted.getShape().back());
    sums.push_back(rounded(rows, sum, wanted.getElementType()));
  }
  kern::YieldOp::create(rows, sums);
  for (Value &result : results)
    if (auto found = llvm::find(partial, result); found != partial.end())
      result = kernel.getResult(found - partial.begin());
  return results;
}
