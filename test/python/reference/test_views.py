import numpy as np

from interpreting import array, failure, random, result_of, run

COPY = """
        %one = constant 1.0 : f32
        %zero = constant 0.0 : f32
        axpby.n %one, %v, %zero, %out
"""


def view(instruction, source, result_shape, *indices, source_type=None):
    """Return the contents of a view of %A; %p, %q are indices."""
    type_ = source_type or f"memref<f32{''.join(f'x{n}' for n in source.shape)}>"
    shape = "".join(f"x{n}" for n in result_shape)
    text = f"""
    func @f(%A: {type_}, %p: index, %q: index, %out: memref<f32{shape}>) {{
        %v = {instruction}
        {COPY}
    }}"""
    p, q = (*indices, 0, 0)[:2]
    return result_of(text, "f32", source, p, q, shape=result_shape)


def test_subview():
    a = random(np.random.default_rng(0), "f32", 6, 5, 4)
    assert np.array_equal(
        view("subview %A[2:3,%p:2,%q] : memref<f32x3x2,strided<1,6>>", a, (3, 2), 1, 3),
        a[2:5, 1:3, 3],
    )
    assert np.array_equal(
        view("subview %A[1:2,3,%p:%q] : memref<f32x2x?,strided<1,30>>", a, (2, 2), 1, 2),
        a[1:3, 3, 1:3],
    )
    assert view("subview %A[5,4,3] : memref<f32>", a, ()) == a[5, 4, 3]


def test_subview_of_one_row_keeps_the_mode():
    a = random(np.random.default_rng(0), "f32", 4, 3)
    got = view("subview %A[%p:1,0:3] : memref<f32x1x3,strided<1,4>>", a, (1, 3), 2)
    assert np.array_equal(got, a[2:3])


def test_expand():
    a = random(np.random.default_rng(0), "f32", 12)
    got = view("expand %A[0 -> 3x4] : memref<f32x3x4>", a, (3, 4))
    assert np.array_equal(got, a.reshape(3, 4, order="F"))
    got = view("expand %A[0 -> %p x 4] : memref<f32x?x4,strided<1,?>>", a, (3, 4), 3)
    assert np.array_equal(got, a.reshape(3, 4, order="F"))


def test_fuse():
    a = random(np.random.default_rng(0), "f32", 2, 3, 4)
    got = view("fuse %A[1,2] : memref<f32x2x12>", a, (2, 12))
    assert np.array_equal(got, a.reshape(2, 12, order="F"))


def test_chains_of_views():
    text = f"""
    func @f(%A: memref<f32x4x6>, %out: memref<f32x2x3>) {{
        %e = expand %A[1 -> 2x3] : memref<f32x4x2x3>
        %s = subview %e[1:2,0:2,0:3] : memref<f32x2x2x3,strided<1,4,8>>
        %v = subview %s[0:2,1,0:3] : memref<f32x2x3,strided<1,8>>
        {COPY}
    }}"""
    a = random(np.random.default_rng(0), "f32", 4, 6)
    expected = a.reshape(4, 2, 3, order="F")[1:3, 1, :]
    assert np.array_equal(result_of(text, "f32", a, shape=(2, 3)), expected)


def test_writes_through_a_view_reach_the_tensor():
    text = """
    func @f(%x: memref<f32x2>, %A: memref<f32x4x3>) {
        %one = constant 1.0 : f32
        %zero = constant 0.0 : f32
        %v = subview %A[1:2,2] : memref<f32x2>
        axpby.n %one, %x, %zero, %v
    }"""
    a = np.zeros((4, 3), np.float32, order="F")
    run(text, array([5, 6]), a)
    assert a.T.tolist() == [[0] * 4, [0] * 4, [0, 5, 6, 0]]


def test_size():
    text = """
    func @f(%A: memref<f32x3x?>, %out: memref<indexx2>) {
        %m = size %A[0] : index
        %n = size %A[1] : index
        store %m, %out[0]
        store %n, %out[1]
    }"""
    a = np.zeros((3, 5), np.float32, order="F")
    assert result_of(text, "index", a, shape=(2,)).tolist() == [3, 5]


def broken(instruction, *indices, source_type="memref<f32x8>"):
    """Return the diagnostic of an invalid view; its note is the use."""
    text = f"""
    func @f(%A: {source_type}, %p: index, %q: index) {{
        %v = {instruction}
        %i = constant 0 : index
        %x = load %v[%i] : f32
    }}"""
    p, q = (*indices, 1, 1)[:2]
    diagnostic = failure(text, np.zeros(8, np.float32), p, q)
    assert (diagnostic.line, diagnostic.column) == (3, 14)
    assert [note.line for note in diagnostic.notes] == [5]
    return diagnostic.message


def test_subview_beyond_the_end():
    message = broken("subview %A[%p:4] : memref<f32x4>", 5)
    assert message == ("expected the slice of mode 0 to end within its size, got 9 (work-group 0)")


def test_subview_with_a_negative_offset():
    assert "non-negative offset of mode 0, got -1" in broken("subview %A[%p:4] : memref<f32x4>", -1)


def test_subview_with_a_dynamic_size_of_0():
    assert "positive size of mode 0, got 0" in broken("subview %A[0:%p] : memref<f32x?>", 0)


def test_a_broken_view_that_is_not_used_is_no_error():
    text = """
    func @f(%A: memref<f32x8>, %p: index) {
        %v = subview %A[%p:4] : memref<f32x4>
    }"""
    run(text, np.zeros(8, np.float32), 100)


def test_a_broken_view_of_other_lanes_is_no_error():
    text = """
    func @f(%A: memref<f32x8>) {
        %0 = constant 0 : index
        %8 = constant 8 : index
        foreach (%i)=(%0),(%8) {
            %v = subview %A[%i:4] : memref<f32x4>
            %4 = constant 4 : index
            %is_inside = cmp.le %i, %4 : bool
            if %is_inside {
                %one = constant 1.0 : f32
                store.atomic_add %one, %v[3]
            }
        }
    }"""
    a = np.zeros(8, np.float32)
    run(text, a)
    assert a.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]


def use(view_instruction, source_type, source, *indices):
    text = f"""
    func @f(%A: {source_type}, %p: index) {{
        %v = {view_instruction}
        %i = constant 0 : index
        %x = load %v[%i,%i] : f32
    }}"""
    return failure(text, source, *indices).message


def test_expand_to_another_size():
    message = use(
        "expand %A[0 -> %p x 4] : memref<f32x?x4,strided<1,?>>",
        "memref<f32x?>",
        np.zeros(8, np.float32),
        3,
    )
    assert "the product of the expand shape to be the size of mode 0, got 12" in message


def test_fuse_of_modes_with_a_gap():
    message = use(
        "fuse %A[0,1] : memref<f32x8x3,strided<1,?>>",
        "memref<f32x4x2x3,strided<1,?,?>>",
        np.zeros((5, 2, 3), np.float32, order="F")[:4],
        0,
    )
    assert "modes 0 and 1 to be fusable (stride 1 = 4), got 5" in message
