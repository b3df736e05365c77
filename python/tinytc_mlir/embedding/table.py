# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of each kernel: one table, of which the files of all languages are made."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import re
from collections.abc import Iterator, Sequence

from ..errors import TinyTCError, describe
from ..runtime.kernel_info import (
    Argument,
    GroupArgument,
    KernelInfo,
    MemrefArgument,
    ScalarArgument,
)
from ..scalars import SCALAR_TYPES, names_of

# Local memory up to here is on the stack of a kernel; more is its last parameter.
STACK_LOCAL_BYTES = 32 * 1024
_LONGEST_NAME = 63  # of Fortran
# Types that callers pass as their bits: those that C has none for.
PASSED_AS_BITS = tuple(name for name in names_of("floating") if SCALAR_TYPES[name].bits < 32)
# Functions that each library has besides its kernels.
_OWN_NAMES = ("batch", "check", "launch", "sycl_kernels", "target", "to_c")
# Ends of names that it has in C.
_OWN_WORDS = (
    *("target", "code", "code_size"),
    *("opencl", "opencl_create", "opencl_release"),
    *("cuda", "cuda_create", "cuda_release"),
)
# Names that modules of Fortran cannot have: that of the module for C, and what they use of it.
_FORTRAN = re.compile(
    "iso_c_binding|c_(ptr|funptr|s?size_t|u?int.*|short|long.*|signed_char|float.*|double.*|bool|char|loc|null_.*)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# Keywords of C and C++ that the language allows as names.
_KEYWORDS = (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned "
    "using virtual void volatile wchar_t while xor xor_eq"
)
KEYWORDS = frozenset(_KEYWORDS.split())
# Words that headers of C, or compilers on Linux, replace by others wherever they are.
_MACROS = re.compile(
    "I|BUFSIZ|BYTE_ORDER|DECIMAL_DIG|EHWPOISON|EOF|HUGE_VAL[FL]?|INFINITY|MINSIGSTKSZ|NAN|NFDBITS|NGREG|NSIG|NULL|WEOF"
    "|complex|errno|imaginary|math_errhandling|noreturn|std(in|out|err)|unix"
    "|assert|major|makedev|minor|offsetof|setjmp|va_(arg|copy|end|start)"
    "|arm|hpux|i386|linux|mips|powerpc|sparc|sun|vax"
    "|L_(ctermid|tmpnam|cuserid)|P_tmpdir|W(CONTINUED|EXITED|NOHANG|NOWAIT|STOPPED|UNTRACED)"
    "|(PRI|SCN)[diouxX](8|16|32|64|LEAST[0-9]+|FAST[0-9]+|MAX|PTR)|SIG[A-Z0-9_]+"
    "|(s[ai]|sigev)_[a-z_]+|[A-Z0-9_]+_(BIT|MAX|MIN|WIDTH)"
    "|(ATOMIC|BIG|BUS|CLD|CLOCK|CLOCKS|DBL|DEC[0-9]*|EXIT|FD|FE|FLT[0-9X]*|FP|FPE|ILL|LC|LDBL"
    "|LITTLE|M|MATH|MAX|ONCE|PDP|PIPE|POLL|PTHREAD|SA|SEEK|SEGV|SI|SS|TIME|TIMER|TSS)_[A-Z0-9_]+"
)
# Types and namespaces that the headers use beside names of callers.
_TYPES = re.compile(
    r"std|tinytc\w*|u?int(_least|_fast|)[0-9]+_t|u?int(max|ptr)_t|(s?size|ptrdiff)_t"
)


@dataclasses.dataclass(frozen=True)
class Field:
    """One value that a caller passes.

    Args:
        name: its name in C and C++.
        fortran: its name in Fortran, where upper and lower case are the same.
        role: "scalar", "data" (a pointer to an array), "members" (to the pointers of a group),
            "shape" or "stride" of a mode, "size" or "offset" of a group, or "groups".
        argument: the kernel's parameter; None for the number of groups.
        mode: the mode of a shape or stride, the dimension of a number of groups.
    """

    name: str
    fortran: str
    role: str
    argument: Argument | None = None
    mode: int = 0

    @property
    def is_group(self) -> bool:
        """Whether the parameter is a group, of which each member has a shape and strides."""
        return isinstance(self.argument, GroupArgument)


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel, its names and its fields.

    Args:
        info: description of the kernel.
        name: its name in C++, where it is in a namespace.
        c_name: its name in C.
        fortran: its name in Fortran: that in C, shortened if Fortran has no names of that length.
        fields: what callers pass.
    """

    info: KernelInfo
    name: str
    c_name: str
    fortran: str
    fields: tuple[Field, ...]

    def field(self, role: str, argument: str | None = None, mode: int = 0) -> Field:
        """Return the field of a role."""
        return next(
            field
            for field in self.fields
            if field.role == role
            and field.mode == mode
            and (argument is None or (field.argument and field.argument.name == argument))
        )

    @property
    def dimensions(self) -> int:
        """Number of dimensions of the grid that callers give."""
        return max(self.info.grid_dimensions, default=0) + 1

    @property
    def scratch_bytes(self) -> int:
        """Local memory that a caller passes, 0 if there is none."""
        size = self.info.local_memory_bytes
        return size if size > STACK_LOCAL_BYTES else 0


def is_taken(name: str) -> bool:
    """Return whether a name means something else in C or C++: a keyword, a macro or a type.

    >>> is_taken("I"), is_taken("A")
    (True, False)
    """
    is_error = name.isupper() and hasattr(errno, name)
    is_other = any(pattern.fullmatch(name) for pattern in (_MACROS, _TYPES))
    return name in KEYWORDS or is_error or is_other


def kernel_table(
    library: str, kernels: tuple[KernelInfo, ...], *, is_native: bool = True
) -> tuple[Kernel, ...]:
    """Return the kernels of a library.

    Args:
        library: its name, with which all names in C and Fortran begin.
        kernels: their descriptions.
        is_native: whether callers run the code themselves, and pass local memory that a stack is
            too small for.

    Raises:
        TinyTCError: two names are the same in C or Fortran.
    """
    check_library_name(library)
    own = (f"{library}_{word}" for word in _OWN_WORDS)
    taken = {name.lower(): f"the library's own {name}" for name in own}
    ends = ("", "_args", "_check", *(() if is_native else ("_opencl", "_cuda")))
    found = []
    for info in kernels:
        plain = _identifier(info.name)
        c_name = f"{library}_{plain}"
        for name in (f"{c_name}{end}" for end in ends):
            other = taken.setdefault(name.lower(), info.name)
            if other != info.name:
                raise TinyTCError(
                    f"expected kernels whose names differ in C and Fortran, got {other} and "
                    f"{info.name}"
                )
        cpp_name = f"{plain}_" if is_taken(plain) or plain in _OWN_NAMES else plain
        fields = tuple(_fields(info, cpp_name, is_native))
        found.append(Kernel(info, cpp_name, c_name, _fortran_name(c_name, ends), fields))
    return tuple(found)


def check_library_name(name: str) -> None:
    """Check the name of a library.

    Raises:
        TinyTCError: it is no name in C, C++ and Fortran.

    >>> check_library_name("gemm")
    """
    if not _NAME.fullmatch(name) or is_taken(name) or _FORTRAN.fullmatch(name):
        raise TinyTCError(
            "expected a name for the library that C, C++ and Fortran can have, got "
            f"{describe(name)}"
        )


def _identifier(name: str) -> str:
    """Return a name with letters, digits and underscores only, which begins with a letter."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return plain if plain[:1].isalpha() else f"x{plain}"


def _fortran_name(name: str, ends: Sequence[str]) -> str:
    """Return a name that is short enough for Fortran with each of some ends."""
    longest = _LONGEST_NAME - max(map(len, ends))
    if len(name) <= longest:
        return name
    digits = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: longest - 9]}_{digits}"


def _fields(info: KernelInfo, kernel: str, is_native: bool) -> Iterator[Field]:
    taken = {f"{kernel}_args"}  # the structure, of which a member would be a constructor
    folded: set[str] = set()

    def field(name: str, role: str, argument: Argument | None = None, mode: int = 0) -> Field:
        c_name = unique(f"{name}_" if is_taken(name) else name, taken)
        return Field(
            c_name, unique(c_name.lower()[: _LONGEST_NAME - 4], folded), role, argument, mode
        )

    for argument in info.arguments:
        name = _identifier(argument.name)
        if isinstance(argument, ScalarArgument):
            yield field(name, "scalar", argument)
            continue
        is_group = isinstance(argument, GroupArgument)
        yield field(name, "members" if is_group else "data", argument)
        for role, values in (("shape", argument.shape), ("stride", argument.stride)):
            for mode, value in enumerate(values):
                if value is None:
                    yield field(f"{name}_{role}{mode}", role, argument, mode)
        if isinstance(argument, GroupArgument):
            for role, value in (("size", argument.size), ("offset", argument.offset)):
                if value is None:
                    yield field(f"{name}_{role}", role, argument)
    dimensions = max(info.grid_dimensions, default=0) + 1
    names = [f"groups_{d}" for d in "xyz"[:dimensions]] if dimensions > 1 else ["groups"]
    for mode, name in enumerate(names):
        yield field(name, "groups", None, mode)
    if is_native and info.local_memory_bytes > STACK_LOCAL_BYTES:
        yield field("scratch", "scratch")


def unique(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it."""
    number = 1
    found = name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found


def element_type(argument: Argument) -> str:
    """Return the scalar type of a parameter."""
    return argument.element_type if isinstance(argument, MemrefArgument) else argument.type


def description(field: Field) -> str:
    """Return what comments say of a field."""
    argument = field.argument
    if field.role == "scratch":
        return "memory for one thread, at a multiple of 128 bytes"
    if argument is None:
        return f"number of groups of the whole batch in {'xyz'[field.mode]}"
    if isinstance(argument, ScalarArgument):
        return f"{argument}{' (its bits)' if argument.type in PASSED_AS_BITS else ''}"
    assert isinstance(argument, MemrefArgument)
    if field.role in ("data", "members"):
        return _array_description(argument)
    each = ", for each member" if field.is_group else ""
    return {
        "size": f"number of members of {argument.name}",
        "offset": f"number of elements of {argument.name} before each member begins",
        "shape": f"size of mode {field.mode} of {argument.name}{each}",
        "stride": f"stride in elements of mode {field.mode} of {argument.name}{each}",
    }[field.role]


def _array_description(argument: MemrefArgument) -> str:
    access = {"none": "not accessed", "read": "read", "write": "written"}
    text = f"{argument}, strides {_tuple(argument.stride)}, "
    text += access.get(argument.access, "read and written")
    if argument.alignment:
        text += f", at a multiple of {argument.alignment} bytes"
    if argument.element_type in PASSED_AS_BITS:
        text += ", elements as their bits"
    if argument.buffer is not None:
        text += ", scratch memory"
    return text + (", may be null" if argument.optional else "")


def _tuple(values: tuple[int | None, ...]) -> str:
    return f"({', '.join('?' if value is None else str(value) for value in values)})"
