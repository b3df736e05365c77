"""Hostile input quickly leads to an error, without a crash and without using much memory."""

import contextlib
import random
import re
import tracemalloc
from collections.abc import Callable

import pytest

import growth
import profiles
from tinytc_mlir import frontend
from tinytc_mlir.errors import CompileError, VerificationError

SIZE = 1_000_000 if profiles.IS_NIGHTLY else 50_000
HEAD = "func @f(%a: f32, %c: bool, %i: index, %A: memref<f32x8x8>) {\n"


Text = Callable[[int], str]


def random_text(alphabet: int, head: str = "") -> Text:
    def made(size: int) -> str:
        return head + "".join(map(chr, random.Random(7).choices(range(alphabet), k=size)))

    return made


def repeated(unit: str, head: str = "", tail: str = "") -> Text:
    return lambda size: head + unit * (size // len(unit)) + tail


GARBAGE: dict[str, Text] = {
    "parentheses": repeated("("),
    "braces": repeated("{"),
    "braces_in_body": repeated("{", HEAD),
    "closing_braces": repeated("}", HEAD),
    "mixed_braces": repeated("( { } ", HEAD),
    "percents": repeated("%"),
    "dollars": repeated("$"),
    "bangs": repeated("!"),
    "dots": repeated(".", HEAD),
    "quotes": repeated('"'),
    "quotes_in_body": repeated('"', HEAD),
    "hashes": repeated("#"),
    "minus_signs": repeated("-", HEAD + "%x = constant "),
    "x": repeated("x"),
    "digits": repeated("1"),
    "lines": repeated("(((\n", HEAD),
    "unknown_instructions": repeated("%x = frobnicate %a\n", HEAD),
    "undefined_names": repeated("%x = arith.add %q, %r : f32\n", HEAD, "}"),
    "functions": repeated("func "),
    "open_functions": repeated("func @f() {\n"),
    "random_ascii": random_text(128),
    "random_ascii_in_body": random_text(128, HEAD),
    "random_unicode": random_text(0xD000),
    "nul_characters": repeated("\0"),
    "accents": repeated("é"),
    "emoji": repeated("\U0001f600 "),
    "nested_memrefs": repeated("memref<", "func @f(%a: "),
    "nested_groups": repeated("group<", "func @f(%a: "),
    "nested_arrays": repeated("[", "$a = "),
    "nested_dictionaries": repeated('{"a"=', "$a = "),
    "open_ifs": repeated("if %c {\n", HEAD),
    "open_fors": repeated("for %k = 0, 1 {", HEAD),
    "open_parallels": repeated("parallel{", HEAD),
    "elses": repeated("if %c { } else { ", HEAD),
    "open_dictionaries": repeated("%x = alloca {", HEAD),
    "huge_integer": repeated("9", HEAD + "%x = constant ", " : i64 }"),
    "huge_floating": repeated("9", HEAD + "%x = constant ", ".0 : f64 }"),
    "huge_hexadecimal": repeated("f", HEAD + "%x = constant 0x", ".0 : f64 }"),
    "huge_exponent": repeated("9", HEAD + "%x = constant 1e", " : f64 }"),
    "huge_name": repeated("a", HEAD + "%x = arith.neg %", " : f32 }"),
    "huge_word": repeated("a", HEAD),
    "unterminated_string": repeated("a", '$a = "'),
    "results": repeated("%a, ", HEAD),
    "result_lines": repeated("%a,\n", HEAD),
    "indices": repeated("%i, ", HEAD + "%x = load %A[", "%i] : f32 }"),
    "parameters": repeated("%a: f32, ", "func @f(", ") {}"),
    "modes": repeated("x1", "func @f(%a: memref<f32", ">) {}"),
    "strides": repeated(",1", "func @f(%a: memref<f32x1,strided<1", ">>) {}"),
    "slices": repeated(":,", HEAD + "%x = subview %A[", "] : memref<f32> }"),
    "calculation": repeated("1 ", "$a = !calc(", ")"),
    "keys": repeated('"a"=1,', "$a = {", "}"),
    "modifiers": repeated(".n", HEAD + "gemm"),
    "surrogate": lambda size: "func @f\ud800() {}",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_refused_in_linear_time(name: str) -> None:
    def work(size: int) -> Callable[[], None]:
        text = GARBAGE[name](size)

        def read() -> None:
            with contextlib.suppress(CompileError):
                frontend.parse(text, "garbage.ir")
            with contextlib.suppress(CompileError):
                frontend.format_source(text, "garbage.ir")

        return read

    growth.expect_linear(growth.processor_s, work, SIZE // 4, 2.5)
    with pytest.raises(CompileError) as error:
        frontend.parse(GARBAGE[name](SIZE), "garbage.ir")
    assert len(error.value.diagnostics) <= 21
    assert len(str(error.value)) < 50_000


@pytest.mark.parametrize("name", ["parentheses", "lines", "random_ascii", "open_ifs", "huge_name"])
def test_memory_is_a_small_multiple_of_the_input(name: str) -> None:
    text = GARBAGE[name](100_000)
    tracemalloc.start()
    with pytest.raises(CompileError):
        frontend.parse(text, "garbage.ir")
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 20 * len(text)


@pytest.mark.parametrize("depth", [99, 100, 5000])
def test_nesting_is_bounded(depth: int) -> None:
    text = HEAD + "if %c {\n" * (depth - 1) + "}" * depth
    if depth <= 100:
        frontend.parse(text)
        return
    with pytest.raises(CompileError, match="at most 100 regions nested, got more"):
        frontend.parse(text)


def doubled(count: int, item: str) -> str:
    """Return definitions each of which holds the one before it twice, and a use of the last."""
    lines = ["$a0 = [1]"]
    lines += [f"$a{n + 1} = {item.replace('$', f'$a{n}')}" for n in range(count)]
    return "\n".join([*lines, f'func @f() attributes {{"x"=$a{count}}} {{}}'])


@pytest.mark.parametrize("item", ["[$, $]", '{"p"=$, "q"=$}', '[{"p"=[$]}, $]'])
def test_definitions_that_double_are_bounded(item: str) -> None:
    assert "user.x" in str(frontend.parse(doubled(8, item)))
    found = []

    def refused() -> None:
        with pytest.raises(CompileError) as error:
            frontend.parse(doubled(90, item))
        found.extend(error.value.diagnostics)

    assert growth.calls_of(refused) < 1_000_000
    (diagnostic,) = found
    message = r"expected an attribute of at most 10000 parts with its variables replaced, got \d+"
    assert re.fullmatch(message, diagnostic.message)
    place = doubled(90, item).splitlines()[diagnostic.line - 1]
    assert 9 < diagnostic.line < 16
    assert diagnostic.column == place.index("=") + 3


def test_shared_parts_are_converted_once() -> None:
    def calls(count: int) -> int:
        uses = "\n".join(f'func @f{n}() attributes {{"x"=$a11}} {{}}' for n in range(count))
        text = doubled(11, "[$, $]")
        return growth.calls_of(lambda: frontend.parse(f"{text}\n{uses}"))

    assert calls(100) - calls(1) < 99 * 2**11  # the parts of 99 more


@pytest.mark.parametrize("item", ["[$]", '{"p"=$}'])
def test_definitions_that_nest_are_bounded(item: str) -> None:
    frontend.parse(doubled(98, item))
    with pytest.raises(CompileError, match="expected at most 100 attributes nested, got more"):
        frontend.parse(doubled(5000, item))


def test_bytes_that_are_not_utf8() -> None:
    with pytest.raises(CompileError) as error:
        frontend.parse(b"; \xc3\xa4\n; \xff", "latin.ir")
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.message == "expected UTF-8 text, got byte 0xff"
    assert (diagnostic.line, diagnostic.column) == (2, 3)


def test_bytes_with_byte_order_mark() -> None:
    frontend.parse(b"\xef\xbb\xbffunc @f() {}\r\n")


def test_odd_file_name() -> None:
    module = frontend.parse("func @f() {}", "a\udcff\n.ir")
    assert module.operation.verify()


def test_number_of_errors_is_bounded() -> None:
    with pytest.raises(CompileError) as error:
        frontend.parse(HEAD + "gemm\n" * 50 + "}")
    *errors, note = error.value.diagnostics
    assert len(errors) == 20
    assert (note.severity, note.message) == ("note", "stopped after 20 errors")


WRONG = "  axpby.n %z, %A, %z, %B\n"


@pytest.mark.parametrize(
    ("count", "more"), [(20, None), (21, "1 more error"), (50, "30 more errors")]
)
def test_the_first_errors_are_shown(count: int, more: str | None) -> None:
    """The verifier says how many there are beyond those."""
    head = "func @f(%A: memref<f32x4>, %B: memref<f32x5>) {\n  %z = constant 1.0 : f32\n"
    with pytest.raises(VerificationError) as error:
        frontend.parse(head + WRONG * count + "}")
    found = error.value.diagnostics
    assert [diagnostic.line for diagnostic in found[:20]] == list(range(3, 23))
    assert [diagnostic.message for diagnostic in found[20:]] == ([more] if more else [])
