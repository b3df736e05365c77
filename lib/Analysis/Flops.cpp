//===- Flops.cpp - Floating-point operations of a kernel ------------------===//

#include "lib/Analysis/Flops.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Real multiplications, and as many additions, of a multiply-add of complex numbers.
static constexpr int64_t kComplexFactor = 4;

/// The operations of one instruction; nothing if a size is dynamic.
static std::optional<int64_t> countFlops(BlasOpInterface op) {
  bool isComplex = isa<ComplexType>(getScalarType(op.getDestination().getType()));
  int64_t flops = isComplex ? 2 * kComplexFactor : 2;
  for (int64_t size : op.getProductShape())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(flops, size, flops))
      return std::nullopt;
  return flops;
}

std::optional<int64_t> tinytc::countFlops(FuncOp func) {
  int64_t total = 0;
  WalkResult result = func.walk([&](BlasOpInterface op) {
    if (op.getFactors().size() != 2)
      return WalkResult::advance();
    std::optional<int64_t> flops =
        op->getParentOp() == func ? ::countFlops(op) : std::nullopt;
    if (!flops || llvm::AddOverflow(total, *flops, total))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? std::nullopt : std::optional(total);
}
