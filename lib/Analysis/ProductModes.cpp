//===- ProductModes.cpp - Modes of the same size --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/ProductModes.h"

using namespace mlir;
using namespace mlir::tinytc;

SmallVector<EqualModes> tinytc::getEqualModes(BlasOpInterface op) {
  SmallVector<EqualModes> result;
  SmallVector<OperandMode> references;
  OpOperand &dest = op.getDestinationMutable();
  for (int64_t mode = 0; mode < op.getDestination().getType().getOrder(); ++mode)
    references.push_back({&dest, mode});
  for (const BlasFactor &factor : op.getFactors()) {
    for (auto [mode, productMode] : llvm::enumerate(factor.modes)) {
      OperandMode own{factor.operand, int64_t(mode)};
      if (productMode < references.size())
        result.push_back({own, references[productMode]});
      else
        references.push_back(own);
    }
  }
  return result;
}
