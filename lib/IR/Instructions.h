//===- Instructions.h - Instructions that passes make -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_IR_INSTRUCTIONS_H
#define TINYTC_LIB_IR_INSTRUCTIONS_H

#include "dialect/TinyTC.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc::instructions {

/// A constant of a scalar type, or the matrix of equal components.
Value createNumber(ImplicitLocOpBuilder &builder, Type type, double number);
/// The same for a complex type.
Value createComplex(ImplicitLocOpBuilder &builder, ComplexType type, double real,
                    double imaginary);
Value createIndex(ImplicitLocOpBuilder &builder, int64_t number);

/// The type of the elements of a memref.
Type getElementType(Value memref);

/// Whether the value is a constant 0.
bool isZero(Value value);

/// A value of another floating or complex type: a complex one as a real type is its
/// real part.
Value createCast(ImplicitLocOpBuilder &builder, Value value, Type type);

/// The size of a mode of a memref or a group.
Value createSize(ImplicitLocOpBuilder &builder, Value memref, int64_t mode);

/// Uninitialised local memory with the shape of a memref, in the packed layout.
Value createLocalLike(ImplicitLocOpBuilder &builder, MemrefType type);
Value createLocal(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> shape, Type element);

/// A matrix op(X) in memory; a vector is its only column.
struct MatrixForm {
  Value memref;
  bool isTransposed = false, isConjugated = false;

  MatrixForm transpose() const { return {memref, !isTransposed, isConjugated}; }
  MatrixForm conjugate() const { return {memref, isTransposed, !isConjugated}; }
  MatrixForm adjoint() const { return transpose().conjugate(); }
  /// What instructions call op.
  TensorForm getForm() const;

  /// Accesses of op(X)(i, j). In an SPMD region.
  Value load(ImplicitLocOpBuilder &builder, Value i, Value j) const;
  void store(ImplicitLocOpBuilder &builder, Value number, Value i, Value j) const;
  void add(ImplicitLocOpBuilder &builder, bool atomic, Value number, Value i,
           Value j) const;

private:
  SmallVector<Value, 2> getPlace(Value i, Value j) const;
  Value conjugateIfNeeded(ImplicitLocOpBuilder &builder, Value number) const;
};

/// How an instruction stores its results.
StoreFlag getStoreFlag(bool atomic, bool isBetaZero);

/// Runs `body` for each index of a memref: a foreach, or for a memref of order 0 the
/// work of one iteration.
void createForeach(ImplicitLocOpBuilder &builder, Value memref,
                   function_ref<void(ImplicitLocOpBuilder &, ValueRange)> body);

/// The same for each index from `from` to before `to`.
void createForeach(ImplicitLocOpBuilder &builder, ValueRange from, ValueRange to,
                   function_ref<void(ImplicitLocOpBuilder &, ValueRange)> body);

/// Runs `body` where the condition holds.
void createIf(ImplicitLocOpBuilder &builder, Value condition,
              function_ref<void(ImplicitLocOpBuilder &)> body);

/// Runs `body` for iterations from `from` to before `to`, and returns what it returns
/// in the last one; `inits` if there is none.
ForOp createFor(
    ImplicitLocOpBuilder &builder, Value from, Value to, ValueRange inits,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value, ValueRange)> body);

/// Adds the number to one element, with `atomic` in one step. In an SPMD region.
void createAdd(ImplicitLocOpBuilder &builder, bool atomic, Value number, Value memref,
               ValueRange indices);

/// The sum of the products of elements of two memrefs of one type, for which there is
/// memory, perhaps one of the two. In a collective region.
Value createDot(ImplicitLocOpBuilder &builder, Value a, Value b, Value products);

/// The matrix of what `body` returns for each component of some matrices. It gets row,
/// column and the components.
Value createApply(ImplicitLocOpBuilder &builder, Type type, ValueRange matrices,
                  function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body);

/// A number for each work-item; their sum over the subgroup is that of all components.
Value createComponentSum(ImplicitLocOpBuilder &builder, Value matrix);

/// Sets all elements to 0. In a collective region.
void createFill(ImplicitLocOpBuilder &builder, Value memref);
/// Multiplies all elements. In a collective region.
void createScale(ImplicitLocOpBuilder &builder, Value factor, Value memref);
/// Copies all elements of a memref to another one of its shape and type. In a
/// collective region.
void createCopy(ImplicitLocOpBuilder &builder, Value from, Value to);

/// The view, or the load of a group's member, that `op` is of another source. Its
/// operands are mapped.
Value createView(ImplicitLocOpBuilder &builder, Operation *op, Value source,
                 const IRMapping &mapping);

/// The view of a block, for which no size is 0 unless it is a value.
Value createBlock(ImplicitLocOpBuilder &builder, Value memref,
                  ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes);

/// The view of one entry of a mode.
Value createEntry(ImplicitLocOpBuilder &builder, Value memref, int64_t mode,
                  Value index);

} // namespace mlir::tinytc::instructions

#endif // TINYTC_LIB_IR_INSTRUCTIONS_H
