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

/// Registers that hold tiles, 16 rows of 64 bytes, and multiply those of i8 and of
/// bf16.
struct TileRegisters {
  bool areThere = false;
  /// The fewest steps and columns, and multiply-adds of each type, of a product that is
  /// faster on them than by other instructions.
  int64_t minSummed = 16, minColumns = 4;
  int64_t minOfBF16 = 3600, minOfI8 = 16 * 1024;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_MATRIXUNIT_H
