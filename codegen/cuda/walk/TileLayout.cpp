//===- TileLayout.cpp - which thread holds which elements of a tile -------------===//
#include "codegen/cuda/walk/TileLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// How many neighbours of `count` each of at most `most` warps gets, and how many warps have any.
static std::pair<int64_t, int64_t> shareOut(int64_t count, int64_t most) {
  int64_t each = llvm::divideCeil(count, std::min(count, most));
  return {each, llvm::divideCeil(count, each)};
}

TileLayout::TileLayout(ArrayRef<int64_t> dims, int64_t warps) : shape(dims), warps(warps) {
  if (rank() != 2)
    return;
  down = shape[0] / square;
  across = shape[1] / square;
  std::tie(downOfWarp, warpsDown) = shareOut(down, warps);
  std::tie(acrossOfWarp, warpsAcross) = shareOut(across, warps / warpsDown);
}

int64_t TileLayout::parts() const {
  switch (rank()) {
  case 0:
    return 1;
  case 1:
    return llvm::divideCeil(shape[0], threads());
  default:
    return rowsOfThread() * partsOfRow();
  }
}

bool TileLayout::isRagged() const {
  if (rank() == 1)
    return shape[0] % threads() != 0;
  return rank() == 2 &&
         (warpsDown * warpsAcross != warps || downOfWarp * warpsDown != down || acrossOfWarp * warpsAcross != across);
}

TilePlaces::TilePlaces(CudaBuilder &b, const TileLayout &layout, Value thread) : b(b), tile(layout) { follow(thread); }

void TilePlaces::follow(Value number) {
  thread = number;
  lane = b.remainder(thread, warpThreads);
  if (tile.rank() != 2)
    return;
  Value warp = b.divide(thread, warpThreads);
  warpDown = b.remainder(warp, tile.warpsDown);
  warpAcross = b.divide(warp, tile.warpsDown);
  rowInSquare = b.divide(lane, 4);
  columnInSquare = b.mul(b.remainder(lane, 4), 2);
}

/// The first row or column of square `number` of those that a warp has from `ofWarp * warp` on, of `all`.
static Value firstOf(CudaBuilder &b, Value warp, int64_t ofWarp, int64_t number, int64_t all, bool isRagged) {
  Value first = b.mul(b.mul(warp, ofWarp), TileLayout::square);
  Value place = b.add(first, b.index(number * TileLayout::square));
  return isRagged ? b.minimum(place, b.index((all - 1) * TileLayout::square)) : place;
}

Value TilePlaces::firstRow(int64_t number) {
  return firstOf(b, warpDown, tile.downOfWarp, number, tile.down, tile.isRagged());
}

Value TilePlaces::firstColumn(int64_t number) {
  return firstOf(b, warpAcross, tile.acrossOfWarp, number, tile.across, tile.isRagged());
}

TilePlace TilePlaces::inMatrix(int64_t row, int64_t part) {
  int64_t down = row / 2, across = part / 2, moreRows = row % 2 * 8, moreColumns = part % 2 * 8;
  auto place = [&](int64_t firstDown, int64_t firstAcross) -> TilePlace {
    return {b.add(firstRow(firstDown), rowInSquare),
            b.add(firstColumn(firstAcross), columnInSquare),
            moreRows,
            moreColumns,
            {}};
  };
  if (!tile.isRagged()) {
    TilePlace found = place(0, 0);
    found.moreRows += down * TileLayout::square;
    found.moreColumns += across * TileLayout::square;
    return found;
  }
  TilePlace found = place(down, across);
  Value ownRow = b.less(b.add(b.mul(warpDown, tile.downOfWarp), b.index(down)), tile.down);
  Value ownColumn = b.less(b.add(b.mul(warpAcross, tile.acrossOfWarp), b.index(across)), tile.across);
  found.owned = b.both(ownRow, ownColumn);
  return found;
}

TilePlace TilePlaces::atHalf(int64_t row, Value half) {
  constexpr int64_t width = TileLayout::square / 2;
  Value number = b.add(b.mul(warpAcross, 2 * tile.acrossOfWarp), half);
  auto place = [&](Value firstRow, Value numberInTile) -> TilePlace {
    return {b.add(firstRow, rowInSquare), b.add(b.mul(numberInTile, width), columnInSquare), row % 2 * 8, 0, {}};
  };
  if (!tile.isRagged()) {
    TilePlace found = place(firstRow(0), number);
    found.moreRows += row / 2 * TileLayout::square;
    return found;
  }
  TilePlace found = place(firstRow(row / 2), b.minimum(number, b.index(2 * tile.across - 1)));
  Value ownRow = b.less(b.add(b.mul(warpDown, tile.downOfWarp), b.index(row / 2)), tile.down);
  found.owned = b.both(ownRow, b.less(number, 2 * tile.across));
  return found;
}

TilePlace TilePlaces::at(int64_t part) {
  if (tile.rank() == 2)
    return inMatrix(part / tile.partsOfRow(), part % tile.partsOfRow());
  if (tile.rank() == 0)
    return {{}, {}, 0, 0, b.less(thread, 1)}; // every thread has it, the first stores it
  Value element = b.add(thread, b.index(part * tile.threads()));
  if (!tile.isRagged())
    return {{}, element, 0, 0, {}};
  return {{}, b.minimum(element, b.index(tile.shape[0] - 1)), 0, 0, b.less(element, tile.shape[0])};
}
