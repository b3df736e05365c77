"""Grids of several dimensions: ids, counts, blocked kernels, both ABIs."""

import random

import numpy as np
import pytest

import tinytc_mlir as tt
from cases.case import SHAPES, Case, buffer
from cases.running import compares, comparison
from tinytc_mlir.compiler import ABIS
from tinytc_mlir.gpu_stage.checker import check_races

IDS = "\n".join(f"%{d} = group_id.{d} : index" for d in "xyz")
COUNTS = "\n".join(f"%n{d} = num_groups.{d} : index" for d in "xyz")
GRIDS = [7, (5,), (4, 3), (1, 6), (3, 1, 4), (2, 3, 5), (33, 2, 2)]


def shape_of(grid):
    counts = grid if isinstance(grid, tuple) else (grid,)
    return (*counts, 1, 1)[:3]


def ids_case(grid):
    """Each group stores its ids, and how many there are."""
    sizes = shape_of(grid)
    words = ["%x", "%y", "%z", "%nx", "%ny", "%nz"]
    stores = "\n".join(f"store {word}, %out[{i},%x,%y,%z]" for i, word in enumerate(words))
    out = buffer(random.Random(0), "index", (6, *sizes))
    parameters = {"out": ("memref<indexx6x?x?x?>", out)}
    return Case(f"ids {grid}", "\n".join([IDS, COUNTS, stores]), parameters, grid)


@pytest.mark.parametrize("abi", ABIS)
@compares
def test_ids_and_counts(abi):
    return comparison(map(ids_case, GRIDS), compile_=lambda module: module.compile(abi=abi))


@pytest.mark.parametrize("abi", ABIS)
@pytest.mark.parametrize("grid", GRIDS)
def test_ids_and_counts_without_the_interpreter(abi, grid):
    case = ids_case(grid)
    out = np.zeros((6, *shape_of(grid)), np.int64, order="F")
    kernel = tt.Context().parse(case.text("f")).compile(abi=abi)["f"]
    kernel(out, groups=grid)
    sizes = np.broadcast_to(np.reshape(shape_of(grid), (3, 1, 1, 1)), (3, *shape_of(grid)))
    assert (out == np.concatenate([np.indices(shape_of(grid)), sizes])).all()


@compares
def test_ids_are_those_of_gpus():
    """Run the usual batch, which also compiles for all GPUs."""
    return comparison(map(ids_case, GRIDS))


BLOCKED = """\
%x = group_id.x : index
%y = group_id.y : index
%rows = constant {rows} : index
%columns = constant {columns} : index
%i = mul %x, %rows : index
%j = mul %y, %columns : index
%m = size %C[0] : index
%n = size %C[1] : index
%rest_m = sub %m, %i : index
%rest_n = sub %n, %j : index
%bm = min %rest_m, %rows : index
%bn = min %rest_n, %columns : index
%k = size %A[1] : index
%a = subview %A[%i:%bm,0:%k] : memref<f32x?x?,strided<1,?>>
%b = subview %B[0:%k,%j:%bn] : memref<f32x?x?,strided<1,?>>
%c = subview %C[%i:%bm,%j:%bn] : memref<f32x?x?,strided<1,?>>
gemm %alpha, %a, %b, %beta, %c"""


def gemm_case(sizes, blocks, beta):
    """The product of two matrices, a block of the result in each group."""
    m, n, k = sizes
    rng = random.Random(1)
    shapes = {"A": (m, k), "B": (k, n), "C": (m, n)}
    strides = {name: (1, rows + 3) for name, (rows, _) in shapes.items()}
    parameters = {
        "alpha": ("f32", 2.0),
        "beta": ("f32", beta),
        **{
            name: ("memref<f32x?x?,strided<1,?>>", buffer(rng, "f32", shape, strides[name]))
            for name, shape in shapes.items()
        },
    }
    grid = (-(-m // blocks[0]), -(-n // blocks[1]))
    body = BLOCKED.format(rows=blocks[0], columns=blocks[1])
    return Case(f"gemm {sizes} in blocks of {blocks}", body, parameters, grid)


GEMMS = [
    ((37, 21, 5), (16, 8), 1.0),
    ((64, 32, 9), (16, 8), 0.0),
    ((1, 1, 1), (16, 8), 1.0),
    ((5, 70, 3), (4, 3), 0.0),
    ((33, 2, 17), (7, 5), 1.0),
]


@pytest.mark.parametrize("abi", ABIS)
@compares
def test_blocked_gemm(abi):
    cases = [gemm_case(*each) for each in GEMMS]
    return comparison(cases, compile_=lambda module: module.compile(abi=abi))


@pytest.mark.parametrize("abi", ABIS)
def test_blocked_gemm_and_numpy(abi):
    (m, n, k), blocks, beta = GEMMS[0]
    case = gemm_case((m, n, k), blocks, beta)
    kernel = tt.Context().parse(case.text("gemm")).compile(abi=abi)["gemm"]
    random_ = np.random.default_rng(2)
    a, b, c = (
        np.asfortranarray(random_.integers(-4, 5, shape).astype(np.float32))
        for shape in ((m, k), (k, n), (m, n))
    )
    expected = 2 * a @ b + c  # exact: whole numbers
    kernel(2.0, 1.0, a, b, c, groups=case.groups)
    assert (c == expected).all()


def elementwise_case(element, grid):
    """Adds vectors of a batch with three modes."""
    rng = random.Random(3)
    shape = (5, *shape_of(grid))
    body = f"""{IDS}
    %a = subview %A[:,%x,%y,%z] : memref<{element}x5>
    %b = subview %B[:,%x,%y,%z] : memref<{element}x5>
    axpby %alpha, %a, %alpha, %b"""
    memref = f"memref<{element}x5x?x?x?>"
    parameters = {
        "alpha": (element, 2 if element == "i32" else 2.0),
        "A": (memref, buffer(rng, element, shape)),
        "B": (memref, buffer(rng, element, shape)),
    }
    return Case(f"axpby {element} {grid}", body, parameters, grid)


@pytest.mark.parametrize("abi", ABIS)
@compares
def test_elementwise(abi):
    cases = [elementwise_case(element, grid) for element in ("f32", "i32") for grid in GRIDS]
    return comparison(cases, compile_=lambda module: module.compile(abi=abi))


def test_the_number_of_groups_that_fits():
    case = elementwise_case("f32", (4, 3, 2))
    kernel = tt.Context().parse(case.text("f")).compile()["f"]
    a, b = (np.ones((5, 4, 3, 2), np.float32, order="F") for _ in range(2))
    kernel(1.0, a, b)
    assert (b == 2).all()
    with pytest.raises(tt.ArgumentError, match=r"at most 3 groups in y \(mode 2 of 'A' has 3"):
        kernel(1.0, a, b, groups=(4, 4, 2))
    assert (b == 2).all()


def test_every_way_to_launch():
    case = elementwise_case("f32", (4, 3, 2))
    module = tt.Context().parse(case.text("f"))
    kernel = module.compile()["f"]
    a, b = (tt.empty((5, 4, 3, 2), np.float32) for _ in range(2))
    a[...], b[...] = 1, 0
    kernel(1.0, a, b, groups=(4, 3, 2))
    kernel.submit(1.0, a, b, groups=(np.int64(4), 3, 2)).wait()
    kernel.bind(1.0, a, b, groups=[4, 3, 2])()
    assert (b == 3).all()
    values = [1.0, np.array(a, order="F"), np.array(b, order="F")]
    tt.interpret(module, "f", values, (4, 3, 2))
    assert check_races(module, "f", values, (4, 3, 2)) == []
    assert (values[2] == 5).all()


def test_run(tinytc, tmp_path):
    file = tmp_path / "grid.ir"
    file.write_text(gemm_case(*GEMMS[0]).text("gemm"))
    sizes = [word for place in ("A.0=70", "A.1=9", "B.0=9", "B.1=30") for word in ("--size", place)]
    sizes += ["--size", "C.0=70", "--size", "C.1=30"]
    status, out, err = tinytc("run", file, "--target", "cpu", "--groups", "5,4", *sizes)
    assert (status, err) == (0, "")
    assert "groups   5,4\n" in out
    assert "of the largest value" in out
    file.write_text(elementwise_case("f32", (4, 3)).text("f"))
    status, out, err = tinytc("run", file, "--target", "cpu", "--groups", "4,3,2")
    assert (status, err) == (0, "")
    status, _, err = tinytc("run", file, "--target", "cpu", "--groups", "4,3,2", "--size", "B.2=2")
    assert status == 1
    assert "f: expected at most 2 groups in y (mode 2 of 'B' has 2 elements), got 3" in err


def subgroup_case(attributes):
    """The subgroups of a work-group, in every shape."""
    rows, columns = 64, 1
    if attributes:
        rows, columns = map(int, attributes.split("=[")[1][:-1].split(","))
    attributes = attributes or "work_group_size=[64,1]"
    if "subgroup_size" not in attributes:
        attributes += ", subgroup_size=16"
    total = rows * columns
    numbers = [f"num_subgroups.{d}" for d in "xyz"] + [f"subgroup_id.{d}" for d in "xyz"]
    numbers += ["num_subgroups", "subgroup_id", "subgroup_linear_id"]
    lines = [f"%v{i} = {name} : i32" for i, name in enumerate(numbers)]
    lines += [
        "%lane = subgroup_local_id : i32",
        "%width = subgroup_size : i32",
        "%base = mul %v8, %width : i32",
        "%item = add %base, %lane : i32",
        "%i = cast %item : index",
        *(f"store %v{i}, %out[{i}, %i]" for i in range(len(numbers))),
    ]
    out = buffer(random.Random(0), "i32", (len(numbers), total))
    parameters = {"out": (f"memref<i32x{len(numbers)}x{total}>", out)}
    body = "\n".join(["parallel {", *lines, "}"])
    return Case(f"subgroups {attributes}", body, parameters, 1, attributes)


@compares
def test_subgroups():
    return comparison(map(subgroup_case, SHAPES))


def test_subgroups_without_the_interpreter():
    case = subgroup_case("subgroup_size=8, work_group_size=[16,3]")
    out = np.zeros((9, 48), np.int32, order="F")
    tt.Context().parse(case.text("f")).compile()["f"](out, groups=1)
    linear = np.arange(48) // 8
    assert (out[:3] == [[2], [3], [1]]).all()
    assert (out[3] == linear % 2).all()
    assert (out[4] == linear // 2).all()
    assert (out[5] == 0).all()
    assert (out[6] == 6).all()
    assert (out[7:] == linear).all()


ONLY_X = """func @f(%A: memref<i32x7>, %B: memref<i32x7x?>) {
  %x = group_id : index
  %one = constant 1 : i32
  %b = subview %B[:,%x] : memref<i32x7>
  axpby %one, %A, %one, %b
}"""


@pytest.mark.parametrize("abi", ABIS)
def test_groups_of_other_dimensions_do_the_same(abi):
    module = tt.Context().parse(ONLY_X.replace("axpby", "axpby.atomic"))
    a, b = np.arange(7, dtype=np.int32), np.zeros((7, 5), np.int32, order="F")
    module.compile(abi=abi)["f"](a, b, groups=(5, 3, 2))
    assert (b == 6 * a[:, None]).all()
    tt.interpret(module, "f", [a, b], (5, 3, 2))
    assert (b == 12 * a[:, None]).all()


def test_races_between_groups_of_other_dimensions():
    module = tt.Context().parse(ONLY_X)
    a, b = np.arange(7, dtype=np.int32), np.zeros((7, 5), np.int32, order="F")
    tt.interpret(module, "f", [a, b], (5, 1, 1))
    with pytest.raises(tt.errors.InterpreterError, match=r"\(work-group \(0, 1, 0\)"):
        tt.interpret(module, "f", [a, b], (5, 2, 1))
    assert check_races(module, "f", [a, b], (5, 1, 1)) == []
    assert check_races(module, "f", [a, b], (5, 2, 1))


@pytest.mark.parametrize("abi", ABIS)
def test_debug_builds_name_the_group(abi):
    text = f"""func @f(%A: memref<i32x9>, %I: memref<indexx?x?x?>) {{
      {IDS}
      %one = constant 1 : i32
      %i = load %I[%x,%y,%z] : index
      store %one, %A[%i]
    }}"""
    kernel = tt.Context().parse(text).compile(abi=abi, debug=True)["f"]
    indices = np.zeros((3, 2, 4), np.int64, order="F")
    indices[2, 1, 3] = 9
    with pytest.raises(tt.CheckError, match=r"less than 9, got 9 \(group \(2, 1, 3\)"):
        kernel(np.zeros(9, np.int32), indices, groups=(3, 2, 4))
