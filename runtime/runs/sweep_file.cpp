// sweep.toml: what a sweep directory holds.
#include "runtime/runs/sweep_file.h"

#include "runtime/core/error.h"
#include "runtime/core/utf8.h"
#include "runtime/runs/read_file.h"
#include "runtime/train/files.h"
#include "runtime/train/toml.h"

#include <sstream>

namespace stretto::runtime {

namespace fs = std::filesystem;

static constexpr const char *fileName = "sweep.toml";

bool isSweep(const fs::path &folder) { return pathExists(folder / fileName); }

namespace {

// Takes what it needs from the tables of one file; every failure names the place.
class Reader {
public:
  explicit Reader(std::string path) : path(std::move(path)) {}

  [[noreturn]] void fail(const toml::node &node, const std::string &what) const {
    throw Error(path + ":" + std::to_string(node.source().begin.line) + ": " + what);
  }

  // Of a table that must have `what` under a key.
  [[noreturn]] void failKey(const toml::table &table, const std::string &what, const char *key) const {
    const toml::node *node = table.get(key);
    std::ostringstream got;
    if (node)
      got << node->type();
    fail(node ? *node : table,
         "must have " + what + " '" + key + "', but got " + (node ? "the type " + got.str() : "none"));
  }

  std::string text(const toml::table &table, const char *key) const {
    const auto *value = table.get_as<std::string>(key);
    if (!value)
      failKey(table, "a text", key);
    return value->get();
  }

  std::vector<std::string> texts(const toml::table &table, const char *key) const {
    const auto *list = table.get_as<toml::array>(key);
    if (!list)
      failKey(table, "a list", key);
    std::vector<std::string> result;
    for (const toml::node &node : *list) {
      if (!node.is_string())
        fail(node, std::string("'") + key + "' must hold texts");
      result.push_back(node.as_string()->get());
    }
    return result;
  }

  // The tables under [[key]].
  std::vector<const toml::table *> tables(const toml::table &file, const char *key) const {
    const auto *list = file.get_as<toml::array>(key);
    if (!list || !list->is_array_of_tables())
      failKey(file, "tables", key);
    std::vector<const toml::table *> result;
    for (const toml::node &node : *list)
      result.push_back(node.as_table());
    return result;
  }

  // A file that knows one spec alone has its path and digest by themselves.
  std::vector<SweepSpec> readSpecs(const toml::table &file) const {
    if (file["spec"].is_string())
      return {{text(file, "spec"), text(file, "text")}};
    std::vector<SweepSpec> specs;
    for (const toml::table *spec : tables(file, "spec"))
      specs.push_back({text(*spec, "path"), text(*spec, "digest")});
    return specs;
  }

  SweepFile read(const toml::table &file) const {
    SweepFile sweep{{}, texts(file, "options"), {}, {}};
    sweep.specs = readSpecs(file);
    for (const toml::table *axis : tables(file, "axis"))
      sweep.axes.push_back({text(*axis, "name"), texts(*axis, "values")});
    for (const toml::table *run : tables(file, "run")) {
      sweep.runs.push_back({text(*run, "folder"), texts(*run, "values"), text(*run, "command"), {}});
      if (run->contains("more"))
        sweep.runs.back().more = texts(*run, "more");
      if (sweep.runs.back().values.size() != sweep.axes.size())
        fail(*run, "a run must have " + std::to_string(sweep.axes.size()) + " values, one per axis, but got " +
                       std::to_string(sweep.runs.back().values.size()));
      if (const std::string &folder = sweep.runs.back().folder;
          folder.empty() || folder == "." || folder == ".." || folder.find('/') != std::string::npos)
        fail(*run, "a run's folder must be a name without '/', but got '" + folder + "'");
    }
    return sweep;
  }

private:
  std::string path;
};

} // namespace

SweepFile readSweepFile(const fs::path &folder) {
  const std::string path = (folder / fileName).string();
  return Reader(path).read(parseToml(readFile(path, 64 << 20, /*followLinks=*/true), path));
}

static std::string quoted(const std::string &text) {
  if (validUtf8(text) != text.size())
    throw Error("a sweep must be of texts in UTF-8, as its sweep.toml has to keep them, but got '" + printable(text) +
                "'");
  return quoteToml(text);
}

static std::string quoted(const std::vector<std::string> &texts) {
  std::string list;
  for (const std::string &text : texts)
    list += (list.empty() ? "" : ", ") + quoted(text);
  return "[" + list + "]";
}

void writeSweepFile(const SweepFile &sweep, const fs::path &folder) {
  std::string out = "# What this sweep trains: a run directory for each combination of the axes' values.\n";
  out += "options = " + quoted(sweep.options) + "\n";
  for (const SweepSpec &spec : sweep.specs)
    out += "\n[[spec]]\npath = " + quoted(spec.path) + "\ndigest = " + quoted(spec.digest) + "  # with its imports\n";
  for (const Axis &axis : sweep.axes)
    out += "\n[[axis]]\nname = " + quoted(axis.name) + "\nvalues = " + quoted(axis.values) + "\n";
  for (const SweepRun &run : sweep.runs)
    out += "\n[[run]]\nfolder = " + quoted(run.folder) + "\nvalues = " + quoted(run.values) +
           "\ncommand = " + quoted(run.command) + "\n" + (run.more.empty() ? "" : "more = " + quoted(run.more) + "\n");
  replaceFile(folder / fileName, out);
}

} // namespace stretto::runtime
