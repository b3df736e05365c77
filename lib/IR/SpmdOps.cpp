//===- SpmdOps.cpp - Verifiers of the cooperative matrix instructions -----===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

using namespace mlir;
using namespace mlir::tinytc;

static std::string formatShape(CoopMatrixType type) {
  return formatSizes({type.getRows(), type.getColumns()});
}

LogicalResult CooperativeMatrixLoadOp::verify() {
  MemrefType source = getSource().getType();
  // cooperative_matrix_load_c1
  if (failed(verifyOrder(*this, NamedMemref{"source", source}, 2)))
    return failure();
  // cooperative_matrix_load_c2
  return verifyComponentType(*this, {"source", source}, getType());
}

LogicalResult CooperativeMatrixStoreOp::verify() {
  MemrefType dest = getDest().getType();
  // cooperative_matrix_store_c1
  if (failed(verifyOrder(*this, NamedMemref{"dest", dest}, 2)))
    return failure();
  // cooperative_matrix_store_c2
  return verifyComponentType(*this, {"dest", dest}, getMatrix().getType());
}

LogicalResult CooperativeMatrixScaleOp::verify() {
  // cooperative_matrix_scale_c1
  Type component = getMatrix().getType().getElementType();
  if (getScalar().getType() != component)
    return emitOpError("expected 'scalar' to have the component type ")
           << component << " of 'matrix', got " << getScalar().getType();
  return success();
}

LogicalResult CooperativeMatrixMulAddOp::verify() {
  CoopMatrixType a = getA().getType(), b = getB().getType(), c = getC().getType();
  CoopMatrixType d = getType();
  struct NamedUse {
    StringRef name;
    CoopMatrixType type;
    MatrixUse use;
  };
  // cooperative_matrix_mul_add_c1
  const NamedUse uses[] = {{"a", a, MatrixUse::A},
                           {"b", b, MatrixUse::B},
                           {"c", c, MatrixUse::Acc},
                           {"result", d, MatrixUse::Acc}};
  for (auto [name, type, use] : uses)
    if (type.getUse() != use)
      return emitOpError("expected '")
             << name << "' to have use " << stringifyMatrixUse(use) << ", got "
             << stringifyMatrixUse(type.getUse());
  // cooperative_matrix_mul_add_c2
  if (failed(verifySize(*this, "the rows of 'b'", b.getRows(), "the columns of 'a'",
                        a.getColumns())))
    return failure();
  // cooperative_matrix_mul_add_c3
  if (failed(verifySize(*this, "the rows of 'c'", c.getRows(), "the rows of 'a'",
                        a.getRows())) ||
      failed(verifySize(*this, "the columns of 'c'", c.getColumns(),
                        "the columns of 'b'", b.getColumns())))
    return failure();
  // cooperative_matrix_mul_add_c4
  if (formatShape(d) != formatShape(c))
    return emitOpError("expected 'result' to have the shape ")
           << formatShape(c) << " of 'c', got " << formatShape(d);
  // cooperative_matrix_mul_add_c5
  Type product = promote(a.getElementType(), b.getElementType());
  if (!product)
    return emitOpError("expected 'a' and 'b' to have component types of which one is "
                       "promotable to the other, got ")
           << a.getElementType() << " and " << b.getElementType();
  if (!isPromotable(product, c.getElementType()))
    return emitOpError("expected 'c' to have a component type that ")
           << product << " is promotable to, got " << c.getElementType();
  // cooperative_matrix_mul_add_c6
  if (!isCastAllowed(c.getElementType(), d.getElementType()))
    return emitOpError("expected 'result' to have a component type that ")
           << c.getElementType() << " can be cast to, got " << d.getElementType();
  return success();
}
