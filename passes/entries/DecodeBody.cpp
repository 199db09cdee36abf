//===- DecodeBody.cpp - [batch, time, ...] becomes [batch, rows, ...] ---------===//
#include "passes/entries/DecodeBody.h"

#include "passes/support/PositionRows.h"
#include "passes/support/Refusal.h"
#include "passes/support/Scans.h"

#include "ir/seq/Purpose.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Writes one function of the model for a few tokens of each sequence: @main, or the body of one of its scans. A body
/// gets what it needs besides from the function that scans it: caches as slices, all else as invariants.
class DecodeBody final : public seq::Decoding {
public:
  DecodeBody(func::FuncOp source, const DecodeShape &shape, const RowAnalysis &kinds, DecodeBody *caller = nullptr)
      : source(source), shape(shape), kinds(kinds), symbols(source->getParentOfType<ModuleOp>()), caller(caller),
        b(source.getLoc(), source.getContext()) {}

  LogicalResult makeEntry();

  ImplicitLocOpBuilder &builder() override { return b; }
  Value rows(Value value) override;
  Value history(Value value, std::optional<uint64_t> window) override;
  Value state(int64_t rows, int64_t columns, Type element) override;
  Value positions() override;
  Value counts() override;

private:
  LogicalResult makeScanBody(seq::ScanOp scan);
  void start(StringRef name);
  void finish(ValueRange results);
  LogicalResult convertBlock();
  LogicalResult convert(Operation *op);
  LogicalResult convertRows(Operation *op);
  LogicalResult convertTap(seq::TapOp op);
  LogicalResult convertOwn(seq::DecodableOp op);
  LogicalResult convertBroadcast(seq::BroadcastOp op);
  LogicalResult convertScan(seq::ScanOp op);
  LogicalResult convertHead(Operation *op);
  bool isHead(Operation *op) const;
  static LogicalResult refuse(Operation *op, const Twine &reason) {
    return refuseModel(op) << "text cannot be generated token by token: " << reason;
  }

  RankedTensorType convertType(Type type, int64_t count) const;
  RankedTensorType convertType(Type type) const { return convertType(type, shape.rows); }
  bool isWhole(Type type) const;
  Value lastRow(Value value);
  /// What stands for a value that is handed over as an argument of a body: constants have no kind of their own.
  Value rowsAs(BlockArgument argument, Value value) {
    return kinds.isRow(argument) ? rows(value) : mapping.lookup(value);
  }

  Value addArgument(unsigned number, Type type);
  Value addInvariant(Value outside);
  Value rowsOf(seq::TableOp table);
  Value cacheOf(int64_t capacity, RankedTensorType rowsOfCall);
  Value declareCache(StringRef owner, unsigned number, Type type, int64_t trips);
  Value withRows(int64_t capacity, Value rowsOfCall);

  func::FuncOp source;
  const DecodeShape &shape;
  const RowAnalysis &kinds;
  SymbolTable symbols;
  DecodeBody *caller;
  RowBuilder b;
  func::FuncOp target;
  IRMapping mapping;
  Value positionsHere, countsHere;
  DenseMap<Attribute, Value> tables; // rows at the positions, by what the table says
  DenseMap<Value, Value> histories; // tapped values of `source` by the caches that hold them, this call's rows included
  SmallVector<Type> cacheTypes;     // of one iteration
  SmallVector<Value> invariants;    // values of the caller
  bool isRefused = false;           // the rows of a constant were
  unsigned nextSlice = 0;           // number of the argument for the next cache
};
} // namespace

//===- Types ------------------------------------------------------------------===//

/// [batch, length, ...] as [batch, count, ...].
RankedTensorType DecodeBody::convertType(Type type, int64_t count) const {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> dims(tensor.getShape());
  dims[1] = count;
  return tensor.clone(dims);
}

bool DecodeBody::isWhole(Type type) const {
  ArrayRef<int64_t> dims = cast<RankedTensorType>(type).getShape();
  return dims.size() >= 2 && dims[0] == shape.batch && dims[1] == shape.length;
}

/// A constant of one number; null for any other value.
static DenseElementsAttr splatOf(Value value) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() ? elements : DenseElementsAttr();
}

/// Constants are made anew. One whose numbers differ is an error, which becomes known at the end of the function.
Value DecodeBody::rows(Value value) {
  if (!isWhole(value.getType()) || !matchPattern(value, m_Constant()))
    return mapping.lookup(value);
  RankedTensorType type = convertType(value.getType());
  if (DenseElementsAttr number = splatOf(value))
    return arith::ConstantOp::create(b, number.resizeSplat(type));
  if (!isRefused)
    isRefused = failed(refuse(value.getDefiningOp(), "the rows of this constant are not all the same"));
  return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
}

//===- Functions --------------------------------------------------------------===//

void DecodeBody::start(StringRef name) {
  SmallVector<Type> types;
  for (BlockArgument argument : source.getArguments()) {
    bool isTokens = !caller; // of the model, whether it reads them or not
    types.push_back(isTokens || kinds.isRow(argument) ? convertType(argument.getType()) : argument.getType());
  }
  target = func::FuncOp::create(source.getLoc(), name, b.getFunctionType(types, {}));
  symbols.insert(target);
  Block *block = target.addEntryBlock();
  mapping.map(source.getArguments(), block->getArguments());
  b.setInsertionPointToEnd(block);
}

void DecodeBody::finish(ValueRange results) {
  func::ReturnOp::create(b, results);
  updateType(target);
}

LogicalResult DecodeBody::makeEntry() {
  start(shape.name);
  setEntryKind(target, seq::EntryKind::decoding);
  positionsHere = addArgument(1, RankedTensorType::get({shape.batch, shape.rows}, b.getI32Type()));
  countsHere = addArgument(2, RankedTensorType::get({shape.batch}, b.getI32Type()));
  if (failed(convertBlock()))
    return failure();
  Value logits = source.getBody().front().getTerminator()->getOperand(0);
  b.setLoc(logits.getLoc());
  Operation *head = logits.getDefiningOp();
  finish(head && isHead(head) ? mapping.lookup(logits) : lastRow(rows(logits)));
  return failure(isRefused);
}

LogicalResult DecodeBody::makeScanBody(seq::ScanOp scan) {
  start((source.getName() + "." + shape.name).str());
  target.setPrivate();
  nextSlice = scan.getCarry().size() + scan.getSlices().size();
  if (failed(convertBlock()))
    return failure();
  SmallVector<Value> results;
  Operation *end = source.getBody().front().getTerminator();
  for (auto [argument, value] :
       llvm::zip_first(source.getArguments().take_front(scan.getCarry().size()), end->getOperands()))
    results.push_back(rowsAs(argument, value));
  finish(results);
  return failure(isRefused);
}

LogicalResult DecodeBody::convertBlock() {
  for (Operation &op : source.getBody().front().without_terminator())
    if (failed(convert(&op)))
      return failure();
  return success();
}

//===- Operations -------------------------------------------------------------===//

/// The matmul that makes the logits, where nothing else reads them: it is computed for the last row alone.
bool DecodeBody::isHead(Operation *op) const {
  auto matmul = dyn_cast<seq::LibraryOp>(op);
  return !caller && matmul && matmul.getMatmulKind() != seq::MatmulKind::none && !matmul.mixesRows() &&
         !matmul.getResidualOperand() && op->hasOneUse() && isa<func::ReturnOp>(*op->user_begin());
}

LogicalResult DecodeBody::convert(Operation *op) {
  b.setLoc(op->getLoc());
  if (isHead(op))
    return convertHead(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](seq::TapOp tap) { return convertTap(tap); })
      .Case([&](seq::DecodableOp own) { return convertOwn(own); })
      .Case([&](seq::BroadcastOp broadcast) { return convertBroadcast(broadcast); })
      .Case([&](seq::ScanOp scan) { return convertScan(scan); })
      .Default([&](Operation *other) { return convertRows(other); });
}

/// Rows are computed as they were, only fewer of them; what has no rows stays.
LogicalResult DecodeBody::convertRows(Operation *op) {
  auto isRow = [&](Value value) { return kinds.isRow(value); };
  bool makesRows = llvm::any_of(op->getResults(), isRow);
  auto library = dyn_cast<seq::LibraryOp>(op);
  if ((!makesRows && llvm::any_of(op->getOperands(), isRow)) || (library && library.mixesRows()))
    return refuse(op, "this depends on all tokens of a sequence at once");
  if (!makesRows) {
    b.clone(*op, mapping);
    return success();
  }
  IRMapping operands;
  for (OpOperand &use : op->getOpOperands()) {
    bool isShared = library && library.getOperandFacts(use.getOperandNumber()).kind == RowKind::shared;
    operands.map(use.get(), isShared ? mapping.lookup(use.get()) : rows(use.get()));
  }
  Operation *copy = b.clone(*op, operands);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
    if (!isWhole(from.getType()))
      return refuse(op, "its rows are not those of single tokens");
    to.setType(convertType(from.getType()));
    mapping.map(from, to);
  }
  return success();
}

Value DecodeBody::lastRow(Value value) {
  return seq::LastRowOp::create(b, convertType(value.getType(), 1), value, counts());
}

LogicalResult DecodeBody::convertHead(Operation *op) {
  auto matmul = cast<seq::LibraryOp>(op);
  IRMapping operands;
  for (OpOperand &use : op->getOpOperands()) {
    bool isShared = matmul.getOperandFacts(use.getOperandNumber()).kind == RowKind::shared;
    operands.map(use.get(), isShared ? mapping.lookup(use.get()) : lastRow(rows(use.get())));
  }
  Value logits = b.clone(*op, operands)->getResult(0);
  logits.setType(convertType(logits.getType(), 1));
  mapping.map(op->getResult(0), logits);
  return success();
}

/// Where a table was repeated over the sequences, each has the rows of its positions.
LogicalResult DecodeBody::convertBroadcast(seq::BroadcastOp op) {
  if (!kinds.isRow(op.getResult()) || kinds.isRow(op.getOperand()))
    return convertRows(op);
  Value operand = mapping.lookup(op.getOperand());
  RankedTensorType type = convertType(op.getType());
  if (!llvm::is_contained(op.getDims(), 1)) {
    mapping.map(op.getResult(), b.broadcast(operand, op.getDims(), type.getShape()));
    return success();
  }
  if (DenseElementsAttr number = splatOf(op.getOperand())) {
    mapping.map(op.getResult(), arith::ConstantOp::create(b, number.resizeSplat(type)));
    return success();
  }
  if (typeOf(operand).getRank() != 2 || op.getDims().front() != 1)
    return refuse(op, "this table is not [time, columns]");
  auto table = op.getOperand().getDefiningOp<seq::TableOp>();
  Value tokens = table ? rowsOf(table) : tableRows(b, positions(), operand);
  mapping.map(op.getResult(), broadcastRows(b, op, tokens, type.getShape()));
  return success();
}

/// A value that earlier rows are read of is cached; the rows of this call are stored before they are read.
LogicalResult DecodeBody::convertTap(seq::TapOp op) {
  int64_t offset = op.getOffset();
  if (offset > 0)
    return refuse(op, "this reads tokens that are not there yet");
  Value tapped = op.getOperand();
  if (offset == 0) {
    mapping.map(op.getResult(), rows(tapped));
    return success();
  }
  int64_t columns = typeOf(tapped).getNumElements() / (shape.batch * shape.length);
  auto type = typeOf(tapped).clone({shape.batch, shape.rows, columns});
  Value &cache = histories[tapped];
  if (!cache) {
    int64_t furthest = 0;
    for (Operation *user : tapped.getUsers())
      if (auto tap = dyn_cast<seq::TapOp>(user))
        furthest = std::max(furthest, -static_cast<int64_t>(tap.getOffset()));
    cache = withRows(furthest + shape.longest, b.reshape(rows(tapped), type.getShape()));
  }
  Value read = seq::ReadCacheOp::create(b, type, cache, positions(), -offset);
  mapping.map(op.getResult(), b.reshape(read, convertType(op.getType()).getShape()));
  return success();
}

LogicalResult DecodeBody::convertOwn(seq::DecodableOp op) {
  std::string reason;
  SmallVector<Value> results = op.decode(*this, reason);
  if (!reason.empty())
    return refuse(op, reason);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), results))
    if (to)
      mapping.map(from, to);
  return success();
}

LogicalResult DecodeBody::convertScan(seq::ScanOp op) {
  if (caller || !op.getStackResults().empty())
    return refuse(op, "this loop is inside another, or stacks rows");
  DecodeBody body(symbols.lookup<func::FuncOp>(op.getBody()), shape, kinds, this);
  if (failed(body.makeScanBody(op)))
    return failure();
  b.setLoc(op.getLoc());
  ArrayRef<BlockArgument> arguments = body.source.getArguments();
  auto mapped = [&](ValueRange values) {
    ArrayRef<BlockArgument> own = arguments.take_front(values.size());
    arguments = arguments.drop_front(values.size());
    return llvm::map_to_vector(llvm::zip_equal(own, values),
                               [&](auto pair) { return rowsAs(std::get<0>(pair), std::get<1>(pair)); });
  };
  SmallVector<Value> carry = mapped(op.getCarry()), slices = mapped(op.getSlices()),
                     shared = mapped(op.getInvariants());
  for (auto [i, type] : llvm::enumerate(body.cacheTypes))
    slices.push_back(declareCache(body.source.getName(), i, type, op.getTrips()));
  llvm::append_range(shared, body.invariants);
  auto scan = seq::ScanOp::create(b, ValueRange(carry).getTypes(), body.target.getName(), op.getTrips(),
                                  op.getReverse(), carry, slices, shared);
  mapping.map(op.getResults(), scan.getResults());
  return success();
}

//===- What a body is given ---------------------------------------------------===//

Value DecodeBody::addArgument(unsigned number, Type type) {
  return target.getBody().front().insertArgument(number, type, source.getLoc());
}

Value DecodeBody::addInvariant(Value outside) {
  invariants.push_back(outside);
  return addArgument(target.getBody().front().getNumArguments(), outside.getType());
}

Value DecodeBody::positions() {
  return positionsHere ? positionsHere : positionsHere = addInvariant(caller->positions());
}
Value DecodeBody::counts() { return countsHere ? countsHere : countsHere = addInvariant(caller->counts()); }

/// The rows of a constant table at the positions; fetched once, for all layers.
Value DecodeBody::rowsOf(seq::TableOp table) {
  Value &known = tables[tableKey(table)];
  if (!known)
    known = caller ? addInvariant(caller->rowsOf(table)) : copiedTableRows(b, positions(), table);
  return known;
}

/// A cache for rows of `type`: of the module, or (in a body) one more slice of the scan.
Value DecodeBody::cacheOf(int64_t capacity, RankedTensorType type) {
  auto cache = type.clone({shape.batch, capacity, type.getShape().back()});
  cacheTypes.push_back(cache);
  return caller ? addArgument(nextSlice++, cache) : declareCache(source.getName(), cacheTypes.size() - 1, cache, 0);
}

/// The value of a cache of the module, which is declared where it is not there yet. `trips`: of the scan that has it as
/// slices, or 0.
Value DecodeBody::declareCache(StringRef owner, unsigned number, Type type, int64_t trips) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> dims(tensor.getShape());
  if (trips)
    dims.insert(dims.begin(), trips);
  tensor = tensor.clone(dims);
  std::string name = (owner + ".cache" + Twine(number)).str();
  while (isa_and_nonnull<seq::ParameterOp>(symbols.lookup(name)))
    name += "_"; // one of the source is called like that
  if (!symbols.lookup(name)) {
    OpBuilder detached(b.getContext());
    auto cache = seq::CacheOp::create(detached, b.getLoc(), name, tensor, trips != 0);
    symbols.insert(cache);
  }
  return seq::GetCacheOp::create(b, tensor, name);
}

Value DecodeBody::history(Value value, std::optional<uint64_t> window) {
  return withRows(window ? static_cast<int64_t>(*window) - 1 + shape.longest : shape.length, rows(value));
}

Value DecodeBody::state(int64_t rows, int64_t columns, Type element) {
  return cacheOf(rows, RankedTensorType::get({shape.batch, rows, columns}, element));
}

/// A new cache with the rows of this call stored.
Value DecodeBody::withRows(int64_t capacity, Value rowsOfCall) {
  Value cache = cacheOf(capacity, typeOf(rowsOfCall));
  return seq::WriteCacheOp::create(b, cache.getType(), cache, rowsOfCall, positions(), counts());
}

LogicalResult stretto::passes::addDecodeEntry(func::FuncOp main, const DecodeShape &shape, const RowAnalysis &kinds) {
  return DecodeBody(main, shape, kinds).makeEntry();
}
