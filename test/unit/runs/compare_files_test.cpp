// Whatever stands where a file of a run or a sweep should: the comparison works or says in one line which file is
// wrong.
#include "runtime/core/sealed.h"
#include "runtime/runs/differences.h"
#include "runtime/runs/groups.h"
#include "runtime/runs/plots.h"
#include "runtime/runs/settings.h"
#include "runtime/runs/table.h"
#include "test/fuzz/Mutated.h"
#include "tools/sweep/state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include <sys/stat.h>
#include <unistd.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tools;
namespace fs = std::filesystem;

namespace {

const std::map<std::string, std::string> &goodFiles() {
  static const std::map<std::string, std::string> files = {
      {"sweep.toml",
       "options = [\"--lr\", \"1e-3\"]\n\n[[spec]]\npath = \"m\"\ndigest = \"00\"\n\n[[axis]]\nname = \"lr\"\nvalues = "
       "[\"1\", \"2\"]\n\n[[run]]\nfolder = \"a\"\nvalues = [\"1\"]\ncommand = \"train\"\n\n[[run]]\n"
       "folder = \"b\"\nvalues = [\"2\"]\ncommand = \"train\"\n"},
      {"a/metrics.jsonl",
       "{\"step\": 1, \"loss\": 2.5, \"lr\": 0.1}\n{\"step\": 2, \"loss\": \"inf\", \"lr\": 0.1}\n"
       "{\"step\": 2, \"eval_loss\": 1.5, \"scores\": {\"a/k=1\": [1, 4], \"a/k=2\": [3, 4], \"a/k=4\": "
       "[1, 9], \"bits\": {\"value\": 0.5, \"unit\": \"bits/parameter\"}, \"kl\": {\"mean\": 0.25, "
       "\"unit\": \"nats\", \"low\": 0.125, \"high\": 0.5, \"count\": 8}}}\n"},
      {"a/timing.jsonl", "{\"step\": 1, \"tokens_per_second\": 5000}\n{\"step\": 2, \"tokens_per_second\": 4000.5}\n"},
      {"a/run.toml", "[settings]\nsteps = 2\nseed = 0\nlr = 0.1\n\n[task]\n\"n\" = \"20\"\n"},
      {"a/build/settings.json",
       "[{\"name\": \"dim\", \"value\": \"64\"}, {\"name\": \"at\", \"value\": [1, true, null]}]"},
      {"a/build/options.txt", sealed("--batch\n4\n--mask-documents\n--set\ndim=64\n")},
      {"a/spec.stretto", "model m() {}\n"},
      {"a/build/plan.json", "{\"blocks\": [{\"parameters\": 100}, {\"parameters\": 20}]}"},
      {"b/metrics.jsonl",
       "{\"step\": 2, \"eval_loss\": 1.25, \"scores\": {\"a/k=1\": [2, 4], \"a/k=2\": [3, 4], \"bits\": "
       "{\"value\": 0.75, \"unit\": \"bits/parameter\"}}}\n"},
      {"b/build/plan.json", "{\"blocks\": [{\"parameters\": 1000}]}"}};
  return files;
}

// A sweep directory of two runs that goes away with the test.
class CompareFiles : public ::testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/stretto-compare-XXXXXX";
    folder = mkdtemp(pattern);
    for (const auto &[name, text] : goodFiles())
      write(name, text);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string pathOf(const std::string &name) const { return folder + "/" + name; }
  void write(const std::string &name, const std::string &text) const {
    fs::remove_all(pathOf(name));
    fs::create_directories(fs::path(pathOf(name)).parent_path());
    std::ofstream(pathOf(name), std::ios::binary) << text;
  }
  void restore(const std::string &name) const { write(name, goodFiles().at(name)); }

  // All that `stretto compare` shows and `stretto sweep` asks; what was wrong with it, the folder left out.
  std::string error() const {
    for (const char *run : {"a", "b"}) {
      stateOf(pathOf(run));
      headlineOf(fs::path(pathOf(run)));
    }
    try {
      for (const char *best : {"", "none"}) {
        const Comparison comparison = readComparison(std::vector<std::string>{folder}, best);
        std::string shown =
            htmlTable(compareTable(comparison.groups)) + markdownTable(differencesTable(comparison.groups));
        for (const Breakdown &breakdown : breakdownsOf(comparison.groups))
          shown += plainTable(breakdownTable(comparison.groups, breakdown));
        for (const Plot &plot : plotsOf(comparison.groups))
          shown += plot.svg;
        EXPECT_NE(shown.find("</svg>"), std::string::npos);
      }
    } catch (const Error &error) {
      std::string text = error.what();
      for (size_t at; (at = text.find(folder)) != std::string::npos;)
        text.erase(at, folder.size() + 1);
      return text;
    }
    return "";
  }

  // With one file replaced, which is put back.
  std::string errorWith(const std::string &name, const std::string &text) const {
    write(name, text);
    std::string found = error();
    restore(name);
    return found;
  }

  std::string folder;
};

std::string repeated(const std::string &one, int count = 200000) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += one;
  return text;
}

} // namespace

TEST_F(CompareFiles, whatIsNoFileIsRefused) {
  ASSERT_EQ(error(), "");
  for (const auto &[name, text] : goodFiles()) {
    const std::string path = pathOf(name), refused = "cannot open '" + name + "': not a regular file";
    fs::remove(path);
    fs::create_directory(path);
    EXPECT_EQ(error(), refused);
    fs::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(error(), refused);
    fs::remove(path);
    fs::create_symlink("/dev/zero", path);
    EXPECT_EQ(error(), refused);
    fs::remove(path);
    fs::create_symlink("/nowhere/at/all", path);
    EXPECT_EQ(error(), "cannot open '" + name + "': No such file or directory");
    restore(name);
    fs::permissions(path, fs::perms::none);
    if (geteuid() != 0) {
      EXPECT_EQ(error(), "cannot open '" + name + "': Permission denied");
    }
    restore(name);
  }
  EXPECT_EQ(error(), "");
}

// Links to files are followed.
TEST_F(CompareFiles, linksToFilesAreFollowed) {
  for (const auto &[name, text] : goodFiles()) {
    fs::rename(pathOf(name), pathOf(name) + ".kept");
    fs::create_symlink(pathOf(name) + ".kept", pathOf(name));
  }
  EXPECT_EQ(error(), "");
}

// Sparse files, which take no place on the disk.
TEST_F(CompareFiles, hugeFilesAreRefused) {
  for (const auto &[name, text] : goodFiles()) {
    fs::resize_file(pathOf(name), uintmax_t{1} << 40);
    const std::string found = error();
    EXPECT_TRUE(found.starts_with(name + ":") || found.starts_with("cannot read '" + name + "': it must have at most"))
        << found;
    restore(name);
  }
}

TEST_F(CompareFiles, whatIsNestedTooDeepIsRefused) {
  for (const char *name : {"a/build/settings.json", "a/build/plan.json"})
    for (const char *one : {"[", "{\"a\":", "[0,"})
      EXPECT_EQ(errorWith(name, repeated(one)),
                name + std::string(": JSON must be nested at most 16 deep, but got more"));
  for (const char *name : {"a/metrics.jsonl", "a/timing.jsonl"})
    EXPECT_EQ(errorWith(name, "{\"step\": 1}\n{\"step\": 2, \"loss\": " + repeated("[") + "\n"),
              name + std::string(":2: JSON must be nested at most 8 deep, but got more"));
  for (const char *name : {"a/run.toml", "sweep.toml"}) {
    const std::string start = name + std::string(":1: not a TOML file: ");
    EXPECT_TRUE(errorWith(name, "x = " + repeated("[")).starts_with(start));
    for (const std::string &text :
         {"[a" + repeated(".a", 50000) + "]\n", "a" + repeated(" . \"b.c\"", 50000) + " = 1\n",
          "x = [{a" + repeated(".a", 50000) + " = 1}]"})
      EXPECT_EQ(errorWith(name, text), start + "a key must have at most 16 parts, but got more");
  }
  // Dots elsewhere are none of keys.
  EXPECT_EQ(errorWith("a/run.toml", "# a" + repeated(".a", 50000) + "\n[settings]\nx = 'a" + repeated(".a", 50000) +
                                        "'\ny = \"\"\"a\n" + repeated("\\\".a", 50000) +
                                        "\"\"\"\nz = [1.5, 2.5, 0.5]\n"),
            "");
}

TEST_F(CompareFiles, whatIsEmptyOrCutIsToldOrShownAsFarAsItGoes) {
  EXPECT_EQ(errorWith("sweep.toml", ""), "sweep.toml:1: must have a list 'options', but got none");
  for (const char *name : {"a/metrics.jsonl", "a/timing.jsonl", "a/run.toml"})
    EXPECT_EQ(errorWith(name, ""), "") << name;
  const std::string json = ": JSON text must follow RFC 8259, but got something else at byte ";
  for (const char *name : {"a/build/settings.json", "a/build/plan.json"}) {
    EXPECT_EQ(errorWith(name, ""), name + json + "1");
    EXPECT_EQ(errorWith(name, goodFiles().at(name).substr(0, 20)), name + json + "21");
    EXPECT_EQ(errorWith(name, "\xff\xfe"), name + json + "1");
  }
  // The last line may be one that is being written; the others may not.
  EXPECT_EQ(errorWith("a/metrics.jsonl", "{\"step\": 1, \"lo"), "");
  EXPECT_EQ(errorWith("a/metrics.jsonl", "{\"step\": 1, \"lo\n{\"step\": 2}\n"), "a/metrics.jsonl:1" + json + "16");
  EXPECT_EQ(errorWith("a/timing.jsonl", "{\"step\": 1}\n{\"st\xff\": 2}\n"), "a/timing.jsonl:2" + json + "5");
}

TEST_F(CompareFiles, whatARunWroteMustBeWhole) {
  const std::string text =
      sealed("# What this run was started with; each value with its origin.\n[settings]\nlr = 0.5\n");
  write("a/run.toml", text);
  EXPECT_EQ(error(), "");
  write("a/run.toml", text.substr(0, text.find("lr")));
  EXPECT_NE(error().find("'a/run.toml' must be as the run wrote it, but was cut or changed"), std::string::npos)
      << error();
}

// Of each setting the value of the axis that is best by its own first score.
TEST_F(CompareFiles, settingsOfOtherTasksAreComparedByTheirOwnHeadline) {
  std::string sweep = "options = []\n[[spec]]\npath = \"m\"\ndigest = \"00\"\n[[axis]]\nname = \"task\"\nvalues = "
                      "[\"x\", \"y\"]\n[[axis]]\nname = \"lr\"\nvalues = [\"1\", \"2\"]\n";
  for (const char *task : {"x", "y"})
    for (const char *lr : {"1", "2"}) {
      const std::string run = task + std::string(lr), score = task[0] == 'x' ? "a" : "a/k=";
      sweep += fmt::format("[[run]]\nfolder = \"{}\"\nvalues = [\"{}\", \"{}\"]\ncommand = \"train\"\n", run, task, lr);
      std::string scores = fmt::format("\"{}1\": [{}, 4]", score, lr);
      for (int k = 2; k < 5; ++k)
        scores += fmt::format(", \"{}{}\": [1, 4]", score, k);
      write(run + "/metrics.jsonl",
            "{\"step\": 2, \"eval_loss\": " + std::string(lr) + ", \"scores\": {" + scores + "}}\n");
    }
  write("sweep.toml", sweep);
  const Comparison comparison = readComparison(std::vector<std::string>{folder}, "");
  EXPECT_EQ(comparison.notes, std::vector<std::string>{"Of each setting of '" + folder +
                                                       "', the lr with the best mean of a1 (task x), a/k=1 (task y) is "
                                                       "shown; --best none shows all."});
  const Table table = compareTable(comparison.groups);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][1], "2 (of 2)");
  EXPECT_EQ(table.rows[1][1], "2 (of 2)");
  for (const char *column : {"a1\t%", "a/k=1\t%"})
    EXPECT_EQ(std::ranges::count(table.header, column), 1) << column;
  EXPECT_EQ(std::ranges::count(table.header, "a/k=2\t%"), 0) << "is in a table of its own";
}

// The note on scores is as long for any number of values of an axis that decides none.
TEST_F(CompareFiles, ofScoresOnlyAxesThatDecideAreNamed) {
  const auto noteOf = [&](const std::string &lastScore) {
    std::string sweep = "options = []\n[[spec]]\npath = \"m\"\ndigest = \"00\"\n[[axis]]\nname = \"set.dim\"\nvalues = "
                        "[\"1\", \"2\", \"3\", \"4\", \"5\", \"6\"]\n[[axis]]\nname = \"task\"\nvalues = [\"x\", "
                        "\"y\"]\n[[axis]]\nname = \"lr\"\nvalues = [\"1\", \"2\"]\n";
    for (int dim = 1; dim <= 6; ++dim)
      for (const char *task : {"x", "y"}) {
        const std::string run = task + std::to_string(dim);
        sweep += fmt::format("[[run]]\nfolder = \"{}\"\nvalues = [\"{}\", \"{}\", \"1\"]\ncommand = \"train\"\n", run,
                             dim, task);
        write(run + "/metrics.jsonl", fmt::format("{{\"step\": 2, \"eval_loss\": 1, \"scores\": {{\"{}\": [1, 4]}}}}\n",
                                                  dim == 6 ? lastScore + task : task));
      }
    write("sweep.toml", sweep);
    const std::string note = readComparison(std::vector<std::string>{folder}, "").notes.at(0);
    const size_t begin = note.find("mean of ") + 8;
    return note.substr(begin, note.find(" is shown") - begin);
  };
  EXPECT_EQ(noteOf(""), "x (task x), y (task y)");
  EXPECT_EQ(noteOf("o"), "x (dim 1, task x; dim 2, task x; dim 3, task x; dim 4, task x and 1 more), y (dim 1, task y; "
                         "dim 2, task y; dim 3, task y; dim 4, task y and 1 more), ox (dim 6, task x), oy (dim 6, task "
                         "y)");
}

// Of two runs that go on with the same value, one has had another before.
TEST_F(CompareFiles, whatWasChangedAtAResumeIsTold) {
  fs::remove_all(pathOf("a/build"));
  fs::remove_all(pathOf("b/build"));
  fs::remove(pathOf("a/spec.stretto"));
  const std::string now = "[settings]\nlr = 0.01\nsteps = 2\n[task]\nn = \"9\"\n";
  const auto change = [](int step, const std::string &setting, const std::string &from, const std::string &to) {
    return fmt::format("[[changed]]\nat_step = {}\nsetting = \"{}\"\nfrom = \"{}\"\nto = \"{}\"\n", step, setting, from,
                       to);
  };
  write("a/run.toml",
        now + change(20, "lr", "0.001", "0.1") + change(20, "task.n", "5", "9") + change(40, "lr", "0.1", "0.01"));
  write("b/run.toml", now);
  const Table table = differencesTable(readComparison(std::vector<std::string>{pathOf("a"), pathOf("b")}, "").groups);
  using Row = std::vector<std::string>;
  EXPECT_EQ(table.header, (Row{"run", "lr", "task.n"}));
  EXPECT_EQ(table.rows[0], (Row{"a", "0.001, 0.1 from step 21, 0.01 from step 41", "5, 9 from step 21"}));
  EXPECT_EQ(table.rows[1], (Row{"b", "0.01", "9"}));
  EXPECT_EQ(readSettings(pathOf("a")).at("lr"), "0.01") << "is what the run goes on with";
  const auto stepsOf = [&](const std::string &schedule, const std::string &changes) {
    write("a/run.toml", "[settings]\nschedule = \"" + schedule + "\"\nsteps = 20\n" + changes);
    return readSettingsOverTime(pathOf("a")).at("steps");
  };
  EXPECT_EQ(stepsOf("cosine", change(0, "steps", "0", "10") + change(10, "steps", "10", "20")), "10, 20 from step 11");
  EXPECT_EQ(stepsOf("cosine", change(0, "steps", "0", "20")), "20") << "no step was made before";
  EXPECT_EQ(stepsOf("constant", change(10, "steps", "10", "20")), "20") << "is the same run, longer";
  EXPECT_EQ(errorWith("a/run.toml", "\n[[changed]]\nat_step = 1\n"),
            "a/run.toml:2: what was changed must have at_step, and the texts setting, from and to, but lacks some");
}

// What shaped the program counts as settings do: options, flags, and which text the spec has.
TEST_F(CompareFiles, settingsAreThoseOfAllFiles) {
  Settings settings = readSettings(pathOf("a"));
  EXPECT_EQ(settings.at("batch"), "4");
  EXPECT_EQ(settings.at("mask-documents"), "on");
  EXPECT_EQ(settings.at("model.dim"), "64");
  EXPECT_EQ(settings.at("task.n"), "20");
  EXPECT_FALSE(settings.contains("set"));
  const std::string spec = settings.at("spec");
  EXPECT_EQ(spec.size(), 8u);
  write("a/spec.stretto", "model m() { }\n");
  EXPECT_NE(readSettings(pathOf("a")).at("spec"), spec);
  EXPECT_FALSE(settings.contains("stage"));
  write("a/build/stage.mlir", "module {}");
  EXPECT_EQ(readSettings(pathOf("a")).at("stage").size(), 8u);
  // A length that the task says, too, is told once.
  const auto lengths = [&](const std::string &ofProgram) {
    write("a/build/options.txt", sealed("--length\n" + ofProgram + "\n--emulate\n--decode\n32\n"));
    write("a/run.toml", "[task]\n\"length\" = \"128\"\n");
    settings = readSettings(pathOf("a"));
    return settings.contains("length");
  };
  EXPECT_FALSE(lengths("128"));
  EXPECT_TRUE(lengths("64"));
  EXPECT_EQ(settings.at("emulate"), "on");
  EXPECT_EQ(settings.at("decode"), "32");
}

// Other models: what only one of them has is its own, and their names tell that the texts are others.
TEST_F(CompareFiles, ofOtherModelsWhatBothHaveIsTold) {
  const auto header = [&](const std::string &other) {
    for (const auto &[run, model] : {std::pair{"a", std::string("m")}, {"b", other}}) {
      const std::string path = run;
      write(path + "/build/options.txt", sealed("--model\n" + model + "\n"));
      write(path + "/build/settings.json", std::string("[{\"name\": \"dim\", \"value\": \"") + run +
                                               "\"}, {\"name\": \"of_" + run + "\", \"value\": 1}]");
      write(path + "/spec.stretto", path);
      write(path + "/run.toml", "[settings]\nsteps = 2\n");
    }
    return differencesTable(readComparison(std::vector<std::string>{pathOf("a"), pathOf("b")}, "").groups).header;
  };
  EXPECT_EQ(header("n"), (std::vector<std::string>{"run", "model", "model.dim"}));
  EXPECT_EQ(header("m"), (std::vector<std::string>{"run", "model.dim", "model.of_a", "model.of_b", "spec"}));
}

// What a run of before does not say of its task is at the default; what another task does not have is no difference.
TEST_F(CompareFiles, ofTasksWhatBothHaveIsTold) {
  fs::remove_all(pathOf("a/build"));
  fs::remove_all(pathOf("b/build"));
  fs::remove(pathOf("a/spec.stretto"));
  const auto header = [&](const std::string &a, const std::string &b) {
    write("a/run.toml", a);
    write("b/run.toml", b);
    return differencesTable(readComparison(std::vector<std::string>{pathOf("a"), pathOf("b")}, "").groups).header;
  };
  const std::string before = "[settings]\ntask = \"x\"  # command line\n[task]\nn = \"5\"  # recipe x\n",
                    now = before + "k = \"10\"  # default\n", given = before + "k = \"#10\"  # command line\n",
                    other = "[settings]\ntask = \"y\"\n[task]\nn = \"6\"\nq = \"1\"  # default\n";
  EXPECT_EQ(header(before, now), (std::vector<std::string>{"run"}));
  EXPECT_EQ(header(now, before), (std::vector<std::string>{"run"}));
  EXPECT_EQ(header(before, given), (std::vector<std::string>{"run", "task.k"}));
  EXPECT_EQ(header(now, given), (std::vector<std::string>{"run", "task.k"}));
  EXPECT_EQ(header(now, other), (std::vector<std::string>{"run", "task", "task.n"}));
}

// The same of settings, whatever the task; and what a program was not compiled with, older ones do not say.
TEST_F(CompareFiles, aSettingThatAnOlderRunDoesNotKnowIsAtItsDefault) {
  fs::remove_all(pathOf("a/build"));
  fs::remove_all(pathOf("b/build"));
  fs::remove(pathOf("a/spec.stretto"));
  const auto header = [&](const std::string &b) {
    write("a/run.toml", "[settings]\nsteps = 2\n");
    write("b/run.toml", "[settings]\nsteps = 2\n" + b);
    return differencesTable(readComparison(std::vector<std::string>{pathOf("a"), pathOf("b")}, "").groups).header;
  };
  EXPECT_EQ(header("cooldown = 1  # default\nfactors = \"\"  # program\nz-loss = 0  # program\n"),
            (std::vector<std::string>{"run"}));
  EXPECT_EQ(header("cooldown = 1  # command line\n"), (std::vector<std::string>{"run", "cooldown"}));
  EXPECT_EQ(header("factors = \"w=2\"  # program\n"), (std::vector<std::string>{"run", "factors"}));
}

TEST_F(CompareFiles, wrongTypesAreTold) {
  const std::string metrics = "a/metrics.jsonl", one = metrics + ":1: ";
  auto line = [&](const std::string &text) { return errorWith(metrics, text + "\n"); };
  EXPECT_EQ(line("{\"step\": 1.5}"), one + "must have an integer under 'step', from 0, but got 1.5");
  EXPECT_EQ(line("{\"step\": 1e300}"), one + "must have an integer under 'step', from 0, but got 1e+300");
  EXPECT_EQ(line("{\"step\": 18446744073709551615}"),
            one + "must have an integer under 'step', from 0, but got 18446744073709551615");
  EXPECT_EQ(line("{\"step\": 1, \"step\": 2}"), one + "keys of a JSON object must differ, but got \"step\" twice");
  EXPECT_EQ(line("{\"step\": 1, \"scores\": {\"a\": [1e300, 1e300]}}"), one + "score 'a' must be [right, total]");
  EXPECT_EQ(line("{\"step\": 1, \"scores\": {\"\\u001b[2J\": [1, 2]}}"),
            one + "the name of a score must not hold control signs, but got \"\\u001b[2J\"");
  EXPECT_EQ(errorWith("a/timing.jsonl", "3\n"), "a/timing.jsonl:1: must be a JSON object");
  EXPECT_EQ(errorWith("a/run.toml", "\nsettings = 3\n"), "a/run.toml:2: 'settings' must be a table");
  EXPECT_EQ(errorWith("a/build/settings.json", "{}"), "a/build/settings.json: must be a JSON list of parameters");
  EXPECT_EQ(errorWith("a/build/settings.json", "[{\"name\": 1, \"value\": 2}]"),
            "a/build/settings.json: each parameter must have a name and a value, but got {\"name\":1,\"value\":2}");
  const std::string plan = "a/build/plan.json";
  EXPECT_EQ(errorWith(plan, "[]"), plan + ": must be a JSON object with a list 'blocks'");
  EXPECT_EQ(errorWith(plan, "{\"blocks\": {}}"), plan + ": must be a JSON object with a list 'blocks'");
  EXPECT_EQ(errorWith(plan, "{\"blocks\": [{\"parameters\": -1}]}"),
            plan + ": 'parameters' must be counts, but got -1");
  EXPECT_EQ(errorWith(plan, "{\"blocks\": [{\"parameters\": 9223372036854775807}, {\"parameters\": 1}]}"),
            plan + ": 'parameters' must be counts, but got 1");
}

// What can be written but not drawn: numbers of any size, keys of the same value, sizes of 0.
TEST_F(CompareFiles, numbersOfAnySizeAreShown) {
  for (const char *number : {"1e308", "-1e308", "5e-324", "0", "-0.0", "1e100", "-1e100", "9223372036854775807"}) {
    const std::string text = number;
    EXPECT_EQ(errorWith("a/metrics.jsonl", "{\"step\": 1, \"loss\": " + text + ", \"lr\": " + text +
                                               "}\n{\"step\": 9223372036854775807, "
                                               "\"eval_loss\": " +
                                               text + ", \"scores\": {\"a/k=" + text +
                                               "\": [1, 2], \"a/k=nan\": [1, 2], \"a/k=inf\": [1, 2], "
                                               "\"bits\": {\"value\": " +
                                               text + ", \"unit\": \"bits/parameter\"}, \"kl\": {\"mean\": " + text +
                                               ", \"unit\": \"nats\", \"low\": " + text + ", \"high\": " + text +
                                               ", \"count\": 3}}}\n"),
              "")
        << text;
  }
  EXPECT_EQ(errorWith("a/metrics.jsonl",
                      "{\"step\": 0, \"scores\": {\"a/k=1\": [1, 2], \"a/k=1.0\": [0, 9223372036854775807]}}\n"),
            "");
  EXPECT_EQ(errorWith("a/build/plan.json", "{\"blocks\": []}"), "");
}

TEST_F(CompareFiles, aPathThatExistsIsARunWhateverItIsCalled) {
  fs::rename(pathOf("a"), pathOf("lr=0.1"));
  const RunGroup group = readGroup(pathOf("lr=0.1"));
  EXPECT_EQ(group.label, "lr=0.1");
  ASSERT_EQ(group.runs.size(), 1u);
  EXPECT_EQ(readGroup("best=" + pathOf("lr=0.1") + "," + pathOf("b")).runs.size(), 2u);
}

TEST_F(CompareFiles, mutationsAreTakenOrTold) {
  const test::Pieces pieces = {"{",
                               "}",
                               "[",
                               "]",
                               "\"",
                               ":",
                               ",",
                               "null",
                               "-1",
                               "1e999",
                               "1e300",
                               "true",
                               "\n",
                               "\\u0000",
                               "\xff",
                               "=",
                               "[[",
                               "'",
                               "#",
                               ".",
                               "\"step\": 0",
                               "[1, 4]",
                               "\"unit\": \"nats\"",
                               std::string(1, '\0')};
  tasks::Random random(20261122, 6, 0);
  int taken = 0;
  constexpr int count = 3000;
  for (int i = 0; i < count; ++i) {
    const auto file = std::next(goodFiles().begin(), int64_t(random.below(goodFiles().size())));
    const std::string text = test::mutated(file->second, random, pieces), found = errorWith(file->first, text);
    taken += found.empty();
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
    EXPECT_LT(found.size(), 400u) << found;
    // Of a sweep.toml that names other runs or values the comparison has something else to say.
    EXPECT_TRUE(found.empty() || file->first == "sweep.toml" || found.find(".json") != std::string::npos ||
                found.find(".toml") != std::string::npos || found.starts_with("a/build/options.txt: ") ||
                found.starts_with("score '"))
        << file->first << ": " << found << "\n"
        << text;
  }
  EXPECT_GT(taken, count / 20);
  EXPECT_LT(taken, count * 3 / 4);
}
