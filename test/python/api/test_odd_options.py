"""Whatever a caller passes as text, name, option or file: accepted, or refused as our own error."""

import dataclasses
import hashlib
import json

import numpy as np
import pytest

import tinytc_mlir as tt
from odd_values import odd
from tinytc_mlir import frontend
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.runtime import container, devices
from tinytc_mlir.runtime.launches import launch

TEXT = """func @f(%a: f32,
        %A: memref<f32x?x4,strided<1,?>> {alignment=64, shape_gcd=[4]},
        %G: group<memref<f32x4x?>x?, offset: ?>) {
}
"""
SIZED = "func @f(%A: memref<f32x$N>) { }"
NUMBER = "func @f() { %a = constant $N : f64 }"


@pytest.fixture(scope="module")
def context():
    return tt.Context()


@pytest.fixture(scope="module")
def module(context):
    return context.parse(TEXT)


@pytest.fixture(scope="module")
def program(module):
    return module.compile("cpu")


def accepts(call, *values, **named):
    """Call; return whether it went well, and fail for any other error than ours."""
    try:
        call(*values, **named)
    except (tt.TinyTCError, OSError) as error:
        assert str(error)
        assert len(str(error)) < 1500
        return False
    return True


def is_hashable(value):
    try:
        hash(value)
    except TypeError:
        return False
    return True


@odd
def test_texts(context, value):
    accepts(context.parse, value)
    accepts(context.parse, TEXT, value)
    accepts(context.parse_mlir, value)
    accepts(context.parse_mlir, "module {", value)
    accepts(context.parse_mlir, "module {\n}", value)
    accepts(context.parse_file, value)
    accepts(frontend.format_source, value)
    accepts(frontend.format_source, TEXT, value)


@odd
def test_defines(context, value):
    accepts(context.parse, TEXT, defines=value)
    for text in (SIZED, NUMBER):
        accepts(context.parse, text, defines={"N": value})
    if is_hashable(value):
        accepts(context.parse, TEXT, defines={value: 1})


def test_numbers_of_numpy_as_defines(context):
    module = context.parse(SIZED, defines={"N": np.int16(7)})
    assert "memref<7xf32>" in str(module)
    module = context.parse(NUMBER, defines={"N": np.float32(0.5)})
    assert "5.000000e-01" in str(module)
    with pytest.raises(tt.ParseError, match="expected an integer from .*, got .1844674407370955"):
        context.parse(SIZED, defines={"N": 2**64})


@odd
def test_options_of_the_compiler(module, value):
    accepts(module.lower, value)
    accepts(module.lower, "gpu", target=value)
    accepts(module.check, value)
    accepts(module.compile, "cpu", abi=value)
    accepts(module.compile, "cpu", tuned=value)
    accepts(module.compile, "cpu", debug=value)
    if value is not None:
        assert not accepts(module.compile, value)
        assert not accepts(module.tune, value, target="cpu", store=False)
        assert not accepts(module.tune, "f", target="cpu", store=False, options=value)
    assert not accepts(module.tune, "g", target=value, store=False)


@odd
def test_options_of_samples(program, value):
    info = program.kernels["f"]
    good = SampleOptions(groups=3)
    for name in ("groups", "seed", "sizes", "scalars"):
        changed = dataclasses.replace(good, **{name: value})
        if type(value) is not int or abs(value) < 2**31:
            accepts(sample_arguments, info, changed)
    for size in (value, -1):
        changed = dataclasses.replace(good, sizes={("A", 0): size})
        if type(value) is not int or abs(value) < 2**31:
            accepts(sample_arguments, info, changed)
    if is_hashable(value):
        for place in (value, ("A", value), (value, 0)):
            sampled = accepts(sample_arguments, info, dataclasses.replace(good, sizes={place: 1}))
            assert sampled == (type(value) is int and place == ("A", 0))
        assert not accepts(sample_arguments, info, dataclasses.replace(good, scalars={value: 1}))


@odd
def test_programs(program, tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)
    assert not accepts(program.__getitem__, value)
    if is_hashable(value):
        assert value not in program
    accepts(program.save, value)
    accepts(tt.load, value)
    assert not accepts(tt.Manifest.from_json, value)


@odd
def test_interpreter(module, value):
    matrix = np.zeros((4, 4), np.float32, order="F")
    arguments = [1.0, matrix, tt.Group([matrix], 0, (4, 4))]
    accepts(tt.interpret, module, value, arguments)
    accepts(tt.interpret, module, "f", value)
    for position in range(3):
        changed = [*arguments[:position], value, *arguments[position + 1 :]]
        accepts(tt.interpret, module, "f", changed)
    if type(value) is int:  # each group is run
        return
    accepts(tt.interpret, module, "f", arguments, value)
    accepts(tt.interpret, module, "f", arguments, subgroup_size=value)
    accepts(tt.interpret, module, "f", arguments, work_group_size=value)
    accepts(tt.interpret, module, "f", arguments, work_group_size=(16, value))


VALUES = [None, True, -1, 0, 1, 3, 2**31, 2**62, 2**63 - 1, 2**63, 2**64, 10**4000, 1.5]
VALUES += [
    float("nan"),
    float("inf"),
    "",
    "x",
    "f64",
    "group",
    "memref",
    "\ud800",
    "\0",
    "a" * 1000,
]
VALUES += [[], [None], [1], [1, 1], [0, 0, 0], [2**62] * 3, [[1]], {}, {"a": 1}, ...]


def places(data, place=()):
    """Yield the paths of all values in plain data."""
    yield place
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items if isinstance(data, (dict, list)) else ():
        yield from (
            places(value, (*place, key)) if isinstance(value, (dict, list)) else [(*place, key)]
        )


def changed(data, place, value):
    """Return plain data with another value at a path, or without it for `...`."""
    data = json.loads(json.dumps(data))
    if not place:
        return None if value is ... else value
    inner = data
    for key in place[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return data


def packed(manifest, spirv):
    """Return a container whose checksum is right."""
    text = json.dumps(manifest).encode()
    payload = container._SIZES.pack(len(text), len(spirv)) + text + spirv
    digest = hashlib.sha256(payload).digest()
    return (
        container._HEAD.pack(container.COMPILED_MAGIC, container.FORMAT_VERSION, digest) + payload
    )


def use(path):
    """Load a program and go as far as a launch may without being started."""
    matrix = np.zeros((4, 4), np.float32, order="F")
    kernel = tt.load(path)["f"]
    repr(kernel)
    parts = kernel.signature.parts((1.0, matrix, [matrix] * 2), {})
    launch.prepare(kernel, parts, 3, None, waits=True)
    devices.check_device(kernel.info, devices.default_device("cpu"))


def test_manifests_that_lie(program, tmp_path):
    """Whoever changes a container can change the checksum, too."""
    path = tmp_path / "changed.tinytc"
    manifest = json.loads(program.manifest.to_json())
    for place in places(manifest):
        for value in VALUES:
            path.write_bytes(packed(changed(manifest, place, value), program.spirv))
            accepts(use, path)


def test_numbers_of_a_manifest_are_those_of_the_language(program, tmp_path):
    path = tmp_path / "changed.tinytc"
    manifest = json.loads(program.manifest.to_json())
    place = ("kernels", 0, "arguments", 1, "alignment")
    path.write_bytes(packed(changed(manifest, place, 2**63), program.spirv))
    with pytest.raises(tt.TinyTCError, match="'alignment' to be an integer from 0 to 92.* or null"):
        tt.load(path)


def test_names_of_a_manifest_differ(program):
    manifest = json.loads(program.manifest.to_json())
    twice = changed(manifest, ("kernels",), manifest["kernels"] * 2)
    with pytest.raises(tt.TinyTCError, match="expected kernels of different names, got 'f'"):
        tt.Manifest.from_json(json.dumps(twice))
    twice = changed(manifest, ("kernels", 0, "arguments", 1, "name"), "a")
    with pytest.raises(tt.TinyTCError, match="expected arguments of different names, got 'a'"):
        tt.Manifest.from_json(json.dumps(twice))
