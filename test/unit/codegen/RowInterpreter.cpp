//===- RowInterpreter.cpp - what a kernel of rows means, slowly ----------------===//
#include "RowInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
std::vector<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape().vec(); }
int64_t sizeOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }
int64_t lastOf(Value value) { return shapeOf(value).empty() ? 1 : shapeOf(value).back(); }

class Interpreter {
public:
  Interpreter(kern::RowKernel op, const std::vector<Numbers> &inputs, Reals reals)
      : op(op), inputs(inputs), reals(reals) {
    std::tie(batch, time) = op.getRows();
  }
  std::vector<Numbers> run();

private:
  const Numbers &at(Value value, int64_t b, int64_t t);
  Numbers compute(Value value, int64_t b, int64_t t);
  Numbers input(BlockArgument argument, int64_t b, int64_t t);
  Numbers elementwise(Operation *inner, int64_t b, int64_t t);
  void add(double &sum, double term, Value result) const { sum = roundedTo(result.getType(), sum + term, reals); }
  Numbers reduce(seq::ReduceOp reduce, const Numbers &x);
  Numbers broadcast(seq::BroadcastOp broadcast, const Numbers &x);
  Numbers permute(seq::PermuteOp permute, const Numbers &x);
  Numbers concat(seq::ConcatOp concat, int64_t b, int64_t t);

  kern::RowKernel op;
  const std::vector<Numbers> &inputs;
  Reals reals;
  int64_t batch, time;
  std::map<std::tuple<void *, int64_t, int64_t>, Numbers> known;
};
} // namespace

std::vector<Numbers> stretto::test::interpret(kern::RowKernel op, const std::vector<Numbers> &inputs, Reals reals) {
  return Interpreter(op, inputs, reals).run();
}

double stretto::test::roundedTo(Type type, double number, Reals reals) {
  Type element = getElementTypeOrSelf(type);
  return reals == Reals::rounded && (element.isF32() || element.isF64()) ? static_cast<float>(number) : number;
}

Numbers stretto::test::multiply(const Numbers &rows, const Numbers &weight, int64_t depth, int64_t columns,
                                bool isTransposed) {
  Numbers result(rows.size() / depth * columns, 0.0);
  for (size_t i = 0; i < result.size(); ++i)
    for (int64_t row = i / columns, j = i % columns, k = 0; k < depth; ++k)
      result[i] += rows[row * depth + k] * weight[isTransposed ? j * depth + k : k * columns + j];
  return result;
}

std::vector<Numbers> Interpreter::run() {
  std::vector<Numbers> results(op->getNumResults());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t t = 0; t < time; ++t)
      for (auto [i, value] : llvm::enumerate(op.getYielded())) {
        auto sum = value.getDefiningOp<seq::ColumnSumOp>();
        if (!sum) {
          llvm::append_range(results[i], at(value, b, t));
          continue;
        }
        const Numbers &row = at(sum.getOperand(), b, t);
        results[i].resize(sizeOf(value), 0.0);
        for (size_t e = 0; e < row.size(); ++e)
          add(results[i][e % results[i].size()], row[e], value);
      }
  return results;
}

const Numbers &Interpreter::at(Value value, int64_t b, int64_t t) {
  auto key = std::tuple(value.getAsOpaquePointer(), b, t);
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  Numbers row = compute(value, b, t);
  for (double &number : row)
    number = roundedTo(value.getType(), number, reals);
  return known[key] = std::move(row);
}

Numbers Interpreter::input(BlockArgument argument, int64_t b, int64_t t) {
  unsigned i = argument.getArgNumber();
  int64_t size = sizeOf(argument), row = 0;
  if (op.getMap(i) == kern::RowMap::row)
    row = b * time + t;
  if (op.getMap(i) == kern::RowMap::time)
    row = t;
  return Numbers(inputs[i].begin() + row * size, inputs[i].begin() + (row + 1) * size);
}

Numbers Interpreter::compute(Value value, int64_t b, int64_t t) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return input(argument, b, t);
  Operation *inner = value.getDefiningOp();
  DenseElementsAttr constant;
  if (matchPattern(inner, m_Constant(&constant)))
    return Numbers(sizeOf(value), constant.getSplatValue<APFloat>().convertToDouble());
  return llvm::TypeSwitch<Operation *, Numbers>(inner)
      .Case([&](seq::TapOp tap) {
        int64_t from = t + static_cast<int64_t>(tap.getOffset());
        return from < 0 || from >= time ? Numbers(sizeOf(value), 0.0) : at(tap.getOperand(), b, from);
      })
      .Case([&](seq::ReduceOp o) { return reduce(o, at(o.getOperand(), b, t)); })
      .Case([&](seq::BroadcastOp o) { return broadcast(o, at(o.getOperand(), b, t)); })
      .Case([&](seq::PermuteOp o) { return permute(o, at(o.getOperand(), b, t)); })
      .Case([&](seq::ConcatOp o) { return concat(o, b, t); })
      .Case([&](seq::ReshapeOp o) { return at(o.getOperand(), b, t); })
      .Case([&](seq::SliceOp o) {
        const Numbers &x = at(o.getOperand(), b, t);
        int64_t from = lastOf(o.getOperand()), to = lastOf(value);
        Numbers y;
        for (size_t row = 0; row < x.size() / from; ++row)
          for (int64_t j = 0; j < to; ++j)
            y.push_back(x[row * from + o.getOffset() + j]);
        return y;
      })
      .Case([&](seq::ColumnIndexOp) {
        Numbers y(sizeOf(value));
        for (size_t e = 0; e < y.size(); ++e)
          y[e] = static_cast<double>(static_cast<int64_t>(e) % lastOf(value));
        return y;
      })
      .Default([&](Operation *) { return elementwise(inner, b, t); });
}

Numbers Interpreter::reduce(seq::ReduceOp op, const Numbers &x) {
  int64_t width = lastOf(op.getOperand());
  Numbers y;
  for (size_t first = 0; first < x.size(); first += width) {
    auto begin = x.begin() + first, end = begin + width;
    if (op.getKind() == seq::ReduceKind::max)
      y.push_back(*std::max_element(begin, end));
    else if (op.getKind() == seq::ReduceKind::min)
      y.push_back(*std::min_element(begin, end));
    else
      for (double &sum = y.emplace_back(0); double term : llvm::make_range(begin, end))
        add(sum, term, op.getResult());
  }
  return y;
}

Numbers Interpreter::broadcast(seq::BroadcastOp op, const Numbers &x) {
  auto from = shapeOf(op.getOperand()), to = shapeOf(op.getResult());
  Numbers y;
  std::vector<int64_t> place(to.size(), 0);
  for (int64_t e = 0; e < sizeOf(op.getResult()); ++e) {
    int64_t rest = e;
    for (size_t d = to.size(); d-- > 0;) {
      place[d] = rest % to[d];
      rest /= to[d];
    }
    int64_t source = 0;
    for (size_t i = 0; i < from.size(); ++i)
      source = source * from[i] + place[op.getDims()[i]];
    y.push_back(x[source]);
  }
  return y;
}

Numbers Interpreter::permute(seq::PermuteOp op, const Numbers &x) {
  int64_t width = lastOf(op.getResult()), rotated = op.getRotated();
  Numbers y = x;
  for (size_t first = 0; first < x.size(); first += width)
    for (int64_t pair = 0; pair < rotated / 2; ++pair) {
      bool halves = op.getStyle() == seq::PairStyle::half_split;
      int64_t a = halves ? pair : 2 * pair, b = halves ? pair + rotated / 2 : 2 * pair + 1;
      std::swap(y[first + a], y[first + b]);
    }
  return y;
}

Numbers Interpreter::concat(seq::ConcatOp op, int64_t b, int64_t t) {
  Numbers y;
  int64_t rows = sizeOf(op.getResult()) / lastOf(op.getResult());
  for (int64_t row = 0; row < rows; ++row)
    for (Value input : op.getInputs()) {
      const Numbers &x = at(input, b, t);
      y.insert(y.end(), x.begin() + row * lastOf(input), x.begin() + (row + 1) * lastOf(input));
    }
  return y;
}

static uint32_t mix(uint32_t x, uint32_t added = 0) {
  x = (x ^ x >> 16) * 0x21f0aaadu;
  x = ((x ^ x >> 15) + added) * 0xd35a2d97u;
  return x ^ x >> 15;
}

/// Of element `e` of a row; x: the number, the place and the key.
static double dropOut(seq::DropoutOp op, ArrayRef<double> x, size_t e) {
  const double rate = op.getRate().convertToDouble();
  const auto key = static_cast<uint32_t>(static_cast<int64_t>(x[2])), place = static_cast<uint32_t>(x[1]);
  const uint32_t a = mix(key ^ place * 0x9e3779b9u), b = mix(a + 0x9e3779b9u);
  return mix(a ^ static_cast<uint32_t>(e), b) < std::round(rate * 0x1p32) ? 0 : x[0] * (1 / (1 - rate));
}

Numbers Interpreter::elementwise(Operation *inner, int64_t b, int64_t t) {
  std::vector<Numbers> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(at(operand, b, t));
  Numbers y(sizeOf(inner->getResult(0)));
  for (size_t e = 0; e < y.size(); ++e) {
    SmallVector<double> x;
    for (Numbers &operand : operands)
      x.push_back(operand[e]);
    auto dropout = dyn_cast<seq::DropoutOp>(inner);
    y[e] = dropout ? dropOut(dropout, x, e) : evaluate(inner, x);
  }
  return y;
}

static double compare(arith::CmpFOp op, double a, double b) {
  switch (op.getPredicate()) {
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  default:
    llvm::report_fatal_error("comparison unknown to the interpreter");
  }
}

static double roundedToDigits(double number, int digits) {
  int exponent;
  double fraction = std::frexp(number, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits);
}
double stretto::test::roundedToBf16(double number) { return roundedToDigits(number, 8); }
double stretto::test::roundedToTf32(double number) { return roundedToDigits(number, 11); }

double stretto::test::evaluate(Operation *inner, ArrayRef<double> x) {
  return llvm::TypeSwitch<Operation *, double>(inner)
      .Case([&](arith::AddFOp) { return x[0] + x[1]; })
      .Case([&](arith::SubFOp) { return x[0] - x[1]; })
      .Case([&](arith::MulFOp) { return x[0] * x[1]; })
      .Case([&](arith::DivFOp) { return x[0] / x[1]; })
      .Case([&](arith::NegFOp) { return -x[0]; })
      .Case([&](arith::MaximumFOp) { return std::isunordered(x[0], x[1]) ? NAN : std::max(x[0], x[1]); })
      .Case([&](arith::MinimumFOp) { return std::isunordered(x[0], x[1]) ? NAN : std::min(x[0], x[1]); })
      .Case([&](arith::MaxNumFOp) { return std::fmax(x[0], x[1]); })
      .Case([&](arith::MinNumFOp) { return std::fmin(x[0], x[1]); })
      .Case([&](arith::SelectOp) { return x[0] != 0 ? x[1] : x[2]; })
      .Case([&](arith::CmpFOp op) { return compare(op, x[0], x[1]); })
      .Case<arith::SIToFPOp, arith::ExtFOp, arith::TruncFOp>([&](auto) { return x[0]; })
      .Case([&](arith::FPToSIOp) { return std::trunc(x[0]); })
      .Case([&](math::ExpOp) { return std::exp(x[0]); })
      .Case([&](math::LogOp) { return std::log(x[0]); })
      .Case([&](math::Log1pOp) { return std::log1p(x[0]); })
      .Case([&](math::SqrtOp) { return std::sqrt(x[0]); })
      .Case([&](math::RsqrtOp) { return 1 / std::sqrt(x[0]); })
      .Case([&](math::TanhOp) { return std::tanh(x[0]); })
      .Case([&](math::SinOp) { return std::sin(x[0]); })
      .Case([&](math::CosOp) { return std::cos(x[0]); })
      .Case([&](math::ErfOp) { return std::erf(x[0]); })
      .Case([&](math::AbsFOp) { return std::abs(x[0]); })
      .Case([&](seq::SigmoidOp) { return 1 / (1 + std::exp(-x[0])); })
      .Case([&](seq::SoftplusOp) { return std::max(x[0], 0.0) + std::log1p(std::exp(-std::abs(x[0]))); })
      .Default([&](Operation *) -> double { llvm::report_fatal_error("operation unknown to the interpreter"); });
}
