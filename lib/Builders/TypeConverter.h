//===- TypeConverter.h - Types of the linalg stage --------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A memref becomes a strided builtin memref with a dynamic offset, a group a builtin
// memref of memrefs, a coopmatrix the scalars that one work-item holds of it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_BUILDERS_TYPECONVERTER_H
#define TINYTC_LIB_BUILDERS_TYPECONVERTER_H

#include "lib/IR/CoopMatrixLayout.h"

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::tinytc {

/// How much of an instruction on coopmatrices is written out; what is more is loops
/// over arrays in private memory, as drivers need too much time for it.
struct CoopMatrixLimits {
  /// Components of a work-item.
  int64_t components = 256;
  /// Ops of all copies of the region of an apply.
  int64_t appliedOps = 1024;
  /// Multiply-adds of a product, of a work-item that has whole rows of C.
  int64_t multiplyAdds = 512;
  /// Whether a product takes and leaves its matrices in arrays.
  bool keepsArrays = false;
};

/// Converts the types of one kernel, whose subgroup size fixes the coopmatrix layout.
class LinalgTypeConverter : public TypeConverter {
public:
  explicit LinalgTypeConverter(int32_t subgroupSize, CoopMatrixLimits limits = {});

  int32_t getSubgroupSize() const { return subgroupSize; }
  const CoopMatrixLimits &getLimits() const { return limits; }
  CoopMatrixLayout getLayout(CoopMatrixType type) const {
    return CoopMatrixLayout(type, subgroupSize);
  }

  /// The builtin memref of a value inside a kernel: any offset.
  static MemRefType getViewType(MemrefType type);
  /// The builtin type of a kernel parameter: offset 0.
  static Type getParameterType(Type type);

private:
  int32_t subgroupSize;
  CoopMatrixLimits limits;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_TYPECONVERTER_H
