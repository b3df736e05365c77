//===- TypeConverter.h - Types of the linalg stage --------------*- C++ -*-===//
//
// A memref becomes a strided builtin memref with a dynamic offset, a group a builtin
// memref of memrefs, a coopmatrix the scalars that one work-item holds of it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_TINYTCTOLINALG_TYPECONVERTER_H
#define TINYTC_LIB_CONVERSION_TINYTCTOLINALG_TYPECONVERTER_H

#include "dialect/TinyTC.h"

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::tinytc {

/// How the components of a coopmatrix are laid out over a subgroup: row i is in
/// work-item i mod subgroup size; a work-item holds `rowBlocks` rows of all columns,
/// component (block, column) at position block * columns + column.
struct CoopMatrixLayout {
  CoopMatrixLayout(CoopMatrixType type, int32_t subgroupSize)
      : type(type), subgroupSize(subgroupSize),
        rowBlocks(llvm::divideCeil(type.getRows(), subgroupSize)) {}

  int64_t getNumComponents() const { return rowBlocks * type.getColumns(); }
  int64_t getPosition(int64_t block, int64_t column) const {
    return block * type.getColumns() + column;
  }

  CoopMatrixType type;
  int32_t subgroupSize;
  int64_t rowBlocks;
};

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

#endif // TINYTC_LIB_CONVERSION_TINYTCTOLINALG_TYPECONVERTER_H
