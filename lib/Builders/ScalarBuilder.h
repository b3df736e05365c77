//===- ScalarBuilder.h - Arithmetic on any scalar type ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The language's scalar arithmetic in terms of arith, math and complex: one method for
// each operation, whatever the type.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_BUILDERS_SCALARBUILDER_H
#define TINYTC_LIB_BUILDERS_SCALARBUILDER_H

#include "dialect/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// The functions of one number, in radians and to the base e unless the name has
/// another.
enum class MathFunction {
  Ceil,
  Cos,
  Exp,
  Exp2,
  Expm1,
  Floor,
  Log,
  Log1p,
  Log2,
  Rsqrt,
  Sin,
  Sqrt,
  Tanh
};

class ScalarBuilder {
public:
  /// With `contract`, a product and the sum that uses it may become one fma.
  ScalarBuilder(ImplicitLocOpBuilder &builder, bool contract = false);

  Value constant(Type type, int64_t value);

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value rem(Value a, Value b);
  /// If one operand is NaN, the result is the other one.
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  /// If one operand is NaN, so is the result; -0 is less than +0.
  Value minimum(Value a, Value b);
  Value maximum(Value a, Value b);
  Value neg(Value a);
  Value abs(Value a);
  /// With `native`, the error is up to the implementation. Only Exp and Exp2 are
  /// defined for complex numbers.
  Value apply(MathFunction function, Value a, bool native);

  /// a^b, sqrt(a^2 + b^2), and ab + c rounded once, of floating-point numbers.
  Value pow(Value a, Value b);
  Value hypot(Value a, Value b);
  Value fma(Value a, Value b, Value c);

  /// Converts by the table of the cast instruction; covers every pair of types that the
  /// dialect accepts.
  Value cast(Value value, Type type);
  /// Keeps the bits; one of the types is an integer, the other a floating or complex
  /// type of the same size.
  Value bitcast(Value value, Type type);
  Value notEqual(Value a, Value b);

private:
  Value castToReal(Value value, Type type);
  /// That of floating-point numbers: the operand of which the predicate holds.
  template <typename ZeroOp>
  Value extremum(arith::CmpFPredicate predicate, Value a, Value b);
  Value complexExp2(Value a, bool native);
  /// The f64 `value` as f32, odd where inexact: a second rounding is then harmless.
  Value roundToOdd(Value value);
  /// An integer that f32 can hold and that rounds to the same 8 bits as `value`.
  Value keepFewBits(Value value);

  ImplicitLocOpBuilder &builder;
  arith::FastMathFlags flags;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_SCALARBUILDER_H
