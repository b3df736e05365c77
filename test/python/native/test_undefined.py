"""Functions that object files take from elsewhere: those that docs/native.md names."""

import functools
import pathlib
import re

import pytest

import instruction_kernels
import profiles
import tinytc_mlir as tt
from tinytc_mlir.frontend import instructions
from tinytc_mlir.runtime.native.elf import ObjectFile

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "native.md"
REALS = ("bf16", "f16", "f32", "f64")
COMPLEX = ("c32", "c64")
INTEGERS = ("i8", "i16", "i32", "i64")
TYPES = (*REALS, *COMPLEX, *INTEGERS)
MACHINES = (
    *("x86-64-v2", "x86-64-v3", "x86-64-v4"),
    *("aarch64", "aarch64-mmla", "aarch64-sve256", "aarch64-sve512"),
)
PRODUCT = """
func @product(%A: memref<{0}x19x9>, %B: memref<{0}x9x5>, %C: memref<{0}x19x5>) {{
  %one = constant {1} : {0}
  gemm.n.n %one, %A, %B, %one, %C
}}
"""


# How a value gets to where it is stored.
CARRIERS = {
    "nothing": "%r{n} = {instruction}",
    "if": "%r{n} = if %less -> ({T}) {{ %v = {instruction} yield (%v) }} else {{ yield (%b) }}",
    "for": (
        "%r{n} = for %k = 0,%i init(%v = %a) -> ({T}) {{ %w = {of_v} yield (%w) }}\n"
        "    %t{n} = select %less, %r{n}, %b : {T}"
    ),
    "atomic_max": "%v{n} = {instruction} %r{n} = atomic_max.device %v{n}, %A[%i] : {T}",
}
KERNEL = """
func @{name}(%A: memref<{T}x19>, %B: memref<{T}x19>{parameters}) {attributes} {{
  foreach (%i)=(0),(19) {{
    %a = load %A[%i] : {T}
    %b = load %B[%i] : {T}
    %z = constant {zero} : {T}
    %less = {less} : bool
    {lines}
  }}
}}
"""


LANES = "attributes{subgroup_size=8, work_group_size=[8,1]}"


def kernel(name, type_, lines, attributes=LANES, parameters=""):
    """Return a kernel whose lines have numbers %a and %b, and a condition %less on them."""
    zero = "[0.0, 0.0]" if type_ in COMPLEX else "0.0" if type_ in REALS else "0"
    return KERNEL.format(
        name=name,
        T=type_,
        zero=zero,
        less="cmp.eq %a, %b" if type_ in COMPLEX else "cmp.lt %a, %b",
        lines="\n    ".join(lines),
        attributes=attributes,
        parameters="".join(f", %{other}: memref<{other}x19>" for other in parameters),
    )


@functools.cache
def scalar_instructions(type_):
    """Return the instructions on numbers of a type, as what comes before and after the first."""
    found = []
    for name, spec in instructions.INSTRUCTIONS.items():
        is_scalar = name in instructions.MATH or name.startswith("arith.")
        same = spec.typing is instructions.Typing.SAME
        if is_scalar and same and instruction_kernels.parse(name, type_):
            others = ", ".join(("", "%b", "%a")[: len(spec.operands)])
            found.append((f"{name} ", f"{others} : {type_}"))
    return found


def carried(type_, carrier):
    """Return a kernel that has all instructions on a type; what they compute is stored last."""
    lines = []
    for n, (name, rest) in enumerate(scalar_instructions(type_)):
        words = {"instruction": f"{name}%a{rest}", "of_v": f"{name}%v{rest}", "T": type_, "n": n}
        lines.append(CARRIERS[carrier].format(**words))
    letter = "t" if carrier == "for" else "r"
    lines += [f"store %{letter}{n}, %B[%i]" for n in range(len(lines))]
    return kernel("f_" + carrier, type_, lines)


def other_instructions(type_):
    """Yield kernels of a type that convert numbers, update memory, and call functions."""
    others = TYPES if type_ not in COMPLEX else COMPLEX
    lines = []
    for other in others:
        lines += [f"%c{other} = cast %a : {other}", f"store %c{other}, %{other}[%i]"]
    yield kernel("casts", type_, lines, parameters=others)
    lines = []
    for word in ("add", "min", "max") if type_ not in COMPLEX else ("add",):
        for value in ("z", "a"):
            result = f"%p{word}{value}"
            lines += [f"{result} = atomic_{word}.device %{value}, %A[%i] : {type_}"]
            lines += [f"store {result}, %B[%i]"]
    yield kernel("updates", type_, lines)
    if type_ in REALS:  # so many that they become functions of the module
        lines = [f"%r{n} = pow %a, %b : {type_} store %r{n}, %B[%i]" for n in range(3)]
        size = "attributes{subgroup_size=16, work_group_size=[1024,1]}"
        yield kernel("calls", type_, lines, attributes=size)


def named_functions(target):
    """Return what the page says that objects may call."""
    (text,) = re.findall(r"<!-- functions -->(.*?)<!-- end -->", PAGE.read_text(), re.S)
    everywhere, _, _ = text.partition(" on x86-64-v2 ")
    return set(re.findall(r"`(\w+)`", text if target == "x86-64-v2" else everywhere))


def undefined(text, target):
    """Return the functions that the object of a program calls."""
    code = tt.Context().parse(text).compile(target).code
    return set(ObjectFile(code, "program").undefined())


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("target", MACHINES)
def test_objects_call_what_the_page_names(target, type_):
    assert undefined("".join(other_instructions(type_)), target) <= named_functions(target)


@pytest.mark.similar
@pytest.mark.parametrize("type_", ["bf16", "f16"])
@pytest.mark.parametrize("target", MACHINES)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_instructions_on_halves_call_what_the_page_names(carrier, target, type_):
    assert undefined(carried(type_, carrier), target) <= named_functions(target)


# Complex numbers are carried as two others.
OTHERS = [(carrier, type_) for type_ in ("f32", "f64", *INTEGERS) for carrier in CARRIERS]
OTHERS += [("nothing", type_) for type_ in COMPLEX]


@pytest.mark.similar
@pytest.mark.parametrize("carrier, type_", OTHERS)
def test_instructions_call_what_the_page_names(carrier, type_):
    for target in profiles.in_turns(MACHINES, carrier + type_):
        assert undefined(carried(type_, carrier), target) <= named_functions(target)


@pytest.mark.parametrize("target", MACHINES)
def test_products_call_nothing(target):
    for type_ in REALS:
        assert undefined(PRODUCT.format(type_, "1.0"), target) == set()
