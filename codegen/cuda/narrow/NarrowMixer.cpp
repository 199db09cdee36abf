//===- NarrowMixer.cpp - mixers with many heads of a few columns -----------------===//
#include "codegen/cuda/narrow/NarrowMixer.h"

#include "codegen/cuda/LibraryKernels.h"
#include "codegen/memory/Views.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t leastHeads = 16;  // fewer have too few threads
constexpr int64_t mostNumbers = 64; // of the state of a head
constexpr int64_t mostValues = 8;   // columns, in registers of a thread
constexpr int64_t mostStates = 128; // bytes of the states of a thread that are in registers together
constexpr int64_t mostOfWarp = 48 << 10, mostOfBlock = 160 << 10; // bytes of shared memory
} // namespace

//===- Sizes ------------------------------------------------------------------===//

template <typename Op>
NarrowMixer::NarrowMixer(Op op)
    : q(op.getQ()), k(op.getK()), v(op.getV()), decay(op.getDecay()), write(op.getWrite()), beta(op.getBeta()),
      erase(op.getErase()), eraseWrite(op.getEraseWrite()), positions(op.getPositions()),
      batch(typeOf(v).getDimSize(0)), length(typeOf(v).getDimSize(1)), segment(op.getSegment()), heads(op.getHeads()),
      keyHeads(op.getKeyHeads()), keys(op.getKeyColumns()), values(op.getValueColumns()),
      scale(op.getScale().convertToDouble()), byChannel(op.decaysByChannel()), before(op.getReadBefore()),
      stored(typeOf(v).getElementType()), real(stored.isF64() ? stored : Float32Type::get(stored.getContext())) {
  if constexpr (std::is_same_v<Op, seq::MixerGradOp>)
    headsOfPart = op.getHeadsOfPart();
}

template NarrowMixer::NarrowMixer(seq::MixerOp);
template NarrowMixer::NarrowMixer(seq::MixerGradOp);

int64_t NarrowMixer::together() const {
  int64_t fit = mostStates / (values * elementBytes(real));
  return std::clamp<int64_t>(llvm::bit_floor(static_cast<uint64_t>(fit)), 2, 16);
}

int64_t NarrowMixer::stateBytes() const { return groupsOfSegment() * values * warpThreads * elementBytes(real); }

/// For two tokens in turns, dq and dk of each thread.
int64_t NarrowMixer::exchangeBytes() const { return headsOfPart == 1 ? 0 : 2 * 2 * threads() * elementBytes(real); }

bool stretto::codegen::isNarrowMixer(Operation *op) {
  auto fits = [](auto op) {
    NarrowMixer mixer(op);
    return mixer.heads >= leastHeads && mixer.keys * mixer.values <= mostNumbers && mixer.lanes() <= warpThreads &&
           mixer.values <= mostValues && mixer.stateBytes() <= mostOfWarp && mixer.sharedBytes() <= mostOfBlock;
  };
  return TypeSwitch<Operation *, bool>(op).Case<seq::MixerOp, seq::MixerGradOp>(fits).Default(false);
}

//===- Threads ----------------------------------------------------------------===//

NarrowThread::NarrowThread(CudaBuilder &b, gpu::GPUModuleOp kernels, Operation *op, const NarrowMixer &mixer)
    : b(b), mixer(mixer), function(b, kernels, op), op(op) {
  int64_t lanes = mixer.lanes(), inUse = mixer.heads * lanes;
  int64_t threads = mixer.threads();
  Value number = b.add(b.mul(b.blockIndexX(mixer.blocks()), threads), b.threadIndex(threads));
  Value isThere = inUse % threads ? b.less(number, inUse) : Value();
  Value lane = b.remainder(number, lanes);
  sequence = b.blockIndexY(mixer.batch);
  head = b.divide(isThere ? b.minimum(number, b.index(inUse - 1)) : number, lanes);
  keyHead = b.divide(head, mixer.heads / mixer.keyHeads);
  key = lanes == mixer.keys ? lane : b.minimum(lane, b.index(mixer.keys - 1));
  ownsKey = b.both(isThere, lanes == mixer.keys ? Value() : b.less(lane, mixer.keys));
  ownsHead = b.both(isThere, lanes == 1 ? Value() : b.less(lane, 1));
}

CudaLaunch NarrowThread::launch() const {
  auto flops = static_cast<int64_t>(cast<seq::LibraryOp>(op).getFlops());
  return {{mixer.blocks(), mixer.batch}, mixer.threads(), flops};
}

Value NarrowThread::times(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
Value NarrowThread::sumOfHead(Value value) { return b.reduceLanes(seq::ReduceKind::add, value, mixer.lanes()); }

//===- Memory -----------------------------------------------------------------===//

Value NarrowThread::buffer(Value value) {
  if (auto result = dyn_cast<OpResult>(value); result && result.getOwner() == op)
    return function.buffer(op->getNumOperands() + result.getResultNumber());
  return function.buffer(static_cast<unsigned>(llvm::find(op->getOperands(), value).getIndex()));
}

Value NarrowThread::widen(Value value) {
  return value.getType() == mixer.real ? value : arith::ExtFOp::create(b, mixer.real, value);
}

/// Rows without batch and time are the same for all tokens.
static Value placeIn(CudaBuilder &b, Value buffer, Value rows, Value row, Value column) {
  Type element = typeOf(rows).getElementType();
  Value begin = typeOf(rows).getRank() == 1 ? buffer : b.address(buffer, element, b.mul(row, rowStride(rows)));
  return b.address(begin, element, column);
}

Value NarrowThread::columnOfHead(int64_t columns, int64_t column) {
  return b.add(b.mul(head, columns), b.index(column));
}
Value NarrowThread::columnOfKey() { return b.add(b.mul(head, mixer.keys), key); }

Value NarrowThread::load(Value rows, Value row, Value column) {
  return widen(b.load(typeOf(rows).getElementType(), 1, placeIn(b, buffer(rows), rows, row, column)));
}

void NarrowThread::store(Value where, Value rows, const NarrowToken &token, Value column, Value value) {
  Type element = typeOf(rows).getElementType();
  b.when(b.both(token.valid, where), [&] {
    Value narrow = element == mixer.real ? value : arith::TruncFOp::create(b, element, value);
    b.store(narrow, placeIn(b, buffer(rows), rows, token.row, column));
  });
}

void NarrowThread::storeOfKey(Value rows, const NarrowToken &token, Value value) {
  store(ownsKey, rows, token, columnOfKey(), value);
}

void NarrowThread::storeOfHead(Value rows, const NarrowToken &token, int64_t columns, int64_t column, Value value) {
  store(ownsHead, rows, token, columnOfHead(columns, column), value);
}

/// Of [batch, heads, segments, keys * values].
Value NarrowThread::placeOfState(Value states, Value segment) {
  Value number = b.add(b.mul(b.add(b.mul(sequence, mixer.heads), head), mixer.segments()), segment);
  Value row = b.add(b.mul(number, mixer.keys), key);
  return b.address(buffer(states), mixer.real, b.mul(row, mixer.values));
}

Values NarrowThread::loadState(Value states, Value segment) {
  Value place = placeOfState(states, segment);
  Values state;
  for (int64_t e = 0; e < mixer.values; ++e)
    state.push_back(b.select(ownsKey, b.load(mixer.real, 1, b.address(place, mixer.real, e)), zero()));
  return state;
}

void NarrowThread::storeState(Value states, Value segment, ValueRange state) {
  Value place = placeOfState(states, segment);
  b.when(ownsKey, [&] {
    for (auto [e, number] : llvm::enumerate(state))
      b.store(number, b.address(place, mixer.real, static_cast<int64_t>(e)));
  });
}

//===- Tokens -----------------------------------------------------------------===//

NarrowToken NarrowThread::read(Value number, bool mayBeNone) {
  NarrowToken token;
  if (mayBeNone) {
    token.valid = b.less(number, mixer.length);
    number = b.minimum(number, b.index(mixer.length - 1));
  }
  token.row = b.add(b.mul(sequence, mixer.length), number);
  token.begins = beginsAt(token);
  Value ofSharedKey = b.add(b.mul(keyHead, mixer.keys), key);
  token.q = loadOfKey(mixer.q, token, ofSharedKey), token.k = loadOfKey(mixer.k, token, ofSharedKey);
  for (int64_t e = 0; e < mixer.values; ++e)
    token.v.push_back(load(mixer.v, token.row, columnOfHead(mixer.values, e)));
  if (mixer.decay) {
    Value kept = math::ExpOp::create(b, load(mixer.decay, token.row, mixer.byChannel ? columnOfKey() : head));
    token.kept = b.select(token.valid, kept, b.real(mixer.real, 1));
  }
  if (Value strength = mixer.beta ? mixer.beta : mixer.write)
    token.w = load(strength, token.row, head);
  if (mixer.erases()) {
    token.r = mixer.beta ? times(token.w, token.k) : loadOfKey(mixer.erase, token, columnOfKey());
    token.p = mixer.eraseWrite ? loadOfKey(mixer.eraseWrite, token, columnOfKey()) : token.k;
  }
  return token;
}

/// Zero where there is no such token, or the thread has no key column.
Value NarrowThread::loadOfKey(Value rows, const NarrowToken &token, Value column) {
  return b.select(b.both(token.valid, ownsKey), load(rows, token.row, column), zero());
}

Value NarrowThread::beginsAt(const NarrowToken &token) {
  if (!mixer.positions)
    return {};
  Value position = b.load(b.getI32Type(), 1, b.address(buffer(mixer.positions), b.getI32Type(), token.row));
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  return b.both(token.valid, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, position, none));
}

Values NarrowThread::stateBefore(const NarrowToken &token, ValueRange state) {
  Values before;
  for (Value number : state)
    before.push_back(token.begins ? b.select(token.begins, zero(), number) : number);
  return before;
}

Values NarrowThread::written(const NarrowToken &token) {
  Values u;
  for (Value v : token.v)
    u.push_back(token.w ? times(token.w, v) : v);
  return u;
}

Values NarrowThread::readable(const NarrowToken &token, ValueRange before) {
  Values seen;
  for (Value number : before)
    seen.push_back(token.kept && !mixer.before ? times(token.kept, number) : number);
  return seen;
}

Values NarrowThread::erased(const NarrowToken &token, ValueRange before) {
  Values sums;
  for (Value number : readable(token, before))
    sums.push_back(sumOfHead(times(token.r, number)));
  return sums;
}

Values NarrowThread::advance(const NarrowToken &token, ValueRange before) {
  Values u = written(token), next;
  for (auto [number, value] : llvm::zip_equal(before, u)) {
    Value stays = token.kept ? times(token.kept, number) : number;
    next.push_back(b.mulAdd(token.k, value, stays));
  }
  if (mixer.erases())
    for (auto [number, read] : llvm::zip_equal(next, erased(token, before)))
      number = arith::SubFOp::create(b, number, times(token.p, read));
  return next;
}

/// The table's entry for one operation.
template <typename Op, void (*Build)(CudaBuilder &, gpu::GPUModuleOp, Op)> static LibraryKernel kernelFor() {
  return {Op::getOperationName(), "mixer",
          [](CudaBuilder &b, gpu::GPUModuleOp kernels, Operation *op) {
            Build(b, kernels, cast<Op>(op));
            return success();
          },
          isNarrowMixer};
}

const LibraryKernel stretto::codegen::narrowMixerKernel = kernelFor<seq::MixerOp, buildNarrowMixer>();
const LibraryKernel stretto::codegen::narrowMixerGradKernel = kernelFor<seq::MixerGradOp, buildNarrowMixerGrad>();
