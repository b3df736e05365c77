"""Modifiers, optional operands and types that the examples of the ops do not have."""

import re

import pytest

from tile_tools import architectures, check_assembles, disassemble, write

POINTER = "!tile.tile<!tile.ptr<f32>>"
VIEW = "!tile.tensor_view<?x32xf32, strides = [?, 1]>"
PARTITION = f"!tile.partition_view<[4, 8], {VIEW}, dim_map = [1, 0], padding = neg_inf>"
VARIANTS = f"""tile.module @kernels {{
  tile.entry @views(%p: {POINTER}, %n: !tile.tile<i64>, %i: !tile.tile<i32>)
      attributes {{optimization_hints = {{sm_100 = {{num_cta_in_cga = 2 : i32}},
                                          sm_90 = {{occupancy = 2 : i32}}}}}} {{
    %v = tile.make_tensor_view %p, shape = [%n : !tile.tile<i64>], strides = [%n : !tile.tile<i64>]
      : {POINTER} -> {VIEW}
    %a = tile.assume #tile.div_by<16>, %v : {VIEW}
    %w = tile.make_partition_view %a : {PARTITION}
    %0 = tile.make_token
    %1, %2 = tile.load_view_tko acquire scope = device %w[%i, %i] token %0
      {{optimization_hints = {{sm_90 = {{latency = 2 : i32}}}}}}
      : {PARTITION}[!tile.tile<i32>, !tile.tile<i32>] -> !tile.tile<4x8xf32>
    %3 = tile.join_tokens %0, %2
    %4 = tile.store_view_tko release scope = sys %1, %w[%i, %i] token %3
      : !tile.tile<4x8xf32>, {PARTITION}[!tile.tile<i32>, !tile.tile<i32>]
    %5:2 = tile.get_tensor_shape %v : {VIEW} -> !tile.tile<i64>, !tile.tile<i64>
    tile.return
  }}
  tile.entry @pointers(%p: {POINTER}, %x: !tile.tile<f32>, %c: !tile.tile<i1>) {{
    %t0 = tile.make_token
    %0, %t1 = tile.load_ptr_tko relaxed scope = tl_blk %p mask %c : !tile.tile<i1>
      padding %x : !tile.tile<f32> token %t0 : {POINTER} -> !tile.tile<f32>
    %t2 = tile.store_ptr_tko weak %p, %x mask %c : !tile.tile<i1> token %t1
      : {POINTER}, !tile.tile<f32>
    %1, %t3 = tile.atomic_rmw_tko acq_rel sys %p, xchg, %x mask %c : !tile.tile<i1> token %t2
      : {POINTER}, !tile.tile<f32>
    %2, %t4 = tile.atomic_cas_tko release device %p, %x, %1 mask %c : !tile.tile<i1> token %t3
      : {POINTER}, !tile.tile<f32>
    tile.return
  }}
  tile.entry @numbers(%i: !tile.tile<i32>, %x: !tile.tile<f32>) {{
    %0 = tile.assume #tile.bounded<lower -4>, %i : !tile.tile<i32>
    %1 = tile.iota : !tile.tile<8xi32>
    %2 = tile.assume #tile.same_elements<[1]>, %1 : !tile.tile<8xi32>
    %3 = tile.assume #tile.div_by<1 every 4 along 0>, %2 : !tile.tile<8xi32>
    %4 = tile.divi %3, %3 signed rounding = negative_inf : !tile.tile<8xi32>
    %5 = tile.addi %4, %3 overflow = no_signed_wrap : !tile.tile<8xi32>
    %6 = tile.cmpi greater_than_or_equal %5, %4 unsigned : !tile.tile<8xi32> -> !tile.tile<8xi1>
    %7 = tile.addf %x, %x rounding = positive_inf flush_to_zero : !tile.tile<f32>
    %8 = tile.maxf %7, %x propagate_nan : !tile.tile<f32>
    %9 = tile.sqrt %8 rounding = approx flush_to_zero : !tile.tile<f32>
    %10 = tile.cmpf not_equal unordered %9, %x : !tile.tile<f32> -> !tile.tile<i1>
    %11 = tile.if %10 -> !tile.tile<f32> {{
      tile.yield %9 : !tile.tile<f32>
    }} else {{
      tile.yield %x : !tile.tile<f32>
    }}
    %12 = tile.reduce %5 dim = 0 identities = [-2147483648 : i32]
        : !tile.tile<8xi32> -> !tile.tile<i32> {{
    ^body(%e: !tile.tile<i32>, %s: !tile.tile<i32>):
      %13 = tile.maxi %e, %s signed : !tile.tile<i32>
      tile.yield %13 : !tile.tile<i32>
    }}
    tile.return
  }}
}}
"""
CONSTANTS = {
    "[true, false, false, true, true, true, false, false]": "8xi1",
    "[1, -2, 127, -128]": "4xi8",
    "[1, -2, 32767, -32768]": "4xi16",
    "[1, -2]": "2xi64",
    "[1.5, -0.0]": "2xf64",
    "[1.5, -2.0]": "2xbf16",
    "[[1.5, 0.25], [4.0, -1.0]]": "2x2xf16",
    "[0.5, -448.0]": "2xf8E4M3FN",
}


# What each line of VARIANTS has, as the disassembler spells it.
SHOWN = """num_cta_in_cga = 2
occupancy = 2
shape = [%arg1, 32], strides = [%arg1, 1] : tile<i64> -> tensor_view<?x32xf32, strides=[?,1]>
assume div_by<16>, %tview
partition_view<tile=(4x8), padding_value = neg_inf, tensor_view<?x32xf32, strides=[?,1]>, dim_map
load_view_tko acquire device %pview[%arg2, %arg2] token = %0
latency = 2
join_tokens %0, %result_token
store_view_tko release sys %tile, %pview[%arg2, %arg2] token = %1
get_tensor_shape %tview
load_ptr_tko relaxed tl_blk %arg0, %arg2, %arg1 token=%0
store_ptr_tko weak %arg0, %arg1, %arg2 token=%result_token
atomic_rmw_tko acq_rel sys %arg0, xchg, %arg1, %arg2 token=%1
atomic_cas_tko release device %arg0, %arg1, %result_0, %arg2 token=%result_token_1
assume bounded<-4, ?>, %arg0
assume same_elements<[1]>, %0
assume div_by<1, every 4 along 0>
signed rounding<negative_inf>
overflow<no_signed_wrap>
cmpi greater_than_or_equal %2, %1, unsigned
addf %arg1, %arg1 rounding<positive_inf> flush_to_zero
maxf %4, %arg1 propagate_nan
sqrt %5 rounding<approx> flush_to_zero
cmpf not_equal unordered %6, %arg1
if %7 -> (tile<f32>)
reduce %2 dim=0 identities=[-2147483648 : i32]""".splitlines()


@pytest.mark.parametrize("version", ["13.1", "13.2", "13.3"])
def test_disassembling(version, tmp_path):
    found = disassemble(write(VARIANTS, version), tmp_path)
    assert [words for words in SHOWN if words not in found] == []


@pytest.mark.parametrize("architecture", architectures("variants"))
@pytest.mark.parametrize("version", ["13.1", "13.2", "13.3"])
def test_assembling(architecture, version, tmp_path):
    check_assembles(write(VARIANTS, version), architecture, tmp_path)


def test_constants(tmp_path):
    lines = [
        f"%c{i} = tile.constant dense<{numbers}> : !tile.tile<{type_}>"
        for i, (numbers, type_) in enumerate(CONSTANTS.items())
    ]
    body = "\n".join([*lines, "tile.return"])
    text = f"tile.module @m {{ tile.entry @k() {{ {body} }} }}"
    found = disassemble(write(text), tmp_path)
    for numbers, type_ in CONSTANTS.items():
        (shown,) = re.findall(rf"<{type_.rsplit('x', 1)[1]}: (.*?)> : tile<{type_}>", found)
        given = [
            float(x == "true") if x in ("true", "false") else float(x) for x in _words(numbers)
        ]
        read_ = [float(x == "true") if x in ("true", "false") else float(x) for x in _words(shown)]
        assert read_ == given


def _words(numbers):
    return re.findall(r"[-\w.+]+", numbers)
