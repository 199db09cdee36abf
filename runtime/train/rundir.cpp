// The run directory: one writer at a time, everything needed to repeat the run.
#include "runtime/train/rundir.h"

#include "runtime/core/error.h"
#include "runtime/core/host_name.h"
#include "runtime/core/sealed.h"
#include "runtime/train/files.h"
#include "runtime/train/json.h"
#include "runtime/train/metrics.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stretto::runtime {
namespace {

constexpr const char *rerunScript = R"sh(#!/bin/sh
# Repeats this run from the start in the folder given, with the options that follow. Where its settings were changed
# at a resume, all steps are made with the last ones, and this is said.
run=$(cd "$(dirname "$(readlink -f "$0")")" && pwd) || exit 1
source=$run/spec.stretto
[ ! -e "$run/build/stage.mlir" ] || source=$run/build/stage.mlir
case $1 in
-* | '')
  echo "error: usage: $0 FOLDER [OPTION...]: a folder for the new run must come first, but got '$1'" >&2
  exit 2
  ;;
esac
"$run/build/program" --version > /dev/null || {
  echo "error: '$run/build/program' does not start: it is damaged, or the libraries it was linked with are gone;" \
    "train '$source' with stretto instead" >&2
  exit 1
}
out=$1
shift
exec "$run/build/program" --of-run "$run" --out "$out" "$@"
)sh";

// Patterns of names, by folder.
using NamesByFolder = std::vector<std::pair<std::string, std::vector<std::string>>>;

// What is replaced as a whole.
const NamesByFolder replacedFiles = {
    {".",
     {"run.toml", "spec.stretto", "model.sha", "rerun.sh", "metrics.jsonl", "timing.jsonl",
      std::string(eventFilePrefix) + "*"}},
    {"build", {"plan.json", "settings.json", "options.txt", "compiler.txt", "program", "stage.mlir"}},
    {"ckpt", {"latest"}},
    {"log", {"profile-*"}}};

// What is written where it stands. With all that is in ckpt, other files are the user's.
const NamesByFolder keptFiles = {{".", {"lock"}}, {"log", {"rank-*"}}};

std::string bytesOf(const InputFile &file) {
  std::string bytes(file.bytes(), '\0');
  file.read(0, bytes.data(), bytes.size());
  return bytes;
}

// A copy of the running program, so that the run can be repeated without compiling. The libraries that were bundled
// with it lie where they are.
void keepProgram(const std::string &folder) {
  replaceWhereChanged(folder + "/program", bytesOf(InputFile("/proc/self/exe", /*followLinks=*/true)),
                      /*executable=*/true);
  std::error_code none;
  const std::filesystem::path libraries = std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "lib",
                              link = folder + "/lib";
  if (!pathExists(libraries / "libstretto_runtime.so") || std::filesystem::equivalent(libraries, link, none))
    return;
  std::filesystem::remove(link, none);
  std::filesystem::create_directory_symlink(libraries, link, none);
}

const char *typeName(int32_t dtype) { return dtype == STRETTO_F64 ? "f64" : dtype == STRETTO_BF16 ? "bf16" : "f32"; }

// Where a run directory has the stage that its program was compiled from.
constexpr const char *stageFile = "build/stage.mlir";

// What `stretto compile` is told in the run directory to make this program, but for the spec, which a stage stands for:
// one word a line, sealed.
std::string compilerOptions(const stretto_program &program) {
  std::string text = *program.stage ? fmt::format("{}\n", stageFile) : "";
  text += fmt::format("--model\n{}\n--batch\n{}\n--length\n{}\n--vocab\n{}\n--dtype\n{}\n", program.model,
                      program.batch, program.length, program.vocabulary, typeName(program.activation_dtype));
  const std::string_view target = program.target, emulated = "-emulated";
  const bool isEmulated = target.ends_with(emulated);
  text += fmt::format("--target\n{}\n", target.substr(0, target.size() - (isEmulated ? emulated.size() : 0)));
  if (isEmulated)
    text += "--emulate\n";
  if (program.decode_chunk.rows)
    text += fmt::format("--decode\n{}\n", program.decode_chunk.rows);
  text += fmt::format("--nll-square\n{}\n--z-loss\n{}\n", program.nll_square, program.z_loss);
  for (const auto &[option, factors] : {std::pair("--lr-factors", program.lr_factors),
                                        std::pair("--weight-decay-factors", program.weight_decay_factors)})
    if (*factors)
      text += fmt::format("{}\n{}\n", option, factors);
  if (program.input.is_masked)
    text += "--mask-documents\n";
  for (const JsonValue &setting : parseJson(program.settings, 8).items) {
    const JsonValue *name = setting.find("name"), *value = setting.find("value"), *origin = setting.find("origin");
    if (name && value && origin && origin->text == "--set")
      text += fmt::format("--set\n{}={}\n", name->text, value->text);
  }
  return sealed(text);
}

// The stage that the program was compiled from; a run whose program has none has no such file.
void keepStage(const std::string &path, std::string_view stage) {
  if (!stage.empty())
    return replaceWhereChanged(path, stage);
  removeFile(path);
}

// Of the text of build/options.txt, the options that say which model a spec makes, with their values.
std::set<std::string> modelOptions(const std::string &text) {
  static const std::set<std::string> names = {"--model", "--length", "--vocab", "--set"};
  std::set<std::string> options;
  std::istringstream lines(text);
  for (std::string name, value; std::getline(lines, name);)
    if (names.contains(name) && std::getline(lines, value))
      options.insert(name + " " + value);
  return options;
}

bool hasName(const NamesByFolder &files, const std::string &folder, const std::string &name) {
  return std::ranges::any_of(files, [&](const auto &of) {
    return of.first == folder &&
           std::ranges::any_of(of.second, [&](const std::string &pattern) { return matches(name, pattern); });
  });
}

// Whether a run writes what has this path in its folder.
bool isWritten(const std::filesystem::path &path) {
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".",
                    name = path.filename().string();
  return *path.begin() == "ckpt" || hasName(replacedFiles, folder, name) || hasName(keptFiles, folder, name);
}

} // namespace

// Opens and locks the file `lock` of a run directory. Throws Error when another process has it.
static Descriptor lockFile(const std::string &path, int flags) {
  const std::string name = path + "/lock";
  Descriptor lock(open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0644));
  if (!lock.isOpen())
    failFile("open", name, errno);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) == 0)
    return lock;
  char holder[300] = {};
  const ssize_t got = pread(lock.get(), holder, sizeof(holder) - 1, 0);
  const std::string text(holder, got > 0 ? got : 0);
  throw Error(fmt::format("run directory '{}' must have one writer, but is in use by {}", path,
                          text.empty() ? "another process" : text.substr(0, text.find('\n'))));
}

std::string stageOf(const std::string &run) { return fmt::format("{}/{}", run, stageFile); }

void checkFree(const std::string &path) {
  if (pathExists(path + "/lock"))
    lockFile(path, 0);
}

bool isFileOfRun(const std::filesystem::path &path, const std::filesystem::path &run) {
  std::error_code none;
  const std::filesystem::path place = std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none);
  const auto isRun = [&](const std::filesystem::path &folder) {
    return (pathExists(folder / "spec.stretto") && pathExists(folder / "run.toml")) ||
           std::filesystem::equivalent(folder, run, none);
  };
  for (std::filesystem::path inner = place; inner.has_relative_path(); inner = inner.parent_path())
    if (const std::filesystem::path folder = inner.parent_path();
        isRun(folder) && isWritten(place.lexically_relative(folder)))
      return true;
  return false;
}

std::string makeNewFolder(const std::string &path) {
  if (const std::string parent = std::filesystem::path(path).parent_path(); !parent.empty())
    makeDirectory(parent);
  std::string name = path;
  for (int64_t number = 2; mkdir(name.c_str(), 0755) != 0; ++number) {
    if (errno != EEXIST)
      failFile("create folder", name, errno);
    name = fmt::format("{}-{}", path, number);
  }
  return name;
}

RunDirectory::RunDirectory(const std::string &path) : path(path) {
  makeDirectory(path);
  lock = lockFile(path, O_CREAT);
  const std::string text = fmt::format("process {} on host {}\n", getpid(), hostName());
  if (ftruncate(lock.get(), 0) != 0 ||
      pwrite(lock.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    failFile("write", file("lock"), errno);
  for (const auto &[folder, names] : replacedFiles)
    removeInterrupted(file(folder), names);
}

void RunDirectory::checkHeld() const {
  struct stat held = {}, there = {};
  if (fstat(lock.get(), &held) != 0)
    failFile("read", file("lock"), errno);
  if (lstat(file("lock").c_str(), &there) != 0 || there.st_dev != held.st_dev || there.st_ino != held.st_ino)
    throw Error(fmt::format("run directory '{}' must stay where it is while it is written, but was removed, moved or "
                            "taken by another run",
                            path));
}

void RunDirectory::describe(const RunConfig &config, const stretto_program &program, bool hasNewSettings) const {
  makeDirectory(file("build"));
  replaceWhereChanged(file("spec.stretto"), program.spec_text);
  replaceWhereChanged(file("model.sha"), fmt::format("{}\n", program.spec_hash));
  replaceWhereChanged(file("build/plan.json"), program.plan);
  replaceWhereChanged(file("build/settings.json"), program.settings);
  replaceWhereChanged(file("build/options.txt"), compilerOptions(program));
  replaceWhereChanged(file("build/compiler.txt"), fmt::format("{}\n", program.compiler));
  keepStage(stageOf(path), program.stage);
  keepProgram(file("build"));
  replaceWhereChanged(file("rerun.sh"), rerunScript, /*executable=*/true);
  if (hasNewSettings)
    replaceWhereChanged(file("run.toml"), writeConfigFile(config));
}

bool RunDirectory::hasModelOptions(const stretto_program &program) const {
  constexpr uint64_t most = 16 << 20;
  return modelOptions(readFile(file("build/options.txt"), most)) == modelOptions(compilerOptions(program));
}

bool RunDirectory::dropLinesAfter(int64_t step) const {
  truncateLines(file("timing.jsonl"), step);
  return truncateLines(file("metrics.jsonl"), step);
}

} // namespace stretto::runtime
