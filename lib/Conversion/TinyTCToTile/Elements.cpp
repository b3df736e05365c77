//===- Elements.cpp - Local memory, and accesses to single elements -------===//
//
// Local memory is a tile in registers: it is read and written as a whole, or one
// element by an extract or a select.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TinyTCToTile/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

LogicalResult Lowering::lowerAlloca(AllocaOp op) {
  MemrefType type = op.getResult().getType();
  SmallVector<int64_t> shape;
  Memref memref{type, {}, {}, {}, 1, op.getResult()};
  for (int64_t size : type.getShape()) {
    if (size == 0)
      return refuse(op, "a tile has no modes of size 0");
    shape.push_back(llvm::PowerOf2Ceil(size));
    memref.sizes.push_back(builder.getI64IntegerAttr(size));
  }
  std::reverse(shape.begin(), shape.end());
  Value zero = createConstant(getTileElement(type.getElementType()), 0, shape);
  locals[op.getResult()] = {zero,
                            isa<ComplexType>(type.getElementType()) ? zero : Value()};
  memrefs[op.getResult()] = std::move(memref);
  return success();
}

static Values getTileIndex(const Part &part, function_ref<Value()> zero) {
  Values index;
  for (Value each : llvm::reverse(part.index))
    index.push_back(each ? each : zero());
  return index;
}

Number Lowering::loadLocal(const Memref &memref, const Part &part) {
  Number whole = locals.lookup(memref.alloca);
  SmallVector<int64_t> shape = reversed(part.sizes);
  if (whole.getType().getShape() == ArrayRef(shape))
    return whole;
  Values index = getTileIndex(part, [&] { return createI32(0); });
  auto extract = [&](Value value) -> Value {
    return tile::ExtractOp::create(builder, getTile(getElement(value), shape), value,
                                   index);
  };
  return {extract(whole.re), whole.isComplex() ? extract(whole.im) : Value()};
}

/// The element of local memory at the indices, and which element of the tile it is.
Number Lowering::getLocalElement(const Memref &memref, ValueRange indices,
                                 Value &mask) {
  Number whole = locals.lookup(memref.alloca);
  SmallVector<int64_t> shape(whole.getType().getShape()), one(shape.size(), 1);
  Values index;
  for (auto [mode, value] : llvm::enumerate(indices)) {
    size_t dimension = shape.size() - 1 - mode;
    Value places = tile::IotaOp::create(
        builder, getTile(builder.getI64Type(), {shape[dimension]}));
    Value isHere = compare(tile::ComparisonPredicate::Equal, places,
                           broadcast(value, {shape[dimension]}));
    SmallVector<int64_t> line(one);
    line[dimension] = shape[dimension];
    isHere = broadcast(reshape(isHere, line), shape);
    mask = mask ? Value(tile::AndIOp::create(builder, mask.getType(), mask, isHere))
                : isHere;
    index.insert(index.begin(), convertReal(value, builder.getI32Type()));
  }
  auto extract = [&](Value value) {
    if (shape.empty())
      return value;
    Value element =
        tile::ExtractOp::create(builder, getTile(getElement(value), one), value, index);
    return reshape(element, {});
  };
  return {extract(whole.re), whole.isComplex() ? extract(whole.im) : Value()};
}

Values Lowering::getIndices(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return getNumber(value).re; });
}

LogicalResult Lowering::lowerLoad(LoadOp op) {
  if (isa<GroupType>(op.getSource().getType())) {
    loadMember(op);
    return success();
  }
  const Memref &memref = memrefs[op.getSource()];
  Values indices = getIndices(op.getIndices());
  if (memref.alloca) {
    Value mask;
    numbers[op.getResult()] = getLocalElement(memref, indices, mask);
    return success();
  }
  Memref element{memref.type, getPointer(memref, indices), {}, {}, 1, {}};
  numbers[op.getResult()] = load(element, Part());
  return success();
}

/// Why the elements of a type have no atomic sums, empty if they have.
static StringRef getReasonAgainstSums(Type type) {
  if (type.isInteger(8) || type.isInteger(16))
    return "its atomic operations are those of i32, i64 and floating types";
  return "";
}

LogicalResult Lowering::lowerStore(StoreOp op) {
  const Memref memref = memrefs.lookup(op.getDest());
  Values indices = getIndices(op.getIndices());
  Number value = getNumber(op.getValue());
  bool isSum = op.getFlag() == StoreFlag::AtomicAdd;
  if (memref.alloca) {
    Value mask;
    Number old = getLocalElement(memref, indices, mask);
    Number changed = isSum ? add(old, value) : value;
    Number whole = locals.lookup(memref.alloca);
    changed = broadcast(changed, whole.getType().getShape());
    locals[memref.alloca] = mask ? select(mask, changed, whole) : changed;
    return success();
  }
  StringRef reason = getReasonAgainstSums(memref.type.getElementType());
  if (isSum && !reason.empty())
    return refuse(op, reason);
  Memref element{memref.type, getPointer(memref, indices), {}, {}, 1, {}};
  if (isSum)
    addAtomic(element, Part(), value);
  else if (op.getFlag() == StoreFlag::Atomic)
    storeAtomic(element, Part(), value);
  else
    store(element, Part(), value);
  return success();
}

//===----------------------------------------------------------------------===//
// Atomic instructions
//===----------------------------------------------------------------------===//

/// Everything that this pass writes is ordered by tokens, relaxed accesses too; what
/// other tile blocks see of it is what the semantics of the instruction ask for.
static tile::MemoryOrdering getOrdering(MemorySemantics semantics) {
  switch (semantics) {
  case MemorySemantics::Relaxed:
    return tile::MemoryOrdering::Relaxed;
  case MemorySemantics::Acquire:
    return tile::MemoryOrdering::Acquire;
  case MemorySemantics::Release:
    return tile::MemoryOrdering::Release;
  default:
    return tile::MemoryOrdering::AcquireRelease;
  }
}

/// The mode of an atomic update, none for a plain access or where there is none.
static std::optional<tile::AtomicMode> getMode(AtomicKind kind, bool isFloating) {
  switch (kind) {
  case AtomicKind::Add:
    return isFloating ? tile::AtomicMode::AddF : tile::AtomicMode::Add;
  case AtomicKind::Min:
    return isFloating ? std::nullopt : std::optional(tile::AtomicMode::Min);
  case AtomicKind::Max:
    return isFloating ? std::nullopt : std::optional(tile::AtomicMode::Max);
  default:
    return std::nullopt;
  }
}

LogicalResult Lowering::lowerAtomic(Operation *op) {
  auto atomic = cast<AtomicOpInterface>(op);
  if (atomic.getAccessedMatrix())
    return refuse(op, "a cooperative matrix is distributed over a subgroup");
  if (atomic.getSemantics() == MemorySemantics::SequentiallyConsistent)
    return refuse(op, "its accesses are at most acquire and release");
  const Memref memref = memrefs.lookup(atomic.getAccessedMemref());
  if (memref.alloca)
    return refuse(op, "a tile in registers is not shared, so nothing is atomic");
  Type type = memref.type.getElementType();
  if (isa<ComplexType>(type))
    return refuse(op, "it returns an element of at most 64 bits, without parts");
  Type element = getTileElement(type);
  AtomicKind kind = atomic.getAtomicKind();
  bool isUpdate = kind != AtomicKind::Load && kind != AtomicKind::Store;
  std::optional<tile::AtomicMode> mode = getMode(kind, isa<FloatType>(element));
  StringRef reason = getReasonAgainstSums(type);
  if (isUpdate && !reason.empty())
    return refuse(op, reason);
  if (isUpdate && !mode)
    return refuse(op, "its atomic minimum and maximum are those of integers");
  Value pointer = getPointer(memref, getIndices(atomic.getAccessedIndices()));
  auto scope = atomic.getScope() == MemoryScope::CrossDevice
                   ? tile::MemoryScope::System
                   : tile::MemoryScope::Device;
  auto scopeAttr = tile::MemoryScopeAttr::get(builder.getContext(), scope);
  tile::MemoryOrdering ordering = getOrdering(atomic.getSemantics());
  Type tokenType = tile::TokenType::get(builder.getContext());
  if (kind == AtomicKind::Load) {
    auto load = tile::LoadPtrTkoOp::create(builder, getTile(element), tokenType,
                                           ordering, scopeAttr, pointer, Value(),
                                           Value(), getOrder(), DictionaryAttr());
    setToken(load.getResultToken());
    numbers[op->getResult(0)] = Number{load.getResult(), {}};
    return success();
  }
  Value value = getNumber(op->getOperand(0)).re;
  if (kind == AtomicKind::Store) {
    auto store =
        tile::StorePtrTkoOp::create(builder, tokenType, ordering, scopeAttr, pointer,
                                    value, Value(), getOrder(), DictionaryAttr());
    setToken(store.getResultToken());
    return success();
  }
  auto update =
      tile::AtomicRMWTkoOp::create(builder, value.getType(), tokenType, ordering, scope,
                                   pointer, *mode, value, Value(), getOrder());
  setToken(update.getResultToken());
  if (op->getNumResults() == 1)
    numbers[op->getResult(0)] = Number{update.getResult(), {}};
  return success();
}

LogicalResult Lowering::lowerElement(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return lowerLoad(load);
  if (auto store = dyn_cast<StoreOp>(op))
    return lowerStore(store);
  return lowerAtomic(op);
}
