//===- Reduction.cpp - Sums at the linalg stage ---------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Reduction.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Whether `loop` runs over all elements of an accumulator and `load` reads one in each
/// iteration. A scalar takes one iteration.
static bool isElementwise(scf::ForallOp loop, memref::LoadOp load) {
  int64_t rank = load.getMemRefType().getRank();
  SmallVector<OpFoldResult> upper = loop.getMixedUpperBound();
  // Canonicalization puts 0 in place of the variable of a single iteration.
  auto isVariable = [&](auto entry) {
    auto [dim, index] = entry;
    return index == loop.getInductionVar(dim) ||
           (isZeroInteger(index) && isOneInteger(upper[dim]));
  };
  return loop.getRank() == std::max<int64_t>(rank, 1) &&
         llvm::all_of(llvm::enumerate(load.getIndices()), isVariable) &&
         llvm::all_of(loop.getMixedLowerBound(), isZeroInteger);
}

std::optional<Reduction> Reduction::match(linalg::GenericOp op) {
  Reduction reduction;
  reduction.sum = op;
  Value accumulator = op.getDpsInits().front();
  for (Operation *user : accumulator.getUsers()) {
    if (auto fill = dyn_cast<linalg::FillOp>(user))
      reduction.fill = fill;
    else if (auto generic = dyn_cast<linalg::GenericOp>(user); generic && generic != op)
      reduction.update = generic;
    else if (auto load = dyn_cast<memref::LoadOp>(user)) {
      auto loop = dyn_cast<scf::ForallOp>(load->getParentOp());
      if (loop && isElementwise(loop, load))
        reduction.atomicUpdate = loop;
    }
  }
  // Fill, sum and, unless what it would write does not depend on the sum, update.
  Operation *update = reduction.getUpdate();
  size_t numUsers = update ? 3 : 2;
  bool isAlone = llvm::range_size(accumulator.getUsers()) == numUsers;
  if (!accumulator.getDefiningOp<memref::AllocaOp>() || !reduction.fill || !isAlone)
    return std::nullopt;
  // A loop around one of them would repeat it.
  auto follows = [](Operation *first, Operation *second) {
    return first->getBlock() == second->getBlock() && first->isBeforeInBlock(second);
  };
  if (!follows(reduction.fill, op) || (update && !follows(op, update)))
    return std::nullopt;
  if (reduction.update && reduction.update.getNumReductionLoops() > 0)
    return std::nullopt;
  return reduction;
}

Operation *Reduction::getUpdate() const {
  return update ? linalg::GenericOp(update).getOperation()
                : scf::ForallOp(atomicUpdate).getOperation();
}

bool Reduction::overwrites() const { return update && tinytc::overwrites(update); }

ArrayRef<int64_t> Reduction::getShape() const {
  linalg::GenericOp op = update ? update : sum;
  return cast<MemRefType>(op.getDpsInits().front().getType()).getShape();
}

Type Reduction::getAccumulatorType() const {
  linalg::GenericOp op = sum;
  return getElementTypeOrSelf(op.getDpsInits().front().getType());
}

bool tinytc::isUpdateOfReduction(Operation *op) {
  // A loop may have arrays of its own.
  auto isAccumulator = [op](Value memref) {
    auto array = memref.getDefiningOp<memref::AllocaOp>();
    return array && !op->isAncestor(array);
  };
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return llvm::any_of(generic.getDpsInputs(), isAccumulator);
  auto loop = dyn_cast<scf::ForallOp>(op);
  return loop && llvm::any_of(loop.getBody()->getOps<memref::LoadOp>(),
                              [&](memref::LoadOp load) {
                                return isAccumulator(load.getMemRef());
                              });
}

bool tinytc::overwrites(linalg::GenericOp op) {
  return op.getBody()->getArguments().back().use_empty();
}

bool tinytc::isFirstModeContiguous(Value memref) {
  return cast<MemRefType>(memref.getType()).getStridesAndOffset().first.front() == 1;
}

std::pair<unsigned, unsigned> tinytc::findSummedMode(linalg::GenericOp op) {
  unsigned last = op.getNumLoops() - 1;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    for (auto [mode, expr] : llvm::enumerate(op.getIndexingMapsArray()[i].getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == last)
        return {i, mode};
  llvm_unreachable("the verifier of linalg.generic covers every loop");
}

bool tinytc::sumsAlongLines(linalg::GenericOp op) {
  unsigned last = op.getNumLoops() - 1;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return op.getNumParallelLoops() <= 1 &&
         llvm::all_of(
             ArrayRef(maps).take_front(op.getNumDpsInputs()), [&](AffineMap map) {
               return map.getNumResults() > 0 &&
                      cast<AffineDimExpr>(map.getResult(0)).getPosition() == last;
             });
}

bool tinytc::isSharedByRows(linalg::GenericOp op, unsigned input, unsigned rowMode) {
  if (op.getNumParallelLoops() > 2 || input >= op.getNumDpsInputs() ||
      !isa<MemRefType>(op->getOperand(input).getType()))
    return false;
  AffineMap map = op.getIndexingMapsArray()[input];
  return map.isFunctionOfDim(op.getNumLoops() - 1) && !map.isFunctionOfDim(rowMode);
}

/// Whether neighbours along the first mode of `memref`, complex numbers of `type`, are
/// neighbours in memory.
static bool isContiguousLine(Value memref, ComplexType type) {
  auto memrefType = dyn_cast<MemRefType>(memref.getType());
  if (!memrefType || memrefType.getElementType() != type)
    return false;
  auto [strides, offset] = memrefType.getStridesAndOffset();
  return !strides.empty() && strides.front() == 1;
}

static unsigned getPosition(AffineMap map, unsigned result) {
  return cast<AffineDimExpr>(map.getResult(result)).getPosition();
}

/// The input that is contiguous along the rows of the destination, which lanes can read
/// by parts; the other input is the same for all lanes.
static std::optional<unsigned> findComplexInput(linalg::GenericOp op,
                                                ComplexType type) {
  unsigned last = op.getNumLoops() - 1;
  for (unsigned i = 0; i < 2; ++i) {
    AffineMap map = op.getIndexingMapsArray()[i];
    AffineMap other = op.getIndexingMapsArray()[1 - i];
    bool isRow = map.getNumResults() == 2 && getPosition(map, 0) == 0 &&
                 getPosition(map, 1) == last && !other.isFunctionOfDim(0);
    if (isRow && isContiguousLine(op.getDpsInputs()[i], type) &&
        getElementTypeOrSelf(op.getDpsInputs()[1 - i].getType()) == type)
      return i;
  }
  return std::nullopt;
}

bool tinytc::isConjugated(linalg::GenericOp op, unsigned input) {
  return llvm::any_of(op.getBody()->getArgument(input).getUsers(),
                      llvm::IsaPred<complex::ConjOp>);
}

/// Whether the body is old + x * y, where x and y may be conjugates of elements.
static bool isMultiplyAdd(linalg::GenericOp op) {
  Block *body = op.getBody();
  auto sum = body->getTerminator()->getOperand(0).getDefiningOp<complex::AddOp>();
  if (!sum || sum.getLhs() != body->getArgument(2))
    return false;
  auto isElement = [&](Value value, unsigned input) {
    auto conjugate = value.getDefiningOp<complex::ConjOp>();
    return (conjugate ? conjugate.getComplex() : value) == body->getArgument(input);
  };
  auto product = sum.getRhs().getDefiningOp<complex::MulOp>();
  return product && isElement(product.getLhs(), 0) && isElement(product.getRhs(), 1);
}

std::optional<unsigned> tinytc::findComplexRows(const Reduction &reduction) {
  linalg::GenericOp op = reduction.sum, update = reduction.update;
  auto type = dyn_cast<ComplexType>(reduction.getAccumulatorType());
  if (!type || op.getNumDpsInputs() != 2 || !isMultiplyAdd(op) || !update ||
      update.getNumDpsInputs() != 1 ||
      !isContiguousLine(update.getDpsInits().front(), type))
    return std::nullopt;
  return findComplexInput(op, type);
}
