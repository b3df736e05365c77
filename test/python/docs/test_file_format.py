"""The page of compiled files and the schema of the manifest, against files of all targets."""

import copy
import dataclasses
import json
import os
import pathlib

import jsonschema
import pytest

import pages
import tinytc_mlir as tt
from tinytc_mlir.runtime import container
from tinytc_mlir.runtime.kernel_info import GroupArgument, KernelInfo
from tinytc_mlir.runtime.manifest import Manifest
from tinytc_mlir.scalars import SCALAR_TYPES

SCHEMA = json.loads((pages.ROOT / "docs" / "_static" / "manifest.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
PROGRAMS = sorted((pages.ROOT / "examples").glob("*.ir"))
VARIANTS = {
    "packed": ("cpu", {}),
    "plain": ("cpu", {"abi": "plain"}),
    "debug": ("cpu", {"debug": True}),
    "gpu": ("intel-gpu:pvc", {"registers": 256}),
    "cuda": ("cuda:sm_90", {}),
    "native": ("native", {}),
}
# What a kernel of every kind of parameter and bound has, beside the examples.
ODD = """
func @odd(%x: c32, %n: index, %A: memref<f32x?x?x?>, %G: group<memref<f64x4x?>x?>,
          %C: memref<f32x4x4>, %B: memref<f32x?x?,strided<1,?>>) {
  %i = group_id.x : index
  %j = group_id.y : index
  %a = subview %A[:, 0:4, %i] : memref<f32x?x4>
  %k = arith.add %i, %n : index
  %b = load %B[%k, %j] : f32
  %g = load %G[%i] : memref<f64x4x?>
  %one = constant 1.0 : f32
  %s = constant 1.0 : f64
  gemm.t.n %one, %a, %a, %one, %C
  axpby.n %s, %g, %s, %g
}
"""


def errors(manifest):
    """Return why the schema refuses a manifest."""
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(manifest)]


@pytest.fixture(scope="module")
def manifest():
    return json.loads(tt.compile(ODD, "cpu").manifest.to_json())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("variant", VARIANTS)
def test_manifests_of_files(tmp_path, variant):
    target, options = VARIANTS[variant]
    for number, text in enumerate([ODD, *(path.read_text() for path in PROGRAMS)]):
        path = tmp_path / f"{number}.tinytcb"
        tt.Context().parse(text).compile(target, **options).save(path)
        _, found = container.unpack(path.read_bytes(), path.name)
        assert errors(json.loads(found.to_json())) == []


def test_no_key_is_missing_in_the_schema():
    kernel, memref = (set(SCHEMA["$defs"][name]["properties"]) for name in ("kernel", "memref"))
    group = set(SCHEMA["$defs"]["argument"]["oneOf"][2]["properties"])
    assert kernel == {field.name for field in dataclasses.fields(KernelInfo)}
    assert memref | group == {"kind", *(field.name for field in dataclasses.fields(GroupArgument))}
    manifest = {field.name for field in dataclasses.fields(Manifest)}
    assert set(SCHEMA["properties"]) == {"version", *manifest}
    assert set(SCHEMA["$defs"]["scalarType"]["enum"]) == set(SCALAR_TYPES)


def test_older_manifests(manifest):
    """Keys with a default may be missing, and keys of the future are ignored."""
    kernel = manifest["kernels"][0]
    needed = ("name", "arguments", "local_size", "subgroup_size")
    old = {key: kernel[key] for key in needed}
    assert errors({"version": 1, "target": "cpu", "kernels": [old]}) == []
    assert errors({**manifest, "of_the_future": [1]}) == []


WRONG = {
    "version": lambda m: m.update(version=2),
    "target": lambda m: m.pop("target"),
    "local_size": lambda m: m["kernels"][0].update(local_size=[16, 1]),
    "empty local_size": lambda m: m["kernels"][0].update(local_size=[0, 1, 1]),
    "kind": lambda m: m["kernels"][0]["arguments"][0].update(kind="tensor"),
    "type": lambda m: m["kernels"][0]["arguments"][0].update(type="f33"),
    "shape": lambda m: m["kernels"][0]["arguments"][2].update(shape=[-1]),
    "no access": lambda m: m["kernels"][0]["arguments"][2].pop("access"),
    "group without size": lambda m: m["kernels"][0]["arguments"][3].pop("size"),
    "bound": lambda m: m["kernels"][0]["group_bounds"][0].pop("index"),
    "sum": lambda m: m["kernels"][0]["group_bounds"][0]["index"].update(slope=[["x"]]),
    "dimension": lambda m: m["kernels"][0].update(grid_dimensions=[3]),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_manifests(manifest, what):
    wrong = copy.deepcopy(manifest)
    WRONG[what](wrong)
    assert errors(wrong)


def test_the_page(tmp_path, monkeypatch):
    environment = os.environ | {"PATH": pages.tools(tmp_path / "bin")}
    monkeypatch.chdir(tmp_path)
    printed = pages.run("file-format.md", environment)
    assert printed.startswith("scale [")
    assert printed.endswith("] spirv True\n")
    whole = pathlib.Path("scale.tinytcb").read_bytes()
    pathlib.Path("cut.tinytcb").write_bytes(whole[:-1])
    with pytest.raises(AssertionError, match="got one that was changed"):
        block = pages.Block("sh", "python read_program.py cut.tinytcb\n")
        pages.run_commands(block, environment)
