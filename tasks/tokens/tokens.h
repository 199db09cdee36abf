// A file of tokens as a task: sequences are cut from it one after another.
#pragma once

#include "tasks/common/parameters.h"
#include "tasks/common/rows.h"
#include "tasks/tokens/token_file.h"

#include <memory>

namespace stretto::tasks {

// Row r of a file holds the ids from r * length on; the last target is the first id of the next row. The last rows are
// held out. Training takes the others in a random order, another one in each pass over them; evaluation takes the
// held-out ones in order, again from the first after the last. Every token counts.
class TokensTask : public runtime::Task {
public:
  static const std::vector<ParameterInfo> &parameterInfos();

  // Throws TaskError for damaged files and where there are too few sequences.
  explicit TokensTask(Parameters values);

  std::string name() const override { return parameters.task(); }
  int64_t length() const override { return rowLength; }
  int64_t vocabulary() const override { return file->header().vocabulary; }
  std::map<std::string, std::string> settings() const override { return parameters.text(); }
  std::map<std::string, std::string> contents() const override { return {{"file", file->digest()}}; }

  void fill(uint64_t seed, runtime::Stream stream, uint64_t first, runtime::BatchView batch) const override;
  std::optional<int64_t> evaluationRows() const override { return heldOut; }
  // "nll", of a token, in nats; "token_accuracy".
  std::vector<runtime::Score> score(uint64_t seed, uint64_t first, const runtime::BatchView &batch,
                                    const runtime::Predictions &predictions) const override;
  std::string describe(const runtime::BatchView &batch, int64_t row) const override;

  int64_t trainingRows() const { return rows - heldOut; }

private:
  int64_t mark(const std::string &parameter, int64_t inFile) const;
  int64_t countHeldOut() const;
  int64_t rowAt(uint64_t seed, runtime::Stream stream, uint64_t sample) const;

  Parameters parameters;
  std::unique_ptr<TokenFile> file;
  int64_t rowLength, separator, opener, rows, heldOut;
};

} // namespace stretto::tasks
