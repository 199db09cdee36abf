// Linear mixers over tensors against a plain recurrence, token by token in f64, and against the CPU's kernels.
#include "runtime/core/threads.h"
#include "runtime/device/cpu/mixer/mixer.h"
#include "runtime/library/mixer_tensors.h"
#include "test/unit/runtime/ops.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <functional>
#include <numeric>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

struct Kind {
  const char *name;
  bool write = false, beta = false, erase = false, eraseWrite = false, before = false;
};
constexpr Kind kinds[] = {
    {.name = "plain"},
    {.name = "write", .write = true},
    {.name = "beta", .beta = true},
    {.name = "beta, before", .beta = true, .before = true},
    {.name = "erase", .erase = true},
    {.name = "erase, write", .write = true, .erase = true},
    {.name = "erase, before", .erase = true, .before = true},
    {.name = "erase_write", .erase = true, .eraseWrite = true},
    {.name = "erase_write, write", .write = true, .erase = true, .eraseWrite = true},
    {.name = "erase_write, before", .erase = true, .eraseWrite = true, .before = true},
    {.name = "erase_write, all", .write = true, .erase = true, .eraseWrite = true, .before = true}};

enum class Decay { none, byHead, byChannel, sharedByHead, sharedByChannel };
constexpr Decay decays[] = {Decay::none, Decay::byHead, Decay::byChannel, Decay::sharedByHead, Decay::sharedByChannel};

struct Sizes {
  int64_t length = 0, batch = 2, heads = 4, keyHeads = 2, keys = 3, values = 5, headsOfPart = 1;
};

constexpr int64_t segment = 64;
constexpr double scale = 0.7;

// An operand as numbers, [batch * length, columns], or one row for all tokens.
struct Numbers {
  std::vector<double> values;
  int64_t columns = 0;
  bool isShared = false;
  const double *row(int64_t token) const { return values.data() + (isShared ? 0 : token * columns); }
};

struct Problem {
  Problem(const Kind &kind, Decay decay, const Sizes &sizes, bool hasDocuments, double strength = 0.5)
      : kind(kind), decay(decay), sizes(sizes), strength(strength) {
    const int64_t keys = sizes.keys, heads = sizes.heads;
    fill(q, sizes.keyHeads * keys), fillKeys(k, sizes.keyHeads * keys), fill(v, heads * sizes.values);
    if (kind.write)
      fill(write, heads);
    if (kind.beta)
      fill(beta, heads);
    for (double &number : beta.values)
      number = std::abs(number);
    if (kind.erase)
      fillKeys(erase, heads * keys);
    if (kind.eraseWrite)
      fillKeys(eraseWrite, heads * keys);
    fill(grad, heads * sizes.values);
    fillDecay();
    for (int64_t token = 0; hasDocuments && token < tokens(); ++token) {
      const int64_t time = token % sizes.length;
      const bool begins = time == 0 || time == 1 || token % 29 == 21 || (token == time && time == segment);
      positions.push_back(begins ? 0 : positions.back() + 1);
    }
  }
  int64_t tokens() const { return sizes.batch * sizes.length; }

  const Kind kind;
  const Decay decay;
  const Sizes sizes;
  const double strength;
  Numbers q, k, v, g, write, beta, erase, eraseWrite, grad;
  std::vector<int32_t> positions;

private:
  void fill(Numbers &numbers, int64_t columns, bool isShared = false) {
    numbers.columns = columns, numbers.isShared = isShared;
    numbers.values = randomReals<double>((isShared ? 1 : tokens()) * columns, ++stream);
  }
  // Small enough for states that do not grow.
  void fillKeys(Numbers &numbers, int64_t columns) {
    fill(numbers, columns);
    for (double &number : numbers.values)
      number /= std::sqrt(sizes.keys);
  }
  void fillDecay() {
    if (decay == Decay::none)
      return;
    const bool byChannel = decay == Decay::byChannel || decay == Decay::sharedByChannel;
    fill(g, sizes.heads * (byChannel ? sizes.keys : 1),
         decay == Decay::sharedByHead || decay == Decay::sharedByChannel);
    for (double &number : g.values)
      number = number > 0.9 ? 0 : -strength * (1 + number);
  }
  uint32_t stream = 0;
};

//===- The recurrence ----------------------------------------------------------===//

// One head of one sequence, from `state`, [keys][values]; before(token, state) sees it before each token.
void recur(const Problem &p, int64_t batch, int64_t head, std::vector<double> &state,
           const std::function<void(int64_t token, const std::vector<double> &state)> &before,
           std::vector<double> &out) {
  const int64_t keys = p.sizes.keys, values = p.sizes.values, width = p.sizes.heads * values;
  const int64_t keyHead = head / (p.sizes.heads / p.sizes.keyHeads);
  for (int64_t time = 0; time < p.sizes.length; ++time) {
    const int64_t token = batch * p.sizes.length + time;
    if (!p.positions.empty() && p.positions[token] == 0)
      std::fill(state.begin(), state.end(), 0.0);
    before(token, state);
    const double *q = p.q.row(token) + keyHead * keys, *k = p.k.row(token) + keyHead * keys;
    const double beta = p.kind.beta ? p.beta.row(token)[head] : 1;
    const double write = p.kind.write ? p.write.row(token)[head] : beta;
    const bool byChannel = p.g.columns > p.sizes.heads;
    for (int64_t e = 0; e < values; ++e) {
      double erased = 0;
      std::vector<double> column(keys);
      for (int64_t d = 0; d < keys; ++d) {
        const double g = p.decay == Decay::none ? 0 : p.g.row(token)[byChannel ? head * keys + d : head];
        column[d] = std::exp(g) * state[d * values + e];
        const double r = p.kind.beta ? beta * k[d] : p.kind.erase ? p.erase.row(token)[head * keys + d] : 0;
        erased += r * (p.kind.before ? state[d * values + e] : column[d]);
      }
      double sum = 0;
      for (int64_t d = 0; d < keys; ++d) {
        const double back = p.kind.eraseWrite ? p.eraseWrite.row(token)[head * keys + d] : k[d];
        column[d] += k[d] * write * p.v.row(token)[head * values + e] - back * erased;
        state[d * values + e] = column[d];
        sum += q[d] * column[d];
      }
      out[token * width + head * values + e] = scale * sum;
    }
  }
}

std::vector<double> recurrence(const Problem &p) {
  std::vector<double> out(p.tokens() * p.sizes.heads * p.sizes.values);
  for (int64_t piece = 0; piece < p.sizes.batch * p.sizes.heads; ++piece) {
    std::vector<double> state(p.sizes.keys * p.sizes.values);
    recur(p, piece / p.sizes.heads, piece % p.sizes.heads, state, [](int64_t, const std::vector<double> &) {}, out);
  }
  return out;
}

double loss(const Problem &p) {
  const std::vector<double> out = recurrence(p);
  return std::inner_product(out.begin(), out.end(), p.grad.values.begin(), 0.0);
}

//===- Tensors -----------------------------------------------------------------===//

// [batch, length, columns] among wider rows, as columns of merged matmuls are.
at::Tensor rows(const Sizes &sizes, int64_t columns, at::ScalarType type) {
  return at::full({sizes.batch, sizes.length, columns + 3}, std::nan(""), type).slice(2, 2, columns + 2);
}

at::Tensor tensorOf(const Problem &p, const Numbers &numbers, at::ScalarType type) {
  if (numbers.columns == 0)
    return {};
  const at::Tensor all = at::from_blob(const_cast<double *>(numbers.values.data()),
                                       {static_cast<int64_t>(numbers.values.size())}, at::kDouble);
  if (numbers.isShared)
    return all.to(type, /*non_blocking=*/false, /*copy=*/true);
  const at::Tensor to = rows(p.sizes, numbers.columns, type);
  return to.copy_(all.reshape(to.sizes()));
}

at::Tensor integers(const std::vector<int32_t> &numbers, at::IntArrayRef shape) {
  return at::from_blob(const_cast<int32_t *>(numbers.data()), shape, at::kInt).clone();
}

// What is stored is of one type, gates and states of another.
struct Types {
  at::ScalarType stored, real;
};
constexpr Types f64{at::kDouble, at::kDouble}, f32{at::kFloat, at::kFloat}, bf16{at::kBFloat16, at::kFloat};

MixerTensors tensorsOf(const Problem &p, const Types &types) {
  MixerTensors tensors;
  tensors.q = tensorOf(p, p.q, types.stored), tensors.k = tensorOf(p, p.k, types.stored);
  tensors.v = tensorOf(p, p.v, types.stored), tensors.decay = tensorOf(p, p.g, types.real);
  tensors.write = tensorOf(p, p.write, types.real), tensors.beta = tensorOf(p, p.beta, types.real);
  tensors.erase = tensorOf(p, p.erase, types.stored), tensors.eraseWrite = tensorOf(p, p.eraseWrite, types.stored);
  if (!p.positions.empty())
    tensors.positions = integers(p.positions, {p.sizes.batch, p.sizes.length});
  tensors.heads = p.sizes.heads, tensors.keyHeads = p.sizes.keyHeads;
  tensors.scale = scale, tensors.readsBefore = p.kind.before;
  return tensors;
}

struct Results {
  at::Tensor out, states;
  MixerGradients gradients;
};

// Room for what is computed.
Results resultsOf(const Problem &p, const Types &types) {
  const Sizes &sizes = p.sizes;
  const int64_t segments = (sizes.length + segment - 1) / segment;
  auto like = [&](const Numbers &numbers, at::ScalarType type) {
    return numbers.columns ? rows(sizes, numbers.columns, type) : at::Tensor();
  };
  const int64_t keyColumns = sizes.heads / sizes.headsOfPart * sizes.keys;
  return {like(p.v, types.stored),
          at::full({sizes.batch, sizes.heads, segments, sizes.keys * sizes.values}, std::nan(""), types.real),
          {rows(sizes, keyColumns, types.stored), rows(sizes, keyColumns, types.stored), like(p.v, types.stored),
           like(p.g, types.real), like(p.write, types.real), like(p.beta, types.real), like(p.erase, types.stored),
           like(p.eraseWrite, types.stored)}};
}

Results compute(const Problem &p, const Types &types) {
  const c10::InferenceMode guard;
  const MixerTensors tensors = tensorsOf(p, types);
  Results results = resultsOf(p, types);
  mixerForward(tensors, segment, results.out, results.states);
  mixerBackward(tensors, segment, results.states, tensorOf(p, p.grad, types.stored), results.gradients);
  return results;
}

// The output alone, as where nothing is differentiated.
at::Tensor outOf(const Problem &p, const Types &types) {
  const c10::InferenceMode guard;
  const Results results = resultsOf(p, types);
  mixerForward(tensorsOf(p, types), segment, results.out, {});
  return results.out;
}

std::vector<double> numbersOf(const at::Tensor &tensor) {
  const at::Tensor plain = tensor.to(at::kDouble).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

//===- The CPU's kernels -------------------------------------------------------===//

mixer::Rows rowsOf(const at::Tensor &tensor) {
  if (!tensor.defined())
    return {};
  return {tensor.data_ptr(), tensor.dim() == 1 ? 0 : tensor.stride(1),
          tensor.scalar_type() == at::kDouble     ? STRETTO_F64
          : tensor.scalar_type() == at::kBFloat16 ? STRETTO_BF16
                                                  : STRETTO_F32};
}

template <typename Op> Op operandsOf(const Problem &p, const MixerTensors &tensors) {
  Op op;
  op.batch = p.sizes.batch, op.length = p.sizes.length, op.heads = p.sizes.heads, op.keyHeads = p.sizes.keyHeads;
  op.keyColumns = p.sizes.keys, op.valueColumns = p.sizes.values, op.scale = scale;
  op.real = tensors.q.scalar_type() == at::kDouble ? STRETTO_F64 : STRETTO_F32;
  op.decaysByChannel = p.g.columns > p.sizes.heads, op.readsBefore = p.kind.before;
  op.q = rowsOf(tensors.q), op.k = rowsOf(tensors.k), op.v = rowsOf(tensors.v), op.decay = rowsOf(tensors.decay);
  op.write = rowsOf(tensors.write), op.beta = rowsOf(tensors.beta), op.erase = rowsOf(tensors.erase);
  op.eraseWrite = rowsOf(tensors.eraseWrite);
  if (tensors.positions.defined())
    op.positions = tensors.positions.data_ptr<int32_t>();
  return op;
}

template <typename Op> void runOnCpu(const Op &op) {
  const int64_t bytes = mixer::scratchBytes(op) * threadCount();
  const at::Tensor scratch = at::full({bytes + 64}, 0xff, at::kByte); // not a number
  char *begin = static_cast<char *>(scratch.data_ptr());
  mixer::run(op, begin + (64 - reinterpret_cast<uintptr_t>(begin) % 64) % 64);
}

Results computeOnCpu(const Problem &p, const Types &types) {
  const MixerTensors tensors = tensorsOf(p, types);
  Results results = resultsOf(p, types);
  const MixerGradients &to = results.gradients;
  auto forward = operandsOf<mixer::Forward>(p, tensors);
  forward.segment = segment, forward.out = rowsOf(results.out), forward.states = results.states.data_ptr();
  runOnCpu(forward);
  auto backward = operandsOf<mixer::Backward>(p, tensors);
  const at::Tensor grad = tensorOf(p, p.grad, types.stored);
  backward.segment = segment, backward.headsOfPart = p.sizes.headsOfPart, backward.states = results.states.data_ptr(),
  backward.grad = rowsOf(grad);
  backward.dq = rowsOf(to.dq), backward.dk = rowsOf(to.dk), backward.dv = rowsOf(to.dv);
  backward.dDecay = rowsOf(to.dDecay), backward.dWrite = rowsOf(to.dWrite), backward.dBeta = rowsOf(to.dBeta);
  backward.dErase = rowsOf(to.dErase), backward.dEraseWrite = rowsOf(to.dEraseWrite);
  runOnCpu(backward);
  return results;
}

//===- What is compared --------------------------------------------------------===//

struct Named {
  const char *name;
  at::Tensor tensor;
};
std::vector<Named> named(const Results &results) {
  const MixerGradients &to = results.gradients;
  return {{"out", results.out},  {"states", results.states},      {"dq", to.dq},         {"dk", to.dk},
          {"dv", to.dv},         {"ddecay", to.dDecay},           {"dwrite", to.dWrite}, {"dbeta", to.dBeta},
          {"derase", to.dErase}, {"derase_write", to.dEraseWrite}};
}

void expectAgree(const Results &got, const Results &expected, double tolerance) {
  const std::vector<Named> left = named(got), right = named(expected);
  for (size_t i = 0; i < left.size(); ++i) {
    if (!left[i].tensor.defined())
      continue;
    EXPECT_LE(relativeError(numbersOf(left[i].tensor), numbersOf(right[i].tensor)), tolerance) << left[i].name;
  }
}

// Calls check(problem) for every kind and decay.
template <typename Check> void forAll(const Sizes &sizes, bool hasDocuments, const Check &check) {
  for (const Kind &kind : kinds)
    for (const Decay decay : decays) {
      SCOPED_TRACE(std::string(kind.name) + ", decay " + std::to_string(static_cast<int>(decay)) + ", " +
                   std::to_string(sizes.length) + " tokens" + (hasDocuments ? ", documents" : ""));
      check(Problem(kind, decay, sizes, hasDocuments));
    }
}

template <typename Check> void forAllLengths(const Check &check) {
  for (const int64_t length : {1, 17, 64, 70, 130})
    for (const bool hasDocuments : {false, true})
      forAll({.length = length}, hasDocuments, check);
}

// Sums over the parts of a key head, for each entry of q or k.
std::vector<double> byKeyHeads(const Problem &p, const at::Tensor &gradient) {
  const Sizes &sizes = p.sizes;
  return numbersOf(gradient.to(at::kDouble).reshape({p.tokens(), sizes.keyHeads, -1, sizes.keys}).sum(2));
}

// Compares some entries with central differences of the loss, of fourth order.
void expectDerivative(Problem &p, Numbers Problem::*operand, const std::vector<double> &gradient) {
  constexpr double step = 1e-4;
  std::vector<double> &values = (p.*operand).values;
  const size_t count = values.size(), stride = std::max<size_t>(1, count / 12) | 1;
  for (size_t i = count / 7; i < count; i += stride) {
    const double value = values[i];
    auto lossAt = [&](double steps) {
      values[i] = value + steps * step;
      return loss(p);
    };
    const double expected = (8 * (lossAt(1) - lossAt(-1)) - (lossAt(2) - lossAt(-2))) / (12 * step);
    values[i] = value;
    EXPECT_NEAR(gradient[i], expected, 1e-8 * (1 + std::abs(expected))) << "entry " << i;
  }
}

// Of decay: that of all tokens, where it is the same for all.
std::vector<double> decayGradient(const Problem &p, const at::Tensor &gradient) {
  return numbersOf(p.g.isShared ? gradient.sum(c10::IntArrayRef{0, 1}) : gradient);
}

// Tensors are small; threads would only wait for each other.
class MixerTensorsTest : public testing::Test {
protected:
  static void SetUpTestSuite() { at::set_num_threads(1); }
};

} // namespace

TEST_F(MixerTensorsTest, IsTheRecurrence) {
  forAllLengths([](const Problem &p) { EXPECT_LE(relativeError(numbersOf(outOf(p, f64)), recurrence(p)), 1e-13); });
}

TEST_F(MixerTensorsTest, StatesAreThoseBeforeSegments) {
  forAll({.length = 130}, true, [](const Problem &p) {
    const at::Tensor states = compute(p, f64).states;
    std::vector<double> out(p.tokens() * p.sizes.heads * p.sizes.values);
    for (int64_t piece = 0; piece < p.sizes.batch * p.sizes.heads; ++piece) {
      const int64_t batch = piece / p.sizes.heads, head = piece % p.sizes.heads;
      std::vector<double> state(p.sizes.keys * p.sizes.values);
      recur(
          p, batch, head, state,
          [&](int64_t token, const std::vector<double> &before) {
            if (token % p.sizes.length % segment != 0)
              return;
            EXPECT_LE(relativeError(numbersOf(states[batch][head][token % p.sizes.length / segment]), before), 1e-13);
          },
          out);
    }
  });
}

TEST_F(MixerTensorsTest, GradientsAreThoseOfTheRecurrence) {
  auto check = [](Problem p) {
    const MixerGradients to = compute(p, f64).gradients;
    expectDerivative(p, &Problem::q, byKeyHeads(p, to.dq));
    expectDerivative(p, &Problem::k, byKeyHeads(p, to.dk));
    expectDerivative(p, &Problem::v, numbersOf(to.dv));
    if (to.dDecay.defined())
      expectDerivative(p, &Problem::g, decayGradient(p, to.dDecay));
    if (to.dWrite.defined())
      expectDerivative(p, &Problem::write, numbersOf(to.dWrite));
    if (to.dBeta.defined())
      expectDerivative(p, &Problem::beta, numbersOf(to.dBeta));
    if (to.dErase.defined())
      expectDerivative(p, &Problem::erase, numbersOf(to.dErase));
    if (to.dEraseWrite.defined())
      expectDerivative(p, &Problem::eraseWrite, numbersOf(to.dEraseWrite));
  };
  for (const bool hasDocuments : {false, true}) {
    forAll({.length = 70}, hasDocuments, check);
    forAll({.length = 17, .batch = 1, .heads = 2, .keyHeads = 2}, hasDocuments, check);
  }
}

TEST_F(MixerTensorsTest, AgreesWithTheCpu) {
  forAllLengths([](const Problem &p) { expectAgree(compute(p, f64), computeOnCpu(p, f64), 1e-13); });
}

TEST_F(MixerTensorsTest, AgreesWithTheCpuOnHeadsThatAreAddedUp) {
  const Sizes sizes{.length = 70, .heads = 32, .keyHeads = 1, .keys = 3, .values = 2, .headsOfPart = 16};
  forAll(sizes, true, [](const Problem &p) { expectAgree(compute(p, f64), computeOnCpu(p, f64), 1e-13); });
}

TEST_F(MixerTensorsTest, AgreesWithTheCpuOnWideHeads) {
  forAll({.length = 150, .batch = 1, .keys = 40, .values = 24}, true, [](const Problem &p) {
    expectAgree(compute(p, f64), computeOnCpu(p, f64), 1e-13);
    expectAgree(compute(p, f32), computeOnCpu(p, f32), 1e-5);
  });
}

// Pairs of so many columns are not all held at a time.
TEST_F(MixerTensorsTest, AgreesWithTheCpuOnManyColumns) {
  const Problem p(kinds[4], Decay::byChannel, {.length = 64, .batch = 1, .heads = 40, .keys = 512, .values = 2}, true);
  expectAgree(compute(p, f32), computeOnCpu(p, f32), 1e-5);
}

// Where a channel loses all but e^-80 of itself at one token and nothing at the next, sums of decay are large, and what
// stays between two tokens is still exact.
TEST_F(MixerTensorsTest, IsExactAtAnyStrengthOfDecay) {
  for (const Kind &kind : kinds)
    for (const Decay decay : {Decay::byHead, Decay::byChannel}) {
      SCOPED_TRACE(kind.name);
      Problem p(kind, decay, {.length = 130}, true, 40);
      for (size_t i = 0; i < p.g.values.size(); i += 2)
        p.g.values[i] = -1e-3;
      for (double &number : p.g.values)
        number = static_cast<double>(static_cast<float>(number));
      const Results expected = compute(p, f64);
      EXPECT_LE(relativeError(numbersOf(expected.out), recurrence(p)), 1e-13);
      expectAgree(compute(p, f32), expected, 2e-6);
    }
}

TEST_F(MixerTensorsTest, ForgetsAllWhereDecayIsInfinite) {
  for (const Decay decay : {Decay::byHead, Decay::byChannel}) {
    Problem p(kinds[2], decay, {.length = 70}, false);
    for (size_t i = 0; i < p.g.values.size(); i += 7)
      p.g.values[i] = -INFINITY;
    const Results results = compute(p, f64);
    EXPECT_LE(relativeError(numbersOf(results.out), recurrence(p)), 1e-13);
    for (const Named &result : named(results))
      EXPECT_TRUE(!result.tensor.defined() || result.tensor.isfinite().all().item<bool>()) << result.name;
  }
}

// Computed in f32 of what bf16 holds, and rounded once.
TEST_F(MixerTensorsTest, RoundsToBf16) {
  forAll({.length = 70}, true, [](Problem p) {
    for (Numbers *numbers : {&p.q, &p.k, &p.v, &p.erase, &p.eraseWrite, &p.grad})
      for (double &number : numbers->values)
        number = Bf16(number);
    const Results got = compute(p, bf16), exact = compute(p, f32);
    const std::vector<Named> left = named(got), right = named(exact);
    for (size_t i = 0; i < left.size(); ++i) {
      if (!left[i].tensor.defined())
        continue;
      EXPECT_TRUE(left[i].tensor.equal(right[i].tensor.to(left[i].tensor.scalar_type()))) << left[i].name;
    }
  });
}

TEST_F(MixerTensorsTest, LeavesOutGradientsThatNobodyWants) {
  const Problem p(kinds[2], Decay::byHead, {.length = 70}, true);
  const Results all = compute(p, f64);
  const at::Tensor dv = rows(p.sizes, p.v.columns, at::kDouble);
  MixerGradients onlyValues;
  onlyValues.dv = dv;
  mixerBackward(tensorsOf(p, f64), segment, all.states, tensorOf(p, p.grad, at::kDouble), onlyValues);
  EXPECT_TRUE(dv.equal(all.gradients.dv));
}

//===- Steps -------------------------------------------------------------------===//

namespace {

// Rows of some tokens of each sequence; behind the last one what is not a number.
at::Tensor window(const at::Tensor &x, int64_t begin, int64_t count) {
  if (!x.defined() || x.dim() == 1)
    return x;
  const at::Tensor part = x.slice(1, begin, begin + count);
  return at::constant_pad_nd(part, {0, 0, 0, count - part.size(1)}, std::nan(""));
}

// A call of `rows` tokens from number `begin` of each sequence on, of which those are valid that the sequence has.
struct StepCall {
  StepCall(const Problem &p, const MixerTensors &whole, int64_t begin, int64_t rows, const std::vector<int32_t> &valid)
      : tensors(whole), counts(integers(valid, {p.sizes.batch})) {
    for (at::Tensor MixerTensors::*part :
         {&MixerTensors::q, &MixerTensors::k, &MixerTensors::v, &MixerTensors::decay, &MixerTensors::write,
          &MixerTensors::beta, &MixerTensors::erase, &MixerTensors::eraseWrite})
      tensors.*part = window(whole.*part, begin, rows);
    tensors.positions = at::Tensor();
    positions = (at::arange(rows, at::kInt) + begin).expand({p.sizes.batch, rows}).contiguous();
    out = roomFor(p, rows);
  }
  static at::Tensor roomFor(const Problem &p, int64_t rows) {
    return at::full({p.sizes.batch, rows, p.v.columns}, std::nan(""), at::kDouble);
  }
  MixerTensors tensors;
  at::Tensor positions, counts, out;
};

void stepOnCpu(const Problem &p, const StepCall &call, const at::Tensor &state, const at::Tensor &out) {
  auto step = operandsOf<mixer::Step>(p, call.tensors);
  step.length = call.positions.size(1);
  step.positions = call.positions.data_ptr<int32_t>(), step.counts = call.counts.data_ptr<int32_t>();
  step.state = state.data_ptr(), step.out = rowsOf(out);
  runOnCpu(step);
}

at::Tensor stateOf(const Problem &p) {
  return at::full({p.sizes.batch, p.sizes.heads * p.sizes.keys, p.sizes.values}, 1e3, at::kDouble);
}

} // namespace

TEST_F(MixerTensorsTest, StepsInPieces) {
  forAll({.length = 41}, false, [](const Problem &p) {
    const MixerTensors whole = tensorsOf(p, f64);
    const at::Tensor state = stateOf(p), stateOnCpu = stateOf(p);
    std::vector<at::Tensor> pieces;
    int64_t begin = 0;
    for (const int64_t rows : {1, 20, 3, 1, 16}) {
      const StepCall call(p, whole, begin, rows, std::vector<int32_t>(p.sizes.batch, static_cast<int32_t>(rows)));
      mixerStep(call.tensors, call.positions, call.counts, state, call.out);
      const at::Tensor outOnCpu = StepCall::roomFor(p, rows);
      stepOnCpu(p, call, stateOnCpu, outOnCpu);
      EXPECT_LE(relativeError(numbersOf(call.out), numbersOf(outOnCpu)), 1e-13);
      EXPECT_LE(relativeError(numbersOf(state), numbersOf(stateOnCpu)), 1e-13);
      pieces.push_back(call.out);
      begin += rows;
    }
    EXPECT_LE(relativeError(numbersOf(at::cat(pieces, 1)), recurrence(p)), 1e-13);
  });
}

// Three rows in each call, of which the sequences have some; those that are not valid hold anything.
TEST_F(MixerTensorsTest, StepsOnlyOverValidRows) {
  forAll({.length = 9, .batch = 4}, false, [](const Problem &p) {
    const MixerTensors whole = tensorsOf(p, f64);
    const std::vector<double> expected = recurrence(p);
    const at::Tensor state = stateOf(p);
    const std::vector<int32_t> valid{3, 0, 2, 1};
    const StepCall call(p, whole, 0, 3, valid);
    for (int64_t batch = 0; batch < p.sizes.batch; ++batch)
      for (const at::Tensor *part : {&call.tensors.q, &call.tensors.k, &call.tensors.v})
        part->select(0, batch).slice(0, valid[batch]).fill_(std::nan(""));
    mixerStep(call.tensors, call.positions, call.counts, state, call.out);
    EXPECT_TRUE(state[1].equal(stateOf(p)[1])) << "no row is valid";
    const at::Tensor wanted = at::zeros_like(call.out);
    for (int64_t batch = 0; batch < p.sizes.batch; ++batch)
      for (int64_t at = 0; at < valid[batch] * p.v.columns; ++at)
        wanted[batch].view(-1)[at] = expected[batch * p.sizes.length * p.v.columns + at];
    EXPECT_LE(relativeError(numbersOf(call.out), numbersOf(wanted)), 1e-13);
  });
}
