//===- Tiles.cpp - Sizes of tiles on Tile IR ------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Scalars.h"
#include "lib/Analysis/TileProducts.h"
#include "lib/Strategies/Choose.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

// Elements of a tile: the warps of a tile block, four of 32 lanes, keep them in
// registers, and more than 32 words in each lane spill next to the factors.
static constexpr int64_t kMaxWords = 4096;
// Products of f32 have no tensor cores: lanes keep elements of the factors, too.
static constexpr int64_t kMaxWordsOfF32 = 2048;
static constexpr int64_t kMaxMatrixRows = 64, kMaxDynamic = 32, kMaxMatrixStep = 32;
// The largest size of a mode, where elements are multiplied, for products of matrices
// and for other instructions.
static constexpr int64_t kMaxProductSize = 16, kMaxSize = 64;

/// The largest tile of a mode, at most `limit`.
static int64_t chooseTileSize(int64_t size, int64_t limit) {
  int64_t largest = ShapedType::isDynamic(size)
                        ? kMaxDynamic
                        : llvm::PowerOf2Ceil(std::max<int64_t>(size, 1));
  return std::min(largest, std::max<int64_t>(limit, 1));
}

/// Rows and columns of the destination, then the step: the factors of one step need no
/// more registers than the sum.
static SmallVector<int64_t> chooseMatrixTile(ArrayRef<int64_t> sizes,
                                             int64_t elements) {
  int64_t rows = chooseTileSize(sizes[0], kMaxMatrixRows);
  int64_t columns = chooseTileSize(sizes[1], std::min(kMaxMatrixRows, elements / rows));
  int64_t step = chooseTileSize(sizes[2], std::min(kMaxMatrixStep, elements / rows));
  return {rows, columns, step};
}

/// The first mode is the contiguous one: it gets what it needs, the others what is
/// left.
static SmallVector<int64_t> chooseElementTile(ArrayRef<int64_t> sizes, int64_t words,
                                              int64_t maxSize) {
  SmallVector<int64_t> tile;
  int64_t left = kMaxWords / words;
  for (int64_t size : sizes) {
    tile.push_back(chooseTileSize(size, std::min(left, maxSize)));
    left /= tile.back();
  }
  return tile;
}

Strategy tinytc::chooseTileStrategy(BlasOpInterface op) {
  MemrefType dest = op.getDestination().getType();
  Type type = dest.getElementType();
  Type element = getComputeType(getRealType(type));
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  int64_t words = llvm::divideCeil(bits, 32) * (isa<ComplexType>(type) ? 2 : 1);
  SmallVector<int64_t> sizes = op.getProductShape();
  Strategy strategy{StrategyKind::Tiles};
  auto gemm = dyn_cast<GemmOp>(op.getOperation());
  if (gemm && hasMatrixTiles(gemm)) {
    strategy.kind = StrategyKind::TileProducts;
    bool isF32 = element.isF32() && !hasNarrowFactors(gemm);
    strategy.tile =
        chooseMatrixTile(sizes, (isF32 ? kMaxWordsOfF32 : kMaxWords) / words);
  } else {
    strategy.tile = chooseElementTile(sizes, words, gemm ? kMaxProductSize : kMaxSize);
  }
  // Local memory is one tile.
  if (dest.isLocal())
    for (auto [tile, size] : llvm::zip(strategy.tile, dest.getShape()))
      if (!ShapedType::isDynamic(size))
        tile = llvm::PowerOf2Ceil(std::max<int64_t>(size, 1));
  return strategy;
}
