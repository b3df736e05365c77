//===- Collective.cpp - BLAS-like instructions on tiles -------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops over tiles of the destination; for each of them the sum over the last mode of
// the product, in steps.
//
//===----------------------------------------------------------------------===//

#include "dialect/Scalars.h"
#include "lib/Analysis/Strategy.h"
#include "lib/Analysis/TileProducts.h"
#include "lib/Conversion/TinyTCToTile/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::tile_lowering;

/// dest := alpha P + beta dest.
struct Lowering::Product {
  BlasOpInterface op;
  SmallVector<BlasFactor, 2> factors;
  Memref dest;
  /// Of the modes of P, the summed one after those of the destination.
  SmallVector<OpFoldResult> sizes = {};
  SmallVector<int64_t> tile = {};
  /// The element types of the tiles of the sum and of the factors.
  Type element = {}, factorElement = {};
  /// Whether the sum is a product of matrices of a type that mmaf or mmai takes.
  bool isMatrixProduct = false;
  /// The mode of running sums from the end, which begin with what follows the last
  /// element.
  std::optional<unsigned> reverseMode = {};

  unsigned getSummedMode() const { return dest.sizes.size(); }
  bool isReduction() const { return sizes.size() > dest.sizes.size(); }
  SmallVector<int64_t> getDestTile() const {
    return SmallVector<int64_t>(ArrayRef(tile).take_front(dest.sizes.size()));
  }
};

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Permutes the dimensions of a factor's tile, which are its modes from the last to the
/// first, so that they are the modes in `order`.
Number Lowering::arrange(Number number, ArrayRef<unsigned> modes,
                         ArrayRef<unsigned> order) {
  SmallVector<int32_t> permutation;
  SmallVector<int64_t> shape;
  for (unsigned mode : order) {
    auto place = llvm::find(modes, mode) - modes.begin();
    permutation.push_back(modes.size() - 1 - place);
    shape.push_back(number.getType().getShape()[permutation.back()]);
  }
  if (llvm::is_sorted(permutation))
    return number;
  auto permute = [&](Value value) -> Value {
    return tile::PermuteOp::create(builder, getTile(getElement(value), shape), value,
                                   builder.getDenseI32ArrayAttr(permutation));
  };
  return {permute(number.re), number.isComplex() ? permute(number.im) : Value()};
}

/// Repeats a factor along the modes that it does not have.
Number Lowering::spread(Number number, ArrayRef<unsigned> modes,
                        ArrayRef<int64_t> tile) {
  SmallVector<unsigned> order(modes);
  llvm::sort(order, std::greater<unsigned>());
  number = arrange(number, modes, order);
  SmallVector<int64_t> line(tile.size(), 1), shape = reversed(tile);
  for (unsigned mode : modes)
    line[tile.size() - 1 - mode] = tile[mode];
  auto extend = [&](Value value) { return broadcast(reshape(value, line), shape); };
  return {extend(number.re), number.isComplex() ? extend(number.im) : Value()};
}

Number Lowering::loadFactor(Product &product, unsigned index, const Part &part,
                            Value k) {
  const BlasFactor &factor = product.factors[index];
  const Memref memref = memrefs.lookup(factor.operand->get());
  Part own;
  unsigned summed = product.getSummedMode();
  for (unsigned mode : factor.modes) {
    own.sizes.push_back(product.tile[mode]);
    own.index.push_back(mode == summed && product.isReduction() ? k : part.index[mode]);
  }
  Number number = load(memref, own);
  if (factor.isConjugated && number.isComplex())
    number.im = negReal(number.im);
  for (auto [place, mode] : llvm::enumerate(factor.modes)) {
    // Global memory is padded with zeros, local memory with what was computed there.
    std::optional<int64_t> known = getConstantIntValue(memref.sizes[place]);
    bool isSummed =
        (product.isReduction() && mode == summed) || mode == product.reverseMode;
    if (!memref.alloca || !isSummed || *known % product.tile[mode] == 0)
      continue;
    ArrayRef<int64_t> shape = number.getType().getShape();
    Value mask = broadcast(getMask(own, place, memref.sizes[place]), shape);
    Value zero = createConstant(getElement(number.re), 0, shape);
    number = select(mask, number, {zero, number.isComplex() ? zero : Value()});
  }
  return {convertReal(number.re, product.factorElement),
          number.isComplex() ? convertReal(number.im, product.factorElement) : Value()};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static void fillSum(ImplicitLocOpBuilder &builder, Region &body, Type element) {
  OpBuilder::InsertionGuard guard(builder);
  Type type = getTile(element);
  Location loc = builder.getLoc();
  Block *block = builder.createBlock(&body, {}, {type, type}, {loc, loc});
  Value a = block->getArgument(0), b = block->getArgument(1), sum;
  if (isa<FloatType>(element))
    sum = tile::AddFOp::create(builder, type, a, b);
  else
    sum = tile::AddIOp::create(builder, type, a, b);
  tile::YieldOp::create(builder, ValueRange(sum));
}

static ArrayAttr getIdentities(ImplicitLocOpBuilder &builder, Type element) {
  Attribute zero = isa<FloatType>(element)
                       ? Attribute(builder.getFloatAttr(element, 0))
                       : Attribute(builder.getIntegerAttr(element, 0));
  return builder.getArrayAttr({zero});
}

/// The sums along a dimension.
Value Lowering::reduceReal(Value value, int64_t dim) {
  SmallVector<int64_t> shape(cast<tile::TileType>(value.getType()).getShape());
  shape.erase(shape.begin() + dim);
  Type element = getElement(value);
  auto reduce =
      tile::ReduceOp::create(builder, TypeRange(Type(getTile(element, shape))),
                             ValueRange(value), dim, getIdentities(builder, element));
  fillSum(builder, reduce.getBody(), element);
  return reduce.getResults().front();
}

/// The sums along the first dimension, which is the last mode.
Number Lowering::reduce(Number number) {
  return {reduceReal(number.re, 0),
          number.isComplex() ? reduceReal(number.im, 0) : Value()};
}

/// The running sums along a dimension, with `isReverse` from the end.
Number Lowering::scan(Number number, int64_t dim, bool isReverse) {
  auto scanReal = [&](Value value) -> Value {
    Type element = getElement(value);
    auto scan =
        tile::ScanOp::create(builder, TypeRange(value.getType()), ValueRange(value),
                             dim, isReverse, getIdentities(builder, element));
    fillSum(builder, scan.getBody(), element);
    return scan.getResults().front();
  };
  return {scanReal(number.re), number.isComplex() ? scanReal(number.im) : Value()};
}

/// sum + (A B)^T = sum + B^T A^T.
Number Lowering::multiplyMatrices(Product &product, Number a, Number b, Number sum) {
  a = arrange(a, product.factors[0].modes, {2, 0});
  b = arrange(b, product.factors[1].modes, {1, 2});
  auto addProduct = [&](Value lhs, Value rhs, Value acc) -> Value {
    if (isa<FloatType>(getElement(lhs)))
      return tile::MmaFOp::create(builder, acc.getType(), lhs, rhs, acc);
    return tile::MmaIOp::create(builder, acc.getType(), lhs, rhs, acc,
                                tile::Signedness::Signed, tile::Signedness::Signed);
  };
  sum.re = addProduct(b.re, a.re, sum.re);
  if (a.isComplex() && b.isComplex())
    sum.re = addProduct(negReal(b.im), a.im, sum.re);
  if (a.isComplex())
    sum.im = addProduct(b.re, a.im, sum.im);
  if (b.isComplex())
    sum.im = addProduct(b.im, a.re, sum.im);
  return sum;
}

/// The product of numbers of which one may be real.
static Number multiplyMixed(Number a, Number b, function_ref<Value(Value, Value)> mul,
                            function_ref<Number(Number, Number)> mulComplex) {
  if (a.isComplex() && b.isComplex())
    return mulComplex(a, b);
  Number result{mul(a.re, b.re), {}};
  if (a.isComplex())
    result.im = mul(a.im, b.re);
  if (b.isComplex())
    result.im = mul(a.re, b.im);
  return result;
}

Number Lowering::computeStep(Product &product, const Part &part, Value k, Number sum) {
  Number a = loadFactor(product, 0, part, k), b;
  if (product.factors.size() == 2)
    b = loadFactor(product, 1, part, k);
  if (product.isMatrixProduct)
    return multiplyMatrices(product, a, b, sum);
  a = spread(a, product.factors[0].modes, product.tile);
  if (product.factors.size() == 2) {
    b = spread(b, product.factors[1].modes, product.tile);
    a = multiplyMixed(
        a, b, [&](Value x, Value y) { return mulReal(x, y); },
        [&](Number x, Number y) { return mul(x, y); });
  }
  if (product.isReduction())
    a = reduce(a);
  if (!sum.re)
    return a;
  Number result{addReal(sum.re, a.re), sum.im};
  if (a.isComplex())
    result.im = addReal(sum.im, a.im);
  return result;
}

/// Loads of all steps come after what was before the loop, and not after each other.
Number Lowering::computeSum(Product &product, const Part &part) {
  if (!product.isReduction())
    return computeStep(product, part, {}, {});
  bool isComplex = isa<ComplexType>(product.dest.type.getElementType());
  Value zero = createConstant(product.element, 0, reversed(product.getDestTile()));
  Number sum{zero, isComplex ? zero : Value()};
  OpFoldResult length = product.sizes.back();
  std::optional<int64_t> known = getConstantIntValue(length);
  if (known == 0)
    return sum;
  if (known && *known <= product.tile.back())
    return computeStep(product, part, {}, sum);
  Value before = token;
  Values inits{sum.re};
  if (isComplex)
    inits.push_back(sum.im);
  inits.push_back(getToken());
  auto body = [&](Value k, ValueRange carried) -> FailureOr<Values> {
    token = before;
    reads.assign({carried.back()});
    Number next =
        computeStep(product, part, k, {carried[0], isComplex ? carried[1] : Value()});
    Values values{next.re};
    if (isComplex)
      values.push_back(next.im);
    values.push_back(joinTokens(reads));
    return values;
  };
  Values results = *createFor(createI32(0), countTiles(length, product.tile.back()),
                              createI32(1), inits, body);
  token = before;
  reads.assign({results.back()});
  return {results[0], isComplex ? results[1] : Value()};
}

//===----------------------------------------------------------------------===//
// The update
//===----------------------------------------------------------------------===//

LogicalResult Lowering::update(Product &product, const Part &part, Number number) {
  BlasOpInterface op = product.op;
  ArrayRef<int64_t> shape = number.getType().getShape();
  Type type = product.dest.type.getElementType(), own = getTileElement(type);
  auto scale = [&](Value factor, Number by) {
    Number f = getNumber(factor);
    f = broadcast({convertReal(f.re, product.element),
                   f.isComplex() ? convertReal(f.im, product.element) : Value()},
                  shape);
    return multiplyMixed(
        f, by, [&](Value x, Value y) { return mulReal(x, y); },
        [&](Number x, Number y) { return mul(x, y); });
  };
  if (!isConstant(op.getAlpha(), 1))
    number = scale(op.getAlpha(), number);
  if (isa<ComplexType>(type) && !number.isComplex())
    number.im = createConstant(product.element, 0, shape);
  auto narrow = [&](Number wide) {
    return Number{convertReal(wide.re, own),
                  wide.isComplex() ? convertReal(wide.im, own) : Value()};
  };
  auto addOld = [&]() {
    Number old = load(product.dest, part);
    old = {convertReal(old.re, product.element),
           old.isComplex() ? convertReal(old.im, product.element) : Value()};
    return add(number, isConstant(op.getBeta(), 1) ? old : scale(op.getBeta(), old));
  };
  if (isConstant(op.getBeta(), 0)) {
    if (op.getAtomic() && !product.dest.alloca)
      storeAtomic(product.dest, part, narrow(number));
    else
      store(product.dest, part, narrow(number));
    return success();
  }
  if (op.getAtomic() && !product.dest.alloca) {
    addAtomic(product.dest, part, narrow(number));
    return success();
  }
  if (op.getBeta().getDefiningOp<ConstantOp>()) {
    store(product.dest, part, narrow(addOld()));
    return success();
  }
  Value skips = isZero(getNumber(op.getBeta()));
  if (product.dest.alloca) {
    store(product.dest, part,
          narrow(select(broadcast(skips, shape), number, addOld())));
    return success();
  }
  // With beta = 0, C is not read.
  Values before{getToken()};
  SmallVector<Type> types{number.re.getType()};
  if (number.isComplex())
    types.push_back(number.im.getType());
  types.push_back(before.front().getType());
  auto branch = tile::IfOp::create(builder, types, skips);
  auto fill = [&](Region &region, function_ref<Number()> compute) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region);
    setToken(before.front());
    Number value = compute();
    Values values{value.re};
    if (value.isComplex())
      values.push_back(value.im);
    values.push_back(getToken());
    tile::YieldOp::create(builder, values);
  };
  fill(branch.getThenBody(), [&] { return number; });
  fill(branch.getElseBody(), addOld);
  ValueRange results = branch.getResults();
  setToken(results.back());
  number = {results[0], number.isComplex() ? results[1] : Value()};
  store(product.dest, part, narrow(number));
  return success();
}

/// Tiles along the summed mode are taken in order, or from the last to the first, each
/// after the sum of those before.
LogicalResult Lowering::lowerRunningSum(Product &product, int64_t mode) {
  bool isReverse = product.reverseMode.has_value();
  std::optional<int64_t> known = getConstantIntValue(product.sizes[mode]);
  int64_t tile = product.tile[mode];
  SmallVector<OpFoldResult> others = product.sizes;
  others[mode] = builder.getI64IntegerAttr(tile);
  int64_t dim = product.sizes.size() - 1 - mode;
  bool isComplex = isa<ComplexType>(
      memrefs[product.factors[0].operand->get()].type.getElementType());
  SmallVector<int64_t> line = reversed(product.tile);
  line[dim] = 1;
  return forEachPart(others, product.tile, [&](const Part &part) -> LogicalResult {
    if (known && *known <= tile)
      return update(product, part, scan(computeSum(product, part), dim, isReverse));
    Value zero = createConstant(product.element, 0, line);
    Value count = countTiles(product.sizes[mode], tile), last;
    if (isReverse)
      last = subReal(count, createI32(1));
    Values inits{zero};
    if (isComplex)
      inits.push_back(zero);
    inits.push_back(getToken());
    auto body = [&](Value index, ValueRange carried) -> FailureOr<Values> {
      setToken(carried.back());
      Part own = part;
      own.index[mode] = isReverse ? subReal(last, index) : index;
      Number number = computeSum(product, own);
      Number before{carried[0], isComplex ? carried[1] : Value()};
      ArrayRef<int64_t> shape = number.getType().getShape();
      auto next = [&](Value sum, Value value) {
        return addReal(sum, reshape(reduceReal(value, dim), line));
      };
      Values values{next(before.re, number.re)};
      if (isComplex)
        values.push_back(next(before.im, number.im));
      Number sums = add(scan(number, dim, isReverse), broadcast(before, shape));
      if (failed(update(product, own, sums)))
        return failure();
      values.push_back(getToken());
      return values;
    };
    FailureOr<Values> results =
        createFor(createI32(0), count, createI32(1), inits, body);
    if (failed(results))
      return failure();
    setToken(results->back());
    return success();
  });
}

LogicalResult Lowering::checkBlas(BlasOpInterface op) {
  Type type = op.getDestination().getType().getElementType();
  bool isSum = op.getAtomic() && !isConstant(op.getBeta(), 0) &&
               !memrefs[op.getDestination()].alloca;
  if (isSum && (type.isInteger(8) || type.isInteger(16)))
    return refuse(op, "its atomic operations are those of i32, i64 and floating types");
  return success();
}

/// The strategy of an instruction, whose tile has powers of two for all modes and, in
/// local memory, all of the destination.
static FailureOr<Strategy> getTileStrategy(BlasOpInterface op) {
  FailureOr<Strategy> strategy =
      Strategy::get(op, {StrategyKind::Tiles, StrategyKind::TileProducts});
  if (failed(strategy))
    return failure();
  auto gemm = dyn_cast<GemmOp>(op.getOperation());
  if (strategy->kind == StrategyKind::TileProducts && !(gemm && hasMatrixTiles(gemm)))
    return emitFormError(op, *strategy);
  SmallVector<int64_t> sizes = op.getProductShape();
  ArrayRef<int64_t> tile = strategy->tile;
  MemrefType dest = op.getDestination().getType();
  bool fits = tile.size() == sizes.size() && llvm::all_of(tile, [](int64_t size) {
                return size > 0 && llvm::isPowerOf2_64(size);
              });
  if (fits && dest.isLocal())
    for (auto [part, size] : llvm::zip(tile, dest.getShape()))
      fits &= ShapedType::isDynamic(size) || part >= size;
  if (fits)
    return strategy;
  return op->emitOpError("expected the strategy to have a tile of powers of two for ")
         << sizes.size() << " modes, not less than local memory, got [" << tile << "]";
}

LogicalResult Lowering::lowerBlas(BlasOpInterface op) {
  if (failed(checkBlas(op)))
    return failure();
  Product product{op, op.getFactors(), memrefs[op.getDestination()]};
  product.element = getComputeType(getTileElement(product.dest.type.getElementType()));
  product.sizes = product.dest.sizes;
  for (const BlasFactor &factor : product.factors) {
    const Memref &memref = memrefs[factor.operand->get()];
    for (auto [mode, size] : llvm::zip(factor.modes, memref.sizes)) {
      if (mode >= product.sizes.size())
        product.sizes.resize(mode + 1, size);
      if (getConstantIntValue(size))
        product.sizes[mode] = size;
    }
  }
  FailureOr<Strategy> strategy = getTileStrategy(op);
  if (failed(strategy))
    return failure();
  product.tile = strategy->tile;
  product.isMatrixProduct = strategy->kind == StrategyKind::TileProducts;
  product.factorElement = product.element;
  auto gemm = dyn_cast<GemmOp>(op.getOperation());
  if (product.isMatrixProduct && hasNarrowFactors(gemm))
    product.factorElement = getTileElement(getScalarType(gemm.getA().getType()));
  bool isEmpty = llvm::any_of(product.dest.sizes, [](OpFoldResult size) {
    return getConstantIntValue(size) == 0;
  });
  if (isEmpty)
    return success();
  if (auto cumsum = dyn_cast<CumsumOp>(op.getOperation())) {
    if (cumsum.getReverse())
      product.reverseMode = cumsum.getMode();
    return lowerRunningSum(product, cumsum.getMode());
  }
  return forEachPart(product.dest.sizes, product.getDestTile(), [&](const Part &part) {
    return update(product, part, computeSum(product, part));
  });
}
