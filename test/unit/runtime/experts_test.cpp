// Matmuls of experts, those of the CPU and those over tensors, against loops over rows and experts in f64.
#include "runtime/core/threads.h"
#include "runtime/device/cpu/packed_matmul.h"
#include "runtime/device/cpu/reserve.h"
#include "runtime/library/dtypes.h"
#include "runtime/library/expert_tensors.h"
#include "runtime/library/run.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

using namespace stretto;
using namespace stretto::runtime;

namespace {

struct Sizes {
  int64_t rows, experts, chosen, whole, part;
};

// Numbers that bf16 has, so that no type rounds them, nor sums of their products; or any.
enum class Numbers { few, any };

// What the operations read, in f64.
struct Problem {
  explicit Problem(const Sizes &sizes, Numbers kind = Numbers::few) : sizes(sizes) {
    at::manual_seed(sizes.rows + sizes.part);
    auto numbers = [kind](int64_t rows, int64_t columns) {
      return kind == Numbers::any ? at::randn({rows, columns}, at::kDouble)
                                  : at::randint(-4, 5, {rows, columns}, at::kDouble).div(4);
    };
    whole = numbers(sizes.rows, sizes.whole), parts = numbers(sizes.rows, sizes.chosen * sizes.part);
    up = numbers(sizes.experts * sizes.part, sizes.whole), down = numbers(sizes.experts * sizes.whole, sizes.part);
    gates = numbers(sizes.rows, sizes.experts); // more than `chosen` of them are not zero in some rows, none in others
    if (sizes.rows > 3)
      gates.slice(0, 0, 3).zero_();
    if (sizes.experts > 3)
      gates.select(1, 1).zero_();
  }
  Sizes sizes;
  at::Tensor whole, parts, gates, up, down; // up: of seq.expert_linear; down: of seq.expert_sum
};

// Calls visit(row, expert, part) for each expert that a row goes to.
template <typename Visit> void eachVisit(const Problem &p, const Visit &visit) {
  const auto gates = p.gates.accessor<double, 2>();
  for (int64_t row = 0; row < p.sizes.rows; ++row)
    for (int64_t expert = 0, part = 0; expert < p.sizes.experts && part < p.sizes.chosen; ++expert)
      if (gates[row][expert] != 0)
        visit(row, expert, part++);
}

at::Tensor partOf(const Problem &p, const at::Tensor &parts, int64_t row, int64_t part) {
  return parts[row].slice(0, part * p.sizes.part, (part + 1) * p.sizes.part);
}
at::Tensor ofExpert(const Problem &p, const at::Tensor &weights, int64_t expert) {
  const int64_t out = weights.size(0) / p.sizes.experts;
  return weights.slice(0, expert * out, (expert + 1) * out);
}

using Tensors = std::vector<at::Tensor>;

// An operation: its operands, what its results are.
struct Case {
  const char *name;
  Tensors operands, expected;
  // Over tensors; the gates are the operand of that number.
  size_t gates;
  void (*elsewhere)(const ExpertTensors &experts, const Tensors &operands, bool accumulates, const Tensors &results);
  bool isSum = false; // of rows: in f32 where these are bf16, and it can be added to
};

Case linear(const Problem &p) {
  at::Tensor y = at::zeros_like(p.parts);
  eachVisit(p, [&](int64_t row, int64_t expert, int64_t part) {
    partOf(p, y, row, part).copy_(ofExpert(p, p.up, expert).matmul(p.whole[row]));
  });
  return {"seq.expert_linear",
          {p.whole, p.gates, p.up},
          {y},
          1,
          [](const ExpertTensors &e, const Tensors &in, bool, const Tensors &out) {
            expertLinear(e, in[0], in[2], out[0]);
          }};
}

Case linearInputGrad(const Problem &p) {
  at::Tensor dx = at::zeros_like(p.whole);
  eachVisit(p, [&](int64_t row, int64_t expert, int64_t part) {
    dx[row].add_(partOf(p, p.parts, row, part).matmul(ofExpert(p, p.up, expert)));
  });
  return {"seq.expert_linear_input_grad",
          {p.parts, p.gates, p.up},
          {dx},
          1,
          [](const ExpertTensors &e, const Tensors &in, bool, const Tensors &out) {
            expertLinearInputGrad(e, in[0], in[2], out[0]);
          }};
}

Case linearWeightGrad(const Problem &p) {
  at::Tensor dw = at::zeros_like(p.up);
  eachVisit(p, [&](int64_t row, int64_t expert, int64_t part) {
    ofExpert(p, dw, expert).add_(partOf(p, p.parts, row, part).outer(p.whole[row]));
  });
  return {"seq.expert_linear_weight_grad",
          {p.parts, p.gates, p.whole},
          {dw},
          1,
          [](const ExpertTensors &e, const Tensors &in, bool accumulates, const Tensors &out) {
            expertLinearWeightGrad(e, in[0], in[2], accumulates, out[0]);
          },
          /*isSum=*/true};
}

Case sum(const Problem &p) {
  at::Tensor y = at::zeros_like(p.whole);
  eachVisit(p, [&](int64_t row, int64_t expert, int64_t part) {
    y[row].add_(p.gates[row][expert] * ofExpert(p, p.down, expert).matmul(partOf(p, p.parts, row, part)));
  });
  return {
      "seq.expert_sum",
      {p.parts, p.gates, p.down},
      {y},
      1,
      [](const ExpertTensors &e, const Tensors &in, bool, const Tensors &out) { expertSum(e, in[0], in[2], out[0]); }};
}

Case sumInputGrad(const Problem &p) {
  at::Tensor du = at::zeros_like(p.parts), dgates = at::zeros_like(p.gates);
  eachVisit(p, [&](int64_t row, int64_t expert, int64_t part) {
    const at::Tensor z = p.whole[row].matmul(ofExpert(p, p.down, expert));
    partOf(p, du, row, part).copy_(p.gates[row][expert] * z);
    dgates[row][expert] = z.dot(partOf(p, p.parts, row, part));
  });
  return {"seq.expert_sum_input_grad",
          {p.whole, p.parts, p.gates, p.down},
          {du, dgates},
          2,
          [](const ExpertTensors &e, const Tensors &in, bool, const Tensors &out) {
            expertSumInputGrad(e, in[0], in[1], in[3], out[0], out[1]);
          }};
}

Case sumWeightGrad(const Problem &p) {
  at::Tensor dw = at::zeros_like(p.down);
  eachVisit(p, [&](int64_t row, int64_t expert, int64_t part) {
    ofExpert(p, dw, expert).add_(p.gates[row][expert] * p.whole[row].outer(partOf(p, p.parts, row, part)));
  });
  return {"seq.expert_sum_weight_grad",
          {p.whole, p.gates, p.parts},
          {dw},
          1,
          [](const ExpertTensors &e, const Tensors &in, bool accumulates, const Tensors &out) {
            expertSumWeightGrad(e, in[0], in[2], accumulates, out[0]);
          },
          /*isSum=*/true};
}

std::vector<Case> casesOf(const Problem &p) {
  return {linear(p), linearInputGrad(p), linearWeightGrad(p), sum(p), sumInputGrad(p), sumWeightGrad(p)};
}

// Rows as [batch, time, columns] where they are of two sequences.
at::Tensor inSequences(const at::Tensor &rows) {
  return rows.size(0) % 2 == 0 ? rows.unflatten(0, {2, rows.size(0) / 2}) : rows;
}

stretto_tensor describe(const at::Tensor &tensor, const char *name = "") {
  stretto_tensor described{.name = name,
                           .buffer = {},
                           .shape = {},
                           .row_stride = tensor.stride(-2),
                           .rank = static_cast<int32_t>(tensor.dim()),
                           .dtype = dtypeOf(tensor)};
  std::copy(tensor.sizes().begin(), tensor.sizes().end(), described.shape);
  return described;
}

// As a program calls it.
LibraryOp inProgram(const Case &each, const Tensors &operands, int64_t chosen, bool accumulates,
                    const Tensors &results) {
  LibraryOp op;
  op.name = each.name;
  auto add = [&](const at::Tensor &tensor, const char *name = "") {
    op.tensors.push_back(describe(tensor, name));
    op.buffers.push_back(tensor.data_ptr());
  };
  auto addRows = [&](const at::Tensor &rows) {
    add(rows.size(0) == each.operands[each.gates].size(0) ? inSequences(rows) : rows);
  };
  for (const at::Tensor &operand : operands)
    addRows(operand);
  if (accumulates)
    add(results[0], "accumulator");
  op.operands = op.tensors.size();
  for (const at::Tensor &result : results)
    addRows(result);
  op.numbers = {{"chosen", static_cast<double>(chosen)}};
  return op;
}

void runInProgram(const Case &each, const Tensors &operands, int64_t chosen, bool accumulates, const Tensors &results) {
  const LibraryOp op = inProgram(each, operands, chosen, accumulates, results);
  std::vector<char> memory;
  const int64_t bytes = scratchBytes(op);
  runOnCpu(op, [&](int64_t bytesPerThread) {
    EXPECT_EQ(bytesPerThread, bytes);
    memory.assign(bytesPerThread * threadCount(), 1);
    return memory.data();
  });
}

constexpr double beside = 7; // what lies beside columns of wider rows

// Rows of more columns, of which those of the tensor are some.
at::Tensor amongOthers(const at::Tensor &rows) {
  const at::Tensor wide = at::full({rows.size(0), rows.size(1) + 5}, beside, rows.options());
  at::Tensor columns = wide.slice(1, 2, 2 + rows.size(1));
  columns.copy_(rows);
  return columns;
}

void expectOthersKept(const at::Tensor &columns) {
  const int64_t rows = columns.size(0), width = columns.size(1) + 5;
  const at::Tensor wide = columns.as_strided({rows, width}, {width, 1}, 0);
  for (const at::Tensor &part : {wide.slice(1, 0, 2), wide.slice(1, width - 3, width)})
    EXPECT_TRUE(part.eq(beside).all().item<bool>()) << "what lies beside columns of a result has changed";
}

enum class Way { inProgram, overTensors, grouped };

struct Form {
  at::ScalarType stored; // of rows and weights
  Way way = Way::inProgram;
  bool accumulates = false;
  bool isExact = false; // results of rows are f32, rounded nowhere
};

at::ScalarType wideOf(const Form &form) { return form.stored == at::kBFloat16 ? at::kFloat : form.stored; }

Tensors typed(const Case &each, const Problem &p, const Form &form) {
  Tensors operands;
  for (const at::Tensor &operand : each.operands)
    operands.push_back(operand.is_same(p.up) || operand.is_same(p.down)
                           ? operand.to(form.stored)
                           : amongOthers(operand.to(operand.is_same(p.gates) ? wideOf(form) : form.stored)));
  return operands;
}

double toleranceOf(const Case &each, const Form &form) {
  if (form.stored == at::kDouble)
    return 1e-14;
  const bool isRounded = form.stored == at::kBFloat16 && !(form.way == Way::inProgram && (each.isSum || form.isExact));
  return isRounded ? 8e-3 : 1e-6;
}

void execute(const Case &each, const Problem &p, const Form &form, const Tensors &operands, const Tensors &results) {
  if (form.way == Way::inProgram)
    return runInProgram(each, operands, p.sizes.chosen, form.accumulates, results);
  each.elsewhere({operands[each.gates], p.sizes.chosen, form.way == Way::grouped}, operands, form.accumulates, results);
}

void check(const Case &each, const Problem &p, const Form &form) {
  const Tensors operands = typed(each, p, form);
  Tensors results, expected;
  for (size_t i = 0; i < each.expected.size(); ++i) {
    const at::Tensor &tensor = each.expected[i];
    const bool isWide = each.isSum || form.isExact || i > 0;
    const at::Tensor begin = form.accumulates ? at::ones_like(tensor) : at::full_like(tensor, 99);
    const at::Tensor typed = begin.to(isWide ? wideOf(form) : form.stored);
    results.push_back(each.isSum ? typed : amongOthers(typed));
    expected.push_back(form.accumulates ? tensor + begin : tensor);
  }
  execute(each, p, form, operands, results);
  for (size_t i = 0; i < results.size(); ++i) {
    const double error = (results[i].to(at::kDouble) - expected[i]).abs().max().item<double>();
    EXPECT_LE(error, toleranceOf(each, form) * expected[i].abs().max().item<double>()) << each.name << ", result " << i;
    if (!each.isSum)
      expectOthersKept(results[i]);
  }
}

void checkAll(const Sizes &sizes, const Form &form) {
  const Problem p(sizes);
  for (const Case &each : casesOf(p))
    if (each.isSum || !form.accumulates)
      check(each, p, form);
}

constexpr Sizes small{.rows = 22, .experts = 4, .chosen = 2, .whole = 6, .part = 5};
constexpr Sizes sizesOfRows[] = {small,
                                 {.rows = 9, .experts = 3, .chosen = 1, .whole = 4, .part = 3},
                                 {.rows = 1, .experts = 3, .chosen = 3, .whole = 8, .part = 16},
                                 {.rows = 5, .experts = 1, .chosen = 1, .whole = 7, .part = 9}};
// More rows of an expert, more columns and more rows of a weight than a thread multiplies at a time.
constexpr Sizes large{.rows = 620, .experts = 3, .chosen = 2, .whole = 520, .part = 530};
constexpr Sizes eights{.rows = 40, .experts = 5, .chosen = 2, .whole = 16, .part = 24}; // which grouped matmuls take
constexpr at::ScalarType types[] = {at::kDouble, at::kFloat, at::kBFloat16};

class ExpertsTest : public testing::Test {
protected:
  static void SetUpTestSuite() { at::set_num_threads(1); }
};

} // namespace

TEST_F(ExpertsTest, AreLoopsOverRowsAndExperts) {
  for (const at::ScalarType stored : types) {
    for (const Sizes &sizes : sizesOfRows)
      checkAll(sizes, {.stored = stored});
    checkAll(large, {.stored = stored});
  }
}

TEST_F(ExpertsTest, AreTheSameOverTensors) {
  for (const at::ScalarType stored : types)
    for (const Sizes &sizes : sizesOfRows)
      checkAll(sizes, {.stored = stored, .way = Way::overTensors});
}

TEST_F(ExpertsTest, AreTheSameByGroupedMatmuls) { checkAll(eights, {.stored = at::kBFloat16, .way = Way::grouped}); }

TEST_F(ExpertsTest, ResultsOfRoundedRowsMayBeExact) {
  checkAll(small, {.stored = at::kBFloat16, .isExact = true});
  checkAll(large, {.stored = at::kBFloat16, .isExact = true});
}

TEST_F(ExpertsTest, GradientsOfWeightsCanBeAddedUp) {
  for (const at::ScalarType stored : types)
    for (const Way way : {Way::inProgram, Way::overTensors})
      checkAll(small, {.stored = stored, .way = way, .accumulates = true});
  checkAll(large, {.stored = at::kFloat, .accumulates = true});
  checkAll(eights, {.stored = at::kBFloat16, .way = Way::grouped, .accumulates = true});
}

// A gate that is no number is not zero: what comes of it must be seen, and in the rows of its token alone.
TEST_F(ExpertsTest, GatesThatAreNoNumbersStayInTheirRows) {
  Problem p(small);
  p.gates[5][0] = std::numeric_limits<double>::quiet_NaN();
  for (const Way way : {Way::inProgram, Way::overTensors}) {
    const Case each = sum(p);
    const at::Tensor result = at::zeros_like(p.whole);
    execute(each, p, {.stored = at::kDouble, .way = way}, each.operands, {result});
    const at::Tensor rows = result.isnan().any(-1);
    EXPECT_TRUE(rows[5].item<bool>());
    EXPECT_EQ(rows.sum().item<int64_t>(), 1);
  }
}

// Nor do infinite numbers of a row come into gradients of experts that it does not go to.
TEST_F(ExpertsTest, InfiniteNumbersStayWithTheirExperts) {
  Problem p(small);
  p.gates[5].zero_();
  p.gates[5][2] = 1;
  p.whole[5].fill_(std::numeric_limits<double>::infinity());
  for (const Way way : {Way::inProgram, Way::overTensors}) {
    const Case each = linearWeightGrad(p);
    const at::Tensor gradient = at::zeros_like(p.up);
    execute(each, p, {.stored = at::kDouble, .way = way}, each.operands, {gradient});
    for (int64_t expert = 0; expert < p.sizes.experts; ++expert)
      EXPECT_EQ(ofExpert(p, gradient, expert).isfinite().all().item<bool>(), expert != 2) << "expert " << expert;
  }
}

TEST_F(ExpertsTest, ThreadsDoNotChangeBits) {
  const Problem p(large, Numbers::any); // whose sums are others in another order
  for (const at::ScalarType stored : types)
    for (const Case &each : casesOf(p)) {
      const Form form{.stored = stored, .isExact = true};
      Tensors first;
      for (const int threads : {1, 3}) {
        setThreadCount(threads);
        Tensors results;
        for (const at::Tensor &tensor : each.expected)
          results.push_back(at::empty_like(tensor, wideOf(form)));
        execute(each, p, form, typed(each, p, form), results);
        for (size_t i = 0; i < first.size(); ++i)
          EXPECT_TRUE(results[i].equal(first[i])) << each.name << ", result " << i;
        first = results;
      }
      setThreadCount(1);
    }
}

// At most 256 rows by 512 columns at a time, and as few rows as an expert, or the end of a weight, may have.
TEST_F(ExpertsTest, SaysWhichMatmulsThreadsCompute) {
  const Problem p(large);
  auto shape = [](int64_t m, int64_t n, int64_t k, bool transposeA, bool transposeB) {
    return MatmulShape{STRETTO_F64, m, n, k, transposeA, transposeB, /*shared=*/true};
  };
  auto ofRows = [&](int64_t n, int64_t k, bool transposed) {
    return std::vector{shape(256, n, k, false, transposed), shape(7, n, k, false, transposed)};
  };
  auto ofWeight = [&](int64_t out, int64_t in) {
    return std::vector{shape(256, in, 256, true, false), shape(out % 256, in, 256, true, false)};
  };
  const std::vector<MatmulShape> expected[] = {ofRows(512, 520, true), ofRows(512, 530, false), ofWeight(530, 520),
                                               ofRows(512, 530, true), ofRows(512, 520, false), ofWeight(520, 530)};
  const std::vector<Case> cases = casesOf(p);
  for (size_t i = 0; i < cases.size(); ++i) {
    Tensors results;
    for (const at::Tensor &tensor : cases[i].expected)
      results.push_back(at::empty_like(tensor));
    EXPECT_EQ(matmulsOf(inProgram(cases[i], cases[i].operands, p.sizes.chosen, false, results)), expected[i])
        << cases[i].name;
  }
}

TEST_F(ExpertsTest, MemoryOfTheirMatmulsIsTakenBeforehand) {
  const Problem p(large);
  const Case each = linearWeightGrad(p); // of many rows alone, which our own matmuls take where they are preferred
  auto takenFor = [&](at::ScalarType stored) {
    const Tensors operands = typed(each, p, {.stored = stored}), results = {at::empty_like(each.expected[0], stored)};
    ReserveOp op;
    op.library.push_back(inProgram(each, operands, p.sizes.chosen, false, results));
    reserveForMatmuls(op);
    return matmulMemoryPeak();
  };
  const int64_t ofFloats = takenFor(at::kFloat), ofDoubles = takenFor(at::kDouble);
  EXPECT_GE(ofFloats, prefersTiles() ? reservePacking() : 1);
  EXPECT_GT(ofDoubles, 0); // by MKL
}
