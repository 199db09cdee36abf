//===- NestBuilder.cpp - the loops of one phase for a block of rows -----------===//
#include "codegen/cpu/NestBuilder.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <map>
#include <set>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

Operation *stretto::codegen::makeLoop(VectorBuilder &b, Value first, Value last, int64_t step, ValueRange carried) {
  auto loop = scf::ForOp::create(b, first, last, b.index(step), carried);
  Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase();
  b.setInsertionPointToEnd(body);
  return loop;
}

void stretto::codegen::closeLoop(VectorBuilder &b, Operation *loop, ValueRange carried) {
  b.setInsertionPointToEnd(&loop->getRegion(0).front());
  scf::YieldOp::create(b, carried);
  b.setInsertionPointAfter(loop);
}

void stretto::codegen::emitIf(VectorBuilder &b, Value condition, llvm::function_ref<void()> emit) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  Block *body = branch.thenBlock();
  body->back().erase();
  b.setInsertionPointToEnd(body);
  emit();
  scf::YieldOp::create(b);
  b.setInsertionPointAfter(branch);
}

int64_t NestBuilder::lanesFor(int64_t length) const { return std::min<int64_t>(maxLanes, llvm::PowerOf2Ceil(length)); }

NestBuilder::Sums NestBuilder::startSums(const Section &section) {
  const Root &root = rootOf(section);
  Type type = withLanes(getElementTypeOrSelf(root.value.getType()), lanesFor(section.domain.length));
  return Sums(rows, b.identity(plan.kindOf(root), type));
}

void NestBuilder::emit(ArrayRef<Nest> nests) {
  here = b.getInsertionBlock();
  clearSlots(nests);
  for (const Nest &nest : nests)
    emitNest(nest);
  b.setInsertionPointToEnd(here);
}

void NestBuilder::clearSlots(ArrayRef<Nest> nests) {
  llvm::DenseSet<unsigned> cleared;
  for (const Nest &nest : nests)
    for (const ColumnLoop &loop : nest.loops)
      for (const Section &section : loop.sections) {
        const Root &root = rootOf(section);
        if (!root.accumulated || !cleared.insert(section.root).second)
          continue;
        b.setInsertionPointToEnd(here);
        emitter.enterNest(nullptr, {});
        emitter.enterColumns({}, 1, {}, {});
        const RowBuffer &slot = frame.slots[root.number];
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t i = 0; i < slot.rowElements; ++i) {
            Value address = emitter.addressOf(slot, row, {i, 0, 0});
            b.store(b.identity(plan.kindOf(root), slot.element), address);
          }
      }
}

void NestBuilder::emitNest(const Nest &nest) {
  b.setInsertionPointToEnd(here);
  for (const ColumnLoop &loop : nest.loops)
    for (const Section &section : loop.sections)
      if (isReduce(section) && isCarried(section))
        sums[&section] = startSums(section);
  if (nest.heads == 1) {
    emitter.enterNest(nullptr, {});
    for (const ColumnLoop &loop : nest.loops)
      emitColumnLoop(nest, loop);
  } else {
    emitHeads(nest);
  }
  b.setInsertionPointToEnd(here);
  emitter.enterNest(nullptr, {});
  emitter.enterColumns({}, 1, {}, {});
  for (const ColumnLoop &loop : nest.loops)
    for (const Section &section : loop.sections)
      if (isReduce(section) && isCarried(section))
        finish(section);
}

/// All sums of `sections`, in a row; and back from the results or arguments of a loop.
template <typename Map> static SmallVector<Value> flatten(Map &sums, ArrayRef<const Section *> sections) {
  SmallVector<Value> all;
  for (const Section *section : sections)
    llvm::append_range(all, sums[section]);
  return all;
}
template <typename Map> static void unflatten(Map &sums, ArrayRef<const Section *> sections, ValueRange all) {
  for (const Section *section : sections)
    for (Value &sum : sums[section]) {
      sum = all.front();
      all = all.drop_front();
    }
}

void NestBuilder::emitHeads(const Nest &nest) {
  SmallVector<const Section *> carried, perHead;
  for (const ColumnLoop &loop : nest.loops)
    for (const Section &section : loop.sections)
      if (isReduce(section))
        (isCarried(section) ? carried : perHead).push_back(&section);
  auto heads = cast<scf::ForOp>(makeLoop(b, b.index(0), b.index(nest.heads), 1, flatten(sums, carried)));
  unflatten(sums, carried, heads.getRegionIterArgs());
  emitter.enterNest(heads, heads.getInductionVar());
  Block *outside = std::exchange(here, heads.getBody());
  for (const Section *section : perHead)
    sums[section] = startSums(*section);
  for (const ColumnLoop &loop : nest.loops)
    emitColumnLoop(nest, loop);
  b.setInsertionPointToEnd(here);
  emitter.enterColumns({}, 1, {}, {});
  for (const Section *section : perHead)
    finish(*section);
  here = outside;
  closeLoop(b, heads, flatten(sums, carried));
  unflatten(sums, carried, heads.getResults());
}

/// Whether the few vectors of a loop and the part of one behind them are one code under a mask, instead of two.
bool NestBuilder::masksShortLoop(int64_t length, int64_t lanes) const {
  constexpr int64_t mostVectors = 3; // whole ones: from more on, what masks take away from each weighs more than code
  int64_t vectors = length / lanes;
  return b.hasVectorMasks() && length % lanes && vectors >= 1 && vectors <= mostVectors;
}

void NestBuilder::emitColumnLoop(const Nest &nest, const ColumnLoop &loop) {
  if (rows == 0 && storedValues.of(loop).empty())
    return;
  lanes = lanesFor(loop.length);
  int64_t whole = loop.length / lanes * lanes;
  SmallVector<const Section *> reductions;
  for (const Section &section : loop.sections)
    if (isReduce(section))
      reductions.push_back(&section);
  b.setInsertionPointToEnd(here);
  bool isMasked = masksShortLoop(loop.length, lanes);
  if (isMasked)
    whole = loop.length;
  if (whole == lanes) {
    emitColumns(nest, loop, b.index(0), {});
  } else if (whole > 0) {
    auto columns = cast<scf::ForOp>(makeLoop(b, b.index(0), b.index(whole), lanes, flatten(sums, reductions)));
    unflatten(sums, reductions, columns.getRegionIterArgs());
    emitter.setColumnLoop(columns);
    Value column = columns.getInductionVar();
    Value left = isMasked ? arith::SubIOp::create(b, b.index(whole), column).getResult() : Value();
    emitColumns(nest, loop, column, isMasked ? b.firstLanes(lanes, left) : Value());
    closeLoop(b, columns, flatten(sums, reductions));
    unflatten(sums, reductions, columns.getResults());
    emitter.setColumnLoop(nullptr);
  }
  b.setInsertionPointToEnd(here);
  if (whole < loop.length)
    emitColumns(nest, loop, b.index(whole), b.firstLanes(lanes, loop.length - whole));
}

void NestBuilder::emitColumns(const Nest &nest, const ColumnLoop &loop, Value column, Value mask) {
  // The first rows of rolling buffers are computed; from then on they are found in scratch memory.
  emitter.enterColumns({nest.heads, loop.length}, lanes, column, mask,
                       rows ? storedValues.of(loop) : ArrayRef<Stored>());
  SmallVector<std::pair<const Section *, Value>> columnSums;
  for (const Section &section : loop.sections) {
    const Root &root = rootOf(section);
    if (root.kind != Root::columnSum || rows == 0)
      continue;
    const RowBuffer &buffer = frame.results[root.number];
    Value address = emitter.addressOf(buffer, 0, section.target);
    sums[&section] = {b.load(buffer.element, lanes, address, mask)};
    columnSums.push_back({&section, address});
  }
  emitLongChains(loop);
  for (int64_t row = 0; row < rows; ++row)
    emitRow(loop, row, mask);
  putStored(loop);
  if (prefetch)
    prefetchNext(loop);
  for (auto [section, address] : columnSums)
    b.store(sums[section].front(), address, mask);
}

/// Whether an operation becomes a long chain of instructions with much to do behind it. Where registers are few, the
/// rest waits in memory anyway; where they are many, chains that are longer than a sigmoid's would drive it there.
static bool isLongChain(Operation *op, bool manyRegisters) {
  return isa<seq::SigmoidOp>(op) ||
         (!manyRegisters && isa<seq::SoftplusOp, math::TanhOp, math::LogOp, math::ErfOp, math::SinOp, math::CosOp>(op));
}

/// Long chains of all rows stand in front of what is made of them: of the few hundred instructions that a processor
/// sees at once, one row alone would have a single such chain.
void NestBuilder::emitLongChains(const ColumnLoop &loop) {
  const RowDemand *demand = storedValues.demandOf(loop);
  if (!demand)
    return;
  for (const RowDemand::Item *item : llvm::reverse(demand->items())) {
    Operation *op = item->value.getDefiningOp();
    if (!op || item->found || !isLongChain(op, /*manyRegisters=*/b.hasVectorMasks()))
      continue;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t asked : item->isRolling ? RowDemand::Rows{item->range().high} : item->rows)
        emitter.emit(item->value, row + asked, item->index);
  }
}

/// Whether what a loop reads or writes of one buffer, in this block and the next one, fits into the first-level cache:
/// rows whose distance is a power of two lie in few of its sets. On x86, sets repeat with each page and have at least 8
/// lines.
static bool fitsFirstLevel(ArrayRef<RowColumns> columns, int64_t rows) {
  constexpr int64_t sets = 64, lineBytes = 64, ways = 8;
  std::map<const RowBuffer *, std::set<int64_t>> linesOf;
  for (const RowColumns &part : columns)
    for (int64_t row = part.row - rows; row < part.row + rows; ++row) {
      int64_t element = row * part.buffer->rowElements + part.index.base;
      int64_t bytes = elementBytes(part.buffer->element);
      linesOf[part.buffer].insert(llvm::divideFloorSigned(element * bytes, lineBytes));
    }
  return llvm::all_of(linesOf, [&](auto &lines) {
    std::array<int64_t, sets> taken{};
    for (int64_t line : lines.second)
      ++taken[llvm::mod(line, sets)];
    return *llvm::max_element(taken) <= ways;
  });
}

/// Results as well: a store whose line is far away holds up the stores behind it.
void NestBuilder::prefetchNext(const ColumnLoop &loop) {
  SmallVector<RowColumns> next(emitter.nextLoads());
  for (const Section &section : loop.sections)
    if (rootOf(section).kind == Root::store)
      next.push_back({&frame.results[rootOf(section).number], section.target, rows});
  int level = fitsFirstLevel(next, rows) ? 1 : 2;
  for (const RowColumns &columns : next)
    emitter.prefetch(columns, rows, level);
}

/// The last rows of rolling buffers for the next block, all rows of cached values for later stages. All are there
/// before the first is stored, as some may be rows that this block found there.
void NestBuilder::putStored(const ColumnLoop &loop) {
  SmallVector<std::tuple<const Stored *, int64_t, Value>> stores;
  for (const Stored &stored : storedValues.of(loop)) {
    RowRange slots =
        stored.kind == Stored::rolling ? stored.rows : RowRange{0, stored.kind == Stored::cached ? rows : 0};
    int64_t first = stored.kind == Stored::rolling ? rows + slots.low : 0;
    for (int64_t slot = 0; slot < slots.high - slots.low; ++slot)
      stores.push_back({&stored, slot, emitter.emit(stored.value, first + slot, stored.index)});
  }
  for (auto [stored, slot, value] : stores) {
    Value address = emitter.addressOf(*stored, slot);
    b.store(b.splat(value, lanes), address);
  }
}

/// All values of a row are there before the first is stored: a result may take over the buffer of an operand.
void NestBuilder::emitRow(const ColumnLoop &loop, int64_t row, Value mask) {
  SmallVector<std::pair<const Section *, Value>> stores;
  for (const Section &section : loop.sections) {
    const Root &root = rootOf(section);
    if (root.kind == Root::store) {
      stores.push_back({&section, emitter.emit(root.value, row, section.index)});
      continue;
    }
    bool isSum = root.kind == Root::columnSum;
    Value &sum = sums[&section][isSum ? 0 : row];
    seq::ReduceKind kind = isSum ? seq::ReduceKind::add : plan.kindOf(root);
    Value next = emitter.accumulate(kind, sum, root.value, row, section.index);
    sum = mask && !isSum ? arith::SelectOp::create(b, mask, next, sum).getResult() : next;
  }
  for (auto [section, value] : stores) {
    Value address = emitter.addressOf(frame.results[rootOf(*section).number], row, section->target);
    b.store(b.splat(value, lanes), address, mask);
  }
}

void NestBuilder::finish(const Section &section) {
  const Root &root = rootOf(section);
  for (int64_t row = 0; row < rows; ++row) {
    emitter.goToPosition();
    Value total = b.horizontal(plan.kindOf(root), sums[&section][row]);
    Value address = emitter.addressOf(frame.slots[root.number], row, section.target);
    if (root.accumulated)
      total = b.combine(plan.kindOf(root), b.load(total.getType(), 1, address), total);
    b.store(total, address);
  }
}
