// What sequences of a task are like, over many of them.
#include "tools/data/statistics.h"

#include <algorithm>
#include <cmath>
#include <iomanip>

namespace stretto::tools {

void RowStatistics::add(const Samples &samples) {
  rows += samples.batch;
  tokens += int64_t(samples.tokens.size());
  counted += std::ranges::count(samples.mask, uint8_t(1));
  for (int32_t token : samples.tokens)
    ++frequencies[token];
  for (int64_t r = 0; r < samples.batch; ++r) {
    int64_t opened = r * samples.length;
    ++documents;
    for (int64_t t = opened + 1; t < (r + 1) * samples.length; ++t)
      if (samples.positions[t] == 0) {
        ++lengths[t - opened];
        ++documents;
        opened = t;
      }
  }
}

static void printLengths(std::ostream &out, const std::map<int64_t, int64_t> &lengths) {
  if (lengths.empty()) {
    out << "  no document ends within a sequence\n";
    return;
  }
  double count = 0, sum = 0;
  for (auto [length, documents] : lengths) {
    count += double(documents);
    sum += double(length) * double(documents);
  }
  const int64_t low = lengths.begin()->first, high = lengths.rbegin()->first, width = (high - low) / 12 + 1;
  out << "  lengths of whole documents: mean " << sum / count << ", " << low << " to " << high << "\n";
  std::vector<double> bins((high - low) / width + 1);
  for (auto [length, documents] : lengths)
    bins[(length - low) / width] += double(documents);
  const double most = *std::ranges::max_element(bins);
  for (size_t i = 0; i < bins.size(); ++i) {
    const int64_t from = low + int64_t(i) * width, to = std::min(from + width - 1, high);
    out << std::setw(9) << from << " .." << std::setw(6) << to << std::setw(8) << 100 * bins[i] / count << " %  "
        << std::string(size_t(std::lround(40 * bins[i] / most)), '#') << "\n";
  }
}

static void printTokens(std::ostream &out, const RowStatistics &statistics, int64_t vocabulary) {
  std::vector<std::pair<int64_t, int32_t>> ranked;
  double entropy = 0;
  for (const auto &[id, count] : statistics.frequencies) {
    const double share = double(count) / double(statistics.tokens);
    entropy -= share * std::log2(share);
    ranked.emplace_back(-count, id);
  }
  const size_t shown = std::min<size_t>(ranked.size(), 8);
  std::ranges::partial_sort(ranked, ranked.begin() + shown);
  out << "  " << ranked.size() << " of " << vocabulary << " ids occur, entropy " << entropy << " bits; most often:";
  for (size_t i = 0; i < shown; ++i)
    out << (i ? ", " : " ") << ranked[i].second << " (" << -100.0 * double(ranked[i].first) / double(statistics.tokens)
        << " %)";
  out << "\n";
}

// The instances that scores of true predictions cover; tasks that want more than predictions have none here.
static void addInstances(std::vector<runtime::Score> &totals, const runtime::Task &task, uint64_t seed, Samples &rows) {
  const std::vector<double> nll(rows.targets.size(), 0.0);
  std::vector<runtime::Score> scores = task.score(seed, rows.first, rows.view(), {rows.targets, nll});
  if (totals.empty())
    totals = std::move(scores);
  else
    for (size_t i = 0; i < totals.size(); ++i)
      totals[i].merge(scores[i]);
}

void printStatistics(std::ostream &out, const runtime::Task &task, uint64_t seed, runtime::Stream stream,
                     uint64_t first, int64_t rows) {
  RowStatistics statistics;
  std::vector<runtime::Score> instances;
  for (int64_t done = 0; done < rows;) {
    const int64_t count = std::min(rows - done, rowsAtOnce(task));
    Samples samples(task, seed, stream, first + uint64_t(done), count);
    statistics.add(samples);
    if (stream == runtime::Stream::Evaluation && !task.wantsDistribution())
      addInstances(instances, task, seed, samples);
    done += count;
  }
  const double perRow = 1 / double(statistics.rows);
  out << task.name() << ": " << statistics.rows << " sequences of " << task.length() << " tokens\n"
      << std::fixed << std::setprecision(2) << "  documents in a sequence: " << double(statistics.documents) * perRow
      << ", the cut one included\n  targets that count: "
      << 100 * double(statistics.counted) / double(statistics.tokens) << " %, " << double(statistics.counted) * perRow
      << " in a sequence\n";
  printTokens(out, statistics, task.vocabulary());
  printLengths(out, statistics.lengths);
  for (const runtime::Score &score : instances)
    if (score.kind == runtime::Score::Kind::Share)
      out << "  instances of " << score.name << ": " << score.count << "\n";
}

} // namespace stretto::tools
