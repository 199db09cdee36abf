// Mano (knowledge manipulation): arithmetic modulo a small number, every step in the head.
#include "tasks/mano/mano.h"

#include "runtime/core/counted.h"

#include <algorithm>

namespace stretto::tasks {

// The published numbering: lengths are 10 l and 10 l + 1, answers 10 l + 4 and 10 l + 5, operators 1 .. 3 and 5 .. 7.
static constexpr int32_t publishedBegin = 9999, publishedNumber = 5000, publishedPerLength = 10;

const std::vector<ParameterInfo> &ManoTask::parameterInfos() {
  static const std::vector<ParameterInfo> infos = {
      {"l", 10, 1, 64, "most operators of an expression"},
      {"l_evaluation", 0, -1, 64, "operators of an expression in the evaluation; 0: l; -1: each number from 1 to l"},
      {"modulus", 23, 2, 199, "numbers are taken modulo this"},
      ParameterInfo::word("doubled", {"yes", "no"}, "two ids for every token but numbers"),
      {"length", 1024, 1, 1 << 24, "tokens in a sequence"},
  };
  return infos;
}

static int64_t evaluatedOperators(const Parameters &values) {
  const int64_t most = values["l"], evaluated = values["l_evaluation"];
  if (evaluated > most)
    values.refuse("l_evaluation",
                  "must be at most l=" + std::to_string(most) + ", but got " + std::to_string(evaluated));
  return evaluated ? evaluated : most;
}

ManoTask::ManoTask(Parameters values)
    : PackedTask(values, tokensOf(values["l"])), most(int32_t(parameters["l"])),
      copies(parameters.word("doubled") == "yes" ? 2 : 1), firstNumber(copies * (firstAnswer() + most)),
      evaluated(evaluatedOperators(parameters)), modulus(parameters["modulus"]) {}

std::vector<std::string> ManoTask::groups() const {
  if (!isEach())
    return {"accuracy"};
  std::vector<std::string> groups;
  for (int32_t size = most; size >= 1; --size)
    groups.push_back("accuracy/l=" + std::to_string(size));
  return groups;
}

std::string ManoTask::meaning(int32_t id) const {
  if (id >= firstNumber)
    return "number " + std::to_string(id - firstNumber);
  const int32_t kind = id / copies;
  const std::string copy = id % copies ? ", its other id" : "";
  if (kind < firstLength)
    return (kind == begin ? "begin" : std::string("operator ") + "+-*"[kind - firstOperator]) + copy;
  return kind < firstAnswer() ? "length " + std::to_string(kind - firstLength + 1) + copy
                              : "answer " + std::to_string(kind - firstAnswer() + 1) + copy;
}

std::string ManoTask::text(int32_t id) const {
  if (id >= firstNumber)
    return std::to_string(id - firstNumber) + " ";
  const int32_t kind = id / copies;
  const std::string space = id % copies ? "' " : " ";
  if (kind < firstLength)
    return (kind == begin ? "<begin>" : std::string(1, "+-*"[kind - firstOperator])) + space;
  return kind < firstAnswer() ? "<length=" + std::to_string(kind - firstLength + 1) + ">" + space
                              : "<answer=" + std::to_string(kind - firstAnswer() + 1) + ">" + space;
}

std::vector<int32_t> ManoTask::publishedIds() const {
  std::vector<int32_t> ids;
  auto add = [&](int32_t number, int32_t other) {
    ids.push_back(number);
    if (copies == 2)
      ids.push_back(other);
  };
  add(publishedBegin, publishedBegin - 1);
  for (int32_t op = 1; op <= operators; ++op)
    add(op, op + 4);
  for (int32_t answer : {0, 4})
    for (int32_t size = 1; size <= most; ++size)
      add(publishedPerLength * size + answer, publishedPerLength * size + answer + 1);
  for (int32_t number = 0; number < modulus; ++number)
    ids.push_back(publishedNumber + number);
  return ids;
}

int32_t ManoTask::idOf(Random &random, int32_t kind) const {
  return copies == 1 ? kind : 2 * kind + int32_t(random.below(2));
}

int64_t ManoTask::apply(int32_t op, int64_t left, int64_t right) const {
  return (op == Plus ? left + right : op == Minus ? left + modulus - right : left * right) % modulus;
}

int64_t ManoTask::appendExpression(Random &random, int64_t size, Row &row) const {
  if (size == 0) {
    const int64_t number = int64_t(random.below(uint64_t(modulus)));
    row.add(firstNumber + int32_t(number), true);
    return number;
  }
  const int32_t op = int32_t(random.below(operators));
  row.add(idOf(random, firstOperator + op), true);
  const int64_t leftSize = int64_t(random.below(uint64_t(size)));
  const int64_t left = appendExpression(random, leftSize, row);
  return apply(op, left, appendExpression(random, size - 1 - leftSize, row));
}

void ManoTask::append(Random &random, runtime::Stream stream, Row &row) const {
  const bool draws = stream == runtime::Stream::Train || isEach();
  const int32_t size = draws ? 1 + int32_t(random.below(uint64_t(most))) : int32_t(evaluated);
  row.add(idOf(random, begin), true);
  row.add(idOf(random, firstLength + size - 1), true);
  const int64_t value = appendExpression(random, size, row);
  row.add(idOf(random, firstAnswer() + size - 1), true);
  const int64_t at = int64_t(row.tokens.size());
  row.add(firstNumber + int32_t(value), true);
  row.answers.push_back({at, at + 1, isEach() ? most - size : 0});
}

std::vector<double> ManoTask::valueDistribution(int64_t size) const {
  const size_t m = size_t(modulus);
  std::vector<std::vector<double>> chances = {std::vector<double>(m, 1 / double(modulus))}; // by operators
  for (size_t n = 1; n <= size_t(size); ++n) {
    std::vector<double> both(m * m, 0), values(m, 0); // of the operands, and of the expression
    for (size_t left = 0; left < n; ++left)
      for (size_t i = 0; i < m * m; ++i)
        both[i] += chances[left][i / m] * chances[n - 1 - left][i % m] / double(n);
    for (size_t i = 0; i < m * m; ++i)
      for (int32_t op = 0; op < operators; ++op)
        values[size_t(apply(op, int64_t(i / m), int64_t(i % m)))] += both[i] / double(operators);
    chances.push_back(std::move(values));
  }
  return chances.back();
}

std::vector<runtime::Score> ManoTask::conclude(std::vector<runtime::Score> totals, int64_t) const {
  totals.push_back(
      runtime::Score::value("floor", "%", 100 * std::ranges::max(valueDistribution(isEach() ? most : evaluated))));
  return totals;
}

// Takes one expression from the front of `tokens`, with brackets and signs between operands.
std::string ManoTask::readExpression(std::span<const int32_t> &tokens) const {
  if (tokens.empty())
    return "...";
  const int32_t token = tokens[0];
  tokens = tokens.subspan(1);
  if (token >= firstNumber)
    return std::to_string(token - firstNumber);
  std::string text = "(";
  text.append(readExpression(tokens)).append({' ', "+-*"[token / copies - firstOperator], ' '});
  return text.append(readExpression(tokens)).append(")");
}

std::string ManoTask::describeInstance(std::span<const int32_t> tokens) const {
  tokens = tokens.subspan(1);
  if (tokens.empty())
    return "  ...\n";
  const int32_t size = tokens[0] / copies - firstLength + 1;
  tokens = tokens.subspan(1);
  const std::string expression = readExpression(tokens);
  const std::string value = tokens.size() < 2 ? "..." : std::to_string(tokens[1] - firstNumber);
  return "  " + runtime::counted(size, "operator") + ": " + expression + " = " + value + "\n";
}

} // namespace stretto::tasks
