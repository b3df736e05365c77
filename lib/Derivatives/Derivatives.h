//===- Derivatives.h - What rules of instructions are made with -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Each instruction has one rule, an external model of DifferentiableOpInterface. A rule
// of a forward derivative emits tangents with the TangentEmitter, one of a reverse
// derivative names what it needs in AdjointUses and emits with the AdjointEmitter.
//
// Derivatives of complex numbers pair an adjoint w and a tangent v as Re(w v): adjoints
// are transposes, without conjugation.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_DERIVATIVES_DERIVATIVES_H
#define TINYTC_LIB_DERIVATIVES_DERIVATIVES_H

#include "lib/Derivatives/Activity.h"
#include "lib/IR/Instructions.h"
#include "lib/IR/Solves.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::tinytc::derivatives {

using namespace instructions;

/// Emits tangents into a copy of a kernel.
class TangentEmitter {
public:
  TangentEmitter(Activity &activity, OpBuilder &builder)
      : builder(builder.getUnknownLoc(), builder), activity(activity) {}

  bool isActive(Value value) const { return activity.isActive(value); }
  /// The tangent of an active value, memref or group; 0 for a scalar that is not
  /// active.
  Value getTangent(Value value);
  void setTangent(Value value, Value tangent) { tangents[value] = tangent; }

  /// Emits the tangents of all instructions of a kernel.
  LogicalResult run(FuncOp func);

  /// Rules emit here, at the location of their op.
  ImplicitLocOpBuilder builder;

private:
  LogicalResult visit(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitFor(ForOp loop);
  LogicalResult visitIf(IfOp op);
  LogicalResult visitApply(CooperativeMatrixApplyOp apply);
  void visitMemory(Operation *op);
  void extendYield(Block &block, ArrayRef<unsigned> numbers);
  void replace(Operation *op, Operation *by);

  Activity &activity;
  DenseMap<Value, Value> tangents;
  SmallVector<Operation *> replaced;
};

/// The values and memory that the adjoint of an instruction uses.
class AdjointUses {
public:
  /// Names a scalar, or a memref as an address.
  void addValue(Value value) { values.push_back(value); }
  /// Names what is in a memref before the instruction.
  void addContents(Value memref) { contents.push_back(memref); }
  /// Names what is in it after the instruction; not for one of which it needs both.
  void addResult(Value memref) { results.push_back(memref); }

  SmallVector<Value> values, contents, results;
};

/// Emits the adjoints of one kernel into another one.
class AdjointEmitter {
public:
  explicit AdjointEmitter(const Activity &activity, ImplicitLocOpBuilder &builder)
      : activity(activity), builder(builder) {}
  virtual ~AdjointEmitter() = default;

  bool isActive(Value value) const { return activity.isActive(value); }
  /// The copy of a value of the kernel.
  Value getPrimal(Value value) const { return primals.lookupOrDefault(value); }
  /// Memory that holds what was in a memref before the instruction, or after it, as the
  /// instruction has named it.
  virtual Value getContents(Operation *op, Value memref) = 0;
  /// Memory with the shape of a memref: local, or a buffer; null if neither can have
  /// it.
  virtual Value createMemory(Value memref, Type element) = 0;
  /// The adjoint of the memory behind a memref that is active.
  Value getShadow(Value memref) const { return shadows.lookup(memref); }
  /// Whether work-items or groups may add to the same elements of a memref's adjoint at
  /// the same time, where the instruction is.
  virtual bool isAtomic(Operation *op, Value memref) const = 0;
  /// Whether code is emitted into an SPMD region.
  virtual bool isSpmd() const = 0;

  /// The adjoint of a scalar or matrix so far; null if it is 0.
  Value getAdjoint(Value value) const { return adjoints.lookup(value); }
  /// Adds to the adjoint of a scalar or matrix; to none if it is not active.
  void addAdjoint(Value value, Value term);

  const Activity &activity;
  /// Rules emit here, at the location of their op.
  ImplicitLocOpBuilder &builder;

protected:
  IRMapping primals;
  DenseMap<Value, Value> shadows;
  DenseMap<Value, Value> adjoints;
};

/// The type of the adjoint of a scalar or a matrix: that of a matrix is a matrix_acc.
Type getAdjointType(Type type);

/// Attach the rules of some instructions.
void attachBlasRules(DialectRegistry &registry);
void attachFactorRules(DialectRegistry &registry);
void attachOrthogonalRules(DialectRegistry &registry);
void attachCoopMatrixRules(DialectRegistry &registry);
void attachMatrixComponentRules(DialectRegistry &registry);
void attachScalarRules(DialectRegistry &registry);
void attachMemoryRules(DialectRegistry &registry);
void attachSubgroupRules(DialectRegistry &registry);

/// Attaches all rules.
void attachDerivativeRules(DialectRegistry &registry);

/// The parameters that `names` select, by name or number; all that have derivatives if
/// there is no name. Emits an error if a name selects none.
FailureOr<SmallVector<unsigned>> selectParameters(FuncOp func,
                                                  ArrayRef<std::string> names);
/// The name of a parameter in launches; empty if it has none.
StringRef getParameterName(FuncOp func, unsigned index);

/// Emits the error for an instruction without a derivative, with the reason.
LogicalResult refuse(Operation *op, const Twine &reason);

/// Memory with the shape of an operand of the instruction.
FailureOr<Value> createMemory(AdjointEmitter &emitter, Operation *op, Value memref,
                              Type element);

/// Refuses one whose region changes memory.
LogicalResult refuseWrites(CooperativeMatrixApplyOp apply);

/// The same for an instruction that has no rule.
LogicalResult refuseWithoutRule(Operation *op);

/// Erases what no parameter depends on, local memory included.
void eraseDeadMemory(FuncOp func);

/// Brings a new kernel into a short form: folds, removes what is not used.
LogicalResult simplifyKernel(FuncOp func);

} // namespace mlir::tinytc::derivatives

#include "dialect/TinyTCDerivatives.h.inc" // needs what is above

#endif // TINYTC_LIB_DERIVATIVES_DERIVATIVES_H
