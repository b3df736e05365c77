//===- WordPacker.h - Neighbouring numbers in words -------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The work-items pack both factors into words of local memory, which hold neighbours
// along the summed mode. Where these are adjacent in memory, a copy is packed already;
// where they lie across, work-items put words together.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_WORDPACKER_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_WORDPACKER_H

#include "lib/Analysis/DotProduct.h"
#include "lib/Builders/ElementUpdates.h"

namespace mlir::tinytc {

/// Packs the factors of a product.
class WordPacker {
public:
  WordPacker(ImplicitLocOpBuilder &builder, GemmOp op, const DotProduct &product);

  /// A matrix in local memory, whose columns are `stride` elements apart.
  Value view(LocalRange range, Type element, ArrayRef<int64_t> shape, int64_t stride);
  Value view(LocalRange range, Type element, ArrayRef<int64_t> shape,
             ArrayRef<int64_t> strides);

  /// Where words of rows of A and steps go, and of steps and columns of B, or of
  /// columns and steps if they stay as they are packed.
  Value viewA();
  Value viewB();
  void packA(Value a, Value words);
  void packB(Value b, Value words);

private:
  /// A number as words hold it, in `type`.
  Value toBits(ImplicitLocOpBuilder &b, Value number, Type type);
  Value constant(ImplicitLocOpBuilder &b, Type type, int64_t value);
  void copyLines(Value matrix, LocalRange range, int64_t lines, int64_t stride,
                 bool isBiased);
  void transpose(Value from, Value to);
  void packAcross(Value matrix, Value words, int64_t lines, bool isBiased);
  void packWord(Value matrix, Value words, ValueRange at, int64_t count, bool isBiased);
  void clear(Value matrix, unsigned mode, int64_t from);
  /// Runs `body` at each place of a matrix, by the work-items.
  void forEach(ArrayRef<int64_t> shape, function_ref<void(ValueRange)> body);

  ImplicitLocOpBuilder &builder;
  GemmOp op;
  DotProduct product;
  Type i32, packedType;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_WORDPACKER_H
