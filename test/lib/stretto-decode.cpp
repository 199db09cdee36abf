// Runs the decode entries of a compiled program on request, for tests. Arguments: a shared object (a compiled object,
// linked with nothing) and a safetensors file with weights. Each line of standard input is one request, words separated
// by blanks:
//   restart SLOT                start the sequence of a slot anew
//   append SLOT:T,T,... ...     append tokens to sequences; answers "SLOT X X ..." for each, the logits of the next
//   token
// A request that fails is answered "error: ...". "done" ends every answer.
#include "runtime/core/error.h"
#include "runtime/core/record.h"
#include "runtime/device/make.h"
#include "runtime/generate/decoder.h"
#include "runtime/train/initial.h"
#include "runtime/train/load_weights.h"

#include <cstdio>
#include <dlfcn.h>
#include <iostream>
#include <sstream>

using namespace stretto;
using namespace stretto::runtime;

static const stretto_program &load(const char *path) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const void *symbol = object ? dlsym(object, "stretto_compiled_program") : nullptr;
  if (!symbol)
    throw Error(dlerror());
  return *static_cast<const stretto_program *>(symbol);
}

static void append(Decoder &decoder, std::istringstream &words) {
  std::vector<std::vector<int32_t>> tokens(decoder.slots());
  std::vector<int64_t> asked;
  for (std::string word; words >> word;) {
    std::istringstream list(word.substr(word.find(':') + 1));
    asked.push_back(std::stoll(word));
    for (std::string token; std::getline(list, token, ',');)
      tokens.at(asked.back()).push_back(std::stoi(token));
  }
  const std::vector<std::span<const int32_t>> views(tokens.begin(), tokens.end());
  const std::span<const double> logits = decoder.append(views);
  for (const int64_t slot : asked) {
    std::printf("%ld", slot);
    for (int64_t i = 0; i < decoder.vocabulary(); ++i)
      std::printf(" %.17g", logits[slot * decoder.vocabulary() + i]);
    std::printf("\n");
  }
}

static void answer(Decoder &decoder, const std::string &request) {
  std::istringstream words(request);
  std::string what;
  int64_t slot = 0;
  words >> what;
  if (what == "restart" && words >> slot)
    return decoder.restart(slot);
  if (what == "append")
    return append(decoder, words);
  throw Error("a request must be restart or append");
}

static void serve(const stretto_program &program, const char *weights) {
  const auto device = makeDeviceFor(program, "auto", {});
  device->setThreads(1);
  device->submit(needsOf(program));
  const Arenas arenas(*device, program, false);
  const TrainingState state{program, *device, arenas};
  fillTables(state);
  initialiseParameters(state, 0);
  loadWeights(state, findWeights(weights));
  roundParameters(state);
  Decoder decoder(state);
  for (std::string request; std::getline(std::cin, request);) {
    try {
      answer(decoder, request);
    } catch (const Error &error) {
      std::printf("error: %s\n", error.what());
    }
    std::puts("done");
    std::fflush(stdout);
  }
}

int main(int, char **argv) {
  try {
    serve(load(argv[1]), argv[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
