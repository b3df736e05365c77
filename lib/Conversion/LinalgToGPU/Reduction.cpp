//===- Reduction.cpp - Distribution of matrix products and sums -----------===//
//
// A work-item owns a tile of the destination: rows that lie a work-group width apart,
// so that neighbouring work-items read neighbouring elements, and adjacent columns.
// Its accumulators are scalars carried through the whole loop over the summed mode.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LinalgToGPU/LinalgToGPU.h"
#include "lib/Conversion/LinalgToGPU/Schedule.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

FailureOr<Reduction> Reduction::match(linalg::GenericOp op) {
  Reduction reduction;
  reduction.sum = op;
  Value accumulator = op.getDpsInits().front();
  for (Operation *user : accumulator.getUsers()) {
    if (auto fill = dyn_cast<linalg::FillOp>(user))
      reduction.fill = fill;
    else if (auto generic = dyn_cast<linalg::GenericOp>(user); generic && generic != op)
      reduction.update = generic;
  }
  bool isAlone = llvm::range_size(accumulator.getUsers()) == 3;
  if (!accumulator.getDefiningOp<memref::AllocaOp>() || !reduction.fill ||
      !reduction.update || !isAlone)
    return op.emitError("expected a reduction into an accumulator in private memory "
                        "that is filled before and read by one element-wise op behind");
  if (op.getNumReductionLoops() != 1)
    return op.emitError("expected one reduction loop, got ")
           << op.getNumReductionLoops();
  return reduction;
}

namespace {

/// Emits the code of one reduction.
class ReductionEmitter {
public:
  ReductionEmitter(const Reduction &reduction, OpFoldResult length)
      : reduction(reduction), length(length) {}

  /// Sums up the tile rows x columns and writes it; indices beyond the rank of the
  /// destination are left out.
  void emitTile(OpBuilder &builder, Location loc, ArrayRef<Value> rows,
                ArrayRef<Value> columns, int64_t rank) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value end = getValueOrCreateConstantIndexOp(builder, loc, length);
    SmallVector<SmallVector<Value>> tile = getTile(rows, columns, rank);
    SmallVector<Value> initial(tile.size(), reduction.fill.getInputs().front());
    auto loop = scf::ForOp::create(builder, loc, zero, end, one, initial);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      emitStep(builder, loc, tile, loop.getInductionVar(), loop.getRegionIterArgs());
    }
    for (auto [indices, sum] : llvm::zip(tile, loop.getResults()))
      emitUpdate(builder, indices, sum);
  }

  /// Writes one element of the destination whose sum is known.
  void emitUpdate(OpBuilder &builder, ValueRange indices, Value sum) {
    SmallVector<Value> inputs(reduction.update.getNumDpsInputs());
    for (auto [i, input] : llvm::enumerate(reduction.update.getDpsInputs()))
      if (input == reduction.sum.getDpsInits().front())
        inputs[i] = sum;
    if (failed(emitElement(builder, reduction.update, indices, inputs)))
      result = failure();
  }

  /// One step of the sum at `k` for all elements of the tile.
  void emitStep(OpBuilder &builder, Location loc, ArrayRef<SmallVector<Value>> tile,
                Value k, ValueRange sums) {
    SmallVector<Value> next;
    for (auto [indices, sum] : llvm::zip(tile, sums)) {
      SmallVector<Value> iteration(indices);
      iteration.push_back(k);
      SmallVector<Value> elements;
      for (unsigned i = 0; i < reduction.sum.getNumDpsInputs(); ++i)
        elements.push_back(loadOnce(builder, i, iteration));
      elements.push_back(sum);
      next.push_back(cloneBody(builder, reduction.sum, elements));
    }
    loaded.clear();
    scf::YieldOp::create(builder, loc, next);
  }

  LogicalResult result = success();

private:
  static SmallVector<SmallVector<Value>> getTile(ArrayRef<Value> rows,
                                                 ArrayRef<Value> columns,
                                                 int64_t rank) {
    SmallVector<SmallVector<Value>> tile;
    for (Value row : rows)
      for (Value column : columns)
        tile.push_back(llvm::to_vector(
            ArrayRef<Value>({row, column}).take_front(rank)));
    return tile;
  }

  /// Elements of A are shared by the columns of a tile, elements of B by its rows.
  Value loadOnce(OpBuilder &builder, unsigned input, ValueRange iteration) {
    AffineMap map = reduction.sum.getIndexingMapsArray()[input];
    SmallVector<void *> key{reinterpret_cast<void *>(uintptr_t(input))};
    for (AffineExpr expr : map.getResults())
      key.push_back(
          iteration[cast<AffineDimExpr>(expr).getPosition()].getAsOpaquePointer());
    Value &value = loaded[key];
    if (!value)
      value = loadElement(builder, reduction.sum, input, iteration);
    return value;
  }

  Reduction reduction;
  OpFoldResult length;
  std::map<SmallVector<void *>, Value> loaded;
};

} // namespace

/// The number of steps of the summed mode, from an input that it indexes.
static OpFoldResult getLength(OpBuilder &builder, linalg::GenericOp op) {
  unsigned last = op.getNumLoops() - 1;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    for (auto [mode, expr] : llvm::enumerate(op.getIndexingMapsArray()[i].getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == last)
        return memref::getMixedSizes(builder, op.getLoc(), op->getOperand(i))[mode];
  llvm_unreachable("the verifier of linalg.generic covers every loop");
}

LogicalResult tinytc::distributeReduction(OpBuilder &builder, const WorkGroup &group,
                                          Reduction reduction, TargetAttr target) {
  Location loc = reduction.sum.getLoc();
  Value dest = reduction.update.getDpsInits().front();
  auto type = cast<MemRefType>(dest.getType());
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, loc, dest);
  ReductionEmitter emitter(reduction, getLength(builder, reduction.sum));
  Type accumulatorType =
      cast<MemRefType>(reduction.sum.getDpsInits().front().getType()).getElementType();
  int64_t rows = type.getRank() > 0 ? type.getShape()[0] : 1;
  int64_t columns = type.getRank() > 1 ? type.getShape()[1] : 1;
  ReductionSchedule schedule = chooseReductionSchedule(
      target, rows, columns, group.getSize(0), accumulatorType);

  // Without a second mode, one row of the work-group does the work.
  OpFoldResult one = builder.getIndexAttr(1);
  OpFoldResult height = type.getRank() > 0 ? sizes[0] : one;
  OpFoldResult width = type.getRank() > 1 ? sizes[1] : one;
  group.distributeAdjacent(
      builder, loc, 1, width, schedule.columnsPerItem,
      [&](OpBuilder &b, Location l, ArrayRef<Value> columnIndices) {
        group.distributeStrided(
            b, l, 0, height, schedule.rowsPerItem,
            [&](OpBuilder &b, Location l, ArrayRef<Value> rowIndices) {
              emitter.emitTile(b, l, rowIndices, columnIndices, type.getRank());
            });
      });
  return emitter.result;
}
