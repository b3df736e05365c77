//===- ProductClasses.h - Products that can share a function ----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_OUTLINEKERNELS_PRODUCTCLASSES_H
#define TINYTC_LIB_CONVERSION_OUTLINEKERNELS_PRODUCTCLASSES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tinytc {

/// Where the value of a function comes from.
enum class ValueOrigin {
  Inside,  ///< is computed again from constants and what names the work-item
  Outside, ///< is passed; the same for all work-items
  Both,    ///< is computed again from values of both kinds
  Unknown
};

/// Where a value of a kernel comes from.
ValueOrigin getValueOrigin(Value value);

/// A product in a region of its own, and how it differs from the first one like it.
struct Product {
  scf::ExecuteRegionOp op;
  /// Its arguments for parameters.
  DenseMap<Value, Value> values = DenseMap<Value, Value>();
  /// By how much its constants are larger.
  DenseMap<Value, int64_t> distances = DenseMap<Value, int64_t>();
};

/// Products that differ only in what they get from outside.
struct ProductClass {
  /// The first one's values from outside: parameters, and those computed again inside.
  SetVector<Value> parameters, inside;
  SmallVector<Product> members;
};

/// The values of two products that correspond to each other.
struct ProductMatch {
  DenseMap<Value, Value> parameters;
  SetVector<std::pair<Value, Value>> constants;
};

/// Constants of the first product of a class that those of each other product are
/// larger than by the same number.
using ProductOffset = SmallVector<Value>;

/// The value of a constant index.
std::optional<int64_t> getConstantIndex(Value value);

/// How values correspond if a product is the same as the first one but for what they
/// get from outside, and for indices that are constants.
std::optional<ProductMatch> matchProduct(const ProductClass &products,
                                         scf::ExecuteRegionOp op);

/// By how much the constants of a product are larger than those of the first one, if
/// they are offsets. `others` says so of those that they correspond to.
std::optional<DenseMap<Value, int64_t>>
getDistances(const ProductClass &products, const ProductMatch &match,
             const DenseMap<Value, int64_t> &others);

/// The constants that become parameters of the function.
SmallVector<ProductOffset> getProductOffsets(const ProductClass &products);

/// Adds products to those whose function they can call. Returns whether it has few
/// enough parameters.
bool addMembers(ProductClass &products, ArrayRef<Product> members);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_OUTLINEKERNELS_PRODUCTCLASSES_H
