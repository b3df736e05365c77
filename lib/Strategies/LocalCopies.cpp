//===- LocalCopies.cpp - Factors that are copied into local memory --------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Scalars.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Strategies/Products.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Whether the columns of a matrix of static size evict each other from the cache.
static bool collidesInCache(MemrefType type, const Machine &machine) {
  int64_t stride = type.getStride()[1];
  return !ShapedType::isDynamic(stride) &&
         machine.cache.collides(type.getShape()[1],
                                stride * getSizeBytes(type.getElementType()));
}

/// Whether A is read again so often that a copy pays.
static bool paysToCopyA(GemmOp op, const Machine &machine) {
  auto a = cast<MemrefType>(op.getA().getType());
  auto c = cast<MemrefType>(op.getC().getType());
  if (!a.hasStaticShape() || c.isDynamicSize(1))
    return false;
  int64_t columns = c.getShape()[1];
  if (isTransposed(op.getTransposeA()))
    return columns >= machine.costs.minTransposedColumns;
  return columns >= machine.costs.minPackedColumns && collidesInCache(a, machine);
}

/// Whether elements of B are of 16 bits, and the type of C is that of the sums.
static bool paysToCopyB(GemmOp op, const Machine &machine) {
  auto b = cast<MemrefType>(op.getB().getType());
  Type sum = cast<MemrefType>(op.getC().getType()).getElementType();
  return machine.vectors.convertsSingleElements && b.hasStaticShape() &&
         isHalf(b.getElementType()) && isa<FloatType>(sum) && !isHalf(sum);
}

std::optional<Strategy> tinytc::chooseLocalCopies(GemmOp op, const Machine &machine) {
  Strategy strategy{StrategyKind::LocalCopies};
  strategy.copiesA = paysToCopyA(op, machine);
  strategy.copiesB = paysToCopyB(op, machine);
  if (!strategy.copiesA && !strategy.copiesB)
    return std::nullopt;
  return strategy;
}

/// The type of op(A) in local memory, with space between its columns if that keeps them
/// in the cache.
static MemrefType getTypeOfA(GemmOp op, const Machine &machine) {
  auto a = cast<MemrefType>(op.getA().getType());
  SmallVector<int64_t> shape(a.getShape());
  if (isTransposed(op.getTransposeA()))
    std::swap(shape[0], shape[1]);
  Type element = a.getElementType();
  auto type = MemrefType::get(shape, element, AddressSpace::Local);
  if (!collidesInCache(type, machine))
    return type;
  int64_t perLine = machine.cache.lineBytes / getSizeBytes(element);
  // An odd number of lines: the columns then visit all sets.
  int64_t lines = llvm::divideCeil(shape[0], perLine) | 1;
  return MemrefType::get(shape, element, {1, lines * perLine}, AddressSpace::Local);
}

/// The type with space between its columns where the lanes of a work-group write parts
/// of several columns at once: columns that are an odd multiple of these parts apart
/// use different banks.
static MemrefType spreadOverBanks(MemrefType type, FuncOp func,
                                  const Machine &machine) {
  std::optional<ArrayRef<int32_t>> lanes = func.getWorkGroupSize();
  Type element = type.getElementType();
  if (!lanes || lanes->back() == 1 ||
      lanes->front() * getSizeBytes(element) >= machine.localBankBytes)
    return type;
  int64_t rows = lanes->front();
  int64_t stride = (llvm::divideCeil(type.getStride()[1], rows) | 1) * rows;
  return MemrefType::get(type.getShape(), element, {1, stride}, AddressSpace::Local);
}

/// The type of op(A) for at most so many bytes, which it may still exceed.
static MemrefType fitTypeOfA(GemmOp op, const Machine &machine, int64_t bytes) {
  MemrefType type = getTypeOfA(op, machine);
  MemrefType spread = spreadOverBanks(type, op->getParentOfType<FuncOp>(), machine);
  return getLocalBytes(spread) <= bytes ? spread : type;
}

static MemrefType getTypeOfB(GemmOp op) {
  Type sum = cast<MemrefType>(op.getC().getType()).getElementType();
  return MemrefType::get(cast<MemrefType>(op.getB().getType()).getShape(), sum,
                         AddressSpace::Local);
}

std::optional<Strategy> tinytc::fitLocalCopies(GemmOp op, Strategy strategy,
                                               const Machine &machine, int64_t &free) {
  auto take = [&](bool &copies, MemrefType type) {
    copies = getLocalBytes(type) <= free;
    if (!copies)
      return;
    free -= getLocalBytes(type);
    strategy.localBytes += getLocalBytes(type);
  };
  if (strategy.copiesA)
    take(strategy.copiesA, fitTypeOfA(op, machine, free));
  if (strategy.copiesB)
    take(strategy.copiesB, getTypeOfB(op));
  if (!strategy.copiesA && !strategy.copiesB)
    return std::nullopt;
  return strategy;
}

int64_t tinytc::countBytesForCopies(FuncOp func, TargetAttr target) {
  // Assume that no allocas share memory.
  int64_t free =
      target.getLocalMemoryBytes() / getMachine(target).launches.workGroupsPerCore;
  func.walk([&](AllocaOp op) { free -= getLocalBytes(op.getType()); });
  func.walk([&](GemmOp op) {
    std::optional<Strategy> given = Strategy::find(op);
    if (given && given->kind == StrategyKind::LocalCopies)
      free -= given->localBytes;
  });
  return free;
}

LocalCopies LocalCopies::get(GemmOp op, const Strategy &strategy,
                             const Machine &machine) {
  LocalCopies copies;
  if (strategy.copiesB)
    copies.b = getTypeOfB(op);
  if (strategy.copiesA)
    copies.a = fitTypeOfA(op, machine, strategy.localBytes - copies.getBytes());
  return copies;
}

int64_t LocalCopies::getBytes() const {
  return (a ? getLocalBytes(a) : 0) + (b ? getLocalBytes(b) : 0);
}
