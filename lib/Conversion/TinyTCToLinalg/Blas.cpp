//===- Blas.cpp - BLAS-like instructions -> linalg ------------------------===//
//
// An element-wise instruction is one linalg.generic on its destination. A reduction is
// three ops: a linalg.fill of an accumulator in private memory, a linalg.generic that
// accumulates, and a linalg.generic that scales and writes the destination. Private
// memory has no address of its own: the next stage keeps it in registers.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TinyTCToLinalg/Patterns.h"
#include "lib/Conversion/TinyTCToLinalg/ScalarBuilder.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;
using utils::IteratorType;

/// Whether `value` is the constant `number` (0 or 1) of any scalar type.
static bool isConstant(Value value, int64_t number) {
  auto constant = value.getDefiningOp<tinytc::ConstantOp>();
  if (!constant)
    return false;
  auto equals = [number](Attribute attr, int64_t expected) {
    if (auto integer = dyn_cast<IntegerAttr>(attr))
      return integer.getValue() == expected;
    auto floating = dyn_cast<FloatAttr>(attr);
    return floating && floating.getValue().isExactlyValue(expected);
  };
  if (auto parts = dyn_cast<ArrayAttr>(constant.getValue()))
    return equals(parts[0], number) && equals(parts[1], 0);
  return equals(constant.getValue(), number);
}

namespace {

/// The part alpha ... + beta C of an instruction, with what is known of it statically.
struct Update {
  /// `alpha` and `beta` are the converted operands, the op holds the original ones.
  template <typename Op, typename Adaptor>
  Update(Op op, Adaptor adaptor, Value dest)
      : alpha(adaptor.getAlpha()), beta(adaptor.getBeta()), dest(dest),
        isAlphaOne(isConstant(op.getAlpha(), 1)),
        isBetaZero(isConstant(op.getBeta(), 0)),
        isBetaOne(isConstant(op.getBeta(), 1)), atomic(op.getAtomic()) {}

  MemRefType getType() const { return cast<MemRefType>(dest.getType()); }
  Type getComputeType() const {
    return tinytc::getComputeType(getType().getElementType());
  }

  /// alpha * value + beta * old, in the element type of the destination.
  Value emit(OpBuilder &builder, Location loc, Value value, Value old) const {
    Type type = getComputeType();
    ScalarBuilder scalars(builder, loc, /*contract=*/true);
    value = scalars.cast(value, type);
    if (!isAlphaOne)
      value = scalars.mul(scalars.cast(alpha, type), value);
    // An atomic sum is one operation in the element type.
    if (atomic && !isBetaZero)
      return scalars.add(scalars.cast(value, getType().getElementType()), old);
    if (!isBetaZero)
      value = scalars.add(value, emitScaledOld(builder, loc, old, type));
    return scalars.cast(value, getType().getElementType());
  }

  Value alpha, beta, dest;
  bool isAlphaOne, isBetaZero, isBetaOne, atomic;

private:
  /// beta * old; old is not looked at if beta is 0, also when that is only known at
  /// run time: 0 * NaN must not spread.
  Value emitScaledOld(OpBuilder &builder, Location loc, Value old, Type type) const {
    ScalarBuilder scalars(builder, loc, /*contract=*/true);
    if (isBetaOne)
      return scalars.cast(old, type);
    Value zero = scalars.constant(beta.getType(), 0);
    Value isRead = scalars.notEqual(beta, zero);
    auto branch = scf::IfOp::create(builder, loc, type, isRead, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value scaled = scalars.mul(scalars.cast(beta, type), scalars.cast(old, type));
    scf::YieldOp::create(builder, loc, scaled);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, scalars.constant(type, 0));
    return branch.getResult(0);
  }
};

/// An input of an instruction: a memref and the dimensions that index it.
struct Input {
  Value memref;
  SmallVector<unsigned> dims;
};

/// Writes the map (d0, ..., d_{count-1}) -> (dims).
AffineMap getMap(MLIRContext *context, unsigned count, ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(
      dims, [&](unsigned dim) { return getAffineDimExpr(dim, context); });
  return AffineMap::get(count, 0, exprs, context);
}

using EmitElement = function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// linalg.generic that writes `output` at (d0, ..., d_{rank-1}); iteration dimensions
/// beyond the rank are reductions.
linalg::GenericOp createGeneric(OpBuilder &builder, Location loc,
                                ArrayRef<Input> inputs, Value output,
                                unsigned reductions, EmitElement emit) {
  unsigned rank = cast<MemRefType>(output.getType()).getRank();
  unsigned count = rank + reductions;
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (const Input &input : inputs) {
    maps.push_back(getMap(builder.getContext(), count, input.dims));
    operands.push_back(input.memref);
  }
  maps.push_back(getMap(builder.getContext(), count,
                        llvm::to_vector(llvm::seq<unsigned>(0, rank))));
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.append(reductions, IteratorType::reduction);
  return linalg::GenericOp::create(
      builder, loc, operands, output, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange elements) {
        linalg::YieldOp::create(b, l, emit(b, l, elements));
      });
}

SmallVector<unsigned> transposeIf(bool isTransposed, SmallVector<unsigned> dims) {
  if (isTransposed)
    std::reverse(dims.begin(), dims.end());
  return dims;
}

/// The element-wise instruction dest := alpha * product of inputs + beta * dest.
void createElementwise(OpBuilder &builder, Location loc, ArrayRef<Input> inputs,
                       const Update &update) {
  auto op = createGeneric(builder, loc, inputs, update.dest, /*reductions=*/0,
                          [&](OpBuilder &b, Location l, ValueRange x) {
                            ScalarBuilder scalars(b, l, /*contract=*/true);
                            Type type = update.getComputeType();
                            Value value = scalars.cast(x.front(), type);
                            for (Value factor : x.drop_front().drop_back())
                              value = scalars.mul(value, scalars.cast(factor, type));
                            return update.emit(b, l, value, x.back());
                          });
  if (update.atomic)
    op->setAttr("tinytc.atomic", builder.getUnitAttr());
}

/// The reduction dest := alpha * sum over the last dimension of the product of inputs
/// + beta * dest.
void createReduction(OpBuilder &builder, Location loc, ArrayRef<Input> inputs,
                     const Update &update) {
  MemRefType type = update.getType();
  Type computeType = update.getComputeType();
  ScalarBuilder scalars(builder, loc);
  SmallVector<Value> sizes;
  for (auto [mode, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(memref::DimOp::create(builder, loc, update.dest, mode));
  auto space =
      gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Private);
  auto accumulatorType =
      MemRefType::get(type.getShape(), computeType, MemRefLayoutAttrInterface(), space);
  Value accumulator = memref::AllocaOp::create(builder, loc, accumulatorType, sizes);
  linalg::FillOp::create(builder, loc, scalars.constant(computeType, 0), accumulator);
  createGeneric(builder, loc, inputs, accumulator, /*reductions=*/1,
                [&](OpBuilder &b, Location l, ValueRange x) {
                  ScalarBuilder scalars(b, l, /*contract=*/true);
                  Value value = scalars.cast(x.front(), computeType);
                  for (Value factor : x.drop_front().drop_back())
                    value = scalars.mul(value, scalars.cast(factor, computeType));
                  return scalars.add(x.back(), value);
                });
  SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
  createElementwise(builder, loc, {{accumulator, dims}}, update);
}

struct AxpbyPattern final : OpConversionPattern<AxpbyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AxpbyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Update update(op, adaptor, adaptor.getB());
    auto dims = llvm::to_vector(llvm::seq<unsigned>(0, update.getType().getRank()));
    createElementwise(
        rewriter, op.getLoc(),
        {{adaptor.getA(), transposeIf(op.getTranspose() == Transpose::T, dims)}}, update);
    rewriter.eraseOp(op);
    return success();
  }
};

struct GerPattern final : OpConversionPattern<GerOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GerOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    createElementwise(rewriter, op.getLoc(),
                      {{adaptor.getA(), {0}}, {adaptor.getB(), {1}}},
                      Update(op, adaptor, adaptor.getC()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct HadamardProductPattern final : OpConversionPattern<HadamardProductOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(HadamardProductOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Update update(op, adaptor, adaptor.getC());
    auto dims = llvm::to_vector(llvm::seq<unsigned>(0, update.getType().getRank()));
    createElementwise(rewriter, op.getLoc(),
                      {{adaptor.getA(), dims}, {adaptor.getB(), dims}}, update);
    rewriter.eraseOp(op);
    return success();
  }
};

struct GemmPattern final : OpConversionPattern<GemmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // (m, n, k)
    createReduction(
        rewriter, op.getLoc(),
        {{adaptor.getA(), transposeIf(op.getTransposeA() == Transpose::T, {0, 2})},
         {adaptor.getB(), transposeIf(op.getTransposeB() == Transpose::T, {2, 1})}},
        Update(op, adaptor, adaptor.getC()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct GemvPattern final : OpConversionPattern<GemvOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GemvOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // (m, k)
    createReduction(
        rewriter, op.getLoc(),
        {{adaptor.getA(), transposeIf(op.getTransposeA() == Transpose::T, {0, 1})},
         {adaptor.getB(), {1}}},
        Update(op, adaptor, adaptor.getC()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct SumPattern final : OpConversionPattern<SumOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SumOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Update update(op, adaptor, adaptor.getB());
    auto dims = llvm::to_vector(llvm::seq<unsigned>(0, update.getType().getRank() + 1));
    createReduction(
        rewriter, op.getLoc(),
        {{adaptor.getA(), transposeIf(op.getTranspose() == Transpose::T, dims)}}, update);
    rewriter.eraseOp(op);
    return success();
  }
};

/// A running sum along one mode is no linalg op: the lines along the mode are
/// distributed, each is summed up by one work-item.
struct CumsumPattern final : OpConversionPattern<CumsumOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CumsumOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Update update(op, adaptor, adaptor.getB());
    int64_t mode = op.getMode();
    ScalarBuilder scalars(rewriter, loc, /*contract=*/true);
    Value zero = scalars.constant(rewriter.getIndexType(), 0);
    Value one = scalars.constant(rewriter.getIndexType(), 1);
    SmallVector<Value> upper;
    for (int64_t i = 0; i < update.getType().getRank(); ++i)
      upper.push_back(memref::DimOp::create(rewriter, loc, update.dest, i));
    Value length = upper[mode];
    upper.erase(upper.begin() + mode);
    // A vector is one line, summed up by one work-item.
    if (upper.empty())
      upper.push_back(one);
    bool isVector = update.getType().getRank() == 1;

    auto lines = scf::ParallelOp::create(rewriter, loc,
                                         SmallVector<Value>(upper.size(), zero), upper,
                                         SmallVector<Value>(upper.size(), one));
    rewriter.setInsertionPointToStart(lines.getBody());
    Value initial = scalars.constant(update.getComputeType(), 0);
    auto loop = scf::ForOp::create(rewriter, loc, zero, length, one, initial);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> indices;
    if (!isVector)
      indices = llvm::to_vector_of<Value>(lines.getInductionVars());
    indices.insert(indices.begin() + mode, loop.getInductionVar());
    Value element = memref::LoadOp::create(rewriter, loc, adaptor.getA(), indices);
    Value sum = scalars.add(loop.getRegionIterArg(0),
                            scalars.cast(element, update.getComputeType()));
    createUpdate(rewriter, loc, update, sum, indices);
    scf::YieldOp::create(rewriter, loc, sum);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void createUpdate(OpBuilder &builder, Location loc, Update update, Value sum,
                           ValueRange indices) {
    StoreFlag flag = StoreFlag::Regular;
    if (update.atomic) {
      // beta is 0 or 1: the old value is not read, or added by the atomic operation.
      flag = update.isBetaZero ? StoreFlag::Atomic : StoreFlag::AtomicAdd;
      update.isBetaZero = true;
    }
    Value old;
    if (!update.isBetaZero)
      old = memref::LoadOp::create(builder, loc, update.dest, indices);
    createStore(builder, loc, flag, update.emit(builder, loc, sum, old), update.dest,
                indices);
  }
};

} // namespace

void tinytc::populateBlasPatterns(const LinalgTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<AxpbyPattern, GerPattern, HadamardProductPattern, GemmPattern,
               GemvPattern, SumPattern, CumsumPattern>(converter,
                                                       patterns.getContext());
}
