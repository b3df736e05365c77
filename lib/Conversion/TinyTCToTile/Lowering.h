//===- Lowering.h - Kernels of the tile dialect -----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes a tile.entry for each kernel. Modes are reversed on the way: a memref is
// column major, and the last dimension of a tile is the one that is contiguous.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_TINYTCTOTILE_LOWERING_H
#define TINYTC_LIB_CONVERSION_TINYTCTOTILE_LOWERING_H

#include "dialect/TinyTC.h"
#include "dialect/tile/Tile.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tinytc::tile_lowering {

/// Tiles of one shape that are numbers of the language: one, or for complex numbers the
/// real and the imaginary parts.
struct Number {
  Value re, im;

  bool isComplex() const { return static_cast<bool>(im); }
  tile::TileType getType() const { return cast<tile::TileType>(re.getType()); }
};

/// Where a view lies in local memory: its modes, as those of the alloca, and its first
/// place in each mode of the alloca.
struct Window {
  SmallVector<unsigned> modes;
  SmallVector<OpFoldResult> first;
};

/// A memref: a pointer to its first element, with sizes and strides in elements; or
/// local memory, which is a value.
struct Memref {
  MemrefType type;
  Value base;
  SmallVector<OpFoldResult> sizes, strides;
  /// A known divisor of the address, in bytes.
  int64_t alignment = 1;
  /// The result of the alloca, null for global memory.
  Value alloca = {};
  /// The pointer that a launch passes, without the offsets of views.
  Value root = {};
  /// For local memory alone.
  Window window = {};
};

/// A group: a pointer to pointers, and to the sizes and strides of its members.
struct Group {
  GroupType type;
  Value base;
  SmallVector<Value> tables;
  OpFoldResult size, offset;
  /// The promises of each member.
  int64_t alignment = 1;
  ArrayRef<int64_t> shapeGcd, strideGcd;
};

/// A part of a memref: tile number `index` of the tiles of a size, for each mode. No
/// index means the first tile, which is the only one.
struct Part {
  SmallVector<int64_t> sizes;
  SmallVector<Value> index;
};

/// The values that a loop or a branch returns to the code after it.
using Values = SmallVector<Value>;

class Lowering {
public:
  /// With `aligned`, arrays are promised to begin at multiples of 16 bytes.
  Lowering(OpBuilder &builder, bool aligned)
      : builder(builder.getUnknownLoc(), builder), aligned(aligned) {}

  /// Writes the entry of a kernel at the insertion point, under a name.
  LogicalResult lower(FuncOp func, StringRef name);

private:
  // Kernel.cpp: parameters, and what becomes of each instruction.
  void mapParameter(BlockArgument parameter, FuncOp func, ArrayRef<Value> arguments);
  LogicalResult lowerBlock(Block &block);
  LogicalResult lowerOp(Operation *op);
  LogicalResult lowerInquiry(Operation *op);
  LogicalResult lowerDefault(Operation *op);
  LogicalResult refuse(Operation *op, const Twine &reason);
  /// The same for an instruction that no program of tiles has.
  LogicalResult refuse(Operation *op);

  // Numbers.cpp: arithmetic on numbers of the language.
  Value createConstant(Type element, int64_t number, ArrayRef<int64_t> shape = {});
  Value createConstant(Type element, Attribute value, ArrayRef<int64_t> shape = {});
  Value createIndex(int64_t number) {
    return createConstant(builder.getI64Type(), number);
  }
  Value createI32(int64_t number) {
    return createConstant(builder.getI32Type(), number);
  }
  Value reshape(Value value, ArrayRef<int64_t> shape);
  Value broadcast(Value value, ArrayRef<int64_t> shape);
  Number broadcast(Number number, ArrayRef<int64_t> shape);
  Number convert(Number number, Type from, Type to);
  Value convertReal(Value value, Type to);
  Value addReal(Value a, Value b);
  Value subReal(Value a, Value b);
  Value mulReal(Value a, Value b);
  Value minReal(Value a, Value b, bool keepsNaN = false);
  Value maxReal(Value a, Value b, bool keepsNaN = false);
  Value negReal(Value a);
  Number add(Number a, Number b);
  Number mul(Number a, Number b);
  Number div(Number a, Number b);
  Value compare(tile::ComparisonPredicate predicate, Value a, Value b);
  Value isEqual(Number a, Number b);
  Number select(Value condition, Number a, Number b);
  Value absComplex(Number a);
  Value expm1(Value x);
  Value log1p(Value x);
  Value createFunction(Operation *op, Value a);
  Value createFunction(Operation *op, ArrayRef<Value> x);
  /// Whether a number without dimensions is 0.
  Value isZero(Number a);
  OpFoldResult add(OpFoldResult a, OpFoldResult b);
  OpFoldResult multiply(OpFoldResult a, OpFoldResult b);
  Value toValue(OpFoldResult size);

  // Scalar.cpp.
  LogicalResult lowerScalar(Operation *op);
  Number castBits(Number number, Type to);
  LogicalResult lowerArithmetic(Operation *op);
  LogicalResult lowerMath(Operation *op);
  LogicalResult lowerConstant(ConstantOp op);

  // Memory.cpp: tiles of global and local memory, in the order that tokens make.
  Value getPointer(const Memref &memref, ValueRange indices);
  Value getPointers(const Memref &memref, const Part &part, Value &mask);
  Value createView(const Memref &memref, const Part &part);
  Values getViewIndex(const Memref &memref, const Part &part);
  Number load(const Memref &memref, const Part &part);
  void store(const Memref &memref, const Part &part, Number number);
  void storeAtomic(const Memref &memref, const Part &part, Number number);
  void addAtomic(const Memref &memref, const Part &part, Number number);
  Value loadPointer(Value pointer);
  void storePointer(Value pointer, Value value, Value mask = {}, bool atomic = false);
  Value updatePointer(Value pointer, tile::AtomicMode mode, Value value,
                      Value mask = {});
  Value getMask(const Part &part, unsigned mode, OpFoldResult size);
  /// A token that comes after all accesses so far; null if there were none.
  Value getOrder();
  /// A token that comes after all of these; null if there are none.
  Value joinTokens(ArrayRef<Value> tokens);
  /// The same, but never null.
  Value getToken();
  void setToken(Value token);
  LogicalResult lowerElement(Operation *op);
  LogicalResult lowerLoad(LoadOp op);
  LogicalResult lowerStore(StoreOp op);
  LogicalResult lowerAtomic(AtomicOpInterface op);
  void updateLocal(AtomicOpInterface op, const Memref &element);
  Value access(AtomicOpInterface op, Value pointer, Value value);
  Memref selectElement(const Memref &memref, ValueRange indices);

  // Local.cpp: local memory in registers.
  LogicalResult lowerAlloca(AllocaOp op);
  LogicalResult lowerLocalView(Operation *op);
  Value slice(Value value, int64_t dim, OpFoldResult first, int64_t size);
  Value getMask(const Memref &local);
  Number loadLocal(const Memref &local, const Part &part);
  void storeLocal(const Memref &local, Number number);

  // Views.cpp.
  LogicalResult lowerView(Operation *op);
  void lowerSubview(SubviewOp op);
  void lowerExpand(ExpandOp op);
  void lowerExpandC2R(ExpandC2ROp op);
  void lowerFuse(FuseOp op);
  void loadMember(LoadOp op);
  void finish(Value result, Memref view);
  Value promise(Value value, int64_t divisor);
  SmallVector<OpFoldResult> getMixed(ArrayRef<int64_t> constants, ValueRange values);

  // ControlFlow.cpp.
  using LoopBody = function_ref<FailureOr<Values>(Value, ValueRange)>;
  FailureOr<Values> createFor(Value from, Value to, Value step, ValueRange inits,
                              LoopBody body);
  /// Calls `body` for each tile of the modes, and carries the order of accesses.
  LogicalResult forEachPart(ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> tile,
                            function_ref<LogicalResult(const Part &)> body);
  LogicalResult forEachPart(ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> tile,
                            Part &part, function_ref<LogicalResult(const Part &)> body);
  LogicalResult lowerFor(ForOp op);
  LogicalResult lowerIf(IfOp op);
  LogicalResult lowerForeach(ForeachOp op, unsigned mode);
  /// The local memory that an op uses and that was allocated before it.
  SmallVector<Value> getUsedAllocas(Operation *op);
  /// The state of memory as values, and back.
  Values packState(ArrayRef<Value> allocas);
  void unpackState(ArrayRef<Value> allocas, ValueRange values);
  Values flatten(ValueRange values);
  /// Maps values of the language to the numbers that the next entries of `tiles` are.
  void mapNumbers(ValueRange values, ValueRange tiles);
  Value countTiles(OpFoldResult size, int64_t tile);

  // Collective.cpp.
  struct Product;
  LogicalResult lowerBlas(BlasOpInterface op);
  LogicalResult checkBlas(BlasOpInterface op);
  Number computeSum(Product &product, const Part &part);
  Number computeStep(Product &product, const Part &part, Value k, Number sum);
  Number multiplyMatrices(Product &product, Number a, Number b, Number sum);
  Number loadFactor(Product &product, unsigned index, const Part &part, Value k);
  Number arrange(Number number, ArrayRef<unsigned> modes, ArrayRef<unsigned> order);
  Number spread(Number number, ArrayRef<unsigned> modes, ArrayRef<int64_t> tile);
  Number reduce(Number number);
  Value reduceReal(Value value, int64_t dim);
  Number scan(Number number, int64_t dim, bool isReverse);
  LogicalResult lowerRunningSum(Product &product, int64_t mode);
  LogicalResult update(Product &product, const Part &part, Number number);

  Number getNumber(Value value) const { return numbers.lookup(value); }
  Values getIndices(ValueRange values) const;

  ImplicitLocOpBuilder builder;
  bool aligned;
  DenseMap<Value, Number> numbers;
  DenseMap<Value, Memref> memrefs;
  DenseMap<Value, Group> groups;
  /// Results of allocas, and their content; its sizes are padded to powers of two.
  llvm::MapVector<Value, Number> locals;
  /// The token that accesses come after, and the loads since.
  Value token;
  SmallVector<Value> reads;
};

/// The type of the elements of tiles for a type of the language: that of the parts for
/// complex numbers, i64 for index.
Type getTileElement(Type type);

/// The type of a tile of one shape.
inline tile::TileType getTile(Type element, ArrayRef<int64_t> shape = {}) {
  return tile::TileType::get(shape, element);
}

/// A tile type with other elements.
inline tile::TileType withElement(Value tile, Type element) {
  return getTile(element, cast<tile::TileType>(tile.getType()).getShape());
}

/// The elements of a tile.
inline Type getElement(Value tile) {
  return cast<tile::TileType>(tile.getType()).getElementType();
}

/// The entries from the last to the first.
template <typename Entries>
auto reversed(const Entries &entries) {
  return llvm::to_vector(llvm::reverse(entries));
}

} // namespace mlir::tinytc::tile_lowering

#endif // TINYTC_LIB_CONVERSION_TINYTCTOTILE_LOWERING_H
