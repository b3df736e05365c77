//===- Drivers.h - What drivers for SPIR-V make necessary -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Passes and patterns that exist for the habits of one driver, which Driver.h names.
// The pipeline of the family adds the passes; nothing else asks for the driver.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_FAMILIES_SPIRV_DRIVERS_DRIVERS_H
#define TINYTC_LIB_FAMILIES_SPIRV_DRIVERS_DRIVERS_H

#include "dialect/TinyTC.h"

#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

namespace mlir::tinytc {

/// How a driver wants ops of the gpu stage, before the patterns for all drivers:
/// prefetches, opaque indices, multiply-adds, minima, addresses.
void populateDriverPatterns(const SPIRVTypeConverter &converter,
                            RewritePatternSet &patterns, TargetAttr target);

/// Finds how much an index grows from one lane to the next.
class LaneStrides {
public:
  /// None if it is not a constant.
  std::optional<int64_t> find(Value index);

private:
  std::optional<int64_t> findOfLoop(Value variable, ArrayRef<Value> values);
  std::optional<int64_t> findResult(Operation *op);
  static std::optional<int64_t> findOfArithmetic(Operation *op,
                                                 std::optional<int64_t> left,
                                                 std::optional<int64_t> right);

  DenseMap<Value, std::optional<int64_t>> known;
  /// Variables of loops that do not grow alike in all iterations.
  DenseSet<Value> varying;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_SPIRV_DRIVERS_DRIVERS_H
