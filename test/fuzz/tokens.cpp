// libFuzzer target: any bytes as a token file.
#include "TokensInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  stretto::test::checkTokensInput({reinterpret_cast<const char *>(data), size});
  return 0;
}
