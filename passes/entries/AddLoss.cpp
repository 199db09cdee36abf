//===- AddLoss.cpp - the training and the evaluation function of a model ------===//
#include "ir/seq/EntryNames.h"
#include "passes/entries/DropUnread.h"
#include "passes/entries/Passes.h"
#include "passes/support/Refusal.h"
#include "passes/support/Requirements.h"
#include "passes/support/RowBuilder.h"
#include "passes/support/Scans.h"

#include "ir/seq/LossTerms.h"
#include "ir/seq/Purpose.h"
#include "ir/seq/SourceNames.h"
#include "ir/seq/TensorBytes.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"

namespace stretto::passes {
#define GEN_PASS_DEF_ADDLOSS
#include "passes/entries/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// What the model computes, inside one of the functions made from it.
struct ModelBody {
  func::FuncOp function;
  Value logits, added; // what @main returned; null where nothing is added to the loss of a token
  seq::LinearOp head;  // the matmul that makes the logits, if one does and nothing else uses them
  Location loc;        // of what makes the logits
};

/// What the backward begins with.
struct Seeds {
  SmallVector<Value> values, gradients;

  void add(Value value, Value gradient) {
    values.push_back(value);
    gradients.push_back(gradient);
  }
};

/// Where the logits are made, the source has no name for what is made of them.
Location lossLocation(Location loc) { return nameOperation(loc, "loss"); }

/// The largest divisor of `rows` whose logits fit `bytes`; at least one.
int64_t chunkRows(int64_t rows, int64_t rowBytes, int64_t bytes) {
  int64_t best = 1;
  for (int64_t d = 1; d * d <= rows; ++d) {
    if (rows % d != 0)
      continue;
    for (int64_t candidate : {d, rows / d})
      if (candidate * rowBytes <= bytes)
        best = std::max(best, candidate);
  }
  return best;
}

struct AddLossPass : stretto::passes::impl::AddLossBase<AddLossPass> {
  using AddLossBase::AddLossBase;

  void runOnOperation() final {
    func::FuncOp main = requireModel(getOperation());
    if (!main)
      return signalPassFailure();
    for (StringRef name : {entryname::evaluate, entryname::gradients})
      if (failed(requireFreeName(getOperation(), name, getArgument())))
        return signalPassFailure();
    Type tokens = main.getArgumentTypes()[0];
    Type real = cast<RankedTensorType>(main.getResultTypes()[0]).getElementType();
    auto weights = RankedTensorType::get(cast<RankedTensorType>(tokens).getShape(), real);
    dropUnread(main);
    func::FuncOp evaluate = copyForLogits(main, entryname::evaluate);
    warnOfLookingAhead(main, evaluate);
    if (failed(refuseLossOfTokens(evaluate)))
      return signalPassFailure();
    buildEvaluate(openBody(evaluate, seq::EntryKind::evaluation, {tokens, tokens}));
    func::FuncOp gradients = main.clone();
    gradients.setName(entryname::gradients);
    SymbolTable(getOperation()).insert(gradients);
    buildGradients(openBody(gradients, seq::EntryKind::training, {tokens, tokens, weights}));
    main.erase();
  }

  /// Visits the operations of a function and of the bodies that it scans.
  static void walkAll(func::FuncOp function, llvm::function_ref<void(Operation *)> visit) {
    for (func::FuncOp body : scanBodiesOf(function))
      body.walk(visit);
    function.walk(visit);
  }

  /// The target of each token is the next one. `evaluate` makes logits and nothing else, `main` also what is added to
  /// the loss, where means over the batch have their place.
  static void warnOfLookingAhead(func::FuncOp main, func::FuncOp evaluate) {
    llvm::DenseSet<Location> told;
    auto warn = [&](Operation *op, StringRef what, StringRef who) {
      if (told.insert(op->getLoc()).second)
        emitWarning(op->getLoc()) << what << " shows each token the next one, which " << who;
    };
    auto looksAhead = [](Operation *op) {
      auto attention = dyn_cast<seq::AttentionOp>(op);
      return attention && !attention.getCausal();
    };
    walkAll(evaluate, [&](Operation *op) {
      constexpr StringLiteral who = "the model is trained to predict: losses and scores tell nothing";
      if (looksAhead(op))
        warn(op, "attention with causal = false", who);
      if (isa<seq::BatchMeanOp, seq::ColumnSumOp>(op))
        warn(op, "the mean over a batch", who);
    });
    bool predicts = false;
    walkAll(main, [&](Operation *op) { predicts |= isa<seq::TokenLossOp>(op); });
    walkAll(main, [&](Operation *op) {
      if (predicts && looksAhead(op))
        warn(op, "attention with causal = false", "next_token_loss is of: that loss may tell nothing");
    });
  }

  /// A token that is to be predicted must not be known. `evaluate` makes logits and nothing else.
  static LogicalResult refuseLossOfTokens(func::FuncOp evaluate) {
    SmallVector<func::FuncOp> functions = scanBodiesOf(evaluate);
    functions.push_back(evaluate);
    for (func::FuncOp function : functions)
      for (auto loss : function.getOps<seq::TokenLossOp>())
        return refuseModel(loss) << "logits must not depend on the loss of the next token: it may only be added to "
                                    "the loss of the model";
    return success();
  }

  /// Gives the targets to what asks for them in a function and in the bodies that it scans.
  static void giveTargets(func::FuncOp function, Value targets) {
    for (Operation &op : function.getBody().front()) {
      if (auto loss = dyn_cast<seq::TokenLossOp>(op))
        loss.getTargetsMutable().assign(targets);
      auto scan = dyn_cast<seq::ScanOp>(op);
      func::FuncOp body = scan ? bodyOf(scan) : func::FuncOp();
      if (!body || body.getOps<seq::TokenLossOp>().empty())
        continue;
      scan.getInvariantsMutable().append(targets);
      giveTargets(body, addArgument(body, body.getNumArguments(), targets.getType(), body.getLoc()));
    }
  }

  /// Takes the return off a copy of @main, and gives it more arguments.
  static ModelBody openBody(func::FuncOp copy, seq::EntryKind kind, ArrayRef<Type> arguments) {
    setEntryKind(copy, kind);
    Block &block = copy.getBody().front();
    for (Type type : arguments.drop_front())
      block.addArgument(type, copy.getLoc());
    Operation *end = block.getTerminator();
    Value logits = end->getOperand(0), added = end->getNumOperands() > 1 ? end->getOperand(1) : Value();
    ModelBody body{copy, logits, added, nullptr, logits.getLoc()};
    end->erase();
    if (auto head = logits.getDefiningOp<seq::LinearOp>();
        head && head->use_empty() && !head.getResidual() && added != logits)
      body.head = head;
    return body;
  }

  void finish(ModelBody &body, RowBuilder &b, ValueRange results) {
    func::ReturnOp::create(b, results);
    updateType(body.function);
  }

  /// How many chunks the head is computed in; 1: all logits at once.
  int64_t headChunks(ModelBody &body) {
    auto type = typeOf(body.logits);
    int64_t rows = type.getDimSize(0) * type.getDimSize(1);
    int64_t ofRow = rowBytes(body.logits);
    auto options = remark::RemarkOpts::name("HeadChunks").category("memory").function(body.function.getName());
    if (rows * ofRow <= headBytes)
      return 1;
    if (!body.head) {
      remark::missed(body.loc, options)
          << "logits are held whole: the model does not end in a matmul that nothing else reads"
          << remark::metric("Bytes", rows * ofRow);
      return 1;
    }
    int64_t chunk = chunkRows(rows, ofRow, headBytes);
    if (chunk < std::min<int64_t>(rows, 32)) {
      remark::missed(body.loc, options) << "logits are held whole: the number of positions has no divisor that gives "
                                           "chunks of 32 rows or more within the limit"
                                        << remark::metric("Bytes", rows * ofRow);
      return 1;
    }
    remark::passed(body.loc, options) << "head and loss in chunks of rows" << remark::metric("Rows", chunk)
                                      << remark::metric("BytesNotHeld", (rows - chunk) * ofRow);
    return rows / chunk;
  }

  //===- Training -------------------------------------------------------------===//

  void buildGradients(ModelBody body) {
    Block &block = body.function.getBody().front();
    RowBuilder b(body.loc, OpBuilder::atBlockEnd(&block));
    Value targets = block.getArgument(1), weights = block.getArgument(2), losses;
    Seeds seeds;
    giveTargets(body.function, targets);
    if (int64_t chunks = headChunks(body); chunks > 1) {
      losses = lossInChunks(body, b, targets, weights, chunks, seeds);
    } else {
      seq::CrossEntropyOp loss = createLoss(b, body.logits, targets, weights);
      seeds.add(body.logits, loss.getDlogits());
      losses = loss.getLoss();
    }
    auto shape = typeOf(losses).getShape();
    auto ofRows = [&](Value numbers) { return b.reshape(numbers, {shape[0], shape[1], 1}); };
    if (body.added)
      seeds.add(body.added, ofRows(weights));
    seq::BackwardOp::create(b, seeds.values, seeds.gradients);
    b.setLoc(lossLocation(body.loc));
    losses = ofRows(losses);
    if (body.added)
      losses = b.add(losses, b.mul(seeds.gradients.back(), body.added));
    finish(body, b, b.columnSum(losses, 1));
  }

  /// The loss with the terms that the module asks for.
  seq::CrossEntropyOp createLoss(RowBuilder &b, Value logits, Value targets, Value weights) {
    auto coefficient = [&](StringRef name) { return getOperation()->getAttrOfType<FloatAttr>(name); };
    return seq::CrossEntropyOp::create(b, lossLocation(b.getLoc()), logits, targets, weights,
                                       coefficient(nllSquareAttr), coefficient(zLossAttr));
  }

  /// A function for the body of a scan over chunks, with an empty block.
  func::FuncOp chunkFunction(RowBuilder &b, StringRef name, ArrayRef<Type> arguments, ArrayRef<Type> results) {
    auto function = func::FuncOp::create(b.getLoc(), name, b.getFunctionType(arguments, results));
    function.setPrivate();
    SymbolTable(getOperation()).insert(function);
    function.addEntryBlock();
    return function;
  }

  Value lossInChunks(ModelBody &body, RowBuilder &b, Value targets, Value weights, int64_t chunks, Seeds &seeds) {
    Value h = body.head.getOperand(), w = body.head.getWeight();
    body.head.erase();
    Value hs = inChunks(b, h, chunks), ts = inChunks(b, targets, chunks), ws = inChunks(b, weights, chunks);
    SmallVector<Type> chunkTypes{chunkType(hs), chunkType(ts), chunkType(ws), w.getType()},
        results{chunkType(ws), chunkType(hs)}, scanned{ws.getType(), hs.getType()};
    SmallVector<Value> carry;
    if (isTrained(w)) {
      for (SmallVector<Type> *types : {&chunkTypes, &results, &scanned})
        types->insert(types->begin(), w.getType());
      carry.push_back(b.splat(w.getType(), 0.0));
    }
    auto function = chunkFunction(b, "head", chunkTypes, results);
    buildLossChunk(function, b.getLoc());
    auto scan = seq::ScanOp::create(b, scanned, function.getName(), chunks, /*reverse=*/false, carry,
                                    ValueRange{hs, ts, ws}, w);
    seeds.add(h, b.reshape(scan.getStackResults()[1], typeOf(h).getShape()));
    if (!carry.empty())
      seeds.add(w, scan.getResult(0));
    return b.reshape(scan.getStackResults()[0], typeOf(weights).getShape());
  }

  /// Whether a weight depends on a parameter that is trained.
  static bool isTrained(Value weight) {
    llvm::SmallPtrSet<Operation *, 8> passed;
    SmallVector<Value> work{weight};
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op || isa<seq::StopGradientOp>(op) || !passed.insert(op).second)
        continue;
      auto get = dyn_cast<seq::GetParameterOp>(op);
      if (get && !SymbolTable::lookupNearestSymbolFrom<seq::ParameterOp>(get, get.getParameterAttr()).getFrozen())
        return true;
      llvm::append_range(work, op->getOperands());
    }
    return false;
  }

  /// ([dw,] h, targets, weights, w) -> ([dw + this chunk's,] losses, dh)
  void buildLossChunk(func::FuncOp function, Location loc) {
    Block &block = function.getBody().front();
    RowBuilder b(loc, OpBuilder::atBlockEnd(&block));
    auto args = block.getArguments().take_back(4);
    Value h = args[0], w = args[3];
    Value logits = logitsOf(b, h, w);
    seq::CrossEntropyOp loss = createLoss(b, logits, args[1], args[2]);
    SmallVector<Value> results{loss.getLoss(), seq::LinearInputGradOp::create(b, h.getType(), loss.getDlogits(), w)};
    if (function.getNumArguments() > args.size())
      results.insert(results.begin(),
                     seq::LinearWeightGradOp::create(b, w.getType(), loss.getDlogits(), h, block.getArgument(0)));
    func::ReturnOp::create(b, results);
  }

  //===- Evaluation -----------------------------------------------------------===//

  void buildEvaluate(ModelBody body) {
    Block &block = body.function.getBody().front();
    RowBuilder b(body.loc, OpBuilder::atBlockEnd(&block));
    Value targets = block.getArgument(1);
    auto shape = typeOf(targets).getShape();
    Type real = typeOf(body.logits).getElementType();
    int64_t chunks = headChunks(body);
    if (chunks == 1) {
      auto predict = seq::PredictOp::create(b, lossLocation(b.getLoc()), RankedTensorType::get(shape, real),
                                            targets.getType(), body.logits, targets);
      return finish(body, b, predict.getResults());
    }
    Value h = body.head.getOperand(), w = body.head.getWeight();
    body.head.erase();
    Value hs = inChunks(b, h, chunks), ts = inChunks(b, targets, chunks);
    auto nlls = RankedTensorType::get(typeOf(ts).getShape(), real);
    auto nll = RankedTensorType::get(nlls.getShape().drop_front(), real);
    auto function =
        chunkFunction(b, "head.evaluate", {chunkType(hs), chunkType(ts), w.getType()}, {nll, chunkType(ts)});
    buildPredictChunk(function, b.getLoc(), nll);
    auto scan = seq::ScanOp::create(b, TypeRange{nlls, ts.getType()}, function.getName(), chunks, /*reverse=*/false,
                                    ValueRange{}, ValueRange{hs, ts}, w);
    finish(body, b, {b.reshape(scan.getResult(0), shape), b.reshape(scan.getResult(1), shape)});
  }

  static void buildPredictChunk(func::FuncOp function, Location loc, Type nll) {
    Block &block = function.getBody().front();
    RowBuilder b(loc, OpBuilder::atBlockEnd(&block));
    Value logits = logitsOf(b, block.getArgument(0), block.getArgument(2));
    auto predict =
        seq::PredictOp::create(b, lossLocation(loc), nll, block.getArgument(1).getType(), logits, block.getArgument(1));
    func::ReturnOp::create(b, predict.getResults());
  }

  //===- Chunks ---------------------------------------------------------------===//

  static Value logitsOf(RowBuilder &b, Value h, Value w) {
    SmallVector<int64_t> shape(typeOf(h).getShape());
    shape.back() = typeOf(w).getDimSize(0);
    return seq::LinearOp::create(b, RankedTensorType::get(shape, typeOf(h).getElementType()), h, w);
  }

  /// [batch, time, columns...] as [chunks, 1, rows, columns...]: a view.
  static Value inChunks(RowBuilder &b, Value value, int64_t chunks) {
    auto shape = typeOf(value).getShape();
    SmallVector<int64_t> chunked{chunks, 1, shape[0] * shape[1] / chunks};
    llvm::append_range(chunked, shape.drop_front(2));
    return b.reshape(value, chunked);
  }
  static Type chunkType(Value chunked) {
    auto type = typeOf(chunked);
    return RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
  }
};
} // namespace
