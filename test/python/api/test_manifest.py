"""The manifest's JSON form and the checks on it."""

import json

import pytest

from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.runtime.kernel_info import GroupArgument, MemrefArgument
from tinytc_mlir.runtime.manifest import Manifest

ARGUMENTS = [
    {"name": "alpha", "kind": "scalar", "type": "f32"},
    {
        "name": "A",
        "kind": "group",
        "element_type": "f32",
        "shape": [16, None],
        "stride": [1, 16],
        "size": None,
        "offset": 0,
        "access": "read",
        "alignment": 64,
        "shape_gcd": [4],
        "stride_gcd": [],
    },
    {
        "name": "D",
        "kind": "memref",
        "element_type": "f64",
        "shape": [16, 16, None],
        "stride": [1, 16, 256],
        "access": "read_write",
    },
]


def text(*path, value=None):
    """Return the sample manifest with one field changed, or removed if the value is ...."""
    kernel = {"name": "f", "local_size": [16, 1, 1], "subgroup_size": 16, "arguments": ARGUMENTS}
    data = {"version": 1, "target": "cpu", "kernels": [kernel | {"requires": ["f64"]}]}
    data = json.loads(json.dumps(data))
    if path:
        *parents, last = path
        place = data
        for parent in parents:
            place = place[parent]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return json.dumps(data)


def test_fields():
    (kernel,) = Manifest.from_json(text()).kernels
    alpha, a, d = kernel.arguments
    assert (alpha.name, alpha.type) == ("alpha", "f32")
    assert isinstance(a, GroupArgument)
    assert (a.size, a.offset, a.alignment, a.shape_gcd) == (None, 0, 64, (4,))
    assert type(d) is MemrefArgument
    assert (d.shape, d.stride, d.is_read, d.is_written) == (
        (16, 16, None),
        (1, 16, 256),
        True,
        True,
    )
    assert (kernel.requires, kernel.groups_per_work_group) == (("f64",), 1)


CHECK = {
    "types": ["i64"],
    "diagnostic": {
        "severity": "error",
        "message": "expected 0, got {0}",
        "filename": "a.ir",
        "line": 3,
        "column": 7,
        "length": 4,
        "notes": [{"severity": "note", "message": "here"}],
    },
}


def test_checks():
    manifest = Manifest.from_json(text("kernels", 0, "checks", value=[CHECK]))
    (check,) = manifest.kernels[0].checks
    assert check.types == ("i64",)
    assert check.message(["9"]) == "expected 0, got 9"
    assert str(check.diagnostic).startswith("a.ir:3:7: error: expected 0")
    assert check.diagnostic.notes[0].message == "here"
    assert Manifest.from_json(manifest.to_json()) == manifest


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"types": ["i8"]},
            "checks[0]: expected 'types' to be a list of fitting values, got ['i8']",
        ),
        ({"types": []}, "expected a message about 0 values, got 'expected 0, got {0}'"),
        ({"diagnostic": 3}, "checks[0]: diagnostic: expected an object, got int"),
        ({"diagnostic": {"severity": "bad"}}, "expected 'severity' to be one of error, note"),
        (
            {"diagnostic": {"severity": "error", "message": "", "line": "x"}},
            f"expected 'line' to be an integer {'from 0 to 9223372036854775807'} or null, got 'x'",
        ),
        (
            {"diagnostic": {"severity": "error", "message": "", "filename": 1}},
            "expected 'filename' to be a string or null, got 1",
        ),
    ],
)
def test_refused_checks(changes, message):
    with pytest.raises(TinyTCError) as caught:
        Manifest.from_json(text("kernels", 0, "checks", value=[CHECK | changes]))
    assert message in str(caught.value)


def test_patterns_of_zeros():
    manifest = Manifest.from_json(text("kernels", 0, "arguments", 2, "nonzero", value=[[0, 1]]))
    assert manifest.kernels[0].arguments[2].nonzero == ((0, 1),)
    assert Manifest.from_json(manifest.to_json()) == manifest
    assert '"nonzero"' not in Manifest.from_json(text("version", value=1)).to_json()


def test_modes_in_another_order():
    manifest = Manifest.from_json(text("kernels", 0, "arguments", 2, "modes", value=[2, 0, 1]))
    assert manifest.kernels[0].arguments[2].modes == (2, 0, 1)
    assert Manifest.from_json(manifest.to_json()) == manifest


def test_round_trip():
    manifest = Manifest.from_json(text())
    assert Manifest.from_json(manifest.to_json()) == manifest


def test_signature():
    (kernel,) = Manifest.from_json(text()).kernels
    assert kernel.signature == (
        "f(alpha: f32, A: group<memref<f32x16x?>x?>, D: memref<f64x16x16x?>)"
    )


def test_written_layout():
    argument = MemrefArgument("A", "f32", (4, None), (1, 8))
    assert argument.memref_type == "memref<f32x4x?,strided<1,8>>"
    assert MemrefArgument("A", "f32", (), ()).memref_type == "memref<f32>"


K = ("kernels", 0)
RANGE = "from 0 to 9223372036854775807"
REFUSED = [
    (("version",), 2, "manifest: expected version 1, got 2"),
    (("target",), 1, "manifest: expected 'target' to be a string, got 1"),
    (("kernels",), {}, "manifest: expected 'kernels' to be a list, got {}"),
    (K, 3, "manifest: kernels[0]: expected an object, got int"),
    ((*K, "name"), ..., "kernels[0]: expected 'name' to be a string, got None"),
    ((*K, "local_size"), [16, 1], "expected 3 positive modes of 'local_size', got (16, 1)"),
    ((*K, "local_size"), [16, 1, 0], "expected 3 positive modes of 'local_size', got (16, 1, 0)"),
    ((*K, "subgroup_size"), -1, f"'subgroup_size' to be an integer {RANGE}, got -1 (int)"),
    ((*K, "requires"), [1], "expected 'requires' to be a list of fitting values, got [1]"),
    ((*K, "arguments", 0, "kind"), "x", "expected 'kind' to be one of scalar, memref, group"),
    ((*K, "arguments", 0, "type"), "u8", "arguments[0]: expected 'type' to be one of bool, i8"),
    (
        (*K, "arguments", 1, "size"),
        True,
        f"'size' to be an integer {RANGE} or null, got True (bool)",
    ),
    ((*K, "arguments", 1, "size"), 2**63, f"or null, got {2**63} (int)"),
    ((*K, "arguments", 1, "shape"), [1], "expected as many strides as sizes (1), got 2"),
    ((*K, "arguments", 2, "modes"), [0, 0, 1], "expected 'modes' to be an order of 3 modes"),
    ((*K, "arguments", 2, "nonzero"), [[0, 1, 2]], "expected 'nonzero' to be boxes of at most 3"),
    (
        (*K, "arguments", 2, "nonzero"),
        [[5, 2]],
        "expected 'nonzero' to be boxes of at most 3 modes",
    ),
    ((*K, "arguments", 2, "access"), "rw", "expected 'access' to be one of none, read, write"),
]


@pytest.mark.parametrize(("path", "value", "message"), REFUSED)
def test_refused(path, value, message):
    with pytest.raises(TinyTCError) as caught:
        Manifest.from_json(text(*path, value=value))
    assert message in str(caught.value)


@pytest.mark.parametrize("broken", ["", "{", "[]", "nul", b"\xff\xfe", "[" * 100000])
def test_no_manifest(broken):
    with pytest.raises(TinyTCError, match="manifest: expected"):
        Manifest.from_json(broken)
