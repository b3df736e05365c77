//===- Patterns.h - From tinytc to linalg, scf and scalars ------*- C++ -*-===//
//
// One populate call for each family of instructions; Pass.cpp combines them.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_TINYTCTOLINALG_PATTERNS_H
#define TINYTC_LIB_CONVERSION_TINYTCTOLINALG_PATTERNS_H

#include "lib/Analysis/LocalMemory.h"
#include "lib/Conversion/TinyTCToLinalg/TypeConverter.h"
#include "lib/Target/Machine.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// A range of the local memory of the kernel around `op`, as numbers of type `element`;
/// null if the kernel has none.
Value createLocalView(ImplicitLocOpBuilder &builder, Operation *op, LocalRange range,
                      Type element);

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
/// gemm with the strategies `matrix_unit` and `packed_factors`.
void populateMatrixUnitPatterns(const LinalgTypeConverter &converter,
                                RewritePatternSet &patterns, const Machine &machine,
                                int64_t numSubgroups);
/// gemm with the strategy `tensor_cores`.
void populateTensorCorePatterns(const LinalgTypeConverter &converter,
                                RewritePatternSet &patterns, int64_t numSubgroups);

/// Checks that the machine can compute each instruction by its strategy; emits an error
/// at the first that it cannot.
LogicalResult checkStrategies(FuncOp func, const Machine &machine);

/// Cooperative matrices, as the scalars that each work-item holds: loads, stores and
/// products; instructions on components; reductions.
void populateCoopMatrixPatterns(const LinalgTypeConverter &converter,
                                RewritePatternSet &patterns, const Machine &machine);
void populateCoopMatrixComponentPatterns(const LinalgTypeConverter &converter,
                                         RewritePatternSet &patterns);
void populateCoopMatrixReducePatterns(const LinalgTypeConverter &converter,
                                      RewritePatternSet &patterns);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_TINYTCTOLINALG_PATTERNS_H
