//===- WorkItemLoop.cpp - Loops that work-items share ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/WorkItemLoop.h"
#include "dialect/TinyTC.h"

using namespace mlir;
using namespace mlir::tinytc;

scf::ForallOp tinytc::createWorkItemLoop(ImplicitLocOpBuilder &builder,
                                         ValueRange lower, ValueRange upper,
                                         ValueRange steps) {
  SmallVector<Attribute> mapping;
  for (size_t dimension = 0; dimension < lower.size(); ++dimension)
    mapping.push_back(WorkItemAttr::get(builder.getContext(), dimension));
  return scf::ForallOp::create(builder, llvm::to_vector_of<OpFoldResult>(lower),
                               llvm::to_vector_of<OpFoldResult>(upper),
                               llvm::to_vector_of<OpFoldResult>(steps),
                               /*outputs=*/ValueRange(), builder.getArrayAttr(mapping));
}
