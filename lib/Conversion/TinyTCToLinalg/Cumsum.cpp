//===- Cumsum.cpp - Running sums -> loops ---------------------------------===//
//
// A running sum is not a linalg op. Along the first mode, whose elements are
// contiguous, a subgroup runs through a line with a scan; along other modes, every
// work-item runs through lines of its own.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Builders/Stores.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"
#include "lib/Conversion/TinyTCToLinalg/Update.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

static void updateElement(OpBuilder &builder, Location loc, const Update &update,
                          Value sum, ValueRange indices) {
  Value value;
  if (update.atomic) {
    value = update.emitScaled(builder, loc, sum);
  } else {
    Value old;
    if (!update.isBetaZero)
      old = memref::LoadOp::create(builder, loc, update.dest, indices);
    value = update.emit(builder, loc, sum, old);
  }
  createStore(builder, loc, update.getFlag(), value, update.dest, indices);
}

namespace {

/// Emits the running sums of one instruction.
class CumsumEmitter {
public:
  CumsumEmitter(OpBuilder &builder, Location loc, const Update &update, Value source,
                int64_t mode)
      : builder(builder), loc(loc), scalars(builder, loc, /*contract=*/true),
        update(update), source(source), mode(mode) {
    for (int64_t i = 0; i < update.getType().getRank(); ++i)
      sizes.push_back(memref::DimOp::create(builder, loc, update.dest, i));
  }

  /// Every work-item runs through lines of its own.
  void emitLines() {
    SmallVector<Value> upper(sizes);
    upper.erase(upper.begin() + mode);
    SmallVector<Value> zeros(upper.size(), createIndex(0));
    SmallVector<Value> ones(upper.size(), createIndex(1));
    auto lines = scf::ParallelOp::create(builder, loc, zeros, upper, ones);
    builder.setInsertionPointToStart(lines.getBody());
    Value initial = scalars.constant(update.getComputeType(), 0);
    auto loop = scf::ForOp::create(builder, loc, zeros.front(), sizes[mode],
                                   ones.front(), initial);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> indices = llvm::to_vector_of<Value>(lines.getInductionVars());
    indices.insert(indices.begin() + mode, loop.getInductionVar());
    Value sum = scalars.add(loop.getRegionIterArg(0), load(indices));
    updateElement(builder, loc, update, sum, indices);
    scf::YieldOp::create(builder, loc, sum);
  }

  /// Every subgroup runs through lines of its own, a block of elements at a time.
  void emitScans(int32_t subgroupSize) {
    Value width = createIndex(subgroupSize);
    Value lane = gpu::LaneIdOp::create(builder, loc, /*upper_bound=*/nullptr);
    SmallVector<Value> indices{Value()};
    enterLines(indices);

    Value zero = createIndex(0);
    Value rest = arith::RemUIOp::create(builder, loc, sizes[0], width);
    Value full = arith::SubIOp::create(builder, loc, sizes[0], rest);
    Value initial = scalars.constant(update.getComputeType(), 0);
    auto loop = scf::ForOp::create(builder, loc, zero, full, width, initial);
    // Each block waits for the previous one: unrolling costs registers and gains
    // nothing.
    setUnroll(loop, false);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      indices[0] = scalars.add(loop.getInductionVar(), lane);
      Value sum = emitScan(load(indices), loop.getRegionIterArg(0), subgroupSize);
      updateElement(builder, loc, update, sum, indices);
      Value last = arith::ConstantOp::create(
          builder, loc, builder.getI32IntegerAttr(subgroupSize - 1));
      scf::YieldOp::create(builder, loc, createBroadcast(builder, loc, sum, last));
    }
    emitTail(full, lane, indices, loop.getResult(0), subgroupSize);
  }

private:
  Value createIndex(int64_t value) {
    return scalars.constant(builder.getIndexType(), value);
  }

  Value load(ValueRange indices) {
    Value element = memref::LoadOp::create(builder, loc, source, indices);
    return scalars.cast(element, update.getComputeType());
  }

  /// Opens the loops over lines: the second mode goes along the subgroups.
  void enterLines(SmallVectorImpl<Value> &indices) {
    Value first = createIndex(0), step = createIndex(1);
    indices.resize(sizes.size());
    for (size_t i = sizes.size(); i-- > 2;)
      indices[i] = enterLoop(first, sizes[i], step);
    Value subgroup = gpu::SubgroupIdOp::create(builder, loc, /*upper_bound=*/nullptr);
    Value count = gpu::NumSubgroupsOp::create(builder, loc, /*upper_bound=*/nullptr);
    Value line = enterLoop(subgroup, sizes.size() > 1 ? sizes[1] : step, count);
    if (sizes.size() > 1)
      indices[1] = line;
  }

  Value enterLoop(Value from, Value to, Value step) {
    auto loop = scf::ForOp::create(builder, loc, from, to, step);
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  Value emitScan(Value value, Value carry, int32_t subgroupSize) {
    SubgroupBuilder subgroup(builder, loc, GroupReduction::Add, subgroupSize);
    return scalars.add(carry, subgroup.emit(GroupOperation::InclusiveScan, value));
  }

  /// The elements after the last full block; all work-items take part in the scan.
  void emitTail(Value full, Value lane, SmallVector<Value> indices, Value carry,
                int32_t subgroupSize) {
    indices[0] = scalars.add(full, lane);
    auto createIsInside = [&] {
      Value end = OpaqueIndexOp::create(builder, loc, sizes[0]);
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, indices[0],
                                   end);
    };
    Type type = update.getComputeType();
    auto branch =
        scf::IfOp::create(builder, loc, type, createIsInside(), /*withElse=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, load(indices));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, scalars.constant(type, 0));
    builder.setInsertionPointAfter(branch);
    Value sum = emitScan(branch.getResult(0), carry, subgroupSize);
    auto store = scf::IfOp::create(builder, loc, createIsInside());
    builder.setInsertionPointToStart(store.thenBlock());
    updateElement(builder, loc, update, sum, indices);
  }

  OpBuilder &builder;
  Location loc;
  ScalarBuilder scalars;
  const Update &update;
  Value source;
  int64_t mode;
  SmallVector<Value> sizes;
};

struct CumsumPattern final : OpConversionPattern<CumsumOp> {
  CumsumPattern(const LinalgTypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context),
        subgroupSize(converter.getSubgroupSize()) {}

  LogicalResult matchAndRewrite(CumsumOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    OpBuilder::InsertionGuard guard(rewriter);
    Update update(op, adaptor, adaptor.getB());
    CumsumEmitter emitter(rewriter, op.getLoc(), update, adaptor.getA(), op.getMode());
    if (op.getMode() == 0)
      emitter.emitScans(subgroupSize);
    else
      emitter.emitLines();
    rewriter.eraseOp(op);
    return success();
  }

private:
  int32_t subgroupSize;
};

} // namespace

void tinytc::populateCumsumPatterns(const LinalgTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<CumsumPattern>(converter, patterns.getContext());
}
