// Matmuls that warpgroups start and later wait for (wgmma). What they read of shared memory they read until then.
#include "runtime/emulator/accesses.h"
#include "runtime/emulator/matrix_descriptor.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace stretto::emulator {
namespace {

constexpr uint32_t rows = 64, terms = 16, mostColumns = 256, side = 8, pieceBytes = 16;

// Rows of A or columns of B.
using Operand = double[mostColumns][terms];

// Reads the operand piece by piece, for all threads of the group at once.
class OperandReader {
public:
  OperandReader(Thread &thread, const stretto_emulated_wait &wait, const Actor &actor)
      : thread(thread), block(*thread.owner), actor(actor), access{wait.place, pieceBytes, pieceBytes, -1, 0} {}

  void read(const MatrixDescriptor &from, uint32_t count, bool isTransposed, double sign, Operand &to) const {
    const uint32_t rowStep = isTransposed ? side : 1, termStep = isTransposed ? 1 : side;
    for (uint32_t row = 0; row < count; row += rowStep)
      for (uint32_t term = 0; term < terms; term += termStep) {
        uint16_t piece[side];
        fetch(from.addressOf(row, term), piece);
        for (uint32_t i = 0; i < side; ++i)
          (isTransposed ? to[row + i][term] : to[row][term + i]) =
              sign * std::bit_cast<float>(static_cast<uint32_t>(piece[i]) << 16);
      }
  }

private:
  void fetch(uint32_t address, uint16_t (&piece)[side]) const {
    const char *from = block.sharedWindow + address;
    checkSharedPlace(thread, AccessKind::read, from, access);
    if (block.checks != STRETTO_EMULATOR_CHECKS_NONE)
      recordShared(thread, block, actor, AccessKind::read, from, access);
    std::memcpy(piece, from, sizeof(piece));
  }

  Thread &thread;
  Block &block;
  const Actor &actor;
  const stretto_emulated_access access;
};

// Where a number of D is kept: thread of the group and register; see "Accumulator D" in the PTX ISA.
struct Place {
  uint32_t thread, number;
};
Place placeOf(uint32_t row, uint32_t column) {
  return {row / 16 * 32 + row % 8 * 4 + column % 8 / 2, column / 8 * 4 + row % 16 / 8 * 2 + column % 2};
}

// A row of D. It is added up in double precision and rounded once: the hardware keeps fewer bits, in its own order.
void computeRow(const double (&a)[terms], const Operand &b, uint32_t row, uint32_t columns, bool addsToD,
                const std::array<float *, groupThreads> &d) {
  for (uint32_t column = 0; column < columns; ++column) {
    const Place place = placeOf(row, column);
    float &number = d[place.thread][place.number];
    double sum = addsToD ? number : 0;
    for (uint32_t term = 0; term < terms; ++term)
      sum += a[term] * b[column][term];
    number = static_cast<float>(sum);
  }
}

} // namespace

void AsyncMatmuls::clear() {
  for (Group &group : groups)
    group.commits.clear();
}

// What each of the threads knows. Each knows all of itself.
Clock AsyncMatmuls::knownToAll(uint32_t group) {
  Clock known;
  for (uint32_t i = 0; i < groupThreads; ++i) {
    const uint32_t number = group * groupThreads + i;
    Clock &clock = block.threadAt(number).clock;
    const uint32_t own = std::exchange(clock.of(number), ~0u);
    if (i == 0)
      known = clock;
    else
      known.meet(clock);
    clock.of(number) = own;
  }
  return known;
}

void AsyncMatmuls::checkOperands(Thread &thread, const stretto_emulated_wait &wait, const Group &group) {
  for (uint32_t i = 0; i < groupThreads; ++i)
    if (group.operands[i] != group.operands[0])
      block.fail(thread, fmt::format("{}: the threads of a warpgroup must name the same operands, but thread {} of the "
                                     "group has the descriptors 0x{:x} and 0x{:x}, thread 0 0x{:x} and 0x{:x}",
                                     block.describe(wait), i, group.operands[i][0], group.operands[i][1],
                                     group.operands[0][0], group.operands[0][1]));
}

static void checkDescriptor(Thread &thread, const stretto_emulated_wait &wait, const char *name,
                            const MatrixDescriptor &descriptor) {
  if (descriptor.baseOffset || !descriptor.isAligned())
    thread.owner->fail(thread, fmt::format("{}: {} must begin in the first row of the pattern of its swizzle, at a "
                                           "multiple of {} bytes and up to {} behind it, with base offset 0, but "
                                           "begins at address {} with base offset {}",
                                           thread.owner->describe(wait), name, 8 * descriptor.swizzle, 127,
                                           descriptor.start, descriptor.baseOffset));
}

void AsyncMatmuls::compute(Thread &thread, const stretto_emulated_wait &wait, const Group &group) {
  checkOperands(thread, wait, group);
  const uint32_t number = thread.thread / groupThreads, columns = wait.kind & STRETTO_EMULATED_COLUMNS;
  const bool transposesA = wait.kind & STRETTO_EMULATED_A_TRANSPOSED,
             transposesB = wait.kind & STRETTO_EMULATED_B_TRANSPOSED;
  const MatrixDescriptor a(group.operands[0][0], transposesA), b(group.operands[0][1], transposesB);
  checkDescriptor(thread, wait, "A", a);
  checkDescriptor(thread, wait, "B", b);
  const Clock known = knownToAll(number);
  const Actor actor = block.inBackground(firstBackground + number, known);
  const OperandReader reader(thread, wait, actor);
  static thread_local Operand left, right;
  reader.read(a, rows, transposesA, wait.kind & STRETTO_EMULATED_A_NEGATED ? -1 : 1, left);
  reader.read(b, columns, transposesB, wait.kind & STRETTO_EMULATED_B_NEGATED ? -1 : 1, right);
  for (uint32_t row = 0; row < rows; ++row)
    computeRow(left[row], right, row, columns, !(wait.kind & STRETTO_EMULATED_D_ZERO), group.d);
}

void AsyncMatmuls::multiply(Thread &thread, const stretto_emulated_wait &wait, uint64_t a, uint64_t b, float *d) {
  Group &group = groups[thread.thread / groupThreads];
  group.operands[thread.thread % groupThreads] = {a, b};
  group.d[thread.thread % groupThreads] = d;
  if (!block.meetGroup(thread, wait))
    return;
  compute(thread, wait, group);
  block.releaseGroup(thread);
}

void AsyncMatmuls::commit(Thread &thread, const stretto_emulated_wait &wait) {
  if (!block.meetGroup(thread, wait))
    return;
  groups[thread.thread / groupThreads].commits.push_back(block.nextStamp());
  block.releaseGroup(thread);
}

void AsyncMatmuls::await(Thread &thread, const stretto_emulated_wait &wait, uint32_t left) {
  if (!block.meetGroup(thread, wait))
    return;
  const uint32_t number = thread.thread / groupThreads;
  std::vector<uint32_t> &commits = groups[number].commits;
  if (commits.size() > left) {
    const auto end = commits.end() - left;
    for (uint32_t i = 0; i < groupThreads; ++i)
      block.threadAt(number * groupThreads + i).clock.of(firstBackground + number) = *(end - 1);
    commits.erase(commits.begin(), end);
  }
  block.releaseGroup(thread);
}

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] void stretto_emulator_multiply_async(stretto_emulated_thread *self,
                                                                    const stretto_emulated_wait *wait, uint64_t a,
                                                                    uint64_t b, float *d) {
  Thread &thread = threadOf(self);
  thread.owner->asyncMatmuls.multiply(thread, *wait, a, b, d);
}

[[gnu::visibility("default")]] void stretto_emulator_commit_matmuls(stretto_emulated_thread *self,
                                                                    const stretto_emulated_wait *wait) {
  Thread &thread = threadOf(self);
  thread.owner->asyncMatmuls.commit(thread, *wait);
}

[[gnu::visibility("default")]] void stretto_emulator_await_matmuls(stretto_emulated_thread *self,
                                                                   const stretto_emulated_wait *wait, uint32_t groups) {
  Thread &thread = threadOf(self);
  thread.owner->asyncMatmuls.await(thread, *wait, groups);
}

[[gnu::visibility("default")]] void stretto_emulator_fence_proxy(stretto_emulated_thread *self) {
  Thread &thread = threadOf(self);
  thread.owner->fence(thread);
}
}
