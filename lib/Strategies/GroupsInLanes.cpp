//===- GroupsInLanes.cpp - Whether groups run as lanes --------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Estimates in cycles. Instructions with rows in lanes are short chains of latency;
// operations on numbers of all lanes are limited by how many there are.
//
//===----------------------------------------------------------------------===//

#include "lib/Strategies/GroupsInLanes.h"
#include "lib/IR/Blocks.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The fewest groups that run at once.
static constexpr int64_t kFewestLanes = 4;
/// How much longer the other way must take: less may be an error of the estimate.
static constexpr double kLeastGainInLanes = 1.25;

/// Without a factorisation, as in a single product, it takes as long to transpose as to
/// compute.
bool tinytc::mayRunInLanes(FuncOp func, const Machine &machine) {
  auto isFactorization = [](Operation *op) {
    return op->hasTrait<FactorizationTrait>() ? WalkResult::interrupt()
                                              : WalkResult::advance();
  };
  return machine.vectors.runsGroupsInLanes && !func.getSubgroupSize() &&
         !func.getWorkGroupSize() && !func.getScheduleAttr() &&
         func.walk(isFactorization).wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Numbers in lanes
//===----------------------------------------------------------------------===//

static unsigned getNumberBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// The bits of the widest number in memory.
static unsigned getWidestNumber(llvm::iterator_range<Block::iterator> numbers) {
  unsigned bits = 32;
  for (Operation &op : numbers)
    if (isa<LoadOp, StoreOp>(op))
      bits =
          std::max(bits, getNumberBits(isa<LoadOp>(op) ? op.getResult(0).getType()
                                                       : op.getOperand(0).getType()));
  return bits;
}

/// Cycles of an operation on a whole register, or on one number for all lanes.
static double getCyclesInLanes(Operation &op) {
  bool isWide =
      llvm::any_of(op.getOperandTypes(), [](Type type) { return type.isF64(); });
  return llvm::TypeSwitch<Operation *, double>(&op)
      .Case<ArithAddOp, ArithSubOp, ArithMulOp, FmaOp, SelectOp>(
          [](auto) { return 0.5; })
      .Case<ArithDivOp>([&](auto) { return isWide ? 16 : 10; })
      .Case<SqrtOp>([&](auto) { return isWide ? 24 : 14; })
      .Case<ConstantOp, SubviewOp, ExpandOp, FuseOp, ArithNegOp>([](auto) { return 0; })
      .Case<ArithAbsOp, ArithAndOp, ArithOrOp, ArithNotOp, CmpEqOp, CmpGtOp>(
          [](auto) { return 0.5; })
      .Default([](Operation *other) {
        return other->getName().getStringRef().contains("math.") ? 15 : 1;
      });
}

/// Cycles of the transposition of adjacent numbers of each lane, in windows of a power
/// of two of them (lib/Conversion/GPUToVector/GroupsAsLanes.cpp).
static double getTransposeCycles(int64_t count, int64_t lanes) {
  double cycles = 0;
  while (count > 0) {
    int64_t width = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(count));
    cycles += lanes + width * llvm::Log2_64(width) + (lanes - width);
    count -= width;
  }
  return cycles;
}

static double estimateInLanes(llvm::iterator_range<Block::iterator> numbers,
                              int64_t lanes) {
  double cycles = 0;
  // Numbers of a parameter; those next to each other are transposed together.
  DenseMap<Value, int64_t> loads, stores;
  for (Operation &op : numbers) {
    if (auto load = dyn_cast<LoadOp>(op))
      ++loads[getViewRoot(load.getSource())];
    else if (auto store = dyn_cast<StoreOp>(op))
      ++stores[getViewRoot(store.getDest())];
    else
      cycles += getCyclesInLanes(op);
  }
  for (const auto &counts : {loads, stores})
    for (auto [view, count] : counts)
      cycles += getTransposeCycles(count, lanes);
  return cycles;
}

//===----------------------------------------------------------------------===//
// Rows in lanes
//===----------------------------------------------------------------------===//

static double getBlasCycles(BlasOpInterface op, int64_t lanes) {
  static constexpr double kTile = 10, kColumn = 2;
  ArrayRef<int64_t> shape = op.getDestination().getType().getShape();
  int64_t rows = shape.empty() ? 1 : shape[0];
  int64_t columns = shape.size() < 2 ? 1 : computeProduct(shape.drop_front());
  double steps = double(computeProduct(op.getProductShape())) /
                 std::max<int64_t>(rows * columns, 1);
  return kTile + double(llvm::divideCeil(rows, lanes) * columns) * (steps + kColumn);
}

/// Factorisations and solves are chains: a column waits for the pivot of the one
/// before.
static double getFactorCycles(Operation *op, int64_t lanes) {
  static constexpr double kCholesky = 22, kLu = 50, kSwap = 8, kOther = 8;
  static constexpr double kSolve = 10, kColumn = 1.25;
  auto shape = [&](Value memref) {
    return cast<MemrefType>(memref.getType()).getShape();
  };
  auto columns = [&](Value memref) {
    return shape(memref).size() == 1 ? 1 : shape(memref)[1];
  };
  auto solve = [&](Value a, Value x) {
    return double(shape(a)[0]) * (kSolve + kColumn * double(columns(x) - 1));
  };
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([&](CholeskyOp op) { return kCholesky * shape(op.getA())[0]; })
      .Case([&](LuOp op) {
        return (op.getPiv() ? kLu : kCholesky) * shape(op.getA())[0];
      })
      .Case([&](SolveSpdOp op) {
        return kCholesky * shape(op.getA())[0] + 2 * solve(op.getA(), op.getB());
      })
      .Case([&](SolveLuOp op) {
        return (kLu + kSwap) * shape(op.getA())[0] + 2 * solve(op.getA(), op.getB());
      })
      .Case([&](TrsmOp op) { return solve(op.getA(), op.getB()); })
      .Case([&](SwapRowsOp op) { return kSwap * shape(op.getB())[0]; })
      .Default([&](Operation *op) {
        return kOther * shape(op->getOperand(op->getNumOperands() - 1))[0];
      });
}

static double estimateRowsInLanes(ArrayRef<Operation *> instructions, int64_t lanes) {
  double cycles = 0;
  auto count = [&](Operation *op, double times) {
    if (auto blas = dyn_cast<BlasOpInterface>(op))
      cycles += times * getBlasCycles(blas, lanes);
    else if (op->hasTrait<FactorizationTrait>())
      cycles += times * getFactorCycles(op, lanes);
    else if (isa<SqrtOp, ArithDivOp>(op))
      cycles += times * 12;
    else if (isa<LoadOp, StoreOp>(op) || isa<ArithAddOp, ArithSubOp>(op))
      cycles += times;
  };
  for (Operation *op : instructions)
    op->walk([&](Operation *inner) {
      // Iterations of loops one after the other; those of others are spread over lanes.
      double times = 1;
      for (Operation *parent = inner->getParentOp(); !isa<FuncOp>(parent);
           parent = parent->getParentOp()) {
        SmallVector<Value> from, to;
        if (auto loop = dyn_cast<ForOp>(parent)) {
          from = {loop.getFrom()}, to = {loop.getTo()};
        } else if (auto loop = dyn_cast<ForeachOp>(parent)) {
          from = loop.getFrom(), to = loop.getTo();
          times /= double(lanes);
        }
        for (auto [first, end] : llvm::zip_equal(from, to))
          times *= double(getConstantIntValue(end).value_or(1) -
                          getConstantIntValue(first).value_or(0));
      }
      count(inner, times);
    });
  return cycles;
}

/// The numbers that a factorisation or solve reads, of which many are live at once.
static int64_t countNumbers(Operation *op) {
  int64_t count = 0;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemrefType>(operand.getType());
        type && !type.getElementType().isInteger(32)) {
      bool isTriangle = operand == op->getOperand(isa<TrsmOp, TrmmOp>(op)) &&
                        !isa<LuOp, SolveLuOp>(op);
      int64_t size = computeProduct(type.getShape());
      count += isTriangle ? (size + type.getShape()[0]) / 2 : size;
    }
  return count;
}

/// Numbers beyond the registers move through the cache; with many, LLVM takes seconds.
static bool areFewNumbers(ArrayRef<Operation *> instructions, const Machine &machine) {
  static constexpr int64_t kMostTimesRegisters = 9;
  bool areFew = true;
  for (Operation *op : instructions)
    op->walk([&](Operation *inner) {
      if (inner->hasTrait<FactorizationTrait>())
        areFew &= countNumbers(inner) <= kMostTimesRegisters * machine.numRegisters;
    });
  return areFew;
}

bool tinytc::isFasterInLanes(ArrayRef<Operation *> instructions,
                             llvm::iterator_range<Block::iterator> numbers,
                             const Machine &machine) {
  int64_t lanes = 8 * machine.registerBytes / getWidestNumber(numbers);
  if (lanes < kFewestLanes || !areFewNumbers(instructions, machine))
    return false;
  double alone = estimateRowsInLanes(instructions, lanes);
  double together = estimateInLanes(numbers, lanes) / double(lanes);
  return kLeastGainInLanes * together < alone;
}
