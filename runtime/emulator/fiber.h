// Stacks to run GPU threads on, and the switch between them.
#pragma once

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace stretto::emulator {

// A place where execution can go on. The host thread's own becomes one by switching away from it.
class Fiber {
public:
  Fiber() = default;
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;
  ~Fiber();

  // The next switch to it calls entry(argument), on a stack of its own; entry must not return. May be called again
  // when whatever ran there is over.
  void prepare(void (*entry)(void *), void *argument);

  // Goes on in `to`; returns when somebody switches to `from`.
  static void change(Fiber &from, Fiber &to);

private:
  void allocate();

  char *memory = nullptr; // stack, above a page that may not be touched
  char *top = nullptr;
#if defined(__x86_64__)
  void *stackPointer = nullptr;
#else
  ucontext_t context;
#endif
};

} // namespace stretto::emulator
