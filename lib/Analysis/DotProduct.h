//===- DotProduct.h - Products of packed factors ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Processors add products of neighbouring numbers up, those in the 32 bits of a word of
// each factor, by one instruction, of vectors or of tiles. Neighbours along the summed
// mode are packed into words first.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_DOTPRODUCT_H
#define TINYTC_LIB_ANALYSIS_DOTPRODUCT_H

#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/Strategy.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// The tile of a strategy.
inline TileShape getTileShape(const Strategy &strategy) {
  return {strategy.rows, strategy.columns, strategy.unroll};
}

/// A product of static size whose packed factors are in local memory.
struct DotProduct {
  /// What the words of B and A hold. Unsigned bytes are those of B, 128 larger than its
  /// own: 128 times the sums of A's rows are subtracted.
  PackedNumbers numbers;
  int64_t rows, columns, summed;
  /// Whether neighbours along the summed mode are adjacent in memory.
  bool isAlongA, isAlongB;
  /// The tile that packed factors are filled up to, with zeros. All columns of B then
  /// have their words one after the other, from the start of a line of the cache on.
  std::optional<TileShape> tile = std::nullopt;
  /// Whether tiles of sums are in local memory before C is updated; otherwise, whether
  /// they begin with C.
  bool hasSumsOfTiles = false, accumulates = false;

  /// The product by the instructions of a machine, if it has any for its types.
  static std::optional<DotProduct> match(GemmOp op, const Machine &machine);

  /// The product on tile registers, if a machine has any for its types.
  static std::optional<DotProduct> matchTiles(GemmOp op, const Machine &machine);
  /// The same with a tile.
  static std::optional<DotProduct> matchTiles(GemmOp op, const Machine &machine,
                                              TileShape tile);

  int64_t getDepth() const { return PackedMulAddOp::getDepth(numbers); }
  /// Words of a row of A and of a column of B.
  int64_t getSteps() const;
  /// Words from one step of A to the next; they begin at a line.
  int64_t getStride() const;
  /// Words from one column of B to the next where they have theirs one after the other.
  int64_t getColumnStride() const;
  /// Rows of A and columns of B that are packed.
  int64_t getPackedRows() const;
  int64_t getPackedColumns() const;

  /// Where the words of A and of B are, both as they are read if their words are
  /// transposed then, the sums of A's rows, and those of tiles.
  LocalRange getA() const;
  LocalRange getB() const;
  LocalRange getReadA() const;
  LocalRange getReadB() const;
  LocalRange getSums() const;
  LocalRange getSumsOfTiles() const;
  int64_t getBytes() const;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_DOTPRODUCT_H
