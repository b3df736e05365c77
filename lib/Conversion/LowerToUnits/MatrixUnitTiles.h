//===- MatrixUnitTiles.h - Tiles of C on the matrix unit --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_MATRIXUNITTILES_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_MATRIXUNITTILES_H

#include "lib/Conversion/LowerToUnits/MatrixUnit.h"
#include "lib/Conversion/LowerToUnits/ProductTiles.h"

namespace mlir::tinytc {

/// The base of all ways of feeding the matrix unit: a work-item has a row of C
/// for each block of rows of its subgroup's tile.
class MatrixUnitTiles : protected ProductTiles {
public:
  MatrixUnitTiles(ImplicitLocOpBuilder &builder, const ProductOperand &a,
                  const ProductOperand &b, const Update &update, const Machine &machine,
                  int64_t numSubgroups);

protected:
  /// The sums of a tile before the first step.
  SmallVector<Value> createSums();

  /// Calls `emit` for every `depth`-th index; it updates the sums.
  void emitSteps(Value lower, Value upper, MutableArrayRef<Value> sums,
                 function_ref<void(Value)> emit);

  Value clampIfNeeded(Value index, OpFoldResult size, int64_t tile) {
    return mayOverhang(size, tile) ? clamp(index, size).index : index;
  }

  /// The layouts of one step.
  CoopMatrixProduct getProduct() const;

  /// Stores the elements of a tile that are inside of C. Rows are not checked if C has
  /// a multiple of `checkedRows` rows, nor columns if it has one of `checkedColumns`.
  void store(Value row, Value column, int64_t checkedRows, int64_t checkedColumns,
             ArrayRef<Value> sums);

  int64_t lanes;
  Type type, sumType;
  int64_t depth;
  MatrixUnitTile tile;
  Value lane;
};

/// The product `op` by factors that the work-group first packs into local memory.
void emitPackedGemm(ImplicitLocOpBuilder &builder, GemmOp op, const ProductOperand &a,
                    const ProductOperand &b, const Update &update,
                    const Strategy &strategy, const Machine &machine,
                    int64_t numSubgroups);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_MATRIXUNITTILES_H
