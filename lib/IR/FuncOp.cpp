//===- FuncOp.cpp - Kernels -----------------------------------------------===//

#include "lib/IR/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// func ::= symbol-name `(` argument-list `)` (`attributes` attr-dict)? region
ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types;
  for (const OpAsmParser::Argument &argument : arguments)
    types.push_back(argument.type);
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(types, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(builder, result, arguments, resultAttrs,
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  // Unlike a declaration, a kernel without instructions has a body.
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  call_interface_impl::printFunctionSignature(
      printer, getFunctionType().getInputs(), getArgAttrsAttr(), /*isVariadic=*/false,
      getFunctionType().getResults(), getResAttrsAttr(), &getBody(),
      /*printEmptyResult=*/false);
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getFunctionTypeAttrName(), getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

//===----------------------------------------------------------------------===//
// Attributes of a parameter
//===----------------------------------------------------------------------===//

static bool isGcdAttr(StringRef name) {
  return name == FuncOp::getShapeGcdAttrName() ||
         name == FuncOp::getStrideGcdAttrName();
}

/// Checks name and type of one of our attributes of a memref or group parameter.
static LogicalResult verifyParameterAttr(FuncOp func, unsigned index,
                                         NamedAttribute attr) {
  StringRef name = attr.getName();
  // func_c6
  if (name != FuncOp::getAlignmentAttrName() && !isGcdAttr(name))
    return func.emitOpError("expected one of the attributes '")
           << FuncOp::getAlignmentAttrName() << "', '" << FuncOp::getShapeGcdAttrName()
           << "' and '" << FuncOp::getStrideGcdAttrName() << "' on parameter " << index
           << ", got '" << name << "'";
  Type type = func.getArgumentTypes()[index];
  if (!isa<MemrefType, GroupType>(type))
    return func.emitOpError("expected '")
           << name << "' on a memref or group parameter, got it on parameter " << index
           << " of type " << type;
  auto alignment = dyn_cast<IntegerAttr>(attr.getValue());
  if (isGcdAttr(name) ? !isa<DenseI64ArrayAttr>(attr.getValue())
                      : !(alignment && alignment.getType().isSignlessInteger(64)))
    return func.emitOpError("expected '")
           << name << "' of parameter " << index << " to be "
           << (isGcdAttr(name) ? "an array of i64" : "an i64") << ", got "
           << attr.getValue();
  return success();
}

/// Checks a list of divisors against the sizes or the strides that it divides.
static LogicalResult verifyGcds(FuncOp func, unsigned index, StringRef name,
                                ArrayRef<int64_t> sizes) {
  auto gcds = func.getArgAttrOfType<DenseI64ArrayAttr>(index, name);
  if (!gcds)
    return success();
  // func_c8
  if (gcds.size() > static_cast<int64_t>(sizes.size()))
    return func.emitOpError("expected '")
           << name << "' of parameter " << index << " to have at most " << sizes.size()
           << " entries, the order of the memref, got " << gcds.size();
  for (int64_t gcd : gcds.asArrayRef())
    if (gcd < 1)
      return func.emitOpError("expected the entries of '")
             << name << "' of parameter " << index << " to be positive, got " << gcd;
  // func_c9
  for (auto [mode, gcd, size] : llvm::enumerate(gcds.asArrayRef(), sizes))
    if (!ShapedType::isDynamic(size) && size % gcd != 0)
      return func.emitOpError("expected entry ")
             << mode << " of '" << name << "' of parameter " << index << " to divide "
             << size << ", got " << gcd;
  return success();
}

static LogicalResult verifyParameterAttrs(FuncOp func, unsigned index) {
  for (NamedAttribute attr : function_interface_impl::getArgAttrs(func, index))
    if (attr.getName().getValue().starts_with("tinytc.") &&
        failed(verifyParameterAttr(func, index, attr)))
      return failure();
  Type type = func.getArgumentTypes()[index];
  auto group = dyn_cast<GroupType>(type);
  auto memref = group ? group.getMemrefType() : dyn_cast<MemrefType>(type);
  if (!memref)
    return success();
  // func_c7
  StringRef alignmentName = FuncOp::getAlignmentAttrName();
  auto alignment = func.getArgAttrOfType<IntegerAttr>(index, alignmentName);
  if (alignment && failed(verifyAlignment(
                       func, "'" + alignmentName + "' of parameter " + Twine(index),
                       alignment.getInt(), memref.getElementType())))
    return failure();
  if (failed(verifyGcds(func, index, FuncOp::getShapeGcdAttrName(), memref.getShape())))
    return failure();
  return verifyGcds(func, index, FuncOp::getStrideGcdAttrName(), memref.getStride());
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static bool isParameterType(Type type) {
  return type.isInteger(1) || isScalarType(type) || isa<MemrefType, GroupType>(type);
}

static LogicalResult verifyWorkGroupSize(FuncOp func) {
  std::optional<uint32_t> subgroupSize = func.getSubgroupSize();
  // func_c3
  if (subgroupSize && static_cast<int32_t>(*subgroupSize) < 1)
    return func.emitOpError("expected 'subgroup_size' to be positive, got ")
           << static_cast<int32_t>(*subgroupSize);
  std::optional<ArrayRef<int32_t>> size = func.getWorkGroupSize();
  if (!size)
    return success();
  // func_c4
  if (size->size() != 2)
    return func.emitOpError("expected 'work_group_size' to have 2 entries, got ")
           << size->size();
  if ((*size)[0] < 1 || (*size)[1] < 1)
    return func.emitOpError("expected the entries of 'work_group_size' to be positive, "
                            "got ")
           << (*size)[0] << " and " << (*size)[1];
  // func_c5
  if (subgroupSize && (*size)[0] % *subgroupSize != 0)
    return func.emitOpError("expected the first entry of 'work_group_size' to be a "
                            "multiple of 'subgroup_size' = ")
           << *subgroupSize << ", got " << (*size)[0];
  return success();
}

LogicalResult FuncOp::verify() {
  // func_c1
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (!isParameterType(type))
      return emitOpError("expected parameter ")
             << index << " to have boolean, scalar, memref or group type, got " << type;
  // func_c11
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (auto memref = dyn_cast<MemrefType>(type); memref && memref.isLocal())
      return emitOpError("expected parameter ")
             << index << " to be in the global address space, got " << type;
  // func_c2
  if (getNumResults() != 0)
    return emitOpError("expected a kernel to have no results, got ") << getNumResults();
  if (failed(verifyWorkGroupSize(*this)))
    return failure();
  for (unsigned index = 0; index < getNumArguments(); ++index)
    if (failed(verifyParameterAttrs(*this, index)))
      return failure();
  // func_c10
  if (auto outer = (*this)->getParentOfType<FuncOp>())
    return emitOpError("expected a kernel to stand in no other kernel, got one in '")
               .append(outer.getSymName(), "'")
               .attachNote(outer.getLoc())
           << "outer kernel is here";
  return success();
}
