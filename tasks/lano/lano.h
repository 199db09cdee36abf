// Lano (hierarchical language): sentences of a layered context-free grammar.
#pragma once

#include "tasks/common/packing.h"
#include "tasks/lano/grammar.h"

namespace stretto {

// An instance: <begin>, then a sentence, whose rules are chosen uniformly. The loss counts every token, the <begin>
// that follows a sentence and so ends it included. A sentence that does not fit into a row together with its end is
// drawn again; parameters for which more than one sentence in 1000 would not fit are refused.
//
// Ids: 0 begin, then the terminals in the order of the grammar.
class LanoTask : public PackedTask {
public:
  static const std::vector<ParameterInfo> &parameterInfos();

  explicit LanoTask(Parameters values);
  int64_t vocabulary() const override { return 1 + grammar.terminals; }
  std::vector<std::string> groups() const override { return {}; }
  std::vector<int32_t> publishedIds() const override { return grammar.published; }

protected:
  void append(Random &random, Stream stream, Row &row) const override;
  std::string describeInstance(std::span<const int32_t> tokens) const override;

private:
  static constexpr int32_t firstTerminal = 1;

  void checkLength() const;

  Grammar grammar;
};

} // namespace stretto
