// stretto-export: writes a checkpoint as one safetensors file.
#include "runtime/core/error.h"
#include "runtime/train/rundir.h"
#include "tools/export/merge.h"
#include "tools/support/tool_main.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fmt/format.h>
#include <iostream>

using namespace stretto;

namespace {
struct Options {
  std::string from, output;
  bool moments = false;
};
} // namespace

static std::string outputOf(const Options &options, const runtime::Manifest &manifest) {
  if (!options.output.empty())
    return options.output;
  const auto model = manifest.facts.find("model");
  return fmt::format("{}-{}.safetensors", model == manifest.facts.end() ? "model" : model->second, manifest.step);
}

// Refuses places among checkpoints, and files that runs write.
static void expectApart(const std::string &output, const std::filesystem::path &checkpoint) {
  namespace fs = std::filesystem;
  const fs::path place = fs::weakly_canonical(fs::absolute(runtime::placeOfOutput(output)));
  const fs::path folder = fs::canonical(checkpoint), all = folder.parent_path();
  const bool isOfRun = all.filename() == "ckpt";
  if (!place.lexically_relative(isOfRun ? all : folder).native().starts_with(".."))
    throw runtime::Error(fmt::format("the output must not lie in the folder of the checkpoints, but got '{}'", output));
  if (runtime::isFileOfRun(place, isOfRun ? all.parent_path() : fs::path()))
    throw runtime::Error(fmt::format("the output must not be a file of a run, but got '{}'", output));
}

static void run(const Options &options) {
  using runtime::CheckpointPart;
  if (!options.output.empty())
    runtime::placeOfOutput(options.output); // before a checkpoint is read
  const runtime::FoundWeights found =
      runtime::findWeights(options.from, options.moments ? CheckpointPart::all : CheckpointPart::weights);
  if (!found.manifest)
    throw runtime::Error(fmt::format("'{}' must be a run directory or a checkpoint of one, but is {}", options.from,
                                     runtime::pathExists(options.from) ? "a file of no checkpoint" : "not there"));
  for (const std::string &text : found.warnings)
    std::cerr << "stretto export: warning: " << text << "\n";
  const std::string output = outputOf(options, *found.manifest);
  expectApart(output, found.folder);
  tools::mergeCheckpoint(found, options.moments, output);
  std::cout << fmt::format("{}: weights{} of step {}\n", output, options.moments ? " and moments" : "",
                           found.manifest->step);
}

int main(int argc, char **argv) {
  CLI::App app("Writes a checkpoint as one safetensors file, however many ranks wrote it.", "stretto export");
  Options options;
  app.add_option("run", options.from,
                 "a run directory, of which the newest good checkpoint is taken, or one checkpoint of it")
      ->required()
      ->type_name("RUN");
  app.add_option("-o,--output", options.output, "the file (default: MODEL-STEP.safetensors); replaced if it exists")
      ->type_name("FILE");
  app.add_flag("--moments", options.moments,
               "add what AdamW keeps of each trained weight, as NAME.moment1 and NAME.moment2");
  return tools::runTool(app, argc, argv, [&] { run(options); });
}
