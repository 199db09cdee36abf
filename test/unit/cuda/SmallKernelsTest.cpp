//===- SmallKernelsTest.cpp - sums and embeddings for CUDA, on the emulator -----------===//
#include "SmallKernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <list>

using namespace stretto::test;

namespace {
/// Distance of the bits of a type from a sum of `terms` numbers whose sizes add up to `size`.
double boundOf(const std::string &type, int64_t terms, double size) {
  double step = type == "f64" ? 0x1p-53 : 0x1p-24;
  return static_cast<double>(terms + 2) * step * size;
}

struct SumCase {
  int64_t entries, columns;
  const char *type = "f32";
  bool accumulates = false, inPlace = false;
};

class Sums {
public:
  explicit Sums(const std::vector<SumCase> &cases) : cases(cases) {
    std::vector<DeviceOp> ops;
    for (size_t i = 0; i < cases.size(); ++i)
      ops.push_back(makeOp(cases[i], 10 * i + 1));
    device = std::make_unique<DeviceOps>(ops);
  }

  void check() {
    ASSERT_TRUE(device->isLoaded());
    for (size_t i = 0; i < cases.size(); ++i)
      check(i);
  }

private:
  struct Tensors {
    DeviceTensor partials, accumulator, result;
  };

  DeviceOp makeOp(const SumCase &c, uint64_t seed) {
    tensors.push_back({DeviceTensor(c.type, {c.entries, c.columns}, seed), DeviceTensor(c.type, {c.columns}, seed + 1),
                       DeviceTensor(c.type, {c.columns})});
    Tensors &t = tensors.back();
    std::string text = "kern.sum_partials kernel \"NAME\" %0";
    if (!c.accumulates)
      return {text + " : " + t.partials.type() + " -> " + t.result.type(), {&t.partials}, {&t.result}};
    text += " accumulate %1 : " + t.result.type() + " : " + t.partials.type() + " -> " + t.result.type();
    return {text, {&t.partials, c.inPlace ? &t.result : &t.accumulator}, {&t.result}};
  }

  void check(size_t i) {
    const SumCase &c = cases[i];
    Tensors &t = *std::next(tensors.begin(), static_cast<long>(i));
    SCOPED_TRACE(t.partials.type() + (c.accumulates ? " accumulates" : ""));
    ASSERT_TRUE(device->run(i, c.inPlace ? t.accumulator.bits() : std::vector<char>()));
    for (int64_t column = 0; column < c.columns; ++column) {
      double want = c.accumulates ? t.accumulator.get(column) : 0, size = std::abs(want);
      for (int64_t entry = 0; entry < c.entries; ++entry) {
        double part = t.partials.get(entry * c.columns + column);
        want += part;
        size += std::abs(part);
      }
      ASSERT_NEAR(t.result.get(column), want, boundOf(c.type, c.entries, size)) << "column " << column;
    }
  }

  std::vector<SumCase> cases;
  std::list<Tensors> tensors;
  std::unique_ptr<DeviceOps> device;
};

TEST(CudaSumPartials, Wide) { Sums({{64, 4224}, {9, 16896}, {3, 2100}, {70, 2050}, {1, 128}}).check(); }
TEST(CudaSumPartials, Odd) { Sums({{33, 131}, {100, 51}, {64, 51}, {7, 5}, {37, 770}}).check(); }
TEST(CudaSumPartials, Narrow) {
  Sums({{4096, 1},
        {4095, 1},
        {4094, 1},
        {1000, 3},
        {999, 3},
        {5000, 2},
        {640, 12},
        {1, 1},
        {2, 1},
        {1, 7},
        {300, 30},
        {40, 17}})
      .check();
}
TEST(CudaSumPartials, Double) {
  Sums({{64, 514, "f64"}, {513, 1, "f64"}, {512, 1, "f64"}, {90, 3, "f64"}, {5, 33, "f64"}}).check();
}
TEST(CudaSumPartials, Accumulates) {
  Sums({{64, 768, "f32", true},
        {64, 768, "f32", true, true},
        {100, 3, "f32", true, true},
        {1, 5, "f32", true, true},
        {17, 6, "f64", true, true}})
      .check();
}

/// Each sum by itself, then all in one launch: the bits are the same.
void checkFused(const std::vector<SumCase> &cases) {
  std::list<DeviceTensor> partials, alone, fused;
  std::vector<DeviceOp> ops;
  DeviceOp all{"kern.sum_partials kernel \"NAME\" ", {}, {}};
  std::string types, results;
  for (size_t i = 0; i < cases.size(); ++i) {
    const SumCase &c = cases[i];
    DeviceTensor &from = partials.emplace_back(c.type, std::vector<int64_t>{c.entries, c.columns}, 10 * i + 1);
    DeviceTensor &to = alone.emplace_back(c.type, std::vector<int64_t>{c.columns});
    ops.push_back({"kern.sum_partials kernel \"NAME\" %0 : " + from.type() + " -> " + to.type(), {&from}, {&to}});
    std::string comma = i ? ", " : "";
    all.text += comma + "%" + std::to_string(i);
    types += comma + from.type();
    results += comma + to.type();
    all.operands.push_back(&from);
    all.results.push_back(&fused.emplace_back(c.type, std::vector<int64_t>{c.columns}));
  }
  all.text += " : " + types + " -> " + results;
  ops.push_back(all);
  DeviceOps device(ops);
  ASSERT_TRUE(device.isLoaded());
  for (size_t i = 0; i < ops.size(); ++i)
    ASSERT_TRUE(device.run(i)) << i;
  auto separate = alone.begin();
  for (DeviceTensor &result : fused)
    ASSERT_EQ(result.bits(), (separate++)->bits()) << result.type();
}

TEST(CudaSumPartials, Fused) {
  checkFused({{64, 768}, {64, 3072}, {512, 768}, {9, 16896}, {33, 131}, {4096, 1}, {3, 2100}});
}
/// Of other types, numbers of threads, with shared memory and without.
TEST(CudaSumPartials, FusedUnalike) {
  checkFused({{1, 128}, {512, 1, "f64"}});
  checkFused({{1000, 3}, {1, 1}, {5, 33, "f64"}});
  checkFused({{100, 51}, {640, 12}, {37, 770}, {90, 3, "f64"}, {2, 1}});
}

/// How tokens are chosen.
enum class Choice { all, few, same, rising };

struct EmbedCase {
  int64_t positions, vocabulary, width;
  const char *table = "f32", *rows = "f32"; // types of the table (or its gradient) and of the rows
  Choice choice = Choice::all;
  bool accumulates = false, inPlace = false;
};

DeviceTensor makeTokens(const EmbedCase &c, uint64_t seed) {
  DeviceTensor random("f64", {1, c.positions}, seed), tokens("i32", {1, c.positions});
  for (int64_t i = 0; i < c.positions; ++i) {
    int64_t token = static_cast<int64_t>((random.get(i) + 2) / 4 * static_cast<double>(c.vocabulary));
    if (c.choice == Choice::few && token % 5 != 0)
      token = 3 % c.vocabulary;
    if (c.choice == Choice::same)
      token = c.vocabulary - 1;
    if (c.choice == Choice::rising)
      token = i * c.vocabulary / c.positions;
    tokens.set(i, static_cast<double>(token));
  }
  return tokens;
}

struct EmbedTensors {
  EmbedTensors(const EmbedCase &c, uint64_t seed)
      : tokens(makeTokens(c, seed)), table(c.table, {c.vocabulary, c.width}, seed + 1),
        rows(c.rows, {1, c.positions, c.width}, seed + 2), result(c.table, {c.vocabulary, c.width}) {}
  DeviceTensor tokens, table, rows, result;
};

void checkEmbed(const std::vector<EmbedCase> &cases) {
  std::list<EmbedTensors> tensors;
  std::vector<DeviceOp> ops;
  for (size_t i = 0; i < cases.size(); ++i) {
    EmbedTensors &t = tensors.emplace_back(cases[i], 7 * i + 1);
    ops.push_back({"seq.embed %0, %1 : " + t.tokens.type() + ", " + t.table.type() + " -> " + t.rows.type() +
                       " {kern.kernel = \"NAME\"}",
                   {&t.tokens, &t.table},
                   {&t.rows}});
  }
  DeviceOps device(ops);
  ASSERT_TRUE(device.isLoaded());
  auto t = tensors.begin();
  for (size_t i = 0; i < cases.size(); ++i, ++t) {
    const EmbedCase &c = cases[i];
    SCOPED_TRACE(t->table.type() + " to " + t->rows.type());
    t->tokens.set(0, -1);
    t->tokens.set(c.positions / 2, static_cast<double>(c.vocabulary));
    t->tokens.set(c.positions - 1, std::numeric_limits<int32_t>::min());
    ASSERT_TRUE(device.run(i));
    for (int64_t row = 0; row < c.positions; ++row) {
      double token = std::clamp<double>(t->tokens.get(row), 0, static_cast<double>(c.vocabulary - 1));
      for (int64_t column = 0; column < c.width; ++column)
        ASSERT_EQ(t->rows.get(row * c.width + column), t->table.get(static_cast<int64_t>(token) * c.width + column))
            << "row " << row << ", column " << column;
    }
  }
}

TEST(CudaEmbed, Widths) { checkEmbed({{37, 50, 768}, {300, 11, 51}, {1, 3, 1}, {65, 7, 6}, {513, 2, 2}}); }
TEST(CudaEmbed, SeveralCopiesOfAThread) { checkEmbed({{5600, 20, 388}, {2113, 9, 1024}}); }
TEST(CudaEmbed, Types) {
  checkEmbed({{40, 30, 34, "f64", "f64"},
              {40, 30, 33, "f64", "f64"},
              {50, 20, 64, "bf16", "bf16"},
              {50, 20, 51, "bf16", "bf16"},
              {50, 20, 12, "bf16", "bf16"}});
}

class EmbedGrads {
public:
  explicit EmbedGrads(const std::vector<EmbedCase> &cases) : cases(cases) {
    std::vector<DeviceOp> ops;
    for (size_t i = 0; i < cases.size(); ++i)
      ops.push_back(makeOp(cases[i], 11 * i + 1));
    device = std::make_unique<DeviceOps>(ops);
  }

  void check() {
    ASSERT_TRUE(device->isLoaded());
    for (size_t i = 0; i < cases.size(); ++i)
      check(i);
  }

private:
  DeviceOp makeOp(const EmbedCase &c, uint64_t seed) {
    EmbedTensors &t = tensors.emplace_back(c, seed);
    std::string types =
        " : " + t.tokens.type() + ", " + t.rows.type() + " -> " + t.result.type() + " {kern.kernel = \"NAME\"}";
    if (!c.accumulates)
      return {"seq.embed_grad %0, %1" + types, {&t.tokens, &t.rows}, {&t.result}};
    return {"seq.embed_grad %0, %1 accumulate %2 : " + t.table.type() + types,
            {&t.tokens, &t.rows, c.inPlace ? &t.result : &t.table},
            {&t.result}};
  }

  void check(size_t i) {
    const EmbedCase &c = cases[i];
    EmbedTensors &t = *std::next(tensors.begin(), static_cast<long>(i));
    SCOPED_TRACE(t.rows.type() + " to " + t.table.type());
    ASSERT_TRUE(device->run(i, c.inPlace ? t.table.bits() : std::vector<char>()));
    Numbers want(c.vocabulary * c.width), size(want.size());
    std::vector<int64_t> terms(want.size());
    for (size_t j = 0; j < want.size(); ++j)
      want[j] = c.accumulates ? t.table.get(static_cast<int64_t>(j)) : 0, size[j] = std::abs(want[j]);
    for (int64_t row = 0; row < c.positions; ++row)
      for (int64_t column = 0; column < c.width; ++column) {
        int64_t at = static_cast<int64_t>(t.tokens.get(row)) * c.width + column;
        if (at < 0 || at >= c.vocabulary * c.width)
          continue;
        double part = t.rows.get(row * c.width + column);
        want[at] += part, size[at] += std::abs(part), ++terms[at];
      }
    for (size_t j = 0; j < want.size(); ++j)
      ASSERT_NEAR(t.result.get(static_cast<int64_t>(j)), want[j], terms[j] ? boundOf(c.table, terms[j], size[j]) : 0)
          << "id " << j / c.width << ", column " << j % c.width;
  }

  std::vector<EmbedCase> cases;
  std::list<EmbedTensors> tensors;
  std::unique_ptr<DeviceOps> device;
};

TEST(CudaEmbedGrad, Widths) {
  EmbedGrads({{200, 9, 128}, {300, 11, 51}, {1, 3, 1}, {129, 7, 6}, {128, 5, 260}, {257, 3, 2}}).check();
}
TEST(CudaEmbedGrad, ManyIds) {
  EmbedGrads({{700, 5000, 4}, {300, 40001, 2}, {513, 2113, 20}, {400, 70000, 1}}).check();
}
TEST(CudaEmbedGrad, WideTiles) { EmbedGrads({{700, 600, 128}, {300, 600, 132}}).check(); }
TEST(CudaEmbedGrad, AbsentIds) {
  EmbedGrads({{100, 1000, 12, "f32", "f32", Choice::few}, {64, 600, 8, "f32", "f32", Choice::same}}).check();
}
/// More positions than the lists of a block hold.
TEST(CudaEmbedGrad, FrequentIds) {
  EmbedGrads({{5000, 3, 8, "f32", "f32", Choice::same},
              {4001, 2000, 4, "f32", "f32", Choice::few},
              {3000, 4, 260, "f32", "f32"},
              {4000, 700, 4, "f32", "f32", Choice::rising}})
      .check();
}
TEST(CudaEmbedGrad, Types) {
  EmbedGrads({{400, 30, 34, "f64", "f64"},
              {300, 30, 33, "f64", "f64"},
              {500, 20, 64, "f32", "bf16"},
              {500, 20, 51, "f32", "bf16"},
              {1500, 3, 12, "f32", "bf16", Choice::same}})
      .check();
}
TEST(CudaEmbedGrad, Accumulates) {
  EmbedGrads({{300, 100, 12, "f32", "f32", Choice::few, true},
              {300, 100, 12, "f32", "f32", Choice::few, true, true},
              {4000, 5, 4, "f32", "f32", Choice::same, true, true},
              {200, 900, 6, "f64", "f64", Choice::all, true, true},
              {300, 50, 24, "f32", "bf16", Choice::all, true}})
      .check();
}
/// Ids outside of the vocabulary are nobody's.
TEST(CudaEmbedGrad, WrongIds) {
  EmbedCase c{150, 40, 8};
  EmbedTensors t(c, 3);
  std::string types = " : " + t.tokens.type() + ", " + t.rows.type() + " -> " + t.result.type();
  DeviceOps device(
      {{"seq.embed_grad %0, %1" + types + " {kern.kernel = \"NAME\"}", {&t.tokens, &t.rows}, {&t.result}}});
  ASSERT_TRUE(device.isLoaded());
  for (int64_t i = 0; i < c.positions; ++i)
    t.tokens.set(i, i % 3 == 0 ? -1 : i % 3 == 1 ? 40 : std::numeric_limits<int32_t>::min());
  ASSERT_TRUE(device.run(0));
  for (int64_t i = 0; i < t.result.count(); ++i)
    ASSERT_EQ(t.result.get(i), 0);
}
} // namespace
