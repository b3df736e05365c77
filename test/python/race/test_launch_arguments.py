"""Kernels of the language on the checker: every kind of parameter, both ABIs, wrong launches."""

import re

import numpy as np
import pytest

import tinytc_mlir as tt
from cases import stage_kernels
from interpreting import array, random
from tinytc_mlir.gpu_stage import GpuStage, Kind, check_races
from tinytc_mlir.reference import interpret

LOOPS = [f"scf.for %k{depth} = %c0 to %c1 step %c1 {{ " for depth in range(25)]
TARGETS = (("cpu", "plain"), ("cpu", "packed"), ("intel-gpu:pvc", "plain"))


def agrees(text, make, groups=1):
    """Check that reference and gpu stage leave the same in all arrays, and that all is well.

    Args:
        text: a program with the kernel @f.
        make: returns new arguments by name.
        groups: number of groups.
    """
    module = tt.Context().parse(text)
    expected = make()
    interpret(module, "f", expected, groups)
    for target, abi in TARGETS:
        stage = GpuStage(module, target=target, abi=abi)
        for seed in (None, 1):
            actual = make()
            assert stage.check("f", actual, groups, seed=seed) == []
            for name, value in expected.items():
                np.testing.assert_array_equal(members(actual[name]), members(value))


def members(value):
    """Return an argument as an array or a list of arrays."""
    return value.members if isinstance(value, tt.Group) else value


@pytest.mark.parametrize(
    ("type_", "number"),
    [
        *(("i8", -5), ("i16", 300), ("i32", -70000), ("i64", 2**40), ("index", 7)),
        *(("bf16", 1.5), ("f16", 0.25), ("f32", -3.5), ("f64", 1e100)),
        *(("c32", 1 - 2j), ("c64", 1e100 + 3j)),
    ],
)
def test_scalars(type_, number):
    text = f"func @f(%x: {type_}, %A: memref<{type_}x3>) {{ %0 = constant 0 : index\n"
    text += "store %x, %A[%0] }"
    agrees(text, lambda: {"x": number, "A": array([0, 0, 0], type_)})


@pytest.mark.parametrize("value", [False, True])
def test_bool(value):
    text = """
    func @f(%x: bool, %A: memref<i32>) {
        %one = constant 1 : i32
        if %x { store %one, %A[] }
    }"""
    agrees(text, lambda: {"x": value, "A": np.zeros((), np.int32)})


def test_sizes_and_strides():
    text = """
    func @f(%A: memref<f32x?x?,strided<1,?>>, %B: memref<f32x?x3>) {
        %one = constant 1.0 : f32
        axpby.n %one, %A, %one, %B
    }"""

    def make():
        rng = np.random.default_rng(0)
        return {"A": random(rng, "f32", 9, 3)[:5], "B": random(rng, "f32", 5, 3)}

    agrees(text, make)


@pytest.mark.parametrize("offset", [0, 4])
def test_groups(offset):
    head = "group<memref<f64x?x3> x ?, offset: ?>"
    text = f"""
    func @f(%A: {head}, %B: memref<f64x?x3x?>) {{
        %g = builtin.group_id : index
        %a = load %A[%g] : memref<f64x?x3>
        %b = subview %B[:, :, %g] : memref<f64x?x3>
        %one = constant 1.0 : f64
        axpby.n %one, %b, %one, %a
    }}"""

    def make():
        rng = np.random.default_rng(0)
        buffers = [random(rng, "f64", offset + 15) for _ in range(11)]
        return {"A": tt.Group(buffers, offset, (5, 3)), "B": random(rng, "f64", 5, 3, 11)}

    agrees(text, make, 11)


def test_parts_of_one_array():
    """They stay one memory, and elements between them are kept."""
    text = """
    func @f(%A: memref<i32x2,strided<3>>, %B: memref<i32x2,strided<3>>) {
        %one = constant 1 : i32
        axpby.n %one, %A, %one, %B
    }"""
    module = tt.Context().parse(text)
    data = np.arange(6, dtype=np.int32)
    assert check_races(module, "f", [data[::3], data[1::3]]) == []
    assert data.tolist() == [0, 1, 2, 3, 7, 5]


def test_three_modes_of_groups():
    text = """
    func @f(%A: memref<i32>) {
        %one = constant 1 : i32
        store.atomic_add %one, %A[]
    }"""
    data = np.zeros((), np.int32)
    stage = GpuStage(tt.Context().parse(text))
    assert stage.check("f", [data], (2, 3, 4)) == []
    rows, columns, _ = stage.info("f").local_size
    assert data == 24 * rows * columns


def test_races_of_the_program_between_groups():
    text = """
    func @f(%A: memref<i32>) {
        %g = builtin.group_id : index
        %n = cast %g : i32
        store %n, %A[]
    }"""
    (finding,) = check_races(tt.Context().parse(text, "a.ir"), "f", [np.zeros((), "i4")], 2)
    assert finding.kind is Kind.RACE
    assert finding.diagnostic.line == 5
    assert "store %n, %A[]" in finding.diagnostic.excerpt


def test_read_only_arrays_are_not_copied_back():
    text = "func @f(%A: memref<i32x4>) { }"
    data = np.arange(4, dtype=np.int32)
    data.flags.writeable = False
    assert check_races(tt.Context().parse(text), "f", [data]) == []


def test_what_it_refuses():
    stage = GpuStage(tt.Context().parse("func @axpy(%A: memref<i32x4>) { }"))
    with pytest.raises(tt.LaunchError, match=r"\(axpy\), got 'axby'; did you mean 'axpy'\?"):
        stage.check("axby", [])
    with pytest.raises(tt.ArgumentError, match="expected 1 arguments"):
        stage.check("axpy", [])
    with pytest.raises(tt.LaunchError, match="number of groups, got -1"):
        stage.check("axpy", [np.zeros(4, "i4")], -1)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "memref.copy %a, %a : memref<?xf32> to memref<?xf32>",
            "expected an operation of the gpu stage, got",
        ),
        ("%b = memref.alloc() : memref<4xf32>", "expected bytes of local memory, got"),
        ("%b = memref.load %a2[%c0, %c0] : memref<?x?xf32>", "expected one index, got 2"),
        (
            "%r = memref.atomic_rmw maxu %i0, %i[%c0] : (i32, memref<?xi32>) -> i32",
            "expected an atomic update without a result, got",
        ),
        ("".join(LOOPS) + "}" * len(LOOPS), "expected loops that Python can run"),
    ],
    ids=["operation", "memory", "index", "update", "depth"],
)
def test_what_a_stage_refuses(body, message):
    parameters = "%a: memref<?xf32>, %a2: memref<?x?xf32>, %i: memref<?xi32>"
    with pytest.raises(tt.errors.InterpreterError, match=re.escape(message)):
        stage_kernels.check(body, parameters=parameters)


def test_loop_without_a_step():
    body = "scf.for %k = %c0 to %c8 step %lane { }"
    with pytest.raises(tt.errors.InterpreterError, match="with a positive step, got 0"):
        stage_kernels.check(body)


def test_number_of_values():
    with pytest.raises(tt.ArgumentError, match="expected 1 values of the ABI, got 2"):
        stage_kernels.check("", 1, 2)
