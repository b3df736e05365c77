//===- MemoryOps.cpp - Views, loads, stores, atomics ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tile;

/// Operands that have one type: it is written once.
static ParseResult parseSameType(OpAsmParser &parser, Type &first, Type &second) {
  if (parser.parseType(first))
    return failure();
  second = first;
  return success();
}
static ParseResult parseSameType(OpAsmParser &parser, Type &first, Type &second,
                                 Type &third) {
  if (parseSameType(parser, first, second))
    return failure();
  third = first;
  return success();
}
static void printSameType(OpAsmPrinter &printer, Operation *, Type first, Type,
                          Type = {}) {
  printer << first;
}

/// The type of a partition names that of its tensor.
static ParseResult parsePartitionOf(OpAsmParser &parser, Type &tensorView,
                                    Type &result) {
  PartitionViewType partition;
  if (parser.parseType(partition))
    return failure();
  result = partition;
  tensorView = partition.getTensorView();
  return success();
}
static void printPartitionOf(OpAsmPrinter &printer, Operation *, Type, Type result) {
  printer << result;
}

#define GET_OP_CLASSES
#include "dialect/tile/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Checks that there is a value for each number that a type leaves open.
static LogicalResult verifyDynamic(Operation *op, StringRef what, ValueRange values,
                                   ArrayRef<int64_t> numbers) {
  size_t expected = llvm::count_if(numbers, ShapedType::isDynamic);
  if (values.size() == expected)
    return success();
  return op->emitOpError() << "expected " << expected << " dynamic " << what << ", got "
                           << values.size();
}

/// Checks that the integers have one type.
static LogicalResult verifyOneType(Operation *op, StringRef what, TypeRange types) {
  for (Type type : types)
    if (type != types.front())
      return op->emitOpError() << "expected " << what << " of one type, "
                               << types.front() << ", got " << type;
  return success();
}

LogicalResult MakeTensorViewOp::verify() {
  TensorViewType type = getType();
  if (failed(verifyPointee(*this, {"base", getBase()}, // make_tensor_view_c1
                           type.getElementType())) ||
      failed(verifyDynamic(*this, "sizes", getDynamicShape(), // make_tensor_view_c2
                           type.getShape())) ||
      failed(verifyDynamic(*this, "strides", getDynamicStrides(), // make_tensor_view_c3
                           type.getStrides())))
    return failure();
  return verifyOneType(*this, "sizes and strides", // make_tensor_view_c4
                       TypeRange(getOperands().drop_front()));
}

LogicalResult MakePartitionViewOp::verify() {
  // make_partition_view_c1
  if (getTensorView().getType() != getType().getTensorView())
    return emitOpError() << "expected a tensor of type " << getType().getTensorView()
                         << ", got " << getTensorView().getType();
  return success();
}

/// Checks that there is an integer for each dimension, all of one type.
static LogicalResult verifyIntegers(Operation *op, StringRef what, TypeRange types,
                                    size_t rank) {
  if (types.size() != rank)
    return op->emitOpError() << "expected " << rank << " " << what << ", got "
                             << types.size();
  return verifyOneType(op, what, types);
}

LogicalResult GetTensorShapeOp::verify() {
  return verifyIntegers(*this, "results", getResultTypes(), // get_tensor_shape_c1
                        getSrc().getType().getShape().size());
}

LogicalResult GetIndexSpaceShapeOp::verify() {
  return verifyIntegers(*this, "results", getResultTypes(), // get_index_space_shape_c1
                        getSrc().getType().getTileShape().size());
}

LogicalResult JoinTokensOp::verify() {
  // join_tokens_c1
  if (getTokens().size() < 2)
    return emitOpError() << "expected at least two tokens, got " << getTokens().size();
  return success();
}

LogicalResult OffsetOp::verify() {
  return verifySameShape(*this, {"offset", getOffset()},
                         {"ptr", getPtr()}); // offset_c1
}

LogicalResult AllocaOp::verify() {
  // alloca_c1
  if (static_cast<int64_t>(getNumElem()) <= 0)
    return emitOpError() << "expected a positive number of elements, got "
                         << static_cast<int64_t>(getNumElem());
  // alloca_c2
  if (!isPowerOfTwo(getAlignment()))
    return emitOpError() << "expected the alignment to be a positive power of two, got "
                         << static_cast<int64_t>(getAlignment());
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Checks the ordering of a load or a store: weak without a scope, or relaxed or the
/// strong one with a scope.
template <typename AccessOp>
static LogicalResult verifyOrdering(AccessOp op, MemoryOrdering strong) {
  MemoryOrdering ordering = op.getMemoryOrderingSemantics();
  bool hasScope = op.getMemoryScope().has_value();
  if (hasScope ? ordering == MemoryOrdering::Relaxed || ordering == strong
               : ordering == MemoryOrdering::Weak)
    return success();
  return op.emitOpError() << "expected weak without a scope, or relaxed or "
                          << stringifyMemoryOrdering(strong) << " with one, got "
                          << stringifyMemoryOrdering(ordering)
                          << (hasScope ? " with one" : " without one");
}

/// Checks that an optional tile has the shape of another.
static LogicalResult verifyOptionalShape(Operation *op, NamedTile tile,
                                         NamedTile other) {
  return tile.value ? verifySameShape(op, tile, other) : success();
}

LogicalResult LoadPtrTkoOp::verify() {
  NamedTile source{"source", getSource()}, result{"result", getResult()};
  if (failed(verifyOrdering(*this, MemoryOrdering::Acquire)) || // load_ptr_tko_c1
      failed(verifyPointee(*this, source,                       // load_ptr_tko_c2
                           result.getType().getElementType())) ||
      failed(verifySameShape(*this, result, source)) || // load_ptr_tko_c3
      failed(verifyOptionalShape(*this, {"mask", getMask()}, source)) ||
      failed(verifyHints(*this, getOptimizationHintsAttr()))) // load_ptr_tko_c5
    return failure();
  // load_ptr_tko_c4
  if (!getPaddingValue())
    return success();
  if (getPaddingValue().getType() != result.getType())
    return emitOpError() << "expected padding of type " << result.getType() << ", got "
                         << getPaddingValue().getType();
  if (!getMask())
    return emitOpError() << "expected a mask for the padding, got none";
  return success();
}

LogicalResult StorePtrTkoOp::verify() {
  NamedTile destination{"destination", getDestination()}, value{"value", getValue()};
  if (failed(verifyOrdering(*this, MemoryOrdering::Release)) || // store_ptr_tko_c1
      failed(verifyPointee(*this, destination,                  // store_ptr_tko_c2
                           value.getType().getElementType())) ||
      failed(verifySameShape(*this, value, destination)) ||   // store_ptr_tko_c3
      failed(verifyHints(*this, getOptimizationHintsAttr()))) // store_ptr_tko_c4
    return failure();
  return verifyOptionalShape(*this, {"mask", getMask()}, destination);
}

/// Checks that a tile has the type of the tiles of a view.
static LogicalResult verifyTileOf(Operation *op, NamedTile tile,
                                  PartitionViewType view) {
  if (tile.getType() == view.getTileType())
    return success();
  return op->emitOpError() << "expected '" << tile.name << "' to have type "
                           << view.getTileType() << ", got " << tile.getType();
}

template <typename AccessOp>
static LogicalResult verifyIndices(AccessOp op) {
  return verifyIntegers(op, "indices", op.getIndex().getTypes(),
                        op.getView().getType().getTileShape().size());
}

LogicalResult LoadViewTkoOp::verify() {
  if (failed(verifyOrdering(*this, MemoryOrdering::Acquire)) || // load_view_tko_c1
      failed(verifyIndices(*this)) ||                           // load_view_tko_c2
      failed(verifyHints(*this, getOptimizationHintsAttr())))   // load_view_tko_c4
    return failure();
  return verifyTileOf(*this, {"tile", getTile()},
                      getView().getType()); // load_view_tko_c3
}

LogicalResult StoreViewTkoOp::verify() {
  if (failed(verifyOrdering(*this, MemoryOrdering::Release)) || // store_view_tko_c1
      failed(verifyIndices(*this)) ||                           // store_view_tko_c2
      failed(verifyHints(*this, getOptimizationHintsAttr())))   // store_view_tko_c4
    return failure();
  return verifyTileOf(*this, {"tile", getTile()},
                      getView().getType()); // store_view_tko_c3
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

template <typename AccessOp>
static LogicalResult verifyAtomicOrdering(AccessOp op) {
  if (op.getMemoryOrderingSemantics() != MemoryOrdering::Weak)
    return success();
  return op.emitOpError() << "expected relaxed, acquire, release or acq_rel, got weak";
}

/// Checks that there are atomic updates of the mode for elements of the type.
static LogicalResult verifyMode(Operation *op, AtomicMode mode, Type element) {
  bool isWord = element.isInteger(32) || element.isInteger(64);
  bool isFloat = isa<Float32Type, Float64Type>(element);
  bool isHalf = isa<Float16Type, BFloat16Type>(element);
  bool isAllowed = mode == AtomicMode::AddF       ? isFloat || isHalf
                   : mode == AtomicMode::Exchange ? isFloat || isWord
                                                  : isWord;
  if (isAllowed)
    return success();
  return op->emitOpError() << "expected elements of a type that "
                           << stringifyAtomicMode(mode) << " updates, got " << element;
}

LogicalResult AtomicRMWTkoOp::verify() {
  NamedTile pointers{"pointers", getPointers()}, arg{"arg", getArg()};
  Type element = arg.getType().getElementType();
  if (failed(verifyAtomicOrdering(*this)) ||             // atomic_rmw_tko_c1
      failed(verifyPointee(*this, pointers, element)) || // atomic_rmw_tko_c2
      failed(verifySameShape(*this, arg, pointers)) ||   // atomic_rmw_tko_c3
      failed(verifyOptionalShape(*this, {"mask", getMask()}, pointers)))
    return failure();
  return verifyMode(*this, getMode(), element); // atomic_rmw_tko_c4
}

LogicalResult AtomicCASTkoOp::verify() {
  NamedTile pointers{"pointers", getPointers()}, val{"val", getVal()};
  Type element = val.getType().getElementType();
  if (failed(verifyAtomicOrdering(*this)) ||           // atomic_cas_tko_c1
      failed(verifyPointee(*this, pointers, element))) // atomic_cas_tko_c2
    return failure();
  unsigned width = element.getIntOrFloatBitWidth();
  if (width != 32 && width != 64)
    return emitOpError() << "expected elements of 32 or 64 bits, got " << width;
  if (failed(verifySameShape(*this, val, pointers))) // atomic_cas_tko_c3
    return failure();
  return verifyOptionalShape(*this, {"mask", getMask()}, pointers);
}

LogicalResult AtomicRedViewTkoOp::verify() {
  if (failed(verifyAtomicOrdering(*this)) ||            // atomic_red_view_tko_c1
      failed(verifyIndices(*this)) ||                   // atomic_red_view_tko_c2
      failed(verifyTileOf(*this, {"value", getValue()}, // atomic_red_view_tko_c3
                          getView().getType())))
    return failure();
  // atomic_red_view_tko_c4
  if (getMode() == AtomicMode::Exchange)
    return emitOpError() << "expected a mode other than xchg, got xchg";
  return verifyMode(*this, getMode(), getValue().getType().getElementType());
}
