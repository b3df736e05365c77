//===- Verify.cpp - Checks that ops of the tile dialect share -------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Verify.h"

using namespace mlir;
using namespace mlir::tile;

bool tile::isPowerOfTwo(int64_t number) {
  return number > 0 && (number & (number - 1)) == 0;
}

bool tile::isPermutation(ArrayRef<int32_t> numbers) {
  SmallVector<int32_t> sorted(numbers);
  llvm::sort(sorted);
  for (auto [index, number] : llvm::enumerate(sorted))
    if (number != static_cast<int32_t>(index))
      return false;
  return true;
}

/// A shape in the form of messages: `(8, 4)`.
static std::string format(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '(';
  llvm::interleaveComma(shape, stream);
  stream << ')';
  return text;
}

LogicalResult tile::verifySameElements(Operation *op, NamedTile tile, NamedTile other) {
  Type element = tile.getType().getElementType();
  Type expected = other.getType().getElementType();
  if (element == expected)
    return success();
  return op->emitOpError() << "expected '" << tile.name << "' to have elements of '"
                           << other.name << "'s type " << expected << ", got "
                           << element;
}

LogicalResult tile::verifyShape(Operation *op, NamedTile tile,
                                ArrayRef<int64_t> expected) {
  if (tile.getType().getShape() == expected)
    return success();
  return op->emitOpError() << "expected '" << tile.name << "' to have shape "
                           << format(expected) << ", got "
                           << format(tile.getType().getShape());
}

LogicalResult tile::verifySameShape(Operation *op, NamedTile tile, NamedTile other) {
  return verifyShape(op, tile, other.getType().getShape());
}

LogicalResult tile::verifySameRank(Operation *op, NamedTile tile, NamedTile other) {
  int64_t rank = tile.getType().getRank(), expected = other.getType().getRank();
  if (rank == expected)
    return success();
  return op->emitOpError() << "expected '" << tile.name << "' to have " << expected
                           << " dimensions, got " << rank;
}

LogicalResult tile::verifyDimension(Operation *op, int64_t dim, NamedTile tile) {
  int64_t rank = tile.getType().getRank();
  if (dim >= 0 && dim < rank)
    return success();
  return op->emitOpError() << "expected a dimension of '" << tile.name
                           << "', less than " << rank << ", got " << dim;
}

LogicalResult tile::verifyPointee(Operation *op, NamedTile pointers, Type element) {
  Type pointee =
      cast<PointerType>(pointers.getType().getElementType()).getPointeeType();
  if (pointee == element)
    return success();
  return op->emitOpError() << "expected '" << pointers.name << "' to point to "
                           << element << ", got " << pointee;
}

LogicalResult tile::verifyLeavingTypes(Operation *op, TypeRange types, StringRef what,
                                       TypeRange expected) {
  if (types == expected)
    return success();
  InFlightDiagnostic error = op->emitOpError();
  error << "expected the types of " << what << " (";
  llvm::interleaveComma(expected, error);
  error << "), got (";
  llvm::interleaveComma(types, error);
  return error << ")";
}

LogicalResult tile::verifyHints(Operation *op, DictionaryAttr hints) {
  if (!hints)
    return success();
  for (NamedAttribute architecture : hints) {
    auto inner = dyn_cast<DictionaryAttr>(architecture.getValue());
    if (!inner || !llvm::all_of(inner, [](NamedAttribute hint) {
          return isa<IntegerAttr>(hint.getValue());
        }))
      return op->emitOpError()
             << "expected hints for " << architecture.getName()
             << " to be a dictionary of integers, got " << architecture.getValue();
  }
  return success();
}
