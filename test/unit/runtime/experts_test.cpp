// Matmuls of experts, those of the CPU and those over tensors, against loops over rows and experts in f64.
#include "runtime/core/threads.h"
#include "runtime/library/dtypes.h"
#include "runtime/library/expert_tensors.h"
#include "runtime/library/run.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;

namespace {

struct Sizes {
  int64_t rows, experts, chosen, whole, part;
};

// What the operations read, in f64: numbers that bf16 has, so that no type rounds them.
struct Problem {
  explicit Problem(const Sizes &sizes) : sizes(sizes) {
    at::manual_seed(sizes.rows + sizes.part);
    auto numbers = [](int64_t rows, int64_t columns) {
      return at::randint(-4, 5, {rows, columns}, at::kDouble).div(4);
    };
    whole = numbers(sizes.rows, sizes.whole), parts = numbers(sizes.rows, sizes.chosen * sizes.part);
    up = numbers(sizes.experts * sizes.part, sizes.whole), down = numbers(sizes.experts * sizes.whole, sizes.part);
    gates = numbers(sizes.rows, sizes.experts); // more than `chosen` of them are not zero in some rows, none in others
    gates.slice(0, 0, 3).zero_();
    if (sizes.experts > 2)
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

// An operation: its operands, the shapes of its results, what these are.
struct Case {
  const char *name;
  std::vector<at::Tensor> operands;
  std::vector<at::Tensor> expected;
  void (*elsewhere)(const std::vector<at::Tensor> &operands, int64_t chosen, bool accumulates,
                    const std::vector<at::Tensor> &results);
  bool isSum = false; // of rows: in f32 where these are bf16, and it can be added to
};

using Tensors = std::vector<at::Tensor>;

Case linear(const Problem &p) {
  at::Tensor y = at::zeros_like(p.parts);
  eachVisit(p, [&](int64_t row, int64_t expert, int64_t part) {
    partOf(p, y, row, part).copy_(ofExpert(p, p.up, expert).matmul(p.whole[row]));
  });
  return {"seq.expert_linear",
          {p.whole, p.gates, p.up},
          {y},
          [](const Tensors &in, int64_t chosen, bool, const Tensors &out) {
            expertLinear(in[0], in[1], in[2], chosen, out[0]);
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
          [](const Tensors &in, int64_t chosen, bool, const Tensors &out) {
            expertLinearInputGrad(in[0], in[1], in[2], chosen, out[0]);
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
          [](const Tensors &in, int64_t chosen, bool accumulates, const Tensors &out) {
            expertLinearWeightGrad(in[0], in[1], in[2], chosen, accumulates, out[0]);
          },
          /*isSum=*/true};
}

Case sum(const Problem &p) {
  at::Tensor y = at::zeros_like(p.whole);
  eachVisit(p, [&](int64_t row, int64_t expert, int64_t part) {
    y[row].add_(p.gates[row][expert] * ofExpert(p, p.down, expert).matmul(partOf(p, p.parts, row, part)));
  });
  return {"seq.expert_sum",
          {p.parts, p.gates, p.down},
          {y},
          [](const Tensors &in, int64_t chosen, bool, const Tensors &out) {
            expertSum(in[0], in[1], in[2], chosen, out[0]);
          }};
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
          [](const Tensors &in, int64_t chosen, bool, const Tensors &out) {
            expertSumInputGrad(in[0], in[1], in[2], in[3], chosen, out[0], out[1]);
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
          [](const Tensors &in, int64_t chosen, bool accumulates, const Tensors &out) {
            expertSumWeightGrad(in[0], in[1], in[2], chosen, accumulates, out[0]);
          },
          /*isSum=*/true};
}

std::vector<Case> casesOf(const Problem &p) {
  return {linear(p), linearInputGrad(p), linearWeightGrad(p), sum(p), sumInputGrad(p), sumWeightGrad(p)};
}

stretto_tensor describe(const at::Tensor &tensor, const char *name = "") {
  stretto_tensor described{.name = name,
                           .buffer = {},
                           .shape = {tensor.size(0), tensor.size(1)},
                           .row_stride = tensor.stride(0),
                           .rank = 2,
                           .dtype = dtypeOf(tensor)};
  return described;
}

// As a program calls it.
void runInProgram(const Case &each, const Tensors &operands, int64_t chosen, bool accumulates, const Tensors &results) {
  LibraryOp op;
  op.name = each.name;
  auto add = [&](const at::Tensor &tensor, const char *name = "") {
    op.tensors.push_back(describe(tensor, name));
    op.buffers.push_back(tensor.data_ptr());
  };
  for (const at::Tensor &operand : operands)
    add(operand);
  if (accumulates)
    add(results[0], "accumulator");
  op.operands = op.tensors.size();
  for (const at::Tensor &result : results)
    add(result);
  op.numbers = {{"chosen", static_cast<double>(chosen)}};
  std::vector<char> memory;
  const int64_t bytes = scratchBytes(op);
  runOnCpu(op, [&](int64_t bytesPerThread) {
    EXPECT_EQ(bytesPerThread, bytes);
    memory.assign(bytesPerThread * threadCount(), 1);
    return memory.data();
  });
}

// Rows of more columns, of which those of the tensor are some; the others must stay.
at::Tensor amongOthers(const at::Tensor &rows) {
  at::Tensor wide = at::full({rows.size(0), rows.size(1) + 5}, 7, rows.options());
  at::Tensor columns = wide.slice(1, 2, 2 + rows.size(1));
  columns.copy_(rows);
  return columns;
}

Tensors typed(const Case &each, const Problem &p, at::ScalarType stored, at::ScalarType wide) {
  Tensors operands;
  for (const at::Tensor &operand : each.operands)
    operands.push_back(operand.is_same(p.up) || operand.is_same(p.down)
                           ? operand.to(stored)
                           : amongOthers(operand.to(operand.is_same(p.gates) ? wide : stored)));
  return operands;
}

void check(const Case &each, const Problem &p, at::ScalarType stored, bool inProgram, bool accumulates) {
  const at::ScalarType wide = stored == at::kBFloat16 ? at::kFloat : stored;
  const double tolerance = stored == at::kDouble ? 1e-14 : stored == at::kFloat ? 1e-6 : each.isSum ? 1e-6 : 4e-3;
  const Tensors operands = typed(each, p, stored, wide);
  Tensors results, expected;
  for (const at::Tensor &tensor : each.expected) {
    const bool isWide = each.isSum || &tensor != &each.expected[0];
    const at::Tensor begin = accumulates ? at::ones_like(tensor) : at::full_like(tensor, 99);
    results.push_back(each.isSum ? begin.to(wide) : amongOthers(begin.to(isWide ? wide : stored)));
    expected.push_back(accumulates ? tensor + begin : tensor);
  }
  if (inProgram)
    runInProgram(each, operands, p.sizes.chosen, accumulates, results);
  else
    each.elsewhere(operands, p.sizes.chosen, accumulates, results);
  for (size_t i = 0; i < results.size(); ++i) {
    const double error = (results[i].to(at::kDouble) - expected[i]).abs().max().item<double>();
    EXPECT_LE(error, tolerance * expected[i].abs().max().item<double>()) << each.name << ", result " << i;
    if (!each.isSum) // what lies beside it
      EXPECT_EQ(results[i].as_strided({results[i].size(0)}, {results[i].stride(0)}, 1).ne(7).sum().item<int64_t>(), 0);
  }
}

constexpr Sizes small{.rows = 21, .experts = 4, .chosen = 2, .whole = 6, .part = 5};
constexpr Sizes single{.rows = 9, .experts = 3, .chosen = 1, .whole = 4, .part = 3};
// More rows of an expert, more columns and more rows of a weight than a thread multiplies at a time.
constexpr Sizes large{.rows = 620, .experts = 3, .chosen = 2, .whole = 520, .part = 530};

class ExpertsTest : public testing::Test {
protected:
  static void SetUpTestSuite() { at::set_num_threads(1); }
};

} // namespace

TEST_F(ExpertsTest, AreLoopsOverRowsAndExperts) {
  for (const Sizes &sizes : {small, single, large})
    for (const at::ScalarType stored : {at::kDouble, at::kFloat, at::kBFloat16}) {
      const Problem p(sizes);
      for (const Case &each : casesOf(p))
        check(each, p, stored, /*inProgram=*/true, /*accumulates=*/false);
    }
}

TEST_F(ExpertsTest, AreTheSameOverTensors) {
  for (const Sizes &sizes : {small, single})
    for (const at::ScalarType stored : {at::kDouble, at::kFloat, at::kBFloat16}) {
      const Problem p(sizes);
      for (const Case &each : casesOf(p))
        check(each, p, stored, /*inProgram=*/false, /*accumulates=*/false);
    }
}

TEST_F(ExpertsTest, GradientsOfWeightsCanBeAddedUp) {
  for (const bool inProgram : {true, false})
    for (const at::ScalarType stored : {at::kDouble, at::kBFloat16}) {
      const Problem p(small);
      for (const Case &each : casesOf(p))
        if (each.isSum)
          check(each, p, stored, inProgram, /*accumulates=*/true);
    }
}

TEST_F(ExpertsTest, ThreadsDoNotChangeBits) {
  const Problem p(large);
  for (const Case &each : casesOf(p)) {
    Tensors first;
    for (const int threads : {1, 3}) {
      setThreadCount(threads);
      Tensors results;
      for (const at::Tensor &tensor : each.expected)
        results.push_back(at::empty_like(tensor, at::kFloat));
      runInProgram(each, typed(each, p, at::kFloat, at::kFloat), p.sizes.chosen, false, results);
      for (size_t i = 0; i < first.size(); ++i)
        EXPECT_TRUE(results[i].equal(first[i])) << each.name << ", result " << i;
      first = results;
    }
    setThreadCount(1);
  }
}
