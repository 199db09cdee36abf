//===- AddOptimizer.cpp - gradient norm, clipping, AdamW ----------------------===//
#include "ir/kern/Slots.h"
#include "ir/seq/ActivationType.h"
#include "ir/seq/EntryNames.h"
#include "ir/seq/Purpose.h"
#include "passes/entries/Passes.h"
#include "passes/support/ParameterLayout.h"
#include "passes/support/Requirements.h"
#include "passes/support/RowBuilder.h"
#include "passes/support/Scans.h"
#include "runtime/abi/abi.h"

namespace stretto::passes {
#define GEN_PASS_DEF_ADDOPTIMIZER
#include "passes/entries/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;
using kern::Arena;
using kern::RowMap;

namespace {
struct AddOptimizerPass : stretto::passes::impl::AddOptimizerBase<AddOptimizerPass> {
  void runOnOperation() final {
    ParameterLayout layout = layoutParameters(getOperation());
    real = layout.elementType;
    flat = RankedTensorType::get({1, rowsOf(layout.trainableBytes), flatColumns}, real);
    allSquares = RankedTensorType::get({1, rowsOf(layout.squaresBytes), flatColumns}, real);
    factors = RankedTensorType::get({1, flat.getDimSize(1), 2 * layout.factorColumns}, real);
    scalar = RankedTensorType::get({1}, real);
    rounded = roundedActivationType(getOperation());
    for (StringRef name : {entryname::squares, entryname::norm, entryname::apply, entryname::accumulate,
                           entryname::takeAccumulated, entryname::roundParameters})
      if (failed(requireFreeName(getOperation(), name, getArgument())))
        return signalPassFailure();
    addSquares();
    addNorm();
    addApply();
    addAccumulate();
    addTakeAccumulated();
    if (rounded)
      addRoundParameters(RankedTensorType::get({1, layout.roundedBytes / 2 / flatColumns, flatColumns}, real));
  }

private:
  int64_t rowsOf(int64_t bytes) { return bytes * 8 / real.getIntOrFloatBitWidth() / flatColumns; }

  kern::SlotAttr start(Arena arena, int64_t offset = 0) {
    return kern::SlotAttr::get(&getContext(), arena, offset, 0, 0);
  }

  /// A function with arguments at these places; the builder stands in it.
  func::FuncOp addFunction(RowBuilder &b, StringRef name, ArrayRef<std::pair<Type, kern::SlotAttr>> arguments) {
    auto types = llvm::map_to_vector(arguments, [](auto argument) { return argument.first; });
    b.setInsertionPointToEnd(getOperation().getBody());
    auto function = func::FuncOp::create(b, name, b.getFunctionType(types, {}));
    setEntryKind(function, seq::EntryKind::optimizer);
    for (auto [i, argument] : llvm::enumerate(arguments))
      function.setArgAttr(i, kern::slotAttr, argument.second);
    b.setInsertionPointToStart(function.addEntryBlock());
    return function;
  }

  void finish(RowBuilder &b, func::FuncOp function, ArrayRef<std::pair<Value, kern::SlotAttr>> results) {
    auto values = llvm::map_to_vector(results, [](auto result) { return result.first; });
    func::ReturnOp::create(b, values);
    updateType(function);
    for (auto [i, result] : llvm::enumerate(results))
      function.setResultAttr(i, kern::slotAttr, result.second);
  }

  using Body = llvm::function_ref<SmallVector<Value>(RowBuilder &, ArrayRef<Value>)>;

  /// A kernel whose body `make` computes from one row of each row operand and the whole of each shared one.
  kern::RowwiseOp addKernel(RowBuilder &b, StringRef name, ValueRange inputs, ArrayRef<RowMap> maps, TypeRange results,
                            Body make) {
    SmallVector<Attribute> mapAttributes;
    for (RowMap map : maps)
      mapAttributes.push_back(kern::RowMapAttr::get(&getContext(), map));
    auto op = kern::RowwiseOp::create(b, results, inputs, b.getArrayAttr(mapAttributes), /*partial_sums=*/false,
                                      b.getStringAttr(name), kern::Schedule(), kern::ResourcesAttr());
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&op.getBody());
    for (auto [input, map] : llvm::zip(inputs, maps)) {
      auto type = typeOf(input);
      auto shape = type.getShape().drop_front(map == RowMap::row ? 2 : 0);
      block->addArgument(RankedTensorType::get(shape, type.getElementType()), b.getLoc());
    }
    kern::YieldOp::create(b, make(b, SmallVector<Value>(block->getArguments())));
    return op;
  }

  static Value sumOf(RowBuilder &b, Value row) { return b.reshape(b.reduce(seq::ReduceKind::add, row), {1}); }

  Value addRoot(RowBuilder &b, Value squares) {
    Value row = b.reshape(squares, {1, 1, 1});
    return addKernel(
               b, "norm.root", row, RowMap::row, row.getType(),
               [&](RowBuilder &b, ArrayRef<Value> row) { return SmallVector<Value>{math::SqrtOp::create(b, row[0])}; })
        .getResult(0);
  }

  /// Numbers of the HYPER arena inside of a kernel.
  struct Hyper {
    RowBuilder &b;
    Value all;
    Value get(stretto_hyper position) { return b.slice(all, position, 1); }
  };

  Value round(RowBuilder &b, Value row) { return arith::TruncFOp::create(b, typeOf(row).clone(rounded), row); }

  /// Factors of learning rates or weight decays of a row, for each of its columns.
  static Value factorOf(RowBuilder &b, Value factors, bool isOfDecay, int64_t columns) {
    int64_t count = columnsOf(factors) / 2;
    Value own = b.slice(factors, isOfDecay ? count : 0, count);
    return b.reshape(b.alongColumns(own, columns / count), {columns});
  }

  /// Operands: parameters, gradients, moments, the squared norm, HYPER, and factors where weights have them.
  static SmallVector<Value> adamW(RowBuilder &b, ArrayRef<Value> operands) {
    Value p = operands[0], g = operands[1], m = operands[2], v = operands[3];
    Hyper hyper{b, operands[5]};
    int64_t columns = columnsOf(p);
    auto wide = [&](Value one) { return b.broadcast(b.reshape(one, {}), {}, {columns}); };
    Type one = hyper.get(STRETTO_HYPER_BETA1).getType();
    Value norm = math::SqrtOp::create(b, operands[4]);
    Value clip = b.div(hyper.get(STRETTO_HYPER_CLIP_NORM), b.add(norm, b.splat(one, 1e-6)));
    clip = b.select(b.less(clip, b.splat(one, 1.0)), clip, b.splat(one, 1.0));
    Value rate = hyper.get(STRETTO_HYPER_LEARNING_RATE), decay = hyper.get(STRETTO_HYPER_WEIGHT_DECAY);
    Value beta1 = hyper.get(STRETTO_HYPER_BETA1), beta2 = hyper.get(STRETTO_HYPER_BETA2);
    Value lost = wide(b.mul(rate, decay)), step = wide(b.div(rate, hyper.get(STRETTO_HYPER_BIAS_CORRECTION1)));
    if (operands.size() > 6) {
      Value ofRate = factorOf(b, operands[6], /*isOfDecay=*/false, columns);
      lost = b.mul(b.mul(lost, ofRate), factorOf(b, operands[6], /*isOfDecay=*/true, columns));
      step = b.mul(step, ofRate);
    }
    Value keep = b.sub(b.splat(lost.getType(), 1.0), lost);
    Value root = math::SqrtOp::create(b, hyper.get(STRETTO_HYPER_BIAS_CORRECTION2));
    Value scaled = b.mul(g, wide(clip));
    Value newM = b.add(b.mul(wide(beta1), m), b.mul(wide(b.sub(b.splat(one, 1.0), beta1)), scaled));
    Value newV = b.add(b.mul(wide(beta2), v), b.mul(wide(b.sub(b.splat(one, 1.0), beta2)), b.mul(scaled, scaled)));
    Value denominator = b.add(b.div(math::SqrtOp::create(b, newV), wide(root)), wide(hyper.get(STRETTO_HYPER_EPSILON)));
    Value newP = b.sub(b.mul(p, keep), b.mul(step, b.div(newM, denominator)));
    return {newP, newM, newV};
  }

  void addSquares() {
    RowBuilder b(NameLoc::get(StringAttr::get(&getContext(), "optimizer")), &getContext());
    func::FuncOp function = addFunction(b, entryname::squares, {{flat, start(Arena::gradients)}});
    auto rows = RankedTensorType::get({1, flat.getDimSize(1), 1}, real);
    auto sums = addKernel(
        b, "squares.sum", function.getArgument(0), RowMap::row, rows,
        [&](RowBuilder &b, ArrayRef<Value> row) { return SmallVector<Value>{sumOf(b, b.mul(row[0], row[0]))}; });
    finish(b, function, {{sums.getResult(0), start(Arena::squares)}});
  }

  void addNorm() {
    RowBuilder b(NameLoc::get(StringAttr::get(&getContext(), "optimizer")), &getContext());
    func::FuncOp function = addFunction(b, entryname::norm, {{allSquares, start(Arena::squares)}});
    auto sum =
        addKernel(b, "norm.sum", function.getArgument(0), RowMap::row, scalar, [&](RowBuilder &b, ArrayRef<Value> row) {
          return SmallVector<Value>{b.columnSum(sumOf(b, row[0]), 1)};
        });
    finish(b, function,
           {{sum.getResult(0), start(Arena::outputs, gradSquaresOffset)},
            {addRoot(b, sum.getResult(0)), start(Arena::outputs, gradNormOffset)}});
  }

  void addApply() {
    RowBuilder b(NameLoc::get(StringAttr::get(&getContext(), "optimizer")), &getContext());
    auto hyper = RankedTensorType::get({STRETTO_HYPER_COUNT}, real);
    SmallVector<std::pair<Type, kern::SlotAttr>> operands{{flat, start(Arena::parameters)},
                                                          {flat, start(Arena::gradients)},
                                                          {flat, start(Arena::moment1)},
                                                          {flat, start(Arena::moment2)},
                                                          {scalar, start(Arena::outputs, gradSquaresOffset)},
                                                          {hyper, start(Arena::hyper)}};
    SmallVector<RowMap> maps{RowMap::row, RowMap::row, RowMap::row, RowMap::row, RowMap::shared, RowMap::shared};
    if (factors.getShape().back() > 0) {
      operands.emplace_back(factors, start(Arena::factors));
      maps.push_back(RowMap::row);
    }
    func::FuncOp function = addFunction(b, entryname::apply, operands);
    SmallVector<Type> types(3, flat);
    if (rounded)
      types.push_back(flat.clone(rounded));
    auto step =
        addKernel(b, "apply.adamw", function.getArguments(), maps, types, [&](RowBuilder &b, ArrayRef<Value> operands) {
          SmallVector<Value> results = adamW(b, operands);
          if (rounded)
            results.push_back(round(b, results[0]));
          return results;
        });
    SmallVector<std::pair<Value, kern::SlotAttr>> results{{step.getResult(0), start(Arena::parameters)},
                                                          {step.getResult(1), start(Arena::moment1)},
                                                          {step.getResult(2), start(Arena::moment2)}};
    if (rounded)
      results.emplace_back(step.getResult(3), start(Arena::rounded));
    finish(b, function, results);
  }

  /// `all`: trainable and frozen parameters.
  void addRoundParameters(RankedTensorType all) {
    RowBuilder b(NameLoc::get(StringAttr::get(&getContext(), "optimizer")), &getContext());
    func::FuncOp function = addFunction(b, entryname::roundParameters, {{all, start(Arena::parameters)}});
    auto kernel = addKernel(b, "round_parameters.round", function.getArgument(0), RowMap::row, all.clone(rounded),
                            [&](RowBuilder &b, ArrayRef<Value> row) { return SmallVector<Value>{round(b, row[0])}; });
    finish(b, function, {{kernel.getResult(0), start(Arena::rounded)}});
  }

  void addAccumulate() {
    RowBuilder b(NameLoc::get(StringAttr::get(&getContext(), "optimizer")), &getContext());
    func::FuncOp accumulate =
        addFunction(b, entryname::accumulate, {{flat, start(Arena::accumulator)}, {flat, start(Arena::gradients)}});
    auto sum = addKernel(b, "accumulate.add", accumulate.getArguments(), {RowMap::row, RowMap::row}, flat,
                         [&](RowBuilder &b, ArrayRef<Value> row) { return SmallVector<Value>{b.add(row[0], row[1])}; });
    finish(b, accumulate, {{sum.getResult(0), start(Arena::accumulator)}});
  }

  void addTakeAccumulated() {
    RowBuilder b(NameLoc::get(StringAttr::get(&getContext(), "optimizer")), &getContext());
    func::FuncOp take = addFunction(b, entryname::takeAccumulated, {{flat, start(Arena::accumulator)}});
    Value copy = kern::CopyOp::create(b, flat, take.getArgument(0));
    Value zero = b.splat(flat, 0.0);
    finish(b, take, {{copy, start(Arena::gradients)}, {zero, start(Arena::accumulator)}});
  }

  Type real, rounded; // `rounded` is null where parameters have no bf16 copy
  RankedTensorType flat, allSquares, factors, scalar;
};
} // namespace
