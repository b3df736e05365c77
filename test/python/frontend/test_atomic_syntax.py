"""Every form of the atomic instructions, and what canonical text says of it."""

import itertools

import pytest

from tinytc_mlir import frontend
from tinytc_mlir.frontend._instructions_gen import ENUMS
from tinytc_mlir.frontend.printer import to_text

FRAME = (
    "func @f(%i: index, %a: f32, %v: memref<f32x8>, %s: memref<f32>, %M: memref<f32x8x8>, "
    "%c: c32, %C: memref<c32>, %L: memref<f32x8>) {{ {} }}"
)
MATRIX = "coopmatrix<f32x8x4,matrix_acc>"
SCOPES = ("", *(f".{word}" for word in ENUMS["memory_scope"]))
OF_LOADS = ("", ".relaxed", ".acquire", ".sequentially_consistent")
OF_STORES = ("", ".relaxed", ".release", ".sequentially_consistent")
OF_UPDATES = ("", *(f".{word}" for word in ENUMS["memory_semantics"]))
ELEMENT = {
    "%x = atomic_load{} %v[%i] : f32": OF_LOADS,
    "atomic_store{} %a, %v[%i]": OF_STORES,
    "%x = atomic_add{} %a, %v[%i] : f32": OF_UPDATES,
    "%x = atomic_min{} %a, %s[] : f32": OF_UPDATES,
    "%x = atomic_max{} %a, %M[%i, %i] : f32": OF_UPDATES,
}
OF_MATRICES = {
    f"%x = cooperative_matrix_atomic_load{{}} %M[%i, %i] : {MATRIX}": OF_LOADS,
    "cooperative_matrix_atomic_store{} %m, %M[%i, %i]": OF_STORES,
    f"%x = cooperative_matrix_atomic_add{{}} %m, %M[%i, %i] : {MATRIX}": OF_UPDATES,
    f"%x = cooperative_matrix_atomic_min{{}} %m, %M[%i, %i] : {MATRIX}": OF_UPDATES,
    f"%x = cooperative_matrix_atomic_max{{}} %m, %M[%i, %i] : {MATRIX}": OF_UPDATES,
}


def last_line(body):
    """Return the last instruction of the canonical text, which parses to the same text."""
    text = to_text(frontend.parse(FRAME.format(body)))
    assert to_text(frontend.parse(text)) == text
    return [line.strip() for line in text.splitlines() if line.strip() != "}"][-1]


def without_defaults(modifiers):
    return modifiers.replace(".work_group", "").replace(".relaxed", "")


@pytest.mark.similar
@pytest.mark.parametrize("form", ELEMENT)
def test_elements(form):
    for scope, semantics in itertools.product(SCOPES, ELEMENT[form]):
        expected = form.format(without_defaults(scope + semantics))
        assert last_line(form.format(scope + semantics)) == expected


@pytest.mark.similar
@pytest.mark.parametrize("form", OF_MATRICES)
def test_matrices(form):
    checks = ("", ".rows_checked", ".cols_checked", ".both_checked")
    for transpose, check in itertools.product(("", ".n", ".t"), checks):
        for scope, semantics in zip(SCOPES, OF_MATRICES[form], strict=False):
            modifiers = (transpose or ".n") + check + without_defaults(scope + semantics)
            written = form.format(transpose + check + scope + semantics)
            body = f"parallel {{ %m = constant 1.0 : {MATRIX} {written} }}"
            assert last_line(body) == form.format(modifiers)


def test_constants_and_complex_numbers():
    assert last_line("atomic_store 1.0, %v[%i]") == "atomic_store %0, %v[%i]"
    assert last_line("%x = atomic_max 1.0, %v[0] : f32") == "%x = atomic_max %0, %v[%1] : f32"
    assert last_line("%x = atomic_add %c, %C[] : c32") == "%x = atomic_add %c, %C[] : c32"


def test_older_spellings():
    assert last_line("store.atomic %a, %v[%i]") == "store.atomic %a, %v[%i]"
    assert last_line("store.atomic_add %a, %v[%i]") == "store.atomic_add %a, %v[%i]"
