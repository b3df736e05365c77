//===- TypeConverter.h - Types of the linalg stage --------------*- C++ -*-===//
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

/// Converts the types of one kernel, whose subgroup size fixes the coopmatrix layout.
class LinalgTypeConverter : public TypeConverter {
public:
  explicit LinalgTypeConverter(int32_t subgroupSize);

  int32_t getSubgroupSize() const { return subgroupSize; }
  CoopMatrixLayout getLayout(CoopMatrixType type) const {
    return CoopMatrixLayout(type, subgroupSize);
  }

  /// The builtin memref of a value inside a kernel: any offset.
  static MemRefType getViewType(MemrefType type);
  /// The builtin type of a kernel parameter: offset 0.
  static Type getParameterType(Type type);

private:
  int32_t subgroupSize;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_TYPECONVERTER_H
