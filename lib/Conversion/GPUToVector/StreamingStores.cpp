//===- StreamingStores.cpp - Stores past the caches -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A store to memory that is in no cache reads the line first. A non-temporal one of
// whole lines does not, and lets the inputs stay in the caches. Where the result would
// have stayed in a cache until it is read again, they cost more than they gain: a
// launch decides by the size of its arrays, with one branch for all stores in a row.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToVector/StreamingStores.h"

#include "dialect/DiscardableAttrs.h"
#include "dialect/TinyTC.h"
#include "lib/Conversion/GPUToVector/LaunchParameters.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tinytc;

using Manifest = TinyTCDialect::ManifestAttrHelper;

static constexpr int64_t kLineBytes = 64;
/// The shortest store that is worth it: two in a row are a line.
static constexpr int64_t kMinStoreBytes = 32;
/// Of more branches, the code becomes too long.
static constexpr size_t kMaxBranches = 16;

/// The bytes that a store writes. Upstream's DataLayout says the same of scalars, but
/// rounds the length of vectors up to a power of two: 12 numbers would be 16.
static int64_t getStoredBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * getStoredBytes(vector.getElementType());
  if (isa<LLVM::LLVMPointerType>(type))
    return 8;
  return getSizeBytes(type);
}

namespace {

/// The parts of an address.
struct Place {
  Value base, index;
  Type element;
  /// In elements, from the index.
  int64_t distance;

  bool isNear(const Place &other) const {
    return element && base == other.base && index == other.index &&
           element == other.element;
  }
};

/// A result that a kernel stores to, and never reads.
struct WrittenArray {
  Value pointer;
  SmallVector<LLVM::StoreOp> stores;
  SmallVector<LLVM::Prefetch> prefetches;
};

/// A kernel whose results may be stored past the caches.
class StreamingKernel {
public:
  explicit StreamingKernel(func::FuncOp function)
      : function(function), launchBegin(getLaunchBegin(function)) {}

  /// Whether there is something to store past the caches.
  bool find();
  bool isBoundByMemory(double flops, double bytes, const Machine &machine);
  int64_t getMinBytes(const Machine &machine) const;
  void add(int64_t minGroups);

private:
  bool isOfGroup(Value address);
  std::optional<WrittenArray> findResult(Value pointer);
  bool findNextGroup();
  bool isMultiple(Value value, int64_t factor);
  bool isAligned(LLVM::StoreOp store);
  void findRuns();
  Value createFlag(ImplicitLocOpBuilder &builder, int64_t minGroups);
  void redirectPrefetches(ImplicitLocOpBuilder &builder, Value flag);
  Value redirect(Value value, Value from, Value to, DenseMap<Value, Value> &done);
  static void addBranch(ArrayRef<LLVM::StoreOp> stores, Value flag);

  func::FuncOp function;
  unsigned launchBegin;
  SmallVector<WrittenArray> results;
  /// Parameters that have to be multiples of numbers.
  llvm::MapVector<Value, int64_t> multiples;
  SmallVector<SmallVector<LLVM::StoreOp>> runs;
  scf::ForOp groups;
  /// The number of the next group, null if nothing depends on it.
  Value next;
};

} // namespace

/// Whether a number is a multiple of `factor` in all launches that store past the
/// caches.
bool StreamingKernel::isMultiple(Value value, int64_t factor) {
  APInt constant;
  if (factor == 1)
    return true;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue() % factor == 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &function.getBody().front()) {
      bool isLong = argument.getType().isIndex() || argument.getType().isInteger(64);
      if (argument.getArgNumber() >= launchBegin || !isLong)
        return false;
      int64_t &known = multiples.insert({value, 1}).first->second;
      known = std::lcm(known, factor);
      return true;
    }
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isMultiple(loop.getLowerBound(), factor) &&
           isMultiple(loop.getStep(), factor);
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::IndexCastOp>(op))
    return isMultiple(op->getOperand(0), factor);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return isMultiple(op->getOperand(0), factor) &&
           isMultiple(op->getOperand(1), factor);
  if (isa<arith::MulIOp>(op)) {
    if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)) && !constant.isZero())
      return isMultiple(op->getOperand(0),
                        factor / std::gcd(factor, constant.getSExtValue()));
    return isMultiple(op->getOperand(0), factor) ||
           isMultiple(op->getOperand(1), factor);
  }
  return false;
}

/// Whether a store is to whole lines, or to halves of them, if arrays begin at lines.
bool StreamingKernel::isAligned(LLVM::StoreOp store) {
  int64_t bytes = getStoredBytes(store.getValue().getType());
  int64_t alignment = std::min(bytes, kLineBytes);
  if (bytes < kMinStoreBytes || bytes % alignment != 0 || !llvm::isPowerOf2_64(bytes))
    return false;
  Value address = store.getAddr();
  while (auto place = address.getDefiningOp<LLVM::GEPOp>()) {
    if (place.getIndices().size() != 1)
      return false;
    int64_t element = getStoredBytes(place.getElemType());
    int64_t factor = alignment / std::gcd(alignment, element);
    auto index = *place.getIndices().begin();
    auto constant = dyn_cast<IntegerAttr>(index);
    if (constant ? constant.getInt() % factor != 0
                 : !isMultiple(cast<Value>(index), factor))
      return false;
    address = place.getBase();
  }
  return true;
}

/// Whether an address follows from the numbers of the group. All groups store to the
/// others: they stay in a cache.
bool StreamingKernel::isOfGroup(Value address) {
  llvm::SetVector<Operation *> slice;
  if (failed(getBackwardSlice(address, &slice)))
    return true;
  auto isRow = [&](Value value) {
    return value == function.getArgument(launchBegin + kGroupY) ||
           value == function.getArgument(launchBegin + kGroupZ);
  };
  return slice.contains(groups) || llvm::any_of(slice, [&](Operation *op) {
           return llvm::any_of(op->getOperands(), isRow);
         });
}

/// Fails where it is read, or may be read.
std::optional<WrittenArray> StreamingKernel::findResult(Value pointer) {
  WrittenArray result{pointer, {}, {}};
  SmallVector<Value> pending = {pointer};
  while (!pending.empty()) {
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (auto place = dyn_cast<LLVM::GEPOp>(user)) {
        if (use.getOperandNumber() != 0)
          return std::nullopt;
        pending.push_back(place);
      } else if (auto store = dyn_cast<LLVM::StoreOp>(user)) {
        if (use.getOperandNumber() != 1 || !isAligned(store) || !isOfGroup(use.get()))
          return std::nullopt;
        result.stores.push_back(store);
      } else if (auto prefetch = dyn_cast<LLVM::Prefetch>(user)) {
        result.prefetches.push_back(prefetch);
      } else {
        return std::nullopt;
      }
    }
  }
  if (result.stores.empty())
    return std::nullopt;
  return result;
}

/// Stores in a row, between which there is nothing but computation.
void StreamingKernel::findRuns() {
  DenseSet<Operation *> stores;
  for (WrittenArray &result : results)
    stores.insert_range(llvm::map_range(
        result.stores, [](LLVM::StoreOp store) { return store.getOperation(); }));
  function.walk([&](Block *block) {
    bool continues = false;
    for (Operation &op : *block) {
      if (stores.contains(&op)) {
        if (!continues)
          runs.emplace_back();
        runs.back().push_back(cast<LLVM::StoreOp>(op));
        continues = true;
      } else if (!isPure(&op)) {
        continues = false;
      }
    }
  });
}

/// Whether the same op with other operands computes the same of these.
static bool isRepeatable(Operation *op) {
  return op && op->getNumRegions() == 0 && isPure(op);
}

/// The number of the next group, from which the addresses of prefetches follow.
bool StreamingKernel::findNextGroup() {
  for (Operation *user : groups.getInductionVar().getUsers())
    if (auto sum = dyn_cast<arith::AddIOp>(user);
        sum && matchPattern(sum.getRhs(), m_One()))
      next = sum;
  DenseMap<Value, bool> known;
  auto dependsOnNext = [&](auto &self, Value value) -> bool {
    auto [entry, isNew] = known.insert({value, value == next});
    Operation *op = value.getDefiningOp();
    if (!isNew || value == next || !isRepeatable(op))
      return entry->second;
    bool depends = llvm::any_of(op->getOperands(),
                                [&](Value operand) { return self(self, operand); });
    return known[value] = depends;
  };
  return llvm::all_of(results, [&](WrittenArray &result) {
    return llvm::all_of(result.prefetches, [&](LLVM::Prefetch prefetch) {
      return next && dependsOnNext(dependsOnNext, prefetch.getAddr());
    });
  });
}

bool StreamingKernel::find() {
  auto loops = function.getBody().front().getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return false;
  groups = *loops.begin();
  for (BlockArgument parameter : function.getArguments().take_front(launchBegin)) {
    if (!isa<LLVM::LLVMPointerType>(parameter.getType()))
      continue;
    auto before = multiples;
    if (std::optional<WrittenArray> result = findResult(parameter))
      results.push_back(std::move(*result));
    else
      multiples = std::move(before);
  }
  if (results.empty() || !findNextGroup())
    return false;
  findRuns();
  return runs.size() <= kMaxBranches;
}

/// Whether this launch stores past the caches.
Value StreamingKernel::createFlag(ImplicitLocOpBuilder &builder, int64_t minGroups) {
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, i64, value);
  };
  // All launch sizes are at least 1.
  ValueRange sizes = function.getArguments().slice(launchBegin + kNumGroups, 3);
  Value plane = arith::MulIOp::create(builder, sizes[0], sizes[1]);
  Value total = arith::MulIOp::create(builder, plane, sizes[2]);
  Value flag = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, total,
                                     constant(minGroups));
  auto require = [&](Value number, int64_t factor) {
    Value rest = arith::AndIOp::create(builder, number, constant(factor - 1));
    Value isMultiple =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, rest, constant(0));
    flag = arith::AndIOp::create(builder, flag, isMultiple);
  };
  for (WrittenArray &result : results)
    require(LLVM::PtrToIntOp::create(builder, i64, result.pointer), kLineBytes);
  for (auto [number, factor] : multiples) {
    bool isIndex = number.getType().isIndex();
    require(isIndex ? arith::IndexCastOp::create(builder, i64, number).getResult()
                    : number,
            factor);
  }
  return flag;
}

/// The same value with `to` instead of `from`.
Value StreamingKernel::redirect(Value value, Value from, Value to,
                                DenseMap<Value, Value> &done) {
  if (value == from)
    return to;
  if (Value known = done.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!isRepeatable(op))
    return value;
  IRMapping mapping;
  bool changes = false;
  for (Value operand : op->getOperands()) {
    Value other = redirect(operand, from, to, done);
    changes |= other != operand;
    mapping.map(operand, other);
  }
  if (!changes)
    return done[value] = value;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  unsigned number = cast<OpResult>(value).getResultNumber();
  return done[value] = builder.clone(*op, mapping)->getResult(number);
}

/// Lines that a launch stores past the caches are not fetched: those of the first group
/// are, again and again, since that costs nothing if this launch stores as usual. The
/// number of the next group is shifted out rather than selected: LLVM would move the
/// selection to the branch with the same condition, and the prefetches with it.
void StreamingKernel::redirectPrefetches(ImplicitLocOpBuilder &builder, Value flag) {
  if (!next)
    return;
  Value bits = arith::SelectOp::create(
      builder, flag, arith::ConstantIndexOp::create(builder, 63).getResult(),
      arith::ConstantIndexOp::create(builder, 0).getResult());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(next);
  Value fetched = arith::ShRUIOp::create(builder, next, bits);
  DenseMap<Value, Value> done;
  for (WrittenArray &result : results)
    for (LLVM::Prefetch prefetch : result.prefetches)
      prefetch.getAddrMutable().assign(
          redirect(prefetch.getAddr(), next, fetched, done));
}

/// An address at a constant distance from another one, if that is known. Addresses in
/// several blocks would each take a register otherwise.
static Place getPlace(Value address) {
  auto place = address.getDefiningOp<LLVM::GEPOp>();
  if (!place || !llvm::hasSingleElement(place.getIndices()))
    return {address, Value(), Type(), 0};
  Place found{place.getBase(), Value(), place.getElemType(), 0};
  auto index = *place.getIndices().begin();
  if (auto constant = dyn_cast<IntegerAttr>(index)) {
    found.distance = constant.getInt();
    return found;
  }
  found.index = cast<Value>(index);
  if (auto cast = found.index.getDefiningOp<arith::IndexCastOp>())
    found.index = cast.getIn();
  APInt constant;
  for (auto sum = found.index.getDefiningOp<arith::AddIOp>();
       sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant));
       sum = found.index.getDefiningOp<arith::AddIOp>()) {
    found.distance += constant.getSExtValue();
    found.index = sum.getLhs();
  }
  return found;
}

void StreamingKernel::addBranch(ArrayRef<LLVM::StoreOp> stores, Value flag) {
  LLVM::StoreOp last = stores.back();
  ImplicitLocOpBuilder builder(last.getLoc(), last);
  auto branch = scf::IfOp::create(builder, TypeRange(), flag, /*withElseRegion=*/true);
  SmallVector<std::pair<Place, Value>> anchors;
  for (LLVM::StoreOp store : stores) {
    Value address = store.getAddr();
    Place place = getPlace(address);
    auto *anchor = llvm::find_if(anchors, [&](const auto &other) {
      return other.first.isNear(place) &&
             llvm::isInt<32>(place.distance - other.first.distance);
    });
    Value near = address;
    int64_t distance = 0;
    if (anchor == anchors.end()) {
      anchors.push_back({place, address});
    } else {
      near = anchor->second;
      distance = place.distance - anchor->first.distance;
    }
    auto add = [&](Block *block) {
      builder.setInsertionPoint(block->getTerminator());
      Value own = address;
      if (near != address)
        own = LLVM::GEPOp::create(builder, address.getType(), place.element, near,
                                  ArrayRef<LLVM::GEPArg>{int32_t(distance)});
      auto copy = cast<LLVM::StoreOp>(builder.clone(*store));
      copy.getAddrMutable().assign(own);
      return copy;
    };
    LLVM::StoreOp streaming = add(branch.thenBlock());
    streaming.setNontemporal(true);
    streaming.setAlignment(
        std::min(getStoredBytes(store.getValue().getType()), kLineBytes));
    add(branch.elseBlock());
    store.erase();
  }
}

void StreamingKernel::add(int64_t minGroups) {
  ImplicitLocOpBuilder builder(groups.getLoc(), groups);
  Value flag = createFlag(builder, minGroups);
  redirectPrefetches(builder, flag);
  for (ArrayRef<LLVM::StoreOp> stores : runs)
    addBranch(stores, flag);
  // Other threads learn by usual stores that the launch is over.
  builder.setInsertionPointAfter(groups);
  auto end = scf::IfOp::create(builder, TypeRange(), flag, /*withElseRegion=*/false);
  builder.setInsertionPoint(end.thenBlock()->getTerminator());
  LLVM::CallIntrinsicOp::create(builder, builder.getStringAttr("llvm.x86.sse.sfence"),
                                ValueRange());
}

/// Whether multiply-adds take less time than memory.
bool StreamingKernel::isBoundByMemory(double flops, double bytes,
                                      const Machine &machine) {
  LLVM::StoreOp store = results.front().stores.front();
  int64_t elementBytes =
      getStoredBytes(getElementTypeOrSelf(store.getValue().getType()));
  double registers = flops / 2 * elementBytes / machine.registerBytes;
  return bytes >= machine.memoryBytesPerCycle * registers * machine.costs.fmaCycles;
}

/// Kernels that fetch nothing are as fast as before while the last cache has their
/// arrays.
int64_t StreamingKernel::getMinBytes(const Machine &machine) const {
  return (next ? 1 : 2) * machine.launches.minStreamedBytes;
}

void tinytc::addStreamingStores(gpu::GPUModuleOp kernels, const Machine &machine) {
  if (machine.launches.minStreamedBytes == 0)
    return;
  for (auto function : kernels.getOps<func::FuncOp>()) {
    ManifestAttr manifest = getDiscardable<Manifest>(function);
    if (function.isExternal() || !manifest || !manifest.getBounds())
      continue;
    GroupBoundsAttr bounds = manifest.getBounds();
    int64_t bytes = bounds.getBytesPerGroup().value_or(0);
    StreamingKernel kernel(function);
    if (bytes > 0 && kernel.find() &&
        kernel.isBoundByMemory(bounds.getFlopsPerGroup().value_or(0), bytes, machine))
      kernel.add(llvm::divideCeil(kernel.getMinBytes(machine), bytes));
  }
}
