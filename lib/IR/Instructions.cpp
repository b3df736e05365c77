//===- Instructions.cpp - Instructions that passes make -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Instructions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::instructions;

Value instructions::createComplex(ImplicitLocOpBuilder &builder, ComplexType type,
                                  double real, double imaginary) {
  Type part = type.getElementType();
  Attribute value = builder.getArrayAttr(
      {FloatAttr::get(part, real), FloatAttr::get(part, imaginary)});
  return ConstantOp::create(builder, type, value);
}

Value instructions::createNumber(ImplicitLocOpBuilder &builder, Type type,
                                 double number) {
  Type scalar = getScalarType(type);
  if (auto complex = dyn_cast<ComplexType>(scalar)) {
    Type part = complex.getElementType();
    Attribute value =
        builder.getArrayAttr({FloatAttr::get(part, number), FloatAttr::get(part, 0.0)});
    return ConstantOp::create(builder, type, value);
  }
  Attribute value = isa<FloatType>(scalar)
                        ? Attribute(FloatAttr::get(scalar, number))
                        : Attribute(IntegerAttr::get(scalar, int64_t(number)));
  return ConstantOp::create(builder, type, value);
}

Value instructions::createIndex(ImplicitLocOpBuilder &builder, int64_t number) {
  return ConstantOp::create(builder, builder.getIndexType(), number);
}

bool instructions::isZero(Value value) { return isConstant(value, 0); }

Type instructions::getElementType(Value memref) {
  return cast<MemrefType>(memref.getType()).getElementType();
}

TensorForm MatrixForm::getForm() const {
  return getTensorForm(isTransposed,
                       isConjugated && isa<ComplexType>(getElementType(memref)));
}

SmallVector<Value, 2> MatrixForm::getPlace(Value i, Value j) const {
  if (cast<MemrefType>(memref.getType()).getOrder() == 1)
    return {isTransposed ? j : i};
  return isTransposed ? SmallVector<Value, 2>{j, i} : SmallVector<Value, 2>{i, j};
}

Value MatrixForm::conjugateIfNeeded(ImplicitLocOpBuilder &builder, Value number) const {
  bool isChanged = isConjugated && isa<ComplexType>(number.getType());
  return isChanged ? ArithConjOp::create(builder, number).getResult() : number;
}

Value MatrixForm::load(ImplicitLocOpBuilder &builder, Value i, Value j) const {
  return conjugateIfNeeded(builder, LoadOp::create(builder, memref, getPlace(i, j)));
}

void MatrixForm::store(ImplicitLocOpBuilder &builder, Value number, Value i,
                       Value j) const {
  StoreOp::create(builder, StoreFlag::Regular, conjugateIfNeeded(builder, number),
                  memref, getPlace(i, j));
}

void MatrixForm::add(ImplicitLocOpBuilder &builder, bool atomic, Value number, Value i,
                     Value j) const {
  createAdd(builder, atomic, conjugateIfNeeded(builder, number), memref,
            getPlace(i, j));
}

StoreFlag instructions::getStoreFlag(bool atomic, bool isBetaZero) {
  if (!atomic)
    return StoreFlag::Regular;
  return isBetaZero ? StoreFlag::Atomic : StoreFlag::AtomicAdd;
}

Value instructions::createCast(ImplicitLocOpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  bool isComplex = isa<ComplexType>(getScalarType(value.getType()));
  if (isComplex && !isa<ComplexType>(getScalarType(type)))
    value = ArithReOp::create(builder, getRealPartType(value.getType()), value);
  return value.getType() == type ? value : CastOp::create(builder, type, value);
}

Value instructions::createSize(ImplicitLocOpBuilder &builder, Value memref,
                               int64_t mode) {
  if (auto type = dyn_cast<MemrefType>(memref.getType()))
    if (!type.isDynamicSize(mode))
      return createIndex(builder, type.getShape()[mode]);
  return SizeOp::create(builder, builder.getIndexType(), memref, mode);
}

Value instructions::createLocal(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> shape,
                                Type element) {
  auto type = MemrefType::get(shape, element, AddressSpace::Local);
  return AllocaOp::create(builder, type, IntegerAttr(), ArrayAttr());
}

Value instructions::createLocalLike(ImplicitLocOpBuilder &builder, MemrefType type) {
  return createLocal(builder, type.getShape(), type.getElementType());
}

void instructions::createForeach(
    ImplicitLocOpBuilder &builder, Value memref,
    function_ref<void(ImplicitLocOpBuilder &, ValueRange)> body) {
  int64_t order = cast<MemrefType>(memref.getType()).getOrder();
  SmallVector<Value> from, to;
  Value zero = createIndex(builder, 0);
  for (int64_t mode = 0; mode < order; ++mode) {
    from.push_back(zero);
    to.push_back(createSize(builder, memref, mode));
  }
  if (order == 0) {
    from.push_back(zero);
    to.push_back(createIndex(builder, 1));
  }
  createForeach(builder, from, to, [&](ImplicitLocOpBuilder &nested, ValueRange all) {
    body(nested, all.take_front(order));
  });
}

void instructions::createForeach(
    ImplicitLocOpBuilder &builder, ValueRange from, ValueRange to,
    function_ref<void(ImplicitLocOpBuilder &, ValueRange)> body) {
  auto loop = ForeachOp::create(builder, from, to);
  Block &block = loop.getBody().emplaceBlock();
  for (Value bound : from)
    block.addArgument(bound.getType(), builder.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  body(builder, block.getArguments());
  YieldOp::create(builder);
}

void instructions::createIf(ImplicitLocOpBuilder &builder, Value condition,
                            function_ref<void(ImplicitLocOpBuilder &)> body) {
  auto branch = IfOp::create(builder, TypeRange(), condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&branch->getRegion(0).emplaceBlock());
  body(builder);
  YieldOp::create(builder);
}

ForOp instructions::createFor(
    ImplicitLocOpBuilder &builder, Value from, Value to, ValueRange inits,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value, ValueRange)> body) {
  auto loop = ForOp::create(builder, from, to, Value(), inits, Attribute());
  Block &block = loop.getBody().emplaceBlock();
  block.addArgument(from.getType(), builder.getLoc());
  for (Value init : inits)
    block.addArgument(init.getType(), builder.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  ValueRange arguments = block.getArguments();
  YieldOp::create(builder, body(builder, arguments.front(), arguments.drop_front()));
  return loop;
}

void instructions::createAdd(ImplicitLocOpBuilder &builder, bool atomic, Value number,
                             Value memref, ValueRange indices) {
  if (!atomic) {
    Value old = LoadOp::create(builder, memref, indices);
    number = ArithAddOp::create(builder, old, number);
  }
  StoreOp::create(builder, atomic ? StoreFlag::AtomicAdd : StoreFlag::Regular, number,
                  memref, indices);
}

/// sum := all elements of a memref + beta sum
static void addElements(ImplicitLocOpBuilder &builder, Value memref, int beta,
                        Value sum) {
  auto type = cast<MemrefType>(memref.getType());
  int64_t last = type.getOrder() - 1;
  if (last == 0) {
    Value one = createNumber(builder, type.getElementType(), 1);
    Value factor = createNumber(builder, type.getElementType(), beta);
    SumOp::create(builder, TensorForm::N, false, one, memref, factor, sum);
    return;
  }
  if (beta == 0)
    createFill(builder, sum);
  auto addEntry = [&](ImplicitLocOpBuilder &nested, Value index, ValueRange) {
    addElements(nested, createEntry(nested, memref, last, index), 1, sum);
    return SmallVector<Value>();
  };
  Value count = createSize(builder, memref, last);
  createFor(builder, createIndex(builder, 0), count, {}, addEntry);
}

Value instructions::createDot(ImplicitLocOpBuilder &builder, Value a, Value b,
                              Value products) {
  auto type = cast<MemrefType>(products.getType());
  if (type.getOrder() == 0) {
    Value first = LoadOp::create(builder, a, ValueRange());
    Value second = LoadOp::create(builder, b, ValueRange());
    return ArithMulOp::create(builder, first, second);
  }
  createForeach(builder, a, [&](ImplicitLocOpBuilder &nested, ValueRange indices) {
    Value first = LoadOp::create(nested, a, indices);
    Value second = LoadOp::create(nested, b, indices);
    Value product = ArithMulOp::create(nested, first, second);
    StoreOp::create(nested, StoreFlag::Regular, product, products, indices);
  });
  if (type.getOrder() > 1 && type.hasStaticShape() && type.hasPackedStride()) {
    int64_t last = type.getOrder() - 1;
    Type vector = FuseOp::inferResultType(builder.getLoc(), type, 0, last);
    products = FuseOp::create(builder, vector, products, 0, last);
  }
  Value sum = createLocal(builder, {}, type.getElementType());
  addElements(builder, products, 0, sum);
  return LoadOp::create(builder, sum, ValueRange());
}

Value instructions::createApply(
    ImplicitLocOpBuilder &builder, Type type, ValueRange matrices,
    function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  auto apply = CooperativeMatrixApplyOp::create(builder, type, matrices);
  Block &block = apply.getBody().emplaceBlock();
  for (int mode = 0; mode < 2; ++mode)
    block.addArgument(builder.getI32Type(), builder.getLoc());
  for (Value matrix : matrices)
    block.addArgument(getScalarType(matrix.getType()), builder.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);
  YieldOp::create(builder, body(builder, block.getArguments()));
  return apply;
}

Value instructions::createComponentSum(ImplicitLocOpBuilder &builder, Value matrix) {
  for (ReduceMode mode : {ReduceMode::Row, ReduceMode::Column})
    matrix = CooperativeMatrixReduceAddOp::create(builder, mode, matrix);
  return CooperativeMatrixExtractOp::create(builder, matrix, uint64_t(0));
}

void instructions::createFill(ImplicitLocOpBuilder &builder, Value memref) {
  Type element = cast<MemrefType>(memref.getType()).getElementType();
  Value zero = createNumber(builder, element, 0);
  createForeach(builder, memref, [&](ImplicitLocOpBuilder &nested, ValueRange indices) {
    StoreOp::create(nested, StoreFlag::Regular, zero, memref, indices);
  });
}

void instructions::createScale(ImplicitLocOpBuilder &builder, Value factor,
                               Value memref) {
  Type element = cast<MemrefType>(memref.getType()).getElementType();
  if (factor.getType() != element)
    factor = CastOp::create(builder, element, factor);
  createForeach(builder, memref, [&](ImplicitLocOpBuilder &nested, ValueRange indices) {
    Value old = LoadOp::create(nested, memref, indices);
    Value scaled = ArithMulOp::create(nested, factor, old);
    StoreOp::create(nested, StoreFlag::Regular, scaled, memref, indices);
  });
}

void instructions::createCopy(ImplicitLocOpBuilder &builder, Value from, Value to) {
  auto type = cast<MemrefType>(from.getType());
  if (type.getOrder() <= 2) {
    Value one = createNumber(builder, type.getElementType(), 1);
    Value zero = createNumber(builder, type.getElementType(), 0);
    AxpbyOp::create(builder, TensorForm::N, false, one, from, zero, to);
    return;
  }
  createForeach(builder, to, [&](ImplicitLocOpBuilder &nested, ValueRange indices) {
    Value element = LoadOp::create(nested, from, indices);
    StoreOp::create(nested, StoreFlag::Regular, element, to, indices);
  });
}

/// The layout of the parts of complex numbers.
static MemrefType getPartsType(MemrefType type) {
  SmallVector<int64_t> shape = {2}, stride = {1};
  llvm::append_range(shape, type.getShape());
  for (int64_t step : type.getStride())
    stride.push_back(ShapedType::isDynamic(step) ? step : 2 * step);
  Type part = cast<ComplexType>(type.getElementType()).getElementType();
  return MemrefType::get(shape, part, stride, type.getAddressSpace());
}

Value instructions::createView(ImplicitLocOpBuilder &builder, Operation *op,
                               Value source, const IRMapping &mapping) {
  auto map = [&](ValueRange values) {
    return llvm::map_to_vector(values,
                               [&](Value v) { return mapping.lookupOrDefault(v); });
  };
  if (auto load = dyn_cast<LoadOp>(op))
    return LoadOp::create(builder, source, map(load.getIndices()));
  auto type = cast<MemrefType>(source.getType());
  if (isa<ExpandC2ROp>(op))
    return ExpandC2ROp::create(builder, getPartsType(type), source);
  if (auto fuse = dyn_cast<FuseOp>(op)) {
    int64_t from = fuse.getFrom(), to = fuse.getTo();
    Type result = FuseOp::inferResultType(builder.getLoc(), type, from, to);
    return FuseOp::create(builder, result, source, from, to);
  }
  if (auto expand = dyn_cast<ExpandOp>(op)) {
    int64_t mode = expand.getMode();
    Type result = ExpandOp::inferResultType(builder.getLoc(), type, mode,
                                            expand.getStaticShape());
    return ExpandOp::create(builder, result, source, mode, expand.getStaticShape(),
                            map(expand.getShape()));
  }
  auto subview = cast<SubviewOp>(op);
  Type result =
      SubviewOp::inferResultType(builder.getLoc(), type, subview.getStaticSizes());
  return SubviewOp::create(builder, result, source, subview.getStaticOffsets(),
                           subview.getStaticSizes(), map(subview.getOffsets()),
                           map(subview.getSizes()));
}

Value instructions::createBlock(ImplicitLocOpBuilder &builder, Value memref,
                                ArrayRef<OpFoldResult> offsets,
                                ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> staticOffsets, staticSizes;
  SmallVector<Value> offsetValues, sizeValues;
  dispatchIndexOpFoldResults(offsets, offsetValues, staticOffsets);
  dispatchIndexOpFoldResults(sizes, sizeValues, staticSizes);
  auto type = cast<MemrefType>(memref.getType());
  Type result = SubviewOp::inferResultType(builder.getLoc(), type, staticSizes);
  return SubviewOp::create(builder, result, memref, staticOffsets, staticSizes,
                           offsetValues, sizeValues);
}

Value instructions::createEntry(ImplicitLocOpBuilder &builder, Value memref,
                                int64_t mode, Value index) {
  auto type = cast<MemrefType>(memref.getType());
  SmallVector<int64_t> offsets(type.getOrder(), 0), sizes(type.getShape());
  SmallVector<Value> sizeValues;
  for (int64_t other = 0; other < type.getOrder(); ++other)
    if (other != mode && type.isDynamicSize(other))
      sizeValues.push_back(createSize(builder, memref, other));
  offsets[mode] = ShapedType::kDynamic;
  sizes[mode] = 0;
  Type result = SubviewOp::inferResultType(builder.getLoc(), type, sizes);
  return SubviewOp::create(builder, result, memref, offsets, sizes, index, sizeValues);
}
