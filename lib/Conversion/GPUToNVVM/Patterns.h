//===- Patterns.h - What upstream does not convert to NVVM ------*- C++ -*-===//
//
// The first of two conversions: afterwards memory is accessed through pointers of the
// llvm dialect, and all that is left is what upstream converts rightly.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_GPUTONVVM_PATTERNS_H
#define TINYTC_LIB_CONVERSION_GPUTONVVM_PATTERNS_H

#include "dialect/TinyTC.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::gpu {
class GPUFuncOp;
} // namespace mlir::gpu

namespace mlir::LLVM {
class LLVMFuncOp;
} // namespace mlir::LLVM

namespace mlir::tinytc {

struct Machine;

/// Bytes that a work-item loads at once, at most, and their alignment.
inline constexpr int64_t kVectorBytes = 16;

/// The sizes of a kernel that what its lanes exchange depends on.
struct KernelShape {
  /// Work-items of a warp.
  static constexpr int32_t kWarp = 32;

  /// Work-items of a group in x and y, and those of a subgroup, a warp or a part of
  /// one.
  int32_t width, height, subgroupSize;
  /// Groups side by side in a block, which are its third dimension. If there are
  /// several, each is a warp or an aligned part of one.
  int32_t groups;

  int32_t getNumWorkItems() const { return width * height; }
};

/// The sizes of the kernel around `op`; an error if it does not have them.
FailureOr<KernelShape> getKernelShape(Operation *op);

/// Makes a kernel of as many groups as its manifest says run side by side out of that
/// of one group.
void putGroupsSideBySide(gpu::GPUFuncOp kernel);

/// Tells LLVM what is promised of pointers. A kernel with products gets a variant for
/// arrays that begin at a multiple of 16 bytes, so that four numbers of f32 are one
/// load, and of which those that are written do not overlap those that are only read;
/// the latter is not promised to kernels with sums, and the manifest says so. If it has
/// groups, there is one more variant whose members begin there, too. A launch that
/// finds what is promised to hold takes the variant that the manifest names. There is
/// none for fragments of f64 that are multiplied at once: two numbers of a load are not
/// neighbours in them, and moving them takes more instructions than loads save.
LogicalResult specializePointers(LLVM::LLVMFuncOp kernel);

/// Memrefs become pointers of the llvm dialect, all other types stay.
class PointerTypeConverter : public TypeConverter {
public:
  PointerTypeConverter();
};

/// The pointer to an element of a one-dimensional memref.
Value createElementPointer(ImplicitLocOpBuilder &builder, MemRefType type, Value base,
                           ValueRange indices);

/// Bytes of an element in memory.
int64_t getElementBytes(Type type);

/// Memref ops and the signatures of kernels.
void populatePointerPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns);
/// tinytc.atomic, memref.atomic_rmw and memref.generic_atomic_rmw.
void populateNVVMAtomicPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns, const Machine &machine);
/// Barriers, ids and sizes of subgroups, shuffles, broadcasts, reductions.
void populateNVVMExecutionPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
/// tinytc.warp_matrix_mul_add.
void populateNVVMTensorCorePatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns,
                                    const Machine &machine);
/// The remainder of floating-point numbers.
void populateNVVMRemainderPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
/// Functions of math that LLVM's backend does not have.
void populateNVVMFunctionPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTONVVM_PATTERNS_H
