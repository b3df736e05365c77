//===- DescribeGroupBounds.cpp - Which groups fit the arrays --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/DisjointBlocks.h"
#include "lib/Analysis/GroupBounds.h"
#include "lib/Analysis/Work.h"
#include "lib/Transforms/Manifest.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_DESCRIBEGROUPBOUNDSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The line of an instruction in its file, if its location names one.
static std::optional<int64_t> getLine(Operation *op) {
  std::optional<FileLineColRange> place = getPlace(op->getLoc());
  return place ? std::optional<int64_t>(place->getStartLine()) : std::nullopt;
}

static StringAttr getInstruction(Operation *op) {
  return StringAttr::get(op->getContext(), op->getName().stripDialect());
}

namespace {

/// Writes what an analysis has found as attributes.
class BoundsDescriber {
public:
  BoundsDescriber(MLIRContext *context, const GroupBounds &bounds)
      : builder(context), bounds(bounds) {}

  template <typename Container>
  auto describeAll(const Container &found) {
    return llvm::map_to_vector(found, [&](const auto &each) { return describe(each); });
  }

  BoundAttr describe(const GroupBound &bound) {
    return builder.getAttr<BoundAttr>(
        getRootName(bound.modes.parameter), getModes(bound.modes), bound.dimension,
        describe(bound.index), bound.size ? describe(*bound.size) : SumAttr(),
        describeAll(bound.conditions), describeOthers(bound),
        bound.block ? describe(*bound.block) : BlockAccessAttr());
  }

  EqualSizesAttr describe(const EqualSizes &sizes) {
    return builder.getAttr<EqualSizesAttr>(
        describe(sizes.size), describe(sizes.expected), getInstruction(sizes.op),
        getLine(sizes.op), describeAll(sizes.conditions),
        sizes.reason.empty() ? StringAttr() : builder.getStringAttr(sizes.reason));
  }

  UncheckedUseAttr describe(const UncheckedUse &use) {
    return builder.getAttr<UncheckedUseAttr>(
        getRootName(use.modes.parameter), getModes(use.modes),
        builder.getStringAttr(use.reason),
        use.bound ? describe(*use.bound) : BoundAttr());
  }

  GroupAccessAttr describe(const GroupAccess &access) {
    OtherIndexAttr other;
    if (access.index == GroupIndex::Other)
      other = builder.getAttr<OtherIndexAttr>(builder.getStringAttr(access.reason),
                                              getLine(access.op));
    StringRef index = other                                ? "other"
                      : access.index == GroupIndex::Shared ? "shared"
                                                           : "group_id";
    return builder.getAttr<GroupAccessAttr>(getRootName(access.modes.parameter),
                                            getModes(access.modes),
                                            builder.getStringAttr(index), other);
  }

  InstructionAttr describe(Operation *op) {
    return builder.getAttr<InstructionAttr>(getInstruction(op), getLine(op));
  }

private:
  /// The name of a parameter or an alloca in messages.
  StringAttr getRootName(unsigned number) {
    Value root = bounds.roots[number];
    if (auto parameter = dyn_cast<BlockArgument>(root))
      return getArgumentName(parameter);
    std::optional<int64_t> line = getLine(root.getDefiningOp());
    return builder.getStringAttr(line ? "alloca in line " + Twine(*line) : "alloca");
  }

  /// The mode of the parts of complex numbers is -1.
  static SmallVector<int64_t> getModes(IndexedModes indexed) {
    SmallVector<int64_t> modes;
    for (unsigned mode = 0; mode < indexed.count; ++mode)
      modes.push_back(int32_t(indexed.first + mode));
    return modes;
  }

  Attribute describe(Variable variable) {
    if (variable.kind == Variable::Kind::Quotient) {
      const LaunchQuotient &quotient = bounds.quotients[variable.number];
      return builder.getArrayAttr({builder.getStringAttr("/"),
                                   describe(quotient.dividend).getTerms(),
                                   builder.getI64IntegerAttr(quotient.divisor)});
    }
    SmallVector<Attribute> value{getRootName(variable.number)};
    switch (variable.kind) {
    case Variable::Kind::Size:
    case Variable::Kind::MemberSize:
      value.push_back(builder.getI64IntegerAttr(variable.mode));
      break;
    case Variable::Kind::Stride:
      value.push_back(builder.getI64IntegerAttr(variable.mode));
      value.push_back(builder.getStringAttr("stride"));
      break;
    case Variable::Kind::Associated:
      value.push_back(builder.getUnitAttr());
      value.push_back(builder.getStringAttr("associated"));
      break;
    default:
      break;
    }
    return builder.getArrayAttr(value);
  }

  SumAttr describe(const Polynomial &polynomial) {
    SmallVector<Attribute> terms;
    for (const auto &[product, coefficient] : polynomial.getTerms()) {
      SmallVector<Attribute> term{builder.getI64IntegerAttr(coefficient)};
      for (Variable variable : product)
        term.push_back(describe(variable));
      terms.push_back(builder.getArrayAttr(term));
    }
    return builder.getAttr<SumAttr>(builder.getArrayAttr(terms));
  }

  LinearAttr describe(const Polynomial::Line &line) {
    return builder.getAttr<LinearAttr>(describe(line.slope), describe(line.rest));
  }

  /// The slope of a place in memory in each id, and the place of the first group.
  Attribute describePlace(Polynomial place) {
    SmallVector<Attribute> sums;
    for (unsigned dimension = 0; dimension < kNumDimensions; ++dimension) {
      Polynomial::Line line = place.split(getGroupId(dimension));
      sums.push_back(describe(line.slope));
      place = line.rest;
    }
    sums.push_back(describe(place));
    return builder.getArrayAttr(sums);
  }

  BlockAccessAttr describe(const BlockAccess &block) {
    ArrayAttr reach;
    if (block.reach)
      reach = builder.getArrayAttr(
          {describePlace(block.reach->first), describePlace(block.reach->last)});
    return builder.getAttr<BlockAccessAttr>(getInstruction(block.op), getLine(block.op),
                                            builder.getStringAttr(block.checked),
                                            reach);
  }

  /// Dimension and slope of the other ids that move an index; null if there are none.
  ArrayAttr describeOthers(const GroupBound &bound) {
    SmallVector<Attribute> others;
    for (auto [dimension, slope] : llvm::enumerate(bound.otherSlopes))
      if (!slope.getTerms().empty())
        others.push_back(builder.getArrayAttr(
            {builder.getI64IntegerAttr(dimension), describe(slope)}));
    return others.empty() ? ArrayAttr() : builder.getArrayAttr(others);
  }

  Builder builder;
  const GroupBounds &bounds;
};

} // namespace

/// The sizes of a block: unknown for a whole mode, and 1 for one that is not known.
static SmallVector<int64_t> getBlockSizes(const ParameterBlock &block) {
  SmallVector<int64_t> sizes;
  for (auto [number, mode] : llvm::enumerate(block.modes)) {
    auto value = dyn_cast_if_present<Value>(mode.size);
    auto size = value ? value.getDefiningOp<SizeOp>() : SizeOp();
    bool isWhole = !mode.size || (size && size.getSource() == block.parameter &&
                                  uint64_t(size.getMode()) == number);
    sizes.push_back(isWhole ? ShapedType::kDynamic
                            : getConstantIntValue(mode.size).value_or(1));
  }
  return sizes;
}

/// Each rule once, with the line of the first instruction that has it.
static SmallVector<DisjointBlocksAttr> describeDisjointBlocks(FuncOp func) {
  SmallVector<DisjointBlocksAttr> found;
  DenseSet<Attribute> known;
  for (const DisjointBlocks &blocks : getDisjointBlocks(func)) {
    auto describeAt = [&](std::optional<int64_t> line) {
      return DisjointBlocksAttr::get(
          func.getContext(), getArgumentName(blocks.written.parameter),
          getArgumentName(blocks.read.parameter), getBlockSizes(blocks.written),
          getBlockSizes(blocks.read),
          SmallVector<int64_t>(blocks.moved.begin(), blocks.moved.end()),
          mayUpdateInPlace(blocks.op), blocks.memberMode, getInstruction(blocks.op),
          line);
    };
    if (known.insert(describeAt(std::nullopt)).second)
      found.push_back(describeAt(getLine(blocks.op)));
  }
  return found;
}

GroupBoundsAttr tinytc::describeGroupBounds(FuncOp func) {
  GroupBounds found = getGroupBounds(func);
  BoundsDescriber describer(func.getContext(), found);
  SmallVector<int64_t> dimensions;
  for (auto [dimension, isUsed] : llvm::enumerate(found.usesDimension))
    if (isUsed)
      dimensions.push_back(dimension);
  Work work = getWork(func);
  return GroupBoundsAttr::get(
      func.getContext(), work.flops, work.bytes, describer.describeAll(found.bounds),
      describer.describeAll(found.equalSizes), describeDisjointBlocks(func),
      describer.describeAll(found.unchecked), describer.describeAll(found.accesses),
      describer.describeAll(found.launchDependent), dimensions);
}

namespace {

struct DescribeGroupBounds final
    : tinytc::impl::DescribeGroupBoundsPassBase<DescribeGroupBounds> {
  using DescribeGroupBoundsPassBase::DescribeGroupBoundsPassBase;

  void runOnOperation() override {
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (!getManifest(func).getBounds())
        setManifest(func, getManifest(func).withBounds(describeGroupBounds(func)));
  }
};

} // namespace
