// Depo (mental depth): the edges of one directed cycle in random order, then questions for the node that
// lies k steps ahead of a given one.
#pragma once

#include "tasks/common/names.h"
#include "tasks/common/sizes.h"

namespace stretto::tasks {

// An instance: <begin>, then "x y" for every edge x -> y, then up to `queries` times "<k> x <answer> y" with
// distinct x, where y lies k steps ahead of x. Names are words of several tokens, whose last letter comes
// from an alphabet of its own and so ends the word. The loss counts <answer> and the letters of y; the
// answer that is scored is y.
//
// Training: n from SizeDistribution(3, n), k uniform in 1..k. Evaluation: n at its largest, k uniform among
// the powers of two up to k, and k itself.
//
// Ids: 0 begin, 1 answer, 1+k the query for k steps, then the letters inside a word (only where words have
// several), then the letters that end one.
class DepoTask : public PackedTask {
public:
  // Defaults of depo1 (one or two letters of 50) and depo2 (5 to 7 letters of 3).
  static const std::vector<ParameterInfo> &parameterInfos1();
  static const std::vector<ParameterInfo> &parameterInfos2();

  explicit DepoTask(Parameters values);
  int64_t vocabulary() const override { return names.end(); }
  int64_t shortestDocument() const override;

  // "accuracy/k=<hops>", from the most hops of the evaluation to the fewest.
  std::vector<std::string> groups() const override;
  std::string meaning(int32_t id) const override;
  std::string text(int32_t id) const override;
  std::vector<int32_t> publishedIds() const override;

protected:
  void append(Random &random, runtime::Stream stream, Row &row) const override;
  std::string describeInstance(std::span<const int32_t> tokens) const override;

private:
  static constexpr int32_t answer = 1;

  int64_t n, k, queries;
  Names names;
  SizeDistribution sizes;
  std::vector<int64_t> hops; // of the evaluation, descending
};

} // namespace stretto::tasks
