//===- IntelCostModel.h - Costs of GPUs of Intel ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_SPIRV_INTELCOSTMODEL_H
#define TINYTC_LIB_FAMILIES_SPIRV_INTELCOSTMODEL_H

#include "lib/Target/CostModel.h"

namespace mlir::tinytc {

/// An instruction takes an element of one lane for all lanes: lanes load the elements
/// that all rows of a product share for each other.
struct SharedCosts {
  /// Instructions of a load or store without its addresses, and those of a block of
  /// steps besides loads and multiply-adds.
  double messageCycles = 1, blockCycles = 0;
  /// The most multiply-adds and loads that are written out, and the most steps of a
  /// block where their number is unknown.
  int64_t maxUnrolledProducts = 1, maxUnrolledLoads = 1, maxDynamicSharedSteps = 1;
  /// Registers that drivers fill for all iterations of a loop around a product whose
  /// shared elements go through registers.
  int64_t loopRegisters = 0;
};

class IntelCostModel final : public CostModel {
public:
  explicit IntelCostModel(SharedCosts costs) : costs(costs) {}

  std::unique_ptr<ReductionCost> estimate(const Machine &machine,
                                          const ReductionSizes &sizes,
                                          int64_t width) const override;
  int64_t chooseUnroll(const Machine &machine, const ReductionSizes &sizes,
                       int64_t width, int64_t tileRows,
                       int64_t tileColumns) const override;

private:
  SharedCosts costs;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_SPIRV_INTELCOSTMODEL_H
