//===- CheckOps.td - Assertions and ops of debug builds ----*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Assertions and prints of a program, and what tinytc-insert-checks makes: questions that
// the language has no instruction for, and the report of a violation.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_CHECKOPS_TD
#define TINYTC_CHECKOPS_TD

def TinyTC_AssertOp
    : TinyTC_MixedOp<"assert", [MemoryEffects<[MemWrite<TinyTC_Convergence>]>]> {
  let summary = "report in debug builds that a condition does not hold";
  let description = [{
    States that the condition holds. A debug build and the interpreter report where it
    does not; other builds contain neither the assertion nor what only it uses.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `tinytc.assert %condition, "text"`

    Constraints:
    * `assert_c1`: the condition has type bool

    ```mlir
    tinytc.func @example(%n: index) {
      %zero = tinytc.constant 0 : index -> index
      %holds = tinytc.cmp.gt %n, %zero : index
      tinytc.assert %holds, "n is positive"
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
  let arguments = (ins
    /*assert_c1*/ Arg<TinyTC_Bool, "what must hold">:$condition,
    Arg<StrAttr, "what a report shows">:$text);
  let assemblyFormat = "$condition `,` $text attr-dict";
}

def TinyTC_PrintOp
    : TinyTC_MixedOp<"print", [MemoryEffects<[MemWrite<TinyTC_Convergence>]>]> {
  let summary = "print of numbers in debug builds";
  let description = [{
    Prints the text and the values, as `text: value, value`, with the group and the
    work-item. A debug build prints after the launch, the interpreter at once; other
    builds contain neither the print nor what only it uses. In a collective region it
    prints once for a group.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `tinytc.print "text", %value, ... : types`

    Constraints:
    * `print_c1`: at most 9 numbers are printed; a complex one counts twice

    ```mlir
    tinytc.func @example(%n: index, %x: f32) {
      tinytc.print "begin"
      tinytc.print "n and x", %n, %x : index, f32
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
  let arguments = (ins
    Arg<StrAttr, "what the line begins with">:$text,
    Arg<Variadic<TinyTC_BoolOrScalar>, "what is printed">:$values);
  let assemblyFormat = "$text (`,` $values^ `:` qualified(type($values)))? attr-dict";
  let hasVerifier = 1;
}

class TinyTC_CheckOp<string mnemonic, list<Trait> traits = []>
    : Op<TinyTC_Dialect, mnemonic, traits>;

def TinyTC_ReportOp
    : TinyTC_CheckOp<"report", [MemoryEffects<[MemWrite<TinyTC_Convergence>]>]> {
  let summary = "report that a rule of the language is broken";
  let description = [{
    The buffer is a sequence of records of 16 entries. Adds the weight to the first entry
    of the first record. The first work-item of the launch that does so fills in its other
    entries: the number of the check, the group in three modes, the subgroup, the lane,
    and the values. An integer is extended to 64 bits; floating-point numbers are stored
    by the bits of an f32 or f64. Where all work-items of a group report the same thing,
    the weight is 1, subgroup and lane are -1; else the weight is the number of
    work-items of a group.

    A print adds 1 to the first entry of the second record, and fills in one of the
    records that follow, as long as there are any. Where all work-items print the same
    thing, the first of them does.

    The location is that of the broken rule; where a view breaks it, that of an access
    to the view, called from the location of the view.

    Execution: mixed. No pass moves or removes it; the buffer is not memory of the
    language, so no barrier is needed.

    Syntax: `tinytc.report [print] number "message" (%value, ...) of %group weight n to
    %buffer`; `{0}` in the message is the first value.

    ```mlir
    tinytc.func @example(%i: index, %buffer: !tinytc.memref<16xi64>) {
      %group = tinytc.builtin.group_id : index
      tinytc.report 0 "expected index 0 of 'A' to be at least 0 and less than 8, got {0}"
        (%i : index) of %group weight 1 to %buffer : !tinytc.memref<16xi64>
    }
    ```
  }];
  let arguments = (ins
    Arg<UnitAttr, "whether it is a print, not a violation">:$print,
    Arg<I64Attr, "of the check, from 0">:$number,
    Arg<StrAttr, "the rule, and what was found">:$message,
    Arg<Variadic<TinyTC_Real>, "what the message shows">:$values,
    Arg<Index, "index of the group">:$group,
    Arg<I64Attr, "what a work-item adds to the count">:$weight,
    Arg<TinyTC_Memref, "where it is stored">:$buffer);
  let assemblyFormat = [{
    (`print` $print^)? $number $message `` `(` ($values^ `:` qualified(type($values)))? `)` `of` $group
    `weight` $weight `to` $buffer attr-dict `:` qualified(type($buffer))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Entries of a record, those before the values, and the prints of a launch that a
    /// buffer holds.
    static constexpr int64_t kEntries = 16, kHeaderEntries = 7, kPrints = 1022;

    /// The type of the buffer of a kernel.
    static MemrefType getBufferType(::mlir::MLIRContext *context, bool hasPrints);
  }];
}

def TinyTC_StrideOp : TinyTC_CheckOp<"stride", [Pure]> {
  let summary = "stride of a mode";
  let description = [{
    Returns the stride of a mode in elements; the mode must be one of the memref.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.stride %memref[mode] : type`

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<?x?xf32>) {
      %0 = tinytc.stride %A[1] : !tinytc.memref<?x?xf32>
    }
    ```
  }];
  let arguments = (ins TinyTC_Memref:$source, Arg<I64Attr, "counted from 0">:$mode);
  let results = (outs Index:$result);
  let assemblyFormat = "$source `[` $mode `]` attr-dict `:` qualified(type($source))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TinyTC_IsDivisibleOp
    : TinyTC_CheckOp<"is_divisible", [Pure, SameTypeOperands]> {
  let summary = "whether the division of integers is defined";
  let description = [{
    Returns whether b is not 0, and not -1 where a is the smallest integer: for
    cooperative matrices, whether that is so for all components of the work-item.

    Execution: mixed.

    Syntax: `%result = tinytc.is_divisible %a, %b : type`, the type of the operands

    ```mlir
    tinytc.func @example(%a: i32, %b: i32) {
      %0 = tinytc.is_divisible %a, %b : i32
    }
    ```
  }];
  let arguments = (ins TinyTC_IntegerOrCoopMatrix:$a, TinyTC_IntegerOrCoopMatrix:$b);
  let results = (outs TinyTC_Bool:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` qualified(type($a))";
}

def TinyTC_IsConvertibleOp : TinyTC_CheckOp<"is_convertible", [Pure]> {
  let summary = "whether an integer type can hold a floating-point number";
  let description = [{
    Returns whether the type can hold a, rounded toward zero: for a cooperative matrix,
    whether it can hold all components of the work-item.

    Execution: mixed.

    Syntax: `%result = tinytc.is_convertible %a to integer-type : type`, the type of the
    operand

    ```mlir
    tinytc.func @example(%a: f32) {
      %0 = tinytc.is_convertible %a to i8 : f32
    }
    ```
  }];
  let arguments = (ins TinyTC_FloatingOrCoopMatrix:$a, Arg<TypeAttr, "integer type">:$type);
  let results = (outs TinyTC_Bool:$result);
  let assemblyFormat = "$a `to` $type attr-dict `:` qualified(type($a))";
  let hasVerifier = 1;
}

#endif // TINYTC_CHECKOPS_TD
