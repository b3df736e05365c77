//===- OutlineProducts.cpp - Functions for products that occur again ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Each product that may become a function is in a region of its own. Those that differ
// only in their pointers and indices become calls of one function; the others go back
// to where they were.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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

/// Offsets that may be parameters of a function. With more, the products have other
/// strides, and the call takes long.
static constexpr size_t kMostOffsets = 4;

/// Where the value of a function comes from.
enum class Origin {
  Inside,  ///< is computed again from constants and what names the work-item
  Outside, ///< is passed; the same for all work-items
  Both,    ///< is computed again from values of both kinds
  Unknown
};

static Origin getOrigin(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent))
      return Origin::Outside;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || argument != loop.getInductionVar())
      return Origin::Unknown;
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      if (getOrigin(bound) != Origin::Outside && !matchPattern(bound, m_Constant()))
        return Origin::Unknown;
    return Origin::Outside;
  }
  Operation *op = value.getDefiningOp();
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<gpu::LaneIdOp, gpu::ThreadIdOp, gpu::SubgroupIdOp>(op))
    return Origin::Inside;
  if (isa<gpu::BlockIdOp, gpu::GridDimOp>(op))
    return Origin::Outside;
  bool isMemory = isa<memref::LoadOp, memref::ViewOp, memref::AllocOp>(op);
  if (op->getNumRegions() > 0 || (!isMemory && !isPure(op)))
    return Origin::Unknown;
  bool isInside = !isMemory, isOutside = true, isKnown = !isMemory;
  for (Value operand : op->getOperands()) {
    Origin origin = getOrigin(operand);
    isInside &= origin == Origin::Inside;
    isOutside &= origin == Origin::Outside || matchPattern(operand, m_Constant());
    isKnown &= origin != Origin::Unknown;
  }
  return isInside    ? Origin::Inside
         : isOutside ? Origin::Outside
         : isKnown   ? Origin::Both
                     : Origin::Unknown;
}

/// Whether values of a type can be parameters of a function.
static bool isParameterType(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref.getRank() == 1 && !memref.hasStaticShape() &&
           memref.getElementType().isIntOrFloat();
  return type.isIndex();
}

namespace {

/// A product in a region of its own, and how it differs from the first one like it.
struct Product {
  scf::ExecuteRegionOp op;
  /// Its arguments for parameters.
  DenseMap<Value, Value> values = DenseMap<Value, Value>();
  /// By how much its constants are larger.
  DenseMap<Value, int64_t> distances = DenseMap<Value, int64_t>();
};

/// Products that differ only in what they get from outside.
struct Class {
  /// The first one's values from outside: parameters, and those computed again inside.
  SetVector<Value> parameters, inside;
  SmallVector<Product> members;
};

/// The values of two products that correspond to each other.
struct Match {
  DenseMap<Value, Value> parameters;
  SetVector<std::pair<Value, Value>> constants;
};

/// Constants of the first product of a class that those of each other product are
/// larger than by the same number.
using Offset = SmallVector<Value>;

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
    for (Class &products : classes)
      join(products);
    for (Class &products : classes)
      if (products.members.size() > 1)
        outline(products);
    for (scf::ExecuteRegionOp op : products)
      if (!llvm::is_contained(outlined, op.getOperation()))
        dissolve(op);
  }

private:
  void add(scf::ExecuteRegionOp op);
  void computeInside(scf::ExecuteRegionOp op);
  void join(Class &products);
  void outline(Class &products);
  void dissolve(scf::ExecuteRegionOp op);

  gpu::GPUFuncOp kernel;
  /// The least size of a function that is worth a call: operations, which often become
  /// as many instructions.
  int64_t minOps;
  SymbolTable symbols;
  std::vector<Class> classes;
  SmallPtrSet<Operation *, 8> outlined;
  /// Pairs of ops that are computed again in a product, and outside of it.
  DenseMap<Operation *, SmallVector<std::pair<Operation *, Operation *>>> again;
};

} // namespace

static std::optional<int64_t> getIndex(Value value) {
  return value.getType().isIndex() ? getConstantIntValue(value) : std::nullopt;
}

/// Whether a constant of a product is only added to indices: then nothing is lost if
/// the function gets it as a parameter.
static bool isAdded(Value constant, scf::ExecuteRegionOp product) {
  return llvm::all_of(constant.getUsers(), [&](Operation *user) {
    return isa<arith::AddIOp>(user) || !product->isProperAncestor(user);
  });
}

/// How values correspond if a product is the same as the first one but for what they
/// get from outside, and for indices that are constants.
static std::optional<Match> match(const Class &products, scf::ExecuteRegionOp op) {
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
  Match result;
  auto pairInside = [&](Value a, Value b) {
    if (getIndex(a) && getIndex(b)) {
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
    return getOrigin(b) == Origin::Outside || matchPattern(b, m_Constant());
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

/// By how much the constants of a product are larger than those of the first one, if
/// they are offsets. `others` says so of those that they correspond to.
static std::optional<DenseMap<Value, int64_t>>
getDistances(const Class &products, const Match &match,
             const DenseMap<Value, int64_t> &others) {
  DenseMap<Value, int64_t> distances;
  for (auto [a, b] : match.constants) {
    int64_t distance = *getIndex(b) + others.lookup(b) - *getIndex(a);
    auto [known, isNew] = distances.try_emplace(a, distance);
    if (known->second != distance ||
        (distance != 0 && !isAdded(a, products.members.front().op)))
      return std::nullopt;
  }
  return distances;
}

static SmallVector<Offset> getOffsets(const Class &products) {
  SmallVector<Offset> offsets;
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

/// Adds products to those whose function they can call. Returns whether it has few
/// enough parameters.
static bool addMembers(Class &products, ArrayRef<Product> members) {
  size_t count = products.members.size();
  products.members.append(members.begin(), members.end());
  if (getOffsets(products).size() <= kMostOffsets)
    return true;
  products.members.truncate(count);
  return false;
}

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
    if (isa<MemRefType>(load.getType()) && getOrigin(load) == Origin::Outside)
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
    if (mapping.contains(value) || getOrigin(value) != Origin::Both)
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
  for (Class &products : classes) {
    std::optional<Match> found = match(products, op);
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
  Class products;
  for (Value value : captured) {
    Origin origin = getOrigin(value);
    isPossible &= origin == Origin::Inside ||
                  (origin == Origin::Outside && isParameterType(value.getType()));
    (origin == Origin::Inside ? products.inside : products.parameters).insert(value);
  }
  if (!isPossible)
    return;
  products.members.push_back({op});
  classes.push_back(std::move(products));
}

/// Arguments of products that fetch nothing for parameters of those that do: the same
/// matrices to fetch, and where they are, if these are known there. The lines are on
/// their way already.
static std::optional<Product> getFetching(const Class &products, const Match &match,
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

/// Lets products that fetch nothing call the function of others that are the same but
/// for that: they fetch the same once more.
void Outliner::join(Class &products) {
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
  Class bare;
  bare.members.push_back({clone});
  for (Value value : captured)
    (products.inside.contains(value) ? bare.inside : bare.parameters).insert(value);
  for (Class &others : classes) {
    if (&others == &products || others.members.empty())
      continue;
    std::optional<Match> found = match(bare, others.members.front().op);
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

void Outliner::outline(Class &products) {
  OpBuilder builder(kernel);
  SmallVector<Offset> offsets = getOffsets(products);
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
    for (const Offset &offset : offsets)
      arguments.push_back(arith::ConstantIndexOp::create(
          builder, loc,
          *getIndex(offset.front()) + product.distances.lookup(offset.front())));
    func::CallOp::create(builder, loc, func, arguments);
    outlined.insert(product.op);
  }

  func.getBody().takeBody(first.getRegion());
  Block &body = func.getBody().front();
  builder.setInsertionPointToStart(&body);
  IRMapping mapping;
  for (Value value : products.parameters)
    mapping.map(value, body.addArgument(value.getType(), value.getLoc()));
  for (const Offset &offset : offsets) {
    Value base = body.addArgument(builder.getIndexType(), first.getLoc());
    mapping.map(offset.front(), base);
    for (Value constant : ArrayRef(offset).drop_front()) {
      Value distance = arith::ConstantIndexOp::create(
          builder, first.getLoc(), *getIndex(constant) - *getIndex(offset.front()));
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
