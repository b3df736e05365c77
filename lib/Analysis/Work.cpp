//===- Work.cpp - Operations and traffic of a kernel ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Work.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

/// A count; none if it is not known, or too large.
using Count = std::optional<int64_t>;

static Count multiply(Count a, Count b) {
  int64_t product;
  if (!a || !b || llvm::MulOverflow(*a, *b, product))
    return std::nullopt;
  return product;
}

static void add(Count &sum, Count count) {
  int64_t result;
  if (!sum || !count || llvm::AddOverflow(*sum, *count, result))
    sum = std::nullopt;
  else
    sum = result;
}

static Count countElements(ArrayRef<int64_t> shape) {
  Count elements = 1;
  for (int64_t size : shape)
    elements = multiply(elements, ShapedType::isDynamic(size) ? Count() : Count(size));
  return elements;
}

static Count countComponents(CoopMatrixType matrix) {
  return multiply(matrix.getRows(), matrix.getColumns());
}

/// Operations of a multiply-add.
static int64_t countMultiplyAdd(Type type) {
  return isa<ComplexType>(getScalarType(type)) ? 8 : 2;
}

/// Operations on one scalar, or on each component of a matrix.
static int64_t countScalarFlops(Operation *op) {
  if (!isa<ArithAddOp, ArithSubOp, ArithMulOp, ArithDivOp>(op))
    return 0;
  Type type = getScalarType(op->getResult(0).getType());
  if (!isa<ComplexType>(type))
    return isa<FloatType>(type) ? 1 : 0;
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<ArithAddOp, ArithSubOp>([](auto) { return 2; })
      .Case([](ArithMulOp) { return 6; })
      .Default([](Operation *) { return 11; }); // a / |b|^2 conj(b)
}

/// The number of tiles, or of elements, that an index range has.
static Count countIterations(ValueRange from, ValueRange to,
                             function_ref<int64_t(unsigned)> getStep) {
  Count iterations = 1;
  for (unsigned mode = 0; mode < from.size(); ++mode) {
    std::optional<int64_t> first = getConstantIntValue(from[mode]);
    std::optional<int64_t> last = getConstantIntValue(to[mode]);
    int64_t size;
    if (!first || !last || llvm::SubOverflow(*last, *first, size))
      return std::nullopt;
    iterations = multiply(iterations,
                          llvm::divideCeil(std::max<int64_t>(size, 0), getStep(mode)));
  }
  return iterations;
}

/// The matrix that an op loads, stores or updates.
static CoopMatrixType getMatrix(Operation &op) {
  for (TypeRange types :
       {TypeRange(op.getResultTypes()), TypeRange(op.getOperandTypes())})
    for (Type type : types)
      if (auto matrix = dyn_cast<CoopMatrixType>(type))
        return matrix;
  return {};
}

static Count countIterations(ForOp loop) {
  Count step = loop.getStep() ? getConstantIntValue(loop.getStep()) : 1;
  if (!step || *step < 1)
    return std::nullopt;
  return countIterations(loop.getFrom(), loop.getTo(), [&](unsigned) { return *step; });
}

namespace {

class WorkCounter {
public:
  explicit WorkCounter(FuncOp func) {
    visit(func.getBody(), {Count(1), /*isPerElement=*/false});
  }
  Work get() const { return work; }

private:
  /// How often a group runs a region, and whether each time is for another element.
  struct Runs {
    Count times;
    bool isPerElement;
  };

  void visit(Region &region, Runs runs);
  void visit(Operation &op, Runs runs);
  Runs getRuns(Operation &op, Runs around) const;
  void countFlops(Operation &op, Runs runs);
  void countBytes(Operation &op, Runs runs);

  Work work{0, 0};
  /// How often the views that are made in loops are made.
  DenseMap<Value, Count> timesMade;
  DenseSet<Value> read, written;
};

} // namespace

WorkCounter::Runs WorkCounter::getRuns(Operation &op, Runs around) const {
  auto perElement = [&](Count count) {
    return Runs{multiply(around.times, count), /*isPerElement=*/true};
  };
  return TypeSwitch<Operation *, Runs>(&op)
      .Case([&](ForOp loop) {
        return Runs{multiply(around.times, countIterations(loop)), around.isPerElement};
      })
      .Case([&](ForeachOp loop) {
        return perElement(
            countIterations(loop.getFrom(), loop.getTo(), [](unsigned) { return 1; }));
      })
      .Case([&](ForeachTileOp loop) {
        Count tiles = countIterations(loop.getFrom(), loop.getTo(), [&](unsigned mode) {
          return loop.getSizes()[mode];
        });
        return Runs{multiply(around.times, tiles), around.isPerElement};
      })
      .Case([&](CooperativeMatrixApplyOp apply) {
        return perElement(countComponents(apply.getResult().getType()));
      })
      .Default([&](Operation *) {
        // Conditions, and regions that each work-item runs.
        return Runs{std::nullopt, around.isPerElement};
      });
}

void WorkCounter::visit(Region &region, Runs runs) {
  for (Block &block : region)
    for (Operation &op : block)
      visit(op, runs);
}

void WorkCounter::visit(Operation &op, Runs runs) {
  for (Value result : op.getResults())
    if (isa<MemrefType>(result.getType()))
      timesMade[result] = runs.times;
  countFlops(op, runs);
  if (op.getNumRegions() == 0)
    return countBytes(op, runs);
  for (Region &region : op.getRegions())
    visit(region, getRuns(op, runs));
}

void WorkCounter::countFlops(Operation &op, Runs runs) {
  Count flops = 0;
  if (auto blas = dyn_cast<BlasOpInterface>(op)) {
    if (blas.getFactors().size() == 2)
      flops = multiply(countElements(blas.getProductShape()),
                       countMultiplyAdd(blas.getDestination().getType()));
  } else if (auto product = dyn_cast<CooperativeMatrixMulAddOp>(op)) {
    CoopMatrixType a = product.getA().getType(), c = product.getResult().getType();
    flops = multiply(multiply(countComponents(c), a.getColumns()), countMultiplyAdd(c));
  } else if (int64_t scalarFlops = countScalarFlops(&op)) {
    auto matrix = dyn_cast<CoopMatrixType>(op.getResult(0).getType());
    if (matrix)
      flops = multiply(countComponents(matrix), scalarFlops);
    else if (runs.isPerElement)
      flops = scalarFlops;
  }
  if (flops != 0)
    add(work.flops, multiply(flops, runs.times));
}

void WorkCounter::countBytes(Operation &op, Runs runs) {
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectOp)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
    if (!isRead && !isa<MemoryEffects::Write>(effect.getEffect()))
      continue;
    Value value = effect.getValue();
    auto type = value ? dyn_cast<MemrefType>(value.getType()) : MemrefType();
    if (!type || type.isLocal())
      continue;
    Count elements = 1, times = runs.times;
    if (auto blas = dyn_cast<BlasOpInterface>(op)) {
      bool isOverwritten = isRead && value == blas.getDestination() &&
                           isConstant(blas.getBeta(), 0) &&
                           llvm::count(op.getOperands(), value) == 1;
      if (isOverwritten || !(isRead ? read : written).insert(value).second)
        continue;
      elements = countElements(type.getShape());
      times = timesMade.lookup_or(value, Count(1));
    } else if (CoopMatrixType matrix = getMatrix(op)) {
      elements = countComponents(matrix);
    }
    add(work.bytes,
        multiply(multiply(elements, getSizeBytes(type.getElementType())), times));
  }
}

Work tinytc::getWork(FuncOp func) { return WorkCounter(func).get(); }
