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
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
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

/// The only lane that a mask of constants lets run, none if it lets others run.
static std::optional<unsigned> findOnlyLane(llvm::Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> only;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    llvm::Constant *runs = constant->getAggregateElement(lane);
    if (!runs || !llvm::isa<llvm::ConstantInt>(runs) || (runs->isOneValue() && only))
      return std::nullopt;
    if (runs->isOneValue())
      only = lane;
  }
  return only;
}

/// Stores elements of single lanes as scalars. Where they come from wider integers,
/// LLVM's code for x86 stores the wider ones, over the elements that follow.
static void storeSingleLanes(llvm::Module &module) {
  SmallVector<llvm::IntrinsicInst *> stores;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        if (call->getIntrinsicID() == llvm::Intrinsic::masked_store)
          stores.push_back(call);
  for (llvm::IntrinsicInst *store : stores) {
    // The operands are the vector, the pointer and the mask.
    std::optional<unsigned> lane = findOnlyLane(store->getArgOperand(2));
    if (!lane)
      continue;
    llvm::IRBuilder<> builder(store);
    llvm::Value *vector = store->getArgOperand(0), *base = store->getArgOperand(1);
    llvm::Type *element = vector->getType()->getScalarType();
    llvm::Align alignment =
        llvm::commonAlignment(store->getParamAlign(1).valueOrOne(),
                              module.getDataLayout().getTypeStoreSize(element) * *lane);
    builder.CreateAlignedStore(builder.CreateExtractElement(vector, *lane),
                               builder.CreateConstInBoundsGEP1_64(element, base, *lane),
                               alignment);
    store->eraseFromParent();
  }
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

/// Optimizes the functions of a module and writes code of them.
class CodeWriter final : public LLVM::ModuleToObject {
public:
  CodeWriter(gpu::GPUModuleOp kernels, const Processor &processor, CodeForm form)
      : ModuleToObject(*kernels, processor.triple, processor.chip, processor.features,
                       /*optLevel=*/2),
        form(form) {}

protected:
  FailureOr<SmallVector<char, 0>> moduleToObject(llvm::Module &module) override {
    FailureOr<llvm::TargetMachine *> known = getOrCreateTargetMachine();
    if (failed(known))
      return failure();
    storeSingleLanes(module);
    // Code may be anywhere in memory, but its parts are near each other.
    std::unique_ptr<llvm::TargetMachine> machine(
        (*known)->getTarget().createTargetMachine(
            (*known)->getTargetTriple(), (*known)->getTargetCPU(),
            (*known)->getTargetFeatureString(), llvm::TargetOptions(),
            llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
    SmallVector<char, 0> code;
    llvm::raw_svector_ostream stream(code);
    if (form == CodeForm::LLVM) {
      module.print(stream, /*AAW=*/nullptr);
      return code;
    }
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                     form == CodeForm::Object
                                         ? llvm::CodeGenFileType::ObjectFile
                                         : llvm::CodeGenFileType::AssemblyFile))
      return failure();
    passes.run(module);
    return code;
  }

private:
  CodeForm form;
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
    std::optional<SmallVector<char, 0>> code =
        CodeWriter(kernels, processor, form).run();
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
        form == CodeForm::Object ? gpu::CompilationTarget::Binary
                                 : gpu::CompilationTarget::Assembly,
        builder.getStringAttr(StringRef(code->data(), code->size())), order,
        createKernelTable(builder.getContext(), functions));
    gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                          /*offloadingHandler=*/Attribute(), {object});
    kernels.erase();
    return success();
  }
};

} // namespace
