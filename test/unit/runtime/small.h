// A small program without entry points, its arenas filled with known numbers, and temporary folders.
#pragma once

#include "runtime/core/error.h"
#include "runtime/train/files.h"
#include "runtime/train/state.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace stretto::test {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "stretto-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  std::string path;
};

inline std::string slurp(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void spill(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}
// Changes one byte in place.
inline void poke(const std::string &path, size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at)).put(byte);
}

// The text of the Error that an action throws, or "" if it throws none.
template <typename Action> std::string errorOf(Action action) {
  try {
    action();
    return "";
  } catch (const runtime::Error &error) {
    return error.what();
  }
}

// Parameters a [2, 3], b [4] and the frozen c [2], with gaps between them; f32.
class SmallProgram {
public:
  explicit SmallProgram(float first = 1)
      : device(runtime::makeDevice("cpu")), arenas(*device, makeProgram(program), true) {
    fill(first);
  }
  void fill(float first) {
    for (stretto_arena arena : {STRETTO_ARENA_PARAMETERS, STRETTO_ARENA_MOMENT1, STRETTO_ARENA_MOMENT2})
      for (int64_t i = 0; i < 48; ++i)
        static_cast<float *>(arenas.base(arena))[i] =
            first + static_cast<float>(i) + 100.0f * static_cast<float>(arena);
  }
  std::vector<float> values(stretto_arena arena) const {
    const float *data = static_cast<const float *>(arenas.base(arena));
    return {data, data + 48};
  }
  runtime::TrainingState state() { return {program, *device, arenas}; }

  stretto_program program{};
  std::unique_ptr<runtime::Device> device;
  runtime::Arenas arenas;

private:
  static const stretto_program &makeProgram(stretto_program &program) {
    static const stretto_parameter parameters[] = {
        {"a", 0, {2, 3, 0, 0}, 2, 1, STRETTO_INIT_NORMAL, 0, 0, 1, 1, 1, ""},
        {"b", 16, {4, 0, 0, 0}, 1, 1, STRETTO_INIT_UNIFORM, 0, -1, 1, 1, 1, ""},
        {"c", 32, {2, 0, 0, 0}, 1, 0, STRETTO_INIT_CONSTANT, 0, 2, 0, 1, 1, ""},
    };
    program.parameters = parameters;
    program.parameter_count = 3;
    for (stretto_arena arena : {STRETTO_ARENA_ACTIVATIONS, STRETTO_ARENA_PARAMETERS, STRETTO_ARENA_GRADIENTS,
                                STRETTO_ARENA_MOMENT1, STRETTO_ARENA_MOMENT2})
      program.arena_bytes[arena] = 48 * 4;
    return program;
  }
};

} // namespace stretto::test
