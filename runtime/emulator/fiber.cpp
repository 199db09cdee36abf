// Stacks to run GPU threads on, and the switch between them.
#include "runtime/emulator/fiber.h"

#include "runtime/emulator/report.h"

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>

namespace stretto::emulator {
namespace {

constexpr size_t guardBytes = 4096, stackBytes = 128 << 10;

// Stacks start at different distances from a page's end, or the same few lines of the cache would serve them all.
size_t nextColour() {
  static thread_local size_t number = 0;
  return number++ % 59 * 64;
}

} // namespace

void Fiber::allocate() {
  void *data = mmap(nullptr, guardBytes + stackBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    report("memory for the stacks of emulated threads must be available");
  memory = static_cast<char *>(data);
  mprotect(memory, guardBytes, PROT_NONE);
  top = memory + guardBytes + stackBytes - nextColour();
}

Fiber::~Fiber() {
  if (memory)
    munmap(memory, guardBytes + stackBytes);
}

#if defined(__x86_64__)

// The registers that a function must keep are put onto the stack; nothing changes the floating point modes.
asm(R"(
.text
.hidden stretto_emulator_switch
.type stretto_emulator_switch, @function
stretto_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size stretto_emulator_switch, .-stretto_emulator_switch
.hidden stretto_emulator_start
.type stretto_emulator_start, @function
stretto_emulator_start:
  movq %r12, %rdi
  call *%r13
  ud2
.size stretto_emulator_start, .-stretto_emulator_start
)");
extern "C" [[gnu::visibility("hidden")]] void stretto_emulator_switch(void **from, void *to);
extern "C" [[gnu::visibility("hidden")]] void stretto_emulator_start();

void Fiber::prepare(void (*entry)(void *), void *argument) {
  if (!memory)
    allocate();
  // As stretto_emulator_switch leaves it: r15, r14, r13, r12, rbx, rbp, return address; above, a multiple of 16.
  void **frame = reinterpret_cast<void **>(top) - 9;
  frame[2] = reinterpret_cast<void *>(entry);
  frame[3] = argument;
  frame[5] = nullptr;
  frame[6] = reinterpret_cast<void *>(stretto_emulator_start);
  stackPointer = frame;
}

void Fiber::change(Fiber &from, Fiber &to) { stretto_emulator_switch(&from.stackPointer, to.stackPointer); }

#else

static void start(unsigned entryHigh, unsigned entryLow, unsigned high, unsigned low) {
  auto entry = reinterpret_cast<void (*)(void *)>(uint64_t(entryHigh) << 32 | entryLow);
  entry(reinterpret_cast<void *>(uint64_t(high) << 32 | low));
}

void Fiber::prepare(void (*entry)(void *), void *argument) {
  if (!memory)
    allocate();
  getcontext(&context);
  context.uc_stack.ss_sp = memory + guardBytes;
  context.uc_stack.ss_size = top - (memory + guardBytes);
  context.uc_link = nullptr;
  const uint64_t function = reinterpret_cast<uint64_t>(entry), data = reinterpret_cast<uint64_t>(argument);
  makecontext(&context, reinterpret_cast<void (*)()>(start), 4, unsigned(function >> 32), unsigned(function),
              unsigned(data >> 32), unsigned(data));
}

void Fiber::change(Fiber &from, Fiber &to) { swapcontext(&from.context, &to.context); }

#endif

} // namespace stretto::emulator
