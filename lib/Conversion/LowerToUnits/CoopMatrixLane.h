//===- CoopMatrixLane.h - What one work-item holds of a matrix --*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXLANE_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXLANE_H

#include "lib/Builders/TypeConverter.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// Pattern with the converter that knows the layout of coopmatrices.
template <typename Op>
struct CoopMatrixPattern : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  const LinalgTypeConverter &getConverter() const {
    return *this->template getTypeConverter<LinalgTypeConverter>();
  }
};

/// Computes where the entries of the running work-item's vector are in the matrix.
///
/// Padding is never written as zeros: what it holds is not defined, and the few
/// instructions that could tell ask `isComponent`.
class CoopMatrixLane {
public:
  /// `neighbours` consecutive rows of a matrix for a work-item, where the layout has so
  /// many that lie a block apart.
  CoopMatrixLane(ImplicitLocOpBuilder &builder, CoopMatrixLayout layout,
                 int64_t neighbours = 1);

  /// The row of the entries of a block plus `begin`, the column of those of a step.
  Value getRow(int64_t block, Value begin = {});
  Value getColumn(int64_t step, Value begin = {});
  /// Row and column, where block and step are only known at run time.
  Value getRow(Value block);
  Value getColumn(Value step);

  /// Whether the rows of a block, the columns of a step or an entry are within the
  /// matrix; null where they are in each work-item.
  Value isRow(int64_t block);
  Value isColumn(int64_t step);
  Value isComponent(int64_t position);
  /// The same for block and step of an entry that is only known at run time.
  Value isComponent(Value block, Value step);

  /// Row in a block, and number of the column among those side by side.
  Value getRowInBlock() const { return rowInBlock; }
  Value getFirstColumn() const { return firstColumn; }

  const CoopMatrixLayout &getLayout() const { return layout; }

private:
  Value sum(Value a, Value b);
  Value getRowOfBlock(Value block);

  ImplicitLocOpBuilder &builder;
  CoopMatrixLayout layout;
  int64_t neighbours;
  Value rowInBlock, firstColumn;
};

/// The conjunction of two conditions; null always holds.
Value createBoth(ImplicitLocOpBuilder &builder, Value a, Value b);

/// The divisor of an integer division, 1 where the entry is padding, since the quotient
/// of padding is defined; a null condition always holds.
Value createSafeDivisor(ImplicitLocOpBuilder &builder, Value isComponent,
                        Value divisor);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXLANE_H
