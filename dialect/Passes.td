//===- Passes.td - Passes of tinytc ---------------------------*- tablegen -*-===//

#ifndef TINYTC_PASSES_TD
#define TINYTC_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// tinytc -> tinytc
//===----------------------------------------------------------------------===//

def AttachTargetPass : Pass<"tinytc-attach-target", "::mlir::ModuleOp"> {
  let summary = "attach the facts of a target to the module";
  let description = [{
    Sets the module attribute `tinytc.target`. A target that is attached already is
    kept. Fails if the table of targets has no such name.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "name of the target: cpu, intel-gpu:pvc, intel-gpu:dg2">
  ];
}

#endif // TINYTC_PASSES_TD
