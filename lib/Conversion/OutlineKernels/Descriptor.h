//===- Descriptor.h - A memref as pointer and dope vector -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// At the gpu stage a memref is a list of values. In this order, which is that of the
// kernel ABI: a one-dimensional memref (the pointer), the dynamic sizes, the dynamic
// strides, the offset if it is dynamic. Static entries are only in the type.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_OUTLINEKERNELS_DESCRIPTOR_H
#define TINYTC_LIB_CONVERSION_OUTLINEKERNELS_DESCRIPTOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::tinytc {

/// The one-dimensional memref that points to the elements of `type`.
MemRefType getPointerType(MemRefType type);

/// Whether `type` is such a pointer, or an array in private memory.
bool isPointerType(MemRefType type);

/// Whether `type` is a group: a memref whose elements are memrefs.
bool isGroupType(MemRefType type);

/// The types of the values that stand for a memref or a group.
void getDescriptorTypes(MemRefType type, SmallVectorImpl<Type> &types);

/// Reads the entries of a memref from the values that stand for it.
class Descriptor {
public:
  Descriptor(MemRefType type, ValueRange values);

  Value getPointer() const { return pointer; }
  OpFoldResult getSize(unsigned mode) const { return sizes[mode]; }
  OpFoldResult getStride(unsigned mode) const { return strides[mode]; }
  OpFoldResult getOffset() const { return offset; }

  /// Where the parts of an element are: offset + sum of index times stride, times the
  /// number of parts. Loop-invariant terms are computed outside the loops.
  SmallVector<Value, 2> getPositions(ConversionPatternRewriter &rewriter, Location loc,
                                     ArrayRef<ValueRange> indices, int64_t parts) const;

  /// The values that stand for a view of `type` with these entries.
  static SmallVector<Value> pack(ImplicitLocOpBuilder &builder, MemRefType type,
                                 Value pointer, ArrayRef<OpFoldResult> sizes,
                                 ArrayRef<OpFoldResult> strides, OpFoldResult offset);

  SmallVector<OpFoldResult> sizes, strides;

private:
  Value pointer;
  OpFoldResult offset;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_OUTLINEKERNELS_DESCRIPTOR_H
