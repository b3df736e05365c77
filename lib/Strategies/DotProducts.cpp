//===- DotProducts.cpp - Products of packed factors -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/DotProduct.h"
#include "lib/Strategies/Products.h"

using namespace mlir;
using namespace mlir::tinytc;

std::optional<Strategy> tinytc::chooseDotProducts(GemmOp op, const Machine &machine) {
  std::optional<DotProduct> product = DotProduct::match(op, machine);
  // Packing a factor takes about as long as multiplying it by a column.
  if (!product || product->columns < 2 || product->summed < product->getDepth())
    return std::nullopt;
  Strategy strategy{StrategyKind::DotProducts};
  strategy.localBytes = product->getBytes();
  return strategy;
}
