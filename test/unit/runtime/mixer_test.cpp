// Linear mixers on the CPU, against their recurrence and its derivative, token by token in f64.
#include "runtime/device/cpu/mixer/mixer.h"

#include "runtime/abi/abi.h"
#include "runtime/core/bf16.h"
#include "runtime/core/error.h"
#include "runtime/core/threads.h"
#include "test/unit/support/recurrence.h"
#include "test/unit/support/whole.h"

#include <cmath>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <span>

using namespace stretto::runtime;
using namespace stretto::test;

namespace {

using Numbers = std::vector<double>;

enum class Erases { nothing, beta, key, other };

struct Setting : MixerSizes {
  Setting() : MixerSizes{2, 70, 4, 4, 5, 7, 0.7} {}

  double decay = 0;       // about this at each step; 0: none
  Numbers strengths = {}; // of the decay at each step one of these, in their place
  bool writes = false, documents = false;
  Erases erases = Erases::nothing;

  bool hasErase() const { return erases == Erases::key || erases == Erases::other; }
  int64_t decays() const { return decay == 0 ? 0 : byChannel ? heads * keys : heads; }
};

struct Data : MixerNumbers {
  explicit Data(const Setting &s) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    auto draw = [&](int64_t columns) {
      Numbers numbers(s.tokens() * columns);
      for (double &number : numbers) // what f32 holds, so that both types see the same
        number = static_cast<float>(normal(random) / std::sqrt(double(s.keys)));
      return numbers;
    };
    auto strengths = [&] {
      Numbers numbers = draw(s.heads);
      for (double &number : numbers)
        number = static_cast<float>(1 / (1 + std::exp(-2 * number)));
      return numbers;
    };
    q = draw(s.keyHeads * s.keys), k = draw(s.keyHeads * s.keys), v = draw(s.heads * s.values);
    grad = draw(s.heads * s.values);
    if (s.writes)
      write = strengths();
    if (s.erases == Erases::beta)
      beta = strengths();
    if (s.hasErase())
      erase = draw(s.heads * s.keys);
    for (double &number : erase) // else states grow
      number /= 2;
    if (s.erases == Erases::other)
      eraseWrite = draw(s.heads * s.keys);
    if (s.decay != 0) {
      decay = draw(s.decays());
      if (s.shared)
        decay.resize(s.decays());
      for (double &number : decay)
        number = s.strengths.empty() ? s.decay * std::abs(number) * (random() % 3 ? 1 : 0.01)
                                     : s.strengths[random() % s.strengths.size()];
      for (double &number : decay)
        number = static_cast<float>(number);
    }
    if (s.documents)
      for (int64_t token = 0; token < s.tokens(); ++token)
        positions.push_back(token % s.length == 0 || random() % 11 == 0 ? 0 : positions.back() + 1);
  }
};

struct Bf16 {
  uint16_t bits = 0;
  Bf16(double number) : bits(roundToBf16(static_cast<float>(number))) {}
  operator double() const { return widenBf16(bits); }
};
template <typename Number>
constexpr int32_t dtypeOf = sizeof(Number) == 8   ? STRETTO_F64
                            : sizeof(Number) == 4 ? STRETTO_F32
                                                  : STRETTO_BF16;

// The same by chunks, in programs whose rows consist of `Stored`. Rows lie `gap` elements further apart than they are
// wide.
template <typename Real, typename Stored = Real> class Chunks {
public:
  Chunks(const Setting &s, const Data &data) : s(s), data(data) {
    op.batch = s.batch, op.length = s.length, op.heads = s.heads, op.keyHeads = s.keyHeads;
    op.keyColumns = s.keys, op.valueColumns = s.values, op.scale = s.scale;
    op.real = dtypeOf<Real>, op.decaysByChannel = s.byChannel, op.readsBefore = s.before;
    op.q = rows<Stored>(data.q), op.k = rows<Stored>(data.k), op.v = rows<Stored>(data.v);
    op.erase = rows<Stored>(data.erase), op.eraseWrite = rows<Stored>(data.eraseWrite);
    op.write = rows<Real>(data.write), op.beta = rows<Real>(data.beta);
    op.decay = rows<Real>(data.decay, s.shared ? 1 : s.tokens());
    if (s.shared)
      op.decay.stride = 0;
    op.positions = s.documents ? data.positions.data() : nullptr;
  }

  // The gradient that is not wanted stays empty.
  MixerResults run(Numbers MixerResults::*unwanted = nullptr) {
    MixerResults results = emptyResults(s, data);
    if (unwanted)
      (results.*unwanted).clear();
    const int64_t segments = (s.length + s.segment - 1) / s.segment;
    std::vector<Real> memory(s.batch * s.heads * segments * s.keys * s.values + 64 / sizeof(Real));
    Real *states = aligned(memory.data());
    mixer::Forward forward{op, s.segment, {}, states};
    forward.out = rows<Stored>(results.out);
    runWithScratch(forward);
    take<Stored>(forward.out, results.out);
    mixer::Backward backward;
    static_cast<mixer::Operands &>(backward) = op;
    backward.segment = s.segment, backward.headsOfPart = s.headsOfPart;
    backward.states = states, backward.grad = rows<Stored>(data.grad);
    const std::pair<mixer::Rows *, Numbers *> stored[] = {{&backward.dq, &results.dq},
                                                          {&backward.dk, &results.dk},
                                                          {&backward.dv, &results.dv},
                                                          {&backward.dErase, &results.dErase},
                                                          {&backward.dEraseWrite, &results.dEraseWrite}},
                                              real[] = {{&backward.dDecay, &results.dDecay},
                                                        {&backward.dWrite, &results.dWrite},
                                                        {&backward.dBeta, &results.dBeta}};
    for (auto [place, numbers] : stored)
      *place = rows<Stored>(*numbers);
    for (auto [place, numbers] : real)
      *place = rows<Real>(*numbers);
    runWithScratch(backward);
    for (auto [place, numbers] : stored)
      take<Stored>(*place, *numbers);
    for (auto [place, numbers] : real)
      take<Real>(*place, *numbers);
    return results;
  }

  // Forward in calls of so many tokens.
  Numbers steps(int64_t most) {
    Numbers out(s.tokens() * s.heads * s.values), state(s.batch * s.heads * s.keys * s.values, 5);
    std::vector<Real> kept(state.begin(), state.end());
    for (int64_t t = 0; t < s.length; t += most) {
      const auto count = static_cast<int32_t>(std::min(most, s.length - t));
      mixer::Step step;
      static_cast<mixer::Operands &>(step) = op;
      step.batch = 1, step.length = most; // the sequences one by one, as rows of a call lie together
      for (int64_t sequence = 0; sequence < s.batch; ++sequence) {
        std::vector<int32_t> positions;
        for (int64_t i = 0; i < most; ++i)
          positions.push_back(static_cast<int32_t>(t + i));
        const int64_t token = sequence * s.length + t;
        std::vector<Real> rowsOut(most * s.heads * s.values, 9);
        using Given = mixer::Operands;
        for (auto member : {&Given::q, &Given::k, &Given::v, &Given::decay, &Given::write, &Given::beta, &Given::erase,
                            &Given::eraseWrite})
          step.*member = from(op.*member, token);
        step.positions = positions.data(), step.counts = &count;
        step.state = kept.data() + sequence * s.heads * s.keys * s.values;
        step.out = {rowsOut.data(), s.heads * s.values, dtypeOf<Real>};
        runWithScratch(step);
        for (int64_t i = 0; i < most * s.heads * s.values; ++i)
          if (i < count * s.heads * s.values)
            out[token * s.heads * s.values + i] = rowsOut[i];
          else
            EXPECT_EQ(rowsOut[i], 0);
      }
    }
    return out;
  }

private:
  static constexpr int64_t gap = 3;

  // Enough room behind the last row for calls that are longer than what is left. `count`: of the rows.
  template <typename Number> mixer::Rows rows(const Numbers &numbers, int64_t count) {
    if (numbers.empty())
      return {};
    const int64_t width = static_cast<int64_t>(numbers.size()) / count, stride = width + gap;
    auto &memory = kept.emplace_back(((count + 64) * stride * sizeof(Number) + 7) / 8);
    auto *to = reinterpret_cast<Number *>(memory.data());
    std::fill_n(to, (count + 64) * stride, Number(-77));
    for (int64_t row = 0; row < count; ++row)
      for (int64_t column = 0; column < width; ++column)
        to[row * stride + column] = Number(numbers[row * width + column]);
    return {to, stride, dtypeOf<Number>};
  }
  template <typename Number> mixer::Rows rows(const Numbers &numbers) { return rows<Number>(numbers, s.tokens()); }

  static mixer::Rows from(mixer::Rows rows, int64_t token) {
    if (rows)
      rows.data = static_cast<Real *>(rows.data) + token * rows.stride;
    return rows;
  }

  template <typename Number> void take(const mixer::Rows &place, Numbers &numbers) {
    const int64_t columns = static_cast<int64_t>(numbers.size()) / s.tokens();
    for (int64_t i = 0; i < static_cast<int64_t>(numbers.size()); ++i)
      numbers[i] = static_cast<const Number *>(place.data)[i / columns * place.stride + i % columns];
  }

  // Each time with scratch memory that holds no number of any type, and that ends where it must: calls of one size
  // share it.
  template <typename Op> void runWithScratch(const Op &op) {
    const size_t count = mixer::scratchBytes(op) * threadCount() / sizeof(double) + 8;
    if (scratch.size() != count)
      scratch = std::vector<double>(count);
    std::memset(scratch.data(), 0xff, count * sizeof(double));
    mixer::run(op, reinterpret_cast<char *>(aligned(scratch.data())));
  }

  // The next place that is a multiple of 64 bytes.
  template <typename Number> static Number *aligned(Number *begin) {
    return reinterpret_cast<Number *>((reinterpret_cast<uintptr_t>(begin) + 63) / 64 * 64);
  }

  const Setting &s;
  const Data &data;
  mixer::Operands op;
  std::deque<std::vector<double>> kept; // whatever lies there
  std::vector<double> scratch;
};

// The largest difference, relative to the largest number expected.
double difference(const Numbers &found, const Numbers &wanted) {
  double largest = 1e-30, most = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!std::isfinite(found[i]))
      return INFINITY;
    largest = std::max(largest, std::abs(wanted[i]));
    most = std::max(most, std::abs(found[i] - wanted[i]));
  }
  return most / largest;
}

void expectAgree(const MixerResults &found, const MixerResults &wanted, double limit, double decayLimit) {
  EXPECT_LE(difference(found.out, wanted.out), limit) << "out";
  EXPECT_LE(difference(found.dq, wanted.dq), limit) << "dq";
  EXPECT_LE(difference(found.dk, wanted.dk), limit) << "dk";
  EXPECT_LE(difference(found.dv, wanted.dv), limit) << "dv";
  EXPECT_LE(difference(found.dDecay, wanted.dDecay), decayLimit) << "ddecay";
  EXPECT_LE(difference(found.dWrite, wanted.dWrite), limit) << "dwrite";
  EXPECT_LE(difference(found.dBeta, wanted.dBeta), limit) << "dbeta";
  EXPECT_LE(difference(found.dErase, wanted.dErase), limit) << "derase";
  EXPECT_LE(difference(found.dEraseWrite, wanted.dEraseWrite), limit) << "derase_write";
}

// Columns of heads, and how many heads there are: of chunks, and of the ways that go token by token with heads side by
// side, where rows are read in place or are copied, and where the gradients of 16 heads that share keys are added up.
struct Widths {
  int64_t keys, values, heads, shared; // shared: heads that have keys of their own
  int64_t headsOfPart() const { return heads / shared % 16 == 0 ? 16 : 1; }
};
constexpr Widths allWidths[] = {{5, 7, 4, 2},  {1, 1, 32, 16}, {1, 1, 20, 5}, {3, 4, 17, 1},  {8, 1, 6, 2},
                                {1, 6, 16, 4}, {9, 1, 16, 1},  {2, 1, 48, 3}, {1, 1, 80, 80}, {1, 1, 128, 8}};

std::vector<Setting> settings(Widths widths) {
  std::vector<Setting> list;
  for (Erases erases : {Erases::nothing, Erases::beta, Erases::key, Erases::other})
    for (double decay : {0.0, -0.05, -2.0, -5.0, -80.0})
      for (bool byChannel : {false, true})
        for (bool variant : {false, true}) {
          Setting s;
          s.erases = erases, s.decay = decay, s.byChannel = byChannel;
          s.before = variant && erases != Erases::nothing;
          s.writes = variant && erases != Erases::beta;
          s.documents = (list.size() % 3) == 1;
          s.shared = (list.size() % 5) == 2 && decay != 0;
          s.keys = widths.keys, s.values = widths.values, s.heads = widths.heads;
          s.keyHeads = variant ? widths.shared : widths.heads;
          s.headsOfPart = variant ? widths.headsOfPart() : 1;
          if (decay != 0 || !byChannel)
            list.push_back(s);
        }
  return list;
}
// In f32, of the largest number. What goes token by token is rounded as often, and grows more where nothing decays.
double limitOf(const Setting &s) { return s.keys == allWidths[0].keys ? 2e-6 : 1e-5; }

// Under a sanitizer each 7th of them.
std::vector<Setting> settings(std::span<const Widths> all = allWidths) {
  std::vector<Setting> list;
  for (Widths widths : all)
    for (const Setting &s : settings(widths))
      list.push_back(s);
  return isSanitized ? every(7, list) : list;
}

} // namespace

// Who sums gradients of queries and keys over heads must be told of it: parts would be written beyond rows of sums.
TEST(Mixer, refusesSumsOverHeadsThatItDoesNotMake) {
  mixer::Backward op;
  op.heads = op.keyHeads = 16, op.keyColumns = op.valueColumns = 64;
  for (int64_t heads : {2, 16}) {
    op.headsOfPart = heads;
    EXPECT_THROW(mixer::run(op, nullptr), Error) << heads;
  }
}

TEST(Mixer, agreesWithTheRecurrence) {
  for (Setting s : settings())
    for (int64_t length : {1, 15, 64, 65, 203}) {
      s.length = length;
      const Data data(s);
      const MixerResults wanted = runRecurrence(s, data);
      SCOPED_TRACE(testing::Message() << s.heads << " heads of " << s.keys << " x " << s.values << " length " << length
                                      << " erases " << int(s.erases) << " decay " << s.decay
                                      << (s.byChannel ? " by channel" : "") << (s.before ? " before" : "")
                                      << (s.documents ? " documents" : "") << (s.shared ? " shared" : ""));
      expectAgree(Chunks<double>(s, data).run(), wanted, 1e-10, 1e-10);
      expectAgree(Chunks<float>(s, data).run(), wanted, limitOf(s), 1e-5);
    }
}

// All of what is between 1 and nothing in one chunk, a state that is forgotten at once among them.
TEST(Mixer, takesStrongAndWeakDecayTogether) {
  for (Setting s : settings())
    if (s.decay == -80) {
      s.strengths = {0, -0.05, -5, -80, -INFINITY};
      const Data data(s);
      const MixerResults wanted = runRecurrence(s, data);
      SCOPED_TRACE(testing::Message() << "erases " << int(s.erases) << (s.byChannel ? " by channel" : "")
                                      << (s.before ? " before" : "") << (s.documents ? " documents" : ""));
      expectAgree(Chunks<double>(s, data).run(), wanted, 1e-10, 1e-10);
      expectAgree(Chunks<float>(s, data).run(), wanted, limitOf(s), 1e-5);
    }
}

// A decay 200 times as strong as a weak one: what takes differences of sums, or pairs of a token with itself, would be
// wrong by 1e-5 here.
TEST(Mixer, losesNothingWhereDecayIsStrong) {
  for (bool byChannel : {false, true})
    for (Erases erases : {Erases::nothing, Erases::beta, Erases::key}) {
      Setting s;
      s.length = 203, s.keys = 32, s.values = 24, s.segment = 256, s.byChannel = byChannel, s.erases = erases;
      s.decay = 200 * -0.05, s.strengths = {-10, -9, -8, -7};
      const Data data(s);
      SCOPED_TRACE(testing::Message() << "erases " << int(erases) << (byChannel ? " by channel" : ""));
      expectAgree(Chunks<float>(s, data).run(), runRecurrence(s, data), 3e-7, 3e-7);
    }
}

void expectSame(const MixerResults &a, const MixerResults &b) {
  for (auto member :
       {&MixerResults::out, &MixerResults::dq, &MixerResults::dk, &MixerResults::dv, &MixerResults::dDecay,
        &MixerResults::dWrite, &MixerResults::dBeta, &MixerResults::dErase, &MixerResults::dEraseWrite})
    EXPECT_EQ(a.*member, b.*member);
}

TEST(Mixer, leavesOutGradientsThatNobodyWants) {
  for (const Setting &s : settings()) {
    const Data data(s);
    const MixerResults all = Chunks<float>(s, data).run();
    for (auto unwanted : {&MixerResults::dDecay, &MixerResults::dWrite, &MixerResults::dBeta, &MixerResults::dErase,
                          &MixerResults::dEraseWrite}) {
      if ((all.*unwanted).empty())
        continue;
      SCOPED_TRACE(testing::Message() << s.heads << " heads of " << s.keys << " x " << s.values << " erases "
                                      << int(s.erases) << " decay " << s.decay);
      MixerResults wanted = all;
      (wanted.*unwanted).clear();
      expectSame(Chunks<float>(s, data).run(unwanted), wanted);
    }
  }
}

TEST(Mixer, givesTheSameBitsOnAnyNumberOfThreads) {
  const int before = threadCount();
  for (const Setting &s : settings()) {
    const Data data(s);
    setThreadCount(1);
    const MixerResults narrow = Chunks<float>(s, data).run(), wide = Chunks<double>(s, data).run();
    for (int threads : {2, 3}) {
      setThreadCount(threads);
      expectSame(Chunks<float>(s, data).run(), narrow);
      expectSame(Chunks<double>(s, data).run(), wide);
    }
  }
  setThreadCount(before);
}

Numbers rounded(Numbers numbers) {
  for (double &number : numbers)
    number = Bf16(number);
  return numbers;
}

// The work is that of f32; rows are read and written as bf16.
TEST(Mixer, roundsRowsOnlyWhereTheyAreWritten) {
  for (const Setting &s : settings()) {
    Data data(s);
    for (auto member : {&Data::q, &Data::k, &Data::v, &Data::erase, &Data::eraseWrite, &Data::grad})
      data.*member = rounded(data.*member);
    MixerResults wanted = Chunks<float>(s, data).run();
    for (auto member : {&MixerResults::out, &MixerResults::dq, &MixerResults::dk, &MixerResults::dv,
                        &MixerResults::dErase, &MixerResults::dEraseWrite})
      wanted.*member = rounded(wanted.*member);
    expectSame(Chunks<float, Bf16>(s, data).run(), wanted);
  }
}

// Saved states of 35 numbers lie anywhere, those of 64 at multiples of 64 bytes.
TEST(Mixer, needsNotTheStatesOfShortSegments) {
  constexpr Widths widths[] = {{5, 7, 4, 2}, {8, 8, 4, 2}, {1, 1, 20, 5}, {2, 3, 17, 1}};
  for (Setting s : settings(widths)) {
    s.batch = 1, s.length = 300, s.segment = 64;
    const Data data(s);
    const MixerResults wanted = Chunks<double>(s, data).run();
    const Numbers out = Chunks<float>(s, data).run().out;
    for (int64_t segment : {256, 320}) { // two, and one
      s.segment = segment;
      const MixerResults found = Chunks<double>(s, data).run();
      EXPECT_TRUE(found.out == wanted.out);
      EXPECT_TRUE(Chunks<float>(s, data).run().out == out);
      expectAgree(found, wanted, 1e-12, 1e-12);
    }
  }
}

TEST(Mixer, goesOnFromAState) {
  for (Setting s : settings()) {
    s.documents = false;
    const Data data(s);
    const MixerResults wanted = runRecurrence(s, data);
    for (int64_t most : {1, 3, 33})
      EXPECT_LE(difference(Chunks<double>(s, data).steps(most), wanted.out), 1e-10) << most;
  }
}
