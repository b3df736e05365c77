//===- Schedule.h - How work is tiled over work-items -----------*- C++ -*-===//
//
// The schedule as data, apart from the rewrite that applies it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_LINALGTOGPU_SCHEDULE_H
#define TINYTC_LIB_CONVERSION_LINALGTOGPU_SCHEDULE_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// The tile of the destination that one work-item keeps in registers.
struct ReductionSchedule {
  /// Rows, one work-group width apart from each other.
  int64_t rowsPerItem;
  /// Adjacent columns.
  int64_t columnsPerItem;
};

/// Chooses the tile of an M x N destination with elements of `type` (N = 1 for
/// vectors; sizes may be dynamic). `width` is the number of work-items along the rows.
ReductionSchedule chooseReductionSchedule(TargetAttr target, int64_t rows,
                                          int64_t columns, int64_t width, Type type);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LINALGTOGPU_SCHEDULE_H
