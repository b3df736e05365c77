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
  let summary = "canonicalize, but keep the loops that are yet to be distributed";
  let description = [{
    Upstream's canonicalizer inlines an `scf.parallel` of a single iteration. Outside of
    such a loop, code is run by each work-item: the body would no longer run once. It
    also gives a `memref.view` of local memory a static size, which pointers do not have.

    It merges two adjacent barriers into one with the fences of both; upstream drops one
    of them and knows nothing of fences. A `memref.reinterpret_cast` with a size that is
    known to be negative, which is undefined behaviour, gets the size 0: upstream asserts
    when it makes such a size a part of the type.

    With `uplift-to-fma` it also does what `math-uplift-to-fma` does, without another
    traversal: products and sums that allow contraction become `math.fma`.
  }];
  let options = [Option<"upliftToFMA", "uplift-to-fma", "bool", "false",
                        "contract products and sums that allow it">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

#endif // TINYTC_PASSES_TD
