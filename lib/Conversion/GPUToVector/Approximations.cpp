//===- Approximations.cpp - Native functions of f32 -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions that a program asks for by `native_...`: fewer operations than those of
// GPUToLLVM, less exact where results are small or arguments are large.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToVector/Approximations.h"
#include "lib/Conversion/GPUToLLVM/RealBuilder.h"

using namespace mlir;
using namespace mlir::tinytc;

/// 2^x = 2^(n - 1) (2 2^r) with |r| <= 1/2; 0 if x is less than -125.5.
static Value exp2(ImplicitLocOpBuilder &builder, Value x) {
  static constexpr double powers[] = {0x1p+1,        0x1.62e43p+0,  0x1.ebfbdap-2,
                                      0x1.c6aed4p-4, 0x1.3b2dbcp-6, 0x1.5f456ap-9,
                                      0x1.41d32ep-12};
  RealBuilder real(builder, x.getType());
  x = real.clamp(x, -126, 129);
  Value rounder = real.real(real.getRounder());
  Value shifted = real.add(x, rounder);
  Value power = real.polynomial(real.sub(x, real.sub(shifted, rounder)), powers);
  // The lowest bits of the rounder are 0.
  Value exponent = real.addI(real.toBits(shifted), real.integer(real.getBias() - 1));
  exponent = real.shiftLeft(exponent, real.getMantissaBits());
  return real.mul(power, real.fromBits(exponent));
}

/// log2 x = k + f P(f), where 1 + f is from sqrt(1/2) to sqrt(2).
static Value log2(ImplicitLocOpBuilder &builder, Value x) {
  static constexpr double series[] = {0x1.715476p+0,  -0x1.71547p-1,  0x1.ec73d6p-2,
                                      -0x1.715c4ep-2, 0x1.26d384p-2,  -0x1.e95bf8p-3,
                                      0x1.b9c93ap-3,  -0x1.a87c9ep-3, 0x1.01b5fap-3};
  RealBuilder real(builder, x.getType());
  int64_t mantissaBits = real.getMantissaBits();
  Value root = real.toBits(real.real(0x1.6a09e6p-1));
  Value bits = real.subI(real.toBits(x), root);
  Value k =
      arith::SIToFPOp::create(builder, real.type, real.shiftRight(bits, mantissaBits));
  bits = real.andI(bits, real.integer((int64_t(1) << mantissaBits) - 1));
  Value f = real.sub(real.fromBits(real.addI(bits, root)), real.real(1));
  Value result = real.fma(f, real.polynomial(f, series), k);
  double infinity = std::numeric_limits<double>::infinity();
  Value isFinite = real.compare(arith::CmpFPredicate::OLT, x, real.real(infinity));
  result = real.select(isFinite, result, x);
  Value isPositive = real.compare(arith::CmpFPredicate::OGT, x, real.real(0));
  Value isZero = real.compare(arith::CmpFPredicate::OEQ, x, real.real(0));
  Value other = real.select(isZero, real.real(-infinity),
                            real.real(std::numeric_limits<double>::quiet_NaN()));
  return real.select(isPositive, result, other);
}

/// With x = n pi/2 + r and |r| <= pi/4. For large x, r is wrong, but no larger than 1.
static Value circular(ImplicitLocOpBuilder &builder, Value x, bool isCosine) {
  static constexpr double sine[] = {-0x1.55554p-3, 0x1.1105b4p-7, -0x1.98da64p-13};
  static constexpr double cosine[] = {1, -0x1p-1, 0x1.55553ep-5, -0x1.6c087ep-10,
                                      0x1.99343p-16};
  RealBuilder real(builder, x.getType());
  Value rounder = real.real(real.getRounder());
  Value shifted = real.fma(x, real.real(0x1.45f306p-1), rounder);
  Value n = real.neg(real.sub(shifted, rounder));
  Value r = real.fma(n, real.real(0x1.921fb6p+0), x);
  r = real.clamp(real.fma(n, real.real(-0x1.777a5cp-25), r), -1, 1);
  Value square = real.mul(r, r);
  Value ofSine = real.fma(real.mul(square, r), real.polynomial(square, sine), r);
  Value ofCosine = real.polynomial(square, cosine);
  Value quadrant = real.toBits(shifted);
  if (isCosine) // cos x = sin(x + pi/2)
    quadrant = real.addI(quadrant, real.integer(1));
  Value isOdd = arith::TruncIOp::create(builder, builder.getI1Type(), quadrant);
  Value result = real.toBits(real.select(isOdd, ofCosine, ofSine));
  Value sign = real.shiftLeft(real.shiftRight(quadrant, 1), 31);
  return real.fromBits(arith::XOrIOp::create(builder, result, sign));
}

Approximations tinytc::getVectorApproximations() {
  Approximations found;
  found.exp2 = exp2;
  found.log2 = log2;
  found.sin = [](ImplicitLocOpBuilder &b, Value x) { return circular(b, x, false); };
  found.cos = [](ImplicitLocOpBuilder &b, Value x) { return circular(b, x, true); };
  return found;
}
