//===- CoopMatrixLimits.cpp - What kernels write out of coopmatrices ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A kernel of many instructions on coopmatrices is more than a driver compiles in a few
// seconds, though each of them is small: all are loops there.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LowerToUnits/Patterns.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Ops of an atomic access: a loop over the lanes, and one until no other work-item
/// interferes.
static constexpr int64_t kAtomicOps = 8;

namespace {

/// Estimates the registers that instructions compute if they are written out.
class WrittenOut {
public:
  WrittenOut(int32_t subgroupSize, const Machine &machine)
      : subgroupSize(subgroupSize), registerBytes(machine.registerBytes) {}

  int64_t count(Operation *op) const {
    if (auto product = dyn_cast<CooperativeMatrixMulAddOp>(op))
      return count(product);
    int64_t components = 0;
    for (Type type : op->getOperandTypes())
      components = std::max(components, count(type));
    for (Type type : op->getResultTypes())
      components = std::max(components, count(type));
    int64_t ops = isa<AtomicOpInterface>(op) ? kAtomicOps : 1;
    if (auto apply = dyn_cast<CooperativeMatrixApplyOp>(op)) {
      ops = 0;
      apply.getBody().walk(
          [&](Operation *nested) { ops += std::max<int64_t>(count(nested), 1); });
    }
    return components * ops;
  }

private:
  int64_t count(CooperativeMatrixMulAddOp op) const {
    int64_t a = count(op.getA().getType()), b = count(op.getB().getType()),
            c = count(op.getC().getType());
    int64_t depth = op.getB().getType().getRows();
    return std::min(c * depth, CoopMatrixLimits().multiplyAdds) + a + b + 2 * c;
  }

  /// The registers of a matrix.
  int64_t count(Type type) const {
    auto matrix = dyn_cast<CoopMatrixType>(type);
    if (!matrix)
      return 0;
    int64_t bytes = std::max<int64_t>(getSizeBytes(matrix.getElementType()), 4);
    return CoopMatrixLayout(matrix, subgroupSize).getNumComponents() *
           llvm::divideCeil(bytes * subgroupSize, registerBytes);
  }

  int64_t subgroupSize, registerBytes;
};

} // namespace

CoopMatrixLimits tinytc::chooseCoopMatrixLimits(FuncOp func, const Machine &machine) {
  if (machine.code.maxWrittenOut == 0)
    return {};
  WrittenOut writtenOut(*func.getSubgroupSize(), machine);
  int64_t registers = 0;
  func.walk([&](Operation *op) { registers += writtenOut.count(op); });
  if (registers <= machine.code.maxWrittenOut)
    return {};
  return {/*components=*/4, /*appliedOps=*/32, /*multiplyAdds=*/32,
          /*keepsArrays=*/true};
}
