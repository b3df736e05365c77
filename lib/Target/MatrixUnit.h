//===- MatrixUnit.h - What a unit for products does ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_TARGET_MATRIXUNIT_H
#define TINYTC_LIB_TARGET_MATRIXUNIT_H

#include <cstdint>

namespace mlir::tinytc {

/// A unit that multiplies matrices for subgroups.
struct MatrixUnit {
  /// The subgroup size that the unit multiplies for; 0: there is none.
  int32_t lanes = 0;
  /// Columns of the largest tile of a subgroup on that unit.
  int64_t columns = 0;
  /// Whether that unit multiplies numbers of f32 whose last 13 bits it ignores.
  bool multipliesTF32 = false;
  /// Whether a message can read a block of a matrix (docs/decisions/matrix-units.md).
  bool readsBlocks = false;
  /// Bytes of local memory from which the unit gets factors, in the order that it
  /// takes; 0: it does not.
  int64_t packedFactorBytes = 0;
  /// Whether the unit is a tensor core: it takes the fragments of a warp
  /// (docs/decisions/tensor-cores.md), not the elements that work-items hold of
  /// coopmatrices.
  bool isTensorCore = false;
  /// Multiply-adds of such a unit in the time of one without it: of numbers of 16 bits,
  /// of bytes, and of f64; 0: there are none.
  double halfSpeed = 0, byteSpeed = 0, doubleSpeed = 0;
  /// Whether it multiplies whole fragments of f64 at once.
  bool multipliesDoubleFragments = false;
  /// Multiply-adds of f64 of a core in a cycle without that unit.
  double doubleFmasPerCycle = 0;
};

/// Rows and columns of C, and words of each of them, that one instruction multiplies.
struct TileShape {
  int64_t rows, columns, words;
};

/// Registers that hold tiles and multiply those of i8 and of bf16: of AMX, or vector
/// registers with the matrix instructions of AArch64, BFMMLA and SMMLA.
struct TileRegisters {
  enum Unit { None, AMX, MMLA } unit = None;
  /// The largest tile, and what the sizes of tiles are multiples of.
  TileShape most = {16, 16, 16}, step = {1, 1, 1};
  /// Whether a kernel has one tile, for which registers are configured.
  bool areConfigured = true;
  /// The fewest steps and columns, and multiply-adds of each type, of a product that is
  /// faster on them than by other instructions.
  int64_t minSummed = 16, minColumns = 4;
  int64_t minOfBF16 = 3600, minOfI8 = 16 * 1024;

  bool areThere() const { return unit != None; }
  bool fits(TileShape tile) const {
    auto isSize = [](int64_t size, int64_t most, int64_t step) {
      return 0 < size && size <= most && size % step == 0;
    };
    return isSize(tile.rows, most.rows, step.rows) &&
           isSize(tile.columns, most.columns, step.columns) &&
           isSize(tile.words, most.words, step.words);
  }
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_MATRIXUNIT_H
