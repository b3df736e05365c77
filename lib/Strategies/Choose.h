//===- Choose.h - Choosers of strategies ------------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// One chooser for each kind of op. All of them ask the machine of the target and the
// cost model. No pass after tinytc-choose-strategies chooses how an op is computed.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_STRATEGIES_CHOOSE_H
#define TINYTC_LIB_STRATEGIES_CHOOSE_H

#include "lib/Analysis/Reduction.h"
#include "lib/Analysis/Strategy.h"
#include "lib/Target/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tinytc {

/// The launch that strategies depend on besides the op.
struct Launch {
  TargetAttr target;
  const Machine &machine;
  /// Work-items of a work-group along its two dimensions, and those of a subgroup.
  int64_t width, height;
  int32_t subgroupSize;
  /// Entries that the program overrules; may be null.
  ScheduleAttr schedule;

  int64_t getNumSubgroups() const { return width / subgroupSize * height; }
};

/// The strategy of a product on a matrix unit or on tensor cores, or of one whose
/// factors are copied first; none for others, which become linalg ops.
std::optional<Strategy> chooseStrategy(GemmOp op, const Launch &launch);
Strategy chooseStrategy(CooperativeMatrixMulAddOp op, const Launch &launch);
/// That of a load whose components only products on the matrix unit see.
std::optional<Strategy> chooseStrategy(CooperativeMatrixLoadOp op,
                                       const Launch &launch);
Strategy chooseStrategy(CumsumOp op, const Launch &launch);

/// The same at the linalg stage: of a sum, none if nothing uses it; of an element-wise
/// op and of a parallel loop.
std::optional<Strategy> chooseStrategy(const Reduction &reduction,
                                       const Launch &launch);
Strategy chooseStrategy(linalg::GenericOp op, const Launch &launch);
Strategy chooseStrategy(scf::ForallOp op, const Launch &launch);

/// That of an instruction on Tile IR.
Strategy chooseTileStrategy(BlasOpInterface op);

/// The launch of a kernel for its strategies, at the linalg stage; none if it has no
/// sizes yet.
std::optional<Launch> getLaunch(func::FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_STRATEGIES_CHOOSE_H
