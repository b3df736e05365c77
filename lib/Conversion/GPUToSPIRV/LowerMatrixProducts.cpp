//===- LowerMatrixProducts.cpp - Products of subgroups, with or without unit ----===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The last pass that sees loops as scf.for: sums of products on the matrix unit become
// vectors there. Where there is no such unit, the products are written out.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SplitF32.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/GPUToSPIRV/Patterns.h"
#include "lib/IR/CoopMatrixLayout.h"
#include "lib/IR/WarpFragments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_LOWERMATRIXPRODUCTSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The product as broadcasts of the entries of B and multiply-adds.
static void writeOut(SubgroupMatrixMulAddOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  ScalarBuilder scalars(builder, /*contract=*/true);
  int64_t lanes = op.getSubgroupSize(), columns = op.getNumColumns();
  auto type = CoopMatrixType::get(op.getDepth(), columns, op.getA().front().getType(),
                                  MatrixUse::B);
  CoopMatrixLayout layout(type, lanes);
  SmallVector<Value> sums(op.getC());
  auto vectorType = dyn_cast<VectorType>(sums.front().getType());
  if (vectorType)
    sums = vector::ToElementsOp::create(builder, sums.front()).getResults();
  for (auto [k, entry] : llvm::enumerate(op.getA())) {
    for (auto [column, sum] : llvm::enumerate(sums)) {
      if (op.hasHalves()) {
        Value b = createFromHalves(builder, op.getB()[column], 2 * k);
        sum = scalars.add(sum, scalars.mul(entry, b));
        continue;
      }
      Value b = op.getB()[layout.getPosition(k / layout.blockRows,
                                             column / layout.sideBySide)];
      int64_t lane =
          k % layout.blockRows + column % layout.sideBySide * layout.blockRows;
      b = createBroadcast(builder, scalars.cast(b, sum.getType()),
                          createI32(builder, lane));
      Value product = scalars.mul(scalars.cast(entry, sum.getType()), b);
      sum = scalars.add(sum, product);
    }
  }
  if (vectorType)
    sums = {vector::FromElementsOp::create(builder, vectorType, sums)};
  op.replaceAllUsesWith(sums);
  op.erase();
}

/// The product of a warp as shuffles of the entries of A and B, and multiply-adds.
static void writeOut(WarpMatrixMulAddOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  ScalarBuilder scalars(builder, /*contract=*/true);
  WarpFragments fragments = *WarpFragments::get(op.getA().front().getType());
  Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
  lane = arith::IndexCastOp::create(builder, builder.getI32Type(), lane);
  auto constant = [&](int32_t value) { return createI32(builder, value); };
  Value quad = constant(WarpFragments::kQuad);
  Value inQuad = arith::RemUIOp::create(builder, lane, quad);
  // The first work-items of the group that has the rows, and of the one that has the
  // even columns.
  Value ofRows = arith::SubIOp::create(builder, lane, inQuad);
  Value ofColumns =
      arith::MulIOp::create(builder, inQuad, constant(2 * WarpFragments::kQuad));
  auto get = [&](Value entry, Value first, int64_t distance) {
    Value source = arith::AddIOp::create(builder, first, constant(distance));
    return createShuffle(builder, scalars.cast(entry, fragments.sumType), source,
                         WarpFragments::kLanes);
  };
  SmallVector<Value> sums(op.getC());
  for (int64_t k = 0; k < fragments.depth; ++k) {
    int64_t slot = fragments.getSlot(k), holder = fragments.getHolder(k);
    SmallVector<Value, 2> rows, columns;
    for (int64_t half = 0; half < WarpFragments::kHalves; ++half)
      rows.push_back(get(op.getA()[fragments.getEntryOfA(half, slot)], ofRows, holder));
    for (int64_t parity = 0; parity < 2; ++parity)
      columns.push_back(
          get(op.getB()[slot], ofColumns, parity * WarpFragments::kQuad + holder));
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = scalars.add(sum, scalars.mul(rows[i / 2], columns[i % 2]));
  }
  op.replaceAllUsesWith(sums);
  op.erase();
}

/// The block as one load for each element. What is outside of the matrix is not read:
/// the nearest element is, and zero taken instead.
static void writeOut(SubgroupBlockLoadOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value one = createIndex(builder, 1);
  Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, a, b);
  };
  /// The index within [0, size), and whether it was.
  auto clamp = [&](Value index, Value size) -> std::pair<Value, Value> {
    // An index below 0 is a large unsigned number.
    Value isInside =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, index, size);
    Value last = arith::SubIOp::create(builder, size, one);
    return {arith::SelectOp::create(builder, isInside, index, last), isInside};
  };
  // Neighbours of 8 bits may come in pairs.
  bool transposed = op.getTransposed();
  int64_t neighbours =
      op.getNumResults() == 16 && op.getResult(0).getType().isInteger(8) ? 2 : 1;
  Value first = lane;
  bool hasHalves = op.getSource().getType().getElementType().isF32() && !transposed;
  if (hasHalves)
    first = arith::DivUIOp::create(builder, lane, createIndex(builder, 2));
  if (neighbours > 1)
    first = arith::MulIOp::create(builder, lane, createIndex(builder, neighbours));
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value entry = createIndex(builder, i / neighbours), along = first;
    if (i % neighbours != 0)
      along = add(first, createIndex(builder, i % neighbours));
    auto [row, isRow] = clamp(add(op.getX(), transposed ? entry : along), op.getRows());
    auto [column, isColumn] =
        clamp(add(op.getY(), transposed ? along : entry), op.getColumns());
    Value place = arith::MulIOp::create(builder, column, op.getStride());
    place = add(op.getOffset(), add(row, place));
    Value element = memref::LoadOp::create(builder, op.getSource(), place);
    if (hasHalves)
      element = createHalf(builder, element, lane);
    else if (element.getType() != result.getType())
      element = arith::BitcastOp::create(builder, result.getType(), element);
    Value isInside = arith::AndIOp::create(builder, isRow, isColumn);
    Value zero = ScalarBuilder(builder).constant(result.getType(), 0);
    result.replaceAllUsesWith(
        arith::SelectOp::create(builder, isInside, element, zero).getResult());
  }
  op.erase();
}

/// The vector whose elements `values` are, in order; null if there is none.
static Value findVector(ValueRange values) {
  auto elements = values.front().getDefiningOp<vector::ToElementsOp>();
  if (elements && ValueRange(elements.getResults()) == values)
    return elements.getSource();
  return {};
}

/// Takes and returns the sums of a product as a vector.
static void packSums(SubgroupMatrixMulAddOp op) {
  if (op.getNumColumns() == 1 || isa<VectorType>(op.getC().front().getType()))
    return;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto type = VectorType::get(op.getNumColumns(), op.getC().front().getType());
  Value sums = findVector(op.getC());
  if (!sums)
    sums = vector::FromElementsOp::create(builder, type, op.getC());
  auto packed = SubgroupMatrixMulAddOp::create(builder, op.getA(), op.getB(), sums);
  auto elements = vector::ToElementsOp::create(builder, packed.getResult(0));
  op.replaceAllUsesWith(elements);
  op.erase();
}

/// The numbers of the variables of `loop` that become the vector `pack`: it is their
/// only use, and what they are in the next iteration are the elements of a vector, too.
static SmallVector<unsigned> getVariables(scf::ForOp loop,
                                          vector::FromElementsOp pack) {
  SmallVector<unsigned> numbers;
  SmallVector<Value> next;
  for (Value element : pack.getElements()) {
    auto variable = dyn_cast<BlockArgument>(element);
    if (!variable || variable.getOwner() != loop.getBody() || !variable.hasOneUse() ||
        variable.getArgNumber() < loop.getNumInductionVars())
      return {};
    numbers.push_back(variable.getArgNumber() - loop.getNumInductionVars());
    next.push_back(loop.getYieldedValues()[numbers.back()]);
  }
  return findVector(next) ? numbers : SmallVector<unsigned>();
}

/// The type of a loop's variable that has the bits of a vector. MLIR reads pointers to
/// vectors of at most four numbers, and variables of loops become pointers.
static VectorType getVariableType(VectorType type) {
  constexpr int64_t kLongest = 4;
  if (type.getNumElements() <= kLongest)
    return type;
  unsigned bits = type.getNumElements() * type.getElementTypeBitWidth() / kLongest;
  return VectorType::get(kLongest, IntegerType::get(type.getContext(), bits));
}

/// The bits of `value` as another vector.
static Value castVector(ImplicitLocOpBuilder &builder, Value value, VectorType type) {
  if (value.getType() == type)
    return value;
  return vector::BitCastOp::create(builder, type, value);
}

/// Makes vectors of the variables of a loop that are only used as such.
static void packVariables(scf::ForOp loop) {
  IRRewriter rewriter(loop.getContext());
  SmallVector<vector::FromElementsOp> packs;
  SmallVector<SmallVector<unsigned>> groups;
  loop.getBody()->walk([&](vector::FromElementsOp pack) {
    SmallVector<unsigned> numbers = getVariables(loop, pack);
    if (numbers.empty())
      return;
    packs.push_back(pack);
    groups.push_back(std::move(numbers));
  });
  if (packs.empty())
    return;
  ImplicitLocOpBuilder builder(loop.getLoc(), loop);
  llvm::BitVector isPacked(loop.getNumRegionIterArgs());
  SmallVector<Value> inits;
  for (auto [pack, numbers] : llvm::zip_equal(packs, groups)) {
    SmallVector<Value> first;
    for (unsigned number : numbers) {
      isPacked.set(number);
      first.push_back(loop.getInitArgs()[number]);
    }
    Value init = findVector(first);
    if (!init)
      init = vector::FromElementsOp::create(builder, pack.getType(), first);
    inits.push_back(castVector(builder, init, getVariableType(pack.getType())));
  }
  SmallVector<unsigned> kept;
  for (unsigned number = 0; number < isPacked.size(); ++number)
    if (!isPacked.test(number))
      kept.push_back(number);
  for (unsigned number : kept)
    inits.push_back(loop.getInitArgs()[number]);
  auto packed = scf::ForOp::create(builder, loop.getLowerBound(), loop.getUpperBound(),
                                   loop.getStep(), inits, /*bodyBuilder=*/nullptr);
  packed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  // The yielded values before the body is moved.
  SmallVector<Value> yielded(loop.getYieldedValues()), next;
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  for (auto [i, numbers] : llvm::enumerate(groups)) {
    Value last = findVector(
        llvm::map_to_vector(numbers, [&](unsigned number) { return yielded[number]; }));
    next.push_back(castVector(builder, last, cast<VectorType>(inits[i].getType())));
  }
  for (unsigned number : kept)
    next.push_back(yielded[number]);
  // Vectors that are replaced below may be among them.
  loop.getBody()->getTerminator()->setOperands(next);
  Block *body = packed.getBody();
  if (!body->empty())
    body->clear();
  SmallVector<Value> arguments{packed.getInductionVar()};
  arguments.resize(loop.getBody()->getNumArguments());
  builder.setInsertionPointAfter(packed);
  SmallVector<Value> results(loop.getNumResults());
  for (auto [i, numbers] : llvm::enumerate(groups)) {
    VectorType type = packs[i].getType();
    builder.setInsertionPoint(packs[i]);
    packs[i].getResult().replaceAllUsesWith(
        castVector(builder, packed.getRegionIterArg(i), type));
    packs[i].erase();
    builder.setInsertionPointAfter(packed);
    auto elements = vector::ToElementsOp::create(
        builder, castVector(builder, packed.getResult(i), type));
    for (auto [number, element] : llvm::zip_equal(numbers, elements.getResults())) {
      results[number] = element;
      // No longer used: its only use is gone.
      arguments[number + 1] = loop.getInitArgs()[number];
    }
  }
  for (auto [i, number] : llvm::enumerate(kept)) {
    results[number] = packed.getResult(groups.size() + i);
    arguments[number + 1] = packed.getRegionIterArg(groups.size() + i);
  }
  rewriter.mergeBlocks(loop.getBody(), body, arguments);
  loop.replaceAllUsesWith(results);
  loop.erase();
}

/// Removes vectors that are taken apart only to be put together again, as between
/// loops.
static void removeRoundTrips(gpu::GPUFuncOp kernel) {
  kernel.walk([](vector::FromElementsOp vector) {
    auto parts = vector.getElements().front().getDefiningOp<vector::ToElementsOp>();
    if (!parts || parts.getSource().getType() != vector.getType() ||
        !llvm::equal(parts.getElements(), vector.getElements()))
      return;
    vector.replaceAllUsesWith(parts.getSource());
    vector.erase();
  });
  kernel.walk([](vector::ToElementsOp parts) {
    if (isOpTriviallyDead(parts))
      parts.erase();
  });
}

/// Whether what the subgroup does together is an operation of the target.
static bool hasMatrixUnit(gpu::GPUFuncOp kernel, const Machine &machine) {
  auto size = getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(kernel);
  return size && size.getInt() == machine.unit.lanes;
}

namespace {
struct LowerMatrixProducts final
    : tinytc::impl::LowerMatrixProductsPassBase<LowerMatrixProducts> {
  using LowerMatrixProductsPassBase::LowerMatrixProductsPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    const Machine &machine = getMachine(*target);
    getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      bool hasUnit = hasMatrixUnit(kernel, machine);
      kernel.walk([&](SubgroupMatrixMulAddOp op) {
        if (!hasUnit)
          return writeOut(op);
        packSums(op);
      });
      if (!hasUnit || !machine.unit.readsBlocks)
        kernel.walk([](SubgroupBlockLoadOp op) { writeOut(op); });
      kernel.walk([](WarpMatrixMulAddOp op) { writeOut(op); });
      // Inner loops come first.
      kernel.walk([](scf::ForOp loop) { packVariables(loop); });
      removeRoundTrips(kernel);
    });
  }
};
} // namespace
