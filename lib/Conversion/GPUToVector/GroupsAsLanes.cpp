//===- GroupsAsLanes.cpp - Vectors of groups of one work-item -------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The groups of a kernel may run in any order, so also in step: as lanes of vectors. An
// array usually has the elements of a group next to each other, so that vectors of them
// are transposed in registers.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToVector/GroupsAsLanes.h"
#include "lib/Conversion/GPUToVector/Vectorizer.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

static bool isNumber(Type type) {
  return type.isIndex() || type.isInteger(1) || type.isInteger(32) ||
         type.isInteger(64) || type.isF32() || type.isF64();
}

/// Whether an op computes numbers, or loads and stores them in memory of the caller.
static bool isOfNumbers(Operation *op) {
  if (isa<memref::LoadOp, memref::StoreOp>(op)) {
    auto memref = cast<MemRefType>(op->getOperand(isa<memref::StoreOp>(op)).getType());
    Type element = memref.getElementType();
    return !memref.getMemorySpace() && isNumber(element) && !element.isInteger(1);
  }
  bool isKnown =
      isa<arith::ArithDialect, math::MathDialect, ub::UBDialect>(op->getDialect()) ||
      isa<scf::ForOp, scf::IfOp, scf::YieldOp, gpu::BlockIdOp, gpu::GridDimOp,
          gpu::BarrierOp, gpu::ReturnOp, OpaqueIndexOp>(op);
  return isKnown && llvm::all_of(op->getResultTypes(), isNumber);
}

/// The bits of the widest number that a kernel accesses, 0 if it does more than that.
static unsigned getWidestBits(gpu::GPUFuncOp kernel) {
  unsigned bits = 0;
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    if (!isOfNumbers(op))
      return WalkResult::interrupt();
    if (isa<memref::LoadOp, memref::StoreOp>(op)) {
      Type type = isa<memref::LoadOp>(op) ? op->getResult(0).getType()
                                          : op->getOperand(0).getType();
      bits = std::max(bits, type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? 0 : bits;
}

std::optional<GroupsAsLanes> GroupsAsLanes::find(gpu::GPUFuncOp kernel,
                                                 int64_t registerBytes) {
  static constexpr int64_t kLeastLanes = 4;
  unsigned bits = kernel.isKernel() ? getWidestBits(kernel) : 0;
  int64_t lanes = bits == 0 ? 0 : 8 * registerBytes / bits;
  if (lanes < kLeastLanes)
    return std::nullopt;
  GroupsAsLanes found(kernel, {lanes, 1, lanes, /*areGroups=*/true});
  found.findRuns(kernel.getBody().front());
  if (!found.isWorthIt(kernel))
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

bool AccessRun::isDense() const {
  static constexpr int64_t kMost = 5;
  return !stride && getSize() == step && step <= kMost;
}

namespace {

/// Accesses of a block that may become runs.
struct OpenAccesses {
  Value memref, base, stride;
  bool isStore;
  SmallVector<std::pair<int64_t, Operation *>> accesses;
};

} // namespace

static Value getMemref(Operation *op) {
  return op->getOperand(isa<memref::StoreOp>(op) ? 1 : 0);
}

/// The index of an access as a value and a constant that is added to it.
static std::pair<Value, int64_t> splitIndex(Operation *op) {
  Value index = op->getOperands().back();
  int64_t offset = 0;
  APInt constant;
  while (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    if (!matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
      break;
    offset += constant.getSExtValue();
    index = sum.getLhs();
  }
  return {index, offset};
}

/// What the number of the group is multiplied by, if an index is that and no more.
static Value getStride(Value base, const LaneShapes &shapes) {
  auto product = base.getDefiningOp<arith::MulIOp>();
  for (int64_t i = 0; product && i < 2; ++i) {
    auto id = product->getOperand(i).getDefiningOp<gpu::BlockIdOp>();
    Value stride = product->getOperand(1 - i);
    if (id && id.getDimension() == gpu::Dimension::x && shapes.get(stride).isUniform())
      return stride;
  }
  return {};
}

/// Adds the runs of two elements and more.
static void addRuns(OpenAccesses &open, int64_t step,
                    SmallVectorImpl<AccessRun> &runs) {
  llvm::stable_sort(open.accesses, llvm::less_first());
  AccessRun run{{}, {}, open.memref, open.base, open.stride, 0, step, open.isStore};
  auto close = [&] {
    if (run.getSize() > 1) {
      llvm::sort(run.accesses,
                 [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
      runs.push_back(run);
    }
    run.elements.clear();
    run.accesses.clear();
  };
  for (auto [offset, op] : open.accesses) {
    if (run.getSize() > 0 && offset == run.first + run.getSize() - 1) {
      run.elements.back() = op; // the last store wins
    } else {
      if (run.getSize() > 0 && offset != run.first + run.getSize())
        close();
      if (run.getSize() == 0)
        run.first = offset;
      run.elements.push_back(op);
    }
    run.accesses.push_back(op);
  }
  close();
}

/// Nothing passes stores to other places, as the memory may be the same.
void GroupsAsLanes::findRuns(Block &block) {
  SmallVector<OpenAccesses> open;
  auto close = [&](bool stores) {
    for (OpenAccesses &each : open)
      if (each.isStore == stores)
        addRuns(each, shapes.get(each.base).step, runs);
    llvm::erase_if(open, [&](OpenAccesses &each) { return each.isStore == stores; });
  };
  for (Operation &op : block) {
    bool isStore = isa<memref::StoreOp>(op);
    if (op.getNumRegions() > 0) {
      close(true), close(false);
      bool isUniform = llvm::all_of(op.getOperands(),
                                    [&](Value v) { return shapes.get(v).isUniform(); });
      // Values that a loop carries may vary, but not how often it runs.
      if (auto loop = dyn_cast<scf::ForOp>(op))
        isUniform = shapes.get(loop.getInductionVar()).isUniform();
      if (isUniform)
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            findRuns(inner);
      continue;
    }
    if (!isStore && !isa<memref::LoadOp>(op))
      continue;
    close(!isStore);
    auto [base, offset] = splitIndex(&op);
    LaneShape shape = shapes.get(base);
    Value stride = shape.isVarying ? getStride(base, shapes) : Value();
    if ((shape.isVarying && !stride) || shape.isUniform())
      continue;
    auto *known = llvm::find_if(open, [&, base = base](OpenAccesses &each) {
      return each.memref == getMemref(&op) && each.base == base;
    });
    if (known == open.end()) {
      if (isStore)
        close(true);
      open.push_back({getMemref(&op), base, stride, isStore, {}});
      known = &open.back();
    }
    known->accesses.emplace_back(offset, &op);
  }
  close(true), close(false);
}

/// Compares about how many instructions as many groups take one after the other.
bool GroupsAsLanes::isWorthIt(gpu::GPUFuncOp kernel) const {
  int64_t lanes = group.getNumLanes(), alone = 0, together = 0;
  SmallPtrSet<Operation *, 32> inRuns;
  for (const AccessRun &run : runs) {
    inRuns.insert(run.accesses.begin(), run.accesses.end());
    together += run.getSize() * (2 + llvm::Log2_64(lanes));
  }
  bool storesShared = false;
  kernel.getBody().walk([&](Operation *op) {
    bool isAccess = isa<memref::LoadOp, memref::StoreOp>(op);
    LaneShape shape = isAccess                  ? shapes.get(op->getOperands().back())
                      : op->getNumResults() > 0 ? shapes.get(op->getResult(0))
                                                : LaneShape::uniform();
    storesShared |= isa<memref::StoreOp>(op) && shape.isUniform();
    if (op->getNumRegions() > 0 || shape.isUniform() || (!isAccess && !shape.isVarying))
      return;
    alone += lanes;
    if (!inRuns.contains(op))
      together += isAccess && !(shape == LaneShape::linear(1)) ? 3 * lanes : 1;
  });
  return !storesShared && 2 * together <= alone;
}

//===----------------------------------------------------------------------===//
// Transposed accesses
//===----------------------------------------------------------------------===//

Value tinytc::concatenate(ImplicitLocOpBuilder &builder, SmallVector<Value> parts) {
  while (parts.size() > 1) {
    SmallVector<Value> pairs;
    for (size_t i = 0; i < parts.size(); i += 2) {
      int64_t size = 2 * cast<VectorType>(parts[i].getType()).getNumElements();
      pairs.push_back(vector::ShuffleOp::create(builder, parts[i], parts[i + 1],
                                                llvm::to_vector(llvm::seq(size))));
    }
    parts = std::move(pairs);
  }
  return parts.front();
}

/// Transposes the squares side by side in vectors, by exchanging ever larger blocks.
void Vectorizer::transpose(MutableArrayRef<Value> rows) {
  int64_t lanes = group.getNumLanes(), width = rows.size();
  for (int64_t block = 1; block < width; block *= 2)
    for (int64_t i = 0; i < width; ++i) {
      if (i & block)
        continue;
      Value a = rows[i], b = rows[i + block];
      SmallVector<int64_t> low, high;
      for (int64_t p = 0; p < lanes; ++p) {
        bool isSecond = (p % width) & block;
        low.push_back(isSecond ? lanes + p - block : p);
        high.push_back(isSecond ? lanes + p : p + block);
      }
      rows[i] = vector::ShuffleOp::create(builder, a, b, low);
      rows[i + block] = vector::ShuffleOp::create(builder, a, b, high);
    }
}

/// A vector of elements of several, each at a place among all of them.
Value Vectorizer::collect(ArrayRef<Value> sources, function_ref<int64_t(int64_t)> at) {
  int64_t lanes = group.getNumLanes();
  Value found = sources.front();
  for (int64_t source : llvm::seq<int64_t>(1, sources.size())) {
    SmallVector<int64_t> mask;
    for (int64_t p = 0; p < lanes; ++p) {
      int64_t from = at(p) / lanes, element = at(p) % lanes;
      mask.push_back(from == source         ? lanes + element
                     : source == 1 && !from ? element
                                            : p);
    }
    found = vector::ShuffleOp::create(builder, found, sources[source], mask);
  }
  return found;
}

/// Calls `access` with windows of a power of two of elements, which cover a run and may
/// overlap.
static void forWindows(int64_t size, int64_t lanes,
                       function_ref<void(int64_t begin, int64_t width)> access) {
  for (int64_t done = 0; done < size;) {
    int64_t width = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(size - done));
    while (width > size)
      width /= 2;
    int64_t begin = std::min(done, size - width);
    access(begin, width);
    done = begin + width;
  }
}

/// The places of the first element of a run in all lanes.
SmallVector<Value> Vectorizer::getLaneStarts(const AccessRun &run) {
  Type element = cast<MemRefType>(run.memref.getType()).getElementType();
  auto move = [&](Lanes from, Value distance) {
    return addOffset(element, from, {LaneShape::uniform(), distance});
  };
  Value stride = run.stride ? get(run.stride).value : Value();
  Value base = stride ? arith::MulIOp::create(builder, blockIds[0], stride).getResult()
                      : get(run.base).value;
  Lanes first = move(move(get(run.memref), base), constantIndex(run.first));
  SmallVector<Value> starts = {first.value};
  for (int64_t lane = 1; lane < group.getNumLanes(); ++lane) {
    Value distance = constantIndex(stride ? lane : lane * run.step);
    if (stride)
      distance = arith::MulIOp::create(builder, stride, distance);
    starts.push_back(move(first, distance).value);
  }
  return starts;
}

/// Loads the elements of a run, a vector of all lanes each.
void Vectorizer::loadRun(const AccessRun &run, Type stored,
                         MutableArrayRef<Value> numbers) {
  SmallVector<Value> starts = getLaneStarts(run);
  int64_t lanes = group.getNumLanes(), size = numbers.size();
  auto loadAt = [&](Value start, int64_t offset, int64_t width) -> Value {
    Value place = LLVM::GEPOp::create(builder, start.getType(), stored, start,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    return LLVM::LoadOp::create(builder, VectorType::get(width, stored), place,
                                stored.getIntOrFloatBitWidth() / 8);
  };
  if (run.isDense()) {
    SmallVector<Value> whole;
    for (int64_t i = 0; i < size; ++i)
      whole.push_back(loadAt(starts[0], i * lanes, lanes));
    for (int64_t i = 0; i < size; ++i)
      numbers[i] = collect(whole, [&](int64_t lane) { return lane * size + i; });
    return;
  }
  forWindows(size, lanes, [&](int64_t begin, int64_t width) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < width; ++i) {
      SmallVector<Value> parts;
      for (int64_t lane = i; lane < lanes; lane += width)
        parts.push_back(loadAt(starts[lane], begin, width));
      rows.push_back(concatenate(builder, parts));
    }
    transpose(rows);
    llvm::copy(rows, numbers.begin() + begin);
  });
}

/// Stores the elements of a run.
void Vectorizer::storeRun(const AccessRun &run, Type stored, ArrayRef<Value> numbers) {
  SmallVector<Value> starts = getLaneStarts(run);
  int64_t lanes = group.getNumLanes(), size = numbers.size();
  auto storeAt = [&](Value start, int64_t offset, Value value) {
    Value place = LLVM::GEPOp::create(builder, start.getType(), stored, start,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    LLVM::StoreOp::create(builder, value, place, stored.getIntOrFloatBitWidth() / 8);
  };
  if (run.isDense()) {
    for (int64_t i = 0; i < size; ++i)
      storeAt(starts[0], i * lanes, collect(numbers, [&](int64_t p) {
                int64_t place = i * lanes + p;
                return place % size * lanes + place / size;
              }));
    return;
  }
  forWindows(size, lanes, [&](int64_t begin, int64_t width) {
    SmallVector<Value> rows(numbers.slice(begin, width));
    transpose(rows);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value row = rows[lane % width];
      int64_t first = lane - lane % width;
      storeAt(starts[lane], begin,
              vector::ShuffleOp::create(
                  builder, row, row, llvm::to_vector(llvm::seq(first, first + width))));
    }
  });
}

void Vectorizer::emitRun(const AccessRun &run) {
  Type element = cast<MemRefType>(run.memref.getType()).getElementType();
  Type stored = getMemoryType(element);
  SmallVector<Value> numbers(run.elements.size());
  if (run.isStore) {
    for (auto [number, store] : llvm::zip(numbers, run.elements))
      number = toMemory(builder, toVector(get(store->getOperand(0))));
    return storeRun(run, stored, numbers);
  }
  loadRun(run, stored, numbers);
  for (Operation *load : run.accesses) {
    Value number = numbers[splitIndex(load).second - run.first];
    define(load->getResult(0), fromMemory(builder, number, element));
  }
}
