//===- Patterns.h - What all code of LLVM has in common ---------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions of the gpu stage to the llvm dialect, whatever LLVM then makes of it. A
// family adds what its processors do in their own way: barriers, lanes, atomics.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_GPUTOLLVM_PATTERNS_H
#define TINYTC_LIB_CONVERSION_GPUTOLLVM_PATTERNS_H

#include "dialect/TinyTC.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::tinytc {

/// Bytes that a work-item loads at once, at most, and their alignment.
inline constexpr int64_t kVectorBytes = 16;

/// The numbers of LLVM's address spaces. A processor has only one.
struct AddressSpaces {
  unsigned global = 0, local = 0, stack = 0, constants = 0;
};

/// Memrefs become pointers of the llvm dialect, all other types stay.
class PointerTypeConverter : public TypeConverter {
public:
  explicit PointerTypeConverter(AddressSpaces spaces);

  LLVM::LLVMPointerType getPointerType(MemRefType type) const;

  /// The type of an element in memory; complex numbers have been split into their
  /// parts.
  Type getMemoryType(Type type) const;

  /// The pointer to an element of a one-dimensional memref.
  Value createElementPointer(ImplicitLocOpBuilder &builder, MemRefType type, Value base,
                             ValueRange indices) const;

private:
  AddressSpaces spaces;
};

/// Bytes of an element in memory.
int64_t getElementBytes(Type type);

/// The index as a number of 64 bits.
Value toI64(ImplicitLocOpBuilder &builder, Value index);

/// The semantics of an atomic access as LLVM has them.
LLVM::AtomicOrdering convertSemantics(MemorySemantics semantics);

/// Memref ops, but for memref.alloc, which is local memory, and the signatures of
/// kernels.
void populatePointerPatterns(const PointerTypeConverter &converter,
                             RewritePatternSet &patterns);

/// Makes globals of the llvm dialect of the constants of a module.
void convertGlobals(Operation *module, unsigned space);

/// The remainder of floating-point numbers.
void populateRemainderPatterns(const TypeConverter &converter,
                               RewritePatternSet &patterns);

/// Emits a function of a number of f32.
using EmitFunction = Value (*)(ImplicitLocOpBuilder &, Value);

/// Approximations of functions of f32 where a program allows them; null: none.
struct Approximations {
  EmitFunction exp2 = nullptr, log2 = nullptr, sin = nullptr, cos = nullptr;
};

/// Functions of math that LLVM's backends do not have, within 2 units in the last
/// place, tanh within 3.
void populateFunctionPatterns(const TypeConverter &converter,
                              RewritePatternSet &patterns, AddressSpaces spaces,
                              Approximations approximations);

/// Whether any operation of a kernel is one of `isChosen`.
bool hasAny(LLVM::LLVMFuncOp kernel, function_ref<bool(Operation *)> isChosen);

/// Tells LLVM what is promised of pointers. A kernel with products gets a variant for
/// arrays that begin at a multiple of 16 bytes, so that four numbers of f32 are one
/// load, and of which those that are written do not overlap those that are only read;
/// the latter is not promised to kernels with sums, and the manifest says so. If it has
/// groups, there is one more variant whose members begin there, too. A launch that
/// finds what is promised to hold takes the variant that the manifest names.
/// `isUnitProduct` says which operations are products besides multiply-adds.
LogicalResult addAlignmentVariants(LLVM::LLVMFuncOp kernel,
                                   function_ref<bool(Operation *)> isUnitProduct);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOLLVM_PATTERNS_H
