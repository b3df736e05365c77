//===- PackedProducts.cpp - Instructions for packed numbers ---------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// pmaddwd, vpdpbusd and vdpbf16ps of x86-64, sdot and bfdot of AArch64, by LLVM's
// names.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToVector/PackedProducts.h"
#include "lib/Conversion/GPUToVector/Vectorizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tinytc;

/// LLVM's name of the instruction for vectors of so many words; none if there is none.
static std::string findInstruction(PackedNumbers numbers, int64_t words,
                                   const DotProducts &dots) {
  // Other processors have no instruction for signed bytes.
  const bool isArm = dots.ofI8;
  std::string bits = std::to_string(32 * words);
  switch (numbers) {
  case PackedNumbers::I16:
    if (dots.ofI16)
      return words == 16  ? "llvm.x86.avx512.pmaddw.d.512"
             : words == 8 ? "llvm.x86.avx2.pmadd.wd"
                          : "llvm.x86.sse2.pmadd.wd";
    break;
  case PackedNumbers::I8:
    if (dots.ofI8)
      return "llvm.aarch64.neon.sdot.v4i32.v16i8";
    break;
  case PackedNumbers::UI8:
    if (dots.ofUI8)
      return "llvm.x86.avx512.vpdpbusd." + bits;
    break;
  case PackedNumbers::BF16:
    if (dots.ofBF16 && isArm)
      return "llvm.aarch64.neon.bfdot.v4f32.v8bf16";
    if (dots.ofBF16)
      return "llvm.x86.avx512bf16.dpbf16ps." + bits;
    break;
  }
  return "";
}

/// The type of the numbers in a word.
static Type getNumberType(Builder &builder, PackedNumbers numbers) {
  if (numbers == PackedNumbers::BF16)
    return builder.getBF16Type();
  return builder.getIntegerType(32 / PackedMulAddOp::getDepth(numbers));
}

/// The sum by arithmetic on one number of each word after the other.
static Value emitArithmetic(ImplicitLocOpBuilder &builder, PackedMulAddOp op) {
  Type words = op.getA().getType();
  const int64_t depth = PackedMulAddOp::getDepth(op.getNumbers()), bits = 32 / depth;
  auto constant = [&](int64_t value) -> Value {
    TypedAttr attribute = builder.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(words))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(builder, attribute);
  };
  /// Number `place` of a word as an integer, or the bits of its f32.
  auto extract = [&](Value word, int64_t place, bool isUnsigned) -> Value {
    Value up = arith::ShLIOp::create(builder, word, constant(32 - bits * (place + 1)));
    Value down = constant(32 - bits);
    if (op.getNumbers() == PackedNumbers::BF16)
      return arith::BitcastOp::create(
          builder, op.getC().getType(),
          arith::AndIOp::create(builder, up, constant(-65536)));
    if (isUnsigned)
      return arith::ShRUIOp::create(builder, up, down);
    return arith::ShRSIOp::create(builder, up, down);
  };
  Value sum = op.getC();
  for (int64_t place = 0; place < depth; ++place) {
    Value a = extract(op.getA(), place, op.getNumbers() == PackedNumbers::UI8);
    Value b = extract(op.getB(), place, /*isUnsigned=*/false);
    if (op.getNumbers() == PackedNumbers::BF16)
      sum = arith::AddFOp::create(builder, sum, arith::MulFOp::create(builder, a, b));
    else
      sum = arith::AddIOp::create(builder, sum, arith::MulIOp::create(builder, a, b));
  }
  return sum;
}

/// The sum by the instruction for `words` words at a time.
static Value emitInstruction(ImplicitLocOpBuilder &builder, PackedMulAddOp op,
                             StringRef instruction, int64_t words) {
  auto type = cast<VectorType>(op.getC().getType());
  VectorType part = VectorType::get(words, type.getElementType());
  VectorType numbers =
      VectorType::get(words * PackedMulAddOp::getDepth(op.getNumbers()),
                      getNumberType(builder, op.getNumbers()));
  SmallVector<Value> sums;
  for (int64_t first = 0; first < type.getNumElements(); first += words) {
    SmallVector<int64_t> places = llvm::to_vector(llvm::seq(first, first + words));
    auto slice = [&](Value whole) -> Value {
      if (words == type.getNumElements())
        return whole;
      return vector::ShuffleOp::create(builder, whole, whole, places);
    };
    auto unpack = [&](Value whole) -> Value {
      return vector::BitCastOp::create(builder, numbers, slice(whole));
    };
    SmallVector<Value> operands{unpack(op.getA()), unpack(op.getB())};
    // pmaddwd does not add to a sum.
    bool adds = op.getNumbers() != PackedNumbers::I16;
    if (adds)
      operands.insert(operands.begin(), slice(op.getC()));
    auto call = LLVM::CallIntrinsicOp::create(
        builder, part, builder.getStringAttr(instruction), operands);
    Value sum = call.getResult(0);
    if (!adds)
      sum = arith::AddIOp::create(builder, slice(op.getC()), sum);
    sums.push_back(sum);
  }
  return concatenate(builder, sums);
}

void tinytc::expandPackedProducts(Operation *kernels, const Machine &machine) {
  kernels->walk([&](PackedMulAddOp op) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    auto type = dyn_cast<VectorType>(op.getC().getType());
    // Instructions of AArch64 are those of Neon.
    int64_t most = machine.vectors.dots.ofI8 ? 4 : machine.registerBytes / 4;
    int64_t words = type ? std::min(most, type.getNumElements()) : 0;
    std::string instruction;
    if (words >= 4 && llvm::isPowerOf2_64(type.getNumElements()))
      instruction = findInstruction(op.getNumbers(), words, machine.vectors.dots);
    op.replaceAllUsesWith(instruction.empty()
                              ? emitArithmetic(builder, op)
                              : emitInstruction(builder, op, instruction, words));
    op.erase();
  });
}
