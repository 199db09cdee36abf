// The other side of Brevo: reads an instance and tells which answers are right.
#pragma once

#include "tasks/common/names.h"

#include <array>
#include <map>

namespace stretto::tasks {

// The special tokens of Brevo besides PackedTask::begin.
enum BrevoToken : int32_t { brevoQuery = 1, brevoAnswer = 2, brevoEnd = 3, brevoLetters = 4 };

// What is wrong with an answer, in the order of looking.
enum class Fault : uint8_t {
  None,
  NoEnd,     // <end> is not the last token
  Foreign,   // something that is no name of a node to be listed
  Duplicate, // a node stands twice
  Missing,   // a node is not there
  Order,     // a node stands before one of its parents
};
inline constexpr std::array<const char *, 6> faultNames = {"none",      "no_end",  "foreign",
                                                           "duplicate", "missing", "order"};

// What an instance asks: the nodes to be listed and which of them have to stand before which.
class Question {
public:
  using Name = std::vector<int32_t>;

  // Reads the instance at the front of `tokens`, from <begin> to <answer>.
  Question(std::span<const int32_t> tokens, const Names &names);

  // Judges an answer, what follows <answer>.
  Fault judge(std::span<const int32_t> answer) const;

  // For each token of a right answer: whether some right answer that begins as this one does up to that token goes on
  // with predicted[i] instead.
  std::vector<bool> validNext(std::span<const int32_t> answer, std::span<const int32_t> predicted) const;

private:
  struct Node {
    std::vector<size_t> parents; // numbers of nodes
  };

  // Drops all that `asked` does not depend on.
  void keepAncestors(const Name &asked, const std::map<Name, std::vector<Name>> &parents);
  bool isReady(size_t node, const std::vector<bool> &stands) const;
  // Whether a node that may come next has a name that begins with `letters`.
  bool canContinue(const Name &letters, const std::vector<bool> &stands) const;

  const Names &names;
  std::map<Name, size_t> numbers;
  std::vector<Node> nodes;
};

} // namespace stretto::tasks
