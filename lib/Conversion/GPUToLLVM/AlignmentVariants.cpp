//===- AlignmentVariants.cpp - What LLVM may assume of pointers -----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// LLVM loads what is adjacent at once only if it knows the alignment, and gathers loads
// only if no store is between them. A kernel with products has variants that promise
// both; the launch checks whether arrays keep the promise.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Scalars.h"
#include "lib/Conversion/GPUToLLVM/Patterns.h"

#include <variant>

using namespace mlir;
using namespace mlir::tinytc;

using Manifest = TinyTCDialect::ManifestAttrHelper;

namespace {
/// A memref parameter of a kernel.
struct PointerParameter {
  unsigned index;
  /// The power of two that the program promises; 0 for nothing.
  int64_t alignment;
  /// Whether the kernel reads elements and writes none.
  bool isOnlyRead;
  int64_t elementBytes;
  /// The parameters that are strides of modes after the first one, whose elements are
  /// adjacent.
  SmallVector<unsigned> strides;
};

/// A group parameter of a kernel, a table of pointers.
struct GroupParameter {
  unsigned index;
  int64_t elementBytes;
  /// Elements from each pointer to its member: a number or a parameter.
  std::variant<int64_t, unsigned> offset;
};

struct Parameters {
  SmallVector<PointerParameter> memrefs;
  SmallVector<GroupParameter> groups;
};
} // namespace

/// How many numbers only the launch knows. Each is a parameter of its own.
static unsigned countUnknown(ArrayRef<int64_t> numbers) {
  return llvm::count_if(numbers, ShapedType::isDynamic);
}

/// The parameters that are strides of a memref, of which the first is `next`.
static SmallVector<unsigned> getStrides(MemrefType type, unsigned next) {
  ArrayRef<int64_t> strides = type.getStride();
  if (strides.empty() || ShapedType::isDynamic(strides.front()))
    return {};
  return llvm::to_vector(llvm::seq(next, next + countUnknown(strides)));
}

/// The memref and group parameters of a kernel, by its manifest and the kernel ABI.
/// Fails if the manifest is not one of this kernel.
static FailureOr<Parameters> getParameters(LLVM::LLVMFuncOp kernel,
                                           ArrayRef<ParameterAttr> arguments) {
  Parameters parameters;
  unsigned next = 0;
  for (ParameterAttr argument : arguments) {
    if (next >= kernel.getNumArguments())
      return failure();
    unsigned index = next++;
    MemrefType memref = argument.getMemref();
    if (!memref)
      continue;
    int64_t elementBytes = getSizeBytes(memref.getElementType());
    unsigned strides = next + countUnknown(memref.getShape());
    next = strides + countUnknown(memref.getStride());
    if (auto group = dyn_cast<GroupType>(argument.getType())) {
      GroupParameter parameter{index, elementBytes, group.getOffset()};
      next += countUnknown({group.getSize(), group.getOffset()});
      if (next > kernel.getNumArguments())
        return failure();
      if (ShapedType::isDynamic(group.getOffset()))
        parameter.offset = next - 1;
      parameters.groups.push_back(parameter);
      continue;
    }
    if (!isa<LLVM::LLVMPointerType>(kernel.getArgumentTypes()[index]))
      return failure();
    int64_t alignment = argument.getAlignment().value_or(0);
    parameters.memrefs.push_back({index, alignment & -alignment,
                                  argument.getIsRead() && !argument.getIsWritten(),
                                  elementBytes, getStrides(memref, strides)});
  }
  return parameters;
}

static void setAlignment(LLVM::LLVMFuncOp kernel, unsigned parameter, int64_t bytes) {
  Builder builder(kernel.getContext());
  kernel.setArgAttr(parameter, LLVM::LLVMDialect::getAlignAttrName(),
                    builder.getI64IntegerAttr(bytes));
}

/// Whether a kernel writes members of a group, whose addresses no launch checks.
static bool writesGroups(ArrayRef<ParameterAttr> arguments) {
  return llvm::any_of(arguments, [](ParameterAttr argument) {
    return isa<GroupType>(argument.getType()) && argument.getIsWritten();
  });
}

/// Promises that nothing is written where the kernel reads through these pointers: LLVM
/// then loads what is adjacent at once, and through the cache for constants. What is
/// written gets no promise. LLVM would take it to hold for other lanes as well, whose
/// stores are visible after a barrier. Kernels that load atomically expect others to
/// write.
static void promiseNoOverlap(LLVM::LLVMFuncOp kernel,
                             ArrayRef<PointerParameter> pointers) {
  WalkResult atomics = kernel.walk([](LLVM::LoadOp load) {
    return load.getOrdering() == LLVM::AtomicOrdering::not_atomic
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  if (atomics.wasInterrupted())
    return;
  for (const PointerParameter &pointer : pointers)
    if (pointer.isOnlyRead)
      kernel.setArgAttr(pointer.index, LLVM::LLVMDialect::getNoAliasAttrName(),
                        UnitAttr::get(kernel.getContext()));
}

/// Promises that the columns of matrices begin at multiples of 16 bytes.
static void promiseStrides(LLVM::LLVMFuncOp kernel,
                           ArrayRef<PointerParameter> pointers) {
  auto builder =
      ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &kernel.getBody().front());
  for (const PointerParameter &pointer : pointers) {
    int64_t multiple = std::max<int64_t>(kVectorBytes / pointer.elementBytes, 1);
    for (unsigned index : pointer.strides) {
      BlockArgument stride = kernel.getArgument(index);
      Value mask = LLVM::ConstantOp::create(builder, stride.getType(),
                                            builder.getI64IntegerAttr(-multiple));
      Value rounded = LLVM::AndOp::create(builder, stride, mask);
      stride.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
    }
  }
}

bool tinytc::hasAny(LLVM::LLVMFuncOp kernel, function_ref<bool(Operation *)> isChosen) {
  return kernel
      .walk([&](Operation *op) {
        return isChosen(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a kernel adds up products in registers. Loads that LLVM may move over the
/// stores after such sums take registers away from them, and ptxas then spills.
static bool hasSums(LLVM::LLVMFuncOp kernel,
                    function_ref<bool(Operation *)> isUnitProduct) {
  return hasAny(kernel, [&](Operation *op) {
    auto sum = dyn_cast<LLVM::FMAOp>(op);
    if (!sum)
      return isUnitProduct(op);
    auto argument = dyn_cast<BlockArgument>(sum.getC());
    bool isCarried = argument && !argument.getOwner()->isEntryBlock();
    return isCarried || sum.getC().getDefiningOp<LLVM::FMAOp>();
  });
}

/// The parameter that an address in memory is computed from; null if it is none.
static BlockArgument getParameter(Value address) {
  while (auto place = address.getDefiningOp<LLVM::GEPOp>())
    address = place.getBase();
  auto argument = dyn_cast<BlockArgument>(address);
  return argument && argument.getOwner()->isEntryBlock() ? argument : BlockArgument();
}

/// Promises that the member that a pointer of a table leads to begins at a multiple of
/// 16 bytes.
static void promiseAlignment(LLVM::LoadOp pointer, const GroupParameter &group) {
  ImplicitLocOpBuilder builder(pointer.getLoc(), pointer);
  builder.setInsertionPointAfter(pointer);
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, i64, value);
  };
  Value offset;
  if (const int64_t *known = std::get_if<int64_t>(&group.offset))
    offset = constant(*known * group.elementBytes);
  else
    offset =
        LLVM::MulOp::create(builder,
                            pointer->getParentOfType<LLVM::LLVMFuncOp>().getArgument(
                                std::get<unsigned>(group.offset)),
                            constant(group.elementBytes));
  Value member =
      LLVM::GEPOp::create(builder, pointer.getType(), builder.getI8Type(),
                          pointer.getResult(), ArrayRef<LLVM::GEPArg>{offset});
  Value always = LLVM::ConstantOp::create(builder, builder.getI1Type(), 1);
  LLVM::AssumeOp::create(builder, always, LLVM::AssumeAlignTag(), member,
                         constant(kVectorBytes));
}

/// Promises the alignment of all members.
static void promiseAlignedMembers(LLVM::LLVMFuncOp kernel,
                                  ArrayRef<GroupParameter> groups) {
  kernel.walk([&](LLVM::LoadOp load) {
    if (!isa<LLVM::LLVMPointerType>(load.getType()))
      return;
    BlockArgument table = getParameter(load.getAddr());
    const GroupParameter *group = llvm::find_if(groups, [&](GroupParameter each) {
      return table && each.index == table.getArgNumber();
    });
    if (group != groups.end())
      promiseAlignment(load, *group);
  });
}

/// A copy of a kernel right after it, without its manifest. It gets another name if
/// that one is taken.
static LLVM::LLVMFuncOp createVariant(LLVM::LLVMFuncOp kernel, const Twine &name) {
  LLVM::LLVMFuncOp variant = kernel.clone();
  variant.setName(name.str());
  removeDiscardable<Manifest>(variant);
  SymbolTable(kernel->getParentOp()).insert(variant, std::next(kernel->getIterator()));
  return variant;
}

LogicalResult
tinytc::addAlignmentVariants(LLVM::LLVMFuncOp kernel,
                             function_ref<bool(Operation *)> isUnitProduct) {
  ManifestAttr manifest = getManifest(kernel);
  KernelAttr description = manifest.getKernel();
  if (!description)
    return success();
  ArrayRef<ParameterAttr> arguments = description.getArguments();
  FailureOr<Parameters> parameters = getParameters(kernel, arguments);
  if (failed(parameters))
    return kernel.emitError("expected '")
           << Manifest::getNameStr() << "' to describe the parameters of '"
           << kernel.getName() << "', got " << description;
  ArrayRef<PointerParameter> pointers = parameters->memrefs;
  bool sumsUp = hasSums(kernel, isUnitProduct);
  bool mayOverlap = writesGroups(arguments) || sumsUp;
  bool isDebug = !description.getChecks().empty();
  bool hasProducts = hasAny(
      kernel, [&](Operation *op) { return isa<LLVM::FMAOp>(op) || isUnitProduct(op); });
  if (isDebug || !hasProducts)
    return success();
  auto addVariant = [&](LLVM::LLVMFuncOp of, StringRef suffix) {
    return createVariant(of, kernel.getName() + suffix);
  };
  LLVM::LLVMFuncOp aligned = kernel;
  if (!pointers.empty()) {
    aligned = addVariant(kernel, "__aligned");
    manifest = manifest.withAlignedVariant(aligned.getNameAttr())
                   .withVariantMayOverlap(mayOverlap);
    for (const PointerParameter &pointer : pointers)
      setAlignment(aligned, pointer.index, std::max(pointer.alignment, kVectorBytes));
    if (!mayOverlap)
      promiseNoOverlap(aligned, pointers);
    bool hasStrides = llvm::any_of(pointers, [](const PointerParameter &pointer) {
      return !pointer.strides.empty();
    });
    if (sumsUp && hasStrides) {
      promiseStrides(aligned, pointers);
      manifest = manifest.withAlignedStrides(true);
    }
  }
  if (!parameters->groups.empty()) {
    LLVM::LLVMFuncOp members = addVariant(aligned, "__aligned_members");
    promiseAlignedMembers(members, parameters->groups);
    manifest = manifest.withAlignedMembersVariant(members.getNameAttr());
  }
  setManifest(kernel, manifest);
  return success();
}
