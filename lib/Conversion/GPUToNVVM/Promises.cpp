//===- Promises.cpp - What LLVM may assume of pointers --------------------===//
//
// LLVM loads what is adjacent at once only if it knows the alignment, and gathers loads
// only if no store is between them. A kernel with products has variants that promise
// both; the launch looks whether arrays keep the promise.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

using Manifest = TinyTCDialect::ManifestAttrHelper;

/// Alignment in bytes of what a work-item loads at once, at most.
static constexpr int64_t kVectorBytes = 16;

namespace {
/// A memref parameter of a kernel.
struct PointerParameter {
  unsigned index;
  /// What the program promises; 0 for nothing.
  int64_t alignment;
  /// Whether the kernel reads elements and writes none.
  bool isOnlyRead;
};
} // namespace

static bool hasAccess(DictionaryAttr argument, ArrayRef<StringRef> kinds) {
  auto access = argument.getAs<StringAttr>("access");
  return access && llvm::is_contained(kinds, access.getValue());
}

/// The memref parameters of a kernel, by its manifest and the kernel ABI; members of
/// groups are not among them. Fails if the manifest is not one of this kernel.
static FailureOr<SmallVector<PointerParameter>>
getPointerParameters(LLVM::LLVMFuncOp kernel, ArrayAttr arguments) {
  SmallVector<PointerParameter> pointers;
  unsigned next = 0;
  // A number that is only known at the launch is a parameter of its own.
  auto countUnknown = [](Attribute value) -> unsigned {
    auto list = dyn_cast_or_null<ArrayAttr>(value);
    return list ? llvm::count_if(list, llvm::IsaPred<UnitAttr>)
                : isa_and_nonnull<UnitAttr>(value);
  };
  for (Attribute entry : arguments) {
    auto argument = dyn_cast<DictionaryAttr>(entry);
    auto kind = argument ? argument.getAs<StringAttr>("kind") : StringAttr();
    if (!kind || next >= kernel.getNumArguments())
      return failure();
    if (kind == "memref") {
      auto alignment = argument.getAs<IntegerAttr>("alignment");
      pointers.push_back({next, alignment ? alignment.getValue().getSExtValue() : 0,
                          hasAccess(argument, {"read"})});
      if (!isa<LLVM::LLVMPointerType>(kernel.getArgumentTypes()[next]) ||
          (alignment && !alignment.getValue().isPowerOf2()))
        return failure();
    }
    ++next;
    if (kind != "scalar")
      for (StringRef sizes : {"shape", "stride"})
        next += countUnknown(argument.get(sizes));
    if (kind == "group")
      for (StringRef sizes : {"size", "offset"})
        next += countUnknown(argument.get(sizes));
  }
  return pointers;
}

static void setAlignment(LLVM::LLVMFuncOp kernel, unsigned parameter, int64_t bytes) {
  Builder builder(kernel.getContext());
  kernel.setArgAttr(parameter, LLVM::LLVMDialect::getAlignAttrName(),
                    builder.getI64IntegerAttr(bytes));
}

/// Whether a kernel writes members of a group, whose places no launch looks at.
static bool writesGroups(ArrayAttr arguments) {
  return llvm::any_of(arguments.getAsRange<DictionaryAttr>(), [](DictionaryAttr entry) {
    auto kind = entry.getAs<StringAttr>("kind");
    return kind && kind == "group" && hasAccess(entry, {"write", "read_write"});
  });
}

/// Promises that nothing is written where the kernel reads through these pointers: LLVM
/// then loads what is adjacent at once, and through the cache for constants. What is
/// written gets no promise. LLVM would take it to hold for other lanes as well, whose
/// stores are visible after a barrier.
static void promiseNoOverlap(LLVM::LLVMFuncOp kernel,
                             ArrayRef<PointerParameter> pointers) {
  for (PointerParameter pointer : pointers)
    if (pointer.isOnlyRead)
      kernel.setArgAttr(pointer.index, LLVM::LLVMDialect::getNoAliasAttrName(),
                        UnitAttr::get(kernel.getContext()));
}

/// Whether an operation is a product of fragments of f64, for which upstream has no op.
static bool isProductOfDoubles(Operation *op) {
  auto code = dyn_cast<LLVM::InlineAsmOp>(op);
  return code && code.getAsmString().starts_with("mma.");
}

/// Whether any operation of a kernel is one of `isChosen`.
static bool hasAny(LLVM::LLVMFuncOp kernel, function_ref<bool(Operation *)> isChosen) {
  return kernel
      .walk([&](Operation *op) {
        return isChosen(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a kernel adds up products in registers. Loads that LLVM may move over the
/// stores after such sums take registers away from them, and ptxas then spills.
static bool hasSums(LLVM::LLVMFuncOp kernel) {
  return hasAny(kernel, [](Operation *op) {
    auto sum = dyn_cast<LLVM::FMAOp>(op);
    if (!sum)
      return isa<NVVM::MmaOp>(op);
    auto argument = dyn_cast<BlockArgument>(sum.getC());
    bool isCarried = argument && !argument.getOwner()->isEntryBlock();
    return isCarried || sum.getC().getDefiningOp<LLVM::FMAOp>();
  });
}

LogicalResult tinytc::specializePointers(LLVM::LLVMFuncOp kernel) {
  DictionaryAttr manifest = getDiscardable<Manifest>(kernel);
  auto arguments = manifest ? manifest.getAs<ArrayAttr>("arguments") : ArrayAttr();
  if (!arguments)
    return success();
  FailureOr<SmallVector<PointerParameter>> pointers =
      getPointerParameters(kernel, arguments);
  if (failed(pointers))
    return kernel.emitError("expected '")
           << Manifest::getNameStr() << "' to describe the parameters of '"
           << kernel.getName() << "', got " << arguments;
  bool mayOverlap = writesGroups(arguments) || hasSums(kernel);
  bool gains = false;
  for (PointerParameter pointer : *pointers) {
    gains |= pointer.alignment < kVectorBytes || (pointer.isOnlyRead && !mayOverlap);
    if (pointer.alignment > 0)
      setAlignment(kernel, pointer.index, pointer.alignment);
  }
  bool isDebug = manifest.contains("checks");
  bool hasProducts = hasAny(kernel, llvm::IsaPred<LLVM::FMAOp, NVVM::MmaOp>);
  if (!gains || isDebug || !hasProducts || hasAny(kernel, isProductOfDoubles))
    return success();
  std::string name = (kernel.getName() + "__aligned").str();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  auto variant = cast<LLVM::LLVMFuncOp>(builder.clone(*kernel));
  variant.setName(name);
  removeDiscardable<Manifest>(variant);
  for (PointerParameter pointer : *pointers)
    setAlignment(variant, pointer.index, std::max(pointer.alignment, kVectorBytes));
  if (!mayOverlap)
    promiseNoOverlap(variant, *pointers);
  NamedAttrList entries(manifest);
  entries.set("aligned_variant", builder.getStringAttr(name));
  if (mayOverlap)
    entries.set("variant_may_overlap", builder.getBoolAttr(true));
  setDiscardable<Manifest>(kernel, entries.getDictionary(kernel.getContext()));
  return success();
}
