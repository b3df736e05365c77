"""Measures the front-end: the sample, long programs, the import.

Run with `python bench/frontend_times.py`; the numbers go to standard output as JSON lines.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from mlir import ir

from tinytc_bench.compilation import long_program, programs
from tinytc_mlir import frontend
from tinytc_mlir.dialects.tinytc import register_dialect
from tinytc_mlir.frontend.lexer import tokenize
from tinytc_mlir.frontend.parser import parse_program
from tinytc_mlir.frontend.printer import to_text
from tinytc_mlir.frontend.source import Reporter, Source


def median_ms(run: Callable[[], object], repeats: int) -> float:
    """Return the median of the wall time in ms."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def report(name: str, **numbers: float) -> None:
    """Print one line of numbers."""
    print(json.dumps({"name": name, **{key: round(n, 3) for key, n in numbers.items()}}))


def measure(name: str, text: str, context: ir.Context, repeats: int) -> None:
    """Measure lexer, parser, all of the front-end, and the printer for one text."""
    module = frontend.parse(text, "bench.ir", mlir_context=context)
    report(
        name,
        lex_ms=median_ms(lambda: tokenize(Reporter(Source(text, "bench.ir"))), repeats),
        parse_ms=median_ms(lambda: parse_program(Reporter(Source(text, "bench.ir"))), repeats),
        build_ms=median_ms(lambda: frontend.parse(text, "bench.ir", None, context), repeats),
        print_ms=median_ms(lambda: to_text(module), repeats),
        format_ms=median_ms(lambda: frontend.format_source(text), repeats),
    )


def measure_import() -> None:
    """Measure the import of the package in a fresh process, and of Python itself."""
    statements = ("pass", "import tinytc_mlir", "import tinytc_mlir.compiler")
    for statement in statements:
        command = [sys.executable, "-c", statement]
        wall_ms = median_ms(lambda c=command: subprocess.run(c, check=True), 7)
        report(f"python -c '{statement}'", wall_ms=wall_ms)


def main() -> None:
    """Run all measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="store_true", help="show where 10,000 instructions go")
    profile = parser.parse_args().profile
    context = ir.Context()
    register_dialect(context)
    for name, text in programs((1_000,)).items():
        measure(name, text, context, 20)
    for count in (2_500, 5_000, 10_000, 20_000):
        measure(f"{count} instructions", long_program(count), context, 3)
    measure_import()
    if profile:
        profiler = cProfile.Profile()
        profiler.runcall(frontend.parse, long_program(10_000), "bench.ir", None, context)
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
