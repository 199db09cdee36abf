//===- WarpMatricesTest.cpp - matmuls of a warp, built and run on the emulator -------===//
#include "../emulator/EmulatedKernels.h"

#include "codegen/cuda/KernelFunction.h"
#include "codegen/cuda/WarpMatrices.h"
#include "ir/Register.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <bit>
#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

namespace {
constexpr int64_t side = 16;

/// The types of a matmul [16,16] = [16,16] [16,16].
struct Types {
  std::string factor, sum;
};

/// The places of the lane's sums of one tile of columns.
class SumPlaces {
public:
  SumPlaces(CudaBuilder &b, Value lane) : b(b), group(b.divide(lane, 4)), pair(b.mul(b.remainder(lane, 4), 2)) {}
  /// Offset of sum `number` of the tile from `row` and `column` on, in rows of 16.
  Value offset(int64_t number, int64_t row, int64_t column) {
    Value own = b.add(b.mul(group, side), pair);
    return b.add(own, b.index((row + number / 2 * 8) * side + column + number % 2));
  }

private:
  CudaBuilder &b;
  Value group, pair;
};

using Body = std::function<void(CudaBuilder &b, KernelFunction &kernel, Value lane)>;

/// A kernel k of one warp with buffers a, b and c, made of what `body` builds.
std::unique_ptr<EmulatedKernels> build(const Types &types, const Body &body) {
  DialectRegistry registry;
  registerModelDialects(registry);
  registry.insert<arith::ArithDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, gpu::GPUDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.allowUnregisteredDialects();
  std::string factor = "tensor<16x16x" + types.factor + ">", sum = "tensor<16x16x" + types.sum + ">";
  auto module = parseSourceString<ModuleOp>("func.func @f(%a: " + factor + ", %b: " + factor + ") {\n" +
                                                "  %c = \"test.matmul\"(%a, %b) {kern.kernel = \"k\"} : (" + factor +
                                                ", " + factor + ") -> " + sum + "\n  return\n}",
                                            &context);
  Operation *op = &cast<func::FuncOp>(module->getBody()->front()).front().front();
  OpBuilder end = OpBuilder::atBlockEnd(module->getBody());
  auto kernels = gpu::GPUModuleOp::create(end, op->getLoc(), "kernels");
  CudaBuilder b(op->getLoc(), &context);
  KernelFunction kernel(b, kernels, op);
  body(b, kernel, b.threadIndex(warpThreads));
  kernel.finish(CudaLaunch{});
  PassManager passes(&context, gpu::GPUModuleOp::getOperationName());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  EXPECT_TRUE(succeeded(passes.run(kernels)));
  std::string text;
  llvm::raw_string_ostream(text) << *kernels.getOperation();
  return std::make_unique<EmulatedKernels>(text);
}

/// Launches the kernel on factors of small whole numbers. `set` writes a number of a factor. Returns what c holds.
template <typename T, typename Sum>
std::vector<Sum> run(const EmulatedKernels &kernels, const std::function<T(int)> &convert, std::vector<int> &a,
                     std::vector<int> &b) {
  alignas(16) T first[side * side], second[side * side];
  alignas(16) Sum result[side * side] = {};
  for (int i = 0; i < side * side; ++i) {
    a.push_back(i * 7 % 11 - 5);
    b.push_back(i * 5 % 13 - 6);
    first[i] = convert(a.back());
    second[i] = convert(b.back());
  }
  stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_FULL);
  for (uint64_t seed : {0, 1, 2}) {
    stretto_emulator_set_seed(seed);
    kernels.launch("k", {first, second, result});
  }
  return {std::begin(result), std::end(result)};
}

/// Copies a matrix of bf16 into shared memory whose rows lie 24 numbers apart: a row is two vectors. Rows from `rows`
/// on are zeros.
SharedMatrix stage(CudaBuilder &b, Value shared, Value from, Value lane, int64_t rows) {
  SharedMatrix matrix{shared, side + 8};
  Value row = b.divide(lane, 2), half = b.mul(b.remainder(lane, 2), 8);
  Value to = b.address(shared, b.getBF16Type(), b.add(b.mul(row, matrix.stride), half));
  b.copyAsync(to, b.address(from, b.getBF16Type(), b.mul(lane, 8)), b.less(row, rows));
  return matrix;
}

class LoadedFactors : public testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(LoadedFactors, Multiplied) {
  auto [leftTransposed, rightTransposed] = GetParam();
  constexpr int64_t rows = 13; // of what the first buffer holds; the others are not read
  auto kernels = build({"bf16", "f32"}, [&, left = leftTransposed,
                                         right = rightTransposed](CudaBuilder &b, KernelFunction &kernel, Value lane) {
    constexpr int64_t bytes = side * (side + 8) * 2;
    Value shared = kernel.dynamicShared(2 * bytes);
    SharedMatrix first = stage(b, shared, kernel.buffer(0), lane, rows);
    SharedMatrix second = stage(b, b.address(shared, b.getI8Type(), bytes), kernel.buffer(1), lane, side);
    b.commitCopies();
    b.awaitCopies(0);
    b.barrier();
    WarpMatmul matmul = warpMatmulOf(b.getBF16Type());
    auto a = loadFactor(b, Factor::left, first, b.index(0), b.index(0), lane, left);
    auto tiles = loadFactor(b, Factor::right, second, b.index(0), b.index(0), lane, right);
    SumPlaces places(b, lane);
    for (int64_t tile : {0, 1}) {
      SmallVector<Value> sums(matmul.sums(), b.real(b.getF32Type(), 0));
      sums = multiply(b, matmul, a, ArrayRef(tiles).slice(2 * tile, 2), sums);
      for (auto [i, sum] : llvm::enumerate(sums))
        b.store(sum, b.address(kernel.buffer(2), b.getF32Type(), places.offset(i, 0, tile * 8)));
    }
  });
  ASSERT_TRUE(kernels->isLoaded());
  std::vector<int> a, b;
  auto got =
      run<uint16_t, float>(*kernels, [](int i) { return std::bit_cast<uint32_t>(static_cast<float>(i)) >> 16; }, a, b);
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      int want = 0;
      for (int k = 0; k < side; ++k)
        if ((leftTransposed ? k : i) < rows)
          want += a[leftTransposed ? k * side + i : i * side + k] * b[rightTransposed ? j * side + k : k * side + j];
      ASSERT_EQ(got[i * side + j], want) << "row " << i << ", column " << j;
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, LoadedFactors, testing::Combine(testing::Bool(), testing::Bool()));

/// The numbers of a fragment, read from memory one by one, with rows of 16: `down` and `across` are the rows and
/// columns that a lane steps over, see WarpMatrices.h.
SmallVector<Value> readFactor(CudaBuilder &b, Value from, Type type, Value row, Value column, ArrayRef<int64_t> down,
                              ArrayRef<int64_t> across) {
  SmallVector<Value> registers;
  for (auto [rows, columns] : llvm::zip_equal(down, across)) {
    Value offset = b.add(b.mul(row, side), b.add(column, b.index(rows * side + columns)));
    Value number = b.load(type, 1, b.address(from, type, offset));
    registers.push_back(type.isF32() ? roundToTF32(b, number) : number);
  }
  return registers;
}

/// The whole matmul, step by step of the matmul's sizes.
template <typename T> void expectNumbers(const std::string &type) {
  auto kernels = build({type, type}, [&](CudaBuilder &b, KernelFunction &kernel, Value lane) {
    Type number = type == "f64" ? Type(b.getF64Type()) : Type(b.getF32Type());
    WarpMatmul matmul = warpMatmulOf(number);
    Value g = b.divide(lane, 4), t = b.remainder(lane, 4);
    SumPlaces places(b, lane);
    for (int64_t row = 0; row < side; row += matmul.rows)
      for (int64_t column = 0; column < side; column += WarpMatmul::columns) {
        SmallVector<Value> sums(matmul.sums(), b.real(number, 0));
        for (int64_t inner = 0; inner < side; inner += matmul.inner) {
          SmallVector<int64_t> leftDown, leftAcross, rightDown, rightAcross;
          for (int64_t r = 0; r < matmul.leftRegisters(); ++r) {
            leftDown.push_back(row + 8 * (r % (matmul.rows / 8)));
            leftAcross.push_back(inner + 4 * (r / (matmul.rows / 8)));
          }
          for (int64_t r = 0; r < matmul.rightRegisters(); ++r) {
            rightDown.push_back(inner + 4 * r);
            rightAcross.push_back(column);
          }
          auto left = readFactor(b, kernel.buffer(0), number, g, t, leftDown, leftAcross);
          auto right = readFactor(b, kernel.buffer(1), number, t, g, rightDown, rightAcross);
          sums = multiply(b, matmul, left, right, sums);
        }
        for (auto [i, sum] : llvm::enumerate(sums))
          b.store(sum, b.address(kernel.buffer(2), number, places.offset(i, row, column)));
      }
  });
  ASSERT_TRUE(kernels->isLoaded());
  std::vector<int> a, b;
  auto got = run<T, T>(*kernels, [](int i) { return static_cast<T>(i); }, a, b);
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      int want = 0;
      for (int k = 0; k < side; ++k)
        want += a[i * side + k] * b[k * side + j];
      ASSERT_EQ(got[i * side + j], want) << "row " << i << ", column " << j;
    }
}

TEST(WarpMatmuls, OfSingleByTF32) { expectNumbers<float>("f32"); }
TEST(WarpMatmuls, OfDouble) { expectNumbers<double>("f64"); }
} // namespace
