//===- Circular.cpp - The sine and the cosine -----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Both are within 2 units in the last place, also of large numbers.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToLLVM/RealBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// The sine and the cosine of f64: x = n pi/2 + r with |r| <= pi/4.
class CircularBuilder {
public:
  /// The result is rounded to f32 if the number is one of f32; `tableSpace` is the
  /// address space of constants.
  CircularBuilder(ImplicitLocOpBuilder &builder, Type type, unsigned tableSpace)
      : builder(builder), f64(builder, builder.getF64Type()), isSingle(type.isF32()),
        tableSpace(tableSpace) {}

  Value emit(Value x, bool isCosine);

private:
  /// r, its rounding error if that is known, and a number whose lowest bits are those
  /// of n.
  struct Reduced {
    Value r, error, n;
  };

  Reduced reduce(Value magnitude);
  Reduced reduceSmall(Value magnitude);
  Reduced reduceLarge(Value magnitude);
  Value emitSine(Reduced reduced);
  Value emitCosine(Reduced reduced);

  Value mulHigh(Value a, Value b) {
    return arith::MulUIExtendedOp::create(builder, a, b).getHigh();
  }
  Value mulLow(Value a, Value b) { return arith::MulIOp::create(builder, a, b); }
  Value orI(Value a, Value b) { return arith::OrIOp::create(builder, a, b); }
  Value shiftRight(Value a, Value n) { return arith::ShRUIOp::create(builder, a, n); }
  Value shiftLeft(Value a, Value n) { return arith::ShLIOp::create(builder, a, n); }
  /// Three words of 2/pi from a bit on.
  SmallVector<Value, 3> loadBits(Value position);

  ImplicitLocOpBuilder &builder;
  RealBuilder f64;
  bool isSingle;
  unsigned tableSpace;
};

} // namespace

/// pi/2 as a sum.
static constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                     -0x1.f1976b7ed8fbcp-110};

Value CircularBuilder::emitSine(Reduced reduced) {
  static constexpr double singleS[] = {-0x1.5555554cbac77p-3, 0x1.111110896efbbp-7,
                                       -0x1.a00f9e2cae774p-13, 0x1.6cd878c3b46a7p-19};
  static constexpr double doubleS[] = {
      -1.66666666666666324348e-01, 8.33333333332248946124e-03,
      -1.98412698298579493134e-04, 2.75573137070700676789e-06,
      -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  Value r = reduced.r, square = f64.mul(r, r), cube = f64.mul(square, r);
  if (isSingle)
    return f64.fma(cube, f64.polynomial(square, singleS), r);
  Value rest = f64.fma(cube, f64.polynomial(square, doubleS), reduced.error);
  return f64.add(r, rest);
}

Value CircularBuilder::emitCosine(Reduced reduced) {
  static constexpr double singleC[] = {1, -0x1.ffffffd0c5e81p-2, 0x1.55553e1053a42p-5,
                                       -0x1.6c087e80f1e27p-10, 0x1.99342e0ee5069p-16};
  static constexpr double doubleC[] = {
      4.16666666666666019037e-02, -1.38888888888741095749e-03,
      2.48015872894767294178e-05, -2.75573143513906633035e-07,
      2.08757232129817482790e-09, -1.13596475577881948265e-11};
  Value r = reduced.r, square = f64.mul(r, r);
  if (isSingle)
    return f64.polynomial(square, singleC);
  Value one = f64.real(1);
  Value half = f64.mul(square, f64.real(0.5));
  Value leading = f64.sub(one, half);
  Value error = f64.sub(f64.sub(one, leading), half);
  error = f64.fma(f64.neg(r), reduced.error, error);
  Value sum = f64.polynomial(square, doubleC);
  return f64.add(leading, f64.fma(f64.mul(square, square), sum, error));
}

/// n by rounding, and r by the method of Cody and Waite, which is exact as long as n is
/// not large.
CircularBuilder::Reduced CircularBuilder::reduceSmall(Value magnitude) {
  Value rounder = f64.real(f64.getRounder());
  Value shifted = f64.fma(magnitude, f64.real(0x1.45f306dc9c883p-1), rounder);
  Value n = f64.neg(f64.sub(shifted, rounder));
  Value r = magnitude;
  for (double part : kHalfPi)
    r = f64.fma(n, f64.real(part), r);
  return {r, f64.real(0), f64.toBits(shifted)};
}

/// 64 bits that are 0, then 2/pi = 0.a2f983...
static constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// The table of these words in the module.
static LLVM::GlobalOp getTable(ImplicitLocOpBuilder &builder, unsigned space) {
  Operation *scope =
      SymbolTable::getNearestSymbolTable(builder.getInsertionBlock()->getParentOp());
  std::string name = "__tinytc_two_over_pi";
  // A kernel may have the name.
  while (Operation *known = SymbolTable::lookupSymbolIn(scope, name)) {
    if (auto table = dyn_cast<LLVM::GlobalOp>(known))
      return table;
    name += "_";
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&scope->getRegion(0).front());
  Type i64 = builder.getI64Type();
  int64_t count = std::size(kTwoOverPi);
  auto words = DenseElementsAttr::get(RankedTensorType::get(count, i64),
                                      ArrayRef<uint64_t>(kTwoOverPi));
  return LLVM::GlobalOp::create(builder, LLVM::LLVMArrayType::get(i64, count),
                                /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                words, /*alignment=*/8, space);
}

SmallVector<Value, 3> CircularBuilder::loadBits(Value position) {
  Value word = f64.shiftRight(position, 6);
  Value shift = f64.andI(position, f64.integer(63));
  Value back = f64.subI(f64.integer(63), shift), one = f64.integer(1);
  Value table = LLVM::AddressOfOp::create(builder, getTable(builder, tableSpace));
  auto load = [&](int64_t distance) -> Value {
    Value index = f64.addI(word, f64.integer(distance));
    Value pointer = LLVM::GEPOp::create(builder, table.getType(), f64.bitsType, table,
                                        ArrayRef<LLVM::GEPArg>{index});
    return LLVM::LoadOp::create(builder, f64.bitsType, pointer, /*alignment=*/8);
  };
  SmallVector<Value, 3> words;
  Value next = load(0);
  for (int64_t i = 0; i < 3; ++i) {
    Value high = shiftLeft(next, shift);
    next = load(i + 1);
    // Shifted in two steps: a distance of 64 is none.
    words.push_back(orI(high, shiftRight(shiftRight(next, one), back)));
  }
  return words;
}

/// The method of Payne and Hanek: of x = m 2^e times 2/pi, the bits of 2/pi with a
/// weight of at least 4 / m only add multiples of 4 to n.
CircularBuilder::Reduced CircularBuilder::reduceLarge(Value magnitude) {
  Value bits = f64.toBits(magnitude);
  Value exponent = f64.subI(f64.shiftRight(bits, 52), f64.integer(1075));
  Value mantissa = orI(f64.andI(bits, f64.integer((int64_t(1) << 52) - 1)),
                       f64.integer(int64_t(1) << 52));
  // The first bit of these words has weight 2, and then that of the product as well.
  SmallVector<Value, 3> words = loadBits(f64.addI(exponent, f64.integer(62)));
  Value low = mulLow(mantissa, words[2]), carryLow = mulHigh(mantissa, words[2]);
  Value middle = mulLow(mantissa, words[1]), carryMiddle = mulHigh(mantissa, words[1]);
  Value high = f64.addI(mulLow(mantissa, words[0]), carryMiddle);
  Value sum = f64.addI(middle, carryLow);
  Value carries =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, sum, carryLow);
  high = f64.addI(high, arith::ExtUIOp::create(builder, f64.bitsType, carries));
  // Two bits of n, then the fraction, as a signed number from -1/2 to 1/2.
  Value two = f64.integer(2), rest = f64.integer(62);
  Value upper = orI(shiftLeft(high, two), shiftRight(sum, rest));
  Value lower = orI(shiftLeft(sum, two), shiftRight(low, rest));
  Value n = f64.addI(shiftRight(high, rest), shiftRight(upper, f64.integer(63)));
  // The upper bits are exact in f64; the others are at most one unit of them.
  Value exact = f64.andI(upper, f64.integer(~int64_t(0x7ff)));
  Value below = f64.andI(upper, f64.integer(0x7ff));
  Value leading =
      f64.mul(arith::SIToFPOp::create(builder, f64.type, exact), f64.real(0x1p-64));
  Value trailing =
      f64.mul(arith::UIToFPOp::create(builder, f64.type, lower), f64.real(0x1p-128));
  trailing = f64.fma(arith::UIToFPOp::create(builder, f64.type, below),
                     f64.real(0x1p-64), trailing);
  Value fraction = f64.add(leading, trailing);
  Value error = f64.add(f64.sub(leading, fraction), trailing);
  Value halfPi = f64.real(kHalfPi[0]);
  Value r = f64.mul(fraction, halfPi);
  error = f64.fma(error, halfPi, f64.fma(fraction, halfPi, f64.neg(r)));
  error = f64.fma(fraction, f64.real(kHalfPi[1]), error);
  return {r, error, n};
}

CircularBuilder::Reduced CircularBuilder::reduce(Value magnitude) {
  Value isLarge = f64.compare(arith::CmpFPredicate::OGE, magnitude, f64.real(0x1p30));
  auto yield = [&](Reduced reduced) {
    scf::YieldOp::create(builder, ValueRange{reduced.r, reduced.error, reduced.n});
  };
  auto branch =
      scf::IfOp::create(builder, TypeRange{f64.type, f64.type, f64.bitsType}, isLarge,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  yield(reduceLarge(magnitude));
  builder.setInsertionPointToStart(branch.elseBlock());
  yield(reduceSmall(magnitude));
  return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
}

Value CircularBuilder::emit(Value x, bool isCosine) {
  if (isSingle)
    x = arith::ExtFOp::create(builder, f64.type, x);
  Value magnitude = f64.abs(x);
  Reduced reduced = reduce(magnitude);
  Value n = reduced.n;
  if (isCosine) // cos x = sin(x + pi/2)
    n = f64.addI(n, f64.integer(1));
  Value isOdd = arith::TruncIOp::create(builder, builder.getI1Type(), n);
  Value result = f64.select(isOdd, emitCosine(reduced), emitSine(reduced));
  Value sign = f64.shiftLeft(f64.shiftRight(n, 1), 63);
  if (!isCosine) {
    Value own =
        f64.andI(f64.toBits(x), f64.integer(std::numeric_limits<int64_t>::min()));
    sign = arith::XOrIOp::create(builder, sign, own);
  }
  result = f64.fromBits(arith::XOrIOp::create(builder, f64.toBits(result), sign));
  double infinity = std::numeric_limits<double>::infinity();
  Value isFinite =
      f64.compare(arith::CmpFPredicate::OLT, magnitude, f64.real(infinity));
  result =
      f64.select(isFinite, result, f64.real(std::numeric_limits<double>::quiet_NaN()));
  if (isSingle)
    result = arith::TruncFOp::create(builder, builder.getF32Type(), result);
  return result;
}

Value tinytc::emitSine(ImplicitLocOpBuilder &builder, Value x, unsigned tableSpace) {
  return CircularBuilder(builder, x.getType(), tableSpace).emit(x, /*isCosine=*/false);
}

Value tinytc::emitCosine(ImplicitLocOpBuilder &builder, Value x, unsigned tableSpace) {
  return CircularBuilder(builder, x.getType(), tableSpace).emit(x, /*isCosine=*/true);
}
