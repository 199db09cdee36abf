//===- PartialKernels.cpp - kernels whose warps have roles, as text --------===//
#include "PartialKernels.h"

#include "Kernels.h"

using namespace stretto;
using namespace stretto::test;

namespace {
/// What the two roles do at the beginning of a turn (`wait`) and at its end (`done`), by %stage and %parity.
struct Ring {
  std::string begin, producerWait, producerDone, consumerBegin, consumerWait, consumerDone;

  std::string text() const {
    return kernel(1, 64, "640, 128", 2, begin + R"(
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %turns = llvm.mlir.constant(5 : i32) : i32
    %lane = llvm.and %tid, %i31 : i32
    %mirrored = llvm.sub %i31, %lane : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    llvm.cond_br %isLow, ^fill(%i0 : i32), ^prepare
  ^fill(%turn: i32):
    %stage = llvm.and %turn, %i1 : i32
    %cycle = llvm.lshr %turn, %i1 : i32
    %isOdd = llvm.and %cycle, %i1 : i32
    %parity = llvm.xor %isOdd, %i1 : i32
)" + producerWait + R"(
    %first = llvm.shl %turn, %i5 : i32
    %source = llvm.add %first, %lane : i32
    %xp = llvm.getelementptr %a0[%source] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %xp : !llvm.ptr<1> -> f32
    %to = llvm.getelementptr %tile[%stage, %lane] : (!llvm.ptr<3>, i32, i32) -> !llvm.ptr<3>, !llvm.array<32 x f32>
    llvm.store %x, %to : f32, !llvm.ptr<3>
)" + producerDone + R"(
    %next = llvm.add %turn, %i1 : i32
    %more = llvm.icmp "ult" %next, %turns : i32
    llvm.cond_br %more, ^fill(%next : i32), ^end
  ^prepare:
)" + consumerBegin + R"(
    llvm.br ^drain(%i0, %zero : i32, f32)
  ^drain(%turnD: i32, %sum: f32):
    %stageD = llvm.and %turnD, %i1 : i32
    %cycleD = llvm.lshr %turnD, %i1 : i32
    %parityD = llvm.and %cycleD, %i1 : i32
)" + consumerWait + R"(
    %from = llvm.getelementptr %tile[%stageD, %mirrored] : (!llvm.ptr<3>, i32, i32) -> !llvm.ptr<3>, !llvm.array<32 x f32>
    %y = llvm.load %from : !llvm.ptr<3> -> f32
)" + consumerDone + R"(
    %total = llvm.fadd %sum, %y : f32
    %nextD = llvm.add %turnD, %i1 : i32
    %moreD = llvm.icmp "ult" %nextD, %turns : i32
    llvm.cond_br %moreD, ^drain(%nextD, %total : i32, f32), ^write
  ^write:
    %yp = llvm.getelementptr %a1[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %total, %yp : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:)");
  }
};

/// Address `name` of one of two mbarriers, and an operation on it.
std::string onMbarrier(const std::string &name, const std::string &base, const std::string &stage,
                       const std::string &operation) {
  return "    %" + name + " = llvm.getelementptr %" + base + "[%" + stage +
         "] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64\n    " + operation + "\n";
}

std::string atNumber(const std::string &name, const std::string &stage, const std::string &first,
                     const std::string &operation) {
  return "    %" + name + " = llvm.add %" + stage + ", %" + first + " : i32\n    " + operation + "\n";
}
} // namespace

const std::string test::mbarrierRing =
    Ring{
        R"(
    %full = llvm.mlir.addressof @sums : !llvm.ptr<3>
    %empty = llvm.getelementptr %full[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %ticks = llvm.mlir.constant(1000 : i32) : i32
    %arrivals = llvm.mlir.constant(32 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %isOne = llvm.icmp "ult" %tid, %four : i32
    llvm.cond_br %isOne, ^init, ^ready
  ^init:
    %each = llvm.getelementptr %full[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    nvvm.mbarrier.init %each, %arrivals : !llvm.ptr<3>, i32
    llvm.br ^ready
  ^ready:
    nvvm.barrier0 // initialised
)",
        onMbarrier("pe", "empty", "stage",
                   "nvvm.mbarrier.try_wait.parity %pe, %parity, %ticks : !llvm.ptr<3>, i32, i32 // empty"),
        onMbarrier("pf", "full", "stage", "%s0 = nvvm.mbarrier.arrive %pf : !llvm.ptr<3> -> i64 // filled"),
        "",
        onMbarrier("cf", "full", "stageD",
                   "nvvm.mbarrier.try_wait.parity %cf, %parityD, %ticks : !llvm.ptr<3>, i32, i32 // full"),
        onMbarrier("ce", "empty", "stageD", "%s1 = nvvm.mbarrier.arrive %ce, %i1 : !llvm.ptr<3> -> i64 // drained"),
    }
        .text();

const std::string test::namedRing =
    Ring{
        R"(
    %i2 = llvm.mlir.constant(2 : i32) : i32
    %i3 = llvm.mlir.constant(3 : i32) : i32
    %i4 = llvm.mlir.constant(4 : i32) : i32
    %both = llvm.mlir.constant(64 : i32) : i32
)",
        atNumber("pe", "stage", "i3", "nvvm.barrier id = %pe number_of_threads = %both // empty"),
        atNumber("pf", "stage", "i1", "nvvm.barrier.arrive id = %pf number_of_threads = %both // filled"),
        R"(
    nvvm.barrier.arrive id = %i3 number_of_threads = %both
    nvvm.barrier.arrive id = %i4 number_of_threads = %both
)",
        atNumber("cf", "stageD", "i1", "nvvm.barrier id = %cf number_of_threads = %both // full"),
        // The last turn of each stage has no successor that waits for it.
        "    %last = llvm.mlir.constant(3 : i32) : i32\n"
        "    %isAwaited = llvm.icmp \"ult\" %turnD, %last : i32\n"
        "    llvm.cond_br %isAwaited, ^tell, ^told\n"
        "  ^tell:\n" +
            atNumber("ce", "stageD", "i3", "nvvm.barrier.arrive id = %ce number_of_threads = %both // drained") +
            "    llvm.br ^told\n"
            "  ^told:\n",
    }
        .text();

/// Stores an i1 or an i32 as entry 64 `row` + %tid.
static std::string store(int row, const std::string &value, bool isBit) {
  std::string n = std::to_string(row), wide = isBit ? value + "w" : value;
  return (isBit ? "    %" + wide + " = llvm.zext %" + value + " : i1 to i32\n" : "") + "    %r" + n +
         " = llvm.getelementptr %a0[" + std::to_string(64 * row) + "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n    %p" +
         n + " = llvm.getelementptr %r" + n + "[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n    llvm.store %" +
         wide + ", %p" + n + " : i32, !llvm.ptr<1>\n";
}

const std::string test::phases = kernel(1, 64, "1024", 1,
                                        R"(
    %barrier = llvm.mlir.addressof @sums : !llvm.ptr<3>
    %all64 = llvm.mlir.constant(64 : i32) : i32
    %isFirst = llvm.icmp "eq" %tid, %i0 : i32
    llvm.cond_br %isFirst, ^init, ^ready
  ^init:
    nvvm.mbarrier.init %barrier, %all64 : !llvm.ptr<3>, i32
    llvm.br ^ready
  ^ready:
    nvvm.barrier0
    llvm.cond_br %isFirst, ^early, ^arrive
  ^early:
    %isOver = nvvm.mbarrier.test.wait %barrier, %i0 : !llvm.ptr<3>, i32 -> i1
)" + store(3, "isOver", true) + R"(
    llvm.br ^arrive
  ^arrive:
    %state = nvvm.mbarrier.arrive %barrier : !llvm.ptr<3> -> i64
    llvm.br ^again
  ^again:
    %done = nvvm.mbarrier.test.wait %barrier, %state : !llvm.ptr<3>, i64 -> i1
    llvm.cond_br %done, ^over, ^again
  ^over:
    %before = nvvm.mbarrier.try_wait %barrier, %i0 : !llvm.ptr<3>, i32 -> i1
    %phase = llvm.trunc %state : i64 to i32
)" + store(0, "phase", false) + store(1, "done", true) +
                                            store(2, "before", true) + R"(
    nvvm.barrier0
    llvm.cond_br %isFirst, ^reuse, ^end
  ^reuse:
    nvvm.mbarrier.inval %barrier : !llvm.ptr<3>
    llvm.store %tid, %barrier : i32, !llvm.ptr<3>
    llvm.br ^end
  ^end:)");

const std::string test::leaders = kernel(1, 128, "512", 1, R"(
    nvvm.setmaxregister decrease 40
    %leads = nvvm.elect.sync -> i1
    %mine = llvm.zext %leads : i1 to i32
    %p = llvm.getelementptr %a0[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %mine, %p : i32, !llvm.ptr<1>)");
