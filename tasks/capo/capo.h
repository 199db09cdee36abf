// Capo (knowledge capacity): short biographies of made-up people, read a fixed number of times; scored by how many bits
// about the people the model's weights hold.
#pragma once

#include "tasks/capo/biography.h"

namespace stretto::tasks {

// People 0 .. n-1 with distinct names (bioS(N)). Training goes over all of them `exposures` times, each time in another
// random order and with other templates, then starts again with the first row. A row holds a fixed number of whole
// people, so row i is known without those before it: as many as fit in 99 of 100 draws of templates (where they do not,
// templates are drawn again). What is left of the row shows the beginning of the next person, which counts neither for
// the loss nor as an exposure. Every token of the whole people counts for the loss.
//
// Evaluation: people 0 .. n-1 in order, as many to a row. With p(fact) the negative log-likelihood of the tokens that
// tell a fact of a person, summed and averaged over people, and the sizes of the lists in use, the bits learned are
//   N log2(N0 / e^p1) + N log2(S0 / e^p2),   p1 = p(name), p2 = sum of the others'
// with N0 full names and S0 = 2 (12 28 200) cities universities majors employers (paper, section on Capo). The most
// that can be learned has p1 = ln N and p2 = 0.
class CapoTask : public runtime::Task {
public:
  static const std::vector<ParameterInfo> &parameterInfos();

  explicit CapoTask(Parameters values);

  std::string name() const override { return parameters.task(); }
  int64_t length() const override { return rowLength; }
  int64_t vocabulary() const override { return texts.vocabulary().size(); }
  int64_t shortestDocument() const override { return texts.fewest(); }
  std::map<std::string, std::string> settings() const override { return parameters.text(); }
  std::string meaning(int32_t id) const override { return texts.vocabulary().meaning(id); }
  std::string text(int32_t id) const override { return texts.vocabulary().shown(id); }
  std::vector<std::string> cutText(const std::string &text) const override { return texts.vocabulary().cut(text); }
  std::map<std::string, std::string> contents() const override {
    return {{"lists", listsDigest}, {"vocabulary", bpe ? bpe->digest() : ""}};
  }

  void fill(uint64_t seed, runtime::Stream stream, uint64_t first, runtime::BatchView batch) const override;
  std::vector<runtime::Score> score(uint64_t seed, uint64_t first, const runtime::BatchView &batch,
                                    const runtime::Predictions &predictions) const override;
  std::vector<runtime::Score> conclude(std::vector<runtime::Score> totals, int64_t weights) const override;
  std::string describe(const runtime::BatchView &batch, int64_t row) const override;

  // One row of length()+1 tokens. Its answers are the facts of its whole people.
  Row makeRow(uint64_t seed, runtime::Stream stream, uint64_t sample) const;

  int64_t peopleInRow() const { return perRow; }
  // Rows that hold each person `exposures` times.
  int64_t trainingRows() const { return (number * exposures + perRow - 1) / perRow; }
  const Biographies &biographies() const { return texts; }
  const People &allPeople() const { return people; }
  std::optional<int64_t> evaluationRows() const override { return (number + perRow - 1) / perRow; }
  // The ids of the tokenizer's files; <|endoftext|> for the token that opens. Empty without a tokenizer.
  std::vector<int32_t> publishedIds() const;

  // log2 of the number of values of a fact: of the full names (N0), of the pronouns, ...
  double bitsOf(Fact fact) const { return bits[size_t(fact)]; }

private:
  CapoTask(Parameters values, const Lists &lists);

  std::vector<Choice> chooseTemplates(Random &random, std::span<const Person> row) const;
  int64_t findPeopleInRow() const;

  Parameters parameters;
  std::string listsDigest;
  std::shared_ptr<const Bpe> bpe;
  int64_t number, exposures, rowLength;
  People people;
  Biographies texts;
  std::array<double, factCount> bits;
  int64_t perRow;
};

} // namespace stretto::tasks
