"""Undefined behaviour is reported with the location of the instruction."""

import numpy as np
import pytest

import tinytc_mlir as tt
from interpreting import HEAD, ITEM, array, expect, run


@pytest.mark.parametrize("word", ["div", "rem"])
@pytest.mark.parametrize("type_", ["i8", "i16", "i32", "i64", "index"])
def test_division(word, type_):
    text = f"""
    func @f(%a: {type_}, %b: {type_}) {{
        %c = @@ arith.{word} %a, %b : {type_}
    }}"""
    expect(text, "expected divisor 'b' to differ from 0, got 0 (work-group 0)", 1, 0)
    smallest = np.iinfo({"index": "int64"}.get(type_, type_.replace("i", "int"))).min
    message = f"expected a quotient that {type_} can hold, 'b' = -1, got {smallest}"
    expect(text, message, smallest, -1)
    run(text.replace("@@ ", ""), smallest + 1, -1)


def test_division_by_zero_in_lanes_that_wait_is_no_error():
    text = f"""
    func @f(%out: memref<i32x8>) {HEAD} {{
        parallel {{
            {ITEM}
            %zero = constant 0 : i32
            %is_first = cmp.eq %item, %zero : bool
            %q = if %is_first -> (i32) {{
                yield (%zero)
            }} else {{
                %eight = constant 8 : i32
                %q = arith.div %eight, %item : i32
                yield (%q)
            }}
            store %q, %out[%i]
        }}
    }}""".replace("%q = arith", "%p = arith").replace("yield (%q)", "yield (%p)")
    out = array([9] * 8, "i32")
    run(text, out)
    assert out.tolist() == [0, 8, 4, 2, 2, 1, 1, 1]


def test_division_by_zero_names_the_work_item():
    text = f"""
    func @f() {HEAD} {{
        parallel {{
            {ITEM}
            %five = constant 5 : i32
            %zero_in_5 = arith.sub %item, %five : i32
            %q = @@ arith.div %five, %zero_in_5 : i32
        }}
    }}"""
    expect(text, "got 0 (work-group 0, work-item 5)")


@pytest.mark.parametrize(
    ("value", "result"), [(128.0, "i8"), (-129.0, "i8"), (2.0**63, "i64"), (float("nan"), "i32")]
)
def test_cast_to_a_type_that_is_too_small(value, result):
    text = f"""
    func @f(%a: f64) {{
        %b = @@ cast %a : {result}
    }}"""
    expect(text, f"expected a value that {result} can hold, got {value}", value)


@pytest.mark.parametrize("step", [0, -1])
def test_step_that_is_not_positive(step):
    text = """
    func @f(%step: i16) {
        %0 = constant 0 : i16
        %5 = constant 5 : i16
        @@ for %i:i16=%0,%5,%step { }
    }"""
    expect(text, f"expected a positive step, got {step}", step)


@pytest.mark.parametrize("index", [-1, 3])
@pytest.mark.parametrize(
    "instruction", ["%x = @@ load %A[%one,%i] : f32", "@@ store %y, %A[%one,%i]"]
)
def test_index_out_of_bounds(index, instruction):
    text = f"""
    func @f(%A: memref<f32x2x3>, %i: index) {{
        %one = constant 1 : index
        %y = constant 1.0 : f32
        {instruction}
    }}"""
    message = f"expected index 1 to lie in [0, 3), got {index}"
    expect(text, message, np.zeros((2, 3), np.float32, order="F"), index)


def test_index_out_of_bounds_in_a_foreach():
    text = """
    func @f(%A: memref<f32x4>, %n: index) {
        %0 = constant 0 : index
        foreach (%i)=(%0),(%n) {
            %x = @@ load %A[%i] : f32
        }
    }"""
    message = "expected index 0 to lie in [0, 4), got 4 (work-group 0, iteration 4)"
    expect(text, message, np.zeros(4, np.float32), 6)


def test_member_of_a_group_out_of_bounds():
    text = """
    func @f(%A: group<memref<f32x2>x?>, %n: index) {
        %g = builtin.group_id : index
        %h = arith.rem %g, %n : index
        %a = @@ load %A[%h] : memref<f32x2>
    }"""
    message = "expected index 0 to lie in [0, 2), got 2 (work-group 2)"
    expect(text, message, [array([1, 2]), array([3, 4])], 5, groups=3)


def test_read_of_uninitialised_memory_by_a_load():
    text = """
    func @f() {
        %tmp = alloca : memref<f32x4>
        %x = constant 1.0 : f32
        store %x, %tmp[1]
        %1 = load %tmp[1] : f32
        %2 = @@ load %tmp[2] : f32
    }"""
    diagnostic = expect(text, "expected element 2 of the local memory to be initialised")
    (note,) = diagnostic.notes
    assert (note.line, note.message) == (3, "the local memory is allocated here")


@pytest.mark.parametrize(
    "instruction",
    [
        "axpby.n %one, %tmp, %one, %x",
        "axpby.n %one, %x, %one, %tmp",
        "hadamard_product %one, %x, %tmp, %one, %x",
        "cumsum %one, %tmp, 0, %one, %x",
    ],
)
def test_read_of_uninitialised_memory_by_a_collective_instruction(instruction):
    text = f"""
    func @f(%x: memref<f32x4>) {{
        %one = constant 1.0 : f32
        %tmp = alloca : memref<f32x4>
        @@ {instruction}
    }}"""
    expect(text, "to be initialised before it is read", np.zeros(4, np.float32))


def test_read_of_uninitialised_memory_by_an_atomic_add():
    text = """
    func @f() {
        %tmp = alloca : memref<f32>
        %x = constant 1.0 : f32
        @@ store.atomic_add %x, %tmp[]
    }"""
    expect(text, "to be initialised before it is read")


def test_write_to_a_read_only_array():
    text = """
    func @f(%A: memref<f32x2>) {
        %x = constant 1.0 : f32
        @@ store %x, %A[0]
    }"""
    a = np.zeros(2, np.float32)
    a.flags.writeable = False
    expect(text, "expected argument 'A' to be writable, got a read-only array", a)


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        ("gemm.n.n %one, %A, %B, %one, %C", "expected columns of op(A) to equal rows of op(B) = 4"),
        ("gemm.n.t %one, %A, %A, %one, %C", "expected 'c' to have shape (2, 2), got (2, 4)"),
        ("axpby.t %one, %A, %one, %C", "expected 'b' to have shape (3, 2), got (2, 4)"),
        (
            "hadamard_product %one, %A, %B, %one, %C",
            "expected 'b' to have the shape of 'a', (2, 3), got (4, 2)",
        ),
    ],
)
def test_dynamic_sizes_that_do_not_fit(instruction, message):
    text = f"""
    func @f(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?>) {{
        %one = constant 1.0 : f32
        @@ {instruction}
    }}"""
    shapes = [(2, 3), (4, 2), (2, 4)]
    expect(text, message, *(np.zeros(shape, np.float32, order="F") for shape in shapes))


def test_messages_show_the_source_line():
    text = """
    func @f(%a: i32) {
        %0 = constant 0 : i32
        %c = arith.div %a, %0 : i32
    }"""
    with pytest.raises(tt.errors.InterpreterError) as caught:
        run(text, 1)
    message, line, carets = str(caught.value).splitlines()
    assert message.startswith("test.ir:4:14: error: expected divisor")
    assert line.strip() == "%c = arith.div %a, %0 : i32"
    assert carets.strip() == "^" + "~" * (len("arith.div %a, %0 : i32") - 1)
