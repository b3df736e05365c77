//===- LoweringOps.td - Ops that only the lowering makes ----*- tablegen -*-===//
//
// What the stages after `tinytc` need and no upstream dialect has. The text of the
// language has no word for these ops.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LOWERINGOPS_TD
#define TINYTC_LOWERINGOPS_TD

def TinyTC_OpaqueIndexOp
    : Op<TinyTC_Dialect, "opaque_index",
         [SameOperandsAndResultType, MemoryEffects<[MemWrite<TinyTC_Convergence>]>]> {
  let summary = "index that stays unknown to the driver";
  let description = [{
    Returns its operand. Two of these ops are never the same value, and none leaves the
    region it is in: each condition on the lane compares with one of its own, so that
    no pass and no driver can merge two conditions or move one out of a loop.

    Targets whose driver compiles such conditions wrongly get a broadcast over the
    subgroup, a convergent operation; for all others the op is its operand
    (docs/decisions/conditions-on-lanes.md).

    Execution: SPMD; the operand must be dynamically uniform. Writes no memory.

    Syntax: `%result = tinytc.opaque_index %index : index`

    ```mlir
    func.func @example(%row: index, %rows: index) -> i1 {
      %end = tinytc.opaque_index %rows : index
      %is_inside = arith.cmpi slt, %row, %end : index
      return %is_inside : i1
    }
    ```
  }];
  let arguments = (ins Arg<Index, "uniform index">:$index);
  let results = (outs Res<Index, "the same index">:$result);
  let assemblyFormat = "$index attr-dict `:` type($result)";
}

#endif // TINYTC_LOWERINGOPS_TD
