//===- Blas.cpp - BLAS-like instructions -> linalg ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// An element-wise instruction is one linalg.generic on its destination. A reduction is
// three ops: a linalg.fill of an accumulator in private memory, a linalg.generic that
// accumulates, and a linalg.generic that scales and writes the destination. Private
// memory needs no address: the next stage keeps it in registers.
//
// A linalg.generic yields new elements, which an atomic update does not know. It is a
// parallel loop around the atomic operation on one element.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/Stores.h"
#include "lib/Builders/Update.h"
#include "lib/Builders/WorkItemLoop.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;
using utils::IteratorType;

namespace {

/// An input of an instruction: a memref, the dimensions that index it, and whether its
/// elements are conjugated.
struct Input {
  Value memref;
  SmallVector<unsigned, 3> dims;
  bool isConjugated = false;
};

/// Writes the map (d0, ..., d_{count-1}) -> (dims).
AffineMap getMap(MLIRContext *context, unsigned count, ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(
      dims, [&](unsigned dim) { return getAffineDimExpr(dim, context); });
  return AffineMap::get(count, 0, exprs, context);
}

using EmitElement = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// linalg.generic that writes `output` at (d0, ..., d_{rank-1}); iteration dimensions
/// beyond the rank are reductions.
linalg::GenericOp createGeneric(ImplicitLocOpBuilder &builder, ArrayRef<Input> inputs,
                                Value output, unsigned reductions, EmitElement emit) {
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
      builder, operands, output, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder b(loc, nested);
        linalg::YieldOp::create(b, emit(b, elements));
      });
}

/// The product of `elements` of the inputs, in `type`; without inputs that of an empty
/// sum, 0.
Value emitProduct(ImplicitLocOpBuilder &builder, ArrayRef<Input> inputs,
                  ValueRange elements, Type type) {
  ScalarBuilder scalars(builder, /*contract=*/true);
  Value product;
  for (auto [input, element] : llvm::zip_equal(inputs, elements)) {
    bool isConjugated = input.isConjugated && isa<ComplexType>(element.getType());
    Value factor = isConjugated ? complex::ConjOp::create(builder, element).getResult()
                                : Value(element);
    factor = scalars.cast(factor, type);
    product = product ? scalars.mul(product, factor) : factor;
  }
  return product ? product : scalars.constant(type, 0);
}

/// dest := alpha * product of inputs + beta * dest.
void createElementwise(ImplicitLocOpBuilder &builder, ArrayRef<Input> inputs,
                       const Update &update) {
  createGeneric(builder, inputs, update.dest, /*reductions=*/0,
                [&](ImplicitLocOpBuilder &b, ValueRange x) {
                  Value product =
                      emitProduct(b, inputs, x.drop_back(), update.getComputeType());
                  return update.emit(b, product, x.back());
                });
}

/// The same where each element is written or increased atomically.
void createAtomic(ImplicitLocOpBuilder &builder, ArrayRef<Input> inputs,
                  const Update &update) {
  int64_t rank = update.getType().getRank();
  SmallVector<Value> upper;
  for (OpFoldResult size :
       memref::getMixedSizes(builder, builder.getLoc(), update.dest))
    upper.push_back(toValue(builder, size));
  Value zero = createIndex(builder, 0), one = createIndex(builder, 1);
  // A scalar is written by one iteration.
  upper.resize(std::max<int64_t>(rank, 1), one);
  SmallVector<Value> lower(upper.size(), zero), steps(upper.size(), one);
  auto loop = createWorkItemLoop(builder, lower, upper, steps);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> indices = loop.getInductionVars(), factors;
  for (const Input &input : inputs) {
    auto position =
        llvm::map_to_vector(input.dims, [&](unsigned dim) { return indices[dim]; });
    factors.push_back(memref::LoadOp::create(builder, input.memref, position));
  }
  Value product = emitProduct(builder, inputs, factors, update.getComputeType());
  createStore(builder, update.getFlag(), update.emitScaled(builder, product),
              update.dest, ValueRange(indices).take_front(rank));
}

void createUpdate(ImplicitLocOpBuilder &builder, ArrayRef<Input> inputs,
                  const Update &update) {
  if (update.atomic)
    return createAtomic(builder, inputs, update);
  createElementwise(builder, inputs, update);
}

/// The reduction dest := alpha * sum over the last dimension of the product of inputs
/// + beta * dest.
void createReduction(ImplicitLocOpBuilder &builder, ArrayRef<Input> inputs,
                     const Update &update) {
  MemRefType type = update.getType();
  Type computeType = update.getComputeType();
  ScalarBuilder scalars(builder);
  SmallVector<Value> sizes;
  for (auto [mode, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(memref::DimOp::create(builder, update.dest, mode));
  auto space =
      gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Private);
  auto accumulatorType =
      MemRefType::get(type.getShape(), computeType, MemRefLayoutAttrInterface(), space);
  Value accumulator = memref::AllocaOp::create(builder, accumulatorType, sizes);
  linalg::FillOp::create(builder, scalars.constant(computeType, 0), accumulator);
  createGeneric(builder, inputs, accumulator, /*reductions=*/1,
                [&](ImplicitLocOpBuilder &b, ValueRange x) {
                  Value product = emitProduct(b, inputs, x.drop_back(), computeType);
                  return ScalarBuilder(b, /*contract=*/true).add(x.back(), product);
                });
  auto dims = llvm::to_vector<3>(llvm::seq<unsigned>(0, type.getRank()));
  createUpdate(builder, {{accumulator, dims}}, update);
}

template <typename Op>
struct BlasPattern final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto getConverted = [&](OpOperand &operand) {
      return adaptor.getOperands()[operand.getOperandNumber()];
    };
    Update update(op, adaptor, getConverted(op.getDestinationMutable()));
    SmallVector<Input> inputs;
    for (const BlasFactor &factor : op.getFactors())
      inputs.push_back(
          {getConverted(*factor.operand), factor.modes, factor.isConjugated});
    // A destination without elements needs no update.
    if (!llvm::is_contained(update.getType().getShape(), 0))
      create(builder, op, inputs, update);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void create(ImplicitLocOpBuilder &builder, Op op, ArrayRef<Input> inputs,
                     const Update &update) {
    if (!op.isReduction())
      return createUpdate(builder, inputs, update);
    // linalg drops ops on memrefs without elements, also sums of nothing.
    if (op.getProductShape().back() == 0)
      return createUpdate(builder, /*inputs=*/{}, update);
    createReduction(builder, inputs, update);
  }
};

} // namespace

void tinytc::populateBlasPatterns(const LinalgTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<BlasPattern<AxpbyOp>, BlasPattern<GerOp>, BlasPattern<HadamardProductOp>,
               BlasPattern<GemmOp>, BlasPattern<GemvOp>, BlasPattern<SumOp>>(
      converter, patterns.getContext());
}
