//===- Work.h - Operations and traffic of a kernel --------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_WORK_H
#define TINYTC_LIB_ANALYSIS_WORK_H

#include "dialect/TinyTC.h"

#include <optional>

namespace mlir::tinytc {

/// A kernel's work for one group. A number is missing if it depends on sizes or
/// scalars of a launch, on conditions, or on how many work-items there are.
struct Work {
  /// Floating-point operations: two for each multiply-add of instructions with two
  /// factors and of products of coopmatrices, and those of scalar instructions in
  /// `foreach`. Scaling by alpha and beta is not counted.
  std::optional<int64_t> flops;

  /// Bytes of global memory that are read and written: each view that collective
  /// instructions read or write once for either, each element that `foreach` does.
  std::optional<int64_t> bytes;
};

Work getWork(FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_WORK_H
