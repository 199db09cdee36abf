//===- GroupKernels.cpp - asynchronous matmuls of a warpgroup, as text ----===//
#include "GroupKernels.h"

#include "Kernels.h"

using namespace stretto;
using namespace stretto::test;

/// Eight numbers that lie side by side are a piece. Without a swizzle, 8 of them are a core matrix of 128 bytes, and
/// the core matrices of 8 terms lie together; with one, a row of `swizzle` bytes has several pieces, which change
/// places.
int SharedOperand::placeOf(int row, int term) const {
  const int along = transposed ? row : term, across = transposed ? term : row; // side by side; one after the other
  if (!swizzle)
    return (term / 8 * (rows / 8) + row / 8) * 128 + across % 8 * 16 + along % 8 * 2;
  const int width = swizzle / 2, lines = transposed ? inner : rows;
  const int piece = along % width / 8, line = across % 8 * swizzle / 128;
  return along / width * lines * swizzle + across * swizzle + (piece ^ line) * 16 + along % 8 * 2;
}

uint64_t SharedOperand::descriptor() const {
  uint64_t leading, stride, mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  if (swizzle)
    leading = transposed ? inner * swizzle : 16, stride = 8 * swizzle;
  else
    leading = rows / 8 * 128, stride = 128;
  return leading / 16 << 16 | stride / 16 << 32 | mode << 62;
}

static std::string number(const std::string &name, uint64_t value, const std::string &type) {
  return "    %" + name + " = llvm.mlir.constant(" + std::to_string(static_cast<int64_t>(value)) + " : " + type +
         ") : " + type + "\n";
}

/// Copies `bytes` bytes of a buffer to byte `offset` of shared memory, 16 a thread and turn.
static std::string fill(const std::string &name, const std::string &buffer, int offset, int bytes) {
  std::string text;
  for (int turn = 0; turn < bytes; turn += 2048) {
    std::string n = name + std::to_string(turn);
    text += number("l" + n, (bytes - turn) / 16, "i32") + "    %c" + n + " = llvm.icmp \"ult\" %tid, %l" + n +
            " : i32\n    llvm.cond_br %c" + n + ", ^copy" + n + ", ^copied" + n + "\n  ^copy" + n + ":\n    %f" + n +
            " = llvm.getelementptr %" + buffer + "[" + std::to_string(turn) +
            "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n    %g" + n + " = llvm.getelementptr %f" + n +
            "[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>\n    %t" + n +
            " = llvm.getelementptr %memory[" + std::to_string(offset + turn) +
            "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n    %u" + n + " = llvm.getelementptr %t" + n +
            "[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>\n    %v" + n + " = llvm.load %g" + n +
            " {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>\n    llvm.store %v" + n + ", %u" + n +
            " {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>\n    llvm.br ^copied" + n + "\n  ^copied" + n +
            ":\n";
  }
  return text;
}

/// The descriptor `name` of terms `term` and on.
static std::string descriptor(const std::string &name, const SharedOperand &operand, int offset, int term) {
  return number(name + "o", (offset + operand.placeOf(0, term)) / 16, "i64") +
         number(name + "d", operand.descriptor(), "i64") + "    %" + name + "s = llvm.add %first, %" + name +
         "o : i64\n    %" + name + " = llvm.or %" + name + "s, %" + name + "d : i64\n";
}

static std::string registersOf(int columns) {
  std::string types = "f32";
  for (int i = 1; i < columns / 2; ++i)
    types += ", f32";
  return "!llvm.struct<(" + types + ")>";
}

/// Register i of a thread is row 16 (its warp) + (its lane) / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 (its lane % 4) +
/// i % 2.
static std::string store(int columns) {
  std::string text =
      number("i2", 2, "i32") + number("i3", 3, "i32") + number("i4", 4, "i32") + number("width", columns, "i32") + R"(
    %lane = llvm.and %tid, %i31 : i32
    %warp = llvm.lshr %tid, %i5 : i32
    %firstRow = llvm.shl %warp, %i4 : i32
    %inWarp = llvm.lshr %lane, %i2 : i32
    %row = llvm.add %firstRow, %inWarp : i32
    %rowStart = llvm.mul %row, %width : i32
    %pair = llvm.and %lane, %i3 : i32
    %column = llvm.shl %pair, %i1 : i32
    %at = llvm.add %rowStart, %column : i32
    %mine = llvm.getelementptr %a2[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
)";
  for (int i = 0; i < columns / 2; ++i) {
    std::string n = std::to_string(i);
    text += "    %r" + n + " = llvm.extractvalue %d[" + n + "] : " + registersOf(columns) + "\n    %q" + n +
            " = llvm.getelementptr %mine[" + std::to_string(i / 4 * 8 + i % 2 + i / 2 % 2 * 8 * columns) +
            "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32\n    llvm.store %r" + n + ", %q" + n + " : f32, !llvm.ptr<1>\n";
  }
  return text;
}

std::string test::groupMatmul(const SharedOperand &a, const SharedOperand &b) {
  const std::string type = registersOf(b.rows);
  std::string body = "    %memory = llvm.mlir.addressof @dynamic : !llvm.ptr<3>\n" + fill("a", "a0", 0, a.bytes()) +
                     fill("b", "a1", a.bytes(), b.bytes()) + number("four", 4, "i64") + R"(
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>} // visible
    nvvm.barrier0 // written
    %start = llvm.ptrtoint %memory : !llvm.ptr<3> to i64
    %first = llvm.lshr %start, %four : i64
    %d0 = llvm.mlir.zero : )" +
                     type + "\n    nvvm.wgmma.fence.aligned // ready\n";
  int step = 0;
  for (; step < a.inner / 16; ++step) {
    std::string n = std::to_string(step), next = step + 1 == a.inner / 16 ? "d" : "d" + std::to_string(step + 1);
    body += descriptor("a" + n + "x", a, 0, 16 * step) + descriptor("b" + n + "x", b, a.bytes(), 16 * step) + "    %" +
            next + " = nvvm.wgmma.mma_async %a" + n + "x, %b" + n + "x, %d" + n +
            ", #nvvm.shape<m = 64, n = " + std::to_string(b.rows) + ", k = 16>, D[<f32>, <one>], A[<bf16>, <one>, " +
            (a.transposed ? "<col>" : "<row>") + "], B[<bf16>, <one>, " + (b.transposed ? "<row>" : "<col>") +
            "] : " + type + " -> " + type + "\n";
  }
  body += "    nvvm.wgmma.commit.group.sync.aligned // committed\n"
          "    nvvm.wgmma.wait.group.sync.aligned 0 // awaited\n" +
          store(b.rows);
  auto text = [](int bytes) { return std::to_string(bytes); };
  return kernel(1, 128, text(a.bytes()) + ", " + text(b.bytes()) + ", " + text(256 * b.rows), 3, body,
                a.bytes() + b.bytes());
}
