//===- StagedFactors.cpp - Products with stages in local memory -----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// While a work-group multiplies the factors of some steps of the summed mode, copies of
// those of later steps into other stages of a ring are under way. Each work-item waits
// for its own copies, and a barrier then shows them to all. Beyond the ends of the
// matrices copies write zeros, so that products there add nothing.
//
// Elements of both factors are where they are read in loads of 16 bytes. Which rows,
// columns and steps a lane has is free as long as A, B and C agree.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/StagedProduct.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/LocalView.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"
#include "lib/Conversion/LowerToUnits/ProductTiles.h"
#include "lib/IR/WarpFragments.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// A copy that a work-item makes of each stage, with what does not depend on the stage.
struct StagedCopy {
  /// Places in global and local memory.
  Value source, place;
  /// The first step that it copies, and whether its row or column exists; null: always.
  Value step, isInside;
  /// Whether the work-item makes it; null: all do.
  Value isOwn;
};

/// A factor, the copies of a work-item, and what it multiplies.
struct StagedOperand {
  StagedFactor factor;
  MatrixMemory memory;
  /// From one row or column to the next, and from one step.
  OpFoldResult sizeStride, stepStride;
  OpFoldResult size;
  /// Where it begins in a stage.
  int64_t offset;
  SmallVector<StagedCopy> copies;
  /// The first element that the lane reads of a stage.
  Value first;
};

class StagedGemm : ProductTiles {
public:
  StagedGemm(ImplicitLocOpBuilder &builder, GemmOp op, const ProductOperand &matrixA,
             const ProductOperand &matrixB, const Update &update,
             const StagedProduct &product)
      : ProductTiles(builder, matrixA, matrixB, update, product.getNumSubgroups()),
        product(product), usesUnit(product.type.isF64()) {
    memory = createLocalView(builder, op, {*getLocalOffset(op), product.getBytes()},
                             product.type);
    a = createOperand(product.a, matrixA, 0, rows, 0);
    b = createOperand(product.b, matrixB, 1, columns, product.a.getNumElements());
  }

  void emit() {
    // The product before may still read its factors.
    gpu::BarrierOp::create(builder);
    createLanes();
    emitItems([&](Value row, Value column) { emitItem(row, column); });
  }

private:
  //===--------------------------------------------------------------------===//
  // Arithmetic on indices
  //===--------------------------------------------------------------------===//

  Value index(int64_t value) { return createIndex(builder, value); }
  Value mul(Value value, int64_t factor) {
    return toValue(builder,
                   createIndexMul(builder, value, builder.getIndexAttr(factor)));
  }
  Value mul(Value value, OpFoldResult factor) {
    return toValue(builder, createIndexMul(builder, value, factor));
  }
  Value sum(Value one, Value other) { return createIndexAdd(builder, one, other); }
  Value div(Value value, int64_t by) {
    return arith::DivUIOp::create(builder, value, index(by));
  }
  Value rem(Value value, int64_t by) {
    return arith::RemUIOp::create(builder, value, index(by));
  }
  Value both(Value one, Value other) {
    if (!one || !other)
      return one ? one : other;
    return arith::AndIOp::create(builder, one, other);
  }

  StagedOperand createOperand(const StagedFactor &factor, const ProductOperand &matrix,
                              unsigned mode, OpFoldResult size, int64_t offset) {
    StagedOperand operand{factor, matrix.getMemory(builder), {}, {}, size, offset, {},
                          {}};
    operand.sizeStride = operand.memory.strides[mode];
    operand.stepStride = operand.memory.strides[1 - mode];
    return operand;
  }

  //===--------------------------------------------------------------------===//
  // Who has what
  //===--------------------------------------------------------------------===//

  /// The lane's place in the part of its subgroup, and the part's in the tile. Of
  /// multiply-adds, lanes n and n ^ 1 have the same rows, and n and n ^ 2 the same
  /// columns: two lanes that read the same are half a read.
  void createLanes() {
    Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    Value id = gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr);
    workItem = sum(mul(id, WarpFragments::kLanes), lane);
    partRow = mul(rem(id, product.gridRows), StagedProduct::getPartRows(product.type));
    partColumn =
        mul(div(id, product.gridRows), StagedProduct::getPartColumns(product.type));
    if (usesUnit) {
      laneRow = laneColumn = div(lane, WarpFragments::kQuad);
      inQuad = rem(lane, WarpFragments::kQuad);
    } else {
      laneRow = rem(div(lane, 2), 8);
      laneColumn = sum(rem(lane, 2), mul(div(lane, 16), 2));
    }
    a.first = createFirst(a, partRow, laneRow);
    b.first = createFirst(b, partColumn, laneColumn);
  }

  /// Rows or columns of neighbouring lanes: those of a load, or one.
  int64_t getLaneStep(const StagedFactor &factor) const {
    return factor.isAlongSize ? (usesUnit ? 2 : 4) : 1;
  }

  /// The i-th row or column of a lane, after its first one.
  int64_t getOwn(const StagedFactor &factor, int64_t lanes, int64_t i) const {
    int64_t adjacent = getLaneStep(factor);
    return i / adjacent * adjacent * lanes + i % adjacent;
  }

  /// Where the first element that a lane reads of a stage is.
  Value createFirst(const StagedOperand &operand, Value part, Value lane) {
    const StagedFactor &factor = operand.factor;
    Value first = sum(part, mul(lane, getLaneStep(factor)));
    Value step = usesUnit ? mul(inQuad, 2) : index(0);
    Value place = factor.isAlongSize ? sum(first, mul(step, factor.stride))
                                     : sum(mul(first, factor.stride), step);
    return add(place, operand.offset);
  }

  //===--------------------------------------------------------------------===//
  // Copies
  //===--------------------------------------------------------------------===//

  /// Divides the copies of a stage among the work-items, which copy neighbours, for a
  /// tile that begins at row or column `begin`.
  void createCopies(StagedOperand &operand, Value begin) {
    const StagedFactor &factor = operand.factor;
    const int64_t workItems = product.getNumSubgroups() * WarpFragments::kLanes;
    const int64_t ofLine = factor.getLineLength() / factor.atOnce;
    const int64_t count = factor.getNumCopies();
    operand.copies.clear();
    for (int64_t first = 0; first < count; first += workItems) {
      Value line, place;
      if (workItems % ofLine == 0) {
        line = add(div(workItem, ofLine), first / ofLine);
        place = rem(workItem, ofLine);
      } else {
        Value number = add(workItem, first);
        line = div(number, ofLine);
        place = rem(number, ofLine);
      }
      place = mul(place, factor.atOnce);
      Value other = factor.isAlongSize ? place : line;
      StagedCopy copy;
      copy.step = factor.isAlongSize ? line : place;
      Value own = sum(begin, other);
      copy.source = sum(sum(operand.memory.first, mul(own, operand.sizeStride)),
                        mul(copy.step, operand.stepStride));
      if (mayOverhang(operand.size, factor.size))
        copy.isInside = createIsBelow(builder, own, operand.size);
      if (count - first < workItems)
        copy.isOwn = createIsBelow(builder, workItem,
                                   OpFoldResult(builder.getIndexAttr(count - first)));
      if (factor.exchanged > 0)
        place =
            arith::XOrIOp::create(builder, place, mul(rem(line, 2), factor.exchanged));
      copy.place = add(sum(mul(line, factor.stride), place), operand.offset);
      operand.copies.push_back(copy);
    }
  }

  /// Begins the copies of the steps from `step` on into a stage that begins at `stage`.
  void emitCopies(const StagedOperand &operand, Value step, Value stage) {
    const StagedFactor &factor = operand.factor;
    Value shift = mul(step, operand.stepStride);
    bool mayEnd = mayOverhang(summed, factor.steps);
    Type token = nvgpu::DeviceAsyncTokenType::get(builder.getContext());
    for (const StagedCopy &copy : operand.copies) {
      OpBuilder::InsertionGuard guard(builder);
      if (copy.isOwn) {
        auto branch = scf::IfOp::create(builder, copy.isOwn);
        builder.setInsertionPointToStart(branch.thenBlock());
      }
      Value isInside = copy.isInside;
      if (mayEnd)
        isInside = both(isInside, createIsBelow(builder, sum(step, copy.step), summed));
      Value read;
      if (isInside)
        read =
            arith::SelectOp::create(builder, isInside, index(factor.atOnce), index(0));
      bool isLarge = factor.atOnce > 1;
      nvgpu::DeviceAsyncCopyOp::create(builder, token, memory, sum(stage, copy.place),
                                       operand.memory.elements, sum(copy.source, shift),
                                       builder.getIndexAttr(factor.atOnce), read,
                                       isLarge ? builder.getUnitAttr() : UnitAttr());
    }
  }

  /// Begins the copies of the `slab`-th steps, if there are any.
  void emitCopies(Value slab, Value stage) {
    OpBuilder::InsertionGuard guard(builder);
    Value step = mul(slab, product.getSteps());
    std::optional<int64_t> first = getConstantIntValue(step);
    std::optional<int64_t> end = getConstantIntValue(summed);
    if (first && end && *first >= *end)
      return;
    if (!first || !end) {
      auto branch = scf::IfOp::create(builder, createIsBelow(builder, step, summed));
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    emitCopies(a, step, stage);
    emitCopies(b, step, stage);
  }

  //===--------------------------------------------------------------------===//
  // Sums
  //===--------------------------------------------------------------------===//

  /// Calls `emit` with the first row and column of the tiles, one after the other.
  void emitItems(function_ref<void(Value, Value)> emit) {
    OpFoldResult perMode = countTiles(rows, product.getRows());
    OpFoldResult count =
        createIndexMul(builder, perMode, countTiles(columns, product.getColumns()));
    if (getConstantIntValue(count) == 1)
      return emit(index(0), index(0));
    auto loop =
        scf::ForOp::create(builder, index(0), toValue(builder, count), index(1));
    setUnroll(loop, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value perColumn = toValue(builder, perMode);
    Value row = arith::RemUIOp::create(builder, loop.getInductionVar(), perColumn);
    Value column = arith::DivUIOp::create(builder, loop.getInductionVar(), perColumn);
    emit(mul(row, product.getRows()), mul(column, product.getColumns()));
    // Subgroups still read the last stages.
    gpu::BarrierOp::create(builder);
  }

  void emitItem(Value row, Value column) {
    createCopies(a, row);
    createCopies(b, column);
    std::optional<int64_t> length = getConstantIntValue(summed);
    std::optional<int64_t> slabs;
    if (length)
      slabs = llvm::divideCeil(*length, product.getSteps());
    // If there is a stage for each of them, all are under way from the start.
    bool isWhole = slabs && *slabs <= product.stages;
    int64_t ahead = isWhole ? std::max<int64_t>(*slabs, 1) : product.stages - 1;
    for (int64_t slab = 0; slab < ahead; ++slab) {
      emitCopies(index(slab), index(slab * product.getStageElements()));
      NVVM::CpAsyncCommitGroupOp::create(builder);
    }
    Value count = toValue(builder, countTiles(summed, product.getSteps()));
    Value zero = ScalarBuilder(builder).constant(product.type, 0);
    SmallVector<Value> state(usesUnit ? 32 : 64, zero);
    state.push_back(index(0));
    auto loop =
        scf::ForOp::create(builder, index(0), count, index(1), ValueRange(state));
    setUnroll(loop, false);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      llvm::copy(loop.getRegionIterArgs(), state.begin());
      Value slab = loop.getInductionVar(), read = state.pop_back_val();
      NVVM::CpAsyncWaitGroupOp::create(builder, builder.getI32IntegerAttr(ahead - 1));
      gpu::BarrierOp::create(builder);
      if (!isWhole) {
        Value write = rotate(read, 0, product.stages - 1, -1);
        emitCopies(add(slab, ahead), mul(write, product.getStageElements()));
      }
      NVVM::CpAsyncCommitGroupOp::create(builder);
      Value stage = mul(read, product.getStageElements());
      usesUnit ? emitUnitSteps(stage, state) : emitLaneSteps(stage, state);
      state.push_back(rotate(read, product.stages - 1, 0, 1));
      scf::YieldOp::create(builder, ValueRange(state));
    }
    llvm::copy(loop.getResults(), state.begin());
    state.pop_back();
    store(row, column, state);
  }

  /// The stage after or before another one in the ring.
  Value rotate(Value stage, int64_t last, int64_t next, int64_t step) {
    Value isLast =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, stage, index(last));
    return arith::SelectOp::create(builder, isLast, index(next), add(stage, step));
  }

  /// The element of a factor in a stage: the i-th row or column of the lane, of
  /// `lanes`, and `step` after the lane's first one. `exchanged` is what the parts of
  /// the lane's lines have changed places by.
  Value load(const StagedOperand &operand, Value first, int64_t lanes, int64_t i,
             int64_t step) {
    const StagedFactor &factor = operand.factor;
    int64_t own = getOwn(factor, lanes, i);
    int64_t place =
        factor.isAlongSize ? own + step * factor.stride : own * factor.stride + step;
    return memref::LoadOp::create(builder, memory, add(first, place));
  }

  /// Eight rows by eight columns of multiply-adds a lane, four steps at a time.
  void emitLaneSteps(Value stage, SmallVectorImpl<Value> &sums) {
    static constexpr int64_t kOwn = 8, kAtOnce = 4, kUnrolled = 8;
    auto loop = scf::ForOp::create(builder, index(0), index(product.getSteps()),
                                   index(kUnrolled), ValueRange(sums));
    setUnroll(loop, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), sums.begin());
    auto getFirst = [&](const StagedOperand &operand) {
      int64_t distance = operand.factor.isAlongSize ? operand.factor.stride : 1;
      return sum(sum(stage, operand.first), mul(loop.getInductionVar(), distance));
    };
    Value firstA = getFirst(a), firstB = getFirst(b);
    auto loadAll = [&](const StagedOperand &operand, Value first, int64_t lanes,
                       int64_t step, int64_t count) {
      SmallVector<SmallVector<Value>> found(count, SmallVector<Value>(kOwn));
      for (int64_t i = 0; i < kOwn; ++i)
        for (int64_t s = 0; s < count; ++s)
          found[s][i] = load(operand, first, lanes, i, step + s);
      return found;
    };
    for (int64_t begin = 0; begin < kUnrolled; begin += kAtOnce) {
      // What is contiguous along the steps is loaded for all of them first.
      SmallVector<SmallVector<Value>> ofA, ofB;
      if (!a.factor.isAlongSize)
        ofA = loadAll(a, firstA, 8, begin, kAtOnce);
      if (!b.factor.isAlongSize)
        ofB = loadAll(b, firstB, 4, begin, kAtOnce);
      for (int64_t step = 0; step < kAtOnce; ++step) {
        auto rowsOfStep = a.factor.isAlongSize
                              ? loadAll(a, firstA, 8, begin + step, 1).front()
                              : ofA[step];
        auto columnsOfStep = b.factor.isAlongSize
                                 ? loadAll(b, firstB, 4, begin + step, 1).front()
                                 : ofB[step];
        for (int64_t j = 0; j < kOwn; ++j)
          for (int64_t i = 0; i < kOwn; ++i)
            sums[kOwn * j + i] = math::FmaOp::create(
                builder, rowsOfStep[i], columnsOfStep[j], sums[kOwn * j + i]);
      }
    }
    scf::YieldOp::create(builder, ValueRange(sums));
    llvm::copy(loop.getResults(), sums.begin());
  }

  /// Two by four operations of tensor cores for each of their steps. Slots are
  /// neighbouring steps: with two rows or columns, or two slots, of a load, its numbers
  /// are neighbours in a fragment.
  void emitUnitSteps(Value stage, SmallVectorImpl<Value> &sums) {
    WarpFragments fragments = *WarpFragments::get(product.type);
    Value firstA = sum(stage, a.first), firstB = sum(stage, b.first);
    // In odd lines, which are those of odd lanes, pairs of steps have changed places.
    auto getFirst = [&](const StagedOperand &operand, Value first, int64_t step) {
      if (operand.factor.exchanged == 0)
        return first;
      int64_t part = operand.factor.exchanged;
      int64_t place = step / part % 2 == 0 ? 0 : part;
      Value moved =
          arith::XOrIOp::create(builder, mul(rem(laneRow, 2), part), index(place));
      return add(sum(first, moved), -place);
    };
    for (int64_t step = 0; step < product.getSteps(); step += fragments.depth) {
      Value ownA = getFirst(a, firstA, step), ownB = getFirst(b, firstB, step);
      SmallVector<SmallVector<Value>> ofA, ofB;
      for (int64_t j = 0; j < kColumnBlocks; ++j) {
        SmallVector<Value> unitB;
        for (int64_t slot = 0; slot < fragments.getNumSlots(); ++slot)
          unitB.push_back(load(b, ownB, 8, j, step + slot));
        ofB.push_back(unitB);
      }
      for (int64_t i = 0; i < kRowBlocks; ++i) {
        SmallVector<Value> unitA(fragments.getNumA());
        for (int64_t slot = 0; slot < fragments.getNumSlots(); ++slot)
          for (int64_t half = 0; half < WarpFragments::kHalves; ++half)
            unitA[fragments.getEntryOfA(half, slot)] =
                load(a, ownA, 8, WarpFragments::kHalves * i + half, step + slot);
        ofA.push_back(unitA);
      }
      for (int64_t i = 0; i < kRowBlocks; ++i)
        for (int64_t j = 0; j < kColumnBlocks; ++j) {
          auto own = MutableArrayRef(sums).slice(4 * (kColumnBlocks * i + j), 4);
          auto result =
              WarpMatrixMulAddOp::create(builder, ofA[i], ofB[j], ValueRange(own));
          llvm::copy(result.getResults(), own.begin());
        }
    }
  }

  //===--------------------------------------------------------------------===//
  // C
  //===--------------------------------------------------------------------===//

  /// Stores a lane's sums: rows that it has next to each other together.
  void store(Value row, Value column, ArrayRef<Value> sums) {
    int64_t adjacent = getLaneStep(a.factor), numRows = usesUnit ? 4 : 8;
    Value firstRow = sum(sum(row, partRow), mul(laneRow, adjacent));
    Value firstColumn = sum(column, partColumn);
    // Lanes have other columns of C than of B in fragments.
    Value lane = usesUnit ? mul(inQuad, 2) : laneColumn;
    firstColumn = sum(firstColumn, mul(lane, getLaneStep(b.factor)));
    for (int64_t j = 0; j < 8; ++j) {
      OpBuilder::InsertionGuard guard(builder);
      Value place = add(firstColumn, getColumnOfSum(j));
      enterIfNeeded(place, columns, product.getColumns());
      for (int64_t i = 0; i < numRows; i += adjacent) {
        SmallVector<Value> own;
        for (int64_t k = i; k < i + adjacent; ++k)
          own.push_back(sums[usesUnit ? getUnitSum(k, j) : 8 * j + k]);
        storeRun(add(firstRow, getOwn(a.factor, 8, i)), place, own, product.getRows());
      }
    }
  }

  /// The j-th column of a lane's sums, after the first one. Of a block, a lane has two
  /// neighbouring columns of an operation.
  int64_t getColumnOfSum(int64_t j) const {
    if (!usesUnit)
      return getOwn(b.factor, 4, j);
    return getOwn(b.factor, 8, j / 2) + j % 2 * getLaneStep(b.factor);
  }

  /// The number of the sum in row `i` and column `j` of a lane.
  static int64_t getUnitSum(int64_t i, int64_t j) {
    return 4 * (kColumnBlocks * (i / 2) + j / 2) + 2 * (i % 2) + j % 2;
  }

  static constexpr int64_t kRowBlocks = 2, kColumnBlocks = 4;

  const StagedProduct &product;
  bool usesUnit;
  /// The ring of stages.
  Value memory;
  StagedOperand a, b;
  Value workItem, partRow, partColumn, laneRow, laneColumn, inQuad;
};

struct StagedFactorsPattern final : OpConversionPattern<GemmOp> {
  StagedFactorsPattern(const LinalgTypeConverter &converter, MLIRContext *context,
                       const Machine &machine)
      : OpConversionPattern(converter, context, /*benefit=*/2), machine(machine) {}

  LogicalResult matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!hasStrategy(op, StrategyKind::StagedFactors))
      return rewriter.notifyMatchFailure(op, "expected a product of staged factors");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    StagedProduct product = *StagedProduct::match(op, machine, *Strategy::find(op));
    Update update(op, adaptor, adaptor.getC());
    ProductOperand a(builder, adaptor.getA(), isTransposed(op.getTransposeA()));
    ProductOperand b(builder, adaptor.getB(), isTransposed(op.getTransposeB()));
    StagedGemm(builder, op, a, b, update, product).emit();
    rewriter.eraseOp(op);
    return success();
  }

private:
  const Machine &machine;
};

} // namespace

void tinytc::populateStagedFactorPatterns(const LinalgTypeConverter &converter,
                                          RewritePatternSet &patterns,
                                          const Machine &machine) {
  patterns.add<StagedFactorsPattern>(converter, patterns.getContext(), machine);
}
