//===- CoopMatrixLayout.cpp - Which work-item holds a component -----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/CoopMatrixLayout.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The rows of a block: the matrix's, or those that the subgroup has lanes for.
static int64_t getBlockRows(int64_t rows, int64_t subgroupSize) {
  if (rows >= subgroupSize)
    return subgroupSize;
  int64_t power = llvm::bit_ceil<uint64_t>(rows);
  return subgroupSize % power == 0 ? power : subgroupSize;
}

/// The row blocks that alternate in a work-item's vector: those of small components of
/// a matrix_b, so that two of them fill 16 bits.
static int64_t getInterleaved(CoopMatrixType type, int64_t rowBlocks) {
  constexpr int64_t bytes = 2;
  int64_t count = bytes / getSizeBytes(type.getElementType());
  bool isInterleaved =
      type.getUse() == MatrixUse::B && count > 1 && rowBlocks % count == 0;
  return isInterleaved ? count : 1;
}

CoopMatrixLayout::CoopMatrixLayout(CoopMatrixType type, int32_t subgroupSize)
    : type(type), subgroupSize(subgroupSize),
      blockRows(getBlockRows(type.getRows(), subgroupSize)),
      sideBySide(subgroupSize / blockRows),
      rowBlocks(llvm::divideCeil(type.getRows(), blockRows)),
      steps(llvm::divideCeil(type.getColumns(), sideBySide)),
      interleaved(getInterleaved(type, rowBlocks)) {}

int64_t CoopMatrixLayout::getPosition(int64_t block, int64_t step) const {
  return block % interleaved + interleaved * (step + steps * (block / interleaved));
}

int64_t CoopMatrixLayout::getBlock(int64_t position) const {
  return position % interleaved + position / (interleaved * steps) * interleaved;
}

int64_t CoopMatrixLayout::getStep(int64_t position) const {
  return position / interleaved % steps;
}
