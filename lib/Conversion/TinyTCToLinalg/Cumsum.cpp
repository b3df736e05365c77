//===- Cumsum.cpp - Running sums -> loops ---------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A running sum is not a linalg op. Along the first mode, whose elements are
// contiguous, a subgroup runs through a line with a scan; along other modes, every
// work-item runs through lines of its own.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/Strategy.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/Stores.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Builders/Update.h"
#include "lib/Builders/WorkItemLoop.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Whether the first `count` modes of a memref are as contiguous as one mode would be.
static bool canJoin(MemRefType type, int64_t count) {
  auto [strides, offset] = type.getStridesAndOffset();
  for (int64_t i = 0; i + 1 < count; ++i)
    if (type.isDynamicDim(i) || ShapedType::isDynamic(strides[i]) ||
        strides[i] * type.getDimSize(i) != strides[i + 1])
      return false;
  return !type.isDynamicDim(count - 1);
}

/// The view of a memref in which one mode replaces the first `count`.
static Value joinModes(ImplicitLocOpBuilder &builder, Value memref, int64_t count) {
  auto type = cast<MemRefType>(memref.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, memref);
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<int64_t> shape(type.getShape().drop_front(count - 1));
  shape.front() = ShapedType::getNumElements(type.getShape().take_front(count));
  SmallVector<int64_t> kept{strides.front()};
  kept.append(strides.begin() + count, strides.end());
  SmallVector<Value> dynamicSizes, dynamicStrides;
  for (int64_t i = count; i < type.getRank(); ++i) {
    if (type.isDynamicDim(i))
      dynamicSizes.push_back(metadata.getSizes()[i]);
    if (ShapedType::isDynamic(strides[i]))
      dynamicStrides.push_back(metadata.getStrides()[i]);
  }
  MLIRContext *context = builder.getContext();
  auto joined =
      MemRefType::get(shape, type.getElementType(),
                      StridedLayoutAttr::get(context, ShapedType::kDynamic, kept),
                      type.getMemorySpace());
  OpFoldResult begin = metadata.getOffset();
  return memref::ReinterpretCastOp::create(
      builder, joined, metadata.getBaseBuffer(), begin,
      getMixedValues(shape, dynamicSizes, context),
      getMixedValues(kept, dynamicStrides, context));
}

namespace {

/// Emits the running sums of one instruction.
class CumsumEmitter {
public:
  CumsumEmitter(ImplicitLocOpBuilder &builder, const Update &update, Value source,
                int64_t mode, bool isReverse)
      : builder(builder), scalars(builder, /*contract=*/true), update(update),
        source(source), mode(mode) {
    for (int64_t i = 0; i < update.getType().getRank(); ++i)
      sizes.push_back(memref::DimOp::create(builder, update.dest, i));
    if (isReverse)
      last = arith::SubIOp::create(builder, sizes[mode], createIndex(1));
  }

  /// Every work-item runs through lines of its own.
  void emitLines() {
    SmallVector<Value> upper(sizes);
    upper.erase(upper.begin() + mode);
    SmallVector<Value> zeros(upper.size(), createIndex(0));
    SmallVector<Value> ones(upper.size(), createIndex(1));
    auto lines = createWorkItemLoop(builder, zeros, upper, ones);
    builder.setInsertionPointToStart(lines.getBody());
    Value initial = scalars.constant(update.getComputeType(), 0);
    auto loop =
        scf::ForOp::create(builder, zeros.front(), sizes[mode], ones.front(), initial);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> indices = llvm::to_vector_of<Value>(lines.getInductionVars());
    indices.insert(indices.begin() + mode, loop.getInductionVar());
    Value sum = scalars.add(loop.getRegionIterArg(0), load(indices));
    updateElement(sum, indices);
    scf::YieldOp::create(builder, sum);
  }

  /// Every subgroup runs through lines of its own, a block of elements at a time.
  void emitScans(int32_t subgroupSize) {
    Value width = createIndex(subgroupSize);
    Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    SmallVector<Value> indices{Value()};
    enterLines(indices);

    Value zero = createIndex(0);
    Value rest = arith::RemUIOp::create(builder, sizes[0], width);
    Value full = arith::SubIOp::create(builder, sizes[0], rest);
    Value initial = scalars.constant(update.getComputeType(), 0);
    auto loop = scf::ForOp::create(builder, zero, full, width, initial);
    // Each block waits for the previous one: unrolling costs registers and gains
    // nothing.
    setUnroll(loop, false);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      indices[0] = scalars.add(loop.getInductionVar(), lane);
      Value sum = emitScan(load(indices), loop.getRegionIterArg(0), subgroupSize);
      updateElement(sum, indices);
      Value last = createI32(builder, subgroupSize - 1);
      scf::YieldOp::create(builder, createBroadcast(builder, sum, last));
    }
    emitTail(full, lane, indices, loop.getResult(0), subgroupSize);
  }

private:
  Value createIndex(int64_t value) {
    return scalars.constant(builder.getIndexType(), value);
  }

  /// Where the element is that comes at these indices, from the start or from the end.
  SmallVector<Value> getPlace(ValueRange indices) {
    SmallVector<Value> place(indices);
    if (last)
      place[mode] = arith::SubIOp::create(builder, last, place[mode]);
    return place;
  }

  Value load(ValueRange indices) {
    Value element = memref::LoadOp::create(builder, source, getPlace(indices));
    return scalars.cast(element, update.getComputeType());
  }

  void updateElement(Value sum, ValueRange indices) {
    SmallVector<Value> place = getPlace(indices);
    Value value;
    if (update.atomic) {
      value = update.emitScaled(builder, sum);
    } else {
      Value old;
      if (!update.isBetaZero)
        old = memref::LoadOp::create(builder, update.dest, place);
      value = update.emit(builder, sum, old);
    }
    createStore(builder, update.getFlag(), value, update.dest, place);
  }

  /// Opens the loops over lines: the second mode goes along the subgroups.
  void enterLines(SmallVectorImpl<Value> &indices) {
    Value first = createIndex(0), step = createIndex(1);
    indices.resize(sizes.size());
    for (size_t i = sizes.size(); i-- > 2;)
      indices[i] = enterLoop(first, sizes[i], step);
    Value subgroup = gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr);
    Value count = gpu::NumSubgroupsOp::create(builder, /*upper_bound=*/nullptr);
    Value line = enterLoop(subgroup, sizes.size() > 1 ? sizes[1] : step, count);
    if (sizes.size() > 1)
      indices[1] = line;
  }

  Value enterLoop(Value from, Value to, Value step) {
    auto loop = scf::ForOp::create(builder, from, to, step);
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  Value emitScan(Value value, Value carry, int32_t subgroupSize) {
    SubgroupBuilder subgroup(builder, GroupReduction::Add, subgroupSize);
    return scalars.add(carry, subgroup.emit(GroupOperation::InclusiveScan, value));
  }

  /// The elements after the last full block; all work-items take part in the scan.
  void emitTail(Value full, Value lane, SmallVector<Value> indices, Value carry,
                int32_t subgroupSize) {
    indices[0] = scalars.add(full, lane);
    auto createIsInside = [&] {
      Value end = OpaqueIndexOp::create(builder, sizes[0]);
      return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, indices[0], end);
    };
    Type type = update.getComputeType();
    auto branch = scf::IfOp::create(builder, type, createIsInside(), /*withElse=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, load(indices));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, scalars.constant(type, 0));
    builder.setInsertionPointAfter(branch);
    Value sum = emitScan(branch.getResult(0), carry, subgroupSize);
    auto store = scf::IfOp::create(builder, createIsInside());
    builder.setInsertionPointToStart(store.thenBlock());
    updateElement(sum, indices);
  }

  ImplicitLocOpBuilder &builder;
  ScalarBuilder scalars;
  const Update &update;
  Value source;
  int64_t mode;
  SmallVector<Value> sizes;
  /// The last index along the mode, for sums from the end.
  Value last = {};
};

struct CumsumPattern final : OpConversionPattern<CumsumOp> {
  CumsumPattern(const LinalgTypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context),
        subgroupSize(converter.getSubgroupSize()) {}

  LogicalResult matchAndRewrite(CumsumOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Strategy strategy = *Strategy::find(op); // checkStrategies has seen it
    int64_t mode = op.getMode();
    Value source = adaptor.getA(), dest = adaptor.getB();
    // One long mode of lines, where a work-item walks through several.
    if (mode > 1 && strategy.rows > 1 &&
        canJoin(cast<MemRefType>(source.getType()), mode) &&
        canJoin(cast<MemRefType>(dest.getType()), mode)) {
      source = joinModes(builder, source, mode);
      dest = joinModes(builder, dest, mode);
      mode = 1;
    }
    Update update(op, adaptor, dest);
    CumsumEmitter emitter(builder, update, source, mode, op.getReverse());
    if (strategy.kind == StrategyKind::Scan)
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
