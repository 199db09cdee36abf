// What the CPU that we run on can execute.
#include "runtime/core/cpu_features.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace stretto::runtime {
namespace {

using Features = std::vector<std::pair<std::string_view, bool>>;

#if defined(__x86_64__)
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers identify(unsigned leaf, unsigned subleaf) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);
  return r;
}

// Whether the operating system keeps the registers of APX (XCR0, bit 19).
bool keepsApxRegisters() {
  constexpr unsigned osxsave = 1u << 27;
  if (!(identify(1, 0).c & osxsave))
    return false;
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low >> 19 & 1;
}

// Sets that are younger than the functions of our own compiler: AVX10 has a version, APX comes as a whole.
void addYoungFeatures(Features &features) {
  const Registers extended = identify(7, 1);
  const bool hasAvx10 = extended.d >> 19 & 1;
  const unsigned avx10 = hasAvx10 ? identify(0x24, 0).b & 0xff : 0;
  const bool apx = (extended.d >> 21 & 1) && keepsApxRegisters();
  features.insert(features.end(), {{"avx10.1", avx10 >= 1}, {"avx10.2", avx10 >= 2}});
  for (std::string_view name : {"egpr", "ndd", "ccmp", "nf", "push2pop2", "ppx", "cf", "zu"})
    features.emplace_back(name, apx);
}

Features machineFeatures() {
  __builtin_cpu_init();
  auto is = [](int has) { return has != 0; };
  Features features = {
      {"sse3", is(__builtin_cpu_supports("sse3"))},
      {"ssse3", is(__builtin_cpu_supports("ssse3"))},
      {"sse4.1", is(__builtin_cpu_supports("sse4.1"))},
      {"sse4.2", is(__builtin_cpu_supports("sse4.2"))},
      {"sse4a", is(__builtin_cpu_supports("sse4a"))},
      {"popcnt", is(__builtin_cpu_supports("popcnt"))},
      {"lzcnt", is(__builtin_cpu_supports("lzcnt"))},
      {"movbe", is(__builtin_cpu_supports("movbe"))},
      {"bmi", is(__builtin_cpu_supports("bmi"))},
      {"bmi2", is(__builtin_cpu_supports("bmi2"))},
      {"tbm", is(__builtin_cpu_supports("tbm"))},
      {"f16c", is(__builtin_cpu_supports("f16c"))},
      {"fma", is(__builtin_cpu_supports("fma"))},
      {"fma4", is(__builtin_cpu_supports("fma4"))},
      {"xop", is(__builtin_cpu_supports("xop"))},
      {"gfni", is(__builtin_cpu_supports("gfni"))},
      {"avx", is(__builtin_cpu_supports("avx"))},
      {"avx2", is(__builtin_cpu_supports("avx2"))},
      {"avxvnni", is(__builtin_cpu_supports("avxvnni"))},
      {"avx512f", is(__builtin_cpu_supports("avx512f"))},
      {"avx512bw", is(__builtin_cpu_supports("avx512bw"))},
      {"avx512cd", is(__builtin_cpu_supports("avx512cd"))},
      {"avx512dq", is(__builtin_cpu_supports("avx512dq"))},
      {"avx512vl", is(__builtin_cpu_supports("avx512vl"))},
      {"avx512ifma", is(__builtin_cpu_supports("avx512ifma"))},
      {"avx512vbmi", is(__builtin_cpu_supports("avx512vbmi"))},
      {"avx512vbmi2", is(__builtin_cpu_supports("avx512vbmi2"))},
      {"avx512vnni", is(__builtin_cpu_supports("avx512vnni"))},
      {"avx512bitalg", is(__builtin_cpu_supports("avx512bitalg"))},
      {"avx512vpopcntdq", is(__builtin_cpu_supports("avx512vpopcntdq"))},
      {"avx512bf16", is(__builtin_cpu_supports("avx512bf16"))},
      {"avx512fp16", is(__builtin_cpu_supports("avx512fp16"))},
  };
  addYoungFeatures(features);
  return features;
}
#else
Features machineFeatures() { return {}; }
#endif

} // namespace

std::string missingCpuFeatures(std::string_view needed) {
  const Features features = machineFeatures();
  std::string missing;
  while (!needed.empty()) {
    const size_t comma = std::min(needed.find(','), needed.size());
    const std::string_view name = needed.substr(0, comma);
    needed.remove_prefix(std::min(comma + 1, needed.size()));
    const auto found = std::find_if(features.begin(), features.end(), [&](auto &f) { return f.first == name; });
    if (found != features.end() && !found->second)
      missing.append(missing.empty() ? "" : ",").append(name);
  }
  return missing;
}

std::string cpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(std::min(line.size(), line.find(':') + 2));
  return "";
}

} // namespace stretto::runtime
