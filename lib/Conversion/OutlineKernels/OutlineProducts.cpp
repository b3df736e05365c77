//===- OutlineProducts.cpp - Functions for products that occur again ------===//
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

/// Offsets that may become parameters of a function. With more, the products have other
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

/// A product in a region of its own, and how values of the first one like it
/// correspond to its own.
struct Product {
  scf::ExecuteRegionOp op;
  DenseMap<Value, Value> values;
};

/// Products that differ only in what they get from outside.
struct Class {
  /// What the first one gets from outside: parameters, and what is computed again.
  SetVector<Value> parameters, inside;
  SmallVector<Product> members;
};

class Outliner {
public:
  Outliner(gpu::GPUFuncOp kernel, int64_t minOps)
      : kernel(kernel), minOps(minOps), symbols(kernel->getParentOp()) {}

  void run() {
    SmallVector<scf::ExecuteRegionOp> products;
    kernel.walk([&](scf::ExecuteRegionOp op) { products.push_back(op); });
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
  /// What a function must have to be worth the call: operations, most of which become
  /// as many instructions.
  int64_t minOps;
  SymbolTable symbols;
  std::vector<Class> classes;
  SmallPtrSet<Operation *, 8> outlined;
  /// What is computed again in a product, and outside of it.
  DenseMap<Operation *, SmallVector<std::pair<Operation *, Operation *>>> again;
};

} // namespace

/// Whether a constant of a product is only added to indices: then nothing is lost if
/// the function gets it as a parameter.
static bool isOffset(Value constant, scf::ExecuteRegionOp product) {
  return constant.getType().isIndex() &&
         llvm::all_of(constant.getUsers(), [&](Operation *user) {
           return isa<arith::AddIOp>(user) || !product->isProperAncestor(user);
         });
}

/// The correspondence of values if two products are the same but for what they get from
/// outside. Offsets that differ become parameters, and so do those that `varies` says
/// differ between others like `op`.
static std::optional<DenseMap<Value, Value>> match(
    Class &products, scf::ExecuteRegionOp op,
    function_ref<bool(Value)> varies = [](Value) { return false; }) {
  scf::ExecuteRegionOp first = products.members.front().op;
  DenseMap<Value, Value> inner, values;
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
  SmallVector<Value> offsets;
  DenseSet<Value> equal;
  auto pairInside = [&](Value a, Value b) {
    Attribute constantA, constantB;
    bool areConstants = matchPattern(a, m_Constant(&constantA)) &&
                        matchPattern(b, m_Constant(&constantB));
    bool isSame = a == b || (areConstants && constantA == constantB);
    if (isSame && !varies(b)) {
      equal.insert(a);
      return true;
    }
    // Elsewhere in the product, it may be the same.
    if (!areConstants || equal.contains(a) || !isOffset(a, first) || !isOffset(b, op))
      return false;
    offsets.push_back(a);
    values[a] = b;
    return true;
  };
  auto pair = [&](Value a, Value b) {
    if (Value known = values.lookup(a))
      return known == b;
    if (products.inside.contains(a))
      return pairInside(a, b);
    if (!products.parameters.contains(a))
      return true; // of the product itself
    if (op->isAncestor(b.getParentBlock()->getParentOp()))
      return false;
    values[a] = b;
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
  if (offsets.size() > kMostOffsets)
    return std::nullopt;
  for (Value offset : offsets) {
    products.inside.remove(offset);
    products.parameters.insert(offset);
  }
  return values;
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
    if (std::optional<DenseMap<Value, Value>> values = match(products, op)) {
      products.members.push_back({op, std::move(*values)});
      return;
    }
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
  products.members.push_back({op, DenseMap<Value, Value>()});
  classes.push_back(std::move(products));
}

/// What products that fetch nothing pass in place of matrices to fetch and where they
/// are: the same as the product whose function they call, if it is known there. The
/// lines are on their way already.
static std::optional<DenseMap<Value, Value>>
getFetched(const Class &products, const Class &others,
           const DenseMap<Value, Value> &values, const DominanceInfo &dominance) {
  DenseMap<Value, Value> fetched;
  for (Value value : products.parameters) {
    if (values.contains(value))
      continue;
    for (const Product &product : others.members)
      if (!dominance.properlyDominates(value, product.op))
        return std::nullopt;
    fetched[value] = value;
  }
  return fetched;
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
  Class bare{{}, {}, {{clone, DenseMap<Value, Value>()}}};
  for (Value value : captured)
    (products.inside.contains(value) ? bare.inside : bare.parameters).insert(value);
  for (Class &others : classes) {
    if (&others == &products || others.members.empty())
      continue;
    std::optional<DenseMap<Value, Value>> values =
        match(bare, others.members.front().op,
              [&](Value value) { return others.parameters.contains(value); });
    if (!values)
      continue;
    std::optional<DenseMap<Value, Value>> fetched =
        getFetched(products, others, *values, dominance);
    if (!fetched)
      continue;
    for (Value value : bare.parameters)
      if (products.inside.remove(value))
        products.parameters.insert(value);
    for (Product &product : others.members) {
      DenseMap<Value, Value> own = *fetched;
      for (auto [value, ofFirst] : *values) {
        Value mapped = product.values.lookup(ofFirst);
        own[value] = mapped ? mapped : ofFirst;
      }
      products.members.push_back({product.op, std::move(own)});
    }
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
  auto types = llvm::map_to_vector(products.parameters,
                                   [](Value value) { return value.getType(); });
  scf::ExecuteRegionOp first = products.members.front().op;
  auto func = func::FuncOp::create(builder, first.getLoc(),
                                   (kernel.getName() + "_product").str(),
                                   builder.getFunctionType(types, {}));
  func.setPrivate();
  symbols.insert(func, kernel->getIterator());
  for (Product &product : products.members) {
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
    func::CallOp::create(builder, product.op.getLoc(), func, arguments);
    outlined.insert(product.op);
  }

  func.getBody().takeBody(first.getRegion());
  Block &body = func.getBody().front();
  builder.setInsertionPointToStart(&body);
  auto replace = [&](Value value, Value own) {
    value.replaceUsesWithIf(
        own, [&](OpOperand &use) { return func->isProperAncestor(use.getOwner()); });
  };
  IRMapping mapping;
  for (Value value : products.inside)
    compute(builder, value, mapping);
  for (Value value : products.inside)
    replace(value, mapping.lookup(value));
  for (Value value : products.parameters)
    replace(value, body.addArgument(value.getType(), value.getLoc()));
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
