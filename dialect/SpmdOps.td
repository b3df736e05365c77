//===- SpmdOps.td - SPMD instructions --------------------------*- tablegen -*-===//
//
// Chapter "SPMD instructions" of the language reference: builtins of a work-item,
// cooperative matrices, subgroup operations.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_SPMDOPS_TD
#define TINYTC_SPMDOPS_TD

class TinyTC_SpmdOp<string mnemonic, list<Trait> traits = []>
    : TinyTC_Op<mnemonic, !listconcat([Spmd], traits)>;

//===----------------------------------------------------------------------===//
// Builtins
//===----------------------------------------------------------------------===//

def TinyTC_SubgroupIdOp : TinyTC_Builtin<"subgroup_id", I32, Spmd> {
  let summary = "index of the subgroup in the work-group";
}
def TinyTC_SubgroupLocalIdOp : TinyTC_Builtin<"subgroup_local_id", I32, Spmd> {
  let summary = "index of the work-item in the subgroup";
}

//===----------------------------------------------------------------------===//
// Cooperative matrices
//===----------------------------------------------------------------------===//

def TinyTC_CooperativeMatrixLoadOp : TinyTC_SpmdOp<"cooperative_matrix_load"> {
  let summary = "cooperative matrix read from a matrix in memory";
  let arguments = (ins
    TinyTC_TransposeAttr:$transpose,
    DefaultValuedAttr<TinyTC_CheckedAttr,
                      "::mlir::tinytc::Checked::None">:$checked,
    Arg<TinyTC_Memref, "", [MemRead]>:$source, Index:$x, Index:$y);
  let results = (outs TinyTC_CoopMatrix:$result);
  let assemblyFormat = [{
    `` $transpose custom<OptionalChecked>($checked) $source `[` $x `,` $y `]` attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixMulAddOp
    : TinyTC_SpmdOp<"cooperative_matrix_mul_add", [Pure]> {
  let summary = "product of cooperative matrices plus a third";
  let arguments = (ins
    TinyTC_CoopMatrix:$a, TinyTC_CoopMatrix:$b, TinyTC_CoopMatrix:$c);
  let results = (outs TinyTC_CoopMatrix:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($c)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixScaleOp : TinyTC_SpmdOp<"cooperative_matrix_scale", [
    Pure, AllTypesMatch<["matrix", "result"]>]> {
  let summary = "cooperative matrix times a scalar";
  let arguments = (ins TinyTC_Scalar:$scalar, TinyTC_CoopMatrix:$matrix);
  let results = (outs TinyTC_CoopMatrix:$result);
  let assemblyFormat = [{
    $scalar `,` $matrix attr-dict `:` qualified(type($scalar)) `,` qualified(type($matrix))
  }];
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixStoreOp : TinyTC_SpmdOp<"cooperative_matrix_store"> {
  let summary = "cooperative matrix written to a matrix in memory";
  let arguments = (ins
    DefaultValuedAttr<TinyTC_CheckedAttr,
                      "::mlir::tinytc::Checked::None">:$checked,
    DefaultValuedAttr<TinyTC_StoreFlagAttr,
                      "::mlir::tinytc::StoreFlag::Regular">:$flag,
    TinyTC_CoopMatrix:$matrix,
    Arg<TinyTC_Memref, "", [MemWrite]>:$dest, Index:$x, Index:$y);
  let assemblyFormat = [{
    custom<OptionalChecked>($checked) custom<OptionalStoreFlag>($flag)
    $matrix `,` $dest `[` $x `,` $y `]` attr-dict `:` qualified(type($matrix)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Subgroup operations
//===----------------------------------------------------------------------===//

/// What other work-items contribute is read: nothing may move such an op to where
/// other work-items are active, so it is neither speculatable nor free of effects.
def TinyTC_Convergence : Resource<"::mlir::tinytc::ConvergenceResource">;

def TinyTC_SubgroupBroadcastOp : TinyTC_SpmdOp<"subgroup_broadcast", [
    MemoryEffects<[MemRead<TinyTC_Convergence>]>, AllTypesMatch<["a", "result"]>]> {
  let summary = "value of one work-item given to all of its subgroup";
  let arguments = (ins TinyTC_Scalar:$a, I32:$lane);
  let results = (outs TinyTC_Scalar:$result);
  let assemblyFormat = "$a `,` $lane attr-dict `:` qualified(type($a))";
}

class TinyTC_SubgroupOp<string word, TypeConstraint type>
    : TinyTC_SpmdOp<"subgroup_" # word, [
        MemoryEffects<[MemRead<TinyTC_Convergence>]>, SameOperandsAndResultType]> {
  let arguments = (ins TinyTC_GroupOperationAttr:$mode, type:$a);
  let results = (outs type:$result);
  let assemblyFormat = "`` $mode $a attr-dict `:` qualified(type($a))";
}

def TinyTC_SubgroupAddOp : TinyTC_SubgroupOp<"add", TinyTC_Scalar> {
  let summary = "sum over the subgroup";
}
def TinyTC_SubgroupMaxOp : TinyTC_SubgroupOp<"max", TinyTC_Real> {
  let summary = "maximum over the subgroup";
}
def TinyTC_SubgroupMinOp : TinyTC_SubgroupOp<"min", TinyTC_Real> {
  let summary = "minimum over the subgroup";
}

#endif // TINYTC_SPMDOPS_TD
