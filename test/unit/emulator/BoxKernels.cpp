//===- BoxKernels.cpp - bulk tensor copies, as text ------------------------===//
#include "BoxKernels.h"

#include "EmulatedKernels.h"
#include "Kernels.h"

#include <numeric>

using namespace stretto;
using namespace stretto::test;

static int productOf(const std::vector<int> &numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 1, std::multiplies<>());
}

int Box::bytes() const { return 2 * productOf(sides); }
int Box::bufferBytes() const { return 2 * productOf(sizes); }

static std::string list(const std::vector<int> &numbers) {
  std::string text;
  for (int number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

/// The attribute of a dense tensor.
static std::string mapOf(const Box &box) {
  std::vector<int> strides;
  for (size_t i = 1; i < box.sizes.size(); ++i)
    strides.push_back(2 * productOf({box.sizes.begin() + i, box.sizes.end()}));
  return "#kern.tensor_map<buffer 0, bf16, sizes [" + list(box.sizes) + "], " +
         (strides.empty() ? "" : "strides [" + list(strides) + "], ") + "box [" + list(box.sides) + "], swizzle " +
         std::to_string(box.swizzle) + ">";
}

/// The kernel with a tensor map behind its buffers.
static std::string withMap(const std::string &text, const Box &box) {
  return with(text, ") attributes {",
              ", %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) "
              "attributes {kern.tensor_maps = [" +
                  mapOf(box) + "], ");
}

/// Defines the coordinates of the box; their names go to `names`, the last dimension first.
static std::string coordinatesOf(const Box &box, std::string &names) {
  std::string text;
  for (size_t i = box.from.size(); i-- > 0;) {
    std::string name = "%x" + std::to_string(i);
    text += "    " + name + " = llvm.mlir.constant(" + std::to_string(box.from[i]) + " : i32) : i32\n";
    names += (names.empty() ? "" : ", ") + name;
  }
  return text;
}

std::string test::boxStore(const Box &box) {
  std::string names, coordinates = coordinatesOf(box, names), bytes = std::to_string(box.bytes());
  std::string text = kernel(1, 32, std::to_string(box.bufferBytes()) + ", " + bytes, 2,
                            coordinates + R"(
    %memory = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
    %turns = llvm.mlir.constant()" +
                                std::to_string(box.bytes() / 512) + R"( : i32) : i32
    llvm.br ^fill(%i0 : i32)
  ^fill(%turn: i32):
    %first = llvm.shl %turn, %i5 : i32
    %piece = llvm.add %first, %tid : i32
    %from = llvm.getelementptr %a1[%piece] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %to = llvm.getelementptr %memory[%piece] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %v = llvm.load %from {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    llvm.store %v, %to {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    %next = llvm.add %turn, %i1 : i32
    %more = llvm.icmp "ult" %next, %turns : i32
    llvm.cond_br %more, ^fill(%next : i32), ^filled
  ^filled:
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>} // visible
    nvvm.barrier0 // filled
    %isOne = llvm.icmp "eq" %tid, %i0 : i32
    llvm.cond_br %isOne, ^store, ^stored
  ^store:
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %memory, box[)" +
                                names +
                                R"(] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group // committed
    nvvm.cp.async.bulk.wait_group 0 {read} // read
    llvm.br ^stored
  ^stored:
    nvvm.barrier0
    %mine = llvm.getelementptr %memory[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %mine : i32, !llvm.ptr<3>)",
                            box.bytes());
  return withMap(text, box);
}

std::string test::boxCopy(const Box &box) {
  std::string names, coordinates = coordinatesOf(box, names);
  std::string bytes = std::to_string(box.bytes()), turns = std::to_string(box.bytes() / 512);
  std::string text = kernel(1, 32, std::to_string(box.bufferBytes()) + ", " + bytes, 2,
                            coordinates + R"(
    %memory = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
    %cluster = llvm.addrspacecast %memory : !llvm.ptr<3> to !llvm.ptr<7>
    %barrier = llvm.mlir.addressof @sums : !llvm.ptr<3>
    %bytes = llvm.mlir.constant()" +
                                bytes + R"( : i32) : i32
    %turns = llvm.mlir.constant()" +
                                turns + R"( : i32) : i32
    %isOne = llvm.icmp "eq" %tid, %i0 : i32
    llvm.cond_br %isOne, ^begin, ^ready
  ^begin:
    nvvm.mbarrier.init %barrier, %i1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init // visible
    nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32 // announced
    nvvm.cp.async.bulk.tensor.shared.cluster.global %cluster, %map, %barrier, box[)" +
                                names +
                                R"(] : !llvm.ptr<7>, !llvm.ptr
    llvm.br ^ready
  ^ready:
    nvvm.barrier0 // initialised
    nvvm.mbarrier.try_wait.parity %barrier, %i0, %i16 : !llvm.ptr<3>, i32, i32 // awaited
    llvm.br ^read(%i0 : i32)
  ^read(%turn: i32):
    %first = llvm.shl %turn, %i5 : i32
    %piece = llvm.add %first, %tid : i32
    %from = llvm.getelementptr %memory[%piece] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %to = llvm.getelementptr %a1[%piece] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %v = llvm.load %from {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
    llvm.store %v, %to {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
    %next = llvm.add %turn, %i1 : i32
    %more = llvm.icmp "ult" %next, %turns : i32
    llvm.cond_br %more, ^read(%next : i32), ^end
  ^end:)",
                            box.bytes() + 1024);
  return withMap(text, box);
}
