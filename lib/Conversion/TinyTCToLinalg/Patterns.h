//===- Patterns.h - From tinytc to linalg, scf and scalars ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// One populate call for each family of instructions; Pass.cpp combines them with those
// of LowerToUnits.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_TINYTCTOLINALG_PATTERNS_H
#define TINYTC_LIB_CONVERSION_TINYTCTOLINALG_PATTERNS_H

#include "lib/Builders/TypeConverter.h"

namespace mlir::tinytc {

/// func, for, if, foreach, parallel and yield.
void populateControlFlowPatterns(const LinalgTypeConverter &converter,
                                 RewritePatternSet &patterns);
/// Arithmetic, comparison, cast, math and constant, on scalars and coopmatrices.
void populateScalarPatterns(const LinalgTypeConverter &converter,
                            RewritePatternSet &patterns);
/// alloca, lifetime_stop, load, store and the atomic accesses to one element.
void populateMemoryPatterns(const LinalgTypeConverter &converter,
                            RewritePatternSet &patterns);
/// report, stride, is_divisible and is_convertible.
void populateCheckPatterns(const LinalgTypeConverter &converter,
                           RewritePatternSet &patterns);
/// subview, expand, fuse and size.
void populateViewPatterns(const LinalgTypeConverter &converter,
                          RewritePatternSet &patterns);
/// axpby, ger, hadamard_product, gemm, gemv and sum.
void populateBlasPatterns(const LinalgTypeConverter &converter,
                          RewritePatternSet &patterns);
void populateCumsumPatterns(const LinalgTypeConverter &converter,
                            RewritePatternSet &patterns);
/// Builtins, barrier, subgroup operations, which become ops of the gpu dialect.
void populateExecutionPatterns(const LinalgTypeConverter &converter,
                               RewritePatternSet &patterns,
                               ArrayRef<int32_t> workGroupSize);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_TINYTCTOLINALG_PATTERNS_H
