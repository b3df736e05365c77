"""A text keeps every attribute of a module, or there is an error: none is lost silently."""

import pytest

import tinytc_mlir as tt

KEPT = """
func @f(%a: memref<f32x4>{alignment=64, "mine"=[1, true]}) attributes {"note"="x", "deep"={"k"=2}} {
  %l = alloca {alignment=64, "why"=3} : memref<f32x4,local>
  for %i = 0, 4 {
  } {unroll=true, "how"="fast"}
  parallel {
    %m = constant 1.0 : coopmatrix<f32x16x8,matrix_acc>
  }
  %v = subview %a[0:2] : memref<f32x2>
  %e = expand %a[0 -> 2 x 2] : memref<f32x2x2>
  %n = size %a[0] : index
  barrier.global.local
  %one = constant 1.0 : f32
  %w = alloca : memref<f32x2,local>
  gemv.n %one, %e, %v, %one, %w
}
"""

FUNCTION = (
    "tinytc.func @f(%a: !tinytc.memref<4xf32>{parameter}) attributes {{{function}}} {{\n{body}}}"
)
LOST = {
    "foreign.note": {"function": "foreign.note"},
    "tinytc.other": {"parameter": " {tinytc.other = 1 : i64}"},
    "foreign.x": {"parameter": " {foreign.x = 1 : i64}"},
    "foreign.y": {"body": "%c = tinytc.constant 1.0 : f32 {foreign.y}\n"},
    "foreign.z": {"body": "tinytc.barrier {foreign.z = 3 : i32}\n"},
}


def mlir(parameter="", function="", body=""):
    return FUNCTION.format(parameter=parameter, function=function, body=body)


def to_text(text):
    """Return MLIR as text of the language; the verifier may refuse an attribute before that."""
    return tt.Context().parse_mlir(text).to_text()


def test_what_is_kept():
    module = tt.Context().parse(KEPT)
    text = module.to_text()
    again = tt.Context().parse(text)
    options = {"enable_debug_info": False}
    assert again.operation.get_asm(**options) == module.operation.get_asm(**options)
    for word in ('"mine"', '"note"', '"deep"', '"why"', '"how"', "unroll=true", "alignment=64"):
        assert word in text


@pytest.mark.parametrize("name", LOST)
def test_what_would_be_lost(name):
    with pytest.raises(tt.CompileError, match=f"expected .*{name}"):
        to_text(mlir(**LOST[name]))


def test_attributes_of_the_module():
    text = f"module attributes {{foreign.target = 1 : i64}} {{\n{mlir()}\n}}"
    with pytest.raises(tt.CompileError, match=r"of 'builtin\.module' that .*, got 'foreign"):
        to_text(text)


KINDS = [
    ("1 : i32", "expected an i64 in attribute 'user.x', got 1 : i32"),
    ("[1 : i8]", "expected an i64 in attribute 'user.x', got 1 : i8"),
    ("array<i64: 1, 2>", "expected an attribute of the language as 'user.x', got array<i64: 1, 2>"),
    ("1.5 : f32", "expected an attribute of the language as 'user.x', got 1.5"),
    ("{a = unit}", "expected an attribute of the language as 'user.x', got unit"),
]


@pytest.mark.parametrize(("value", "message"), KINDS)
def test_kinds_that_would_change(value, message):
    with pytest.raises(tt.CompileError) as caught:
        to_text(mlir(function=f"user.x = {value}"))
    assert message in str(caught.value)


def test_schedules_are_spelt():
    text = "func @f() attributes {schedule={rows=2, columns=8}, subgroup_size=16} {\n}\n"
    module = tt.Context().parse(f"$r = 2 {text.replace('rows=2', 'rows=$r')}")
    assert "schedule = #tinytc.schedule<rows = 2, columns = 8>" in str(module)
    assert module.to_text() == text
    assert "schedule" not in tt.Context().parse("func @f() {}").to_text()
