// CUDA's driver, as far as LibTorch calls it where ranks are connected.
#include <cstdint>

extern "C" {

// Each GPU has a context as soon as it is named.
int cuDevicePrimaryCtxGetState(int, unsigned *flags, int *active) { return *flags = 0, *active = 1, 0; }

} // extern "C"
