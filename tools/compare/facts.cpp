#include "tools/compare/facts.h"

#include "runtime/core/error.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace stretto {

std::optional<int64_t> parameterCount(const std::string &folder) {
  const std::string path = folder + "/build/plan.json";
  std::ifstream file(path);
  if (!file)
    return std::nullopt;
  const auto plan = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!plan.is_object() || !plan.contains("blocks") || !plan["blocks"].is_array())
    throw Error(path + ": must be a JSON object with a list 'blocks'");
  int64_t count = 0;
  for (const auto &block : plan["blocks"]) {
    if (!block.is_object() || !block.contains("parameters") || !block["parameters"].is_number_integer())
      throw Error(path + ": each block must have an integer 'parameters', but got " + block.dump().substr(0, 100));
    count += block["parameters"].get<int64_t>();
  }
  return count;
}

} // namespace stretto
