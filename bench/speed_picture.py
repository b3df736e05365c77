"""Draws how many times as fast as other libraries we are, from the tables of the latest runs.

    python bench/speed_picture.py

reads docs/measurements/*.json and writes docs/_static/speed.svg, which the README shows. A bar is
the geometric mean of the cases of a group, within the last-level cache.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tinytc_mlir.measure.timing import geometric_mean

ROOT = pathlib.Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "measurements"
PICTURE = ROOT / "docs" / "_static" / "speed.svg"
_ROWS = ("3", "4", "6", "8", "12", "16")


class Group(NamedTuple):
    """Cases that one group of bars is about.

    Args:
        title: what is computed.
        file: of docs/measurements, without its ending.
        table: its name there.
        cases: first cells of the rows that count, with all of the columns that follow in `only`.
        peers: columns that say how many times as long others take, by the name of the other.
        only: what other columns must have.
    """

    title: str
    file: str
    table: str
    cases: tuple[Any, ...]
    peers: dict[str, str]
    only: dict[str, Any]


_SOLVERS = {"JAX": "jax", "PyTorch": "torch", "NumPy": "numpy"}
GROUPS = (
    Group(
        "Products of 4\N{SUPERSCRIPT THREE} to 16\N{SUPERSCRIPT THREE}, f32",
        "zen5",
        "kernels",
        tuple(f"gemm.f32.{size}" for size in ("4", "8", "10x9x9", "16")),
        {"NumPy, 1 thread": "x numpy (1 thread)", "MKL": "x mkl", "libxsmm": "x libxsmm"},
        {"batch": "cache"},
    ),
    Group(
        "Cholesky factors of 3 to 16 rows, f64",
        "zen5",
        "solves",
        tuple(f"cholesky.f64.{rows}" for rows in _ROWS),
        _SOLVERS,
        {},
    ),
    Group(
        "Solves with 3 to 16 rows, Hermitian, f64",
        "zen5",
        "solves",
        tuple(f"solve.spd.f64.{rows}" for rows in _ROWS),
        _SOLVERS,
        {},
    ),
    Group(
        "Reverse derivative of SeisSol's time step, f64",
        "derivatives",
        "reverse",
        (3, 4, 5, 6),
        {"PyTorch": "PyTorch reverse", "JAX": "JAX reverse"},
        {"type": "f64"},
    ),
)

_WIDTH, _LEFT, _TOP, _BAR, _GAP, _HEAD = 960, 140, 62, 20, 14, 24
_STYLE = """
  .page { fill: #ffffff } .text { fill: #1d2433 } .soft { fill: #667085 } .one { stroke: #667085 }
  .bar { fill: #2f5bea }
  text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
  .title { font-size: 17px; font-weight: 650 } .name { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0f131b } .text { fill: #e4e8f1 } .soft { fill: #94a0b8 } .bar { fill: #86a6ff }
  }
"""


def read(group: Group, table: Mapping[str, Any]) -> dict[str, float]:
    """Return by peer how many times as long it takes, the geometric mean of the cases.

    Raises:
        SystemExit: the table lacks a case or a column.
    """
    columns = table["columns"]
    missing = {*group.peers.values(), *group.only} - set(columns)
    if missing:
        raise SystemExit(f"expected a column {min(missing)!r}, got {', '.join(columns)}")
    rows = [dict(zip(columns, row, strict=True)) for row in table["rows"]]
    kept = [row for row in rows if all(row[name] == value for name, value in group.only.items())]
    by_case = {row[columns[0]]: row for row in kept}
    lacking = [case for case in group.cases if case not in by_case]
    if lacking:
        raise SystemExit(f"expected the cases of {group.table!r}, got no {lacking[0]}")
    return {
        peer: geometric_mean([by_case[case][column] for case in group.cases])
        for peer, column in group.peers.items()
    }


def draw(found: Iterable[tuple[str, Mapping[str, float]]]) -> str:
    """Return the picture of times by peer, for each title, as SVG."""
    groups = list(found)
    scale = (_WIDTH - _LEFT - 70) / max(max(times.values()) for _, times in groups)
    one, y, parts = _LEFT + scale, float(_TOP), []
    for title, times in groups:
        parts.append(_text("text name", 24, y + 15, title))
        y += _HEAD
        for peer, value in sorted(times.items(), key=lambda each: -each[1]):
            parts.append(_text("soft", _LEFT - 8, y + 14, peer, "end"))
            size = f'width="{value * scale:.1f}" height="{_BAR - 4}"'
            parts.append(f'<rect class="bar" x="{_LEFT}" y="{y:g}" {size} rx="2"/>')
            label = f"{value:.1f}\N{MULTIPLICATION SIGN}"
            parts.append(_text("text", _LEFT + value * scale + 6, y + 14, label))
            y += _BAR
        y += _GAP
    line = f'x1="{one:.1f}" x2="{one:.1f}" y1="{_TOP}" y2="{y - _GAP:g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y:g}" role="img" '
            'aria-label="How many times as fast as other libraries">',
            f"<style>{_STYLE}</style>",
            f'<rect class="page" width="{_WIDTH}" height="{y:g}" rx="10"/>',
            _text("text title", 24, 30, "How many times as fast as other libraries"),
            _text(
                "soft", 24, 50, "Geometric means on CPUs with AVX-512; the line is the same speed"
            ),
            f'<line class="one" {line} stroke-dasharray="3 3"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:g}" text-anchor="{anchor}">{text}</text>'


def picture() -> str:
    """Return the picture of all groups."""
    tables = {
        group.file: json.loads((FOLDER / f"{group.file}.json").read_text(encoding="utf-8"))
        for group in GROUPS
    }
    return draw((group.title, read(group, tables[group.file][group.table])) for group in GROUPS)


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
