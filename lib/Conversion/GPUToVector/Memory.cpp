//===- Memory.cpp - Loads and stores of all lanes -------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory is accessed through pointers of the llvm dialect, since a memref is a pointer
// in the kernel ABI. Neighbouring elements are one vector, under a mask if there is
// one; elements elsewhere are gathered and scattered.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/LocalMemory.h"
#include "lib/Conversion/GPUToVector/Vectorizer.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The most memory that a kernel may need in each thread that runs it.
static constexpr int64_t kMostThreadBytes = 8 * 1024 * 1024;

/// Arrays of a work-item begin here, so that those of all lanes are whole vectors.
static constexpr int64_t kPrivateAlignment = 64;

/// An index is the place of an element. Each lane has its own part of a private array,
/// whose elements are not next to each other.
LogicalResult Vectorizer::checkMemory(Operation *op) {
  auto isMemory = [](Type type) { return isa<MemRefType>(type); };
  for (Type type : llvm::make_filter_range(op->getOperandTypes(), isMemory)) {
    auto memref = cast<MemRefType>(type);
    if (memref.getRank() > 1 || !memref.getLayout().isIdentity())
      return op->emitError("expected memory with one index and no strides, got ")
             << memref;
    if (isPrivate(memref) && !isa<memref::LoadOp, memref::StoreOp, memref::PrefetchOp,
                                  vector::LoadOp, vector::StoreOp>(op))
      return op->emitError("expected only loads and stores of a private array, got '")
             << op->getName() << "'";
  }
  bool isMade = isa<memref::AllocOp, memref::AllocaOp>(op);
  for (Type type : llvm::make_filter_range(op->getResultTypes(), isMemory)) {
    if (isMade && !cast<MemRefType>(type).hasStaticShape())
      return op->emitError("expected memory of a known size, got ") << type;
    if (!isMade && isPrivate(type))
      return op->emitError("expected only loads and stores of a private array, got '")
             << op->getName() << "'";
  }
  return success();
}

Type tinytc::getMemoryType(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  if (isa<MemRefType>(type))
    return LLVM::LLVMPointerType::get(type.getContext());
  return type;
}

static int64_t getBytes(Type stored) {
  if (isa<LLVM::LLVMPointerType>(stored))
    return 8;
  return llvm::divideCeil(stored.getIntOrFloatBitWidth(), 8);
}

/// `type` or vectors of it, as `value` is.
static Type shapedLike(Value value, Type type) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? Type(VectorType::get(vector.getShape(), type)) : type;
}

Value tinytc::castIndex(ImplicitLocOpBuilder &builder, Value value, Type element) {
  Type type = shapedLike(value, element);
  if (value.getType() == type)
    return value;
  Type from = getElementTypeOrSelf(value.getType());
  if (from.isIndex() || element.isIndex())
    return arith::IndexCastOp::create(builder, type, value);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, type, value);
  return arith::TruncIOp::create(builder, type, value);
}

Value tinytc::toMemory(ImplicitLocOpBuilder &builder, Value value) {
  Type element = getElementTypeOrSelf(value.getType()), type = getMemoryType(element);
  if (type == element)
    return value;
  if (element.isIndex())
    return castIndex(builder, value, type);
  return arith::ExtUIOp::create(builder, shapedLike(value, type), value);
}

Value tinytc::fromMemory(ImplicitLocOpBuilder &builder, Value value, Type element) {
  Type type = getElementTypeOrSelf(value.getType());
  if (type == element || isa<LLVM::LLVMPointerType>(type))
    return value;
  if (element.isIndex())
    return castIndex(builder, value, element);
  return arith::TruncIOp::create(builder, shapedLike(value, element), value);
}

/// base + index, in elements: of all lanes, or of lane 0 if the index is linear.
Lanes Vectorizer::addOffset(Type element, Lanes base, Lanes index) {
  Type i64 = builder.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  bool isVarying = base.shape.isVarying || index.shape.isVarying;
  Type type = isVarying ? Type(vectorOf(pointer)) : pointer;
  Value offset = castIndex(builder, isVarying ? toVector(index) : index.value, i64);
  Value sum = LLVM::GEPOp::create(builder, type, getMemoryType(element), base.value,
                                  ArrayRef<LLVM::GEPArg>{offset});
  return {isVarying ? LaneShape::varying() : index.shape, sum};
}

Vectorizer::Address Vectorizer::getAddress(Value memref, ValueRange indices,
                                           int64_t extra) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Lanes base = get(memref);
  Lanes index{LaneShape::uniform(), {}};
  if (indices.empty())
    index.value = constantIndex(0);
  else
    index = get(indices.front());
  if (extra != 0) {
    Value more = constantIndex(extra);
    if (index.shape.isVarying)
      more = splat(more);
    index.value = arith::AddIOp::create(builder, index.value, more);
  }
  int64_t lanes = group.getNumLanes();
  if (isPrivate(memref.getType()) && lanes > 1) {
    // Element i of lane l is number i * lanes + l.
    bool isUniform = index.shape.isUniform();
    Value place = isUniform ? index.value : toVector(index);
    Value count = constantIndex(lanes);
    place = arith::MulIOp::create(builder, place, isUniform ? count : splat(count));
    if (isUniform)
      return {Address::Contiguous,
              addOffset(element, base, {LaneShape::uniform(), place}).value};
    Value own =
        constantLanes(builder.getIndexType(), [](int64_t lane) { return lane; });
    place = arith::AddIOp::create(builder, place, own);
    return {Address::Scattered,
            addOffset(element, base, {LaneShape::varying(), place}).value};
  }
  bool isNeighbour = !base.shape.isVarying && index.shape == LaneShape::linear(1);
  bool isScalar = base.shape.isUniform() && index.shape.isUniform();
  if (!isScalar && !isNeighbour)
    index = {LaneShape::varying(), toVector(index)};
  Value pointer = addOffset(element, base, index).value;
  return {isScalar      ? Address::Scalar
          : isNeighbour ? Address::Contiguous
                        : Address::Scattered,
          pointer};
}

Value Vectorizer::load(Address address, Type element) {
  Type stored = getMemoryType(element);
  int64_t bytes = getBytes(stored);
  if (address.kind == Address::Scalar)
    return fromMemory(builder,
                      LLVM::LoadOp::create(builder, stored, address.pointer, bytes),
                      element);
  // Pointers are gathered as numbers.
  bool isPointer = isa<LLVM::LLVMPointerType>(stored);
  VectorType type = vectorOf(isPointer ? builder.getI64Type() : stored);
  address = separate(address, stored);
  Value value;
  if (address.kind == Address::Contiguous && !mask) {
    value = LLVM::LoadOp::create(builder, type, address.pointer, bytes);
  } else {
    Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
    if (address.kind == Address::Contiguous)
      value = LLVM::MaskedLoadOp::create(builder, type, address.pointer, mask, zero,
                                         static_cast<uint32_t>(bytes));
    else
      value =
          LLVM::masked_gather::create(builder, type, address.pointer, getAccessMask(),
                                      ValueRange(zero), static_cast<uint32_t>(bytes));
    if (address.kind == Address::Scattered && isMaskWritten())
      value = select(mask, value, zero);
  }
  if (isPointer)
    return LLVM::IntToPtrOp::create(builder, vectorOf(stored), value);
  return fromMemory(builder, value, element);
}

void Vectorizer::store(Address address, Lanes lanes) {
  bool isOne = address.kind == Address::Scalar && lanes.shape.isUniform();
  Value value = toMemory(builder, isOne ? lanes.value : toVector(lanes));
  Type stored = getElementTypeOrSelf(value.getType());
  int64_t bytes = getBytes(stored);
  if (!isOne)
    address = separate(address, stored);
  if (isOne || (address.kind == Address::Contiguous && !mask)) {
    LLVM::StoreOp::create(builder, value, address.pointer, bytes);
    return;
  }
  if (address.kind == Address::Contiguous) {
    LLVM::MaskedStoreOp::create(builder, value, address.pointer, mask,
                                static_cast<uint32_t>(bytes));
    return;
  }
  // Of lanes that store to one place, the last one wins.
  if (address.kind == Address::Scalar && !areInRegisters())
    return storeLast(address, value);
  Value pointers =
      address.kind == Address::Scalar ? splat(address.pointer) : address.pointer;
  if (address.kind == Address::Scalar && isMaskWritten())
    pointers = select(mask, pointers, splat(getSpare()));
  LLVM::masked_scatter::create(builder, value, pointers, getAccessMask(),
                               static_cast<uint32_t>(bytes));
}

/// LLVM writes a branch for each lane of a mask that the processor has no instruction
/// for.
bool Vectorizer::isMaskWritten() const {
  return mask && registerBytes < 64 && !matchPattern(mask, m_Constant());
}

Value Vectorizer::getAccessMask() {
  return isMaskWritten() ? constantMask([](int64_t) { return true; }) : getMask();
}

/// An address with which lanes that are switched off access memory of their own, where
/// masks would become branches. AVX2 has masks for neighbouring words.
Vectorizer::Address Vectorizer::separate(Address address, Type stored) {
  bool hasMask = address.kind == Address::Contiguous && registerBytes == 32 &&
                 getBytes(stored) >= 4;
  if (address.kind == Address::Scalar || !isMaskWritten() || hasMask)
    return address;
  if (address.kind == Address::Contiguous) {
    Value lanes =
        constantLanes(builder.getI64Type(), [](int64_t lane) { return lane; });
    address.pointer =
        LLVM::GEPOp::create(builder, vectorOf(address.pointer.getType()), stored,
                            address.pointer, ArrayRef<LLVM::GEPArg>{lanes});
  }
  return {Address::Scattered, select(mask, address.pointer, splat(getSpare()))};
}

/// Memory for one element that nothing reads.
Value Vectorizer::getSpare() {
  if (!spare)
    spare = createAlloca(builder.getI64Type(), /*count=*/1, /*alignment=*/8);
  return spare;
}

/// Stores the value of the last lane that runs. LLVM writes out scattered stores of
/// many lanes where processors do not have them.
void Vectorizer::storeLast(Address address, Value lanes) {
  Type i32 = builder.getI32Type();
  Value numbers = constantLanes(i32, [](int64_t lane) { return lane; });
  Value none = constantLanes(i32, [](int64_t) { return -1; });
  Value last = vector::ReductionOp::create(builder, vector::CombiningKind::MAXSI,
                                           select(getMask(), numbers, none));
  Value zero = arith::ConstantOp::create(builder, builder.getI32IntegerAttr(0));
  Value isAny = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, last, zero);
  auto branch = scf::IfOp::create(builder, isAny);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value lane = castIndex(builder, last, builder.getIndexType());
  store(address, {LaneShape::uniform(), extractLane(lanes, lane)});
}

/// At the start of the function, so that loops do not use up the stack.
Value Vectorizer::createAlloca(Type element, int64_t count, int64_t alignment) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  Value size = LLVM::ConstantOp::create(builder, builder.getI64Type(),
                                        builder.getI64IntegerAttr(count));
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::AllocaOp::create(builder, pointer, element, size, alignment);
}

Value Vectorizer::getPassed(unsigned place) {
  while (passed.size() <= place)
    passed.push_back(createAlloca(builder.getI64Type(), group.getNumLanes(),
                                  /*alignment=*/64));
  return passed[place];
}

Value Vectorizer::passLanes(Value lanes, unsigned place) {
  LLVM::StoreOp::create(builder, lanes, getPassed(place));
  return getPassed(place);
}

/// The bytes of local memory, or of an array of all lanes.
static int64_t countBytes(Operation *op, int64_t lanes) {
  int64_t bytes = 0;
  auto local = dyn_cast<memref::AllocOp>(op);
  if (local && local.getType().hasStaticShape())
    bytes = local.getType().getNumElements();
  auto array = dyn_cast<memref::AllocaOp>(op);
  if (array && array.getType().hasStaticShape()) {
    MemRefType type = array.getType();
    bytes = type.getNumElements() * getBytes(getMemoryType(type.getElementType())) *
            (isPrivate(type) ? lanes : 1);
  }
  return llvm::alignTo(bytes, kLocalMemoryAlignment);
}

LogicalResult Vectorizer::placeMemory(int64_t maxStackBytes) {
  int64_t local = 0, arrays = 0;
  Operation *firstBeyond = nullptr;
  kernel.walk([&](Operation *op) {
    (isa<memref::AllocOp>(op) ? local : arrays) += countBytes(op, group.getNumLanes());
    if (!firstBeyond && local + arrays > kMostThreadBytes)
      firstBeyond = op;
  });
  if (firstBeyond)
    return firstBeyond->emitError("expected a kernel with at most ")
           << kMostThreadBytes
           << " bytes of local memory, arrays of work-items and values that live "
              "across barriers, got "
           << local + arrays;
  localBytes = local;
  isLocalPassed = local > maxStackBytes;
  areArraysPassed = arrays + (isLocalPassed ? 0 : local) > maxStackBytes;
  if (areArraysPassed) {
    isLocalPassed = true;
    localBytes += arrays;
  }
  return success();
}

/// On the stack, or a part of the memory that the launch provides.
Value Vectorizer::createMemory(Operation *op, bool isPassed, Type element,
                               int64_t count, int64_t alignment) {
  if (!isPassed)
    return createAlloca(element, count, alignment);
  Lanes offset{LaneShape::uniform(), constantIndex(usedLocalBytes)};
  usedLocalBytes += countBytes(op, group.getNumLanes());
  return addOffset(builder.getI8Type(), {LaneShape::uniform(), localMemory}, offset)
      .value;
}

void Vectorizer::emitAlloc(memref::AllocOp op) {
  define(op.getResult(),
         createMemory(op, isLocalPassed, builder.getI8Type(),
                      op.getType().getNumElements(), kLocalMemoryAlignment));
}

void Vectorizer::emitAlloca(memref::AllocaOp op) {
  MemRefType type = op.getType();
  int64_t lanes = isPrivate(type) ? group.getNumLanes() : 1;
  define(op.getResult(),
         createMemory(op, areArraysPassed, getMemoryType(type.getElementType()),
                      type.getNumElements() * lanes, kPrivateAlignment));
}

/// A piece of local memory.
void Vectorizer::emitView(memref::ViewOp op) {
  Lanes shift = get(op.getByteShift());
  if (!shift.shape.isUniform())
    shift = {LaneShape::varying(), toVector(shift)};
  define(op.getResult(),
         addOffset(builder.getI8Type(), get(op.getSource()), shift).value);
}

/// Lanes that prefetch different lines are not worth it.
void Vectorizer::emitPrefetch(memref::PrefetchOp op) {
  Address address = getAddress(op.getMemref(), op.getIndices());
  if (address.kind == Address::Scattered)
    return;
  LLVM::Prefetch::create(builder, address.pointer, op.getIsWrite() ? 1 : 0,
                         op.getLocalityHint(), op.getIsDataCache() ? 1 : 0);
}

/// Of a vector of one work-item, each element is one load of all lanes.
void Vectorizer::emitLoad(vector::LoadOp op) {
  VectorType type = op.getVectorType();
  Type element = type.getElementType();
  if (!shapes.get(op.getResult()).isVarying) {
    Value pointer = getAddress(op.getBase(), op.getIndices()).pointer;
    define(op.getResult(),
           LLVM::LoadOp::create(builder, type, pointer, getBytes(element)).getResult());
    return;
  }
  Values parts;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    parts.push_back(load(getAddress(op.getBase(), op.getIndices(), i), element));
  define(op.getResult(), parts);
}

void Vectorizer::emitStore(vector::StoreOp op) {
  Value vector = op.getValueToStore();
  Address first = getAddress(op.getBase(), op.getIndices());
  Type element = op.getVectorType().getElementType();
  if (!shapes.get(vector).isVarying && first.kind == Address::Scalar) {
    LLVM::StoreOp::create(builder, get(vector).value, first.pointer, getBytes(element));
    return;
  }
  for (auto [i, part] : llvm::enumerate(get(vector, /*isVarying=*/true)))
    store(getAddress(op.getBase(), op.getIndices(), i), {LaneShape::varying(), part});
}

void Vectorizer::emitShuffle(vector::ShuffleOp op) {
  if (!shapes.get(op.getResult()).isVarying) {
    define(op.getResult(),
           vector::ShuffleOp::create(builder, get(op.getV1()).value,
                                     get(op.getV2()).value, op.getMask())
               .getResult());
    return;
  }
  Values all = get(op.getV1(), /*isVarying=*/true), parts;
  llvm::append_range(all, get(op.getV2(), /*isVarying=*/true));
  for (int64_t source : op.getMask())
    parts.push_back(all[std::max<int64_t>(source, 0)]);
  define(op.getResult(), parts);
}

LogicalResult Vectorizer::emitMemory(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::LoadOp load) {
        define(load.getResult(),
               this->load(getAddress(load.getMemref(), load.getIndices()),
                          load.getMemRefType().getElementType()));
        return success();
      })
      .Case([&](memref::StoreOp store) {
        this->store(getAddress(store.getMemref(), store.getIndices()),
                    get(store.getValueToStore()));
        return success();
      })
      .Case([&](memref::AllocOp local) { return emitAlloc(local), success(); })
      .Case([&](memref::AllocaOp array) { return emitAlloca(array), success(); })
      .Case([&](memref::ViewOp view) { return emitView(view), success(); })
      .Case([&](memref::GetGlobalOp constant) {
        Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
        Value address = LLVM::AddressOfOp::create(builder, pointer, constant.getName());
        define(constant.getResult(), address);
        return success();
      })
      .Case([&](memref::CastOp cast) {
        define(cast.getResult(), get(cast.getSource()).value);
        return success();
      })
      .Case([&](memref::PrefetchOp fetch) { return emitPrefetch(fetch), success(); })
      .Case([&](memref::ExtractAlignedPointerAsIndexOp address) {
        Value pointer = get(address.getSource()).value;
        Type type = shapedLike(pointer, builder.getI64Type());
        Value number = LLVM::PtrToIntOp::create(builder, type, pointer);
        define(address.getResult(), castIndex(builder, number, builder.getIndexType()));
        return success();
      })
      .Case([&](vector::LoadOp load) { return emitLoad(load), success(); })
      .Case([&](vector::StoreOp store) { return emitStore(store), success(); })
      .Case([&](vector::ShuffleOp shuffle) { return emitShuffle(shuffle), success(); })
      .Default([](Operation *other) { return refuse(other); });
}

LogicalResult Vectorizer::emitTable(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LLVM::AddressOfOp table) {
        Operation *same = builder.clone(*table);
        define(table.getResult(), same->getResult(0));
        return success();
      })
      .Case([&](LLVM::GEPOp place) -> LogicalResult {
        if (place.getDynamicIndices().size() != 1)
          return refuse(place);
        Lanes index = get(place.getDynamicIndices().front());
        Lanes sum = addOffset(place.getElemType(), get(place.getBase()), index);
        define(place.getResult(), sum.value);
        return success();
      })
      .Case([&](LLVM::LoadOp load) {
        bool isVarying = shapes.get(load.getResult()).isVarying;
        Address address{isVarying ? Address::Scattered : Address::Scalar,
                        get(load.getAddr(), isVarying).front()};
        define(load.getResult(), this->load(address, load.getResult().getType()));
        return success();
      })
      .Default([](Operation *other) { return refuse(other); });
}
