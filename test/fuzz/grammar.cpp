// libFuzzer target: any bytes as a grammar of Lano.
#include "GrammarInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  stretto::test::checkGrammarInput({reinterpret_cast<const char *>(data), size});
  return 0;
}
