// Operations of a warp on matrices that its lanes hold together. Lane 4 g + t has what stands in row (or column) g and
// in places that follow from t; see "Matrix fragments" in the PTX ISA.
#include "runtime/emulator/accesses.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace stretto::emulator {
namespace {

constexpr uint32_t lanes = 32, allLanes = ~0u, side = 8;

// The kinds of matmuls: C [m, 8] += A [m, k] B [k, 8]. A register of A or B holds `packed` numbers of a row of A, of a
// column of B. Factors are widened without loss.
struct BF16 {
  static constexpr uint32_t m = 16, k = 16, packed = 2;
  using Register = uint32_t;
  using Sum = float;
  static double factor(uint32_t bits, uint32_t i) { return std::bit_cast<float>(i ? bits & 0xffff0000 : bits << 16); }
};
// The lower 13 bits of a register are not read. (PTX leaves open what they do where cvt.rna.tf32 has not cleared them.)
struct TF32 {
  static constexpr uint32_t m = 16, k = 8, packed = 1;
  using Register = uint32_t;
  using Sum = float;
  static double factor(uint32_t bits, uint32_t) { return std::bit_cast<float>(bits & 0xffffe000); }
};
struct F64 {
  static constexpr uint32_t m = 8, k = 4, packed = 1;
  using Register = double;
  using Sum = double;
  static double factor(double number, uint32_t) { return number; }
};

// Where the lane's registers of A, B and C lie, and how many there are.
template <typename Kind> struct Fragment {
  static constexpr uint32_t reach = 4 * Kind::packed; // columns of A, rows of B that one register of each lane covers
  static constexpr uint32_t countA = Kind::m / side * (Kind::k / reach), countB = Kind::k / reach,
                            countC = Kind::m / side * 2;
  static_assert(sizeof(typename Kind::Register) == sizeof(typename Kind::Sum));

  explicit Fragment(void *registers)
      : a(static_cast<typename Kind::Register *>(registers)), b(a + countA),
        c(reinterpret_cast<typename Kind::Sum *>(b + countB)) {}
  typename Kind::Register *a, *b;
  typename Kind::Sum *c;
};

// The matrices of a matmul, whole. What gives f32 is added up in double precision and rounded once: the hardware
// keeps fewer bits, in an order of its own.
template <typename Kind> class Matmul {
public:
  void read(uint32_t lane, const Fragment<Kind> &fragment) {
    using Of = Fragment<Kind>;
    const uint32_t g = lane / 4, t = lane % 4, rows = Kind::m / side;
    for (uint32_t i = 0; i < Kind::packed; ++i) {
      for (uint32_t r = 0; r < Of::countA; ++r)
        a[g + side * (r % rows)][at(t, i) + Of::reach * (r / rows)] = Kind::factor(fragment.a[r], i);
      for (uint32_t r = 0; r < Of::countB; ++r)
        b[at(t, i) + Of::reach * r][g] = Kind::factor(fragment.b[r], i);
    }
    for (uint32_t r = 0; r < Of::countC; ++r)
      c[g + side * (r / 2)][2 * t + r % 2] = fragment.c[r];
  }

  void compute() {
    for (uint32_t row = 0; row < Kind::m; ++row)
      for (uint32_t inner = 0; inner < Kind::k; ++inner)
        for (uint32_t column = 0; column < side; ++column)
          c[row][column] = add(a[row][inner], b[inner][column], c[row][column]);
  }

  void write(uint32_t lane, const Fragment<Kind> &fragment) const {
    const uint32_t g = lane / 4, t = lane % 4;
    for (uint32_t r = 0; r < Fragment<Kind>::countC; ++r)
      fragment.c[r] = static_cast<typename Kind::Sum>(c[g + side * (r / 2)][2 * t + r % 2]);
  }

private:
  static uint32_t at(uint32_t t, uint32_t i) { return t * Kind::packed + i; }
  // Sums of f64 are rounded once for each factor, in the order of k.
  static double add(double x, double y, double sum) {
    return sizeof(typename Kind::Sum) == sizeof(double) ? std::fma(x, y, sum) : x * y + sum;
  }

  double a[Kind::m][Kind::k], b[Kind::k][side], c[Kind::m][side];
};

template <typename Kind> void multiply(void *const *registers) {
  Matmul<Kind> matmul;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    matmul.read(lane, Fragment<Kind>(registers[lane]));
  matmul.compute();
  for (uint32_t lane = 0; lane < lanes; ++lane)
    matmul.write(lane, Fragment<Kind>(registers[lane]));
}

void multiply(int32_t kind, void *const *registers) {
  switch (kind) {
  case STRETTO_EMULATED_MULTIPLY_BF16:
    return multiply<BF16>(registers);
  case STRETTO_EMULATED_MULTIPLY_TF32:
    return multiply<TF32>(registers);
  default:
    return multiply<F64>(registers);
  }
}

// The lane gives its row and its registers. True for the last one, which does the work for all.
bool meetWithRow(Thread &thread, const stretto_emulated_wait &wait, void *row, uint32_t *registers) {
  Warp &warp = thread.owner->warpOf(thread);
  warp.rows[thread.thread % lanes] = row;
  warp.registers[thread.thread % lanes] = registers;
  return thread.owner->meet(thread, wait, allLanes);
}

// Each row is read or written by the lane that names it.
void checkRows(Thread &thread, AccessKind kind, uint32_t count, const stretto_emulated_access &access) {
  Block &block = *thread.owner;
  if (block.checks == STRETTO_EMULATOR_CHECKS_NONE)
    return;
  for (uint32_t lane = 0; lane < side * count; ++lane) {
    Thread &owner = block.laneOf(thread, lane);
    const void *row = block.warpOf(thread).rows[lane];
    checkSharedPlace(owner, kind, row, access);
    recordShared(owner, kind, row, access);
  }
}

// Matrix `number`: lane 4 g + t gets the numbers 2 t and 2 t + 1 of row g, or of column g.
void loadMatrix(const Warp &warp, uint32_t number, bool transposed) {
  uint16_t matrix[side][side];
  for (uint32_t row = 0; row < side; ++row)
    std::memcpy(matrix[row], warp.rows[side * number + row], sizeof(matrix[row]));
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    const uint32_t g = lane / 4, t = lane % 4;
    const uint32_t low = transposed ? matrix[2 * t][g] : matrix[g][2 * t];
    const uint32_t high = transposed ? matrix[2 * t + 1][g] : matrix[g][2 * t + 1];
    static_cast<uint32_t *>(warp.registers[lane])[number] = low | high << 16;
  }
}

// The same the other way.
void storeMatrix(const Warp &warp, uint32_t number, bool transposed) {
  uint16_t matrix[side][side];
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    const uint32_t g = lane / 4, t = lane % 4, both = static_cast<const uint32_t *>(warp.registers[lane])[number];
    for (uint32_t i = 0; i < 2; ++i)
      (transposed ? matrix[2 * t + i][g] : matrix[g][2 * t + i]) = static_cast<uint16_t>(both >> 16 * i);
  }
  for (uint32_t row = 0; row < side; ++row)
    std::memcpy(warp.rows[side * number + row], matrix[row], sizeof(matrix[row]));
}

} // namespace
} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] void stretto_emulator_store_matrices(stretto_emulated_thread *self,
                                                                    const stretto_emulated_wait *wait, void *row,
                                                                    uint32_t count, uint32_t *registers,
                                                                    const stretto_emulated_access *access) {
  Thread &thread = threadOf(self);
  if (!meetWithRow(thread, *wait, row, registers))
    return;
  checkRows(thread, AccessKind::write, count, *access);
  for (uint32_t number = 0; number < count; ++number)
    storeMatrix(thread.owner->warpOf(thread), number, wait->kind == STRETTO_EMULATED_STORE_MATRICES_TRANSPOSED);
  thread.owner->release(thread);
}

[[gnu::visibility("default")]] void stretto_emulator_load_matrices(stretto_emulated_thread *self,
                                                                   const stretto_emulated_wait *wait, const void *row,
                                                                   uint32_t count, uint32_t *registers,
                                                                   const stretto_emulated_access *access) {
  Thread &thread = threadOf(self);
  if (!meetWithRow(thread, *wait, const_cast<void *>(row), registers))
    return;
  checkRows(thread, AccessKind::read, count, *access);
  for (uint32_t number = 0; number < count; ++number)
    loadMatrix(thread.owner->warpOf(thread), number, wait->kind == STRETTO_EMULATED_LOAD_MATRICES_TRANSPOSED);
  thread.owner->release(thread);
}

[[gnu::visibility("default")]] void stretto_emulator_multiply(stretto_emulated_thread *self,
                                                              const stretto_emulated_wait *wait, void *registers) {
  Thread &thread = threadOf(self);
  Warp &warp = thread.owner->warpOf(thread);
  warp.registers[thread.thread % lanes] = registers;
  if (!thread.owner->meet(thread, *wait, allLanes))
    return;
  multiply(wait->kind, warp.registers);
  thread.owner->release(thread);
}
}
