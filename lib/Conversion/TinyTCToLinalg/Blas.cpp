//===- Blas.cpp - BLAS-like instructions -> linalg ------------------------===//
//
// An element-wise instruction is one linalg.generic on its destination. A reduction is
// three ops: a linalg.fill of an accumulator in private memory, a linalg.generic that
// accumulates, and a linalg.generic that scales and writes the destination. Private
// memory needs no address: the next stage keeps it in registers.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/ScalarBuilder.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"
#include "lib/Conversion/TinyTCToLinalg/Update.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;
using utils::IteratorType;

namespace {

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
  return linalg::GenericOp::create(builder, loc, operands, output, maps, iterators,
                                   [&](OpBuilder &b, Location l, ValueRange elements) {
                                     linalg::YieldOp::create(b, l,
                                                             emit(b, l, elements));
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

  LogicalResult matchAndRewrite(AxpbyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Update update(op, adaptor, adaptor.getB());
    auto dims = llvm::to_vector(llvm::seq<unsigned>(0, update.getType().getRank()));
    createElementwise(
        rewriter, op.getLoc(),
        {{adaptor.getA(), transposeIf(op.getTranspose() == Transpose::T, dims)}},
        update);
    rewriter.eraseOp(op);
    return success();
  }
};

struct GerPattern final : OpConversionPattern<GerOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GerOp op, OpAdaptor adaptor,
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

  LogicalResult matchAndRewrite(HadamardProductOp op, OpAdaptor adaptor,
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

  LogicalResult matchAndRewrite(GemmOp op, OpAdaptor adaptor,
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

  LogicalResult matchAndRewrite(GemvOp op, OpAdaptor adaptor,
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

  LogicalResult matchAndRewrite(SumOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Update update(op, adaptor, adaptor.getB());
    auto dims = llvm::to_vector(llvm::seq<unsigned>(0, update.getType().getRank() + 1));
    createReduction(
        rewriter, op.getLoc(),
        {{adaptor.getA(), transposeIf(op.getTranspose() == Transpose::T, dims)}},
        update);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tinytc::populateBlasPatterns(const LinalgTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<AxpbyPattern, GerPattern, HadamardProductPattern, GemmPattern,
               GemvPattern, SumPattern>(converter, patterns.getContext());
}
