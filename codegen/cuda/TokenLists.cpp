//===- TokenLists.cpp - where the tokens of a block's part of the vocabulary stand -===//
#include "codegen/cuda/TokenLists.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

TokenLists::TokenLists(CudaBuilder &b, KernelFunction &function, Value tokens, int64_t positions, int64_t ids,
                       Value firstId, Value count, Value thread)
    : b(b), tokens(tokens), firstId(firstId), count(count), thread(thread), positions(positions), ids(ids),
      idShift(32 - llvm::Log2_64(ids)) {
  lane = b.remainder(thread, warpThreads);
  warp = b.divide(thread, warpThreads);
  lists = function.shared("lists", warps * warpItems * 4);
  sorted = function.shared("sorted", warps * warpItems * 4);
  counts = function.shared("counts", warps * ids * 4);
  starts = function.shared("starts", (ids + 1) * 4);
  unread = function.shared("unread", warps * 4);
  again = function.shared("again", 4);
}

Value TokenLists::word(int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value TokenLists::number(Value word) { return arith::ExtUIOp::create(b, b.getI64Type(), word); }

Value TokenLists::lanesOfBallot(Value ballot) { return math::CtPopOp::create(b, ballot); }

Value TokenLists::lanesBelow(Value ballot) {
  Value narrow = arith::TruncIOp::create(b, b.getI32Type(), lane);
  Value below = arith::SubIOp::create(b, arith::ShLIOp::create(b, word(1), narrow), word(1));
  return lanesOfBallot(arith::AndIOp::create(b, ballot, below));
}

/// Appends the positions of the lanes where `isOurs` holds; returns how many are listed then.
Value TokenLists::append(Value position, Value local, Value isOurs, Value listed) {
  Value ballot = b.ballot(isOurs);
  b.when(isOurs, [&] {
    Value item = arith::TruncIOp::create(b, b.getI32Type(), position);
    if (ids > 1)
      item = arith::OrIOp::create(b, item, arith::ShLIOp::create(b, local, word(idShift)));
    Value at = b.add(listed, number(lanesBelow(ballot)));
    writeWord(item, lists, b.add(b.mul(warp, warpItems), at));
  });
  return b.add(listed, number(lanesOfBallot(ballot)));
}

/// Looks through one chunk of positions; returns the next one and how many are listed.
Values TokenLists::look(Value chunkNumber, Value listed) {
  Values places, locals, ours;
  Value first = arith::TruncIOp::create(b, b.getI32Type(), firstId), any;
  Value range = arith::TruncIOp::create(b, b.getI32Type(), count);
  for (int64_t i = 0; i < loads; ++i) {
    Value place = b.add(b.mul(chunkNumber, chunk), b.add(lane, b.index(i * warpThreads)));
    Value safe = positions % chunk == 0 ? place : b.minimum(place, b.index(positions - 1));
    locals.push_back(arith::SubIOp::create(b, readWord(tokens, safe), first));
    places.push_back(place);
  }
  for (int64_t i = 0; i < loads; ++i) {
    Value isOurs = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, locals[i], range);
    if (positions % chunk != 0)
      isOurs = b.both(isOurs, b.less(places[i], positions));
    ours.push_back(isOurs);
    any = any ? arith::OrIOp::create(b, any, isOurs).getResult() : isOurs;
  }
  Value isAny = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, b.ballot(any), word(0));
  Values now = branch(b, isAny, listed, [&]() -> Values {
    Value sofar = listed;
    for (int64_t i = 0; i < loads; ++i)
      sofar = append(places[i], locals[i], ours[i], sofar);
    return {sofar};
  });
  return {b.add(chunkNumber, b.index(1)), now[0]};
}

void TokenLists::clearCounts() {
  Value mine = b.add(b.mul(warp, ids), lane);
  for (int64_t id = 0; id < ids; id += warpThreads)
    b.when(ids < warpThreads ? b.less(lane, ids) : Value(),
           [&] { writeWord(word(0), counts, b.add(mine, b.index(id))); });
}

/// The lanes whose bits of the id are those of this one's `item`, as a ballot of those that are `valid`.
static Value sameIds(CudaBuilder &b, Value item, Value valid, int64_t idShift) {
  Value same = b.ballot(valid), ones = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  for (int64_t bit = idShift; bit < 32; ++bit) {
    Value mask = arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(uint32_t(1) << bit)));
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, arith::AndIOp::create(b, item, mask), zero);
    Value ballot = b.ballot(isSet);
    Value agrees = b.select(isSet, ballot, arith::XOrIOp::create(b, ballot, ones));
    same = arith::AndIOp::create(b, same, agrees);
  }
  return same;
}

/// Id of a packed item.
Value TokenLists::idBits(Value item) {
  return ids > 1 ? number(arith::ShRUIOp::create(b, item, word(idShift))) : b.index(0);
}

/// Walks over the warp's list. Counts its items by id, or with `place` brings each to its place among all.
void TokenLists::walk(Value listed, bool place) {
  Value list = wordAt(lists, b.mul(warp, warpItems)), own = wordAt(counts, b.mul(warp, ids));
  forEach(b, b.index(0), listed, warpThreads, {}, [&](Value begin, ValueRange) -> Values {
    Value at = b.add(begin, lane), valid = b.less(at, listed);
    Value item = readWord(list, b.minimum(at, arith::SubIOp::create(b, listed, b.index(1))));
    Value id = idBits(item), next = readWord(own, id);
    Value same = sameIds(b, item, valid, idShift), rank = lanesBelow(same);
    if (place)
      b.when(valid, [&] { writeWord(item, sorted, number(arith::AddIOp::create(b, next, rank))); });
    b.syncWarp();
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rank, word(0));
    b.when(b.both(valid, isFirst), [&] { writeWord(arith::AddIOp::create(b, next, lanesOfBallot(same)), own, id); });
    b.syncWarp();
    return {};
  });
}

/// The sum of what the lanes below this one have; `total`: of what all have.
Value TokenLists::prefix(Value own, Value &total) {
  total = own;
  Value below = word(0), narrow = arith::TruncIOp::create(b, b.getI32Type(), lane);
  for (int64_t mask = 1; mask < warpThreads; mask *= 2) {
    Value other = b.exchange(total, mask);
    Value bit = arith::AndIOp::create(b, narrow, word(mask));
    Value isUpper = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, word(0));
    below = arith::AddIOp::create(b, below, b.select(isUpper, other, word(0)));
    total = arith::AddIOp::create(b, total, other);
  }
  return below;
}

/// Makes places of the counts: by one warp, each lane with its ids.
void TokenLists::addCounts() {
  int64_t own = std::max<int64_t>(1, ids / warpThreads);
  Value first = b.mul(lane, own), isOurs, sum = word(0), total;
  if (ids < warpThreads) {
    isOurs = b.less(lane, ids);
    first = b.minimum(first, b.index(ids - 1));
  }
  Values numbers;
  for (int64_t i = 0; i < own * warps; ++i) {
    Value at = b.add(first, b.index(i % warps * ids + i / warps));
    numbers.push_back(b.select(isOurs, readWord(counts, at), word(0)));
    sum = arith::AddIOp::create(b, sum, numbers.back());
  }
  Value next = prefix(sum, total);
  b.syncWarp();
  b.when(isOurs, [&] {
    for (int64_t i = 0; i < own * warps; ++i) {
      if (i % warps == 0)
        writeWord(next, starts, b.add(first, b.index(i / warps)));
      writeWord(next, counts, b.add(first, b.index(i % warps * ids + i / warps)));
      next = arith::AddIOp::create(b, next, numbers[i]);
    }
  });
  Value left = readWord(unread, b.remainder(lane, warps));
  Value anyLeft = b.ballot(arith::CmpIOp::create(b, arith::CmpIPredicate::ne, left, word(0)));
  b.when(b.less(lane, 1), [&] {
    writeWord(total, starts, b.index(ids));
    writeWord(anyLeft, again, b.index(0));
  });
}

void TokenLists::forEachFilling(llvm::function_ref<void(Value)> body) {
  int64_t chunks = llvm::divideCeil(positions, chunk), share = llvm::divideCeil(chunks, warps);
  Value begin = b.minimum(b.mul(warp, share), b.index(chunks));
  Value end = b.minimum(b.add(begin, b.index(share)), b.index(chunks));
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true)),
        no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  repeatWhile(b, {begin, yes}, [&](ValueRange carried) -> Values {
    clearCounts();
    Values looked = whileHolds(
        b, {carried[0], b.index(0)},
        [&](ValueRange now) { return b.both(b.less(now[0], end), b.less(now[1], warpItems - chunk + 1)); },
        [&](ValueRange now) { return look(now[0], now[1]); });
    b.when(b.less(lane, 1),
           [&] { writeWord(arith::ExtUIOp::create(b, b.getI32Type(), b.less(looked[0], end)), unread, warp); });
    b.syncWarp();
    walk(looked[1], /*place=*/false);
    b.barrier();
    b.when(b.less(thread, warpThreads), [&] { addCounts(); });
    b.barrier();
    walk(looked[1], /*place=*/true);
    b.barrier();
    body(carried[1]);
    Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, readWord(again, b.index(0)), word(0));
    return {looked[0], no, more};
  });
}

Value TokenLists::size() { return start(b.index(ids)); }
Value TokenLists::start(Value id) { return number(readWord(starts, id)); }
Value TokenLists::idOf(Value item) { return idBits(readWord(sorted, item)); }

Value TokenLists::positionOf(Value item) {
  Value packed = readWord(sorted, item);
  if (ids > 1)
    packed = arith::AndIOp::create(b, packed, word((int64_t(1) << idShift) - 1));
  return number(packed);
}
