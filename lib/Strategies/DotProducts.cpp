//===- DotProducts.cpp - Products of packed factors -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/DotProduct.h"
#include "lib/Strategies/Products.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Whether a product has at least so many columns, steps and multiply-adds.
static bool hasAtLeast(const DotProduct &product, int64_t columns, int64_t summed,
                       int64_t multiplyAdds) {
  return product.columns >= columns && product.summed >= summed &&
         product.rows * product.columns * product.summed >= multiplyAdds;
}

static Strategy getStrategy(const DotProduct &product) {
  Strategy strategy{StrategyKind::DotProducts};
  strategy.localBytes = product.getBytes();
  if (product.tile) {
    strategy.kind = StrategyKind::TileRegisters;
    strategy.rows = product.tile->rows;
    strategy.columns = product.tile->columns;
    strategy.unroll = product.tile->words;
  }
  return strategy;
}

/// The size of a tile along a mode. Tiles that are filled with zeros have their sums in
/// local memory, so it is smaller than the matrix where that is possible.
static int64_t fitSize(int64_t size, int64_t most, int64_t step) {
  return std::clamp<int64_t>(llvm::alignDown(size, step), step, most);
}

static TileShape findTile(const DotProduct &product, const TileRegisters &tiles) {
  // The time of a product follows the columns, so blocks of them are equal.
  int64_t blocks = llvm::divideCeil(product.columns, tiles.most.columns);
  int64_t columns =
      llvm::alignTo(llvm::divideCeil(product.columns, blocks), tiles.step.columns);
  return {fitSize(product.rows, tiles.most.rows, tiles.step.rows),
          fitSize(product.columns, columns, tiles.step.columns),
          std::min<int64_t>(llvm::alignTo(product.getSteps(), tiles.step.words),
                            tiles.most.words)};
}

/// The product on tile registers, if it takes less time there (`docs/decisions/
/// dot-products.md`).
static std::optional<DotProduct> findTileProduct(GemmOp op, const Machine &machine) {
  const TileRegisters &tiles = machine.tiles;
  std::optional<DotProduct> product = DotProduct::matchTiles(op, machine);
  if (!product)
    return std::nullopt;
  product = DotProduct::matchTiles(op, machine, findTile(*product, tiles));
  int64_t least = product->getDepth() == 4 ? tiles.minOfI8 : tiles.minOfBF16;
  // Sums in local memory cost about a fifth of the smallest products.
  if (product->hasSumsOfTiles)
    least *= 2;
  // Vectors of AArch64 transpose words of B one by one.
  if (!product->isAlongB && tiles.unit == TileRegisters::MMLA)
    least *= 10;
  if (!hasAtLeast(*product, tiles.minColumns, tiles.minSummed, least))
    return std::nullopt;
  return product;
}

/// The same for a launch, which needs memory for the packed factors.
static std::optional<DotProduct> findTileProduct(GemmOp op, const Launch &launch) {
  std::optional<DotProduct> product = findTileProduct(op, launch.machine);
  if (!product || launch.getNumSubgroups() != 1 ||
      product->getBytes() >
          countBytesForCopies(op->getParentOfType<FuncOp>(), launch.target))
    return std::nullopt;
  return product;
}

std::optional<UnitSteps> tinytc::getTileSteps(GemmOp op, const Machine &machine) {
  std::optional<DotProduct> product = findTileProduct(op, machine);
  if (!product)
    return std::nullopt;
  const TileShape &most = machine.tiles.most;
  return UnitSteps{most.rows, most.columns, most.words * product->getDepth()};
}

std::optional<Strategy> tinytc::chooseDotProduct(GemmOp op, const Launch &launch) {
  std::optional<DotProduct> product = findTileProduct(op, launch);
  if (!product)
    product = DotProduct::match(op, launch.machine);
  // Packing a factor takes about as long as multiplying it by a column.
  if (!product || !hasAtLeast(*product, 2, product->getDepth(), 1))
    return std::nullopt;
  return getStrategy(*product);
}

void tinytc::completeTiles(FuncOp func, const Machine &machine) {
  SmallVector<GemmOp> products;
  TileShape most{1, 1, 1};
  func.walk([&](GemmOp op) {
    if (!hasStrategy(op, StrategyKind::TileRegisters))
      return;
    TileShape own = getTileShape(*Strategy::find(op));
    most = {std::max(most.rows, own.rows), std::max(most.columns, own.columns),
            std::max(most.words, own.words)};
    products.push_back(op);
  });
  for (GemmOp op : products) {
    TileShape own = getTileShape(*Strategy::find(op));
    if (auto product = DotProduct::matchTiles(op, machine,
                                              machine.tiles.areConfigured ? most : own))
      getStrategy(*product).setOn(op);
  }
}
