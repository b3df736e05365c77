//===- CheckZeros.cpp - Writes outside of patterns of zeros ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/MemoryAccess.h"
#include "lib/Analysis/ZeroPatterns.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CHECKZEROSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// What messages call a memref.
static std::string getRootName(Value memref) {
  auto named = dyn_cast<NameLoc>(getRoot(memref).getLoc());
  return named ? ("'" + named.getName().getValue() + "'").str() : "the destination";
}

static ArrayRef<int64_t> getShape(Value memref) {
  return cast<MemrefType>(memref.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static LogicalResult checkWrites(BlasOpInterface op, const ZeroPatterns &patterns) {
  Value dest = op.getDestination();
  Boxes promised = getPromisedBoxes(dest);
  for (const Box &box : getDestinationBoxes(op, patterns.getProduct(op))) {
    Boxes rest = subtract(box, promised);
    if (!rest.empty())
      return op.emitOpError("expected a product that is zero where 'nonzero' of ")
             << getRootName(dest) << " says so, got one with elements "
             << formatBox(rest.front())
             << ": add their box to 'nonzero', or write a view of the boxes";
  }
  return success();
}

/// Says where a product may be other than zero.
static void reportProduct(BlasOpInterface op, const ZeroPatterns &patterns) {
  Boxes boxes = getDestinationBoxes(op, patterns.getProduct(op));
  Box whole = getWholeBox(op.getDestination().getType().getShape());
  if (subtract(whole, boxes).empty())
    return;
  InFlightDiagnostic remark = op->emitRemark();
  if (boxes.empty())
    remark << "its product is zero";
  else
    remark << "its product is zero but for "
           << llvm::join(llvm::map_range(boxes, formatBox), ", ");
}

//===----------------------------------------------------------------------===//
// Elements and blocks
//===----------------------------------------------------------------------===//

/// Checks a write of `sizes` elements of each mode from `indices` on. An index that is
/// a value may be any.
static LogicalResult checkBlock(Operation *op, Value dest, OperandRange indices,
                                ArrayRef<int64_t> sizes, Value written) {
  if (isConstant(written, 0))
    return success();
  Boxes promised = getPromisedBoxes(dest);
  Box box = getWholeBox(getShape(dest));
  for (auto [mode, index, size] : llvm::enumerate(indices, sizes))
    if (std::optional<int64_t> begin = getConstantIntValue(index))
      box[mode] = box[mode].intersect({*begin, *begin + size});
    else
      for (Box &each : promised)
        each[mode] = box[mode];
  Boxes rest = isEmpty(box) ? Boxes() : subtract(box, promised);
  if (rest.empty())
    return success();
  bool isElement = !isa<CoopMatrixType>(written.getType());
  return op->emitOpError("expected ")
         << (isElement ? "an element" : "a block") << " within 'nonzero' of "
         << getRootName(dest) << ", got " << formatBox(rest.front())
         << ": add its box to 'nonzero', or store "
         << (isElement ? "a zero" : "a matrix of zeros");
}

static LogicalResult checkElement(Operation *op, Value dest, OperandRange indices,
                                  Value written) {
  return checkBlock(op, dest, indices, SmallVector<int64_t>(indices.size(), 1),
                    written);
}

static LogicalResult checkMatrix(Operation *op, Value dest, CoopMatrixType type,
                                 bool isTransposed, OperandRange indices,
                                 Value written) {
  int64_t sizes[] = {type.getRows(), type.getColumns()};
  if (isTransposed)
    std::swap(sizes[0], sizes[1]);
  return checkBlock(op, dest, indices, sizes, written);
}

static LogicalResult checkAtomic(AtomicOpInterface op) {
  if (op.getAtomicKind() == AtomicKind::Load)
    return success();
  Value written = op->getOperand(0);
  if (CoopMatrixType matrix = op.getAccessedMatrix())
    return checkMatrix(op, op.getAccessedMemref(), matrix, op.isTransposed(),
                       op.getAccessedIndices(), written);
  return checkElement(op, op.getAccessedMemref(), op.getAccessedIndices(), written);
}

//===----------------------------------------------------------------------===//
// Factorisations
//===----------------------------------------------------------------------===//

/// The parts of boxes of a matrix in one of its triangles; nothing of one of dynamic
/// size.
static Boxes getTriangle(ArrayRef<Box> boxes, ArrayRef<int64_t> shape,
                         Triangle triangle) {
  if (ShapedType::isDynamicShape(shape))
    return {};
  Boxes parts;
  for (int64_t column = 0; column < shape[1]; ++column) {
    ModeRange rows = triangle == Triangle::L ? ModeRange{column, shape[0]}
                                             : ModeRange{0, column + 1};
    for (const Box &box : boxes)
      if (Box part = intersect(box, {rows, {column, column + 1}}); !isEmpty(part))
        parts.push_back(part);
  }
  return parts;
}

/// Boxes with all indices of a mode.
static Boxes fillMode(Boxes boxes, ArrayRef<int64_t> shape, int64_t mode) {
  for (Box &box : boxes)
    box[mode] = getWholeBox(shape)[mode];
  return boxes;
}

/// The elements of C that A has rows for.
static Boxes getSyrkBoxes(SyrkOp op) {
  bool isTransposed =
      op.getTranspose() == TensorForm::T || op.getTranspose() == TensorForm::C;
  Boxes factors = getPromisedBoxes(op.getA()), boxes;
  for (const Box &left : factors)
    for (const Box &right : factors)
      boxes.push_back({left[isTransposed], right[isTransposed]});
  return boxes;
}

/// The elements of an operand that a factorisation or solve may fill.
static Boxes getFilledBoxes(Operation *op, OpOperand &operand) {
  ArrayRef<int64_t> shape = getShape(operand.get());
  Boxes whole = {getWholeBox(shape)};
  // Columns, or rows, of zeros stay so.
  auto ofRightSide = [&](bool isRight) {
    return fillMode(getPromisedBoxes(operand.get()), shape, isRight);
  };
  auto ofTriangle = [&](OpOperand &a, Triangle triangle) {
    return &operand == &a ? getTriangle(whole, shape, triangle) : ofRightSide(false);
  };
  if (shape.size() < 2)
    return whole;
  return llvm::TypeSwitch<Operation *, Boxes>(op)
      .Case<CholeskyOp, SolveSpdOp>([&](auto typed) {
        return ofTriangle(typed.getAMutable(), typed.getTriangle());
      })
      .Case([&](SyrkOp typed) {
        return getTriangle(getSyrkBoxes(typed), shape, typed.getTriangle());
      })
      .Case<TrsmOp, TrmmOp>([&](auto typed) { return ofRightSide(typed.getRight()); })
      .Case([&](SolveLuOp typed) {
        return &operand == &typed.getAMutable() ? whole : ofRightSide(false);
      })
      .Case<SwapRowsOp, ApplyQOp>([&](auto) { return ofRightSide(false); })
      .Default(whole);
}

static LogicalResult checkFactorization(Operation *op) {
  auto effects = cast<MemoryEffectOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value memref = operand.get();
    if (!isa<MemrefType>(memref.getType()) ||
        !effects.getEffectOnValue<MemoryEffects::Write>(memref))
      continue;
    Boxes promised = getPromisedBoxes(memref);
    for (const Box &box : getFilledBoxes(op, operand))
      if (Boxes rest = subtract(box, promised); !rest.empty())
        return op->emitOpError("expected 'nonzero' of ")
               << getRootName(memref)
               << " to have the elements that may be filled, got one without "
               << formatBox(rest.front())
               << ": add their box to 'nonzero', or pass a view of the boxes";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct CheckZeros final : tinytc::impl::CheckZerosPassBase<CheckZeros> {
  using CheckZerosPassBase::CheckZerosPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    markAllAnalysesPreserved();
    if (!ZeroPatterns::hasPromise(func))
      return;
    ZeroPatterns patterns(func);
    if (report)
      func.walk([&](BlasOpInterface op) { reportProduct(op, patterns); });
    WalkResult checked = func.walk([&](Operation *op) {
      return succeeded(check(op, patterns)) ? WalkResult::advance()
                                            : WalkResult::interrupt();
    });
    if (checked.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult check(Operation *op, const ZeroPatterns &patterns) {
    if (op->hasTrait<FactorizationTrait>())
      return checkFactorization(op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](BlasOpInterface blas) { return checkWrites(blas, patterns); })
        .Case([](StoreOp store) {
          return checkElement(store, store.getDest(), store.getIndices(),
                              store.getValue());
        })
        .Case([](CooperativeMatrixStoreOp store) {
          return checkMatrix(store, store.getDest(), store.getMatrix().getType(),
                             store.getTranspose() == Transpose::T,
                             store->getOperands().take_back(2), store.getMatrix());
        })
        .Case([](AtomicOpInterface atomic) { return checkAtomic(atomic); })
        .Default(success());
  }
};

} // namespace
