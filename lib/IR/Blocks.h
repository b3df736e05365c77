//===- Blocks.h - The elements of a memref that a view has ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Views of views composed, to decide whether operands of an instruction overlap.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_IR_BLOCKS_H
#define TINYTC_LIB_IR_BLOCKS_H

#include "dialect/TinyTC.h"

#include <optional>

namespace mlir::tinytc {

/// The elements of a block in one mode of the memref that it is of: `size` ones from
/// the sum of `values` and `constant` on.
struct BlockMode {
  SmallVector<Value, 1> values;
  int64_t constant = 0;
  /// Null for all of a dynamic mode.
  OpFoldResult size;

  bool isAtStart() const { return values.empty() && constant == 0; }
  bool beginsWith(const BlockMode &other) const {
    return values == other.values && constant == other.constant;
  }
};

/// The elements of a view.
struct MemrefBlock {
  SmallVector<BlockMode> modes;
  /// Whether the view has all of these elements; otherwise it has some of them.
  bool isExact = true;
};

/// The memref that a view is made of, null for what is not a view.
Value getViewSource(Value memref);

/// The memref at the beginning of a chain of views.
Value getViewRoot(Value memref);

/// The last memref that two chains of views have in common, null if there is none.
Value getCommonSource(Value a, Value b);

/// The block of a memref that a view has. \param source a memref in its chain of views.
MemrefBlock getBlock(Value view, Value source);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_IR_BLOCKS_H
