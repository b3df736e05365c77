"""Programs of at most 100 lines whose code is large, or would be without loops.

Each does at most a million operations a group.
"""

from __future__ import annotations

from collections.abc import Iterable

ONE = {"c32": "[1.0, 0.0]", "c64": "[1.0, 0.0]"}
ZERO = {"c32": "[0.0, 0.0]", "c64": "[0.0, 0.0]", "i32": "0"}


def kernel(parameters: str, body: str, attributes: str = "") -> str:
    """Return a program; each parameter is a name and the type of its elements and sizes."""
    declared = ", ".join(
        f"{name}: memref<{kind}>" for name, kind in (each.split(":") for each in parameters.split())
    )
    given = f" attributes {{{attributes}}}" if attributes else ""
    return f"func @f({declared}){given} {{\n{body}\n}}\n"


def lanes(parameters: str, body: str, count: int) -> str:
    """Return a program of one subgroup."""
    attributes = f"subgroup_size={count}, work_group_size=[{count},1]"
    return kernel(parameters, f"parallel {{\n{body}\n}}", attributes)


def chain(steps: Iterable[str]) -> str:
    """Return steps in a row: `@in` is the result before a step, `@out` its own, `@` a number."""
    return "\n".join(
        step.replace("@in", f"%v{n}").replace("@out", f"%v{n + 1}").replace("@", str(n))
        for n, step in enumerate(steps)
    )


def matrix(type_: str, shape: str, count: int, steps: list[str]) -> str:
    """Return a program that loads a matrix, takes some steps and stores the result."""
    kind = f"coopmatrix<{type_}x{shape},matrix_acc>"
    body = chain(steps).replace("KIND", kind).replace("TYPE", type_).replace("SHAPE", shape)
    text = f"""%v0 = cooperative_matrix_load %A[0, 0] : {kind}
{body}
cooperative_matrix_store %v{len(steps)}, %B[0, 0]"""
    return lanes(f"%A:{type_}x{shape} %B:{type_}x{shape}", text, count)


def applied(function: str) -> str:
    """Return a step that applies a function."""
    return f"""@out = cooperative_matrix_apply (%i, %j, %x) = @in -> KIND {{
  %y = {function} %x : TYPE
  yield (%y)
}}"""


def cast_to(type_: str) -> str:
    """Return a step to another type and back."""
    there = f"coopmatrix<{type_}xSHAPE,matrix_acc>"
    return f"%c@ = cast @in : {there}\n@out = cast %c@ : KIND"


def atomic(function: str) -> str:
    """Return a step that changes %B atomically."""
    return f"@out = cooperative_matrix_atomic_{function}.device @in, %B[0, 0] : KIND"


def reduced(function: str, mode: str) -> str:
    """Return a step that reduces the matrix to a line, which an element is set to."""
    line = "TYPExROWSx1" if mode == "row" else "TYPEx1xCOLUMNS"
    kind = f"coopmatrix<{line},matrix_acc>"
    return f"""%r@ = cooperative_matrix_reduce_{function}.{mode} @in : {kind}
%e@ = cooperative_matrix_extract %r@ [0] : TYPE
@out = cooperative_matrix_scale %e@, @in : KIND"""


def reducing(type_: str, shape: str, count: int, steps: list[str]) -> str:
    """Return a program with reductions."""
    rows, columns = shape.split("x")
    return matrix(
        type_, shape, count, [s.replace("ROWS", rows).replace("COLUMNS", columns) for s in steps]
    )


def attention(type_: str, size: int, blocks: int, count: int = 16) -> str:
    """Return products of a block of queries with some blocks of keys and values."""
    acc, column = (f"coopmatrix<f32x{size}x{n},matrix_acc>" for n in (size, 1))
    a, b = (f"coopmatrix<{type_}x{size}x{size},matrix_{use}>" for use in "ab")
    body = f"""%q = cooperative_matrix_load %Q[0, 0] : {a}
%zero = constant 0.0 : {acc}
%o0 = constant 0.0 : {acc}
%l0 = constant 0.0 : {column}"""
    for n in range(blocks):
        body += f"""
%k{n} = cooperative_matrix_load.t %K[{n * size}, 0] : {b}
%s{n} = cooperative_matrix_mul_add %q, %k{n}, %zero : {acc}
%e{n} = cooperative_matrix_apply (%i, %j, %x) = %s{n} -> {acc} {{
  %y = exp %x : f32
  yield (%y)
}}
%r{n} = cooperative_matrix_reduce_add.row %e{n} : {column}
%l{n + 1} = add %l{n}, %r{n} : {column}
%p{n} = cast %e{n} : {a}
%w{n} = cooperative_matrix_load %V[{n * size}, 0] : {b}
%o{n + 1} = cooperative_matrix_mul_add %p{n}, %w{n}, %o{n} : {acc}"""
    body += f"""
cooperative_matrix_store %o{blocks}, %O[0, 0]
cooperative_matrix_store %l{blocks}, %L[0, 0]"""
    block, all_ = f"{type_}x{size}x{size}", f"{type_}x{size * blocks}x{size}"
    parameters = f"%Q:{block} %K:{all_} %V:{all_} %O:f32x{size}x{size} %L:f32x{size}x1"
    return lanes(parameters, body, count)


def powers(type_: str, size: int, steps: int, count: int) -> str:
    """Return products of matrices in a row, each with the one before."""
    a, b, acc = (f"coopmatrix<{type_}x{size}x{size},matrix_{use}>" for use in ("a", "b", "acc"))
    body = f"""%a0 = cooperative_matrix_load %A[0, 0] : {a}
%b = cooperative_matrix_load %A[0, 0] : {b}
%zero = constant {ZERO.get(type_, "0.0")} : {acc}"""
    for n in range(steps):
        body += f"""
%c{n} = cooperative_matrix_mul_add %a{n}, %b, %zero : {acc}
%a{n + 1} = cast %c{n} : {a}"""
    body += f"\ncooperative_matrix_store %c{steps - 1}, %B[0, 0]"
    block = f"{type_}x{size}x{size}"
    return lanes(f"%A:{block} %B:{block}", body, count)


def sums_of_products(type_: str, size: int, steps: int, count: int) -> str:
    """Return products of two matrices that are added up."""
    a, b, acc = (f"coopmatrix<{type_}x{size}x{size},matrix_{use}>" for use in ("a", "b", "acc"))
    body = f"""%a = cooperative_matrix_load %A[0, 0] : {a}
%b = cooperative_matrix_load %A[0, 0] : {b}
%c0 = constant 0.0 : {acc}"""
    for n in range(steps):
        body += f"\n%c{n + 1} = cooperative_matrix_mul_add %a, %b, %c{n} : {acc}"
    body += f"\ncooperative_matrix_store %c{steps}, %B[0, 0]"
    block = f"{type_}x{size}x{size}"
    return lanes(f"%A:{block} %B:{block}", body, count)


def products(type_: str, m: int, n: int, k: int, *, atomic: bool = False) -> str:
    """Return products of all transpositions."""
    one = ONE.get(type_, "1" if type_.startswith("i") else "1.0")
    parameters = f"%N:{type_}x{m}x{k} %T:{type_}x{k}x{m} %P:{type_}x{k}x{n} %R:{type_}x{n}x{k}"
    words = "gemm.atomic" if atomic else "gemm"
    body = "\n".join(
        f"{words}.{a}.{b} %one, {left}, {right}, %one, %C"
        for a, left in (("n", "%N"), ("t", "%T"))
        for b, right in (("n", "%P"), ("t", "%R"))
    )
    return kernel(f"{parameters} %C:{type_}x{m}x{n}", f"%one = constant {one} : {type_}\n{body}")


def scans(type_: str, shape: str, modes: Iterable[int]) -> str:
    """Return running sums along some modes."""
    one = ONE.get(type_, "1" if type_.startswith("i") else "1.0")
    body = "\n".join(f"cumsum %one, %A, {mode}, %one, %B" for mode in modes)
    return kernel(
        f"%A:{type_}x{shape} %B:{type_}x{shape}", f"%one = constant {one} : {type_}\n{body}"
    )
