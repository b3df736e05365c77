//===- PrivateArray.h - Scalars of one work-item in memory ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_PRIVATEARRAY_H
#define TINYTC_LIB_BUILDERS_PRIVATEARRAY_H

#include "dialect/TinyTC.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// Scalars of one work-item in private memory, which loops can index.
class PrivateArray {
public:
  PrivateArray(ImplicitLocOpBuilder &builder, Type elementType, int64_t size);

  /// The array that the values were loaded from, in order, if there is one; it is only
  /// written before such loads.
  static std::optional<PrivateArray> find(ArrayRef<Value> values);

  /// The same, or an array that they are stored in.
  static PrivateArray findOrStore(ImplicitLocOpBuilder &builder,
                                  ArrayRef<Value> values);

  Value load(ImplicitLocOpBuilder &builder, Value index) const;
  void store(ImplicitLocOpBuilder &builder, Value value, Value index) const;

private:
  PrivateArray(Type elementType, Value memref) : type(elementType), memref(memref) {}

  Type type;
  Value memref;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_PRIVATEARRAY_H
