// Where tokens come from, and the thread that prepares them while the step before runs.
#include "runtime/train/batches.h"

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"
#include "runtime/train/checksum.h"
#include "runtime/train/documents.h"
#include "runtime/train/safetensors.h"
#include "runtime/train/signals.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace stretto::runtime {

BatchView TokenBlock::view(int64_t firstRow, int64_t rows, int64_t length) {
  const size_t begin = firstRow * length, count = rows * length;
  return {rows,
          length,
          std::span(tokens).subspan(begin, count),
          std::span(targets).subspan(begin, count),
          std::span(mask).subspan(begin, count),
          std::span(positions).subspan(begin, count)};
}

int64_t TokenBlock::ones() const {
  return hasOwnWeights ? static_cast<int64_t>(weights.size()) - std::ranges::count(weights, 0.0)
                       : std::ranges::count(mask, uint8_t(1));
}

void TokenBlock::weigh(int64_t ones) {
  counted = ones;
  for (size_t i = 0; i < mask.size() && !hasOwnWeights; ++i)
    weights[i] = mask[i] ? 1.0 / static_cast<double>(ones) : 0.0;
}

namespace {

TokenBlock emptyBlock(uint64_t first, int64_t count) {
  TokenBlock block;
  block.first = first;
  block.tokens.resize(count);
  block.targets.resize(count);
  block.mask.resize(count);
  block.positions.resize(count);
  block.weights.resize(count);
  return block;
}

std::string settingText(const std::string &parameter, const std::string &value) {
  return fmt::format(" {}={}", parameter, value);
}

std::string contentsText(const std::string &parameter, const std::string &digest) {
  return fmt::format(", contents of {} {}", parameter, digest);
}

class TaskSource final : public BatchSource {
public:
  TaskSource(std::unique_ptr<Task> task, uint64_t seed) : owned(std::move(task)), ownSeed(seed) {}

  TokenBlock make(Stream stream, uint64_t first, int64_t rows, int64_t length) const override {
    TokenBlock block = emptyBlock(first, rows * length);
    owned->fill(ownSeed, stream, first, block.view(0, rows, length));
    block.weigh(block.ones());
    return block;
  }
  std::vector<Score> score(uint64_t first, const BatchView &batch, const Predictions &predictions) const override {
    return owned->score(ownSeed, first, batch, predictions);
  }
  std::optional<int64_t> evaluationRows() const override { return owned->evaluationRows(); }
  const Task *task() const override { return owned.get(); }
  uint64_t seed() const override { return ownSeed; }
  std::string identity() const override {
    std::string text = "task " + owned->name();
    for (const auto &[key, value] : owned->settings())
      text += settingText(key, value);
    for (const auto &[key, digest] : owned->contents())
      if (!digest.empty())
        text += contentsText(key, digest);
    return text;
  }

private:
  std::unique_ptr<Task> owned;
  uint64_t ownSeed;
};

class FileSource final : public BatchSource {
public:
  FileSource(const std::string &path, int64_t batch, int64_t length, int64_t vocabulary);
  TokenBlock make(Stream, uint64_t first, int64_t wanted, int64_t length) const override {
    TokenBlock block = emptyBlock(first, wanted * length);
    for (int64_t i = 0; i < wanted * length; ++i) {
      const int64_t from = static_cast<int64_t>((first + i / length) % rows) * length + i % length;
      block.tokens[i] = all.tokens[from];
      block.targets[i] = all.targets[from];
      block.mask[i] = all.mask[from];
      block.weights[i] = all.weights[from];
      block.positions[i] = all.positions[from];
    }
    block.hasOwnWeights = ownWeights;
    block.weigh(block.ones());
    return block;
  }
  std::vector<Score> score(uint64_t, const BatchView &batch, const Predictions &predictions) const override {
    Score score = Score::share("token_accuracy");
    for (size_t i = 0; i < batch.mask.size(); ++i)
      if (batch.mask[i])
        score.addInstance(predictions.predicted[i] == batch.targets[i]);
    return {score};
  }
  std::optional<int64_t> evaluationRows() const override { return rows; }
  std::string identity() const override { return "file " + contentHash; }

private:
  TokenBlock all;
  int64_t rows = 0;
  bool ownWeights = false;
  std::string contentHash;
};

template <typename From> std::vector<From> readAs(const SafetensorsFile &file, const TensorEntry &entry) {
  std::vector<From> values(entry.elements());
  file.read(entry, values.data());
  return values;
}

// Numbers of a tensor, whatever of the given types it has.
std::vector<double> readNumbers(const SafetensorsFile &file, const TensorEntry &entry,
                                const std::vector<std::string> &dtypes) {
  if (std::find(dtypes.begin(), dtypes.end(), entry.dtype) == dtypes.end())
    throw Error(fmt::format("'{}' in '{}' must be {}, but got {}", entry.name, file.path(), fmt::join(dtypes, " or "),
                            entry.dtype));
  auto convert = [](const auto &values) { return std::vector<double>(values.begin(), values.end()); };
  if (entry.dtype == "I32")
    return convert(readAs<int32_t>(file, entry));
  if (entry.dtype == "I64")
    return convert(readAs<int64_t>(file, entry));
  if (entry.dtype == "F32")
    return convert(readAs<float>(file, entry));
  if (entry.dtype == "F64")
    return convert(readAs<double>(file, entry));
  return convert(readAs<uint8_t>(file, entry));
}

const TensorEntry *tensorOf(const SafetensorsFile &file, const std::string &name, bool needed, int64_t batch,
                            int64_t length) {
  const TensorEntry *entry = file.find(name);
  if (!entry && needed)
    throw Error(fmt::format("'{}' must hold a tensor '{}', but does not", file.path(), name));
  const bool fits = !entry || (entry->shape.size() == 2 && entry->shape[1] == length && entry->shape[0] > 0 &&
                               entry->shape[0] % batch == 0);
  if (!fits)
    throw Error(fmt::format("'{}' in '{}' must have shape [multiple of batch={}, length={}], but got [{}]", name,
                            file.path(), batch, length, fmt::join(entry->shape, ", ")));
  return entry;
}

std::vector<int32_t> readTokens(const SafetensorsFile &file, const TensorEntry &entry, int64_t vocabulary) {
  const std::vector<double> values = readNumbers(file, entry, {"I32", "I64"});
  for (size_t i = 0; i < values.size(); ++i)
    if (const double value = values[i]; value < 0 || value >= static_cast<double>(vocabulary))
      throw Error(fmt::format("'{}' in '{}' must be in 0..{}, but got {} at [{}, {}]", entry.name, file.path(),
                              vocabulary - 1, value, i / entry.shape[1], i % entry.shape[1]));
  return {values.begin(), values.end()};
}

// Places of tokens in their documents; a row is one document where the file does not say.
std::vector<int32_t> readPositions(const SafetensorsFile &file, const TensorEntry *entry, int64_t rows,
                                   int64_t length) {
  std::vector<int32_t> positions = wholeSequences(rows * length, length);
  if (!entry)
    return positions;
  const std::vector<double> values = readNumbers(file, *entry, {"I32", "I64"});
  std::transform(values.begin(), values.end(), positions.begin(), [&](double value) {
    return static_cast<int32_t>(std::clamp(value, -1.0, static_cast<double>(length)));
  });
  try {
    documentStarts(positions, length);
  } catch (const Error &error) {
    throw Error(fmt::format("'{}': {}", file.path(), error.what()));
  }
  return positions;
}

std::vector<uint8_t> readMask(const SafetensorsFile &file, const TensorEntry *entry, int64_t count) {
  if (!entry)
    return std::vector<uint8_t>(count, 1);
  const std::vector<double> values = readNumbers(file, *entry, {"U8", "BOOL"});
  if (std::ranges::count(values, 0.0) == count)
    throw Error(fmt::format("'mask' in '{}' must mark at least one token, but marks none", file.path()));
  std::vector<uint8_t> mask(count);
  std::transform(values.begin(), values.end(), mask.begin(), [](double value) { return value != 0; });
  return mask;
}

// 0 where the mask is.
std::vector<double> readWeights(const SafetensorsFile &file, const TensorEntry &entry,
                                const std::vector<uint8_t> &mask) {
  std::vector<double> weights = readNumbers(file, entry, {"F32", "F64"});
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(static_cast<float>(weights[i])))
      throw Error(fmt::format("'weights' in '{}' must be finite floats, but got {} at [{}, {}]", file.path(),
                              weights[i], static_cast<int64_t>(i) / entry.shape[1],
                              static_cast<int64_t>(i) % entry.shape[1]));
    weights[i] = mask[i] ? weights[i] : 0;
  }
  if (std::ranges::count(weights, 0.0) == static_cast<int64_t>(weights.size()))
    throw Error(fmt::format("'weights' in '{}' must weigh at least one token, but are all 0", file.path()));
  return weights;
}

void checkNames(const SafetensorsFile &file) {
  static const std::vector<std::string> known = {"tokens", "targets", "mask", "weights", "positions"};
  for (const TensorEntry &entry : file.tensors())
    if (std::ranges::find(known, entry.name) == known.end())
      throw Error(fmt::format("'{}' must hold no tensors but {}, but has '{}'{}", file.path(), fmt::join(known, ", "),
                              entry.name, suggestName(entry.name, known)));
}

FileSource::FileSource(const std::string &path, int64_t batch, int64_t length, int64_t vocabulary) {
  const SafetensorsFile file(path, /*followLinks=*/true);
  checkNames(file);
  const TensorEntry *tokens = tensorOf(file, "tokens", true, batch, length);
  const TensorEntry *targets = tensorOf(file, "targets", true, batch, length);
  const TensorEntry *mask = tensorOf(file, "mask", false, batch, length);
  const TensorEntry *weights = tensorOf(file, "weights", false, batch, length);
  const TensorEntry *positions = tensorOf(file, "positions", false, batch, length);
  rows = tokens->shape[0];
  for (const TensorEntry *entry : {targets, mask, weights, positions})
    if (entry && entry->shape != tokens->shape)
      throw Error(fmt::format("'{}' in '{}' must have the shape {} of 'tokens', but has {}", entry->name, path,
                              shapeText(tokens->shape), shapeText(entry->shape)));
  all.tokens = readTokens(file, *tokens, vocabulary);
  all.targets = readTokens(file, *targets, vocabulary);
  all.mask = readMask(file, mask, rows * length);
  all.positions = readPositions(file, positions, rows, length);
  ownWeights = weights;
  all.weights = weights ? readWeights(file, *weights, all.mask) : std::vector<double>(all.tokens.size(), 0);
  if (weights && !mask)
    std::transform(all.weights.begin(), all.weights.end(), all.mask.begin(), [](double w) { return w != 0; });
  Checksum checksum;
  checksum.add(all.tokens.data(), all.tokens.size() * sizeof(int32_t));
  checksum.add(all.targets.data(), all.targets.size() * sizeof(int32_t));
  checksum.add(all.mask.data(), all.mask.size());
  checksum.add(all.weights.data(), all.weights.size() * sizeof(double));
  if (positions)
    checksum.add(all.positions.data(), all.positions.size() * sizeof(int32_t));
  contentHash = checksum.hex();
}

} // namespace

std::unique_ptr<BatchSource> taskSource(std::unique_ptr<Task> task, uint64_t seed) {
  return std::make_unique<TaskSource>(std::move(task), seed);
}

std::unique_ptr<BatchSource> fileSource(const std::string &path, int64_t batch, int64_t length, int64_t vocabulary) {
  return std::make_unique<FileSource>(path, batch, length, vocabulary);
}

std::vector<std::string> changedFiles(const Task &task, const std::string &identity) {
  std::vector<std::string> changed;
  if (!identity.starts_with(fmt::format("task {} ", task.name())))
    return changed;
  const std::map<std::string, std::string> settings = task.settings();
  const auto says = [&](const std::string &text) { return identity.find(text) != identity.npos; };
  for (const auto &[parameter, digest] : task.contents())
    if (!digest.empty() && says(settingText(parameter, settings.at(parameter))) &&
        !says(contentsText(parameter, digest)))
      changed.push_back(parameter);
  return changed;
}

std::string changedFileText(const Task &task, const std::string &parameter) {
  return fmt::format("'{}', the parameter '{}' of task '{}', had another content", task.settings().at(parameter),
                     parameter, task.name());
}

Prefetcher::Prefetcher(const BatchSource &source, int64_t firstStep, const StepRows &rows, int64_t length, Group &ranks)
    : source(source), step(firstStep), rows(rows), length(length), ranks(ranks), server([this] { serve(); }) {}

Prefetcher::~Prefetcher() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  server.join();
}

void Prefetcher::awaitNext(std::unique_lock<std::mutex> &lock) {
  const auto start = std::chrono::steady_clock::now();
  changed.wait(lock, [this] { return ready || failure; });
  waitedSeconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (failure)
    std::rethrow_exception(failure);
}

TokenBlock Prefetcher::next() {
  std::unique_lock lock(mutex);
  awaitNext(lock);
  TokenBlock block = std::move(*ready);
  ready.reset();
  lock.unlock();
  changed.notify_all();
  return block;
}

int Prefetcher::stopSignal() {
  if (ranks.size() == 1)
    return runtime::stopSignal();
  std::unique_lock lock(mutex);
  awaitNext(lock);
  return stop;
}

std::vector<double> Prefetcher::secondsOfRanks() {
  if (ranks.size() == 1)
    return {};
  std::unique_lock lock(mutex);
  awaitNext(lock);
  return seconds;
}

// The block of this rank; of several ranks, when all have theirs.
TokenBlock Prefetcher::prepare() {
  const uint64_t first = static_cast<uint64_t>(step) * static_cast<uint64_t>(rows.all);
  TokenBlock block;
  std::string failed;
  try {
    block = source.make(Stream::Train, first + static_cast<uint64_t>(rows.first), rows.own, length);
  } catch (const std::exception &error) {
    if (ranks.size() == 1)
      throw;
    failed = error.what();
  }
  if (ranks.size() > 1)
    agree(block, failed);
  return block;
}

void Prefetcher::agree(TokenBlock &block, const std::string &failed) {
  const std::string record = fmt::format("{} {} {} {}", block.ones(), runtime::stopSignal(), ownSeconds.load(), failed);
  const std::vector<std::string> records = gatherTexts(ranks, record);
  int64_t ones = 0;
  stop = 0;
  seconds.assign(records.size(), 0);
  for (size_t rank = 0; rank < records.size(); ++rank) {
    std::istringstream words(records[rank]);
    int64_t count = 0;
    int signal = 0;
    words >> count >> signal >> seconds[rank] >> std::ws;
    ones += count;
    stop = stop ? stop : signal;
    if (std::string text; std::getline(words, text, '\0'))
      throw SharedError(fmt::format("rank {}: {}", rank, text));
  }
  block.weigh(ones);
}

// Runs at low priority: where cores are few, the step comes first. Of several ranks, whoever has handed out a block
// prepares the next one, even if nobody will ask for it: the others wait for this.
void Prefetcher::serve() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);
  std::unique_lock lock(mutex);
  while (true) {
    lock.unlock();
    TokenBlock block;
    std::exception_ptr thrown;
    try {
      block = prepare();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    ++step;
    failure = thrown;
    if (!failure)
      ready = std::move(block);
    changed.notify_all();
    if (failure)
      return;
    changed.wait(lock, [this] { return stopping || !ready; });
    if (stopping && (ready || ranks.size() == 1))
      return;
  }
}

} // namespace stretto::runtime
