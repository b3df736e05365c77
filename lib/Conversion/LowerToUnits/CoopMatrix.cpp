//===- CoopMatrix.cpp - Cooperative matrices -> scalars of a work-item ----===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Loads, stores and products; CoopMatrixLayout says which scalars a work-item holds.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/MatrixUnit.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/Stores.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixBlocks.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLoop.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixProduct.h"
#include "lib/Conversion/LowerToUnits/MatrixUnit.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The rows of a factor B that are neighbours in a work-item, by the strategy of what
/// loads or multiplies it.
static int64_t countNeighbours(Operation *op) {
  std::optional<Strategy> strategy = Strategy::find(op);
  return strategy ? std::max<int64_t>(strategy->rows, 1) : 1;
}

/// The entries of A in the order in which the work-items have those of B: the unit
/// takes rows of B that lie a block apart for those of neighbours.
static SmallVector<Value> permuteSteps(const CoopMatrixProduct &product, ValueRange a,
                                       int64_t neighbours) {
  SmallVector<Value> entries(a);
  int64_t rows = product.b.blockRows, period = neighbours * rows;
  for (int64_t block = 0; block < product.c.rowBlocks; ++block)
    for (int64_t k = 0; k < product.getDepth(); ++k) {
      int64_t inPeriod = k % period;
      int64_t place = k - inPeriod + inPeriod % rows * neighbours + inPeriod / rows;
      entries[product.a.getPosition(block, k)] = a[product.a.getPosition(block, place)];
    }
  return entries;
}

namespace {

/// Walks over the components that a work-item holds of a matrix at (x, y) of a memref,
/// with the address of each and the condition under which it may be accessed.
class ComponentWalker {
public:
  ComponentWalker(ImplicitLocOpBuilder &builder, CoopMatrixLayout layout, Value memref,
                  Value x, Value y, bool transposed, Checked checked,
                  int64_t neighbours = 1)
      : builder(builder), lane(builder, layout, neighbours), memref(memref), x(x), y(y),
        transposed(transposed), checked(checked) {}

  /// Calls `emit(position, indices, condition)`; a null condition always holds.
  void walk(function_ref<void(int64_t, ValueRange, Value)> emit) {
    const CoopMatrixLayout &layout = lane.getLayout();
    for (int64_t block = 0; block < layout.rowBlocks; ++block) {
      Value row = lane.getRow(block, transposed ? y : x);
      Value rowCondition = lane.isRow(block);
      if (isChecked(checked, 0))
        rowCondition =
            createBoth(builder, rowCondition, isInside(row, transposed ? 1 : 0));
      for (int64_t step = 0; step < layout.steps; ++step) {
        Value column = lane.getColumn(step, transposed ? x : y);
        Value condition = createBoth(builder, rowCondition, lane.isColumn(step));
        if (isChecked(checked, 1))
          condition =
              createBoth(builder, condition, isInside(column, transposed ? 0 : 1));
        SmallVector<Value, 2> indices{row, column};
        if (transposed)
          std::swap(indices[0], indices[1]);
        emit(layout.getPosition(block, step), indices, condition);
      }
    }
  }

  /// The same in a loop; `emit(indices, condition, component)` gets the component of a
  /// matrix and returns that of the result, if there are such.
  SmallVector<Value> loop(ValueRange matrix, Type type,
                          function_ref<Value(ValueRange, Value, Value)> emit) {
    SmallVector<MatrixOperand, 1> operands;
    if (!matrix.empty())
      operands.emplace_back(lane.getLayout(), matrix);
    return emitComponentLoop(
        builder, lane.getLayout(), operands, type,
        [&](Value block, Value step, ArrayRef<Value> components) {
          SmallVector<Value, 2> indices{add(transposed ? y : x, lane.getRow(block)),
                                        add(transposed ? x : y, lane.getColumn(step))};
          Value condition = lane.isComponent(block, step);
          for (int64_t mode : {0, 1})
            if (isChecked(checked, mode))
              condition =
                  createBoth(builder, condition,
                             isInside(indices[mode], transposed ? 1 - mode : mode));
          if (transposed)
            std::swap(indices[0], indices[1]);
          return emit(indices, condition,
                      components.empty() ? Value() : components.front());
        });
  }

private:
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }

  /// 0 <= index < size of `mode`
  Value isInside(Value index, int64_t mode) {
    Value size = memref::DimOp::create(builder, memref, mode);
    // An index below 0 is a large unsigned number.
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, index, size);
  }

  ImplicitLocOpBuilder &builder;
  CoopMatrixLane lane;
  Value memref, x, y;
  bool transposed;
  Checked checked;
};

/// The value of `emit`, or `otherwise` where the condition does not hold; a null
/// condition always holds, and without a result both values are null.
static Value emitIf(ImplicitLocOpBuilder &builder, Value condition, Value otherwise,
                    function_ref<Value()> emit) {
  if (!condition)
    return emit();
  SmallVector<Type, 1> types;
  if (otherwise)
    types.push_back(otherwise.getType());
  auto branch =
      scf::IfOp::create(builder, types, condition, /*withElse=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value value = emit();
  if (!otherwise)
    return {};
  scf::YieldOp::create(builder, value);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, otherwise);
  return branch.getResult(0);
}

struct CoopMatrixLoadPattern final : CoopMatrixPattern<CooperativeMatrixLoadOp> {
  CoopMatrixLoadPattern(const LinalgTypeConverter &converter, MLIRContext *context,
                        const Machine &machine)
      : CoopMatrixPattern(converter, context),
        readsBlocks(machine.unit.readsBlocks &&
                    machine.unit.lanes == converter.getSubgroupSize()) {}

  LogicalResult matchAndRewrite(CooperativeMatrixLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<Value> components;
    if (readsBlocks)
      components = loadBlocks(builder, op, adaptor);
    if (components.empty())
      components = loadElements(builder, op, adaptor);
    rewriter.replaceOpWithMultiple(op, {components});
    return success();
  }

private:
  /// Blocks, where their address allows, else elements; nothing if there are no blocks
  /// for the matrix.
  SmallVector<Value> loadBlocks(ImplicitLocOpBuilder &builder,
                                CooperativeMatrixLoadOp op, OpAdaptor adaptor) const {
    CoopMatrixLayout layout = getConverter().getLayout(op.getType());
    CoopMatrixBlocks blocks(builder, layout, adaptor.getSource(),
                            op.getTranspose() == Transpose::T, countNeighbours(op) > 1);
    Value x = adaptor.getX(), y = adaptor.getY();
    if (!blocks.exist(x, y))
      return {};
    SmallVector<Type> types(layout.getNumComponents(), op.getType().getElementType());
    auto branch =
        scf::IfOp::create(builder, types, blocks.prepare(), /*withElse=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    bool mayBeFar = op.getChecked() != Checked::None;
    scf::YieldOp::create(builder, blocks.load(x, y, mayBeFar));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loadElements(builder, op, adaptor));
    return branch.getResults();
  }

  /// Each work-item reads its own elements.
  SmallVector<Value> loadElements(ImplicitLocOpBuilder &builder,
                                  CooperativeMatrixLoadOp op, OpAdaptor adaptor) const {
    CoopMatrixLayout layout = getConverter().getLayout(op.getType());
    Type type = op.getType().getElementType();
    SmallVector<Value> components(layout.getNumComponents());
    Value zero = ScalarBuilder(builder).constant(type, 0);
    ComponentWalker walker(builder, layout, adaptor.getSource(), adaptor.getX(),
                           adaptor.getY(), op.getTranspose() == Transpose::T,
                           op.getChecked(), countNeighbours(op));
    auto emit = [&](ValueRange indices, Value condition) {
      return emitIf(builder, condition, zero, [&] {
        return memref::LoadOp::create(builder, adaptor.getSource(), indices);
      });
    };
    if (layout.getNumComponents() > getConverter().getLimits().components)
      return walker.loop({}, type, [&](ValueRange indices, Value condition, Value) {
        return emit(indices, condition);
      });
    walker.walk([&](int64_t position, ValueRange indices, Value condition) {
      components[position] = emit(indices, condition);
    });
    return components;
  }

  bool readsBlocks;
};

struct CoopMatrixStorePattern final : CoopMatrixPattern<CooperativeMatrixStoreOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  LogicalResult matchAndRewrite(CooperativeMatrixStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CoopMatrixLayout layout = getConverter().getLayout(op.getMatrix().getType());
    Value dest = adaptor.getDest().front();
    ValueRange components = adaptor.getMatrix();
    ComponentWalker walker(builder, layout, dest, adaptor.getX().front(),
                           adaptor.getY().front(), op.getTranspose() == Transpose::T,
                           op.getChecked());
    auto emit = [&](ValueRange indices, Value condition, Value component) {
      return emitIf(builder, condition, {}, [&] {
        createStore(builder, op.getFlag(), component, dest, indices);
        return Value();
      });
    };
    if (layout.getNumComponents() > getConverter().getLimits().components)
      walker.loop(components, {}, emit);
    else
      walker.walk([&](int64_t position, ValueRange indices, Value condition) {
        emit(indices, condition, components[position]);
      });
    rewriter.eraseOp(op);
    return success();
  }
};

/// One atomic access for each component; those that are not accessed are 0 in the
/// result.
template <typename Op>
struct CoopMatrixAtomicPattern final : CoopMatrixPattern<Op> {
  using CoopMatrixPattern<Op>::CoopMatrixPattern;
  using OneToNOpAdaptor = typename OpConversionPattern<Op>::OneToNOpAdaptor;

  LogicalResult matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CoopMatrixType type;
    Value memref;
    ValueRange operand;
    if constexpr (std::is_same_v<Op, CooperativeMatrixAtomicLoadOp>) {
      type = op.getType();
      memref = adaptor.getSource().front();
    } else {
      type = op.getMatrix().getType();
      memref = adaptor.getDest().front();
      operand = adaptor.getMatrix();
    }
    CoopMatrixLayout layout = this->getConverter().getLayout(type);
    bool hasResult = op->getNumResults() != 0;
    Value zero =
        hasResult ? ScalarBuilder(builder).constant(type.getElementType(), 0) : Value();
    SmallVector<Value> components(layout.getNumComponents(), zero);
    AtomicOrder order{op.getScope(), op.getSemantics()};
    ComponentWalker walker(builder, layout, memref, adaptor.getX().front(),
                           adaptor.getY().front(), op.getTranspose() == Transpose::T,
                           op.getChecked());
    auto emit = [&](ValueRange indices, Value condition, Value component) {
      return emitIf(builder, condition, zero, [&] {
        return createAtomic(builder, op.getAtomicKind(), order, component, memref,
                            indices);
      });
    };
    if (layout.getNumComponents() > kMaxAtomicComponents)
      components =
          walker.loop(operand, hasResult ? type.getElementType() : Type(), emit);
    else
      walker.walk([&](int64_t position, ValueRange indices, Value condition) {
        components[position] =
            emit(indices, condition, operand.empty() ? Value() : operand[position]);
      });
    if (hasResult)
      rewriter.replaceOpWithMultiple(op, {components});
    else
      rewriter.eraseOp(op);
    return success();
  }
};

/// Converts the components of a matrix to another type.
static SmallVector<Value> castInLoop(ImplicitLocOpBuilder &builder,
                                     const CoopMatrixLayout &layout, ValueRange values,
                                     Type type) {
  if (values.front().getType() == type)
    return values;
  ScalarBuilder scalars(builder);
  return emitComponentLoop(
      builder, layout, MatrixOperand(layout, values), type,
      [&](Value, Value, ArrayRef<Value> x) { return scalars.cast(x.front(), type); });
}

struct MulAddPattern final : CoopMatrixPattern<CooperativeMatrixMulAddOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  LogicalResult matchAndRewrite(CooperativeMatrixMulAddOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    const LinalgTypeConverter &converter = getConverter();
    CoopMatrixProduct product{converter.getLayout(op.getA().getType()),
                              converter.getLayout(op.getB().getType()),
                              converter.getLayout(op.getC().getType())};
    Type sumType = op.getC().getType().getElementType();
    Type resultType = op.getType().getElementType();
    Type type = getComputeType(sumType);
    bool isOnUnit = hasStrategy(op, StrategyKind::MatrixUnit);
    bool isOnTensorCores = hasStrategy(op, StrategyKind::TensorCores);
    if (isOnUnit || isOnTensorCores)
      type = getMatrixUnitSumType(op.getA().getType().getElementType(),
                                  op.getB().getType().getElementType(), sumType,
                                  mayUseTF32(op));

    ScalarBuilder scalars(builder);
    auto castAll = [&](const CoopMatrixLayout &layout, ValueRange values, Type type) {
      // Units take values.
      if (converter.getLimits().keepsArrays && !isOnUnit && !isOnTensorCores)
        return castInLoop(builder, layout, values, type);
      return llvm::map_to_vector(
          values, [&](Value value) { return scalars.cast(value, type); });
    };
    SmallVector<Value> sums = castAll(product.c, adaptor.getC(), type);
    if (isOnTensorCores)
      emitTensorCoreProduct(builder, product, adaptor.getA(), adaptor.getB(), sums);
    else if (isOnUnit)
      emitMatrixUnitProduct(builder, product,
                            permuteSteps(product, adaptor.getA(), countNeighbours(op)),
                            adaptor.getB(), sums);
    else
      emitProduct(builder, product, castAll(product.a, adaptor.getA(), type),
                  castAll(product.b, adaptor.getB(), type), sums,
                  converter.getLimits());
    rewriter.replaceOpWithMultiple(op, {castAll(product.c, sums, resultType)});
    return success();
  }
};

struct ScalePattern final : CoopMatrixPattern<CooperativeMatrixScaleOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  LogicalResult matchAndRewrite(CooperativeMatrixScaleOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    ScalarBuilder scalars(builder);
    Value factor = adaptor.getScalar().front();
    CoopMatrixLayout layout = getConverter().getLayout(op.getType());
    SmallVector<Value> components;
    if (layout.getNumComponents() > getConverter().getLimits().components)
      components = emitComponentLoop(
          builder, layout, MatrixOperand(layout, adaptor.getMatrix()),
          op.getType().getElementType(), [&](Value, Value, ArrayRef<Value> x) {
            return scalars.mul(factor, x.front());
          });
    else
      for (Value component : adaptor.getMatrix())
        components.push_back(scalars.mul(factor, component));
    rewriter.replaceOpWithMultiple(op, {components});
    return success();
  }
};

} // namespace

void tinytc::populateCoopMatrixPatterns(const LinalgTypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        const Machine &machine) {
  patterns.add<CoopMatrixStorePattern, MulAddPattern, ScalePattern>(
      converter, patterns.getContext());
  patterns.add<CoopMatrixLoadPattern>(converter, patterns.getContext(), machine);
  patterns.add<CoopMatrixAtomicPattern<CooperativeMatrixAtomicLoadOp>,
               CoopMatrixAtomicPattern<CooperativeMatrixAtomicStoreOp>,
               CoopMatrixAtomicPattern<CooperativeMatrixAtomicAddOp>,
               CoopMatrixAtomicPattern<CooperativeMatrixAtomicMinOp>,
               CoopMatrixAtomicPattern<CooperativeMatrixAtomicMaxOp>>(
      converter, patterns.getContext());
}
