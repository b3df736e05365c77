//===- OutlineProducts.cpp - Functions for products that occur again ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Each product that may become a function is in a region of its own. Those that differ
// only in their pointers and indices become calls of one function; the others go back
// to where they were.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Conversion/OutlineKernels/ProductClasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_OUTLINEPRODUCTSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Whether values of a type can be parameters of a function.
static bool isParameterType(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref.getRank() == 1 && !memref.hasStaticShape() &&
           memref.getElementType().isIntOrFloat();
  return type.isIndex();
}

namespace {

class Outliner {
public:
  Outliner(gpu::GPUFuncOp kernel, int64_t minOps)
      : kernel(kernel), minOps(minOps), symbols(kernel->getParentOp()) {}

  void run() {
    SmallVector<scf::ExecuteRegionOp> products;
    kernel.walk([&](scf::ExecuteRegionOp op) {
      // One in another product is a part of that, and would be erased along with it.
      if (op->getParentOfType<scf::ExecuteRegionOp>())
        dissolve(op);
      else
        products.push_back(op);
    });
    if (products.size() > 1)
      llvm::for_each(products, [&](scf::ExecuteRegionOp op) { add(op); });
    for (ProductClass &products : classes)
      join(products);
    for (ProductClass &products : classes)
      if (products.members.size() > 1)
        outline(products);
    for (scf::ExecuteRegionOp op : products)
      if (!llvm::is_contained(outlined, op.getOperation()))
        dissolve(op);
  }

private:
  void add(scf::ExecuteRegionOp op);
  void computeInside(scf::ExecuteRegionOp op);
  void join(ProductClass &products);
  void outline(ProductClass &products);
  void dissolve(scf::ExecuteRegionOp op);

  gpu::GPUFuncOp kernel;
  /// The least size of a function that is worth a call: operations, which often become
  /// as many instructions.
  int64_t minOps;
  SymbolTable symbols;
  std::vector<ProductClass> classes;
  SmallPtrSet<Operation *, 8> outlined;
  /// Pairs of ops that are computed again in a product, and outside of it.
  DenseMap<Operation *, SmallVector<std::pair<Operation *, Operation *>>> again;
};

} // namespace

/// Moves constants out of a product, where they may differ from those of another.
static void moveConstantsOut(scf::ExecuteRegionOp product) {
  SmallVector<Operation *> constants;
  product.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      constants.push_back(op);
  });
  for (Operation *op : constants)
    op->moveBefore(product);
}

/// Moves what computes a value out of a product.
static void moveOut(scf::ExecuteRegionOp product, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !product->isProperAncestor(op))
    return;
  for (Value operand : op->getOperands())
    moveOut(product, operand);
  op->moveBefore(product);
}

/// Moves the pointers of members out of a product, which are loaded from the table of a
/// group: those of the next group, whose matrices are fetched meanwhile.
static void moveMembersOut(scf::ExecuteRegionOp product) {
  for (auto load :
       llvm::make_early_inc_range(product.getRegion().front().getOps<memref::LoadOp>()))
    if (isa<MemRefType>(load.getType()) && getValueOrigin(load) == ValueOrigin::Outside)
      moveOut(product, load);
}

/// Erases what has no use, so that it makes no difference.
static void eraseDead(scf::ExecuteRegionOp op) {
  op->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *nested) {
    if (nested != op && isOpTriviallyDead(nested))
      nested->erase();
  });
}

/// Computes again in a product what depends on the work-item and on more, such as the
/// sum of the lane and of the offset of a group.
void Outliner::computeInside(scf::ExecuteRegionOp op) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  OpBuilder builder = OpBuilder::atBlockBegin(&op.getRegion().front());
  IRMapping mapping;
  std::function<void(Value)> compute = [&](Value value) {
    if (mapping.contains(value) || getValueOrigin(value) != ValueOrigin::Both)
      return;
    Operation *outside = value.getDefiningOp();
    for (Value operand : outside->getOperands())
      compute(operand);
    again[op].push_back({builder.clone(*outside, mapping), outside});
  };
  for (Value value : captured) {
    compute(value);
    if (Value inside = mapping.lookupOrNull(value))
      value.replaceUsesWithIf(
          inside, [&](OpOperand &use) { return op->isProperAncestor(use.getOwner()); });
  }
}

void Outliner::add(scf::ExecuteRegionOp op) {
  moveMembersOut(op);
  eraseDead(op);
  moveConstantsOut(op);
  computeInside(op);
  for (ProductClass &products : classes) {
    std::optional<ProductMatch> found = matchProduct(products, op);
    if (!found)
      continue;
    std::optional<DenseMap<Value, int64_t>> distances =
        getDistances(products, *found, DenseMap<Value, int64_t>());
    if (distances && addMembers(products, {{op, found->parameters, *distances}}))
      return;
  }
  int64_t count = 0;
  bool isPossible = op.getNumResults() == 0;
  op.walk([&](Operation *nested) {
    ++count;
    // Only a kernel says how many lanes exchange values.
    isPossible &= !isa<gpu::ShuffleOp>(nested);
  });
  isPossible &= count >= minOps;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  ProductClass products;
  for (Value value : captured) {
    ValueOrigin origin = getValueOrigin(value);
    isPossible &= origin == ValueOrigin::Inside ||
                  (origin == ValueOrigin::Outside && isParameterType(value.getType()));
    (origin == ValueOrigin::Inside ? products.inside : products.parameters)
        .insert(value);
  }
  if (!isPossible)
    return;
  products.members.push_back({op});
  classes.push_back(std::move(products));
}

/// Arguments of products that fetch nothing for parameters of those that do: the same
/// matrices to fetch, and where they are, if these are known there. The lines are on
/// their way already.
static std::optional<Product> getFetching(const ProductClass &products,
                                          const ProductMatch &match,
                                          const Product &product,
                                          const DominanceInfo &dominance) {
  std::optional<DenseMap<Value, int64_t>> distances =
      getDistances(products, match, product.distances);
  if (!distances)
    return std::nullopt;
  Product result{product.op};
  result.distances = std::move(*distances);
  for (Value value : products.parameters) {
    Value ofFirst = match.parameters.lookup(value);
    if (!ofFirst && !dominance.properlyDominates(value, product.op))
      return std::nullopt;
    if (ofFirst && product.distances.lookup(ofFirst) != 0)
      return std::nullopt;
    Value own = ofFirst ? product.values.lookup(ofFirst) : value;
    result.values[value] = own ? own : ofFirst;
  }
  return result;
}

/// The product without what only fetches matrices into the cache, next to it.
static scf::ExecuteRegionOp cloneWithoutPrefetches(scf::ExecuteRegionOp op,
                                                   IRMapping &mapping) {
  OpBuilder builder(op);
  auto clone = cast<scf::ExecuteRegionOp>(builder.clone(*op, mapping));
  SmallVector<memref::PrefetchOp> prefetches;
  clone.walk([&](memref::PrefetchOp prefetch) { prefetches.push_back(prefetch); });
  for (memref::PrefetchOp prefetch : prefetches)
    prefetch.erase();
  eraseDead(clone);
  return clone;
}

/// `products` fetch matrices into the cache. Products that compute the same and fetch
/// nothing join them, so that one function serves both. Their calls fetch the matrices
/// of `products` again.
void Outliner::join(ProductClass &products) {
  if (products.members.empty())
    return;
  scf::ExecuteRegionOp first = products.members.front().op;
  WalkResult found =
      first.walk([](memref::PrefetchOp) { return WalkResult::interrupt(); });
  if (!found.wasInterrupted())
    return;
  IRMapping mapping;
  scf::ExecuteRegionOp clone = cloneWithoutPrefetches(first, mapping);
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(clone.getRegion(), captured);
  DominanceInfo dominance(kernel);
  ProductClass bare;
  bare.members.push_back({clone});
  for (Value value : captured)
    (products.inside.contains(value) ? bare.inside : bare.parameters).insert(value);
  for (ProductClass &others : classes) {
    if (&others == &products || others.members.empty())
      continue;
    std::optional<ProductMatch> found = matchProduct(bare, others.members.front().op);
    if (!found)
      continue;
    SmallVector<Product> fetching;
    for (const Product &product : others.members)
      if (std::optional<Product> own =
              getFetching(products, *found, product, dominance))
        fetching.push_back(std::move(*own));
    if (fetching.size() == others.members.size() && addMembers(products, fetching))
      others.members.clear();
  }
  clone.erase();
}

/// Computes a value again from constants and what names the work-item.
static Value compute(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    compute(builder, operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

void Outliner::outline(ProductClass &products) {
  OpBuilder builder(kernel);
  SmallVector<ProductOffset> offsets = getProductOffsets(products);
  auto types = llvm::map_to_vector(products.parameters,
                                   [](Value value) { return value.getType(); });
  types.append(offsets.size(), builder.getIndexType());
  scf::ExecuteRegionOp first = products.members.front().op;
  auto func = func::FuncOp::create(builder, first.getLoc(),
                                   (kernel.getName() + "_product").str(),
                                   builder.getFunctionType(types, {}));
  func.setPrivate();
  symbols.insert(func, kernel->getIterator());
  for (Product &product : products.members) {
    Location loc = product.op.getLoc();
    builder.setInsertionPoint(product.op);
    auto arguments = llvm::map_to_vector(products.parameters, [&](Value value) {
      Value own = product.values.lookup(value);
      if (!own)
        own = value;
      // A constant may come from a region that does not contain the call.
      return matchPattern(own, m_Constant())
                 ? builder.clone(*own.getDefiningOp())->getResult(0)
                 : own;
    });
    for (const ProductOffset &offset : offsets)
      arguments.push_back(
          arith::ConstantIndexOp::create(builder, loc,
                                         *getConstantIndex(offset.front()) +
                                             product.distances.lookup(offset.front())));
    func::CallOp::create(builder, loc, func, arguments);
    outlined.insert(product.op);
  }

  func.getBody().takeBody(first.getRegion());
  Block &body = func.getBody().front();
  builder.setInsertionPointToStart(&body);
  IRMapping mapping;
  for (Value value : products.parameters)
    mapping.map(value, body.addArgument(value.getType(), value.getLoc()));
  for (const ProductOffset &offset : offsets) {
    Value base = body.addArgument(builder.getIndexType(), first.getLoc());
    mapping.map(offset.front(), base);
    for (Value constant : ArrayRef(offset).drop_front()) {
      Value distance = arith::ConstantIndexOp::create(
          builder, first.getLoc(),
          *getConstantIndex(constant) - *getConstantIndex(offset.front()));
      mapping.map(constant,
                  arith::AddIOp::create(builder, first.getLoc(), base, distance));
    }
  }
  // Values that are computed again may use a constant that is an offset elsewhere.
  IRMapping again;
  for (Value value : products.inside)
    if (!mapping.contains(value))
      mapping.map(value, compute(builder, value, again));
  for (const SetVector<Value> *values : {&products.parameters, &products.inside})
    for (Value value : *values)
      value.replaceUsesWithIf(mapping.lookup(value), [&](OpOperand &use) {
        return func->isProperAncestor(use.getOwner());
      });
  body.getTerminator()->erase();
  builder.setInsertionPointToEnd(&body);
  func::ReturnOp::create(builder, first.getLoc());
  for (Product &product : products.members)
    product.op.erase();
}

/// Puts a product back to where its region is.
void Outliner::dissolve(scf::ExecuteRegionOp op) {
  for (auto [inside, outside] : llvm::reverse(again[op])) {
    inside->replaceAllUsesWith(outside);
    inside->erase();
  }
  Block &body = op.getRegion().front();
  Operation *yield = body.getTerminator();
  op.replaceAllUsesWith(yield->getOperands());
  yield->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
  op.erase();
}

namespace {
struct OutlineProducts final : tinytc::impl::OutlineProductsPassBase<OutlineProducts> {
  using OutlineProductsPassBase::OutlineProductsPassBase;

  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation().walk([&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
    for (gpu::GPUFuncOp kernel : kernels)
      Outliner(kernel, minOps).run();
  }
};
} // namespace
