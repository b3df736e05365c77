//===- SerializeToObject.cpp - Object files from LLVM's backend -----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/KernelTable.h"
#include "lib/Families/RunSafely.h"
#include "lib/Target/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <map>
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

/// Lets vectors of a fixed length be in registers of SVE, which have that length.
static void setRegisterLength(llvm::Module &module, unsigned units) {
  for (llvm::Function &function : module)
    function.addFnAttr(
        llvm::Attribute::getWithVScaleRangeArgs(module.getContext(), units, units));
}

/// What the symbols of kernels with a taken name begin with; the loader knows it, too.
static constexpr llvm::StringLiteral kTakenPrefix = "__tinytc_kernel_";

/// Whether code may call a function of this name that is not ours: LLVM's passes and
/// its code generator know these functions of libraries. C keeps names that begin with
/// '__' for compilers, ours among them.
static bool isTaken(StringRef name, const llvm::TargetLibraryInfoImpl &library) {
  llvm::LibFunc function;
  return name.starts_with("__") || library.getLibFunc(name, function) ||
         !llvm::RTLIB::RuntimeLibcallsInfo::lookupLibcallImplName(name).empty();
}

/// Gives kernels with a taken name another symbol, so that nobody calls them in place
/// of the function of that name.
static void renameKernels(llvm::Module &module) {
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  SmallVector<llvm::Function *> kernels;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage() &&
        isTaken(function.getName(), library))
      kernels.push_back(&function);
  // The new name of one may be the old one of another, which is longer.
  llvm::stable_sort(kernels, [](llvm::Function *a, llvm::Function *b) {
    return a->getName().size() > b->getName().size();
  });
  for (llvm::Function *kernel : kernels)
    kernel->setName(kTakenPrefix + kernel->getName());
}

/// Hides the divisors of vectors from LLVM's code generator: it takes an element for 0
/// if the number and the divisor are known to be 0 there, but 0 / 0 is NaN.
static void hideDivisors(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &division : llvm::instructions(function)) {
      bool divides = division.getOpcode() == llvm::Instruction::FDiv ||
                     division.getOpcode() == llvm::Instruction::FRem;
      if (!divides || !division.getType()->isVectorTy())
        continue;
      llvm::Value *divisor = division.getOperand(1);
      division.setOperand(1, llvm::IRBuilder<>(&division).CreateArithmeticFence(
                                 divisor, divisor->getType()));
    }
}

namespace {

/// The processor that LLVM compiles for.
struct Processor {
  std::string triple, chip, features;
  /// Length of the registers of SVE in units of 16 bytes, 0 without SVE.
  unsigned sveUnits = 0;

  static Processor get(const Target &target) {
    bool hasSve = target.features.contains("+sve");
    if (!target.triple.empty())
      return {target.triple.str(), target.chip.str(), target.features.str(),
              hasSve ? unsigned(target.machines.front().registerBytes / 16) : 0};
    static const Processor host = getHost();
    return host;
  }

private:
  static Processor getHost() {
    std::string features;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") +
                  std::string(feature.second ? "+" : "-") + feature.first().str();
    std::string triple = llvm::sys::getDefaultTargetTriple();
    // Our loader reads ELF on every system. macOS takes register x18 away from threads.
    if (llvm::Triple(triple).isOSDarwin()) {
      triple = "aarch64-unknown-linux-gnu";
      features += ",+reserve-x18";
    }
    return {triple, llvm::sys::getHostCPUName().str(), features, /*sveUnits=*/0};
  }
};

/// The passes of LLVM between the stages and its code generator. Kernels are vectors
/// already, and their loops test the end last; of O2's passes, these are the ones that
/// make code faster. The first one makes loops single blocks: otherwise, instcombine
/// moves what only a later block uses there, in the opposite order. Loops whose length
/// is not known stay as they are: their steps are a tile's already, and for some
/// processors LLVM would repeat them up to hundreds of instructions.
static constexpr llvm::StringLiteral kPasses =
    "function<eager-inv>(simplifycfg,early-cse<memssa>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,loop-mssa(licm),"
    "loop-unroll<O2;no-runtime>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg)";

/// Optimizes the functions of a module and writes code of them.
class CodeWriter final : public LLVM::ModuleToObject {
public:
  CodeWriter(gpu::GPUModuleOp kernels, const Processor &processor, CodeForm form)
      : ModuleToObject(*kernels, processor.triple, processor.chip, processor.features,
                       /*optLevel=*/2),
        kernels(kernels), sveUnits(processor.sveUnits), form(form) {}

  /// Says that LLVM has crashed. The machines of this thread are not used again.
  static LogicalResult reportCrash(gpu::GPUModuleOp kernels) {
    for (auto &machine : getKeptMachines())
      (void)machine.second.release();
    getKeptMachines().clear();
    return kernels.emitError(
        "expected code that LLVM can compile, got a crash of LLVM");
  }

protected:
  void setDataLayoutAndTriple(llvm::Module &module) override {
    machine = getMachine();
    if (!machine)
      return;
    module.setDataLayout(machine->createDataLayout());
    module.setTargetTriple(machine->getTargetTriple());
  }

  LogicalResult optimizeModule(llvm::Module &module, int optLevel) override {
    if (!machine)
      return failure();
    renameKernels(module);
    module.getContext().setDiagnosticHandlerCallBack(report, this);
    llvm::PassBuilder builder(machine);
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::ModulePassManager passes;
    llvm::cantFail(builder.parsePassPipeline(passes, kPasses));
    passes.run(module, modules);
    hideDivisors(module);
    return success(!isRefused);
  }

  FailureOr<SmallVector<char, 0>> moduleToObject(llvm::Module &module) override {
    if (sveUnits != 0)
      setRegisterLength(module, sveUnits);
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
      return kernels.emitError("expected a processor that LLVM writes code for, got '")
             << triple << "'";
    passes.run(module);
    if (isRefused)
      return failure();
    return code;
  }

private:
  static void report(const llvm::DiagnosticInfo *info, void *writer) {
    static_cast<CodeWriter *>(writer)->report(*info);
  }

  /// Code that needs too much of the stack is an error of its kernel. Remarks, which
  /// nothing asks for, are dropped.
  void report(const llvm::DiagnosticInfo &info) {
    if (auto *stack = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info)) {
      isRefused = true;
      findKernel(stack->getFunction())
              ->emitError("expected a kernel whose code needs at most ")
          << stack->getResourceLimit() << " bytes of the stack, got "
          << stack->getResourceSize();
      return;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error) {
      isRefused = true;
      findPlace(info)->emitError("expected code that LLVM can compile, got the error '")
          << text << "'";
    } else if (info.getSeverity() == llvm::DS_Warning) {
      findPlace(info)->emitWarning("LLVM warns: ") << text;
    }
  }

  Operation *findKernel(const llvm::Function &function) {
    StringRef name = function.getName();
    name.consume_front(kTakenPrefix);
    Operation *kernel = kernels.lookupSymbol(name);
    return kernel ? kernel : kernels;
  }

  /// The kernel that a diagnostic is about, or all of them.
  Operation *findPlace(const llvm::DiagnosticInfo &info) {
    using namespace llvm;
    const Instruction *instruction = nullptr;
    if (auto *assembly = dyn_cast<DiagnosticInfoInlineAsm>(&info))
      instruction = assembly->getInstruction();
    else if (auto *generic = dyn_cast<DiagnosticInfoGeneric>(&info))
      instruction = generic->getInstruction();
    else if (auto *unsupported = dyn_cast<DiagnosticInfoUnsupported>(&info))
      return findKernel(unsupported->getFunction());
    else if (auto *registers = dyn_cast<DiagnosticInfoRegAllocFailure>(&info))
      return findKernel(registers->getFunction());
    return instruction ? findKernel(*instruction->getFunction()) : kernels;
  }

  /// The machine for the processor, null after a diagnostic. It is kept for the next
  /// module of this thread: a new one reads the names of all features again.
  llvm::TargetMachine *getMachine() {
    std::unique_ptr<llvm::TargetMachine> &kept =
        getKeptMachines()[llvm::join_items(" ", triple, chip, features)];
    if (kept)
      return kept.get();
    FailureOr<llvm::TargetMachine *> known = getOrCreateTargetMachine();
    if (failed(known))
      return nullptr;
    // Code may be anywhere in memory, but its parts are near each other.
    kept.reset((*known)->getTarget().createTargetMachine(
        (*known)->getTargetTriple(), chip, features, llvm::TargetOptions(),
        llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
    return kept.get();
  }

  using Machines = std::map<std::string, std::unique_ptr<llvm::TargetMachine>>;

  static Machines &getKeptMachines() {
    static thread_local Machines machines;
    return machines;
  }

  llvm::TargetMachine *machine = nullptr;
  gpu::GPUModuleOp kernels;
  unsigned sveUnits;
  CodeForm form;
  bool isRefused = false;
};

/// LLVM would abort: it has no parser of assembly here.
static LogicalResult refuseAssembly(gpu::GPUModuleOp kernels) {
  StringRef name = LLVM::LLVMDialect::getModuleLevelAsmAttrName();
  if (Attribute assembly = kernels->getAttr(name))
    return kernels.emitError("expected code without assembly, got ") << assembly;
  WalkResult result = kernels.walk([](LLVM::InlineAsmOp op) {
    if (op.getAsmString().empty())
      return WalkResult::advance();
    op.emitError("expected code without assembly, got '") << op.getAsmString() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

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
    FailureOr<const Target *> target = getTargetOf(getOperation(), "native");
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
    if (form != CodeForm::LLVM && failed(refuseAssembly(kernels)))
      return failure();
    std::optional<SmallVector<char, 0>> code;
    if (!runSafely([&] { code = CodeWriter(kernels, processor, form).run(); }))
      return CodeWriter::reportCrash(kernels);
    if (!code)
      return failure();
    OpBuilder builder(kernels);
    SmallVector<Attribute> names;
    SmallVector<LLVM::LLVMFuncOp> functions;
    for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal() && function.getLinkage() != LLVM::Linkage::Internal) {
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
