// One head of one sequence at a time, its state a matrix of numbers.
#include "test/unit/support/recurrence.h"

#include <algorithm>
#include <cmath>

using namespace stretto::test;

namespace {
using Numbers = std::vector<double>;

// Of one head of one sequence.
class Recurrence {
public:
  Recurrence(const MixerSizes &s, const MixerNumbers &data, int64_t sequence, int64_t head)
      : s(s), data(data), first(sequence * s.length), head(head), keyHead(head * s.keyHeads / s.heads) {}

  void run(MixerResults &to) {
    std::vector<Numbers> before, read;
    Numbers state(s.keys * s.values);
    for (int64_t t = 0; t < s.length; ++t) {
      if (t % s.segment == 0)
        std::copy(state.begin(), state.end(), to.states.begin() + savedAt(t / s.segment));
      if (begins(t))
        state.assign(state.size(), 0);
      before.push_back(state);
      read.push_back(readOf(t, state));
      advance(t, state, read.back());
      for (int64_t e = 0; e < s.values; ++e)
        for (int64_t d = 0; d < s.keys; ++d)
          to.out[at(t, s.values, e)] += s.scale * q(t, d) * state[d * s.values + e];
    }
    Numbers ahead(state.size());
    for (int64_t t = s.length - 1; t >= 0; --t)
      backward(t, before[t], read[t], ahead, to);
  }

private:
  bool begins(int64_t t) const { return t == 0 || (!data.positions.empty() && data.positions[first + t] == 0); }
  int64_t at(int64_t t, int64_t columns, int64_t column) const {
    return ((first + t) * s.heads + head) * columns + column;
  }
  int64_t ofPart(int64_t t, int64_t column) const {
    return ((first + t) * s.heads + head) / s.headsOfPart * s.keys + column;
  }
  int64_t savedAt(int64_t segment) const {
    return ((first / s.length * s.heads + head) * s.segments() + segment) * s.keys * s.values;
  }
  double q(int64_t t, int64_t d) const { return data.q[((first + t) * s.keyHeads + keyHead) * s.keys + d]; }
  double k(int64_t t, int64_t d) const { return data.k[((first + t) * s.keyHeads + keyHead) * s.keys + d]; }
  double beta(int64_t t) const { return data.beta[at(t, 1, 0)]; }
  double r(int64_t t, int64_t d) const {
    return hasErase() ? data.erase[at(t, s.keys, d)] : hasBeta() ? beta(t) * k(t, d) : 0;
  }
  double p(int64_t t, int64_t d) const {
    return !data.eraseWrite.empty() ? data.eraseWrite[at(t, s.keys, d)] : k(t, d);
  }
  double w(int64_t t) const { return hasBeta() ? beta(t) : data.write.empty() ? 1 : data.write[at(t, 1, 0)]; }
  double kept(int64_t t, int64_t d) const {
    if (data.decay.empty())
      return 1;
    const int64_t columns = s.byChannel ? s.keys : 1, column = s.byChannel ? d : 0;
    return std::exp(data.decay[s.shared ? head * columns + column : at(t, columns, column)]);
  }

  Numbers readOf(int64_t t, const Numbers &state) const {
    Numbers read(s.values);
    for (int64_t d = 0; d < s.keys; ++d)
      for (int64_t e = 0; e < s.values; ++e)
        read[e] += r(t, d) * (s.before ? 1 : kept(t, d)) * state[d * s.values + e];
    return read;
  }

  void advance(int64_t t, Numbers &state, const Numbers &read) const {
    for (int64_t d = 0; d < s.keys; ++d)
      for (int64_t e = 0; e < s.values; ++e)
        state[d * s.values + e] =
            kept(t, d) * state[d * s.values + e] + k(t, d) * w(t) * data.v[at(t, s.values, e)] - p(t, d) * read[e];
  }

  // `ahead`: the gradient of the state behind the token; becomes that of the state before it.
  void backward(int64_t t, const Numbers &before, const Numbers &read, Numbers &ahead, MixerResults &to) const {
    Numbers behind = before, ofValue(s.values), ofRead(s.values);
    advance(t, behind, read);
    for (int64_t d = 0; d < s.keys; ++d)
      for (int64_t e = 0; e < s.values; ++e) {
        const int64_t i = d * s.values + e;
        const double grad = s.scale * data.grad[at(t, s.values, e)], value = w(t) * data.v[at(t, s.values, e)];
        to.dq[ofPart(t, d)] += behind[i] * grad;
        ahead[i] += q(t, d) * grad;
        to.dk[ofPart(t, d)] += ahead[i] * value;
        ofP(t, d, -ahead[i] * read[e], to);
        ofValue[e] += ahead[i] * k(t, d);
        ofRead[e] -= ahead[i] * p(t, d);
      }
    for (int64_t e = 0; e < s.values; ++e) {
      to.dv[at(t, s.values, e)] += w(t) * ofValue[e];
      ofStrength(t, data.v[at(t, s.values, e)] * ofValue[e], to);
    }
    for (int64_t d = 0; d < s.keys; ++d)
      for (int64_t e = 0; e < s.values; ++e) {
        const int64_t i = d * s.values + e;
        ofR(t, d, (s.before ? 1 : kept(t, d)) * before[i] * ofRead[e], to);
        const double decayed = ahead[i] + (s.before ? 0 : r(t, d) * ofRead[e]);
        if (!data.decay.empty())
          to.dDecay[s.byChannel ? at(t, s.keys, d) : at(t, 1, 0)] += kept(t, d) * before[i] * decayed;
        ahead[i] = begins(t) ? 0 : kept(t, d) * decayed + (s.before ? r(t, d) * ofRead[e] : 0);
      }
  }

  void ofP(int64_t t, int64_t d, double gradient, MixerResults &to) const {
    if (data.eraseWrite.empty())
      to.dk[ofPart(t, d)] += gradient;
    else
      to.dEraseWrite[at(t, s.keys, d)] += gradient;
  }
  void ofR(int64_t t, int64_t d, double gradient, MixerResults &to) const {
    if (hasErase())
      to.dErase[at(t, s.keys, d)] += gradient;
    if (!hasBeta())
      return;
    to.dk[ofPart(t, d)] += beta(t) * gradient;
    to.dBeta[at(t, 1, 0)] += k(t, d) * gradient;
  }
  void ofStrength(int64_t t, double gradient, MixerResults &to) const {
    if (!data.write.empty())
      to.dWrite[at(t, 1, 0)] += gradient;
    if (hasBeta())
      to.dBeta[at(t, 1, 0)] += gradient;
  }

  bool hasBeta() const { return !data.beta.empty(); }
  bool hasErase() const { return !data.erase.empty(); }

  const MixerSizes &s;
  const MixerNumbers &data;
  const int64_t first, head, keyHead;
};
} // namespace

MixerResults stretto::test::emptyResults(const MixerSizes &s, const MixerNumbers &data) {
  const Numbers rows(s.tokens() * s.heads), keys(s.tokens() * s.heads * s.keys), parts(keys.size() / s.headsOfPart),
      values(s.tokens() * s.heads * s.values);
  auto where = [](const Numbers &operand, const Numbers &result) { return operand.empty() ? Numbers() : result; };
  return {values,
          Numbers(s.batch * s.heads * s.segments() * s.keys * s.values),
          parts,
          parts,
          values,
          where(data.decay, s.byChannel ? keys : rows),
          where(data.write, rows),
          where(data.beta, rows),
          where(data.erase, keys),
          where(data.eraseWrite, keys)};
}

MixerResults stretto::test::runRecurrence(const MixerSizes &s, const MixerNumbers &data) {
  MixerResults results = emptyResults(s, data);
  for (int64_t sequence = 0; sequence < s.batch; ++sequence)
    for (int64_t head = 0; head < s.heads; ++head)
      Recurrence(s, data, sequence, head).run(results);
  return results;
}
