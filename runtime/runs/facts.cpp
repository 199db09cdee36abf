// What a run directory says about its model.
#include "runtime/runs/facts.h"

#include "runtime/core/error.h"
#include "runtime/runs/read_file.h"
#include "runtime/train/json.h"

namespace stretto::runtime {

static constexpr uint64_t mostBytes = 16 << 20;
static constexpr int maxDepth = 16;

// The parameters of all blocks; throws Error without the file's name.
static int64_t sumBlocks(const JsonValue &plan) {
  const JsonValue *blocks = plan.find("blocks");
  if (!blocks || blocks->kind != JsonValue::Kind::Array)
    throw Error("must be a JSON object with a list 'blocks'");
  int64_t sum = 0;
  for (const JsonValue &block : blocks->items) {
    const JsonValue *found = block.find("parameters");
    const std::optional<int64_t> count = found ? found->asInteger() : std::nullopt;
    if (!count)
      throw Error("each block must have an integer 'parameters', but got " + formatJson(block).substr(0, 100));
    if (*count < 0 || __builtin_add_overflow(sum, *count, &sum))
      throw Error("'parameters' must be counts, but got " + std::to_string(*count));
  }
  return sum;
}

std::optional<int64_t> parameterCount(const std::string &folder) {
  const std::string path = folder + "/build/plan.json";
  const std::optional<std::string> text = readIfThere(path, mostBytes);
  if (!text)
    return std::nullopt;
  try {
    return sumBlocks(parseJson(*text, maxDepth));
  } catch (const Error &error) {
    throw Error(path + ": " + error.what());
  }
}

} // namespace stretto::runtime
