//===- RandomBody.cpp - fused kernels at random ---------------------------------===//
#include "RandomBody.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace stretto::test;

namespace {
/// Values stay within a few units: functions are bounded and sums are divided by their length.
class Generator {
public:
  explicit Generator(uint64_t seed) : engine(seed) {}
  std::string make(const std::string &name);
  std::string makeBehindMatmul(const std::string &name);
  std::string makeForTensorCores(const std::string &name);
  std::string makeWithoutReductions(const std::string &name);

private:
  enum Shape { scalar, row, heads, headScalars, pair }; // [], [D], [H, K], [H], [2D]
  struct Entry {
    std::string name;
    Shape shape;
  };

  int64_t pick(int64_t low, int64_t high) { return low + static_cast<int64_t>(engine() % (high - low + 1)); }
  /// A shape; without reductions one of whole rows.
  Shape pickShape();
  std::string type(Shape shape) const;
  const Entry &any(Shape shape);
  const Entry &latest(Shape shape);
  std::string add(const std::string &text, Shape shape);
  void addOperation();
  void addElementwise();
  void addReduction();
  void addBroadcast();
  void addMovement();
  std::string yields(bool latestOnes);
  std::string rows(int64_t columns) const;
  /// The kernel of rows %a, %b for each time and %c; draws all that it consists of. A matmul with a kernel in its
  /// epilogue has no reductions of what does not depend on it.
  std::string kernel(bool allDependOnA);
  void drawSizes(int64_t mostBatch, int64_t mostTime);
  std::string behindMatmul(const std::string &name, const std::string &kernel, int64_t depth, bool transposed);
  std::string otherArguments() const; // than %a

  std::mt19937_64 engine;
  bool reduces = true;
  std::string real;
  int64_t batch = 1, time = 1, headCount = 1, width = 1;
  std::vector<Entry> values;
  std::string body, resultTypes; // resultTypes: of the operation, after yields()
  int64_t next = 0;
};
} // namespace

std::string stretto::test::randomBody(const std::string &name, uint64_t seed) { return Generator(seed).make(name); }
std::string stretto::test::randomBodyBehindMatmul(const std::string &name, uint64_t seed) {
  return Generator(seed).makeBehindMatmul(name);
}

std::string stretto::test::randomBodyForTensorCores(const std::string &name, uint64_t seed) {
  return Generator(seed).makeForTensorCores(name);
}
std::string stretto::test::randomBodyWithoutReductions(const std::string &name, uint64_t seed) {
  return Generator(seed).makeWithoutReductions(name);
}

Generator::Shape Generator::pickShape() {
  constexpr Shape whole[] = {row, heads, pair};
  return reduces ? static_cast<Shape>(pick(0, 4)) : whole[pick(0, 2)];
}

std::string Generator::type(Shape shape) const {
  std::string h = std::to_string(headCount), k = std::to_string(width), d = std::to_string(headCount * width);
  switch (shape) {
  case scalar:
    return "tensor<" + real + ">";
  case row:
    return "tensor<" + d + "x" + real + ">";
  case heads:
    return "tensor<" + h + "x" + k + "x" + real + ">";
  case headScalars:
    return "tensor<" + h + "x" + real + ">";
  case pair:
    return "tensor<" + std::to_string(2 * headCount * width) + "x" + real + ">";
  }
  return "";
}

/// The value of this shape on which most may depend.
const Generator::Entry &Generator::latest(Shape shape) {
  any(shape);
  return *std::find_if(values.rbegin(), values.rend(), [&](const Entry &entry) { return entry.shape == shape; });
}

std::string Generator::add(const std::string &text, Shape shape) {
  std::string name = "%v" + std::to_string(next++);
  body += "    " + name + " = " + text + "\n";
  values.push_back({name, shape});
  return name;
}

/// A value of this shape; made of a row where there is none yet.
const Generator::Entry &Generator::any(Shape shape) {
  std::vector<size_t> fitting;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].shape == shape)
      fitting.push_back(i);
  if (!fitting.empty())
    return values[fitting[pick(0, static_cast<int64_t>(fitting.size()) - 1)]];
  if (shape == pair)
    add("seq.concat " + any(row).name + ", " + any(row).name + " : " + type(row) + ", " + type(row) + " -> " +
            type(pair),
        pair);
  else if (shape == heads)
    add("seq.reshape " + any(row).name + " : " + type(row) + " -> " + type(heads), heads);
  else if (shape == headScalars)
    add("seq.reduce max " + any(heads).name + " : " + type(heads) + " -> " + type(headScalars), headScalars);
  else
    add("seq.reduce min " + any(row).name + " : " + type(row) + " -> " + type(scalar), scalar);
  return values.back();
}

void Generator::addElementwise() {
  Shape shape = pickShape();
  std::string a = any(shape).name, b = any(shape).name, t = " : " + type(shape);
  switch (pick(0, 6)) {
  case 0:
    add("arith.addf " + a + ", " + b + t, shape);
    break;
  case 1:
    add("arith.subf " + a + ", " + b + t, shape);
    break;
  case 2:
    add("arith.maximumf " + a + ", " + b + t, shape);
    break;
  case 3:
    add("seq.sigmoid " + a + t, shape);
    break;
  case 4:
    add("math.tanh " + a + t, shape);
    break;
  default: {
    std::string product = add("arith.mulf " + a + ", " + b + t, shape);
    add("math.tanh " + product + t, shape);
    add("arith.subf " + any(shape).name + ", " + product + t, shape);
  }
  }
}

void Generator::addReduction() {
  Shape from = pick(0, 1) ? row : heads, to = from == row ? scalar : headScalars;
  std::string sum = add("seq.reduce add " + any(from).name + " : " + type(from) + " -> " + type(to), to);
  double length = static_cast<double>(from == row ? headCount * width : width);
  std::string scale = add("arith.constant dense<" + std::to_string(1 / length) + "> : " + type(to), to);
  add("arith.mulf " + sum + ", " + scale + " : " + type(to), to);
}

void Generator::addBroadcast() {
  if (pick(0, 1))
    add("seq.broadcast " + any(scalar).name + " dims [] : " + type(scalar) + " -> " + type(row), row);
  else
    add("seq.broadcast " + any(headScalars).name + " dims [0] : " + type(headScalars) + " -> " + type(heads), heads);
}

void Generator::addMovement() {
  if (reduces)
    any(static_cast<Shape>(pick(1, 4))); // so that there is one of this shape
  switch (pick(0, 3)) {
  case 0: {
    std::string style = pick(0, 1) ? "half_split " : "interleaved ";
    Shape of = pick(0, 1) ? heads : row;
    int64_t columns = of == heads ? width : headCount * width;
    std::string rotated = std::to_string(2 * pick(0, columns / 2));
    add("seq.permute " + style + any(of).name + " rotated " + rotated + " : " + type(of), of);
    break;
  }
  case 1: {
    std::string from = std::to_string(pick(0, headCount * width));
    add("seq.slice " + any(pair).name + " at " + from + " : " + type(pair) + " -> " + type(row), row);
    break;
  }
  case 2:
    add("seq.reshape " + any(heads).name + " : " + type(heads) + " -> " + type(row), row);
    break;
  default:
    add("seq.concat " + any(row).name + ", " + any(row).name + " : " + type(row) + ", " + type(row) + " -> " +
            type(pair),
        pair);
  }
}

void Generator::addOperation() {
  switch (pick(reduces ? 0 : 2, 5)) {
  case 0:
    addReduction();
    break;
  case 1:
    addBroadcast();
    break;
  case 2:
    addMovement();
    break;
  case 3: {
    // A constant may not be tapped; every value here that is none depends on a row.
    Shape shape = pickShape();
    std::string a = add("arith.addf " + any(shape).name + ", " + any(shape).name + " : " + type(shape), shape);
    int64_t offset = pick(1, 3) * (pick(0, 2) ? -1 : 1);
    add("seq.tap " + a + " by " + std::to_string(offset) + " : " + type(shape), shape);
    break;
  }
  default:
    addElementwise();
  }
}

/// Of a kernel behind a matmul often what the matmul gives, as the backward may need it.
std::string Generator::yields(bool latestOnes) {
  std::string names, types;
  int64_t count = pick(1, 3);
  if (latestOnes && pick(0, 1)) {
    names = "%x, ", types = type(row) + ", ";
    resultTypes = rows(headCount * width) + ", ";
  }
  for (int64_t i = 0; i < count; ++i) {
    Shape shape = pickShape();
    std::string name = (latestOnes ? latest(shape) : any(shape)).name, t = type(shape);
    std::string rows = "tensor<" + std::to_string(batch) + "x" + std::to_string(time) + "x" + t.substr(7);
    if (pick(0, 2) == 0 || (!reduces && i == 0)) {
      name = add("seq.column_sum " + name + " : " + t + " -> " + t, shape);
      values.pop_back(); // it may only be yielded
      rows = t;
    }
    names += (i ? ", " : "") + name;
    types += (i ? ", " : "") + t;
    resultTypes += (i ? ", " : "") + rows;
  }
  return "    kern.yield " + names + " : " + types + "\n";
}

std::string Generator::rows(int64_t columns) const {
  return "tensor<" + std::to_string(batch) + "x" + std::to_string(time) + "x" + std::to_string(columns) + "x" + real +
         ">";
}

std::string Generator::otherArguments() const {
  return ", %b: tensor<" + std::to_string(time) + "x" + type(row).substr(7) + ", %c: " + type(row) + ") {\n";
}

void Generator::drawSizes(int64_t mostBatch, int64_t mostTime) {
  batch = pick(1, mostBatch);
  time = pick(1, mostTime);
  headCount = pick(1, 4);
  width = pick(1, 40);
}

std::string Generator::kernel(bool allDependOnA) {
  values = {{"%x", row}, {"%p", row}, {"%g", row}};
  if (allDependOnA) {
    values.resize(1);
    add("arith.addf %x, %p : " + type(row), row);
    add("arith.mulf %x, %g : " + type(row), row);
  }
  for (int64_t i = 0, count = pick(3, 14); i < count; ++i)
    addOperation();
  std::string yield = yields(/*latestOnes=*/allDependOnA);
  std::string operands =
      rows(headCount * width) + ", tensor<" + std::to_string(time) + "x" + type(row).substr(7) + ", " + type(row);
  return "  kern.rowwise(%a, %b, %c) maps [row, time, shared] {\n  ^bb0(%x: " + type(row) + ", %p: " + type(row) +
         ", %g: " + type(row) + "):\n" + body + yield + "  } : (" + operands + ") -> (" + resultTypes +
         ")\n  return\n}\n";
}

std::string Generator::make(const std::string &name) {
  real = pick(0, 3) ? "f32" : "f64";
  drawSizes(/*mostBatch=*/2, /*mostTime=*/23);
  std::string text = kernel(/*allDependOnA=*/false);
  return "func.func @" + name + "(%a: " + rows(headCount * width) + otherArguments() + text;
}

std::string Generator::makeWithoutReductions(const std::string &name) {
  reduces = false;
  return make(name);
}

std::string Generator::makeBehindMatmul(const std::string &name) {
  real = pick(0, 3) ? "f32" : "f64";
  drawSizes(/*mostBatch=*/2, /*mostTime=*/23);
  std::string text = kernel(/*allDependOnA=*/true);
  int64_t depth = pick(1, 40);
  return behindMatmul(name, text, depth, pick(0, 1));
}

std::string Generator::makeForTensorCores(const std::string &name) {
  real = "f32";
  drawSizes(/*mostBatch=*/4, /*mostTime=*/60);
  std::string text = kernel(/*allDependOnA=*/true);
  int64_t depth = 8 * pick(1, 20);
  bool mayBeRows = headCount * width % 8 == 0; // 16 bytes, which TMA has rows begin at
  return behindMatmul(name, text, depth, !mayBeRows || pick(0, 1));
}

std::string Generator::behindMatmul(const std::string &name, const std::string &text, int64_t depth, bool transposed) {
  int64_t columns = headCount * width;
  std::string k = std::to_string(depth), n = std::to_string(columns);
  std::string weight = "tensor<" + (transposed ? n + "x" + k : k + "x" + n) + "x" + real + ">";
  return "func.func @" + name + "(%l: " + rows(depth) + ", %w: " + weight + otherArguments() + "  %a = seq.linear" +
         (transposed ? "" : "_input_grad") + " %l, %w : " + rows(depth) + ", " + weight + " -> " + rows(columns) +
         "\n" + text;
}
