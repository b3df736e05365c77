# SPDX-License-Identifier: BSD-3-Clause
"""The names of instructions in `tt`: which instruction and modifiers they stand for."""

from __future__ import annotations

import functools
import inspect
from typing import NamedTuple, NoReturn

from ..errors import hint
from ..frontend.instructions import INSTRUCTIONS, SPELLINGS, Syntax, Typing
from ..frontend.instructions import Instruction as Spec
from .foreign_names import instead

# Instructions that Python has statements for.
_STATEMENTS = (
    Syntax.FOR, Syntax.FOREACH, Syntax.FOREACH_TILE, Syntax.IF, Syntax.PARALLEL, Syntax.YIELD,
    Syntax.APPLY, Syntax.SUBVIEW, Syntax.ALLOCA, Syntax.EXPAND,
)  # fmt: skip
_KEYWORDS = ("and", "assert", "or", "not")


class Named(NamedTuple):
    """The meaning of the words after `tt`.

    Args:
        spec: the instruction.
        modifiers: a choice for each of its modifiers, None where there is none.
    """

    spec: Spec
    modifiers: tuple[str | None, ...]


def choices() -> list[str]:
    """Return the first words of all instructions, as they are called in `tt`."""
    written = {word: f"{word}_" for word in _KEYWORDS}
    plain = {name for name, later in SPELLINGS.items() if _is_called(later.instruction)}
    return sorted({written.get(name, name) for name in plain if "." not in name})


def _is_called(name: str) -> bool:
    return INSTRUCTIONS[name].syntax not in _STATEMENTS


def named(words: tuple[str, ...]) -> Named | str:
    """Return the instruction of `tt.gemm.n.t`, or what is wrong with it.

    >>> named(("gemm", "n", "t")).modifiers
    ('n', 't', None)
    >>> named(("gem",))
    "expected an instruction or type in tt, got 'gem'; did you mean 'gemv'?"
    """
    words = tuple(word.removesuffix("_") for word in words)  # global_, and_
    first = words[0]
    dotted, rest = ".".join([first, *words[1:2]]), words[2:]
    if dotted not in SPELLINGS or len(words) == 1:
        dotted, rest = first, words[1:]
    later = SPELLINGS.get(dotted)
    if later is None or not _is_called(later.instruction):
        other = instead(dotted)
        end = f"; {other}" if other else hint(dotted, choices())
        return f"expected an instruction or type in tt, got {dotted!r}{end}"
    spec = INSTRUCTIONS[later.instruction]
    chosen: list[str | None] = [None] * len(spec.modifiers)
    following = 0
    for word in (*later.modifiers, *rest):
        if word == "x" and spec.name in ("builtin.group_id", "builtin.group_size"):
            following = len(spec.modifiers)  # the default, without a word
            continue
        at = [n for n, m in enumerate(spec.modifiers) if n >= following and word in m.choices]
        if not at:
            listed = " ".join("|".join(f".{c}" for c in m.choices) for m in spec.modifiers)
            expected = f"the modifiers {listed}" if listed else "no modifier"
            return f"expected {expected} after 'tt.{dotted}', got '.{word}'"
        chosen[at[0]], following = word, at[0] + 1
    missing = [m for m, word in zip(spec.modifiers, chosen, strict=True) if m.required and not word]
    if missing:
        listed = " or ".join(f"'.{c}'" for c in missing[0].choices)
        return f"expected {listed} after 'tt.{dotted}'"
    return Named(spec, tuple(chosen))


class InstructionName:
    """`tt.gemm` and its like: words that kernels call. Outside of kernels, only help uses them.

    Args:
        words: the words after `tt`; none for `tt` itself.
    """

    instruction_words: tuple[str, ...] = ()

    def __init__(self, words: tuple[str, ...]) -> None:
        self.instruction_words = words
        found = named(words) if words else None
        if isinstance(found, Named):
            self.__doc__ = documentation(found.spec)

    @property
    def __signature__(self) -> inspect.Signature:
        found = named(self.instruction_words)
        return signature(found.spec) if isinstance(found, Named) else inspect.Signature()

    def __getattr__(self, word: str) -> InstructionName:
        found = named((*self.instruction_words, word))
        if word.startswith("__") or (isinstance(found, str) and " after 'tt." not in found):
            raise AttributeError(found if isinstance(found, str) else word)
        if isinstance(found, str) and "got" in found:
            raise AttributeError(found)
        return InstructionName((*self.instruction_words, word))

    def __call__(self, *operands: object, **options: object) -> NoReturn:
        """Raise an error, as only functions marked with `@tt.kernel` call instructions."""
        name = ".".join(self.instruction_words)
        raise TypeError(f"expected tt.{name}(...) in a function marked with @tt.kernel")

    def __reduce__(self) -> tuple[type[InstructionName], tuple[tuple[str, ...]]]:
        return InstructionName, (self.instruction_words,)

    def __dir__(self) -> list[str]:
        found = named(self.instruction_words)
        rest = found.spec.modifiers if isinstance(found, Named) else ()
        return sorted({choice for modifier in rest for choice in modifier.choices})

    def __repr__(self) -> str:
        return f"<instruction tt.{'.'.join(self.instruction_words)}>"


def parameters(spec: Spec) -> list[str]:
    """Return the names of the operands of a call, a list of any length with its star."""
    return [name.lstrip('#"') for name in (*spec.operands, *spec.indices, *spec.trailing)]


def signature(spec: Spec) -> inspect.Signature:
    """Return how an instruction is called.

    >>> str(signature(INSTRUCTIONS["load"]))
    '(source, /, *indices, type=None)'
    """
    kinds = inspect.Parameter
    found = [
        kinds(
            _python_name(n.lstrip("*")),
            kinds.VAR_POSITIONAL if n[0] == "*" else kinds.POSITIONAL_ONLY,
        )
        for n in (["value"] if spec.syntax is Syntax.CONSTANT else parameters(spec))
    ]
    if not any(p.kind is kinds.VAR_POSITIONAL for p in found):
        found = [p.replace(kind=kinds.POSITIONAL_OR_KEYWORD) for p in found]
    for position in range(len(found) - spec.optional, len(found)):
        found[position] = found[position].replace(default=None)
    if spec.typing is not Typing.NONE:
        found.append(kinds("type", kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(found)


def _python_name(name: str) -> str:
    return name + "_" if name in ("from",) else name


@functools.cache
def documentation(spec: Spec) -> str:
    """Return what ODS says of an instruction."""
    from ..frontend._documentation_gen import DOCUMENTATION

    summary, description = DOCUMENTATION.get(spec.name, ("", ""))
    return f"{summary}\n\n{description}"
