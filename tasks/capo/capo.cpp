// Capo (knowledge capacity).
#include "tasks/capo/capo.h"

#include <algorithm>
#include <cmath>

namespace stretto::tasks {

// The order of the people in each pass over them.
static constexpr uint32_t orderStream = 4;

const std::vector<ParameterInfo> &CapoTask::parameterInfos() {
  static const std::vector<ParameterInfo> infos = {
      {"n", 50000, 1, int64_t{1} << 40, "people"},
      {"exposures", 100, 1, 1 << 20, "times that each person is read, before the data start again"},
      ParameterInfo::word("order", {"employer", "city"}, "which is told first, the employer or the city of the work"),
      ParameterInfo::text("lists", "", "directory of lists in place of the built-in ones"),
      ParameterInfo::text("vocabulary", "", "directory of a tokenizer's vocab.json and merges.txt in place of words"),
      {"world", 0, 0, INT64_MAX, "seed of the people; the seed of the data draws orders and templates"},
      {"length", 512, 1, 1 << 24, "tokens in a sequence"},
  };
  return infos;
}

CapoTask::CapoTask(Parameters values) : CapoTask(values, readLists(values.word("lists"))) {}

static uint64_t checkedCount(const Parameters &values, const Lists &lists) {
  uint64_t count = uint64_t(values["n"]);
  if (count > lists.names())
    values.refuse("n", "must be at most " + std::to_string(lists.names()) +
                           ", the number of full names of the lists, but got " + std::to_string(count));
  return count;
}

static std::shared_ptr<const Bpe> readTokenizer(const Parameters &values) {
  const std::string &directory = values.word("vocabulary");
  return directory.empty() ? nullptr : std::make_shared<const Bpe>(directory);
}

static std::array<double, factCount> factBits(const Lists &lists) {
  auto log2 = [](auto count) { return std::log2(double(count)); };
  return {log2(lists.names()),
          1,
          log2(birthMonths * birthDays * birthYears),
          log2(lists.cities.size()),
          log2(lists.universities.size()),
          log2(lists.majors.size()),
          log2(lists.employers.size())};
}

CapoTask::CapoTask(Parameters values, const Lists &lists)
    : parameters(std::move(values)), listsDigest(lists.digest), bpe(readTokenizer(parameters)), number(parameters["n"]),
      exposures(parameters["exposures"]), rowLength(parameters["length"]),
      people(lists, checkedCount(parameters, lists), uint64_t(parameters["world"])),
      texts(lists, parameters.word("order") == "city", bpe), bits(factBits(lists)), perRow(findPeopleInRow()) {}

int64_t CapoTask::findPeopleInRow() const {
  if (texts.longest() > rowLength + 1)
    parameters.refuse("length", "must be at least " + std::to_string(texts.longest() - 1) +
                                    " for the longest biography, of " + std::to_string(texts.longest()) +
                                    " tokens, to fit, but got " + std::to_string(rowLength));
  const double quantile = 2.3263478740; // of the normal distribution at 0.99
  int64_t count = 1;
  auto fits = [&](int64_t k) {
    double likely = double(k) * texts.mean() + quantile * std::sqrt(double(k) * texts.variance());
    return likely <= double(rowLength + 1) && k * texts.longestAtShortest() <= rowLength + 1;
  };
  while (fits(count + 1))
    ++count;
  return count;
}

// Templates with which the people fit into a row.
std::vector<Choice> CapoTask::chooseTemplates(Random &random, std::span<const Person> row) const {
  std::vector<Choice> choices(row.size());
  for (int attempt = 0; attempt < 32; ++attempt) {
    int64_t total = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      choices[i] = texts.choose(random);
      total += texts.length(row[i], choices[i]);
    }
    if (total <= rowLength + 1)
      return choices;
  }
  std::ranges::fill(choices, texts.shortest());
  return choices;
}

Row CapoTask::makeRow(uint64_t seed, runtime::Stream stream, uint64_t sample) const {
  const uint64_t passes = stream == runtime::Stream::Train ? uint64_t(exposures) : 1, size = uint64_t(rowLength) + 1;
  const uint64_t total = uint64_t(number) * passes, each = uint64_t(perRow);
  const uint64_t place = sample % ((total + each - 1) / each), from = place * each, to = std::min(from + each, total);
  auto personAt = [&](uint64_t i) {
    i %= total;
    const uint64_t inPass = i % uint64_t(number);
    if (stream == runtime::Stream::Evaluation)
      return people[inPass];
    return people[Permutation(uint64_t(number), seed, orderStream, i / uint64_t(number))(inPass)];
  };
  std::vector<Person> whole;
  for (uint64_t i = from; i < to; ++i)
    whole.push_back(personAt(i));
  Random random(seed, uint32_t(stream), place);
  std::vector<Choice> choices = chooseTemplates(random, whole);

  Row row;
  row.tokens.reserve(2 * size);
  row.counted.reserve(2 * size);
  for (size_t i = 0; i < whole.size(); ++i)
    texts.append(whole[i], choices[i], true, row);
  const size_t answers = row.answers.size();
  for (uint64_t i = to; row.tokens.size() < size; ++i)
    texts.append(personAt(i), texts.choose(random), false, row);
  row.answers.resize(answers);
  row.tokens.resize(size);
  row.counted.resize(size);
  return row;
}

void CapoTask::fill(uint64_t seed, runtime::Stream stream, uint64_t first, runtime::BatchView batch) const {
  checkShape(*this, batch, batch.tokens.size());
  for (int64_t r = 0; r < batch.batch; ++r)
    writeRow(makeRow(seed, stream, first + uint64_t(r)), Biographies::begin, Biographies::begin, batch, r);
}

std::vector<int32_t> CapoTask::publishedIds() const {
  if (!bpe)
    return {};
  std::vector<int32_t> ids = {bpe->id("<|endoftext|>")};
  if (ids[0] < 0)
    parameters.fail("the vocabulary '" + parameters.word("vocabulary") +
                    "' must hold the token '<|endoftext|>' for its ids");
  for (int32_t token = 1; token < vocabulary(); ++token)
    ids.push_back(bpe->id(texts.vocabulary().text(token)));
  return ids;
}

std::string CapoTask::describe(const runtime::BatchView &batch, int64_t row) const {
  checkShape(*this, batch, batch.tokens.size());
  std::vector<int32_t> tokens = rowTokens(batch, row);
  std::string text;
  for (size_t from = 0; from < tokens.size();) {
    size_t to = std::find(tokens.begin() + from + 1, tokens.end(), Biographies::begin) - tokens.begin();
    std::string person = texts.vocabulary().join(std::span(tokens).subspan(from, to - from));
    text.append(person.substr(person.empty() ? 0 : 1)).append("\n");
    from = to;
  }
  return text;
}

} // namespace stretto::tasks
