// Mano (knowledge manipulation): arithmetic modulo a small number, every step in the head.
#pragma once

#include "tasks/common/packing.h"

namespace stretto::tasks {

// An instance: <begin>, <length l>, an expression with l operators in prefix form, <answer l>, its value: 2 l + 5
// tokens. Numbers are 0 .. modulus-1, operators + - *, all uniform; of an expression's other l-1 operators, l' belong
// to the left operand, l' uniform in 0 .. l-1. The loss counts every token; what is scored is the value.
//
// Training: l uniform in 1 .. parameter `l`. Evaluation: l = `l_evaluation`; or each l, as in training, with a score of
// its own.
//
// With `doubled`, every token but numbers has two ids, either one at random each time. Ids: begin, then + - *, then
// <length 1> .. <length L>, <answer 1> .. <answer L> (in pairs where doubled), then numbers.
class ManoTask : public PackedTask {
public:
  static const std::vector<ParameterInfo> &parameterInfos();

  explicit ManoTask(Parameters values);
  int64_t vocabulary() const override { return firstNumber + modulus; }
  int64_t shortestDocument() const override { return tokensOf(1); }

  std::vector<std::string> groups() const override;
  std::string meaning(int32_t id) const override;
  // The other id of a token has a prime: "+' ".
  std::string text(int32_t id) const override;
  std::vector<int32_t> publishedIds() const override;

  // Adds "floor": the accuracy of always answering the value that is most frequent (where each l has a score, at the
  // largest).
  std::vector<runtime::Score> conclude(std::vector<runtime::Score> totals, int64_t parameters) const override;

  // The probability of each value of an expression with `operators` operators, exactly.
  std::vector<double> valueDistribution(int64_t operators) const;

protected:
  void append(Random &random, runtime::Stream stream, Row &row) const override;
  int32_t lastBegin() const override { return copies - 1; }
  std::string describeInstance(std::span<const int32_t> tokens) const override;

private:
  enum Operator : int32_t { Plus, Minus, Times, operators };

  // Kinds of tokens that may be doubled, numbered: begin, operators, lengths, answers.
  static constexpr int32_t firstOperator = 1, firstLength = firstOperator + operators;
  int32_t firstAnswer() const { return firstLength + most; }
  bool isEach() const { return evaluated < 0; }

  // Tokens of an instance.
  static constexpr int64_t tokensOf(int64_t operators) { return 2 * operators + 5; }

  // One of the ids of a kind.
  int32_t idOf(Random &random, int32_t kind) const;
  // Appends an expression with `size` operators; returns its value.
  int64_t appendExpression(Random &random, int64_t size, Row &row) const;
  int64_t apply(int32_t op, int64_t left, int64_t right) const;
  std::string readExpression(std::span<const int32_t> &tokens) const;

  int32_t most, copies, firstNumber;
  int64_t evaluated, modulus;
};

} // namespace stretto::tasks
