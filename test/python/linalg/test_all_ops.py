"""Every op of arith and math on every target: the number, or a message that names the op."""

import numpy as np
import pytest
from mlir.dialects import arith
from mlir.dialects import math as math_dialect
from scalar_ops import FLOATS, INTEGERS, REFUSED, cases, check, values

import tinytc_mlir as tt

GROUPS = (*FLOATS, *INTEGERS, "conversions")


def module(group):
    texts = [case.text(f"f{number}") for number, case in enumerate(cases(group))]
    return tt.Context().parse_mlir("\n".join(texts))


def test_no_op_is_missing():
    known = {case.op for group in GROUPS for case in cases(group)} | REFUSED
    for dialect in (arith, math_dialect):
        classes = (c for c in vars(dialect).values() if isinstance(c, type))
        assert {c.OPERATION_NAME for c in classes if hasattr(c, "OPERATION_NAME")} <= known


@pytest.mark.parametrize("op", sorted(REFUSED))
def test_types_of_no_language(op):
    source, result = ("f32", "f4E2M1FN") if op.endswith("truncf") else ("f4E2M1FN", "f32")
    text = f"""func.func @f() {{
      %s = arith.constant 1.0 : f8E8M0FNU
      %x = arith.constant 1.0 : {source}
      %r = {op} %x, %s : {source}, f8E8M0FNU to {result}
      return
    }}"""
    with pytest.raises(tt.LoweringError, match="on scalars of the language, got 'f"):
        tt.Context().parse_mlir(text).compile("native")


@pytest.mark.similar
@pytest.mark.parametrize("target", ["native", "cpu"])
@pytest.mark.parametrize("group", GROUPS)
def test_numbers(group, target):
    program = module(group).compile(target)
    for number, case in enumerate(cases(group)):
        arrays = [values(type_, place) for place, type_ in enumerate(case.inputs)]
        found = np.zeros_like(values(case.result, 0))
        program[f"f{number}"](*arrays, found, groups=1)
        check(case, arrays, found)


@pytest.mark.similar
@pytest.mark.parametrize("target", ["intel-gpu:pvc", "cuda:sm_90", "x86-64-v2"])
@pytest.mark.parametrize("group", GROUPS)
def test_code(group, target):
    module(group).compile(target)


@pytest.mark.similar
@pytest.mark.parametrize("group", GROUPS)
def test_tiles(group):
    for case in cases(group):
        try:
            tt.Context().parse_mlir(case.text("f")).lower("tile")
        except tt.LoweringError as error:
            assert "that Tile IR has, got" in str(error)
