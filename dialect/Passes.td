//===- Passes.td - Passes of tinytc ---------------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PASSES_TD
#define TINYTC_PASSES_TD

include "mlir/Pass/PassBase.td"
include "dialect/passes/LanguagePasses.td"
include "dialect/passes/LinalgPasses.td"
include "dialect/passes/SPIRVPasses.td"
include "dialect/passes/NVVMPasses.td"
include "dialect/passes/NativePasses.td"

//===----------------------------------------------------------------------===//
// Any stage
//===----------------------------------------------------------------------===//

def SimplifyCollectivePass : Pass<"tinytc-simplify-collective"> {
  let summary = "canonicalize what a work-group and its work-items run";
  let description = [{
    Does what upstream's canonicalizer does, but for four rules. Two adjacent barriers
    become one with the fences of both; upstream drops one of them and knows nothing of
    fences. A `memref.view` of local memory gets no static size, which pointers do not
    have. A `memref.reinterpret_cast` with a size that is known to be negative, which is
    undefined behaviour, gets the size 0: upstream asserts when it makes such a size a
    part of the type. Bounds of an `scf.forall` stay operands, which changes no result
    but the order of constants in the code.

    With `uplift-to-fma` it also does what `math-uplift-to-fma` does, without another
    traversal: products and sums that allow contraction become `math.fma`.
  }];
  let options = [Option<"upliftToFMA", "uplift-to-fma", "bool", "false",
                        "contract products and sums that allow it">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

#endif // TINYTC_PASSES_TD
