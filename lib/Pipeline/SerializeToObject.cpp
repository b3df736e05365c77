//===- SerializeToObject.cpp - Object files from LLVM's backend -----------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Pipeline/KernelTable.h"
#include "lib/Target/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

namespace mlir::tinytc {
#define GEN_PASS_DEF_SERIALIZETOOBJECTPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

// Declared here since llvm/Support/TargetSelect.h names all targets, and the host's
// alone may be configured.
extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeAArch64TargetInfo();
void LLVMInitializeAArch64Target();
void LLVMInitializeAArch64TargetMC();
void LLVMInitializeAArch64AsmPrinter();
}

using namespace mlir;
using namespace mlir::tinytc;

static void initializeBackends() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

namespace {

/// What LLVM compiles for.
struct Processor {
  std::string triple, chip, features;

  static Processor get(const Target &target) {
    if (!target.triple.empty())
      return {target.triple.str(), target.chip.str(), target.features.str()};
    static const Processor host = getHost();
    return host;
  }

private:
  static Processor getHost() {
    std::string features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") +
                  std::string(feature.second ? "+" : "-") + feature.first().str();
    return {llvm::sys::getDefaultTargetTriple(), llvm::sys::getHostCPUName().str(),
            features};
  }
};

/// Optimizes the functions of a module and writes an object file of them.
class ObjectWriter final : public LLVM::ModuleToObject {
public:
  ObjectWriter(gpu::GPUModuleOp kernels, const Processor &processor)
      : ModuleToObject(*kernels, processor.triple, processor.chip, processor.features,
                       /*optLevel=*/2) {}

protected:
  FailureOr<SmallVector<char, 0>> moduleToObject(llvm::Module &module) override {
    FailureOr<llvm::TargetMachine *> known = getOrCreateTargetMachine();
    if (failed(known))
      return failure();
    // Code may be anywhere in memory, but its parts are near each other.
    std::unique_ptr<llvm::TargetMachine> machine(
        (*known)->getTarget().createTargetMachine(
            (*known)->getTargetTriple(), (*known)->getTargetCPU(),
            (*known)->getTargetFeatureString(), llvm::TargetOptions(),
            llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
    SmallVector<char, 0> object;
    llvm::raw_svector_ostream stream(object);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                     llvm::CodeGenFileType::ObjectFile))
      return failure();
    passes.run(module);
    return object;
  }
};

struct SerializeToObject final
    : tinytc::impl::SerializeToObjectPassBase<SerializeToObject> {
  using SerializeToObjectPassBase::SerializeToObjectPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeToObjectPassBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    FailureOr<const Target *> target = getNativeTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    initializeBackends();
    Processor processor = Processor::get(**target);
    for (auto kernels :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(serialize(kernels, processor)))
        return signalPassFailure();
  }

private:
  LogicalResult serialize(gpu::GPUModuleOp kernels, const Processor &processor) {
    std::optional<SmallVector<char, 0>> code = ObjectWriter(kernels, processor).run();
    if (!code)
      return failure();
    OpBuilder builder(kernels);
    SmallVector<Attribute> names;
    SmallVector<LLVM::LLVMFuncOp> functions;
    for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal()) {
        functions.push_back(function);
        names.push_back(function.getNameAttr());
      }
    // The table of kernels has been sorted by name.
    DictionaryAttr order = builder.getDictionaryAttr(
        builder.getNamedAttr(kKernelOrder, builder.getArrayAttr(names)));
    Attribute object = gpu::ObjectAttr::get(
        builder.getContext(), findTarget(getOperation()),
        gpu::CompilationTarget::Binary,
        builder.getStringAttr(StringRef(code->data(), code->size())), order,
        createKernelTable(builder.getContext(), functions));
    gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                          /*offloadingHandler=*/Attribute(), {object});
    kernels.erase();
    return success();
  }
};

} // namespace
