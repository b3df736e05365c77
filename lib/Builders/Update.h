//===- Update.h - alpha ... + beta C of BLAS-like instructions --*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_UPDATE_H
#define TINYTC_LIB_BUILDERS_UPDATE_H

#include "dialect/TinyTC.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/IR/Instructions.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::tinytc {

/// The part alpha ... + beta C of an instruction, with what is statically known about
/// it.
struct Update {
  /// `alpha` and `beta` are the converted operands, the op holds the original ones.
  template <typename Op, typename Adaptor>
  Update(Op op, Adaptor adaptor, Value dest)
      : alpha(adaptor.getAlpha()), beta(adaptor.getBeta()), dest(dest),
        isAlphaOne(isConstant(op.getAlpha(), 1)),
        isBetaZero(isConstant(op.getBeta(), 0)), isBetaOne(isConstant(op.getBeta(), 1)),
        atomic(op.getAtomic()) {}

  MemRefType getType() const { return cast<MemRefType>(dest.getType()); }
  Type getComputeType() const {
    return tinytc::getComputeType(getType().getElementType());
  }

  /// How elements are written, alpha * value where that is atomic.
  StoreFlag getFlag() const { return instructions::getStoreFlag(atomic, isBetaZero); }

  /// alpha * value + beta * old, in the element type of the destination.
  Value emit(ImplicitLocOpBuilder &builder, Value value, Value old) const;

  /// alpha * value, in the element type of the destination.
  Value emitScaled(ImplicitLocOpBuilder &builder, Value value) const;

  Value alpha, beta, dest;
  bool isAlphaOne, isBetaZero, isBetaOne, atomic;

private:
  /// alpha * value, in the type that is computed in.
  Value scale(ImplicitLocOpBuilder &builder, Value value) const;
  /// beta * old; NaN in old must not spread if beta is 0, even if that is only known at
  /// run time.
  Value emitScaledOld(ImplicitLocOpBuilder &builder, Value old, Type type) const;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_UPDATE_H
