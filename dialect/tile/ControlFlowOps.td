//===- ControlFlowOps.td - Loops and branches ----------- -*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_CONTROLFLOWOPS_TD
#define TILE_CONTROLFLOWOPS_TD


class Tile_RegionOp<string mnemonic>
    : Tile_Op<mnemonic, [RecursiveMemoryEffects, SingleBlock]> {
  let hasRegionVerifier = 1;
}

def Tile_ForOp : Tile_RegionOp<"for"> {
  let summary = "counted loop";
  let description = [{
    Runs the body for lower, lower + step, ..., as long as the number is less than upper.
    The body takes the number and the carried values, and continues with the next ones;
    the results are the last ones.

    Syntax: `tile.for %lower to %upper step %step (unsigned)? : type
    (init %values : types -> types)? { body }`

    Constraints:
    * `for_c1`: bounds and step have the same type
    * `for_c2`: results have the types of the initial values
    * `for_c3`: the body takes the number and the carried values, in this order

    ```mlir
    %0 = tile.constant dense<0> : !tile.tile<i32>
    %1 = tile.constant dense<8> : !tile.tile<i32>
    %2 = tile.constant dense<1> : !tile.tile<i32>
    %3 = tile.for %0 to %1 step %2 : !tile.tile<i32>
        init %0 : !tile.tile<i32> -> !tile.tile<i32> {
    ^body(%i: !tile.tile<i32>, %sum: !tile.tile<i32>):
      %4 = tile.addi %sum, %i : !tile.tile<i32>
      tile.continue %4 : !tile.tile<i32>
    }
    ```

    Source: Tile IR dialect, for.
  }];
  let arguments = (ins Tile_Integer:$lower, Tile_Integer:$upper, Tile_Integer:$step,
    Variadic<Tile_Carried>:$init,
    Arg<UnitAttr, "the numbers are compared as unsigned">:$unsigned_cmp);
  let results = (outs Variadic<Tile_Carried>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $lower `to` $upper `step` $step (`unsigned` $unsigned_cmp^)? `:`
    custom<SameType>(type($lower), type($upper), type($step))
    (`init` $init^ `:` qualified(type($init)) `->` qualified(type($results)))?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Tile_LoopOp : Tile_RegionOp<"loop"> {
  let summary = "loop without a condition";
  let description = [{
    Runs the body until a `tile.break`, whose operands are the results. The body takes
    the carried values, and `tile.continue` gives the next ones.

    Syntax: `tile.loop (init %values : types)? (-> types)? { body }`

    Constraints:
    * `loop_c1`: the body takes the carried values

    ```mlir
    %0 = tile.constant dense<0> : !tile.tile<i32>
    %1 = tile.loop init %0 : !tile.tile<i32> -> !tile.tile<i32> {
    ^body(%value: !tile.tile<i32>):
      tile.break %value : !tile.tile<i32>
    }
    ```

    Source: Tile IR dialect, loop.
  }];
  let arguments = (ins Variadic<Tile_Carried>:$init);
  let results = (outs Variadic<Tile_Carried>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`init` $init^ `:` qualified(type($init)))? (`->` qualified(type($results))^)?
    attr-dict-with-keyword $body
  }];
}

def Tile_IfOp : Tile_Op<"if", [NoRegionArguments, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "branch";
  let description = [{
    Runs one of two bodies. Each ends with `tile.yield`, whose operands are the results,
    or leaves the loop or the kernel around it.

    Syntax: `tile.if %condition (-> types)? { body } (else { body })?`

    Constraints:
    * `if_c1`: with results there is an else body

    ```mlir
    %0 = tile.constant dense<true> : !tile.tile<i1>
    %1 = tile.constant dense<1> : !tile.tile<i32>
    %2 = tile.if %0 -> !tile.tile<i32> {
      tile.yield %1 : !tile.tile<i32>
    } else {
      %3 = tile.negi %1 : !tile.tile<i32>
      tile.yield %3 : !tile.tile<i32>
    }
    ```

    Source: Tile IR dialect, if.
  }];
  let arguments = (ins Tile_Bool:$condition);
  let results = (outs Variadic<Tile_Carried>:$results);
  let regions = (region SizedRegion<1>:$then_body, MaxSizedRegion<1>:$else_body);
  let assemblyFormat = [{
    $condition (`->` qualified(type($results))^)? attr-dict-with-keyword $then_body
    (`else` $else_body^)?
  }];
  let hasRegionVerifier = 1;
}

class Tile_LeavingOp<string mnemonic, list<string> parents>
    : Tile_Op<mnemonic, [ParentOneOf<parents>, Pure, Terminator]> {
  let arguments = (ins Variadic<Tile_Carried>:$operands);
  let assemblyFormat = "($operands^ `:` qualified(type($operands)))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_LeavingOp<"yield", ["IfOp", "ReduceOp", "ScanOp"]> {
  let summary = "values of a body";
  let description = [{
    Gives the results of a branch, or the new values of a reduction.

    Syntax: `tile.yield %values : types`

    Constraints:
    * `yield_c1`: the values have the types of the branch's results, or are tiles without
      dimensions of the element types of the reduction's operands

    ```mlir
    %0 = tile.constant dense<true> : !tile.tile<i1>
    tile.if %0 {
      tile.yield
    }
    ```

    Source: Tile IR dialect, yield.
  }];
}

def Tile_ContinueOp : Tile_LeavingOp<"continue", ["ForOp", "IfOp", "LoopOp"]> {
  let summary = "next iteration of a loop";
  let description = [{
    Starts the next iteration of the innermost loop, with the given carried values.

    Syntax: `tile.continue %values : types`

    Constraints:
    * `continue_c1`: a loop is around it
    * `continue_c2`: the values have the types of those that the loop carries

    ```mlir
    %0 = tile.constant dense<1> : !tile.tile<i32>
    tile.for %0 to %0 step %0 : !tile.tile<i32> {
    ^body(%i: !tile.tile<i32>):
      tile.continue
    }
    ```

    Source: Tile IR dialect, continue.
  }];
}

def Tile_BreakOp : Tile_LeavingOp<"break", ["IfOp", "LoopOp"]> {
  let summary = "end of a loop";
  let description = [{
    Ends the innermost loop, a `tile.loop`, with the given results.

    Syntax: `tile.break %values : types`

    Constraints:
    * `break_c1`: the innermost loop around it is a `tile.loop`
    * `break_c2`: the values have the types of the loop's results

    ```mlir
    tile.loop {
      tile.break
    }
    ```

    Source: Tile IR dialect, break.
  }];
}

#endif // TILE_CONTROLFLOWOPS_TD
