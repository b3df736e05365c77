//===- DescribeTiles.cpp - What the cost model says of a kernel -----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Strategies/DescribeTiles.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Analysis/Schedule.h"
#include "lib/Analysis/Strategy.h"

using namespace mlir;
using namespace mlir::tinytc;
namespace json = llvm::json;

static json::Value toJsonSize(int64_t size) {
  return ShapedType::isDynamic(size) ? json::Value(nullptr) : json::Value(size);
}

json::Array tinytc::describeTiles(FuncOp func) {
  json::Array result;
  TargetAttr target = findTarget(func);
  int64_t width = (*func.getWorkGroupSize())[0];
  for (const EstimatedReduction &each :
       estimateReductions(target, func, width, func.getScheduleAttr())) {
    // The tiles of a matrix unit need no estimate.
    if (hasStrategy(each.op, {StrategyKind::MatrixUnit, StrategyKind::PackedFactors,
                              StrategyKind::TensorCores}))
      continue;
    json::Array tiles;
    for (const EstimatedTile &tile : each.tiles)
      tiles.push_back(json::Array{tile.rows, tile.columns, tile.cycles});
    auto place = each.op->getLoc()->findInstanceOf<FileLineColRange>();
    result.push_back(json::Object{
        {"instruction", each.op->getName().stripDialect()},
        {"line", place ? json::Value(int64_t(place.getStartLine())) : nullptr},
        {"shape",
         json::Array{toJsonSize(each.shape.rows), toJsonSize(each.shape.columns),
                     toJsonSize(each.shape.length)}},
        {"width", width},
        {"rows", each.chosen.rows},
        {"columns", each.chosen.columns},
        {"unroll", each.chosen.unroll},
        {"tiles", std::move(tiles)}});
  }
  return result;
}
