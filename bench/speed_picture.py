"""Draws the speed of our products beside that of libraries, from the table of the latest run.

    python bench/speed_picture.py

reads the table of kernels in docs/measurements/zen5.json and writes docs/_static/speed.svg, which
the README shows. The figures are those of batches within the last-level cache, in f32.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

ROOT = pathlib.Path(__file__).parents[1]
TABLES = ROOT / "docs" / "measurements" / "zen5.json"
MACHINE = "AMD EPYC, Zen 5, AVX-512"
PICTURE = ROOT / "docs" / "_static" / "speed.svg"
SIZES = ("4", "8", "16", "32", "64", "20x9x9", "35x9x9", "20x9x20", "56x9x56")
#: The columns that say how many times as fast as each peer we are.
COLUMNS = {"libxsmm": "x libxsmm", "mkl": "x mkl", "numpy": "x numpy (1 thread)"}
LABELS = {
    "ours": "tinytc-mlir",
    "libxsmm": "libxsmm",
    "mkl": "MKL",
    "numpy": "NumPy, 1 thread",
}

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 960, 400, 56, 74, 50
_BASE = _HEIGHT - _BOTTOM
_BAR, _GAP = 20, 16
_TIMES, _CUBED = "\N{MULTIPLICATION SIGN}", "\N{SUPERSCRIPT THREE}"

_STYLE = """
  .page { fill: #ffffff } .text { fill: #1d2433 } .soft { fill: #667085 } .grid { stroke: #e4e7ee }
  .ours { fill: #2f5bea } .libxsmm { fill: #f0a23b } .mkl { fill: #46a58d } .numpy { fill: #b9bfcc }
  text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
  .title { font-size: 17px; font-weight: 650 } .value { font-size: 11px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0f131b } .text { fill: #e4e8f1 } .soft { fill: #94a0b8 }
    .grid { stroke: #2a3140 } .ours { fill: #86a6ff } .numpy { fill: #5a6375 }
  }
"""


class Case(NamedTuple):
    """The measurements of one size.

    Args:
        size: rows, columns and inner size, or one number for all three.
        gflops: by our name and those of the peers that were timed.
    """

    size: str
    gflops: dict[str, float]


def read(table: Mapping[str, Any]) -> list[Case]:
    """Return what a table of kernels says, in the order of `SIZES`.

    Raises:
        SystemExit: the table lacks a size or a column.
    """
    names = table["columns"]
    for name in ("case", "batch", "GFLOP/s", *COLUMNS.values()):
        if name not in names:
            raise SystemExit(f"expected a column {name!r}, got {', '.join(names)}")
    rows = [dict(zip(names, row, strict=True)) for row in table["rows"]]
    by_case = {row["case"]: row for row in rows if row["batch"] == "cache"}
    missing = [size for size in SIZES if f"gemm.f32.{size}" not in by_case]
    if missing:
        raise SystemExit(f"expected the sizes {', '.join(SIZES)}, got no {', '.join(missing)}")
    return [_case(size, by_case[f"gemm.f32.{size}"]) for size in SIZES]


def _case(size: str, row: Mapping[str, Any]) -> Case:
    ours = row["GFLOP/s"]
    timed = {name: row[column] for name, column in COLUMNS.items() if row[column] != "-"}
    return Case(size, {"ours": ours, **{name: ours / times for name, times in timed.items()}})


def draw(cases: Sequence[Case]) -> str:
    """Return the picture as SVG."""
    highest = max(value for case in cases for value in case.gflops.values())
    step = 25 if highest <= 200 else 100
    top = step * -(-int(highest + 1) // step)
    scale = (_BASE - _TOP) / top
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'aria-label="Speed of batched products in GFLOP/s beside libraries">',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}" rx="10"/>',
        _text("text title", _LEFT, 30, "Batched products of small matrices, f32, GFLOP/s"),
        _text("soft", _LEFT, 51, f"{MACHINE}; batches within the last-level cache"),
        *_axis(top, step, scale),
    ]
    for number, case in enumerate(cases):
        parts += _bars(case, _LEFT + 8 + number * (len(LABELS) * _BAR + _GAP), scale)
    right = _WIDTH - 16
    for name, label in reversed(LABELS.items()):
        left = right - 17 - 7 * len(label)
        parts.append(_bar(name, left, 20, 12, 12, label))
        parts.append(_text("text", left + 17, 31, label))
        right = left - 14
    return "\n".join([*parts, "</svg>", ""])


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _bar(kind: str, x: float, y: float, width: float, height: float, title: str) -> str:
    return (
        f'<rect class="{kind}" x="{x:g}" y="{y:.1f}" width="{width:g}" height="{height:.1f}" '
        f'rx="2"><title>{title}</title></rect>'
    )


def _axis(top: int, step: int, scale: float) -> list[str]:
    parts = []
    for value in range(0, top + 1, step):
        y = _BASE - value * scale
        line = f'x1="{_LEFT}" x2="{_WIDTH - 16}" y1="{y:.1f}" y2="{y:.1f}"'
        parts.append(f'<line class="grid" {line}/>')
        parts.append(_text("soft", _LEFT - 8, y + 4, str(value), "end"))
    return parts


def _bars(case: Case, x: float, scale: float) -> list[str]:
    """Return the bars of a size, ours with its number, and the size below them."""
    parts = []
    for place, name in enumerate(LABELS):
        if name not in case.gflops:
            continue
        value = case.gflops[name]
        left, height = x + place * _BAR, value * scale
        title = f"{LABELS[name]}, {case.size}: {value:.{0 if value >= 10 else 1}f} GFLOP/s"
        parts.append(_bar(name, left, _BASE - height, _BAR - 2, height, title))
        if name == "ours":
            middle = left + _BAR / 2 - 1
            parts.append(_text("text value", middle, _BASE - height - 5, f"{value:.0f}", "middle"))
    label = case.size.replace("x", _TIMES) if "x" in case.size else case.size + _CUBED
    return [*parts, _text("text", x + len(LABELS) * _BAR / 2, _BASE + 20, label, "middle")]


def main() -> None:
    """Write the picture."""
    tables = json.loads(TABLES.read_text(encoding="utf-8"))
    PICTURE.write_text(draw(read(tables["kernels"])), encoding="utf-8")


if __name__ == "__main__":
    main()
