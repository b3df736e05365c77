//===- SharedOperand.h - Elements that all rows of a tile share -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The factor of a product that the rows of a tile share is loaded by the lanes of the
// subgroup, each of which holds other elements of a block; they reach the multiply-adds
// by broadcasts from constant lanes. Where those are operands of instructions at no
// cost, a block takes a few loads instead of one for each element
// (docs/decisions/intel-registers.md).
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_SHAREDOPERAND_H
#define TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_SHAREDOPERAND_H

#include "lib/Conversion/DistributeLinalg/WorkGroup.h"
#include "lib/Target/LaneLayout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::tinytc {

/// The input of a reduction that the rows of a tile share, in registers.
class SharedOperand {
public:
  /// The input `input` of `op`.
  SharedOperand(ImplicitLocOpBuilder &builder, linalg::GenericOp op, unsigned input,
                const WorkGroup &group);

  unsigned getInput() const { return input; }

  /// Loads what `steps` steps of the sum from `first` on need for these columns.
  void load(ImplicitLocOpBuilder &builder, Value first, int64_t steps,
            ArrayRef<TileColumn> columns);

  /// Clones the body of the reduction for a loaded step and column, by their numbers,
  /// and for the other inputs and the sum so far; the entry of `others` for this input
  /// is ignored. Returns the new sum.
  Value cloneBody(ImplicitLocOpBuilder &builder, int64_t step, int64_t column,
                  ValueRange others);

private:
  /// The element of a loaded step and column, which is converted where elements have
  /// fewer than 32 bits.
  Value getWord(ImplicitLocOpBuilder &builder, int64_t step, int64_t column);
  /// Whether a block of full lines is contiguous.
  bool isContiguous(int64_t inner) const;
  /// Where the lanes' elements of a load start in the block: along and across lines.
  std::pair<Value, Value> getStart(ImplicitLocOpBuilder &builder, int64_t load) const;

  linalg::GenericOp op;
  unsigned input;
  /// Whether its first mode is the summed one.
  bool isAlongSum;
  Value lane;
  int64_t lanes;
  std::optional<LaneLayout> layout;
  /// Whether the lines of the block follow each other without gaps: they are one line.
  bool isOneLine = false;
  int64_t lineSize = 0;
  /// The components of the loads: words of at least 32 bits, converted once.
  SmallVector<Value> held;
  /// Elements that have been broadcast, by step and column.
  llvm::DenseMap<std::pair<int64_t, int64_t>, Value> elements;
};

/// Carries `sums` through a loop over [0, length) in blocks of `steps` steps, the last
/// of which may have fewer. `emitBlock` updates them, given the first step and the
/// number of steps.
void emitBlockedSumLoop(
    ImplicitLocOpBuilder &builder, const WorkGroup &group, OpFoldResult length,
    int64_t steps, SmallVectorImpl<Value> &sums,
    function_ref<void(ImplicitLocOpBuilder &, Value, int64_t)> emitBlock);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_SHAREDOPERAND_H
