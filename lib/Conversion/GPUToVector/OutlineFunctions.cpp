//===- OutlineFunctions.cpp - Calls of functions of math ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/GPUToVector/OutlineFunctions.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/LaneShapes.h"
#include "lib/Conversion/GPUToLLVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tinytc;

/// The most instructions that functions of a kernel may have inline
/// (docs/decisions/lanes-as-vectors.md).
static constexpr int64_t kMostInlineOps = 8192;

bool tinytc::isExpanded(Operation *op, bool fuses) {
  if (isa<math::SinOp, math::CosOp, arith::RemFOp>(op))
    return fuses;
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log1pOp,
             math::Log2Op, math::PowFOp, math::RsqrtOp, math::TanhOp>(op);
}

/// About as many instructions as a function takes for some lanes. Without fused
/// multiply-adds, each of these is a call for each lane.
static int64_t countOps(Operation *op, int64_t lanes, int64_t registerBytes,
                        bool fuses) {
  bool isCircular = isa<math::SinOp, math::CosOp>(op);
  bool isLong = isCircular || isa<math::PowFOp, arith::RemFOp>(op);
  // Sines and cosines are computed in f64.
  int64_t bytes = isCircular ? 8 : getElementBytes(op->getResult(0).getType());
  int64_t ofRegister = (isLong ? 96 : 32) * (fuses ? 1 : 8);
  return ofRegister * llvm::divideCeil(lanes * bytes, registerBytes);
}

namespace {

class FunctionOutliner {
public:
  FunctionOutliner(gpu::GPUModuleOp kernels, int64_t registerBytes)
      : kernels(kernels), registerBytes(registerBytes) {}

  /// Calls are of parts of `lanes` lanes.
  void replace(Operation *op, int64_t lanes) {
    Type type = op->getResult(0).getType();
    int64_t count = std::gcd(lanes, registerBytes / getElementBytes(type));
    gpu::GPUFuncOp function = getFunction(op, count);
    OpBuilder builder(op);
    auto call = func::CallOp::create(builder, op->getLoc(), function.getName(), type,
                                     op->getOperands());
    op->replaceAllUsesWith(call);
    op->erase();
  }

private:
  gpu::GPUFuncOp getFunction(Operation *op, int64_t lanes) {
    std::string name;
    llvm::raw_string_ostream(name) << "__tinytc_" << op->getName().stripDialect() << '_'
                                   << op->getResult(0).getType() << '_' << lanes;
    if (auto math = dyn_cast<arith::ArithFastMathInterface>(op))
      name += "_" + std::to_string(uint32_t(math.getFastMathFlagsAttr().getValue()));
    gpu::GPUFuncOp &function = made[name];
    // Programs may have any names.
    while (!function && kernels.lookupSymbol(name))
      name += "_";
    return function ? function : function = createFunction(op, lanes, name);
  }

  gpu::GPUFuncOp createFunction(Operation *op, int64_t lanes, StringRef name) {
    auto builder = ImplicitLocOpBuilder::atBlockEnd(op->getLoc(), kernels.getBody());
    auto memory = MemRefType::get({ShapedType::kDynamic}, op->getResult(0).getType());
    SmallVector<Type> types(op->getNumOperands() + 1, memory);
    auto function =
        gpu::GPUFuncOp::create(builder, name, builder.getFunctionType(types, {}));
    auto size = static_cast<int32_t>(lanes);
    function.setKnownBlockSize(ArrayRef<int32_t>{size, 1, 1});
    setDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(
        function, builder.getI32IntegerAttr(size));
    Block &body = function.getBody().front();
    builder.setInsertionPointToStart(&body);
    Value block = gpu::BlockIdOp::create(builder, gpu::Dimension::x);
    Value count = arith::ConstantIndexOp::create(builder, lanes);
    Value first = arith::MulIOp::create(builder, block, count);
    Value lane = gpu::ThreadIdOp::create(builder, gpu::Dimension::x);
    Value place = arith::AddIOp::create(builder, first, lane);
    IRMapping mapping;
    for (auto [operand, argument] : llvm::zip(op->getOperands(), body.getArguments()))
      mapping.map(operand,
                  memref::LoadOp::create(builder, argument, place).getResult());
    Value result = builder.clone(*op, mapping)->getResult(0);
    memref::StoreOp::create(builder, result, body.getArguments().back(), place);
    gpu::ReturnOp::create(builder);
    return function;
  }

  gpu::GPUModuleOp kernels;
  int64_t registerBytes;
  llvm::StringMap<gpu::GPUFuncOp> made;
};

} // namespace

void tinytc::outlineFunctions(gpu::GPUModuleOp kernels, int64_t registerBytes,
                              bool fuses) {
  FunctionOutliner outliner(kernels, registerBytes);
  for (auto kernel : llvm::to_vector(kernels.getOps<gpu::GPUFuncOp>())) {
    // Without sizes, there is an error later.
    std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
    IntegerAttr subgroup =
        getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(kernel);
    if (!size || !subgroup)
      continue;
    int64_t lanes = int64_t((*size)[0]) * (*size)[1], ops = 0;
    SmallVector<Operation *> functions;
    kernel.walk([&](Operation *op) {
      if (!isExpanded(op, /*fuses=*/true) || !op->getResult(0).getType().isFloat())
        return;
      functions.push_back(op);
      ops += countOps(op, lanes, registerBytes, fuses);
    });
    if (ops > kMostInlineOps)
      for (Operation *op : functions)
        outliner.replace(op, std::gcd(lanes, subgroup.getInt()));
  }
}
