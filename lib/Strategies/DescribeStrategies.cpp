//===- DescribeStrategies.cpp - The strategies of a kernel ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Strategies/DescribeStrategies.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Strategies/Sums.h"

using namespace mlir;
using namespace mlir::tinytc;
namespace json = llvm::json;

static json::Value toJsonSize(int64_t size) {
  return ShapedType::isDynamic(size) ? json::Value(nullptr) : json::Value(size);
}

/// The entries of a strategy as the attribute prints them, without its name.
static std::string getEntries(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << Attribute(getDiscardable<TinyTCDialect::StrategyAttrHelper>(op));
  StringRef entries(text);
  entries.consume_front("#tinytc.strategy<");
  entries.consume_back(">");
  return entries.str();
}

/// Adds what the tile of a sum was chosen from.
static void describeSum(json::Object &described, linalg::GenericOp op,
                        const Strategy &strategy, const Launch &launch) {
  std::optional<Reduction> reduction = Reduction::match(op);
  std::optional<EstimatedSum> sum;
  if (reduction && reduction->getUpdate())
    sum = estimateSum(*reduction, strategy, launch);
  if (!sum)
    return;
  json::Array tiles;
  for (const EstimatedTile &tile : sum->tiles)
    tiles.push_back(json::Array{tile.rows, tile.columns, tile.cycles});
  described["shape"] =
      json::Array{toJsonSize(sum->shape.rows), toJsonSize(sum->shape.columns),
                  toJsonSize(sum->shape.length)};
  described["width"] = strategy.gridRows;
  described["tiles"] = std::move(tiles);
}

json::Array tinytc::describeStrategies(Operation *kernel) {
  json::Array result;
  auto func = dyn_cast<func::FuncOp>(kernel);
  const std::optional<Launch> launch = func ? getLaunch(func) : std::nullopt;
  kernel->walk([&](Operation *op) {
    std::optional<Strategy> strategy = Strategy::find(op);
    if (!strategy && !isa<BlasOpInterface, ForeachOp>(op))
      return;
    auto place = op->getLoc()->findInstanceOf<FileLineColRange>();
    json::Object described{
        {"op", op->getName().getStringRef()},
        {"line", place ? json::Value(int64_t(place.getStartLine())) : nullptr}};
    if (strategy) {
      described["kind"] = stringifyStrategyKind(strategy->kind);
      described["entries"] = getEntries(op);
      described["rows"] = strategy->rows;
      described["columns"] = strategy->columns;
      described["unroll"] = strategy->unroll;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && launch && generic.getNumReductionLoops() == 1)
      describeSum(described, generic, *strategy, *launch);
    result.push_back(std::move(described));
  });
  return result;
}
