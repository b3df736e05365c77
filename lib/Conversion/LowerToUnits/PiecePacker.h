//===- PiecePacker.h - Pieces of factors of unknown sizes -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_PIECEPACKER_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_PIECEPACKER_H

#include "lib/Conversion/LowerToUnits/ProductTiles.h"

namespace mlir::tinytc {

/// The values with which work-items store pieces.
struct Packing {
  /// Work-items of a subgroup and the number of this one, and the same of subgroups.
  int64_t lanes;
  Value lane;
  int64_t numSubgroups;
  Value subgroup;
  /// Elements of a piece.
  int64_t depth;
  /// The local memory.
  Value memory;
};

/// A part of a factor that is packed.
struct PackedPart {
  /// The place of the first piece, and the lines that there is room for.
  int64_t place, numLines;
  /// The first line, the first step, the number of steps and of those that do not go
  /// beyond the end.
  Value line, step, count, numFull;
};

/// Packs a factor whose sizes are only known at run time: line by line, so that few
/// integers of 64 bits are multiplied, and only the lines that there are.
class PiecePacker {
public:
  /// Lines are the rows of A, or the columns of B.
  PiecePacker(ImplicitLocOpBuilder &builder, const ProductOperand &factor,
              bool linesAreRows, const Packing &packing);

  /// Packs a part; all work-items do.
  void pack(const PackedPart &part);

private:
  /// Packs the pieces of a block of lines for a step.
  void packPiece(const PackedPart &part, Value block, Value line, Value step,
                 bool isEnd);
  /// Moves the builder into a loop.
  scf::ForOp enterLoop(Value lower, Value upper, int64_t step);

  /// Loads the elements from `k` on of a line for each lane, `line` for the first one.
  /// Lanes beyond the last line repeat it; beyond the summed mode, elements are zero.
  SmallVector<Value> loadLine(Value line, Value k, bool isEnd);

  /// For each lane, its part of the lines from `line` on. At the end of either mode,
  /// elements beyond it are those of the last line, or zero.
  SmallVector<Value> loadLines(Value line, Value k, bool isEnd);

  /// Elements that a work-item has of each of several lines.
  int64_t getLength() const { return packing.depth / packing.lanes; }

  /// The index of an element in memory.
  Value getPlace(Value line, Value k);
  Value load(Value place);
  /// The element there if the condition holds, else zero. It is loaded in any case.
  Value loadIf(Value condition, Value place);

  /// The indices from `index` to the end of a mode, of which only some matter.
  Value countRest(Value index, OpFoldResult size, int64_t atMost);
  /// Whether an index is below such a number.
  Value isWithin(int64_t index, Value rest);
  /// The next place, or the same one if it would not be inside.
  Value advance(Value place, OpFoldResult stride, Value isInside);
  /// So many places from the first one on; no further than `rest`, if it is given.
  SmallVector<Value> walk(Value place, OpFoldResult stride, int64_t count, Value rest);

  ImplicitLocOpBuilder &builder;
  bool linesAreRows;
  Packing packing;
  MatrixMemory memory;
  OpFoldResult lineStride, stepStride, numLines, numSteps;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_PIECEPACKER_H
