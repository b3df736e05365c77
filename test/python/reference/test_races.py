"""Races between work-items, iterations, subgroups and work-groups."""

import numpy as np
import pytest

from interpreting import HEAD, array, failure, run


def parallel(instructions, *, parameters="%A: memref<f32x8>", head=HEAD):
    """Return a program whose work-items execute instructions; %i is the work-item."""
    return f"""
    func @f({parameters}) {head} {{
        %0 = constant 0 : index
        %7 = constant 7 : index
        %tmp = alloca : memref<f32x8>
        %one = constant 1.0 : f32
        %8 = constant 8 : index
        foreach (%k)=(%0),(%8) {{
            store %one, %tmp[%k]
        }}
        parallel {{
            %s = builtin.subgroup_id : i32
            %l = builtin.subgroup_local_id : i32
            %size = builtin.subgroup_size : i32
            %base = arith.mul %s, %size : i32
            %item = arith.add %base, %l : i32
            %i = cast %item : index
            %j = arith.sub %7, %i : index
            {instructions}
        }}
    }}"""


def zeros():
    return np.zeros(8, np.float32)


@pytest.mark.parametrize("memory", ["A", "tmp"])
@pytest.mark.parametrize(
    ("instructions", "message"),
    [
        ("store %one, %{}[%0]", "this writes element 0"),
        ("store %one, %{}[%i] %x = load %{}[%j] : f32", "this reads element 7"),
        ("%x = load %{}[%j] : f32 store %one, %{}[%i]", "this writes element 0"),
        ("store.atomic %one, %{}[%0] %x = load %{}[%i] : f32", "this reads element 0"),
        ("store %one, %{}[%i] store.atomic_add %one, %{}[%j]", "this updates atomically element 7"),
    ],
)
def test_without_a_barrier(memory, instructions, message):
    diagnostic = failure(parallel(instructions.replace("{}", memory)), zeros())
    assert diagnostic.message.startswith(f"race: {message} of ")
    fence = "global" if memory == "A" else "local"
    assert f"there is no barrier.{fence} in between" in diagnostic.message


@pytest.mark.parametrize("memory", ["A", "tmp"])
@pytest.mark.parametrize(
    "instructions",
    [
        "store %one, %{}[%i] barrier.global.local %x = load %{}[%j] : f32",
        "%x = load %{}[%j] : f32 barrier.global.local store %one, %{}[%i]",
        "store %one, %{}[%i] %x = load %{}[%i] : f32 store %x, %{}[%i]",
        "%x = load %{}[%0] : f32 %y = load %{}[%j] : f32",
        "store.atomic_add %one, %{}[%0] store.atomic_add %one, %{}[%0]",
    ],
)
def test_what_is_no_race(memory, instructions):
    run(parallel(instructions.replace("{}", memory)), zeros())


@pytest.mark.parametrize(
    ("memory", "barrier", "is_race"),
    [
        ("A", "barrier", True),
        ("A", "barrier.local", True),
        ("A", "barrier.global", False),
        ("tmp", "barrier", True),
        ("tmp", "barrier.global", True),
        ("tmp", "barrier.local", False),
    ],
)
def test_a_barrier_orders_the_memory_that_it_fences(memory, barrier, is_race):
    text = parallel(f"store %one, %{memory}[%i] {barrier} %x = load %{memory}[%j] : f32")
    if is_race:
        assert "race" in failure(text, zeros()).message
    else:
        run(text, zeros())


def test_the_note_names_the_other_access():
    text = parallel(
        """store %one, %A[%i]
        %x = load %A[%j] : f32"""
    )
    diagnostic = failure(text, zeros())
    assert diagnostic.message == (
        "race: this reads element 7 of argument 'A', which work-item 7 writes; there is no "
        "barrier.global in between (work-group 0, work-item 0)"
    )
    (note,) = diagnostic.notes
    assert note.line == diagnostic.line - 1
    assert note.message == "work-item 7 writes it here"


def test_between_iterations_of_a_foreach():
    text = """
    func @f(%A: memref<f32x8>) {
        %0 = constant 0 : index
        %7 = constant 7 : index
        %1 = constant 1 : index
        foreach (%i)=(%0),(%7) {
            %j = arith.add %i, %1 : index
            %x = load %A[%j] : f32
            store %x, %A[%i]
        }
    }"""
    diagnostic = failure(text, zeros(), work_group_size=(1, 1))
    assert "race: this writes element 1 of argument 'A', which iteration 0 reads" in (
        diagnostic.message
    )


def test_regions_after_one_another_do_not_race():
    text = """
    func @f(%A: memref<f32x8>, %B: memref<f32x8>) {
        %0 = constant 0 : index
        %7 = constant 7 : index
        %8 = constant 8 : index
        %one = constant 1.0 : f32
        foreach (%i)=(%0),(%8) {
            store %one, %A[%i]
        }
        foreach (%i)=(%0),(%8) {
            %j = arith.sub %7, %i : index
            %x = load %A[%j] : f32
            store %x, %B[%i]
        }
        axpby.n %one, %B, %one, %A
        parallel {
            %x = load %A[%0] : f32
        }
    }"""
    a = zeros()
    run(text, a, zeros())
    assert a.tolist() == [2] * 8


def test_through_arguments_that_overlap():
    text = parallel(
        "store %one, %A[%i] %x = load %B[%0] : f32",
        parameters="%A: memref<f32x8>, %B: memref<f32x8>",
    )
    whole = np.zeros(16, np.float32)
    run(text, whole[:8], whole[8:])
    assert "argument 'A' and argument 'B'" in failure(text, whole[:8], whole[4:12]).message


def coopmatrix(instructions, head="attributes {subgroup_size=4, work_group_size=[8,1]}"):
    return f"""
    func @f(%A: memref<f32x4x4>) {head} {{
        %0 = constant 0 : index
        %1 = constant 1 : index
        %2 = constant 2 : index
        parallel {{
            %s = builtin.subgroup_id : i32
            %row = cast %s : index
            %y = arith.mul %row, %2 : index
            %m = constant 1.0 : coopmatrix<f32x4x2,matrix_acc>
            {instructions}
        }}
    }}"""


def matrix():
    return np.zeros((4, 4), np.float32, order="F")


LOAD = "cooperative_matrix_load.n %A[%0,%y]"


def test_coopmatrix_stores_of_subgroups():
    run(coopmatrix("cooperative_matrix_store %m, %A[%0,%y]"), matrix())
    diagnostic = failure(coopmatrix("cooperative_matrix_store %m, %A[%0,%row]"), matrix())
    assert "race: this writes element 4 of argument 'A'" in diagnostic.message
    run(coopmatrix("cooperative_matrix_store.atomic_add %m, %A[%0,%row]"), matrix())


def test_update_of_a_matrix_in_place():
    text = coopmatrix(
        f"""%c = {LOAD} : coopmatrix<f32x4x2,matrix_acc>
            %d = arith.add %c, %m : coopmatrix<f32x4x2,matrix_acc>
            cooperative_matrix_store %d, %A[%0,%y]"""
    )
    a = matrix()
    run(text, a)
    assert (a == 1).all()


def test_the_components_of_other_uses_lie_in_other_work_items():
    text = coopmatrix(
        f"""cooperative_matrix_store %m, %A[%0,%y]
            %c = {LOAD} : coopmatrix<f32x4x2,matrix_b>"""
    )
    assert "race" in failure(text, matrix()).message
    one = "attributes {subgroup_size=1, work_group_size=[2,1]}"
    run(text.replace(HEAD, one), matrix())


def test_between_work_groups():
    text = """
    func @f(%A: memref<f32x4>) {
        %g = builtin.group_id : index
        %1 = constant 1 : index
        %next = arith.add %g, %1 : index
        %one = constant 1.0 : f32
        store %one, %A[%g]
        %x = load %A[%next] : f32
    }"""
    diagnostic = failure(text, array([0] * 4), groups=3)
    assert "race: this writes element 1 of argument 'A', which another work-group reads" in (
        diagnostic.message
    )
    assert "work-group 1" in diagnostic.message
    run(text, array([0] * 4), groups=1)


def test_reads_of_several_work_groups_are_remembered():
    text = """
    func @f(%A: memref<f32x4>) {
        %g = builtin.group_id : index
        %0 = constant 0 : index
        %x = load %A[%0] : f32
        %is_last = cmp.eq %g, %0 : bool
        if %is_last {} else {
            store %x, %A[%0]
        }
    }"""
    message = failure(text, array([0] * 4), groups=2).message
    assert "race: this writes element 0 of argument 'A', which another work-group reads" in message


def test_inside_of_a_collective_instruction():
    text = """
    func @f(%A: memref<f32x4x4>, %k: index) {
        %one = constant 1.0 : f32
        %a = subview %A[0:2,0:4] : memref<f32x2x4,strided<1,4>>
        %b = subview %A[%k:2,0:4] : memref<f32x2x4,strided<1,4>>
        axpby.n %one, %a, %one, %a
        axpby.n %one, %a, %one, %b
    }"""
    diagnostic = failure(text, matrix(), 1)
    assert diagnostic.message.startswith("race: operand 'a' overlaps 'b', which is updated")
    assert diagnostic.line == 7
