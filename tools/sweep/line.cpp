// The command line of `stretto sweep`.
#include "tools/sweep/line.h"

#include "tools/stretto/error.h"
#include "tools/stretto/options.h"
#include "tools/stretto/words.h"
#include "tools/support/argument_rules.h"
#include "tools/sweep/axes.h"

#include <algorithm>
#include <set>

namespace stretto::tools {

namespace {

constexpr int64_t mostJobs = 1024;

// Whether a word asks for something else than a training that begins or goes on by itself.
bool asksForNoTraining(const std::string &word) {
  static constexpr std::string_view names[] = {"--resume", "--bench", "--version", "--", "--prompt", "--prompts"};
  return std::ranges::find(names, word.substr(0, word.find('='))) != std::end(names);
}

// Reads words one after the other, an option with its value.
class SweepLineReader {
public:
  explicit SweepLineReader(std::span<const std::string> words) : words(words) {}

  SweepLine read() {
    for (; next < words.size(); ++next)
      readWord(words[next]);
    return std::move(line);
  }

private:
  void readWord(const std::string &word) {
    const std::string name = word.substr(0, word.find('='));
    if ((name == "--dry-run" || name == "--help") && name != word)
      throw CommandError(name + " takes no value, but got '" + word.substr(name.size() + 1) + "'", 2);
    if (word == "--dry-run")
      line.dryRun = true;
    else if (word == "--help" || word == "-h")
      line.help = true;
    else if (name == "--over" || name == "--out" || name == "--jobs" || name == "--stretto")
      readOption(word, name);
    else if (asksForNoTraining(word))
      throw CommandError("a sweep must have options that train a model, but got '" + word + "'" +
                             (word == "--resume" ? "; the same line goes on by itself" : ""),
                         2);
    else
      keepForTraining(word, name);
  }

  void readOption(const std::string &word, const std::string &name) {
    const bool attached = name.size() < word.size();
    if (!attached && next + 1 == words.size())
      throw CommandError(word + " needs a value", 2);
    const std::string value = attached ? word.substr(name.size() + 1) : words[++next];
    if (!given.insert(name).second && name != "--over")
      throw CommandError(givenTwice(name, value), 2);
    takeValue(name, value);
  }

  void takeValue(const std::string &name, const std::string &value) {
    if (name == "--over") {
      runtime::Axis axis = parseAxis(value);
      for (const runtime::Axis &other : line.axes)
        if (other.name == axis.name)
          throw CommandError("--over must name each axis once, but got '" + axis.name + "' again", 2);
      line.axes.push_back(std::move(axis));
    } else if (value.empty() && (name == "--out" || name == "--stretto")) {
      throw CommandError(noName(name, name == "--out" ? "FOLDER" : "PROGRAM"), 2);
    } else if (name == "--out") {
      line.out = value;
    } else if (name == "--jobs") {
      line.jobs = readCount(name, value, mostJobs);
    } else {
      line.stretto = value;
    }
  }

  void keepForTraining(const std::string &word, const std::string &name) {
    line.train.push_back(word);
    const TrainOption *compiler = findOption(compilerOptions(), word);
    const TrainOption *option = compiler ? compiler : findOption(programOptions(), word);
    if (option && option->takesValue && name.size() == word.size() && next + 1 < words.size())
      line.train.push_back(words[++next]);
  }

  std::span<const std::string> words;
  size_t next = 0;
  SweepLine line;
  std::set<std::string> given;
};

} // namespace

SweepLine readSweepLine(std::span<const std::string> words) {
  SweepLine line = SweepLineReader(words).read();
  if (line.help)
    return line;
  if (line.axes.empty())
    throw CommandError("a sweep needs something that varies: give --over NAME=VALUE,VALUE", 2);
  if (line.out.empty())
    throw CommandError("a sweep needs a folder: give --out FOLDER", 2);
  line.ranks = readCount("--ranks", lastValue(line.train, "--ranks").value_or("1"), mostJobs);
  if (line.ranks > line.jobs)
    throw CommandError("--jobs must be at least the --ranks of a run, each of which is a job, but got " +
                           std::to_string(line.jobs) + " and " + std::to_string(line.ranks),
                       2);
  return line;
}

std::string sweepHelp() {
  return "usage: stretto sweep <spec.stretto> --over NAME=VALUE,VALUE [--over ...] --out FOLDER [options of train]\n"
         "       stretto sweep --over spec=<spec.stretto>,<spec.stretto> [--over ...] --out FOLDER [options of "
         "train]\n\n"
         "Trains the spec once for each combination of the values; each is a run directory in the folder. The same "
         "line\n"
         "again goes on: finished runs are left alone, begun ones resumed, failed ones tried again. Its axes may have "
         "got\n"
         "further values.\n\n"
         "  --over NAME=V,V,..  an axis: an option of train (lr, seed, ..), set.X (a parameter of the model),\n"
         "                      task-set.X (of the task) or spec; commas in brackets do not separate, 0..4 is\n"
         "                      0,1,2,3,4. lr=recipe: the learning rates that the paper tried for the preset, each\n"
         "                      with its weight decay\n"
         "  --out FOLDER        the sweep directory\n"
         "  --jobs N            runs at a time (default 1), a run with --ranks N as N of them; they share the cores\n"
         "                      unless --threads is given\n"
         "  --dry-run           print the commands, do nothing\n"
         "  --stretto PROGRAM   the stretto to call (default: the one beside this program)\n\n" +
         optionsText() +
         "\nexample: stretto sweep models/llama.stretto --task depo1 --preset one-hop --over lr=1e-3,3e-3\n"
         "           --over \"set.canon_at={},{A, B, C, D}\" --over seed=0,1,2 --jobs 2 --out sweeps/canon\n\n"
         "exit status: 0 all runs are finished, 1 one failed, 2 wrong command line, 130 stopped\n";
}

} // namespace stretto::tools
