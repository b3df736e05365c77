//===- Schedule.cpp - How work is tiled over work-items -------------------===//

#include "lib/Conversion/LinalgToGPU/Schedule.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {
/// What the register file of a target holds for one work-item.
struct RegisterBudget {
  StringLiteral target;
  /// Accumulators of 4 bytes for one work-item; with 16 lanes on AVX-512, one
  /// accumulator is one of the 32 vector registers.
  int64_t accumulators;
  int64_t maxRows;
  int64_t maxColumns;
};
} // namespace

static const RegisterBudget kBudgets[] = {
    {"cpu", 18, 2, 9},
    {"intel-gpu:pvc", 64, 2, 16},
    {"intel-gpu:dg2", 32, 2, 8},
};

/// The number of adjacent columns, at most `limit`, that leaves the fewest over.
static int64_t chooseColumns(int64_t columns, int64_t limit) {
  if (ShapedType::isDynamic(columns))
    return std::min<int64_t>(limit, 8);
  if (columns <= limit)
    return std::max<int64_t>(columns, 1);
  int64_t best = limit;
  for (int64_t candidate = limit; 2 * candidate > limit; --candidate)
    if (columns % candidate < columns % best)
      best = candidate;
  return best;
}

ReductionSchedule tinytc::chooseReductionSchedule(TargetAttr target, int64_t rows,
                                                  int64_t columns, int64_t width,
                                                  Type type) {
  const auto *budget = llvm::find_if(
      kBudgets, [&](const RegisterBudget &b) { return b.target == target.getName(); });
  if (budget == std::end(kBudgets))
    budget = std::begin(kBudgets);
  Type part = getRealType(type);
  int64_t bytes = part.isIndex() ? 8 : llvm::divideCeil(part.getIntOrFloatBitWidth(), 8);
  if (isa<ComplexType>(type))
    bytes *= 2;
  int64_t accumulators =
      std::max<int64_t>(1, budget->accumulators * 4 / std::max<int64_t>(bytes, 4));
  bool manyRows = ShapedType::isDynamic(rows) || rows >= 2 * width;
  int64_t rowsPerItem = std::min(manyRows ? budget->maxRows : 1, accumulators);
  int64_t limit = std::min(budget->maxColumns, accumulators / rowsPerItem);
  return {rowsPerItem, chooseColumns(columns, limit)};
}
