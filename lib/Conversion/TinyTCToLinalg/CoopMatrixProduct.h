//===- CoopMatrixProduct.h - Products of coopmatrices -----------*- C++ -*-===//

#ifndef TINYTC_LIB_CONVERSION_TINYTCTOLINALG_COOPMATRIXPRODUCT_H
#define TINYTC_LIB_CONVERSION_TINYTCTOLINALG_COOPMATRIXPRODUCT_H

#include "lib/Conversion/TinyTCToLinalg/TypeConverter.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// The layouts of A, B and C in a product.
struct CoopMatrixProduct {
  CoopMatrixLayout a, b, c;

  /// The rows of B, which are summed over.
  int64_t getDepth() const { return b.type.getRows(); }
};

/// Adds A B to `sums`, the components of C. All components have the type in which the
/// product is computed. Components of A and B go from one work-item to others: all of
/// the subgroup must be active.
void emitProduct(ImplicitLocOpBuilder &builder, const CoopMatrixProduct &product,
                 ValueRange a, ValueRange b, MutableArrayRef<Value> sums);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_TINYTCTOLINALG_COOPMATRIXPRODUCT_H
