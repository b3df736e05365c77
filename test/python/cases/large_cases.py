"""Forty programs whose builds are limited; `large_programs` writes them."""

from __future__ import annotations

from cases.large_programs import (
    applied,
    atomic,
    attention,
    cast_to,
    chain,
    kernel,
    lanes,
    matrix,
    powers,
    products,
    reduced,
    reducing,
    scans,
    sums_of_products,
)

ADD, MUL, DIV = (f"@out = {word} @in, @in : KIND" for word in ("add", "mul", "div"))
COS, SIN, EXP, LOG = (applied(word) for word in ("cos", "sin", "exp", "log"))


def elements(sizes: tuple[int, ...], steps: list[str], *, type_: str = "f32") -> str:
    """Return a loop over a box whose elements go through some steps."""
    names = ", ".join(f"%i{n}" for n in range(len(sizes)))
    shape = "x".join(map(str, sizes))
    box = f"({', '.join('0' * len(sizes))}), ({', '.join(map(str, sizes))})"
    body = f"""foreach ({names}) = {box} {{
%v0 = load %A[{names}] : {type_}
{chain(steps).replace("TYPE", type_)}
store %v{len(steps)}, %B[{names}]
}}"""
    return kernel(f"%A:{type_}x{shape} %B:{type_}x{shape}", body)


def unrolled(count: int, steps: list[str]) -> str:
    """Return a loop over elements with an inner loop that is to be unrolled."""
    body = chain(steps)
    return kernel(
        "%A:f32x64 %B:f32x64",
        f"""foreach (%i) = (0), (64) {{
%a = load %A[%i] : f32
%r = for %k = 0, {count} init(%v0 = %a) -> (f32) {{
{body}
yield (%v{len(steps)})
}} attributes {{unroll=true}}
store %r, %B[%i]
}}""".replace("TYPE", "f32"),
    )


def nest(depth: int) -> str:
    """Return nested loops, each with a condition."""
    head, tail, value = "", "", "%a0"
    for n in range(depth):
        head += f"""%r{n} = for %k{n} = 0, 3 init(%b{n} = {value}) -> (f32) {{
%c{n} = cos %b{n} : f32
%d{n} = less_than %c{n}, 0.5 : bool
%a{n + 1} = if %d{n} -> (f32) {{
  yield (%c{n})
}} else {{
  yield (%b{n})
}}
"""
        value = f"%a{n + 1}"
        inner = value if n == depth - 1 else f"%r{n + 1}"
        tail = f"yield ({inner})\n}}\n" + tail
    return kernel(
        "%A:f32x64 %B:f32x64",
        f"""foreach (%i) = (0), (64) {{
%a0 = load %A[%i] : f32
{head}{tail}store %r0, %B[%i]
}}""",
    )


def sums(type_: str, shape: str) -> str:
    """Return sums of the rows and of the columns, several times."""
    rows, columns = shape.split("x")
    body = "\n".join(["sum %one, %A, %one, %B", "sum.t %one, %A, %one, %C"] * 10)
    return kernel(
        f"%A:{type_}x{shape} %B:{type_}x{rows} %C:{type_}x{columns}",
        f"%one = constant 1.0 : {type_}\n{body}",
    )


def in_local_memory(count: int) -> str:
    """Return a chain of products through local memory."""
    body = "\n".join(
        f"""%t{n} = alloca : memref<f32x48x48,local>
gemm %one, %A, {"%A" if n == 0 else f"%t{n - 1}"}, %zero, %t{n}"""
        for n in range(count)
    )
    return kernel(
        "%A:f32x48x48 %B:f32x48x48",
        f"""%one = constant 1.0 : f32
%zero = constant 0.0 : f32
{body}
axpby %one, %t{count - 1}, %zero, %B""",
    )


def repeated(type_: str, count: int) -> str:
    """Return products that are the same, but may not be functions: they are complex."""
    body = "\n".join(["gemm %one, %A, %B, %one, %C"] * count)
    return kernel(
        f"%A:{type_}x16x16 %B:{type_}x16x16 %C:{type_}x16x16",
        f"%one = constant [1.0, 0.0] : {type_}\n{body}",
    )


def copies(type_: str, shape: str, count: int) -> str:
    """Return transposed copies and outer products, many small instructions."""
    rows, columns = shape.split("x")
    body = "\n".join(["axpby.t %one, %A, %one, %B", "ger %one, %x, %y, %one, %B"] * (count // 2))
    return kernel(
        f"%A:{type_}x{shape} %B:{type_}x{columns}x{rows} %x:{type_}x{columns} %y:{type_}x{rows}",
        f"%one = constant 1.0 : {type_}\n{body}",
    )


def subgroup_functions(type_: str, count: int) -> str:
    """Return scans and reductions of a subgroup in a row."""
    steps = [
        "@out = subgroup_inclusive_scan_add @in : TYPE",
        "@out = subgroup_reduce_add @in : TYPE",
        "@out = subgroup_exclusive_scan_add @in : TYPE",
    ] * (count // 3)
    return lanes(
        f"%A:{type_}x32 %B:{type_}x32",
        f"""%l = subgroup_local_id : i32
%g = cast %l : index
%v0 = load %A[%g] : {type_}
{chain(steps).replace("TYPE", type_)}
store %v{len(steps)}, %B[%g]""",
        32,
    )


def transposed_products(type_: str, size: str, count: int) -> str:
    """Return products with transposes in turns, of sizes that may be unknown."""
    flags = ("n.n", "n.t", "t.n", "t.t")
    body = "\n".join(f"gemm.{flags[n % 4]} %one, %A, %B, %one, %C" for n in range(count))
    one = "[1.0, 0.0]" if type_ in ("c32", "c64") else "1.0"
    return kernel(
        " ".join(f"%{name}:{type_}x{size}x{size}" for name in "ABC"),
        f"%one = constant {one} : {type_}\n{body}",
    )


def atomics_in_regions(type_: str, count: int) -> str:
    """Return updates of a matrix by each component of others."""
    step = f"""%m# = constant 0.5 : coopmatrix<f64x16x16,matrix_acc>
%r# = cooperative_matrix_apply (%i#, %j#, %a#) = %m# -> coopmatrix<f64x16x16,matrix_acc> {{
%c# = constant [1.0, 0.5] : coopmatrix<{type_}x8x8,matrix_acc>
%d# = cooperative_matrix_atomic_add %c#, %B[%z,%z] : coopmatrix<{type_}x8x8,matrix_acc>
yield (%a#)
}}"""
    body = "\n".join(step.replace("#", str(n)) for n in range(count))
    return lanes(f"%B:{type_}x8x8", f"%z = constant 0 : index\n{body}", 16)


def updates(word: str, type_: str, count: int) -> str:
    """Return a program whose 64 lanes update some elements."""
    body = "\n".join(
        f"%r{n} = atomic_{word}.device.relaxed %x, %B[{n}] : {type_}" for n in range(count)
    )
    head = "%l = subgroup_local_id : i32\n%i = cast %l : index\n%x = load %A[%i] : " + type_
    return lanes(f"%A:{type_}x64 %B:{type_}x128", f"{head}\n{body}", 64)


PROGRAMS = {
    "85_minima_of_f64": updates("min", "f64", 85),
    "85_sums_of_f16": updates("add", "f16", 85),
    "cos_256x64_of_4": matrix("f32", "256x64", 4, [COS] * 5),
    "functions_256x64_of_4": matrix("f64", "256x64", 4, [COS, SIN, EXP, LOG]),
    "functions_128x128": matrix("f32", "128x128", 16, [COS, SIN, EXP, LOG] * 3),
    "functions_of_halves": matrix("f16", "128x64", 8, [COS, EXP] * 4),
    "arithmetic_256x64_of_4": matrix("f32", "256x64", 4, [ADD, MUL] * 10),
    "arithmetic_128x128": matrix("f64", "128x128", 16, [ADD, MUL, DIV] * 8),
    "arithmetic_of_bf16": matrix("bf16", "128x64", 8, [ADD, MUL] * 8),
    "arithmetic_of_c64": matrix("c64", "64x64", 8, [ADD, MUL, DIV] * 4),
    "arithmetic_of_i8": matrix("i8", "128x64", 8, [ADD, MUL, DIV] * 6),
    "casts_256x64_of_4": matrix("f32", "256x64", 4, [cast_to("f16"), cast_to("i32")] * 4),
    "casts_to_bf16": matrix("f32", "128x64", 8, [cast_to("bf16")] * 8),
    "copies_256x64_of_4": matrix("i16", "256x64", 4, [ADD]),
    "atomics_of_f32": matrix("f32", "64x64", 8, [atomic("add"), atomic("max"), atomic("min")]),
    "atomics_of_f64": matrix("f64", "128x32", 8, [atomic("add"), atomic("max")]),
    "atomics_of_f16": matrix("f16", "64x32", 8, [atomic("add"), atomic("min")]),
    "atomics_of_bf16": matrix("bf16", "64x32", 4, [atomic("add")]),
    "atomics_of_c64": matrix("c64", "64x32", 8, [atomic("add")]),
    "atomics_of_i8": matrix("i8", "64x64", 8, [atomic("add"), atomic("max")]),
    "atomics_in_regions": atomics_in_regions("c32", 4),
    "atomics_256x64_of_4": matrix("f32", "256x64", 4, [atomic("add")]),
    "rows_256x64_of_4": reducing("f32", "256x64", 4, [reduced("add", "row")] * 3),
    "columns_256x64_of_4": reducing("f32", "256x64", 4, [reduced("max", "column")] * 3),
    "columns_of_f16": reducing("f16", "32x128", 32, [reduced("min", "column")] * 3),
    "scans_of_c64": scans("c64", "100x100", [0, 1] * 8),
    "scans_of_i8": scans("i8", "64x8x32", [0, 1, 2] * 4),
    "attention_of_f16": attention("f16", 16, 5),
    "attention_of_bf16": attention("bf16", 16, 5),
    "attention_of_f32": attention("f32", 16, 5),
    "attention_of_f16_16x8": attention("f16", 16, 8),
    "attention_of_f16_32x5": attention("f16", 32, 5),
    "attention_of_bf16_32x5": attention("bf16", 32, 5),
    "attention_of_f16_32x7": attention("f16", 32, 7),
    "attention_of_4_lanes": attention("f16", 32, 5, 4),
    "attention_of_8_lanes": attention("bf16", 32, 5, 8),
    "attention_of_32_lanes": attention("f16", 32, 5, 32),
    "attention_of_64_lanes": attention("f16", 32, 5, 64),
    "sums_of_products": sums_of_products("f32", 16, 90, 16),
    "powers_of_f16": powers("f16", 16, 45, 16),
    "powers_of_bf16": powers("bf16", 32, 15, 16),
    "powers_of_f64": powers("f64", 16, 45, 8),
    "powers_of_c32": powers("c32", 16, 40, 16),
    "products_of_f32": products("f32", 60, 60, 60),
    "products_of_f64": products("f64", 64, 48, 64),
    "products_of_c64": products("c64", 32, 32, 32),
    "products_of_f16": products("f16", 64, 64, 32),
    "products_of_bf16": products("bf16", 64, 64, 32),
    "products_of_i8": products("i8", 64, 64, 48),
    "atomic_products": products("f32", 48, 48, 48, atomic=True),
    "elements": elements((64, 64), ["@out = cos @in : TYPE", "@out = div @in, 3.0 : TYPE"] * 40),
    "elements_of_modes": elements((7, 5, 3, 9, 2), ["@out = exp @in : TYPE"] * 30),
    "unrolled": unrolled(64, ["@out = cos @in : TYPE", "@out = mul @in, 2.0 : TYPE"] * 8),
    "nest": nest(8),
    "sums": sums("f64", "500x90"),
    "products_of_unknown_sizes": transposed_products("f32", "?", 80),
    "products_of_unknown_sizes_in_bf16": transposed_products("bf16", "?", 80),
    "products_of_unknown_sizes_in_c32": transposed_products("c32", "?", 80),
    "products_of_static_sizes_in_bf16": transposed_products("bf16", "23", 80),
    "repeated_products_of_c32": repeated("c32", 90),
    "repeated_products_of_c64": repeated("c64", 90),
    "local_memory": in_local_memory(8),
    "copies": copies("f64", "40x30", 80),
    "subgroup_functions": subgroup_functions("c64", 60),
}
