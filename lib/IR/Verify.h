//===- Verify.h - Checks that the chapters share ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Each function is the one home of its message; the op's verifier names the label.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_IR_VERIFY_H
#define TINYTC_LIB_IR_VERIFY_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// A memref type with the name of its operand in messages.
struct NamedMemref {
  StringRef name;
  MemrefType type;
};

/// Whether two sizes can be equal at run time: `?` fits every size.
bool isCompatible(int64_t lhs, int64_t rhs);

/// The shape of op(X): reversed if a matrix is transposed.
SmallVector<int64_t> applyTranspose(TensorForm form, ArrayRef<int64_t> shape);

/// A tuple of sizes or strides in the form of messages: `(8, ?)`.
std::string formatSizes(ArrayRef<int64_t> sizes);

/// The scalar types as MLIR writes them, with commas between them.
std::string listScalarTypes(MLIRContext *context);

/// Checks that every memref has one of the orders.
LogicalResult verifyOrder(Operation *op, ArrayRef<NamedMemref> memrefs,
                          ArrayRef<int64_t> orders);

/// Checks that a size that `what` names fits the one that `reference` names.
LogicalResult verifySize(Operation *op, StringRef what, int64_t size,
                         StringRef reference, int64_t expected);

/// Checks that the memref's shape fits the expected one.
LogicalResult verifyShape(Operation *op, NamedMemref memref,
                          ArrayRef<int64_t> expected);

/// Checks that the memref has the component type of the matrix.
LogicalResult verifyComponentType(Operation *op, NamedMemref memref,
                                  CoopMatrixType matrix);

/// Checks that alpha can multiply elements of type `product`.
LogicalResult verifyAlphaType(Operation *op, Type alpha, Type product);

/// Checks type(beta) <= element type of the result.
LogicalResult verifyBetaType(Operation *op, Type beta, NamedMemref result);

/// Checks that beta is a constant 0 or 1 if the op is atomic.
LogicalResult verifyAtomicBeta(Operation *op, bool isAtomic, Value beta);

/// Checks that two operands have no common element for certain; messages call them
/// `destination` and `name`.
LogicalResult verifyApart(Operation *op, StringRef destination, Value written,
                          StringRef name, Value read);

/// Checks that the operand that is updated overlaps no factor for certain; messages
/// call it `destination`.
LogicalResult verifyOverlap(BlasOpInterface op, StringRef destination);

/// Checks the subgroup size and the work-group size of a kernel, as far as it has them.
LogicalResult verifyKernelSizes(Operation *op, std::optional<int32_t> subgroupSize,
                                std::optional<ArrayRef<int32_t>> workGroupSize);

/// The type of the first operand, which must be one of `Kinds`.
template <typename... Kinds>
FailureOr<Type> getFirstType(std::optional<Location> location, ValueRange operands,
                             StringRef kinds) {
  if (operands.empty())
    return emitOptionalError(location, "expected ", kinds, ", got nothing");
  Type type = operands.front().getType();
  if (isa<Kinds...>(type))
    return type;
  return emitOptionalError(location, "expected ", kinds, ", got ", type);
}

/// The type that a load from a memref or a group returns.
Type getLoadedType(Type source);

/// Checks that the results have the types of the operands that `name` names.
LogicalResult verifyResultTypes(Operation *op, StringRef name, TypeRange expected);

/// The same for an op whose result types are inferred, which are those.
template <typename Op>
LogicalResult verifyInferredTypes(Op op, StringRef name) {
  SmallVector<Type> expected;
  if (failed(Op::inferReturnTypes(op.getContext(), op.getLoc(),
                                  typename Op::Adaptor(op), expected)))
    return failure();
  return verifyResultTypes(op, name, expected);
}

/// Checks that a result has the element type of 'source'.
LogicalResult verifyResultElement(Operation *op, Type element, Type result);

/// Checks that there are `expected` indices.
LogicalResult verifyIndexCount(Operation *op, ValueRange indices, int64_t expected);

/// Checks that constant indices of a memref or of a group are within static sizes.
LogicalResult verifyConstantIndices(Operation *op, ValueRange indices, Type source);

/// Whether a slice can stay within a mode, where offset and sizes are static. A slice
/// of size 0 is the one element at its offset.
bool isSliceWithin(int64_t offset, int64_t size, int64_t modeSize);

/// Checks that `mode` is one of the first `order` modes.
LogicalResult verifyMode(Operation *op, int64_t mode, int64_t order);

/// Checks that the components of a matrix can become those of the result: shapes are
/// equal, and uses too, unless that of the matrix is matrix_acc. `what` names the
/// matrix.
LogicalResult verifyConversion(Operation *op, StringRef what, CoopMatrixType matrix,
                               CoopMatrixType result);

/// Checks that operand and result are two scalars or two coopmatrices.
LogicalResult verifySameKind(Operation *op, Type operand, Type result);

/// Whether the language has a cast between these scalar types.
bool isCastAllowed(Type from, Type to);

/// Checks that an alignment in bytes is a positive multiple of the element size.
/// `what` names the attribute.
LogicalResult verifyAlignment(Operation *op, const Twine &what, int64_t alignment,
                              Type elementType);

/// Checks the boxes of a pattern of zeros against the shape of the memref. `what` names
/// the attribute.
LogicalResult verifyNonzero(Operation *op, const Twine &what, ArrayAttr boxes,
                            ArrayRef<int64_t> shape);

/// Checks the attribute `tinytc.local_offset`, if `op` has it.
LogicalResult verifyLocalOffset(Operation *op, Type elementType);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_IR_VERIFY_H
