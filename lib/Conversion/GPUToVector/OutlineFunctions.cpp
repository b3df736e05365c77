//===- OutlineFunctions.cpp - Calls of functions of math ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/GPUToVector/OutlineFunctions.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/LaneShapes.h"
#include "lib/Builders/Outlining.h"
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

/// The most results of ops in a row that become a function, and about how many
/// instructions of one register they are.
static constexpr unsigned kMostPassedBack = 4;
static constexpr int64_t kOpsOfFunction = 256;

/// How many instructions ops in a row are at least for each value that is passed to
/// their function or back: as many as a store and a load take, for a value that LLVM
/// could not keep in registers either.
static constexpr int64_t kOpsPerValue = 3;

/// How many registers the values of a vector need before ops in a row may be a
/// function: fewer are for LLVM to keep.
static constexpr int64_t kMinRegisters = 8;

/// Whether an op computes a number, or a condition, from others.
static bool computesNumber(Operation *op) {
  auto isNumber = [](Type type) { return type.isIntOrFloat(); };
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) && isPure(op) &&
         op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         !op->hasTrait<OpTrait::ConstantLike>() &&
         llvm::all_of(op->getResultTypes(), isNumber) &&
         llvm::all_of(op->getOperandTypes(), isNumber);
}

/// About as many instructions as an op takes for each register: where processors do not
/// convert numbers of 16 bits, integers do; multiply-adds are calls there.
static int64_t countPerRegister(Operation *op, bool fuses) {
  auto isNarrow = [](Type type) { return type.isF16() || type.isBF16(); };
  if (fuses)
    return 1;
  return isa<math::FmaOp>(op) || llvm::any_of(op->getResultTypes(), isNarrow) ||
                 llvm::any_of(op->getOperandTypes(), isNarrow)
             ? 16
             : 1;
}

namespace {

/// Consecutive ops, their operands, and the results that others use.
struct Stretch {
  SmallVector<Operation *> ops;
  SetVector<Value> operands, results;
  int64_t weight = 0;

  bool isWorthCall() const {
    return !results.empty() && results.size() <= kMostPassedBack &&
           weight >= kOpsPerValue * int64_t(operands.size() + results.size());
  }
};

/// Cuts the numeric ops of a block into stretches that have few results.
class StretchFinder {
public:
  explicit StretchFinder(bool fuses) : fuses(fuses) {}

  SmallVector<Stretch> find(Block &block) {
    for (Operation &op : block) {
      if (!computesNumber(&op)) {
        if (!op.hasTrait<OpTrait::ConstantLike>())
          end();
        continue;
      }
      add(&op);
      if (stretch.weight >= kOpsOfFunction && live.size() <= kMostPassedBack)
        end();
    }
    end();
    return std::move(found);
  }

private:
  void add(Operation *op) {
    stretch.ops.push_back(op);
    stretch.weight += countPerRegister(op, fuses);
    for (Value operand : op->getOperands()) {
      auto use = live.find(operand);
      if (use == live.end()) {
        if (!matchPattern(operand, m_Constant()))
          stretch.operands.insert(operand);
      } else if (--use->second == 0) {
        live.erase(use);
      }
    }
    Value result = op->getResult(0);
    if (!result.use_empty())
      live[result] = std::distance(result.use_begin(), result.use_end());
  }

  void end() {
    for (Operation *op : stretch.ops)
      if (live.contains(op->getResult(0)))
        stretch.results.insert(op->getResult(0));
    if (stretch.isWorthCall())
      found.push_back(std::move(stretch));
    stretch = Stretch();
    live.clear();
  }

  bool fuses;
  Stretch stretch;
  /// How many uses later ops have of what the stretch computes.
  DenseMap<Value, int64_t> live;
  SmallVector<Stretch> found;
};

/// The type of a value in memory: a condition takes a byte.
static Type getPassedType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

static Value createPassed(OpBuilder &b, Location loc, Value value) {
  Type type = getPassedType(value.getType());
  return type == value.getType() ? value : arith::ExtUIOp::create(b, loc, type, value);
}

static Value createFromPassed(OpBuilder &b, Location loc, Value passed, Type type) {
  return type == passed.getType() ? passed
                                  : arith::TruncIOp::create(b, loc, type, passed);
}

class FunctionOutliner {
public:
  FunctionOutliner(gpu::GPUModuleOp kernels, int64_t registerBytes)
      : kernels(kernels), registerBytes(registerBytes) {}

  /// Calls are of parts of `lanes` lanes.
  void replace(Operation *op, int64_t lanes) {
    lanes =
        std::gcd(lanes, registerBytes / getElementBytes(op->getResult(0).getType()));
    std::string name;
    llvm::raw_string_ostream(name) << "__tinytc_" << op->getName().stripDialect() << '_'
                                   << op->getResult(0).getType() << '_' << lanes;
    if (auto math = dyn_cast<arith::ArithFastMathInterface>(op))
      name += "_" + std::to_string(uint32_t(math.getFastMathFlagsAttr().getValue()));
    gpu::GPUFuncOp &function = named[name];
    if (!function)
      function = createFunction(op, op->getOperands(), op->getResults(), lanes, name);
    replace(op, op->getOperands(), op->getResults(), function);
  }

  void replace(const Stretch &stretch, int64_t lanes) {
    ValueRange operands = stretch.operands.getArrayRef(),
               results = stretch.results.getArrayRef();
    for (ValueRange values : {operands, results})
      for (Type type : values.getTypes())
        lanes = std::gcd(lanes, registerBytes / getElementBytes(getPassedType(type)));
    gpu::GPUFuncOp function =
        createFunction(stretch.ops, operands, results, lanes, "__tinytc_numbers");
    auto same = llvm::find_if(numbers, [&](gpu::GPUFuncOp other) {
      return other.getKnownBlockSize() == function.getKnownBlockSize() &&
             computesSame(other, function);
    });
    if (same == numbers.end()) {
      numbers.push_back(function);
    } else {
      function.erase();
      function = *same;
    }
    replace(stretch.ops, operands, results, function);
  }

private:
  static void replace(ArrayRef<Operation *> ops, ValueRange operands,
                      ValueRange results, gpu::GPUFuncOp function) {
    OpBuilder builder(ops.back());
    Location loc = ops.back()->getLoc();
    SmallVector<Value> passed;
    for (Value operand : operands)
      passed.push_back(createPassed(builder, loc, operand));
    auto types = llvm::map_to_vector(results.getTypes(), getPassedType);
    auto call = func::CallOp::create(builder, loc, function.getName(), types, passed);
    for (auto [result, passed] : llvm::zip_equal(results, call.getResults()))
      result.replaceAllUsesWith(
          createFromPassed(builder, loc, passed, result.getType()));
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

  gpu::GPUFuncOp createFunction(ArrayRef<Operation *> ops, ValueRange operands,
                                ValueRange results, int64_t lanes, StringRef name) {
    auto builder =
        ImplicitLocOpBuilder::atBlockEnd(ops.front()->getLoc(), kernels.getBody());
    SmallVector<Type> types;
    for (ValueRange values : {operands, results})
      for (Type type : values.getTypes())
        types.push_back(MemRefType::get({ShapedType::kDynamic}, getPassedType(type)));
    auto function = gpu::GPUFuncOp::create(builder, createUniqueName(kernels, name),
                                           builder.getFunctionType(types, {}));
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
    for (auto [operand, argument] : llvm::zip(operands, body.getArguments())) {
      Value passed = memref::LoadOp::create(builder, argument, place);
      mapping.map(operand, createFromPassed(builder, builder.getLoc(), passed,
                                            operand.getType()));
    }
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand, builder.clone(*operand.getDefiningOp())->getResult(0));
      builder.clone(*op, mapping);
    }
    auto memories = body.getArguments().drop_front(operands.size());
    for (auto [result, argument] : llvm::zip_equal(results, memories))
      memref::StoreOp::create(
          builder, createPassed(builder, builder.getLoc(), mapping.lookup(result)),
          argument, place);
    gpu::ReturnOp::create(builder);
    return function;
  }

  gpu::GPUModuleOp kernels;
  int64_t registerBytes;
  llvm::StringMap<gpu::GPUFuncOp> named;
  SmallVector<gpu::GPUFuncOp> numbers;
};

} // namespace

/// Replaces numeric ops in a row by calls if they are many in registers of `lanes`.
static void outlineStretches(gpu::GPUFuncOp kernel, FunctionOutliner &outliner,
                             int64_t lanes, int64_t registerBytes, int64_t ofSubgroup,
                             bool fuses) {
  int64_t ops = 0;
  kernel.walk([&](Operation *op) {
    if (!computesNumber(op))
      return;
    int64_t bytes = getElementBytes(op->getResult(0).getType());
    int64_t registers = llvm::divideCeil(lanes * bytes, registerBytes);
    ops += registers >= kMinRegisters ? countPerRegister(op, fuses) * registers : 0;
  });
  if (ops <= kMostInlineOps)
    return;
  SmallVector<Block *> blocks;
  kernel.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks) {
    SmallVector<Stretch> stretches = StretchFinder(fuses).find(*block);
    // The last first, whose operands are results of the others.
    for (const Stretch &stretch : llvm::reverse(stretches))
      outliner.replace(stretch, ofSubgroup);
  }
}

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
    outlineStretches(kernel, outliner, lanes, registerBytes,
                     std::gcd(lanes, subgroup.getInt()), fuses);
  }
}
