//===- Scalars.h - Types that stand for a scalar type -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The scalar types of the language by the table of dialect/Scalars.td. Other
// types stand for themselves.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_DIALECT_SCALARS_H
#define TINYTC_DIALECT_SCALARS_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::tinytc {

/// The name of a scalar type, bool included, in the language.
StringRef getScalarName(Type type);

/// The type of an element in memory; that of the components for a complex type.
Type getStorageType(Type type);

/// Whether memory holds the bits of a floating type, as there is no arithmetic on it.
bool isStoredAsBits(Type type);

/// The type of a parameter of a kernel that carries a scalar.
Type getParameterType(Type type);

/// The type in which instructions compute before they round: f32 for narrower floating
/// types.
Type getComputeType(Type type);

/// Whether the type is a floating one of 16 bits.
bool isHalf(Type type);

} // namespace mlir::tinytc

#endif // TINYTC_DIALECT_SCALARS_H
