//===- ChooseSchedule.cpp - how kernels are shared out over threads -------===//
#include "codegen/cuda/ChunkRows.h"
#include "codegen/cuda/LaunchRegisters.h"
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/RowWalk.h"
#include "codegen/cuda/ScheduleOverride.h"
#include "codegen/cuda/ShareRows.h"
#include "codegen/cuda/matmul/MatmulKernel.h"
#include "codegen/rows/PassOptions.h"
#include "ir/seq/Purpose.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_CHOOSECUDASCHEDULE
#include "codegen/cuda/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t mostFlatRows = 16; // of a block of the optimizer: ranks own whole ones, so many would be left over

struct ChooseCudaSchedulePass : stretto::codegen::impl::ChooseCudaScheduleBase<ChooseCudaSchedulePass> {
  using ChooseCudaScheduleBase::ChooseCudaScheduleBase;

  LogicalResult initialize(MLIRContext *context) final {
    if (failed(
            requireAtLeast(0, {{"rows", rows}, {"lanes", lanes}, {"chunk", chunk}, {"threads", threads}}, context)) ||
        failed(requireAtMost(kern::mostRows, {{"rows", rows}}, context)) ||
        failed(requireAtMost(kern::mostOfCount, {{"chunk", chunk}}, context)))
      return failure();
    if (lanes && (!llvm::isPowerOf2_64(lanes) || lanes > kern::mostLanes))
      return emitError(UnknownLoc::get(context))
             << "lanes must be a power of two of at most " << kern::mostLanes << ", but got " << lanes.getValue();
    return requireAtLeast(1, {{"processors", processors}, {"shared-bytes", sharedOfBlock}}, context);
  }

  void runOnOperation() final {
    auto schedules =
        ScheduleOverrides::read(overrides, SmallVector<StringRef>(ArrayRef(cudaOverrideFields)), getOperation());
    if (failed(schedules))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](kern::RowKernel op) {
      return op.getSchedule() || succeeded(choose(op, schedules->of(op))) ? WalkResult::advance()
                                                                          : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult choose(kern::RowKernel op, const ScheduleOverride &numbers) {
    auto matmul = dyn_cast<kern::MatmulOp>(op.getOperation());
    if (failed(checkFields(numbers, /*isMatmul=*/matmul != nullptr)))
      return failure();
    return matmul ? chooseMatmulSchedule(matmul, numbers, processors)
                  : choose(cast<kern::RowwiseOp>(op.getOperation()), numbers);
  }

  /// Narrow groups share a block, but no more than there are chunks, as far as whole warps allow.
  static int64_t groupsFor(const RowShape &shape, int64_t group, int64_t chunkRows, int64_t mostRows) {
    int64_t chunks = shape.batch * llvm::divideCeil(shape.time, chunkRows);
    int64_t groups = std::max<int64_t>(1, blockThreads / group);
    while (groups > 1 && (groups / 2 >= chunks || groups * chunkRows > mostRows) && groups * group > warpThreads)
      groups /= 2;
    return groups;
  }

  /// A row and how threads share it.
  struct Choice {
    RowShape shape;
    RowSharing sharing;
  };

  /// `mayCopy`: whether rows may go through shared memory where nobody has said so.
  Choice choiceFor(const RowPlan &plan, const ScheduleOverride &numbers, bool mayCopy, bool apart) {
    int64_t least = leastLanes(plan.kernel());
    GivenSharing given{numbers.get("lanes", lanes ? std::max(lanes.getValue(), least) : 0),
                       numbers.get("threads", threads), numbers.get("rows", rows),
                       numbers.get("places", mayCopy ? 0 : 1)};
    RowShape shape(plan, apart);
    RowSharing sharing = SharingChooser(shape, given, least, processors, sharedOfBlock).choose();
    return {std::move(shape), sharing};
  }

  /// Registers that are missing, then time.
  static std::pair<int64_t, double> costOf(const Choice &choice) {
    int64_t block = std::max(choice.sharing.threads, blockThreads);
    int64_t missing = choice.shape.registers(choice.sharing) + spareRegisters - mostLaunchRegisters(block);
    return {std::max<int64_t>(missing, 0), choice.shape.stepsOfRow(choice.sharing, block)};
  }

  /// Sections that share no value have thread blocks of their own where nothing is summed along rows; else where that
  /// is faster, or a thread has no registers for all of them.
  Choice choose(const RowPlan &plan, const ScheduleOverride &numbers, bool mayCopy) {
    Choice apart = choiceFor(plan, numbers, mayCopy, /*apart=*/true);
    if (apart.shape.parts.size() == 1 || apart.shape.mayTile())
      return apart;
    Choice together = choiceFor(plan, numbers, mayCopy, /*apart=*/false);
    return costOf(apart) < costOf(together) ? apart : together;
  }

  kern::ThreadScheduleAttr make(kern::RowwiseOp op, const Choice &choice, const ScheduleOverride &numbers) {
    const auto &[shape, sharing] = choice;
    auto entry = op->getParentOfType<func::FuncOp>();
    int64_t mostRows = entry && isEntry(entry, seq::EntryKind::optimizer) ? mostFlatRows : INT64_MAX;
    int64_t chunkRows =
        numbers.get("chunk", chunk ? chunk.getValue() : chooseChunk(shape, sharing, mostRows, processors));
    int64_t stepRows = numbers.has("rows") ? sharing.rows : std::min(sharing.rows, chunkRows);
    return kern::ThreadScheduleAttr::get(op.getContext(), stepRows, sharing.lanes, chunkRows, sharing.threads,
                                         numbers.get("groups", groupsFor(shape, sharing.threads, chunkRows, mostRows)),
                                         shape.tiles(sharing), sharing.places);
  }

  /// Shared memory of a block under the schedule of a kernel, for sums.
  static int64_t sharedBytes(kern::RowKernel op, CudaBuilder &b) {
    RowPlan plan = planScheduled(op);
    return RowWalk(plan).sumBytes(b);
  }

  static kern::ThreadScheduleAttr with(kern::ThreadScheduleAttr s, int64_t groups, int64_t chunkRows) {
    return kern::ThreadScheduleAttr::get(s.getContext(), std::min(s.getRows(), chunkRows), s.getLanes(), chunkRows,
                                         s.getThreads(), groups, s.getTiles(), s.getPlaces());
  }

  /// Whether no chunk is so short that static shared memory suffices.
  static bool needsDynamicShared(kern::RowKernel op, CudaBuilder &b) {
    auto s = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
    op.setScheduleAttr(with(s, std::max<int64_t>(1, warpThreads / s.getThreads()), /*chunkRows=*/1));
    bool needs = sharedBytes(op, b) > mostSharedBytes;
    op.setScheduleAttr(s);
    return needs;
  }

  /// Shared memory of a block for sums; what it may be.
  struct SumMemory {
    int64_t bytes = 0, most = mostSharedBytes;
  };

  /// Fewer groups of a block, then shorter chunks where these can make it so, until static shared memory suffices; what
  /// is given stays.
  SumMemory fitSharedMemory(const RowPlan &plan, CudaBuilder &b, const ScheduleOverride &numbers) {
    kern::RowKernel op = plan.kernel();
    auto s = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
    int64_t leastChunk = numbers.has("chunk") ? s.getChunk() : numbers.get("rows", 1);
    if (mayTile(plan, plan.phases()))
      return {};
    SumMemory memory{sharedBytes(op, b)};
    if (memory.bytes > mostSharedBytes && needsDynamicShared(op, b))
      memory.most = sharedOfBlock;
    while (memory.bytes > mostSharedBytes) {
      bool fewerGroups = !numbers.has("groups") && s.getGroups() > 1 && s.getGroups() * s.getThreads() > warpThreads;
      if (!fewerGroups && (memory.bytes <= memory.most || s.getChunk() / 2 < leastChunk))
        break;
      s = fewerGroups ? with(s, s.getGroups() / 2, s.getChunk()) : with(s, s.getGroups(), s.getChunk() / 2);
      op.setScheduleAttr(s);
      memory.bytes = sharedBytes(op, b);
    }
    return memory;
  }

  /// Whether the chosen places hold rows on their way: there are steps for all of them, and room beside so many bytes
  /// for sums.
  bool servesPlaces(kern::RowwiseOp op, int64_t ofSums) {
    auto s = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
    if (s.getChunk() < s.getPlaces() * s.getRows())
      return false;
    int64_t bytes = bytesOfPlaces(op);
    return bytes > 0 && bytes <= std::min(mostAheadBytes, sharedOfBlock - ofSums);
  }

  static void remarkFarTaps(kern::RowwiseOp op, int64_t reach) {
    auto options = remark::RemarkOpts::name("FarTaps").category("registers");
    if (auto entry = op->getParentOfType<func::FuncOp>())
      options = options.function(entry.getName());
    remark::missed(op.getLoc(), options)
        << llvm::formatv("taps load rows once more, as numbers wait in registers for {0} rows at most", reach).str();
  }

  /// Says in remarks what was chosen for a kernel and what was given; a block takes `sharedBytes` for sums.
  static void remarkChoice(kern::RowwiseOp op, const RowShape &shape, int64_t sharedBytes,
                           const ScheduleOverride &numbers) {
    auto s = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
    remark::passed(op.getLoc(), remark::RemarkOpts::name("Schedule").category("schedule"))
        << "shares rows out over threads" << remark::metric("rows", s.getRows())
        << remark::metric("lanes", s.getLanes()) << remark::metric("chunk", s.getChunk())
        << remark::metric("threads", s.getThreads()) << remark::metric("groups", s.getGroups())
        << remark::metric("tiles", s.getTiles()) << remark::metric("places", s.getPlaces())
        << remark::metric("chunks", op.getChunks())
        << remark::metric("estimated_registers",
                          shape.registers({s.getLanes(), s.getThreads(), s.getRows(), s.getPlaces()}))
        << remark::metric("shared_bytes", sharedBytes);
    if (shape.loadsAgain)
      remarkFarTaps(op, shape.reach);
    numbers.remark({{"rows", s.getRows()},
                    {"lanes", s.getLanes()},
                    {"chunk", s.getChunk()},
                    {"threads", s.getThreads()},
                    {"groups", s.getGroups()},
                    {"tiles", s.getTiles()},
                    {"places", s.getPlaces()}});
  }

  LogicalResult choose(kern::RowwiseOp op, const ScheduleOverride &numbers) {
    RowPlan plan(op);
    Choice choice = choose(plan, numbers, /*mayCopy=*/true);
    if (failed(checkOverride(numbers, leastLanes(op), widestAccess / choice.shape.narrowest)))
      return failure();
    CudaBuilder b(op.getLoc(), op.getContext());
    op.setScheduleAttr(make(op, choice, numbers));
    SumMemory shared = fitSharedMemory(plan, b, numbers);
    if (choice.sharing.copies() && !numbers.has("places") && !servesPlaces(op, shared.bytes)) {
      choice = choose(plan, numbers, /*mayCopy=*/false);
      op.setScheduleAttr(make(op, choice, numbers));
      shared = fitSharedMemory(plan, b, numbers);
    }
    auto s = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
    if (failed(checkTogether(numbers, s, shared.bytes, shared.most)))
      return failure();
    if (shared.bytes > shared.most)
      return op.emitOpError("has sums that take ")
             << shared.bytes << " bytes of shared memory, but a block has at most " << shared.most;
    remarkChoice(op, choice.shape, shared.bytes, numbers);
    return success();
  }
};
} // namespace
