//===- CoopMatrixProduct.cpp - Products of coopmatrices -------------------===//
//
// Small products are written out. The components of large ones are put into arrays in
// private memory, which loops can index: over tiles of columns, whose sums are in
// registers, and over the summed mode. The elements are summed up in the same order.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TinyTCToLinalg/CoopMatrixProduct.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SubgroupBuilder.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The largest number of multiply-adds of a work-item that is written out. Drivers need
/// more than a second for more of them, and spill registers.
static constexpr int64_t kMaxWrittenOut = 512;
/// Registers for the sums of a tile of columns: half of those of AVX-512.
static constexpr int64_t kTileRegisters = 16;
static constexpr int64_t kRegisterBytes = 64;
/// Multiply-adds in one iteration of the innermost loop.
static constexpr int64_t kStepsOfIteration = 64;

namespace {

/// Scalars of one work-item in private memory.
class PrivateArray {
public:
  PrivateArray(ImplicitLocOpBuilder &builder, Type elementType, int64_t size)
      : type(elementType) {
    // There are neither complex numbers nor indices in memory.
    Type stored = type.isIndex() ? builder.getI64Type() : getRealType(type);
    auto space =
        gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Private);
    auto memrefType = MemRefType::get(isa<ComplexType>(type) ? 2 * size : size, stored,
                                      MemRefLayoutAttrInterface(), space);
    memref = memref::AllocaOp::create(builder, memrefType);
  }

  Value load(ImplicitLocOpBuilder &builder, Value index) const {
    if (!isa<ComplexType>(type)) {
      Value value = memref::LoadOp::create(builder, memref, index);
      return type.isIndex() ? arith::IndexCastOp::create(builder, type, value) : value;
    }
    auto [re, im] = getParts(builder, index);
    return complex::CreateOp::create(builder, type,
                                     memref::LoadOp::create(builder, memref, re),
                                     memref::LoadOp::create(builder, memref, im));
  }

  void store(ImplicitLocOpBuilder &builder, Value value, Value index) const {
    if (type.isIndex())
      value = arith::IndexCastOp::create(builder, builder.getI64Type(), value);
    if (!isa<ComplexType>(type)) {
      memref::StoreOp::create(builder, value, memref, index);
      return;
    }
    auto [re, im] = getParts(builder, index);
    memref::StoreOp::create(builder, complex::ReOp::create(builder, value), memref, re);
    memref::StoreOp::create(builder, complex::ImOp::create(builder, value), memref, im);
  }

private:
  /// The places of the parts of a complex number.
  static std::pair<Value, Value> getParts(ImplicitLocOpBuilder &builder, Value index) {
    Value two = arith::ConstantIndexOp::create(builder, 2);
    Value one = arith::ConstantIndexOp::create(builder, 1);
    Value re = arith::MulIOp::create(builder, index, two);
    return {re, arith::AddIOp::create(builder, re, one)};
  }

  Type type;
  Value memref;
};

/// Emits a large product in loops.
class LoopedProduct {
public:
  LoopedProduct(ImplicitLocOpBuilder &builder, const CoopMatrixProduct &product,
                Type type)
      : builder(builder), product(product), type(type), rowBlocks(product.c.rowBlocks),
        columns(product.c.type.getColumns()), depth(product.b.type.getRows()),
        width(product.b.subgroupSize), a(builder, type, rowBlocks * depth),
        b(builder, type, product.b.getNumComponents()),
        c(builder, type, rowBlocks * columns) {}

  void emit(ValueRange aComponents, ValueRange bComponents,
            MutableArrayRef<Value> sums) {
    storeAll(a, product.a, aComponents);
    // Elements of B of a tile of columns are neighbours.
    for (auto [position, component] : llvm::enumerate(bComponents))
      b.store(builder, component, constant(position));
    storeAll(c, product.c, sums);

    int64_t registers =
        rowBlocks * llvm::divideCeil(getSizeBytes(type) * width, kRegisterBytes);
    int64_t tile = std::clamp<int64_t>(kTileRegisters / registers, 1, columns);
    emitTiles(0, columns / tile * tile, tile);
    emitTiles(columns / tile * tile, columns, columns % tile);

    for (int64_t block = 0; block < rowBlocks; ++block)
      for (int64_t column = 0; column < columns; ++column)
        sums[product.c.getPosition(block, column)] =
            c.load(builder, constant(column * rowBlocks + block));
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }
  Value add(Value x, int64_t y) {
    return y == 0 ? x : arith::AddIOp::create(builder, x, constant(y)).getResult();
  }
  Value multiply(Value x, int64_t y) {
    return arith::MulIOp::create(builder, x, constant(y));
  }

  /// Rows of A and C: the blocks of a column are neighbours.
  void storeAll(const PrivateArray &array, const CoopMatrixLayout &layout,
                ValueRange components) {
    for (int64_t column = 0; column < layout.type.getColumns(); ++column)
      for (int64_t block = 0; block < rowBlocks; ++block)
        array.store(builder, components[layout.getPosition(block, column)],
                    constant(column * rowBlocks + block));
  }

  /// Emits `body` for each `step`-th index with the values that it carries.
  void emitLoop(int64_t lower, int64_t upper, int64_t step,
                MutableArrayRef<Value> values, function_ref<void(Value)> body) {
    if (lower == upper)
      return;
    auto loop = scf::ForOp::create(builder, constant(lower), constant(upper),
                                   constant(step), ValueRange(values));
    // Drivers would unroll the loop again.
    setUnroll(loop, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), values.begin());
    body(loop.getInductionVar());
    if (!values.empty())
      scf::YieldOp::create(builder, ValueRange(values));
    llvm::copy(loop.getResults(), values.begin());
  }

  /// Columns [lower, upper) in tiles of `tile` columns.
  void emitTiles(int64_t lower, int64_t upper, int64_t tile) {
    emitLoop(lower, upper, tile, {}, [&](Value first) {
      Value begin = multiply(first, rowBlocks);
      SmallVector<Value> sums;
      for (int64_t i = 0; i < tile * rowBlocks; ++i)
        sums.push_back(c.load(builder, add(begin, i)));
      emitLoop(0, depth / width, 1, sums,
               [&](Value block) { emitBlock(block, width, first, tile, sums); });
      if (depth % width != 0)
        emitBlock(constant(depth / width), depth % width, first, tile, sums);
      for (auto [i, sum] : llvm::enumerate(sums))
        c.store(builder, sum, add(begin, i));
    });
  }

  /// Adds what the first `lanes` rows of a block of B contribute to a tile.
  void emitBlock(Value block, int64_t lanes, Value first, int64_t tile,
                 MutableArrayRef<Value> sums) {
    Value begin = arith::AddIOp::create(builder, multiply(block, columns), first);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < tile; ++i)
      elements.push_back(b.load(builder, add(begin, i)));
    int64_t unroll = kStepsOfIteration / int64_t(sums.size());
    unroll = std::clamp<int64_t>(unroll, 1, lanes);
    while (lanes % unroll != 0)
      --unroll;
    Value row = multiply(block, width);
    emitLoop(0, lanes, unroll, sums, [&](Value lane) {
      for (int64_t i = 0; i < unroll; ++i)
        emitStep(row, add(lane, i), elements, sums);
    });
  }

  /// Adds the products with one row of B.
  void emitStep(Value row, Value lane, ArrayRef<Value> elements,
                MutableArrayRef<Value> sums) {
    ScalarBuilder scalars(builder, /*contract=*/true);
    Value begin = multiply(arith::AddIOp::create(builder, row, lane), rowBlocks);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < rowBlocks; ++i)
      rows.push_back(a.load(builder, add(begin, i)));
    Value source = arith::IndexCastOp::create(builder, builder.getI32Type(), lane);
    auto *sum = sums.begin();
    for (Value element : elements) {
      Value all = createBroadcast(builder, element, source);
      for (Value x : rows) {
        *sum = scalars.add(*sum, scalars.mul(x, all));
        ++sum;
      }
    }
  }

  ImplicitLocOpBuilder &builder;
  const CoopMatrixProduct &product;
  Type type;
  int64_t rowBlocks, columns, depth, width;
  PrivateArray a, b, c;
};

} // namespace

/// Writes out the whole product.
static void emitSmallProduct(ImplicitLocOpBuilder &builder,
                             const CoopMatrixProduct &product, ValueRange a,
                             ValueRange b, MutableArrayRef<Value> sums) {
  ScalarBuilder scalars(builder, /*contract=*/true);
  for (int64_t k = 0; k < product.b.type.getRows(); ++k) {
    Value lane = arith::ConstantOp::create(
        builder, builder.getI32IntegerAttr(k % product.b.subgroupSize));
    for (int64_t column = 0; column < product.b.type.getColumns(); ++column) {
      Value element = b[product.b.getPosition(k / product.b.subgroupSize, column)];
      element = createBroadcast(builder, element, lane);
      for (int64_t block = 0; block < product.c.rowBlocks; ++block) {
        Value &sum = sums[product.c.getPosition(block, column)];
        sum =
            scalars.add(sum, scalars.mul(a[product.a.getPosition(block, k)], element));
      }
    }
  }
}

void tinytc::emitProduct(ImplicitLocOpBuilder &builder,
                         const CoopMatrixProduct &product, ValueRange a, ValueRange b,
                         MutableArrayRef<Value> sums) {
  int64_t steps = product.c.getNumComponents() * product.b.type.getRows();
  if (steps <= kMaxWrittenOut)
    return emitSmallProduct(builder, product, a, b, sums);
  LoopedProduct(builder, product, sums.front().getType()).emit(a, b, sums);
}
