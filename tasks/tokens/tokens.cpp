// A file of tokens as a task: sequences are cut from it one after another.
#include "tasks/tokens/tokens.h"

#include "tasks/common/permutation.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace stretto::tasks {

// The order of sequences in each pass.
static constexpr uint32_t orderStream = 2;

const std::vector<ParameterInfo> &TokensTask::parameterInfos() {
  static const std::vector<ParameterInfo> infos = {
      ParameterInfo::text("file", "", "the token file (stretto data TASK --export FILE.tokens writes one)"),
      ParameterInfo::text("validation", "0.05",
                          "sequences held out at the end: how many, or a share, written with a dot"),
      ParameterInfo::text("separator", "file", "id after which a document ends; none; or as the file says"),
      ParameterInfo::text("opener", "file", "id with which a document opens; none; or as the file says"),
      {"length", 1024, 1, 1 << 24, "tokens in a sequence"},
  };
  return infos;
}

static std::unique_ptr<TokenFile> openFile(const Parameters &values) {
  if (values.word("file").empty())
    values.refuse("file", "must name a token file");
  return std::make_unique<TokenFile>(values.word("file"));
}

TokensTask::TokensTask(Parameters values)
    : parameters(std::move(values)), file(openFile(parameters)), rowLength(parameters["length"]),
      separator(mark("separator", file->header().separator)), opener(mark("opener", file->header().opener)),
      rows(std::max<int64_t>(0, (file->header().count - 1) / rowLength)), heldOut(countHeldOut()) {}

template <typename T> static bool parse(const std::string &text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

int64_t TokensTask::mark(const std::string &parameter, int64_t inFile) const {
  const std::string &text = parameters.word(parameter);
  if (text == "file")
    return inFile;
  if (text == "none")
    return -1;
  int64_t id = 0;
  if (!parse(text, id) || id < 0 || id >= vocabulary())
    parameters.refuse(parameter, "must be an id in 0.." + std::to_string(vocabulary() - 1) +
                                     ", 'none' or 'file', but got '" + text + "'");
  return id;
}

int64_t TokensTask::countHeldOut() const {
  if (rows < 2)
    parameters.fail("'" + parameters.word("file") + "' must hold at least " + std::to_string(2 * rowLength + 1) +
                    " ids, for one sequence of training and one held out, but got " +
                    std::to_string(file->header().count));
  const std::string &text = parameters.word("validation");
  if (double share = 0; text.find('.') != std::string::npos && parse(text, share) && share > 0 && share < 1)
    return std::clamp<int64_t>(std::llround(share * double(rows)), 1, rows - 1);
  int64_t count = 0;
  if (!parse(text, count) || count < 1 || count >= rows)
    parameters.refuse("validation", "must be a number of sequences in 1.." + std::to_string(rows - 1) +
                                        " or a share between 0. and 1., but got '" + text + "'");
  return count;
}

int64_t TokensTask::rowAt(uint64_t seed, runtime::Stream stream, uint64_t sample) const {
  if (stream == runtime::Stream::Evaluation)
    return trainingRows() + int64_t(sample % uint64_t(heldOut));
  const uint64_t count = uint64_t(trainingRows());
  return int64_t(Permutation(count, seed, orderStream, sample / count)(sample % count));
}

void TokensTask::fill(uint64_t seed, runtime::Stream stream, uint64_t first, runtime::BatchView batch) const {
  checkShape(*this, batch, batch.tokens.size());
  file->expectUnchanged();
  std::ranges::fill(batch.mask, uint8_t(1));
  for (int64_t r = 0; r < batch.batch; ++r) {
    const int64_t from = rowAt(seed, stream, first + uint64_t(r)) * rowLength, to = r * rowLength;
    for (int64_t t = 0; t < rowLength; ++t) {
      const int32_t token = batch.tokens[to + t] = (*file)[from + t];
      const bool opens = t == 0 || token == opener || batch.tokens[to + t - 1] == separator;
      batch.positions[to + t] = opens ? 0 : batch.positions[to + t - 1] + 1;
      batch.targets[to + t] = (*file)[from + t + 1];
    }
  }
}

std::vector<runtime::Score> TokensTask::score(uint64_t, uint64_t, const runtime::BatchView &batch,
                                              const runtime::Predictions &predictions) const {
  checkShape(*this, batch, predictions.predicted.size());
  checkShape(*this, batch, predictions.nll.size());
  std::vector<runtime::Score> scores = {runtime::Score::mean("nll", "nats"), runtime::Score::share("token_accuracy")};
  for (size_t i = 0; i < batch.targets.size(); ++i) {
    scores[0].addNumber(predictions.nll[i]);
    scores[1].addInstance(predictions.predicted[i] == batch.targets[i]);
  }
  return scores;
}

std::string TokensTask::describe(const runtime::BatchView &batch, int64_t row) const {
  checkShape(*this, batch, batch.tokens.size());
  std::string text;
  for (int64_t t = row * rowLength; t < (row + 1) * rowLength; ++t)
    text.append(batch.positions[t]    ? " "
                : t > row * rowLength ? "\ndocument: "
                                      : "document: ")
        .append(std::to_string(batch.tokens[t]));
  return text + "\n";
}

} // namespace stretto::tasks
