//===- DotProduct.h - Products of packed factors ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Processors add products of neighbouring numbers up, those in the 32 bits of a word of
// each factor, by one instruction. Neighbours along the summed mode are packed into
// words first.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_DOTPRODUCT_H
#define TINYTC_LIB_ANALYSIS_DOTPRODUCT_H

#include "lib/Analysis/LocalMemory.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// A product of static size whose packed factors are in local memory.
struct DotProduct {
  /// What the words of B and A hold. Unsigned bytes are those of B, 128 larger than its
  /// own: 128 times the sums of A's rows are subtracted.
  PackedNumbers numbers;
  int64_t rows, columns, summed;
  /// Whether neighbours along the summed mode are adjacent in memory.
  bool isAlongA, isAlongB;

  /// The product by the instructions of a machine, if it has any for its types.
  static std::optional<DotProduct> match(GemmOp op, const Machine &machine);

  int64_t getDepth() const { return PackedMulAddOp::getDepth(numbers); }
  /// Words of a row of A and of a column of B.
  int64_t getSteps() const;
  /// Words from one step of A to the next; they begin at a line.
  int64_t getStride() const;

  /// Where the words of A and of B are, A's rows as they are read if its words are
  /// transposed then, and the sums of its rows.
  LocalRange getA() const;
  LocalRange getB() const;
  LocalRange getReadA() const;
  LocalRange getSums() const;
  int64_t getBytes() const;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_DOTPRODUCT_H
