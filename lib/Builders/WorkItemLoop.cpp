//===- WorkItemLoop.cpp - Loops that work-items share ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/WorkItemLoop.h"
#include "dialect/TinyTC.h"

using namespace mlir;
using namespace mlir::tinytc;

ArrayAttr tinytc::getWorkItemMapping(MLIRContext *context, int64_t rank) {
  SmallVector<Attribute> mapping;
  for (int64_t dimension = 0; dimension < rank; ++dimension)
    mapping.push_back(WorkItemAttr::get(context, dimension));
  return ArrayAttr::get(context, mapping);
}

scf::ForallOp tinytc::createWorkItemLoop(ImplicitLocOpBuilder &builder,
                                         ValueRange lower, ValueRange upper,
                                         ValueRange steps) {
  return scf::ForallOp::create(
      builder, llvm::to_vector_of<OpFoldResult>(lower),
      llvm::to_vector_of<OpFoldResult>(upper), llvm::to_vector_of<OpFoldResult>(steps),
      /*outputs=*/ValueRange(), getWorkItemMapping(builder.getContext(), lower.size()));
}
