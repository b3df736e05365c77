//===- NvidiaCostModel.h - Costs of GPUs of NVIDIA --------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_NVIDIA_NVIDIACOSTMODEL_H
#define TINYTC_LIB_FAMILIES_NVIDIA_NVIDIACOSTMODEL_H

#include "lib/Target/CostModel.h"

namespace mlir::tinytc {

/// Work-items are a grid over the destination, and each loads adjacent elements of both
/// factors for its tile.
class NvidiaCostModel final : public CostModel {
public:
  std::unique_ptr<ReductionCost> estimate(const Machine &machine,
                                          const ReductionSizes &sizes,
                                          int64_t width) const override;
  bool choosesGrids() const override;
  int64_t orTypical(int64_t size) const override;
  int64_t chooseUnroll(const Machine &machine, const ReductionSizes &sizes,
                       int64_t width, int64_t tileRows,
                       int64_t tileColumns) const override;
  double getTransposition(const Machine &machine, double elements, int64_t bytes,
                          int64_t width, int64_t columnShares) const override;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_NVIDIA_NVIDIACOSTMODEL_H
