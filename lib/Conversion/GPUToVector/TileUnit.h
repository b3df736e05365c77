//===- TileUnit.h - Instructions that multiply tiles ------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// C is computed as its transpose, B^T A^T: the first operand of an instruction has
// columns of B, the second one rows of A, and a tile of sums a row for each column of
// C.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_TILEUNIT_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_TILEUNIT_H

#include "dialect/TinyTC.h"
#include "lib/Target/MatrixUnit.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>

namespace mlir::tinytc {

/// How a unit computes a product. A tile is the number of a register, or some vectors.
class TileUnit {
public:
  using Tile = SmallVector<Value>;

  TileUnit(ImplicitLocOpBuilder &builder, TileProductOp op)
      : builder(builder), op(op) {}
  virtual ~TileUnit() = default;

  /// Whether tiles are values, which loops carry; otherwise registers.
  virtual bool hasValues() const = 0;

  /// Sums of the tile of these numbers of a row and a column, 0 or those of C.
  virtual Tile createZeros(int64_t row, int64_t column) = 0;
  virtual Tile loadSums(int64_t row, int64_t column, Value pointer, Value stride) = 0;
  /// Words of columns of B and of rows of A, whose columns and steps are `stride` bytes
  /// apart.
  virtual Tile loadFirst(int64_t column, Value pointer, Value stride) = 0;
  virtual Tile loadSecond(int64_t row, Value pointer, Value stride) = 0;
  virtual Tile multiply(Tile sums, const Tile &first, const Tile &second) = 0;
  virtual void storeSums(const Tile &sums, Value pointer, Value stride) = 0;

protected:
  ImplicitLocOpBuilder &builder;
  TileProductOp op;
};

std::unique_ptr<TileUnit> createAmxUnit(ImplicitLocOpBuilder &builder,
                                        TileProductOp op);
std::unique_ptr<TileUnit> createMatrixUnit(ImplicitLocOpBuilder &builder,
                                           TileProductOp op);

/// The tile of all products of a kernel on registers that are configured, null if it
/// has none. Emits an error if there are several.
FailureOr<DenseI64ArrayAttr> findConfiguredTile(gpu::GPUFuncOp kernel,
                                                const TileRegisters &tiles);
/// Gives the registers of AMX their shapes, for the rest of the function.
void configureTiles(ImplicitLocOpBuilder &builder, gpu::GPUFuncOp kernel,
                    DenseI64ArrayAttr tile);
void releaseTiles(ImplicitLocOpBuilder &builder);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_TILEUNIT_H
