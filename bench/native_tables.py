"""Prints the table of docs/native.md.

Run with `python bench/native_tables.py WIDE NARROW`: files that `bench/native_times.py --json`
wrote in one hour on one machine, with all of its registers and with `--vector-bytes 32`. The
table has geometric means and, in parentheses, the worst case of ratios of times to native code;
above 1, native code is faster.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from collections.abc import Callable, Iterator

from tinytc_mlir.measure.timing import geometric_mean

_BATCHES = ("1 MiB", "16 MiB")
_PEERS = {
    "driver": "the driver's code",
    "libxsmm": "libxsmm, its best way",
    "mkl": "MKL",
    "c": "loops in C",
}
_SPECIAL = ("padded", "dynamic", "128")

Times = dict[str, dict[str, dict[str, float]]]  # by case, batch and candidate


def _is_plain(case: str) -> bool:
    return case.startswith("gemm.") and case.rpartition(".")[2] not in _SPECIAL


def _ends(end: str) -> Callable[[str], bool]:
    return lambda case: case.startswith("gemm.") and case.endswith(f".{end}")


def _is_other(case: str) -> bool:
    return not case.startswith(("gemm.", "seissol.", "recipe.", "fused."))


_KINDS: dict[str, tuple[Callable[[str], bool], tuple[str, ...]]] = {
    "all 141 of the benchmark": (lambda case: True, ("driver",)),
    "products of static sizes": (_is_plain, ("libxsmm", "mkl")),
    "products of padded matrices": (_ends("padded"), ("libxsmm",)),
    "products of unknown sizes": (_ends("dynamic"), ("libxsmm",)),
    "128 cubed": (_ends("128"), ("libxsmm", "mkl")),
    "chains as in SeisSol": (lambda case: case.startswith("seissol."), ("libxsmm",)),
    "recipes": (lambda case: case.startswith("recipe."), ("libxsmm",)),
    "other instructions": (_is_other, ("c",)),
}


def ratios(times: Times, batch: str, chosen: Callable[[str], bool], peer: str) -> dict[str, float]:
    """Return how many times as fast as a peer native code is, by case.

    Args:
        times: nanoseconds for a group.
        batch: name of the batch.
        chosen: whether a case counts.
        peer: name of the candidate to compare with.
    """
    measured = {case: found[batch] for case, found in times.items() if chosen(case)}
    return {
        case: found[peer] / found["native"] for case, found in measured.items() if peer in found
    }


def speed(runs: tuple[Times, ...]) -> Iterator[str]:
    """Yield the lines of the table of means and worst cases; a run has two columns."""
    for kind, (chosen, peers) in _KINDS.items():
        for peer in peers:
            cells = []
            for times in runs:
                for batch in _BATCHES:
                    values = ratios(times, batch, chosen, peer).values()
                    cells.append(f"{geometric_mean(list(values)):.2f} ({min(values):.2f})")
            label = kind if peer == peers[0] else ""
            yield f"| {label} | {_PEERS[peer]} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wide", type=pathlib.Path)
    parser.add_argument("narrow", type=pathlib.Path)
    arguments = parser.parse_args()
    runs = tuple(json.loads(path.read_text()) for path in (arguments.wide, arguments.narrow))
    columns = [f"{size} bytes, {batch}" for size in (64, 32) for batch in _BATCHES]
    print(f"| cases | to | {' | '.join(columns)} |\n{'|---' * 6}|")
    print(*speed(runs), sep="\n")


if __name__ == "__main__":
    main()
