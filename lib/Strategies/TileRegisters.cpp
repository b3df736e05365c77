//===- TileRegisters.cpp - Products on tile registers ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/DotProduct.h"
#include "lib/Strategies/Products.h"

using namespace mlir;
using namespace mlir::tinytc;

static Strategy getStrategy(const DotProduct &product) {
  Strategy strategy{StrategyKind::TileRegisters};
  strategy.rows = product.tile->rows;
  strategy.columns = product.tile->columns;
  strategy.unroll = product.tile->words;
  strategy.localBytes = product.getBytes();
  return strategy;
}

/// Whether tiles take less time than other instructions, as measured on an Emerald
/// Rapids (docs/decisions/dot-products.md). Sums in local memory cost about a fifth of
/// the smallest products.
static bool isWorthTiles(const DotProduct &product, const TileRegisters &tiles) {
  int64_t least = product.getDepth() == 4 ? tiles.minOfI8 : tiles.minOfBF16;
  if (product.hasSumsOfTiles)
    least *= 2;
  return product.summed >= tiles.minSummed && product.columns >= tiles.minColumns &&
         product.rows * product.columns * product.summed >= least;
}

std::optional<Strategy> tinytc::chooseTileRegisters(GemmOp op, const Launch &launch) {
  std::optional<DotProduct> product = DotProduct::matchTiles(op, launch.machine);
  if (!product || launch.getNumSubgroups() != 1)
    return std::nullopt;
  // The time of a product follows the columns, so blocks of them are equal.
  auto divide = [](int64_t size) -> int64_t {
    return llvm::divideCeil(size, llvm::divideCeil(size, TileShape::kMost));
  };
  TileShape tile{std::min(product->rows, TileShape::kMost), divide(product->columns),
                 std::min(product->getSteps(), TileShape::kMost)};
  product = DotProduct::matchTiles(op, launch.machine, tile);
  int64_t free = countBytesForCopies(op->getParentOfType<FuncOp>(), launch.target);
  if (product->getBytes() > free || !isWorthTiles(*product, launch.machine.tiles))
    return std::nullopt;
  return getStrategy(*product);
}

void tinytc::uniteTiles(FuncOp func, const Machine &machine) {
  SmallVector<GemmOp> products;
  TileShape tile{1, 1, 1};
  func.walk([&](GemmOp op) {
    if (!hasStrategy(op, StrategyKind::TileRegisters))
      return;
    TileShape own = TileShape::get(*Strategy::find(op));
    tile = {std::max(tile.rows, own.rows), std::max(tile.columns, own.columns),
            std::max(tile.words, own.words)};
    products.push_back(op);
  });
  for (GemmOp op : products)
    if (auto product = DotProduct::matchTiles(op, machine, tile))
      getStrategy(*product).setOn(op);
}
