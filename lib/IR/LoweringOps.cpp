//===- LoweringOps.cpp - Ops that only the lowering makes -----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Scalars.h"
#include "lib/IR/Verify.h"
#include "lib/IR/WarpFragments.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Twice a size, a stride or an offset, which may be dynamic; none if it overflows.
static std::optional<int64_t> twice(int64_t size) {
  int64_t result;
  if (ShapedType::isDynamic(size))
    return size;
  if (llvm::MulOverflow<int64_t>(size, 2, result))
    return std::nullopt;
  return result;
}

LogicalResult ComplexPartsOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &inferred) {
  auto type = cast<MemRefType>(adaptor.getSource().getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  bool isStrided = succeeded(type.getStridesAndOffset(strides, offset));
  bool isFirstOne = !strides.empty() && strides.front() == 1;
  if (!isStrided || !(isFirstOne || adaptor.getExpanded()))
    return emitOptionalError(
        location, "expected 'source' to have a first stride of 1, got ", type);
  SmallVector<int64_t> shape(type.getShape());
  if (adaptor.getExpanded()) {
    shape.insert(shape.begin(), 1);
    strides.insert(strides.begin(), 1);
  }
  SmallVector<int64_t *> doubled = {&shape.front(), &offset};
  for (int64_t &stride : MutableArrayRef(strides).drop_front())
    doubled.push_back(&stride);
  for (int64_t *value : doubled) {
    std::optional<int64_t> result = twice(*value);
    if (!result)
      return emitOptionalError(location,
                               "expected 'source' to have at most 2^63 - 1 parts along "
                               "a mode, got ",
                               type);
    *value = *result;
  }
  inferred.push_back(MemRefType::get(shape, getRealType(type.getElementType()),
                                     StridedLayoutAttr::get(context, offset, strides),
                                     type.getMemorySpace()));
  return success();
}

/// The type of the sums of products of numbers of `type`.
static Type getSumType(Type type) {
  MLIRContext *context = type.getContext();
  if (type.isInteger())
    return IntegerType::get(context, 32);
  return Float32Type::get(context);
}

int64_t SubgroupMatrixMulAddOp::getNumColumns() {
  if (getC().size() == 1)
    if (auto vector = dyn_cast<VectorType>(getC().front().getType()))
      return vector.getNumElements();
  return getC().size();
}

LogicalResult
SubgroupMatrixMulAddOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, adaptor.getC().getTypes());
  return success();
}

LogicalResult SubgroupMatrixMulAddOp::verify() {
  if (getA().empty() || getB().empty())
    return emitOpError("expected 'a' and 'b' to have entries, got ")
           << getA().size() << " and " << getB().size();
  Type type = getA().front().getType();
  // Halves of numbers are a type of their own.
  Type typeOfB = type.isF32() && hasHalves() ? getB().front().getType() : type;
  for (Value entry : getA())
    if (entry.getType() != type)
      return emitOpError("expected entries of 'a' and 'b' of one type, got ")
             << type << " and " << entry.getType();
  for (Value entry : getB())
    if (entry.getType() != typeOfB)
      return emitOpError("expected entries of 'a' and 'b' of one type, got ")
             << typeOfB << " and " << entry.getType();
  int64_t depth = 8 * 32 / type.getIntOrFloatBitWidth();
  if (getDepth() != depth)
    return emitOpError("expected 'a' to have ")
           << depth << " entries of type " << type << ", got " << getDepth();
  for (Type entry : getC().getTypes())
    if (auto vector = dyn_cast<VectorType>(entry))
      if (getC().size() > 1 || vector.isScalable())
        return emitOpError(
                   "expected 'c' to be numbers or one vector of fixed length, got ")
               << getC().getTypes();
  int64_t columns = getNumColumns();
  if (columns < 1 || columns > 8 || !llvm::isPowerOf2_64(columns))
    return emitOpError("expected 'c' to have 1, 2, 4 or 8 entries, got ") << columns;
  if (hasHalves() && int64_t(getB().size()) != columns)
    return emitOpError("expected a half for each of ")
           << columns << " columns in 'b', got " << getB().size();
  if (depth * columns % getB().size() != 0)
    return emitOpError("expected the entries of 'b' to divide ")
           << depth * columns << ", those of all work-items, got " << getB().size();
  for (Value entry : getC())
    if (getElementTypeOrSelf(entry.getType()) != getSumType(type))
      return emitOpError("expected entries of 'c' of type ")
             << getSumType(type) << ", got " << entry.getType();
  return verifyInferredTypes(*this, "c");
}

LogicalResult WarpMatrixMulAddOp::inferReturnTypes(MLIRContext *,
                                                   std::optional<Location>,
                                                   Adaptor adaptor,
                                                   SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, adaptor.getC().getTypes());
  return success();
}

LogicalResult WarpMatrixMulAddOp::verify() {
  if (getA().empty())
    return emitOpError("expected 'a' to have entries, got none");
  Type type = getA().front().getType();
  for (Value entry : llvm::drop_begin(getOperands().take_front(
           static_cast<unsigned>(getA().size() + getB().size()))))
    if (entry.getType() != type)
      return emitOpError("expected entries of 'a' and 'b' of one type, got ")
             << type << " and " << entry.getType();
  WarpFragments fragments = *WarpFragments::get(type);
  const std::tuple<StringRef, size_t, int64_t> counts[] = {
      {"a", getA().size(), fragments.getNumA()},
      {"b", getB().size(), fragments.getNumB()},
      {"c", getC().size(), fragments.getNumC()}};
  for (auto [name, count, expected] : counts)
    if (int64_t(count) != expected)
      return emitOpError("expected '")
             << name << "' to have " << expected << " entries for factors of type "
             << type << ", got " << count;
  for (Value entry : getC())
    if (entry.getType() != fragments.sumType)
      return emitOpError("expected sums of type ")
             << fragments.sumType << ", got " << entry.getType();
  return verifyInferredTypes(*this, "c");
}

LogicalResult PackedMulAddOp::verify() {
  Builder builder(getContext());
  Type expected = builder.getI32Type();
  if (getNumbers() == PackedNumbers::BF16)
    expected = builder.getF32Type();
  if (auto vector = dyn_cast<VectorType>(getA().getType()))
    expected = vector.clone(expected);
  if (getC().getType() == expected)
    return success();
  return emitOpError("expected 'c' of type ")
         << expected << ", got " << getC().getType();
}

LogicalResult TileProductOp::verify() {
  static constexpr int64_t kMostOfTile = 16;
  bool isBF16 = getNumbers() == PackedNumbers::BF16;
  if (!isBF16 && getNumbers() != PackedNumbers::I8)
    return emitOpError("expected words of i8 or bf16, got ")
           << stringifyPackedNumbers(getNumbers());
  Builder builder(getContext());
  Type expected = isBF16 ? Type(builder.getF32Type()) : builder.getI32Type();
  Type sum = cast<MemRefType>(getC().getType()).getElementType();
  if (sum != expected)
    return emitOpError("expected 'c' with elements of type ")
           << expected << ", got " << sum;
  const std::pair<StringRef, size_t> counts[] = {{"rows", getRows().size()},
                                                 {"columns", getColumns().size()}};
  for (auto [name, count] : counts)
    if (count != 1 && count != 2)
      return emitOpError("expected one or two '") << name << "', got " << count;
  auto fits = [](int64_t size) { return 1 <= size && size <= kMostOfTile; };
  if (getTile().size() != 3 || !llvm::all_of(getTile(), fits))
    return emitOpError("expected three sizes of a tile from 1 to ")
           << kMostOfTile << ", got [" << getTile() << "]";
  return success();
}

LogicalResult SubgroupBlockLoadOp::verify() {
  Type element = getSource().getType().getElementType();
  bool hasHalves = element.isF32() && !getTransposed();
  for (Type type : getResultTypes())
    if (hasHalves ? !type.isInteger(16)
                  : type != element &&
                        !(isStoredAsBits(type) && element == getStorageType(type)))
      return emitOpError("expected results of ")
             << (hasHalves ? "i16, halves of the element type " : "the element type ")
             << element << " of 'source', got " << type;
  int64_t count = getNumResults();
  int64_t most = element.isF32() ? 8 : element.isInteger(8) ? 32 : 16;
  bool isEither = !getTransposed() && !element.isF32();
  if (count == most || (isEither && count == most / 2))
    return success();
  std::string counts = std::to_string(most);
  if (isEither)
    counts = std::to_string(most / 2) + " or " + counts;
  return emitOpError("expected ")
         << counts << " results of type " << element << ", got " << count;
}
