//===- ControlFlowOps.td - Execution and control flow ------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Mixed instructions that say who runs what: barriers, builtins, loops, branches.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_CONTROLFLOWOPS_TD
#define TINYTC_CONTROLFLOWOPS_TD

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

def TinyTC_BarrierOp : TinyTC_MixedOp<"barrier", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "control barrier of the work-group with memory fences";
  let description = [{
    No work-item passes the barrier before all work-items of the work-group have reached
    it; all of them must reach it. The modifiers name the memory whose accesses before
    the barrier are visible to the work-group after it.

    Execution: mixed. Barriers of collective regions are inserted by a pass.

    Syntax: `tinytc.barrier [global] [local]`

    Constraints:
    * `barrier_c1`: no foreach, foreach_tile or cooperative_matrix_apply is around the
      barrier, at any depth: their work-items run different numbers of iterations

    ```mlir
    tinytc.func @example() {
      tinytc.parallel {
        tinytc.barrier global local
      }
    }
    ```

    Source: tensor language reference, barrier.
  }];
  let arguments = (ins
    Arg<UnitAttr, "make accesses to global memory visible">:$fence_global,
    Arg<UnitAttr, "make accesses to local memory visible">:$fence_local);
  let assemblyFormat =
    "(`global` $fence_global^)? (`local` $fence_local^)? attr-dict";
  let hasVerifier = 1;
}

class TinyTC_Builtin<string word, Type type, Trait execution, string kind,
                     string sentence, string syntax = "">
    : TinyTC_Op<"builtin." # word, [execution, Pure]> {
  let description = "\n    " # sentence # [{

    Execution: }] # kind # [{.

    Syntax: `%result = tinytc.builtin.}] # word # syntax # " : " # type.summary # [{`

    Constraints:
    * `builtin_c1`: the result has the type that the language gives to the value

    ```mlir
    tinytc.func @example() {
      tinytc.parallel {
        %0 = tinytc.builtin.}] # word # !if(!empty(syntax), "", " y") # " : " #
            !if(!eq(type, Index), "index", "i32") # [{
      }
    }
    ```

    Source: tensor language reference, builtin.
  }];
  let results = (outs /*builtin_c1*/ type:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

/// Of the grid of a launch, in one of its dimensions.
class TinyTC_GridBuiltin<string word, string sentence>
    : TinyTC_Builtin<word, Index, Mixed, "mixed", sentence # " The dimension is x unless "
                     "one is named.", " [x|y|z]"> {
  let arguments = (ins
    Arg<DefaultValuedAttr<TinyTC_DimensionAttr, "::mlir::tinytc::Dimension::X">,
        "dimension of the grid">:$dimension);
  let assemblyFormat = [{
    `` custom<GridDimension>($dimension) attr-dict `:` qualified(type($result))
  }];
}

/// Of the subgroups of a work-group: counted through, or in a dimension of the
/// work-group.
class TinyTC_SubgroupBuiltin<string word, Trait execution, string kind, string sentence>
    : TinyTC_Builtin<word, I32, execution, kind, sentence, " [x|y|z]"> {
  let arguments = (ins
    Arg<OptionalAttr<TinyTC_DimensionAttr>, "dimension of the work-group">:$dimension);
  let assemblyFormat = [{
    `` custom<OptionalDimension>($dimension) attr-dict `:` qualified(type($result))
  }];
  let hasFolder = 1;
}

def TinyTC_GroupIdOp : TinyTC_GridBuiltin<"group_id",
    "Returns the index of the work-group, from 0 to the group size - 1."> {
  let summary = "index of the work-group";
}
def TinyTC_GroupSizeOp : TinyTC_GridBuiltin<"group_size",
    "Returns the number of work-groups."> {
  let summary = "number of work-groups";
}
def TinyTC_NumSubgroupsOp : TinyTC_SubgroupBuiltin<"num_subgroups", Mixed, "mixed",
    "Returns the number of subgroups in the work-group. In dimension x, that is the first "
    "mode of the work-group size divided by the subgroup size; in y, the second mode; in z, "
    "1."> {
  let summary = "number of subgroups in the work-group";
}
def TinyTC_SubgroupSizeOp : TinyTC_Builtin<"subgroup_size", I32, Mixed, "mixed",
    "Returns the number of work-items in a subgroup."> {
  let summary = "number of work-items in a subgroup";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def TinyTC_ForOp : TinyTC_MixedOp<"for", [
    AttrSizedOperandSegments, AutomaticAllocationScope, RecursiveMemoryEffects,
    /*for_c1*/ AllTypesMatch<["from", "to"]>, TinyTC_InferredResult,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
      ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
      ["getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
       "getLoopSteps", "getInitsMutable", "getRegionIterArgs",
       "getYieldedValuesMutable", "getLoopResults"]>,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "sequential loop with loop-carried values";
  let description = [{
    Runs the body for var = from, from + step, ... while var < to. The loop-carried
    values start with the initial values; the body yields those of the next iteration,
    and the op returns the last ones. A step that is not positive is undefined behaviour.

    Execution: mixed. The body has the kind of the enclosing region; memory effects are
    those of the body.

    Syntax: `%result, ... = tinytc.for %var [: type] = %from, %to [, %step]
    [init(%name = %init, ...) -> (type, ...)] { ... } {unroll = true}`; the type
    defaults to index, the step to 1. `unroll = 4 : i64` asks for four iterations in one,
    and for one more loop that runs the remaining iterations.

    Constraints:
    * `for_c1`: from, to and step have one integer type
    * `for_c2`: a constant step is positive
    * `for_c3`: the results have the number and the types of the initial values
    * `for_c4`: the body takes the loop variable and the loop-carried values
    * `for_c5`: the body yields values of the number and the types of the results
    * `for_c6`: a number of iterations to unroll is at least 1

    ```mlir
    tinytc.func @fibonacci(%A: !tinytc.memref<i64>) {
      %from = tinytc.constant 2 : i32
      %to = tinytc.constant 6 : i32
      %f0 = tinytc.constant 0 : i64
      %f1 = tinytc.constant 1 : i64
      %a, %b = tinytc.for %n : i32 = %from, %to init(%x = %f0, %y = %f1) -> (i64, i64) {
        %z = tinytc.arith.add %x, %y : i64
        tinytc.yield %y, %z : i64, i64
      } {unroll = true}
      tinytc.store %b, %A[] : i64, !tinytc.memref<i64>
    }
    ```

    Source: tensor language reference, for.
  }];
  let arguments = (ins
    Arg<TinyTC_Integer, "first value of the loop variable">:$from,
    Arg<TinyTC_Integer, "value after the last one">:$to,
    Arg<Optional<TinyTC_Integer>, "1 if absent">:$step,
    Arg<Variadic<TinyTC_Value>, "initial values">:$inits,
    Arg<OptionalAttr<AnyAttrOf<[BoolAttr, I64Attr], "bool or i64">>,
        "request to unroll, not to unroll, or to unroll by a factor">:$unroll);
  let results = (outs Res<Variadic<TinyTC_Value>, "last loop-carried values">:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getInductionVar() { return getBody().getArgument(0); }
  }];
}

def TinyTC_IfOp : TinyTC_MixedOp<"if", [
    AutomaticAllocationScope, NoRegionArguments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
      ["getEntrySuccessorRegions"]>,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "conditional with results";
  let description = [{
    Runs the first region if the condition is true, else the second one, and returns
    what it yields.

    Execution: mixed. The regions have the kind of the enclosing region; memory effects
    are those of the regions.

    Syntax: `%result, ... = tinytc.if %condition [-> (type, ...)] { ... } [else { ... } ]`

    Constraints:
    * `if_c1`: there is an else region if there are results
    * `if_c2`: both regions yield values of the number and the types of the results
    * `if_c3`: the condition has boolean type

    ```mlir
    tinytc.func @example(%a: i32, %b: i32) {
      %0 = tinytc.cmp.lt %a, %b : i32
      %1 = tinytc.if %0 -> (i32) {
        tinytc.yield %a : i32
      } else {
        tinytc.yield %b : i32
      }
    }
    ```

    Source: tensor language reference, if.
  }];
  let arguments = (ins /*if_c3*/ TinyTC_Bool:$condition);
  let results = (outs Res<Variadic<TinyTC_Value>, "what the region yields">:$results);
  let regions = (region SizedRegion<1>:$then_region, MaxSizedRegion<1>:$else_region);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def TinyTC_YieldOp : TinyTC_MixedOp<"yield", [
    Pure, ReturnLike, Terminator, /*yield_c1*/
    ParentOneOf<["ForOp", "IfOp", "ForeachOp", "ForeachTileOp", "ParallelOp",
                 "FuncOp", "CooperativeMatrixApplyOp"]>]> {
  let summary = "values returned from the enclosing region";
  let description = [{
    Ends a region and returns values from it. Without values, it may be left out and is
    not printed.

    Execution: mixed.

    Syntax: `tinytc.yield [%value, ... : type, ...]`

    Constraints:
    * `yield_c1`: the enclosing op is a for, if, foreach, foreach_tile, parallel, func or
      cooperative_matrix_apply
    * `yield_c2`: the values have the number and the types of the results of that op; of
      the components of the result for a cooperative_matrix_apply
    * `yield_c3`: a value has boolean, scalar or coopmatrix type

    ```mlir
    tinytc.func @example(%condition: i1, %a: f32) {
      %0 = tinytc.if %condition -> (f32) {
        tinytc.yield %a : f32
      } else {
        %1 = tinytc.arith.neg %a : f32
        tinytc.yield %1 : f32
      }
    }
    ```

    Source: tensor language reference, yield.
  }];
  let arguments = (ins /*yield_c3*/ Variadic<TinyTC_Value>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` qualified(type($values)))?";
  let builders = [OpBuilder<(ins), [{ /* nothing to yield */ }]>];
  let hasVerifier = 1;
}

#endif // TINYTC_CONTROLFLOWOPS_TD
