//===- CoopMatrixLoop.h - Loops over the components of a work-item -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The components that a work-item holds of a matrix are values, and instructions on
// matrices are written out for them. Drivers need too much time for large matrices that
// way, so there an instruction is a loop over an array in private memory. Its results
// are values again, read from that array: an instruction that finds all of them in one
// array takes that, and what nobody reads vanishes.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXLOOP_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXLOOP_H

#include "lib/Builders/PrivateArray.h"
#include "lib/IR/CoopMatrixLayout.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// The largest number of components for which an atomic instruction is written out,
/// many of which are loops of their own.
inline constexpr int64_t kMaxAtomicComponents = 32;

/// The components of an operand, by the entries of its layout.
class IndexedComponents {
public:
  /// Stores them in an array, unless they come from one or are all the same.
  IndexedComponents(ImplicitLocOpBuilder &builder, const CoopMatrixLayout &layout,
                    ValueRange components);

  /// The component of entry `block * steps + step`.
  Value load(ImplicitLocOpBuilder &builder, Value entry) const;

private:
  std::optional<PrivateArray> array;
  Value same;
};

/// Emits a loop over the numbers below `count`, and returns what `emit` makes of each;
/// nothing without a type.
SmallVector<Value> emitArrayLoop(ImplicitLocOpBuilder &builder, int64_t count,
                                 Type type, function_ref<Value(Value number)> emit);

/// A matrix that is an operand.
using MatrixOperand = std::pair<CoopMatrixLayout, ValueRange>;

/// Emits a loop over all entries of a layout.
///
/// \param operands matrices of the same rows and columns
/// \param type the type of the components of the result; null if there is none
/// \param emit gets block and step of an entry and its component in each operand, and
///        returns the one in the result
/// \return the components of the result
SmallVector<Value> emitComponentLoop(
    ImplicitLocOpBuilder &builder, const CoopMatrixLayout &layout,
    ArrayRef<MatrixOperand> operands, Type type,
    function_ref<Value(Value block, Value step, ArrayRef<Value> components)> emit);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXLOOP_H
