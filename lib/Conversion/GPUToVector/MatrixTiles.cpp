//===- MatrixTiles.cpp - Matrix instructions of AArch64 -------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// BFMMLA and SMMLA multiply two rows of two words by two columns of two words, so a
// vector of sums has two rows of two columns. Tiles are vectors, which LLVM allocates.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToVector/TileUnit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

class MatrixInstructions final : public TileUnit {
public:
  MatrixInstructions(ImplicitLocOpBuilder &builder, TileProductOp op)
      : TileUnit(builder, op), isBF16(op.getNumbers() == PackedNumbers::BF16),
        columns(op.getTile()[1]), words(VectorType::get(kRows, builder.getI32Type())),
        sums(VectorType::get(kRows, isBF16 ? Type(builder.getF32Type())
                                           : builder.getI32Type())),
        numbers(isBF16 ? VectorType::get(8, builder.getBF16Type())
                       : VectorType::get(16, builder.getI8Type())) {}

  bool hasValues() const override { return true; }

  Tile createZeros(int64_t, int64_t) override {
    Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(sums));
    return Tile(columns, zero);
  }

  Tile loadSums(int64_t, int64_t, Value pointer, Value stride) override {
    Tile tile;
    for (int64_t column = 0; column < columns; column += 2) {
      Value first = load(sums, move(pointer, stride, column));
      Value second = load(sums, move(pointer, stride, column + 1));
      tile.append(exchangeHalves(first, second));
    }
    return tile;
  }

  Tile loadFirst(int64_t, Value pointer, Value stride) override {
    VectorType pair = VectorType::get(2, builder.getI32Type());
    Tile tile;
    for (int64_t column = 0; column < columns; column += 2) {
      Value first = load(pair, move(pointer, stride, column));
      Value second = load(pair, move(pointer, stride, column + 1));
      tile.push_back(toNumbers(shuffle(first, second, {0, 1, 2, 3})));
    }
    return tile;
  }

  Tile loadSecond(int64_t, Value pointer, Value stride) override {
    Value first = load(words, pointer), second = load(words, move(pointer, stride, 1));
    return {toNumbers(shuffle(first, second, {0, 4, 1, 5})),
            toNumbers(shuffle(first, second, {2, 6, 3, 7}))};
  }

  Tile multiply(Tile tile, const Tile &first, const Tile &second) override {
    StringRef name =
        isBF16 ? "llvm.aarch64.neon.bfmmla" : "llvm.aarch64.neon.smmla.v4i32.v16i8";
    for (auto [place, sum] : llvm::enumerate(tile))
      sum = LLVM::CallIntrinsicOp::create(
                builder, sums, builder.getStringAttr(name),
                ValueRange{sum, first[place / 2], second[place % 2]})
                .getResult(0);
    return tile;
  }

  void storeSums(const Tile &tile, Value pointer, Value stride) override {
    for (int64_t column = 0; column < columns; column += 2) {
      Tile lines = exchangeHalves(tile[column], tile[column + 1]);
      for (auto [place, line] : llvm::enumerate(lines))
        LLVM::StoreOp::create(builder, line, move(pointer, stride, column + place),
                              kWordBytes);
    }
  }

private:
  static constexpr int64_t kRows = 4, kWordBytes = 4;

  Value shuffle(Value a, Value b, ArrayRef<int64_t> places) {
    return vector::ShuffleOp::create(builder, a, b, places);
  }

  Value toNumbers(Value bits) {
    return vector::BitCastOp::create(builder, numbers, bits);
  }

  Value load(Type type, Value pointer) {
    return LLVM::LoadOp::create(builder, type, pointer, kWordBytes);
  }

  /// `pointer` + `count` strides.
  Value move(Value pointer, Value stride, int64_t count) {
    if (count == 0)
      return pointer;
    Value times = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(count));
    Value bytes = arith::MulIOp::create(builder, stride, times);
    return LLVM::GEPOp::create(builder, pointer.getType(), builder.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }

  /// Four rows of each of two columns from two rows of both, or the other way round.
  Tile exchangeHalves(Value a, Value b) {
    return {shuffle(a, b, {0, 1, 4, 5}), shuffle(a, b, {2, 3, 6, 7})};
  }

  bool isBF16;
  int64_t columns;
  VectorType words, sums, numbers;
};

} // namespace

std::unique_ptr<TileUnit> tinytc::createMatrixUnit(ImplicitLocOpBuilder &builder,
                                                   TileProductOp op) {
  return std::make_unique<MatrixInstructions>(builder, op);
}
