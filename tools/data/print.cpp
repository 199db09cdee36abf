// How samples and tasks are shown.
#include "tools/data/print.h"

#include "runtime/core/utf8.h"
#include "runtime/train/json.h"
#include "tasks/recipes.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <iomanip>
#include <limits>

namespace stretto::tools {

Samples::Samples(const runtime::Task &task, uint64_t seed, runtime::Stream stream, uint64_t first, int64_t batch)
    : first(first), batch(batch), length(task.length()), tokens(batch * length), targets(batch * length),
      mask(batch * length), positions(batch * length) {
  task.fill(seed, stream, first, view());
}

int64_t rowsAtOnce(const runtime::Task &task) { return std::clamp<int64_t>((int64_t{1} << 20) / task.length(), 1, 16); }

runtime::BatchView Samples::view() { return {batch, length, tokens, targets, mask, positions}; }

// The number to print for an id.
static std::function<int32_t(int32_t)> numbering(const runtime::Task &task, bool published) {
  if (!published)
    return std::identity();
  std::vector<int32_t> ids = tasks::publishedIds(task);
  if (ids.empty())
    throw tasks::TaskError("task '" + task.name() + "': has no published numbering");
  return [ids = std::move(ids)](int32_t id) { return ids[id]; };
}

void printSamples(std::ostream &out, const runtime::Task &task, Samples &samples, PrintOptions options) {
  const std::function<int32_t(int32_t)> number = numbering(task, options.published);
  const char *open = options.colour ? "\033[1;32m[" : "[", *close = options.colour ? "]\033[0m" : "]";
  for (int64_t r = 0; r < samples.batch; ++r) {
    out << "sample " << samples.first + uint64_t(r) << ", " << samples.length << " tokens\n"
        << task.describe(samples.view(), r) << "ids, targets of the loss in brackets:\n"
        << number(samples.tokens[r * samples.length]);
    for (int64_t i = r * samples.length; i < (r + 1) * samples.length; ++i) {
      out << ' ';
      if (samples.mask[i])
        out << open << number(samples.targets[i]) << close;
      else
        out << number(samples.targets[i]);
    }
    out << "\n\n";
  }
}

template <typename T, typename F> static void printList(std::ostream &out, std::span<const T> items, F show) {
  const char *separator = "[";
  for (T item : items) {
    out << separator << show(item);
    separator = ",";
  }
  out << ']';
}

void printJson(std::ostream &out, const runtime::Task &task, Samples &samples, PrintOptions options) {
  const std::function<int32_t(int32_t)> id = numbering(task, options.published);
  for (int64_t r = 0; r < samples.batch; ++r) {
    size_t from = size_t(r * samples.length), size = size_t(samples.length);
    out << "{\"sample\":" << samples.first + uint64_t(r) << ",\"tokens\":";
    printList(out, std::span<const int32_t>(samples.tokens).subspan(from, size), id);
    out << ",\"targets\":";
    printList(out, std::span<const int32_t>(samples.targets).subspan(from, size), id);
    out << ",\"mask\":";
    printList(out, std::span<const uint8_t>(samples.mask).subspan(from, size), [](uint8_t m) { return int(m); });
    out << ",\"positions\":";
    printList(out, std::span<const int32_t>(samples.positions).subspan(from, size), [](int32_t p) { return p; });
    out << "}\n";
  }
}

// What JSON cannot say of a text, which is no UTF-8: its bytes; else nothing.
static std::string bytesMember(const std::string &text) {
  if (runtime::validUtf8(text) == text.size())
    return "";
  std::string bytes;
  for (const char byte : text)
    bytes += (bytes.empty() ? "" : ",") + std::to_string(uint8_t(byte));
  return ",\"bytes\":[" + bytes + "]";
}

void printVocabulary(std::ostream &out, const runtime::Task &task, PrintOptions options, bool json) {
  const std::function<int32_t(int32_t)> number = numbering(task, options.published);
  for (int32_t id = 0; id < task.vocabulary(); ++id) {
    const std::string text = task.text(id);
    if (json)
      out << "{\"id\":" << number(id) << ",\"text\":" << runtime::quoteJson(text) << bytesMember(text) << "}\n";
    else
      out << number(id) << " \"" << runtime::printable(text, text.size()) << "\"\n";
  }
}

// Runs `work` on so many tokens again and again, for a second of the processor; the million tokens of one such second.
static double millionTokensPerSecond(int64_t tokens, const std::function<void()> &work) {
  int64_t done = 0;
  const std::clock_t start = std::clock(), end = start + CLOCKS_PER_SEC;
  for (; std::clock() < end; done += tokens)
    work();
  return double(done) * CLOCKS_PER_SEC / double(std::clock() - start) / 1e6;
}

// Scores predictions that are all right, and sure of nothing.
static double scoringSpeed(const runtime::Task &task, uint64_t seed, int64_t count) {
  Samples rows(task, seed, runtime::Stream::Evaluation, 0, count);
  const size_t tokens = rows.targets.size(), vocabulary = size_t(task.vocabulary());
  const double unsure = std::log(double(vocabulary));
  const std::vector<double> nll(tokens, unsure), all(task.wantsDistribution() ? tokens * vocabulary : 0, -unsure);
  return millionTokensPerSecond(int64_t(tokens), [&] { task.score(seed, 0, rows.view(), {rows.targets, nll, all}); });
}

void printSpeed(std::ostream &out, const runtime::Task &task, uint64_t seed, runtime::Stream stream) {
  const int64_t count = rowsAtOnce(task), most = int64_t{1} << 28;
  if (task.wantsDistribution() && count * task.length() > most / task.vocabulary())
    throw tasks::TaskError("task '" + task.name() + "': --speed must hold at most " + std::to_string(most) +
                           " probabilities at a time, but they are " + std::to_string(count * task.length()) +
                           " times " + std::to_string(task.vocabulary()));
  Samples rows(task, seed, stream, 0, count);
  uint64_t first = 0;
  const double made =
      millionTokensPerSecond(count * rows.length, [&] { task.fill(seed, stream, first += count, rows.view()); });
  out << task.name() << ": " << std::fixed << std::setprecision(1) << made
      << " million tokens per second and core, scored " << scoringSpeed(task, seed, count) << " million (sequences of "
      << rows.length << " tokens)\n";
}

void printShape(std::ostream &out, const runtime::Task &task, const runtime::Recipe &recipe) {
  out << "{\"batch\":" << recipe.batch << ",\"length\":" << task.length() << ",\"vocabulary\":" << task.vocabulary()
      << ",\"writes\":" << (task.judgedByWriting() ? "true" : "false");
  if (const int64_t shortest = task.shortestDocument())
    out << ",\"documents\":" << (task.length() + shortest - 1) / shortest;
  for (const auto &[name, coefficient] : {std::pair("nll_square", recipe.nll_square), {"z_loss", recipe.z_loss}})
    if (coefficient)
      out << ",\"" << name << "\":" << std::setprecision(std::numeric_limits<double>::max_digits10) << *coefficient;
  out << "}\n";
}

void printTask(std::ostream &out, const tasks::TaskInfo &task) {
  out << task.name << ": " << task.about << "\n  parameters (--set name=value)\n";
  for (const tasks::ParameterInfo &info : task.parameters) {
    out << "    " << std::left << std::setw(14) << info.name + "=" + info.fallbackAsText() << ' ' << std::setw(13)
        << info.range() << ' ' << info.meaning << "\n";
  }
  std::string source;
  for (const tasks::Preset &preset : tasks::presetsOf(task.name)) {
    if (preset.source != source)
      out << "  presets (--preset name), constants: " << preset.source << "\n";
    source = preset.source;
    out << "    " << std::setw(14) << preset.name << preset.about << "\n";
  }
}

} // namespace stretto::tools
