//===- Kernel.cpp - tinytc.func -> tile.entry -----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/tile/Passes.h"
#include "lib/Conversion/TinyTCToTile/Lowering.h"

#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CONVERTTOTILEPASS
#include "dialect/tile/TilePasses.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::tile_lowering;

// Vector loads and tensor maps want this alignment.
static constexpr int64_t kPromisedAlignment = 16;
static constexpr StringRef kAlignedSuffix = "__aligned";

LogicalResult Lowering::refuse(Operation *op, const Twine &reason) {
  StringRef name = op->getName().getStringRef();
  name.consume_front("tinytc.");
  return op->emitError("expected an instruction that Tile IR has, got '")
         << name << "': " << reason;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// One i64 for each `?`.
static size_t countDynamic(ArrayRef<int64_t> entries) {
  return llvm::count_if(entries, ShapedType::isDynamic);
}

/// The types that a parameter has in the entry.
static void appendTypes(Type type, SmallVectorImpl<Type> &types) {
  MLIRContext *context = type.getContext();
  Type i64 = IntegerType::get(context, 64);
  auto pointer = [](Type pointee) { return getTile(tile::PointerType::get(pointee)); };
  if (auto memref = dyn_cast<MemrefType>(type)) {
    types.push_back(pointer(getTileElement(memref.getElementType())));
    types.append(countDynamic(memref.getShape()) + countDynamic(memref.getStride()),
                 getTile(i64));
  } else if (auto group = dyn_cast<GroupType>(type)) {
    MemrefType member = group.getMemrefType();
    types.append(1 + countDynamic(member.getShape()) + countDynamic(member.getStride()),
                 pointer(i64));
    types.append(group.isDynamicSize() + group.isDynamicOffset(), getTile(i64));
  } else if (type.isInteger(1)) {
    types.push_back(getTile(IntegerType::get(context, 8)));
  } else {
    types.append(isa<ComplexType>(type) ? 2 : 1, getTile(getTileElement(type)));
  }
}

/// The divisors that a kernel promises of the sizes or strides of a parameter.
template <typename Helper>
static ArrayRef<int64_t> getDivisors(FuncOp func, unsigned parameter) {
  auto divisors =
      func.getArgAttrOfType<DenseI64ArrayAttr>(parameter, Helper::getNameStr());
  return divisors ? divisors.asArrayRef() : ArrayRef<int64_t>();
}

/// The alignment that a kernel promises of an array or of the members of a group.
static int64_t getAlignment(FuncOp func, unsigned parameter, MemrefType type) {
  auto given = func.getArgAttrOfType<IntegerAttr>(
      parameter, TinyTCDialect::AlignmentAttrHelper::getNameStr());
  return given ? given.getInt() : getSizeBytes(getRealType(type.getElementType()));
}

void Lowering::mapParameter(BlockArgument parameter, FuncOp func,
                            ArrayRef<Value> arguments) {
  Type type = parameter.getType();
  unsigned number = parameter.getArgNumber();
  const Value *next = arguments.begin();
  auto shapeGcd = getDivisors<TinyTCDialect::ShapeGcdAttrHelper>(func, number);
  auto strideGcd = getDivisors<TinyTCDialect::StrideGcdAttrHelper>(func, number);
  auto take = [&](ArrayRef<int64_t> known, ArrayRef<int64_t> divisors) {
    SmallVector<OpFoldResult> entries;
    for (auto [mode, entry] : llvm::enumerate(known))
      if (ShapedType::isDynamic(entry))
        entries.push_back(
            promise(*next++, mode < divisors.size() ? divisors[mode] : 1));
      else
        entries.push_back(builder.getI64IntegerAttr(entry));
    return entries;
  };
  if (auto memref = dyn_cast<MemrefType>(type)) {
    int64_t alignment = getAlignment(func, number, memref);
    if (aligned)
      alignment = std::max(alignment, kPromisedAlignment);
    Memref mapped{memref, *next++, {}, {}, alignment, {}};
    mapped.root = mapped.base;
    mapped.base = promise(mapped.base, mapped.alignment);
    mapped.sizes = take(memref.getShape(), shapeGcd);
    mapped.strides = take(memref.getStride(), strideGcd);
    memrefs[parameter] = std::move(mapped);
  } else if (auto group = dyn_cast<GroupType>(type)) {
    MemrefType member = group.getMemrefType();
    // The host does not read the table of members, so a launch cannot check these.
    int64_t alignment = getAlignment(func, number, member);
    Group mapped{group, *next++, {}, {}, {}, alignment, shapeGcd, strideGcd};
    size_t count = countDynamic(member.getShape()) + countDynamic(member.getStride());
    mapped.tables.assign(next, next + count);
    next += count;
    mapped.size = take({group.getSize()}, {}).front();
    mapped.offset = take({group.getOffset()}, {}).front();
    groups[parameter] = std::move(mapped);
  } else if (type.isInteger(1)) {
    Value zero = createConstant(getElement(*next), 0);
    numbers[parameter] = {compare(tile::ComparisonPredicate::NotEqual, *next, zero),
                          {}};
  } else {
    numbers[parameter] = {next[0], isa<ComplexType>(type) ? next[1] : Value()};
  }
}

LogicalResult Lowering::lower(FuncOp func, StringRef name) {
  SmallVector<SmallVector<Type>> types;
  SmallVector<Type> all;
  for (Type type : func.getArgumentTypes()) {
    appendTypes(type, types.emplace_back());
    llvm::append_range(all, types.back());
  }
  builder.setLoc(func.getLoc());
  auto entry = tile::EntryOp::create(builder, name, all);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry.getBody().front());
  Values arguments(entry.getBody().getArguments());
  size_t next = 0;
  for (auto [parameter, own] : llvm::zip(func.getArguments(), types)) {
    mapParameter(parameter, func, ArrayRef(arguments).slice(next, own.size()));
    next += own.size();
  }
  if (failed(lowerBlock(func.getBody().front())))
    return failure();
  builder.setLoc(func.getLoc());
  tile::ReturnOp::create(builder);
  return success();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerBlock(Block &block) {
  SmallVector<Value> outer = llvm::to_vector(llvm::make_first_range(locals));
  for (Operation &op : block.without_terminator()) {
    builder.setLoc(op.getLoc());
    if (failed(lowerOp(&op)))
      return failure();
  }
  // Memory that was allocated here ends with the block.
  locals.remove_if(
      [&](const auto &local) { return !llvm::is_contained(outer, local.first); });
  return success();
}

/// Why no program of tiles does what an instruction does.
static StringRef getReason(Operation *op) {
  if (isa<ParallelOp, ForeachTileOp>(op))
    return "a tile block has no work-items that could run a region each on its own";
  if (op->getName().getStringRef().contains("cooperative_matrix"))
    return "a cooperative matrix is distributed over a subgroup";
  if (op->getName().getStringRef().contains("subgroup"))
    return "a tile block has no subgroups";
  return "it has no counterpart";
}

LogicalResult Lowering::refuse(Operation *op) { return refuse(op, getReason(op)); }

/// The number of a tile block or of tile blocks, as an index.
template <typename GridOp>
static Value createGridIndex(ImplicitLocOpBuilder &builder, Dimension dimension) {
  Type i32 = getTile(builder.getI32Type());
  auto grid = GridOp::create(builder, i32, i32, i32);
  Value value = grid->getResult(static_cast<unsigned>(dimension));
  return tile::ExtIOp::create(builder, getTile(builder.getI64Type()), value,
                              tile::Signedness::Unsigned);
}

LogicalResult Lowering::lowerInquiry(Operation *op) {
  Value result = op->getResult(0), answer;
  if (auto id = dyn_cast<GroupIdOp>(op)) {
    answer = createGridIndex<tile::GetTileBlockIdOp>(builder, id.getDimension());
  } else if (auto count = dyn_cast<GroupSizeOp>(op)) {
    answer = createGridIndex<tile::GetNumTileBlocksOp>(builder, count.getDimension());
  } else if (auto size = dyn_cast<SizeOp>(op)) {
    Value source = size.getSource();
    answer = toValue(isa<GroupType>(source.getType())
                         ? groups[source].size
                         : memrefs[source].sizes[size.getMode()]);
  } else {
    Value source = op->getOperand(0);
    bool isGroup = isa<GroupType>(source.getType());
    Value root = isGroup ? groups[source].base : memrefs[source].root;
    if (root) {
      Value address =
          tile::PtrToIntOp::create(builder, getTile(builder.getI64Type()), root);
      answer = compare(tile::ComparisonPredicate::NotEqual, address, createIndex(0));
    } else { // local memory
      answer = createConstant(builder.getI1Type(), -1);
    }
  }
  numbers[result] = {answer, {}};
  return success();
}

/// Scalar instructions have no effects, and so have some without a counterpart.
LogicalResult Lowering::lowerDefault(Operation *op) {
  StringRef name = op->getName().getStringRef();
  bool isScalar = isa_and_nonnull<TinyTCDialect>(op->getDialect()) &&
                  isMemoryEffectFree(op) && op->getNumResults() == 1 &&
                  !name.starts_with("tinytc.builtin.") &&
                  !isa<StrideOp, IsDivisibleOp, IsConvertibleOp>(op);
  return isScalar ? lowerScalar(op) : refuse(op);
}

LogicalResult Lowering::lowerOp(Operation *op) {
  auto isMatrix = [](Type type) { return isa<CoopMatrixType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isMatrix) ||
      llvm::any_of(op->getResultTypes(), isMatrix))
    return refuse(op, "a cooperative matrix is distributed over a subgroup");
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<BlasOpInterface>([&](auto blas) { return lowerBlas(blas); })
      .Case<AllocaOp>([&](auto alloca) { return lowerAlloca(alloca); })
      // Tokens order accesses, and tiles end with their last use.
      .Case<BarrierOp, LifetimeStopOp>([](auto) { return success(); })
      .Case<GroupIdOp, GroupSizeOp, SizeOp, AssociatedOp>(
          [&](auto inquiry) { return lowerInquiry(inquiry); })
      .Case<ViewLikeOpInterface>([&](auto view) { return lowerView(view); })
      .Case<LoadOp, StoreOp, AtomicOpInterface>(
          [&](auto access) { return lowerElement(access); })
      .Case<ForOp>([&](auto loop) { return lowerFor(loop); })
      .Case<IfOp>([&](auto branch) { return lowerIf(branch); })
      .Case<ForeachOp>([&](auto loop) { return lowerForeach(loop, 0); })
      .Default([&](Operation *other) { return lowerDefault(other); });
}

/// Whether a promise of alignment tells the assembler anything: collective instructions
/// access arrays by views, single elements are as wide as they are.
static bool gainsByAlignment(FuncOp func) {
  bool isCollective = func.walk([](BlasOpInterface) { return WalkResult::interrupt(); })
                          .wasInterrupted();
  return isCollective && llvm::any_of(func.getArguments(), [&](BlockArgument argument) {
           auto memref = dyn_cast<MemrefType>(argument.getType());
           return memref && getAlignment(func, argument.getArgNumber(), memref) <
                                kPromisedAlignment;
         });
}

namespace {
struct ConvertToTile final : tinytc::impl::ConvertToTilePassBase<ConvertToTile> {
  using ConvertToTilePassBase::ConvertToTilePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<FuncOp>());
    if (kernels.empty())
      return;
    SymbolTable symbols(module);
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto tiles = tile::TileModuleOp::create(builder, module.getLoc(), "kernels");
    builder.setInsertionPointToEnd(&tiles.getBody().front());
    for (FuncOp func : kernels) {
      StringRef name = func.getName();
      if (failed(Lowering(builder, aligned).lower(func, name)))
        return signalPassFailure();
      std::string variant = (name + kAlignedSuffix).str();
      if (variants && gainsByAlignment(func) && !symbols.lookup(variant) &&
          failed(Lowering(builder, /*aligned=*/true).lower(func, variant)))
        return signalPassFailure();
    }
    for (FuncOp func : kernels)
      func.erase();
    // Inserted again, the module gets another name if that one is taken.
    tiles->remove();
    SymbolTable(module).insert(tiles);
  }
};
} // namespace
