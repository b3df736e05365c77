//===- AmxTiles.cpp - Tile registers of x86-64 ----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// AMX, with registers that are chosen here: LLVM's allocator spills tiles, divides the
// registers among the shapes of a function, and configures them again after each call.
// A function of a kernel configures them once.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Outlining.h"
#include "lib/Conversion/GPUToVector/TileUnit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <array>

using namespace mlir;
using namespace mlir::tinytc;

/// The registers of sums, of which a column of tiles has two, then those of the first
/// operand, of the second one.
static constexpr int64_t kSums = 0, kFirst = 4, kSecond = 6;
/// What global memory with shapes of tiles is called; the loader knows it, too.
static constexpr llvm::StringLiteral kShapesName = "__tinytc_tile_shapes";

static void callAmx(ImplicitLocOpBuilder &builder, StringRef name,
                    ValueRange operands) {
  LLVM::CallIntrinsicOp::create(
      builder, builder.getStringAttr(("llvm.x86." + name).str()), operands);
}

FailureOr<DenseI64ArrayAttr> tinytc::findConfiguredTile(gpu::GPUFuncOp kernel,
                                                        const TileRegisters &tiles) {
  DenseI64ArrayAttr tile;
  if (!tiles.areConfigured)
    return tile;
  WalkResult result = kernel.walk([&](TileProductOp op) -> WalkResult {
    if (!tile)
      tile = op.getTileAttr();
    if (op.getTileAttr() == tile)
      return WalkResult::advance();
    return op.emitOpError("expected the tile [")
           << tile.asArrayRef() << "] of the kernel's first product, got ["
           << op.getTile() << "]";
  });
  if (result.wasInterrupted())
    return failure();
  return tile;
}

/// The operand of ldtilecfg.
static std::array<int8_t, 64> getShapes(ArrayRef<int64_t> tile) {
  static constexpr size_t kRowBytes = 16, kRows = 48;
  static constexpr int64_t kWordBytes = 4;
  std::array<int8_t, 64> shapes = {1};
  auto set = [&](int64_t first, int64_t count, int64_t rows, int64_t words) {
    for (int64_t i = first; i < first + count; ++i) {
      shapes[kRowBytes + 2 * i] = int8_t(kWordBytes * words);
      shapes[kRows + i] = int8_t(rows);
    }
  };
  set(kSums, 4, tile[1], tile[0]);
  set(kFirst, 2, tile[1], tile[2]);
  set(kSecond, 2, tile[2], tile[0]);
  return shapes;
}

void tinytc::configureTiles(ImplicitLocOpBuilder &builder, gpu::GPUFuncOp kernel,
                            DenseI64ArrayAttr tile) {
  auto kernels = kernel->getParentOfType<gpu::GPUModuleOp>();
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 64);
  auto values = DenseElementsAttr::get(RankedTensorType::get({64}, builder.getI8Type()),
                                       ArrayRef<int8_t>(getShapes(tile)));
  LLVM::GlobalOp shapes;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(kernels.getBody());
    shapes = LLVM::GlobalOp::create(builder, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal,
                                    createUniqueName(kernels, kShapesName), values,
                                    /*alignment=*/64);
  }
  callAmx(builder, "ldtilecfg", LLVM::AddressOfOp::create(builder, shapes).getResult());
}

void tinytc::releaseTiles(ImplicitLocOpBuilder &builder) {
  callAmx(builder, "tilerelease", {});
}

namespace {

/// Tiles are numbers of registers.
class AmxUnit final : public TileUnit {
public:
  using TileUnit::TileUnit;

  bool hasValues() const override { return false; }

  Tile createZeros(int64_t row, int64_t column) override {
    Value sums = number(kSums + 2 * column + row);
    callAmx(builder, "tilezero", sums);
    return {sums};
  }

  Tile loadSums(int64_t row, int64_t column, Value pointer, Value stride) override {
    return load(kSums + 2 * column + row, pointer, stride);
  }

  Tile loadFirst(int64_t column, Value pointer, Value stride) override {
    return load(kFirst + column, pointer, stride);
  }

  Tile loadSecond(int64_t row, Value pointer, Value stride) override {
    return load(kSecond + row, pointer, stride);
  }

  Tile multiply(Tile sums, const Tile &first, const Tile &second) override {
    bool isBF16 = op.getNumbers() == PackedNumbers::BF16;
    callAmx(builder, isBF16 ? "tdpbf16ps" : "tdpbssd",
            {sums.front(), first.front(), second.front()});
    return sums;
  }

  void storeSums(const Tile &sums, Value pointer, Value stride) override {
    callAmx(builder, "tilestored64", {sums.front(), pointer, stride});
  }

private:
  Value number(int64_t tile) {
    return arith::ConstantOp::create(builder, builder.getI8IntegerAttr(int8_t(tile)));
  }

  Tile load(int64_t tile, Value pointer, Value stride) {
    Value loaded = number(tile);
    callAmx(builder, "tileloadd64", {loaded, pointer, stride});
    return {loaded};
  }
};

} // namespace

std::unique_ptr<TileUnit> tinytc::createAmxUnit(ImplicitLocOpBuilder &builder,
                                                TileProductOp op) {
  return std::make_unique<AmxUnit>(builder, op);
}
