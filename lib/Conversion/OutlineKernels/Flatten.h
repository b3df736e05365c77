//===- Flatten.h - Memory access through linear indices ---------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_OUTLINEKERNELS_FLATTEN_H
#define TINYTC_LIB_CONVERSION_OUTLINEKERNELS_FLATTEN_H

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace mlir::tinytc {

/// Rewrites memref ops to pointer and linear index (Descriptor.h).
void populateFlattenPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_OUTLINEKERNELS_FLATTEN_H
