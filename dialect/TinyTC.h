//===- TinyTC.h - The Tiny Tensor dialect -----------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Declarations of the dialect: enums, attributes, types, traits and ops.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_DIALECT_TINYTC_H
#define TINYTC_DIALECT_TINYTC_H

#include "lib/Target/Target.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace llvm::json {
class Object;
class Value;
} // namespace llvm::json

namespace mlir::tinytc {

class MemrefType;

/// Strides of the packed dense column-major layout: S_1 = 1, S_i = S_{i-1} s_{i-1}. A
/// stride after a dynamic size is dynamic.
SmallVector<int64_t> packedStride(ArrayRef<int64_t> shape);

/// Whether each stride is at least the stride times the size of the mode before it, as
/// far as they are known.
bool isAscending(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides);

/// Component type of a complex type; any other type is returned unchanged.
Type getRealType(Type type);

/// The type of absolute values, real and imaginary parts of a scalar or coopmatrix
/// type.
Type getRealPartType(Type type);

/// Scalar type of the elements of a memref or coopmatrix, else the type itself.
Type getScalarType(Type type);

/// Whether the type is a scalar type of the language; bool is not.
bool isScalarType(Type type);

/// Whether every value of the scalar type `from` is exact in `to`: from <= to in the
/// relation matrix of the language. index is only promotable to itself.
bool isPromotable(Type from, Type to);

/// The type that both scalar types are promotable to, one of the two; else null.
Type promote(Type a, Type b);

/// Size of a boolean or scalar type in memory; index has 8 bytes.
int64_t getSizeBytes(Type scalar);

/// The contributions of other work-items of the subgroup to an op.
struct ConvergenceResource : public SideEffects::Resource::Base<ConvergenceResource> {
  StringRef getName() final { return "<Convergence>"; }
};

/// The order of accesses to memory, which atomic accesses decide.
struct MemoryOrderResource : public SideEffects::Resource::Base<MemoryOrderResource> {
  StringRef getName() final { return "<MemoryOrder>"; }
};

/// Checks that `op` is in a region of the right kind; home of the nesting rules.
LogicalResult verifyExecutionKind(Operation *op);

/// The state of caches, which hints change.
struct CacheResource : public SideEffects::Resource::Base<CacheResource> {
  StringRef getName() final { return "<Cache>"; }
};

// Execution kinds (dialect/Interfaces.td).
#define TINYTC_EXECUTION_TRAIT(NAME, VERIFY)                                           \
  template <typename ConcreteType>                                                     \
  class NAME : public OpTrait::TraitBase<ConcreteType, NAME> {                         \
  public:                                                                              \
    static LogicalResult verifyTrait([[maybe_unused]] Operation *op) {                 \
      return VERIFY;                                                                   \
    }                                                                                  \
  };
TINYTC_EXECUTION_TRAIT(Collective, verifyExecutionKind(op))
TINYTC_EXECUTION_TRAIT(Spmd, verifyExecutionKind(op))
TINYTC_EXECUTION_TRAIT(Mixed, success())
TINYTC_EXECUTION_TRAIT(CollectiveRegion, success())
TINYTC_EXECUTION_TRAIT(SpmdRegion, success())
#undef TINYTC_EXECUTION_TRAIT

/// A factorisation, a solve or a product of matrices (dialect/FactorOps.td).
template <typename ConcreteType>
class FactorizationTrait : public OpTrait::TraitBase<ConcreteType, FactorizationTrait> {
};

/// A memref of a product, the modes of the product that its own modes run along, and
/// whether the product is one of its conjugate.
struct BlasFactor {
  OpOperand *operand;
  SmallVector<unsigned, 3> modes;
  bool isConjugated = false;
};

class BlasOpInterface;

/// The sizes of the modes of an instruction's product (dialect/Interfaces.td).
SmallVector<int64_t> getProductShape(BlasOpInterface op);

/// Checks what all BLAS-like instructions have in common.
LogicalResult verifyBlasOp(BlasOpInterface op);

/// Whether the factors may be the very elements that are updated.
bool mayUpdateInPlace(BlasOpInterface op);

/// Whether `value` is the constant `number`, 0 or 1, of any scalar type.
bool isConstant(Value value, uint64_t number);

} // namespace mlir::tinytc

// Each of these needs the ones before.
#include "dialect/TinyTCEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/TinyTCAttrs.h.inc"

#include "dialect/TinyTCDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/TinyTCTypes.h.inc"

#include "dialect/TinyTCInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialect/TinyTCOps.h.inc"

namespace mlir::tinytc {

/// Whether accesses to rows (`dim` 0) or columns (1) of a matrix are checked.
bool isChecked(Checked checked, unsigned dim);

/// Whether a matrix is used in transposed form.
inline bool isTransposed(TensorForm form) {
  return form == TensorForm::T || form == TensorForm::C;
}

/// Whether a tensor is used in conjugated form.
inline bool isConjugated(TensorForm form) {
  return form == TensorForm::R || form == TensorForm::C;
}

/// The form of these two properties.
inline TensorForm getTensorForm(bool isTransposed, bool isConjugated) {
  return isConjugated ? (isTransposed ? TensorForm::C : TensorForm::R)
                      : (isTransposed ? TensorForm::T : TensorForm::N);
}

} // namespace mlir::tinytc

#endif // TINYTC_DIALECT_TINYTC_H
