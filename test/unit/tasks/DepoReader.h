// Reads Depo rows back and solves them, from the published numbering alone; shares nothing with the generator.
#pragma once

#include "Support.h"

#include <gtest/gtest.h>

#include <map>

namespace stretto::test {

using Word = std::vector<int32_t>;

struct Question {
  int64_t steps = 0;
  Word from, answer;
  int64_t answerAt = 0; // index of the answer's first token in the row
  bool whole = false;   // false: the end of the row cuts it
};

struct DepoInstance {
  std::vector<std::pair<Word, Word>> edges;
  std::vector<Question> questions;
  bool whole = true; // no part of it was cut
};

// Splits a row, given in published numbers, into its instances.
class DepoReader {
public:
  DepoReader(std::vector<int32_t> row, int32_t v) : row(std::move(row)), v(v) {}

  std::vector<DepoInstance> read() {
    std::vector<DepoInstance> instances;
    while (at < row.size())
      instances.push_back(readInstance());
    return instances;
  }

private:
  bool isLetter() const { return at < row.size() && row[at] <= 2 * v; }

  // False where the row ends inside the word.
  bool readWord(Word &word) {
    while (isLetter()) {
      word.push_back(row[at++]);
      if (word.back() > v)
        return true;
    }
    EXPECT_EQ(at, row.size()) << "a word without an end";
    return false;
  }

  DepoInstance readInstance() {
    DepoInstance instance;
    EXPECT_EQ(row[at++], 9999);
    while (isLetter()) {
      Word from, to;
      if (!readWord(from) || !readWord(to))
        break;
      instance.edges.emplace_back(from, to);
    }
    while (at < row.size() && row[at] != 9999) {
      Question question;
      question.steps = row[at++] - 9000;
      question.whole = readWord(question.from) && at < row.size();
      if (question.whole) {
        EXPECT_EQ(row[at++], 9500);
        question.answerAt = int64_t(at);
        question.whole = readWord(question.answer);
      }
      instance.questions.push_back(question);
    }
    instance.whole = at < row.size();
    return instance;
  }

  std::vector<int32_t> row;
  int32_t v;
  size_t at = 0;
};

inline std::vector<DepoInstance> readDepo(const runtime::Task &task, const Batch &batch, int64_t r) {
  std::vector<int32_t> row = batch.row(r), ids = tasks::publishedIds(task);
  for (int32_t &token : row)
    token = ids[token];
  return DepoReader(row, std::stoi(task.settings().at("v"))).read();
}

// Walks the edges one by one.
inline Word solve(const DepoInstance &instance, const Question &question) {
  std::map<Word, Word> next(instance.edges.begin(), instance.edges.end());
  Word node = question.from;
  for (int64_t i = 0; i < question.steps; ++i)
    node = next.at(node);
  return node;
}

} // namespace stretto::test
