// libFuzzer target: any bytes as one of Capo's lists.
#include "ListsInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  stretto::test::checkListsInput({reinterpret_cast<const char *>(data), size});
  return 0;
}
