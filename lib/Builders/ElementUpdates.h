//===- ElementUpdates.h - Updates and sums at the linalg stage --*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A sum is three ops: a linalg.fill of an accumulator in private memory, a
// linalg.generic that accumulates, and a linalg.generic that scales and writes the
// destination. Private memory needs no address: the next stage keeps it in registers.
//
// A linalg.generic yields new elements, which an atomic update does not know. It is a
// parallel loop around the atomic operation on one element.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_BUILDERS_ELEMENTUPDATES_H
#define TINYTC_LIB_BUILDERS_ELEMENTUPDATES_H

#include "lib/Builders/Update.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::tinytc {

/// A memref and the dimensions of the iteration that index it.
struct ElementInput {
  Value memref;
  SmallVector<unsigned, 3> dims;
};

/// Emits a value from elements of inputs.
using EmitElement = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// linalg.generic that writes `output` at (d0, ..., d_{rank-1}) what `emit` makes of
/// the inputs and the old element; iteration dimensions beyond the rank are reductions.
linalg::GenericOp createGeneric(ImplicitLocOpBuilder &builder,
                                ArrayRef<ElementInput> inputs, ElementInput output,
                                unsigned reductions, EmitElement emit);

/// Sums over the last dimension for all elements of `dest`, in `type`, that begin with
/// 0: `emit` adds to the last of its values.
ElementInput createSums(ImplicitLocOpBuilder &builder, ArrayRef<ElementInput> inputs,
                        Value dest, Type type, EmitElement emit);

/// dest := alpha * value + beta * dest, where `emit` makes a value of the inputs.
void createUpdate(ImplicitLocOpBuilder &builder, ArrayRef<ElementInput> inputs,
                  const Update &update, EmitElement emit);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_ELEMENTUPDATES_H
