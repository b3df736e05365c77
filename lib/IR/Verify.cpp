//===- Verify.cpp - Checks that the chapters share ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Scalar types
//===----------------------------------------------------------------------===//

LogicalResult tinytc::verifySameKind(Operation *op, Type operand, Type result) {
  if (isa<CoopMatrixType>(operand) == isa<CoopMatrixType>(result))
    return success();
  return op->emitOpError(
             "expected a cast between two scalars or two coopmatrices, got ")
         << operand << " and " << result;
}

LogicalResult tinytc::verifyConversion(Operation *op, StringRef what,
                                       CoopMatrixType matrix, CoopMatrixType result) {
  if (matrix.getRows() != result.getRows() ||
      matrix.getColumns() != result.getColumns())
    return op->emitOpError("expected 'result' to have the shape of ")
           << what << ", got " << matrix << " and " << result;
  if (matrix.getUse() != result.getUse() && matrix.getUse() != MatrixUse::Acc)
    return op->emitOpError("expected 'result' to have the use of ")
           << what << ", unless that is matrix_acc, got " << matrix << " and "
           << result;
  return success();
}

bool tinytc::isCastAllowed(Type from, Type to) {
  return !isa<ComplexType>(from) || isa<ComplexType>(to);
}

int64_t tinytc::getSizeBytes(Type scalar) {
  if (auto complexType = dyn_cast<ComplexType>(scalar))
    return 2 * getSizeBytes(complexType.getElementType());
  if (scalar.isIndex())
    return 8;
  return llvm::divideCeil(scalar.getIntOrFloatBitWidth(), 8);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

bool tinytc::isCompatible(int64_t lhs, int64_t rhs) {
  return lhs == rhs || ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs);
}

SmallVector<int64_t> tinytc::applyTranspose(TensorForm form, ArrayRef<int64_t> shape) {
  if (isTransposed(form) && shape.size() == 2)
    return {shape[1], shape[0]};
  return llvm::to_vector(shape);
}

static std::string formatSize(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

std::string tinytc::formatSizes(ArrayRef<int64_t> sizes) {
  std::string text = "(";
  for (auto [position, size] : llvm::enumerate(sizes))
    text += (position ? ", " : "") + formatSize(size);
  return text + ")";
}

/// `0, 1 or 2`
static std::string formatAlternatives(ArrayRef<int64_t> values) {
  std::string text = std::to_string(values.front());
  for (int64_t value : values.drop_front())
    text += (value == values.back() ? " or " : ", ") + std::to_string(value);
  return text;
}

LogicalResult tinytc::verifyOrder(Operation *op, ArrayRef<NamedMemref> memrefs,
                                  ArrayRef<int64_t> orders) {
  for (auto [name, type] : memrefs)
    if (!llvm::is_contained(orders, type.getOrder()))
      return op->emitOpError("expected '")
             << name << "' to have order " << formatAlternatives(orders) << ", got "
             << type.getOrder();
  return success();
}

LogicalResult tinytc::verifySize(Operation *op, StringRef what, int64_t size,
                                 StringRef reference, int64_t expected) {
  if (isCompatible(size, expected))
    return success();
  return op->emitOpError("expected ")
         << what << " to equal " << reference << " = " << expected << ", got " << size;
}

LogicalResult tinytc::verifyShape(Operation *op, NamedMemref memref,
                                  ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> shape = memref.type.getShape();
  if (shape.size() == expected.size() &&
      llvm::all_of_zip(shape, expected, isCompatible))
    return success();
  return op->emitOpError("expected '")
         << memref.name << "' to have shape " << formatSizes(expected) << ", got "
         << formatSizes(shape);
}

LogicalResult tinytc::verifyComponentType(Operation *op, NamedMemref memref,
                                          CoopMatrixType matrix) {
  Type element = memref.type.getElementType();
  if (element == matrix.getElementType())
    return success();
  return op->emitOpError("expected '")
         << memref.name << "' to have the component type " << matrix.getElementType()
         << " of the matrix as element type, got " << element;
}

LogicalResult tinytc::verifyIndexCount(Operation *op, ValueRange indices,
                                       int64_t expected) {
  if (static_cast<int64_t>(indices.size()) == expected)
    return success();
  return op->emitOpError("expected ")
         << expected << (expected == 1 ? " index" : " indices") << ", got "
         << indices.size();
}

LogicalResult tinytc::verifyConstantIndices(Operation *op, ValueRange indices,
                                            Type source) {
  auto group = dyn_cast<GroupType>(source);
  SmallVector<int64_t> sizes =
      group ? SmallVector<int64_t>{group.getSize()}
            : llvm::to_vector(cast<MemrefType>(source).getShape());
  for (auto [mode, index] : llvm::enumerate(indices)) {
    APInt constant;
    if (!matchPattern(index, m_ConstantInt(&constant)))
      continue;
    int64_t value = constant.getSExtValue(), size = sizes[mode];
    if (0 <= value && (ShapedType::isDynamic(size) || value < size))
      continue;
    std::string what = group ? "the group" : "mode " + std::to_string(mode);
    std::string limit = ShapedType::isDynamic(size)
                            ? ""
                            : " and less than its size " + std::to_string(size);
    return op->emitOpError("expected the index of ")
           << what << " to be at least 0" << limit << ", got " << value;
  }
  return success();
}

bool tinytc::isSliceWithin(int64_t offset, int64_t size, int64_t modeSize) {
  if (ShapedType::isDynamic(modeSize))
    return true;
  int64_t first = ShapedType::isDynamic(offset) ? 0 : offset;
  // A dynamic size is at least 1.
  int64_t count = ShapedType::isDynamic(size) || size == 0 ? 1 : size;
  return first <= modeSize && count <= modeSize - first;
}

LogicalResult tinytc::verifyMode(Operation *op, int64_t mode, int64_t order) {
  if (0 <= mode && mode < order)
    return success();
  return op->emitOpError("expected the mode to be at least 0 and less than the order ")
         << order << ", got " << mode;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult tinytc::verifyNonzero(Operation *op, const Twine &what, ArrayAttr boxes,
                                    ArrayRef<int64_t> shape) {
  size_t count = 0;
  for (auto [number, box] : llvm::enumerate(boxes.getAsRange<DenseI64ArrayAttr>())) {
    ArrayRef<int64_t> bounds = box;
    if (number == 0)
      count = bounds.size();
    if (bounds.size() != count || count % 2 != 0 || count > 2 * shape.size())
      return op->emitOpError("expected box ")
             << number << " of " << what
             << " to have two numbers for each of the same number of modes, at most "
             << shape.size() << ", got " << bounds.size() << " numbers";
    for (size_t mode = 0; mode < count / 2; ++mode) {
      int64_t begin = bounds[2 * mode], end = bounds[2 * mode + 1];
      if (ShapedType::isDynamic(shape[mode]))
        return op->emitOpError("expected box ")
               << number << " of " << what
               << " to have ranges of modes of static size, got one of mode " << mode
               << ", whose size is dynamic";
      if (begin < 0 || begin >= end || end > shape[mode])
        return op->emitOpError("expected box ")
               << number << " of " << what << " to have a range within mode " << mode
               << " of size " << shape[mode] << ", got " << begin << " to " << end;
    }
  }
  return success();
}

LogicalResult tinytc::verifyAlignment(Operation *op, const Twine &what,
                                      int64_t alignment, Type elementType) {
  int64_t size = getSizeBytes(elementType);
  if (alignment > 0 && alignment % size == 0)
    return success();
  return op->emitOpError("expected ")
         << what << " to be a positive multiple of the size of " << elementType << " = "
         << size << ", got " << alignment;
}

LogicalResult tinytc::verifyResultTypes(Operation *op, StringRef name,
                                        TypeRange expected) {
  if (op->getResultTypes() == expected)
    return success();
  return op->emitOpError("expected results of the types (")
         << expected << ") of '" << name << "', got (" << op->getResultTypes() << ")";
}
