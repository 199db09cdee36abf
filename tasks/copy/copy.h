// Copy: some distinct symbols in random order, a query, the same symbols again.
#pragma once

#include "tasks/common/packing.h"

namespace stretto::tasks {

// An instance: <begin> s1 .. sn <query> s1 .. sn. The loss counts the copy; the copy is the one answer.
// Ids: 0 begin, 1 query, then the symbols.
class CopyTask : public PackedTask {
public:
  static const std::vector<ParameterInfo> &parameterInfos();

  explicit CopyTask(Parameters values);
  int64_t vocabulary() const override { return firstSymbol + symbols; }
  int64_t shortestDocument() const override { return 2 * n + 2; }
  std::string meaning(int32_t id) const override;
  std::string text(int32_t id) const override;
  std::vector<std::string> groups() const override { return {"accuracy"}; }

protected:
  void append(Random &random, runtime::Stream stream, Row &row) const override;
  std::string describeInstance(std::span<const int32_t> tokens) const override;

private:
  // n different numbers below `symbols`, in random order.
  std::vector<uint64_t> drawSymbols(Random &random) const;

  static constexpr int32_t query = 1, firstSymbol = 2;
  int64_t n, symbols;
};

} // namespace stretto::tasks
