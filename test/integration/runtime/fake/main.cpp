// Main of the hand-written model: a task of its own, so that the runtime is tested without tasks/.
#include "runtime/core/philox.h"
#include "runtime/program/program.h"

#include <chrono>
#include <fmt/format.h>
#include <stdexcept>
#include <thread>

namespace {

using namespace stretto;
using namespace stretto::runtime;

// Each next token is (3 * token + step) mod vocabulary; the first token of a sequence is random. `delay_us`: how long a
// block takes; `broken_at`: the sample to train on that cannot be made.
class Rule final : public Task {
public:
  explicit Rule(std::map<std::string, std::string> given) : given(std::move(given)) {}
  std::string name() const override { return "rule"; }
  int64_t length() const override { return std::stoll(given.at("length")); }
  int64_t vocabulary() const override { return std::stoll(given.at("vocabulary")); }
  std::map<std::string, std::string> settings() const override { return given; }

  void fill(uint64_t seed, Stream stream, uint64_t first, BatchView batch) const override {
    const int64_t step = std::stoll(given.at("step"));
    if (given.contains("delay_us"))
      std::this_thread::sleep_for(std::chrono::microseconds(std::stoll(given.at("delay_us"))));
    for (int64_t row = 0; row < batch.batch; ++row) {
      const uint32_t sample = static_cast<uint32_t>(first) + static_cast<uint32_t>(row);
      if (stream == Stream::Train && given.contains("broken_at") && sample >= std::stoul(given.at("broken_at")))
        throw std::runtime_error("a sample is broken");
      auto draw = [&](int64_t t) {
        return philox({sample, static_cast<uint32_t>(stream), static_cast<uint32_t>(t), 1}, philoxKey(seed));
      };
      int64_t token = draw(0)[0] % vocabulary();
      for (int64_t t = 0; t < batch.length; ++t) {
        const int64_t at = row * batch.length + t, next = (3 * token + step) % vocabulary();
        batch.tokens[at] = static_cast<int32_t>(token);
        batch.targets[at] = static_cast<int32_t>(next);
        batch.mask[at] = draw(t)[1] % 8 != 0;
        batch.positions[at] = static_cast<int32_t>(t);
        token = next;
      }
    }
  }
  std::vector<Score> score(uint64_t, uint64_t, const BatchView &batch, const Predictions &predictions) const override {
    Score score = Score::share("accuracy");
    for (size_t i = 0; i < batch.mask.size(); ++i)
      if (batch.mask[i])
        score.addInstance(predictions.predicted[i] == batch.targets[i]);
    return {score};
  }
  std::string describe(const BatchView &, int64_t) const override { return ""; }

private:
  std::map<std::string, std::string> given;
};

} // namespace

int main(int argc, char **argv) {
  TaskRegistry tasks;
  tasks.make = [](const std::string &, std::map<std::string, std::string> settings) -> std::unique_ptr<Task> {
    return std::make_unique<Rule>(std::move(settings));
  };
  tasks.defaults = [](const std::string &task, const std::string &) {
    if (task != "rule")
      throw std::runtime_error(fmt::format("unknown task '{}', did you mean 'rule'?", task));
    Recipe recipe;
    recipe.batch = 4, recipe.length = 16, recipe.steps = 200, recipe.warmup = 10;
    recipe.learning_rate = 0.02, recipe.weight_decay = 0.01, recipe.beta1 = 0.9, recipe.beta2 = 0.98;
    recipe.epsilon = 1e-6, recipe.clip = 1, recipe.schedule = "cosine", recipe.final_fraction = 0.1;
    return TaskDefaults{recipe, {{"step", "5"}, {"vocabulary", "24"}}};
  };
  return runProgram(stretto_compiled_program, tasks, argc, argv);
}
