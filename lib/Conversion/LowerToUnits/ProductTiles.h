//===- ProductTiles.h - Products by tiles of subgroups ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_PRODUCTTILES_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_PRODUCTTILES_H

#include "lib/Builders/Update.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tinytc {

/// An index and whether it is within bounds; null: it always is.
struct Bounded {
  Value index, isInside;
};

/// The memory in which a matrix is: the element (i, j) of `op(X)` has the index
/// `first + i * strides[0] + j * strides[1]`.
struct MatrixMemory {
  Value elements, first;
  std::array<OpFoldResult, 2> strides;
};

/// A matrix in memory, which may be transposed: mode 0 of `op(X)` is `getMode(0)`.
class ProductOperand {
public:
  ProductOperand(ImplicitLocOpBuilder &builder, Value memref, bool transposed);

  MemRefType getType() const { return cast<MemRefType>(memref.getType()); }
  OpFoldResult getSize(unsigned mode) const { return sizes[transposed ^ mode]; }
  bool isTransposed() const { return transposed; }

  Value load(ImplicitLocOpBuilder &builder, Value row, Value column) const;
  MatrixMemory getMemory(ImplicitLocOpBuilder &builder) const;

protected:
  Value memref;
  bool transposed;
  SmallVector<OpFoldResult> sizes;
};

/// The base of all ways of computing C := alpha op(A) op(B) + beta C by tiles:
/// a subgroup computes a tile of C, whose sums stay in registers.
class ProductTiles {
public:
  /// The subgroups of the work-group share the tiles.
  ProductTiles(ImplicitLocOpBuilder &builder, const ProductOperand &a,
               const ProductOperand &b, const Update &update, int64_t numSubgroups)
      : builder(builder), update(update), numSubgroups(numSubgroups),
        rows(a.getSize(0)), columns(b.getSize(1)), summed(a.getSize(1)) {}

protected:
  /// Calls `emit` with the first row and column of each tile.
  void emitTiles(int64_t tileRows, int64_t tileColumns,
                 function_ref<void(Value row, Value column)> emit);

  /// Calls `emit` for every `step`-th index; it updates the sums. Returns the loop.
  scf::ForOp emitSteps(Value lower, Value upper, int64_t step,
                       MutableArrayRef<Value> sums, function_ref<void(Value)> emit);

  /// Whether the last tile may go beyond the end.
  static bool mayOverhang(OpFoldResult size, int64_t tile);

  Value add(Value index, int64_t i);

  /// The index, or the last one of the mode if it is beyond that.
  Bounded clamp(Value index, OpFoldResult size);

  /// The element, or zero where the summed mode has ended.
  Value mask(Value element, Value isInside);

  /// Moves the builder to where the index is within the mode.
  void enterIfNeeded(Value index, OpFoldResult size, int64_t tile);

  /// Stores alpha `sum` + beta C in C, given as `dest`.
  void storeElement(Value sum, Value dest, ValueRange indices);
  /// The number that it stores, if that is not atomic.
  Value createElement(Value sum, Value dest, ValueRange indices);
  /// Stores a work-item's elements of a column in adjacent rows of a tile of
  /// `tileRows`. C is read before any of it is written, unless a condition is between.
  void storeRun(Value row, Value column, ArrayRef<Value> sums, int64_t tileRows);

  /// The number of tiles along a mode.
  OpFoldResult countTiles(OpFoldResult size, int64_t tile);

  ImplicitLocOpBuilder &builder;
  const Update &update;
  int64_t numSubgroups;
  OpFoldResult rows, columns, summed;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_PRODUCTTILES_H
