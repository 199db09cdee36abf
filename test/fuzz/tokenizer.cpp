// libFuzzer target: any bytes as the files of a tokenizer.
#include "TokenizerInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  stretto::test::checkTokenizerInput({reinterpret_cast<const char *>(data), size});
  return 0;
}
