//===- ProductClasses.cpp - Products that can share a function ------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Products are compared operation by operation: they may differ in what they get from
// outside, and by a few offsets.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/OutlineKernels/ProductClasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Offsets that may be parameters of a function. With more, the products have other
/// strides, and the call takes long.
static constexpr size_t kMostOffsets = 4;

ValueOrigin tinytc::getValueOrigin(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent))
      return ValueOrigin::Outside;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || argument != loop.getInductionVar())
      return ValueOrigin::Unknown;
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (getValueOrigin(bound) != ValueOrigin::Outside &&
          !matchPattern(bound, m_Constant()))
        return ValueOrigin::Unknown;
    return ValueOrigin::Outside;
  }
  Operation *op = value.getDefiningOp();
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<gpu::LaneIdOp, gpu::ThreadIdOp, gpu::SubgroupIdOp>(op))
    return ValueOrigin::Inside;
  if (isa<gpu::BlockIdOp, gpu::GridDimOp>(op))
    return ValueOrigin::Outside;
  bool isMemory = isa<memref::LoadOp, memref::ViewOp, memref::AllocOp>(op);
  if (op->getNumRegions() > 0 || (!isMemory && !isPure(op)))
    return ValueOrigin::Unknown;
  bool isInside = !isMemory, isOutside = true, isKnown = !isMemory;
  for (Value operand : op->getOperands()) {
    ValueOrigin origin = getValueOrigin(operand);
    isInside &= origin == ValueOrigin::Inside;
    isOutside &= origin == ValueOrigin::Outside || matchPattern(operand, m_Constant());
    isKnown &= origin != ValueOrigin::Unknown;
  }
  return isInside    ? ValueOrigin::Inside
         : isOutside ? ValueOrigin::Outside
         : isKnown   ? ValueOrigin::Both
                     : ValueOrigin::Unknown;
}

std::optional<int64_t> tinytc::getConstantIndex(Value value) {
  return value.getType().isIndex() ? getConstantIntValue(value) : std::nullopt;
}

/// Whether a constant of a product is only added to indices: then nothing is lost if
/// the function gets it as a parameter.
static bool isAdded(Value constant, scf::ExecuteRegionOp product) {
  return llvm::all_of(constant.getUsers(), [&](Operation *user) {
    return isa<arith::AddIOp>(user) || !product->isProperAncestor(user);
  });
}

std::optional<ProductMatch> tinytc::matchProduct(const ProductClass &products,
                                                 scf::ExecuteRegionOp op) {
  scf::ExecuteRegionOp first = products.members.front().op;
  DenseMap<Value, Value> inner;
  auto check = [&](Value a, Value b) -> LogicalResult {
    Value known = inner.lookup(a);
    return success(known ? known == b : a.getType() == b.getType());
  };
  auto mark = [&](Value a, Value b) { inner[a] = b; };
  if (!OperationEquivalence::isRegionEquivalentTo(
          &first.getRegion(), &op.getRegion(), check, mark,
          OperationEquivalence::Flags::IgnoreLocations))
    return std::nullopt;

  // The same operations: what do they get from outside?
  ProductMatch result;
  auto pairInside = [&](Value a, Value b) {
    if (getConstantIndex(a) && getConstantIndex(b)) {
      result.constants.insert({a, b});
      return true;
    }
    Attribute constantA, constantB;
    return a == b ||
           (matchPattern(a, m_Constant(&constantA)) &&
            matchPattern(b, m_Constant(&constantB)) && constantA == constantB);
  };
  auto pair = [&](Value a, Value b) {
    if (products.inside.contains(a))
      return pairInside(a, b);
    if (!products.parameters.contains(a))
      return true; // of the product itself
    if (Value known = result.parameters.lookup(a))
      return known == b;
    if (op->isAncestor(b.getParentBlock()->getParentOp()))
      return false;
    result.parameters[a] = b;
    return getValueOrigin(b) == ValueOrigin::Outside || matchPattern(b, m_Constant());
  };
  SmallVector<Operation *> own, others;
  first->walk([&](Operation *nested) { own.push_back(nested); });
  op->walk([&](Operation *nested) { others.push_back(nested); });
  for (auto [a, b] : llvm::zip_equal(own, others))
    for (auto [operandA, operandB] :
         llvm::zip_equal(a->getOperands(), b->getOperands()))
      if (!pair(operandA, operandB))
        return std::nullopt;
  return result;
}

std::optional<DenseMap<Value, int64_t>>
tinytc::getDistances(const ProductClass &products, const ProductMatch &match,
                     const DenseMap<Value, int64_t> &others) {
  DenseMap<Value, int64_t> distances;
  for (auto [a, b] : match.constants) {
    int64_t distance = *getConstantIndex(b) + others.lookup(b) - *getConstantIndex(a);
    auto [known, isNew] = distances.try_emplace(a, distance);
    if (known->second != distance ||
        (distance != 0 && !isAdded(a, products.members.front().op)))
      return std::nullopt;
  }
  return distances;
}

SmallVector<ProductOffset> tinytc::getProductOffsets(const ProductClass &products) {
  SmallVector<ProductOffset> offsets;
  SmallVector<SmallVector<int64_t>> known;
  for (Value constant : products.inside) {
    auto distances = llvm::map_to_vector(products.members, [&](const Product &product) {
      return product.distances.lookup(constant);
    });
    if (llvm::all_of(distances, [](int64_t distance) { return distance == 0; }))
      continue;
    auto *place = llvm::find(known, distances);
    if (place == known.end()) {
      known.push_back(std::move(distances));
      offsets.push_back({constant});
    } else {
      offsets[place - known.begin()].push_back(constant);
    }
  }
  return offsets;
}

bool tinytc::addMembers(ProductClass &products, ArrayRef<Product> members) {
  size_t count = products.members.size();
  products.members.append(members.begin(), members.end());
  if (getProductOffsets(products).size() <= kMostOffsets)
    return true;
  products.members.truncate(count);
  return false;
}
