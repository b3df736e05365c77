# SPDX-License-Identifier: BSD-3-Clause
"""`tinytc run`: launches a kernel on random data, checks the result and reports the speed."""

from __future__ import annotations

import argparse
import ast
import cmath
import contextlib
import io
import math
import time
from typing import TYPE_CHECKING, Any

from ..errors import TinyTCError
from ..files import is_compiled
from .files import (
    EXIT_OK,
    Commands,
    UsageError,
    add_build_options,
    add_file,
    add_target,
    build_options,
    command,
    given_options,
    module_in_python,
    module_of,
    name_of,
    positive,
    read,
    switch_of,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..compiler import Module
    from ..measure.launches import Timing
    from ..measure.sample_data import SampleOptions
    from ..roofline.roof import Rates, Roof
    from ..runtime.kernel import Kernel
    from ..runtime.launches.arguments import Groups
    from ..runtime.program import Program
    from ..runtime.protocol import Queue

_FEWEST_ROUNDS, _ROUNDS = 3, 15
_SECONDS = 1.0  # for all rounds, if that is enough for the fewest
_NO_ROOF = (
    "expected a kernel whose operations and bytes are known for --roofline, got one in which they "
    "depend on sizes of the launch or on conditions; give the sizes in the types"
)
_EXAMPLES = (
    ("gemm.ir", "1000 groups on the first device"),
    ("gemm.tinytcb", "the same, of a compiled program"),
    ("--kernel gemm_nt --groups 64,64 --size A.1=32 gemm.ir", "one of several kernels, a grid"),
    ("--roofline gemm.svg gemm.ir", "draws how near the kernel is to what the device can do"),
    ("--debug --set alpha=2 gemm.ir", "reports accesses out of bounds"),
)


def add(commands: Commands) -> None:
    """Add the command."""
    parser = command(
        commands, "run", run, "run a kernel on random data, check the result and time it", _EXAMPLES
    )
    add_file(parser)
    add_target(parser)
    add_data_options(parser)
    parser.add_argument(
        "--no-check", action="store_true", help="do not compare with the NumPy reference"
    )
    parser.add_argument(
        "--roofline",
        metavar="FILE",
        help="draw the kernel under the roof of the device, as SVG, PDF or PNG",
    )
    add_build_options(parser, without=("abi",))


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a kernel and what it is launched with."""
    parser.add_argument("--kernel", help="name of the kernel; needed if there are several")
    parser.add_argument(
        "--groups",
        metavar="X[,Y[,Z]]",
        type=_groups,
        default=(1000,),
        help="number of groups in up to three dimensions; by default 1000",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the random data")
    parser.add_argument(
        "--size",
        dest="sizes",
        metavar="NAME.MODE=N",
        action="append",
        default=[],
        type=_size,
        help="size of a dynamic mode (modes count from 0); by default 16, for a last mode as many "
        "as groups",
    )
    parser.add_argument(
        "--set",
        dest="scalars",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=_scalar,
        help="value of a scalar parameter",
    )


def sample_options(arguments: argparse.Namespace) -> SampleOptions:
    """Return what the options of `add_data_options` specify."""
    from ..measure.sample_data import SampleOptions

    sizes, scalars = dict(arguments.sizes), dict(arguments.scalars)
    return SampleOptions(arguments.groups, arguments.seed, sizes, scalars)


def _groups(text: str) -> tuple[int, ...]:
    counts = tuple(map(positive, text.split(",")))
    if len(counts) > 3:
        raise argparse.ArgumentTypeError(f"expected 1 to 3 numbers of groups, got {text!r}")
    return counts


def _size(text: str) -> tuple[tuple[str, int], int]:
    place, _, size = text.partition("=")
    name, _, mode = place.rpartition(".")
    if not name or not mode.isdecimal() or not size.isdecimal():
        raise argparse.ArgumentTypeError(f"expected NAME.MODE=N, got {text!r}")
    return (name, int(mode)), int(size)


def _scalar(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    special = {"true": True, "false": False}
    if value in special:
        return name, special[value]
    try:
        number = float(value) if "n" in value else ast.literal_eval(value)
    except (ValueError, SyntaxError):
        raise argparse.ArgumentTypeError(f"expected a number, got {value!r}") from None
    if "n" not in value and isinstance(number, (float, complex)) and not cmath.isfinite(number):
        raise argparse.ArgumentTypeError(f"expected a number in the range of f64, got {value!r}")
    return name, number


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from ..measure.sample_data import sample_arguments
    from ..runtime import devices
    from ..runtime.arrays.memory import empty

    if arguments.roofline is not None:
        from ..roofline.picture import format_of

        format_of(arguments.roofline)
    module, program = _compiled(arguments)
    kernel = _kernel(program, arguments.kernel)
    queue = devices.queue_of(program.target)
    options = sample_options(arguments)

    def allocate(shape: tuple[int, ...], dtype: npt.DTypeLike) -> np.ndarray[Any, Any]:
        return empty(shape, dtype, queue=queue)

    values = sample_arguments(kernel.info, options, allocate)
    print(f"kernel   {kernel.info.signature}")
    print(f"device   {queue.device.name} [{program.target}]")
    print(f"groups   {','.join(map(str, arguments.groups))}")
    problems: tuple[str, ...] = ()
    if not arguments.no_check:
        problems = _print_error(module, kernel, values, arguments.groups, queue)
    is_checked = not arguments.no_check and module is not None and module.is_of_language
    # The same lines have been printed by the check.
    silence = contextlib.redirect_stdout(io.StringIO()) if is_checked else contextlib.nullcontext()
    with silence:
        timing = _time(kernel, values, arguments.groups, queue)
    print(f"time     {timing.time_text}")
    _print_rates(kernel, arguments.groups, timing, queue, arguments.roofline)
    if problems:
        raise TinyTCError("\n".join(f"{kernel.info.name}: {problem}" for problem in problems))
    return EXIT_OK


def _compiled(arguments: argparse.Namespace) -> tuple[Module | None, Program]:
    """Return the module, if there is a source, and the program."""
    from ..runtime.program import loaded

    module = module_in_python(arguments.file, arguments.defines)
    data = read(arguments.file) if module is None else b""
    if is_compiled(data):
        options = {
            "--target": arguments.target,
            "-D": arguments.defines,
            **{switch_of(name): True for name in given_options(arguments)},
        }
        for name, value in options.items():
            if value:
                raise UsageError(f"expected a program to compile for {name}, got {arguments.file}")
        return None, loaded(data, name_of(arguments.file))
    module = module_of(arguments, data) if module is None else module
    return module, module.compile(arguments.target, **build_options(arguments, module))


def _kernel(program: Program, name: str | None) -> Kernel:
    if name is None and len(program) != 1:
        names = ", ".join(program) or "none"
        raise UsageError(f"expected --kernel to choose one of the kernels {names}, got nothing")
    return program[name if name is not None else next(iter(program))]


def _time(kernel: Kernel, values: dict[str, Any], groups: Groups, queue: Queue) -> Timing:
    """Return the times of launches; few of them if one takes long."""
    from ..measure.launches import do_bench

    bound = kernel.bind(values, groups=groups, queue=queue)
    begin_s = time.perf_counter()
    bound()
    launch_s = time.perf_counter() - begin_s
    rounds = min(max(int(_SECONDS / launch_s), _FEWEST_ROUNDS), _ROUNDS)
    return do_bench(bound, rounds=rounds)


def _print_error(
    module: Module | None, kernel: Kernel, values: dict[str, Any], groups: Groups, queue: Queue
) -> tuple[str, ...]:
    """Compare one launch with the NumPy reference, if there is one; return what is wrong."""
    if module is None:
        print("error    not known: a compiled file has no reference")
        return ()
    if not module.is_of_language:
        print("error    not known: only kernels of the language have a reference")
        return ()
    from ..measure.comparison import compare_with_reference

    comparison = compare_with_reference(module, kernel, values, groups, queue)
    print(f"error    {comparison.text}")
    return comparison.problems


def _print_rates(
    kernel: Kernel, groups: tuple[int, ...], timing: Timing, queue: Queue, picture: str | None
) -> None:
    """Print how fast the kernel is, and how near the roof of the device; draw that if asked."""
    from ..measure.launches import rate_texts
    from ..roofline.roof import Rates, roof_of

    info = kernel.info
    rates = Rates.of(info, math.prod(groups), timing.median_ns)
    texts = rate_texts(rates.gflops, rates.gbytes_per_s)
    if not texts:
        _draw(picture, kernel, queue, rates, None)
        return
    print(f"speed    {', '.join(texts)}")
    roof = roof_of(queue, kernel.program.target, info, rates.moved_bytes)
    if roof.share(rates) > 1:
        roof = roof_of(queue, kernel.program.target, info, rates.moved_bytes, again=True)
    limits = f"{roof.gbytes_per_s:.1f} GB/s in copies, {roof.gflops:.0f} GFLOP/s of {roof.type}"
    limit = "what the device can do"
    if roof.exceeds_copies(rates):
        limit = "what copies allow, because data stay in caches"
    print(f"roof     {100 * roof.share(rates):.0f} % of {limit} ({limits})")
    _draw(picture, kernel, queue, rates, roof)


def _draw(
    picture: str | None, kernel: Kernel, queue: Queue, rates: Rates, roof: Roof | None
) -> None:
    if picture is None:
        return
    if roof is None or rates.intensity is None or rates.gflops is None:
        raise TinyTCError(f"{kernel.info.name}: {_NO_ROOF}")
    from ..roofline.picture import draw

    draw(picture, kernel.info.name, queue.device.name, roof, rates.intensity, rates.gflops)
