// libFuzzer target: any bytes as a spec.
#include "FrontendInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  stretto::test::checkFrontendInput({reinterpret_cast<const char *>(data), size});
  return 0;
}
