//===- Patterns.h - From tinytc to what units multiply ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Cooperative matrices and products on matrix units and tensor cores: what subgroups
// compute together, which linalg cannot say. It becomes scf, gpu and the units' ops, in
// the same conversion as all else (TinyTCToLinalg).
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_PATTERNS_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_PATTERNS_H

#include "lib/Builders/TypeConverter.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// gemm with the strategies `matrix_unit` and `packed_factors`.
void populateMatrixUnitPatterns(const LinalgTypeConverter &converter,
                                RewritePatternSet &patterns, const Machine &machine,
                                int64_t numSubgroups);
/// gemm with the strategy `tensor_cores`.
void populateTensorCorePatterns(const LinalgTypeConverter &converter,
                                RewritePatternSet &patterns, int64_t numSubgroups);

/// gemm with the strategy `dot_products`.
void populateDotProductPatterns(const LinalgTypeConverter &converter,
                                RewritePatternSet &patterns, const Machine &machine);

/// gemm with the strategy `tile_registers`.
void populateTileRegisterPatterns(const LinalgTypeConverter &converter,
                                  RewritePatternSet &patterns, const Machine &machine);

/// gemm with the strategy `staged_factors`.
void populateStagedFactorPatterns(const LinalgTypeConverter &converter,
                                  RewritePatternSet &patterns, const Machine &machine);

/// Checks that the machine can compute each instruction by its strategy; emits an error
/// at the first that it cannot.
LogicalResult checkStrategies(FuncOp func, const Machine &machine);

/// How much the kernel may write out of each instruction on cooperative matrices: less
/// if all of it is too much for the driver.
CoopMatrixLimits chooseCoopMatrixLimits(FuncOp func, const Machine &machine);

/// Cooperative matrices, as the scalars that each work-item holds: loads, stores and
/// products; instructions on components; reductions.
void populateCoopMatrixPatterns(const LinalgTypeConverter &converter,
                                RewritePatternSet &patterns, const Machine &machine);
void populateCoopMatrixComponentPatterns(const LinalgTypeConverter &converter,
                                         RewritePatternSet &patterns);
void populateCoopMatrixReducePatterns(const LinalgTypeConverter &converter,
                                      RewritePatternSet &patterns);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_PATTERNS_H
