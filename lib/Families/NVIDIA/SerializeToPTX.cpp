//===- SerializeToPTX.cpp - PTX from LLVM's backend -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/KernelTable.h"
#include "lib/Families/RunSafely.h"
#include "lib/Target/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

#include <mutex>

namespace mlir::tinytc {
#define GEN_PASS_DEF_SERIALIZETOPTXPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

// Declared here since llvm/Support/TargetSelect.h names all targets, and the host's
// alone may be configured.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace mlir;
using namespace mlir::tinytc;

using Manifest = TinyTCDialect::ManifestAttrHelper;

static constexpr char kTriple[] = "nvptx64-nvidia-cuda";

static void initializeBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

/// Hides signed extensions and truncations from LLVM's passes for addresses. Two of
/// them take sext(a + b) as sext(a) + sext(b) although the sum may wrap in its narrow
/// type: `slsr`, and `separate-const-offset-from-gep` where the sum is truncated.
static void freezeNarrowIntegers(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &cast :
         llvm::make_early_inc_range(llvm::instructions(function)))
      if (isa<llvm::SExtInst, llvm::TruncInst>(cast)) {
        auto *frozen =
            new llvm::FreezeInst(&cast, "", cast.getNextNode()->getIterator());
        cast.replaceUsesWithIf(frozen,
                               [&](llvm::Use &use) { return use.getUser() != frozen; });
      }
}

/// Copies words instead of 16 bytes at once; there are `bytes` at the source, if that
/// is given.
static void splitCopy(llvm::CallInst &copy, llvm::Value *bytes) {
  static constexpr int64_t kWordBytes = 4, kCopyBytes = 16;
  llvm::IRBuilder<> builder(&copy);
  for (int64_t i = 0; i < kCopyBytes; i += kWordBytes) {
    SmallVector<llvm::Value *> arguments;
    for (unsigned side : {0, 1})
      arguments.push_back(
          builder.CreateConstGEP1_64(builder.getInt8Ty(), copy.getArgOperand(side), i));
    if (bytes) {
      llvm::Value *rest = builder.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat,
                                                        bytes, builder.getInt32(i));
      arguments.push_back(builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rest,
                                                        builder.getInt32(kWordBytes)));
    }
    auto id = bytes ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4_s
                    : llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4;
    builder.CreateIntrinsic(id, arguments);
  }
  copy.eraseFromParent();
}

/// Splits asynchronous copies of 16 bytes from addresses that are not known to be a
/// multiple of 16: those in kernels for any alignment, and of members of groups.
static void splitCopies(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::AssumptionCache assumptions(function);
    llvm::DominatorTree tree(function);
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *copy = dyn_cast<llvm::CallInst>(&instruction);
      if (!copy)
        continue;
      auto id = copy->getIntrinsicID();
      bool hasBytes = id == llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s;
      if (!hasBytes && id != llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16)
        continue;
      llvm::Align known = llvm::getKnownAlignment(
          copy->getArgOperand(1), module.getDataLayout(), copy, &assumptions, &tree);
      if (known < llvm::Align(16))
        splitCopy(*copy, hasBytes ? copy->getArgOperand(2) : nullptr);
    }
  }
}

namespace {

/// Optimizes the kernels of a module and writes their PTX.
class PTXWriter final : public LLVM::ModuleToObject {
public:
  PTXWriter(gpu::GPUModuleOp kernels, const Target &target)
      : ModuleToObject(*kernels, kTriple, target.chip, target.features,
                       /*optLevel=*/3) {}

protected:
  FailureOr<SmallVector<char, 0>> moduleToObject(llvm::Module &module) override {
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return failure();
    splitCopies(module);
    freezeNarrowIntegers(module);
    FailureOr<SmallString<0>> text = translateModuleToISA(
        module, **machine, [&] { return getOperation().emitError(); });
    if (failed(text))
      return failure();
    return SmallVector<char, 0>(text->begin(), text->end());
  }
};

struct SerializeToPTX final : tinytc::impl::SerializeToPTXPassBase<SerializeToPTX> {
  using SerializeToPTXPassBase::SerializeToPTXPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeToPTXPassBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    FailureOr<const Target *> target = getTargetOf(getOperation(), "nvidia_gpu");
    if (failed(target))
      return signalPassFailure();
    initializeBackend();
    for (auto kernels :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(serialize(kernels, **target)))
        return signalPassFailure();
  }

private:
  static LogicalResult serialize(gpu::GPUModuleOp kernels, const Target &target) {
    std::optional<SmallVector<char, 0>> text;
    if (!runSafely([&] { text = PTXWriter(kernels, target).run(); }))
      return kernels.emitError(
          "expected code that LLVM can compile, got a crash of LLVM");
    if (!text)
      return failure();
    OpBuilder builder(kernels);
    auto nvvmTarget = NVVM::NVVMTargetAttr::get(builder.getContext(), /*O=*/3, kTriple,
                                                target.chip, target.features);
    StringRef ptx = StringRef(text->data(), text->size()).rtrim('\0');
    Attribute object = gpu::ObjectAttr::get(
        builder.getContext(), nvvmTarget, gpu::CompilationTarget::Assembly,
        builder.getStringAttr(ptx), /*properties=*/DictionaryAttr(),
        describeKernels(kernels));
    gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                          /*offloadingHandler=*/Attribute(), {object});
    kernels.erase();
    return success();
  }

  /// The manifests of the kernels in a table of upstream's.
  static gpu::KernelTableAttr describeKernels(gpu::GPUModuleOp module) {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>())
      if (kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
        kernels.push_back(kernel);
    return createKernelTable(module.getContext(), kernels);
  }
};

} // namespace
