"""Measures and draws the errors of `tt.recipes.ozaki_gemm` for numbers of slices.

    python bench/ozaki_errors.py          # measures, writes the JSON and draws
    python bench/ozaki_errors.py --draw   # draws what the JSON has

Errors are the largest ones of a product of f64, relative to what the bound is relative to: K times
the largest numbers of the row of A and of the column of B. They are exact up to their own rounding.
docs/recipes.md shows the picture.
"""

from __future__ import annotations

import json
import math
import pathlib
import sys
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

import tinytc_mlir as tt

STATIC = pathlib.Path(__file__).parents[1] / "docs" / "_static"
DATA, PICTURE = STATIC / "ozaki-errors.json", STATIC / "ozaki-errors.svg"
SIZES = (32, 32, 64)
SPLITS = range(1, 11)
#: Binary orders that the exponents of numbers are spread over.
ORDERS = (0, 8, 40, 200)

Numbers = npt.NDArray[np.float64]
Errors = Mapping[str, Sequence[float]]

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _RIGHT = 720, 420, 64, 56, 52, 190
_LOWEST = -20  # power of ten at the bottom
_STYLE = """
  .page { fill: #ffffff } .text { fill: #1d2433 } .soft { fill: #667085 } .grid { stroke: #e4e7ee }
  .line { fill: none; stroke-width: 2 } .bound { stroke: #98a2b3; stroke-dasharray: 5 4 }
  .s0 { stroke: #2f5bea } .s8 { stroke: #f0a23b } .s40 { stroke: #46a58d } .s200 { stroke: #b4489d }
  text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
  .title { font-size: 16px; font-weight: 650 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0f131b } .text { fill: #e4e8f1 } .soft { fill: #94a0b8 }
    .grid { stroke: #2a3140 } .s0 { stroke: #86a6ff }
  }
"""


def _integers(values: Numbers) -> npt.NDArray[np.object_]:
    """Return numbers in units of 2^-1074."""
    ratios = (float(value).as_integer_ratio() for value in values.ravel())
    flat = [numerator * (2**1074 // denominator) for numerator, denominator in ratios]
    return np.array(flat, object).reshape(values.shape)


def operands(orders: int) -> tuple[Numbers, Numbers]:
    """Return A and B, whose exponents are spread over so many binary orders."""
    rng = np.random.default_rng(orders)
    m, n, k = SIZES
    shapes = ((m, k, 1), (k, n, 1))
    exponents = [rng.integers(-(orders // 2), orders - orders // 2 + 1, shape) for shape in shapes]
    a, b = (np.ldexp(rng.uniform(-1, 1, e.shape), e) for e in exponents)
    return np.asfortranarray(a), np.asfortranarray(b)


def error(recipe: tt.recipes.OzakiGemm, orders: int) -> float:
    """Return the largest error of a product."""
    m, n, k = SIZES
    a, b = operands(orders)
    c = np.empty((m, n, 1), order="F")
    recipe(1.0, a, b, 0.0, c)
    left, right = _integers(a[:, :, 0]), _integers(b[:, :, 0])
    differences = np.abs(_integers(c[:, :, 0]) * 2**1074 - left @ right)
    scales = k * np.abs(left).max(axis=1)[:, np.newaxis] * np.abs(right).max(axis=0)
    pairs = zip(differences.ravel(), scales.ravel(), strict=True)
    return max(float((difference << 200) // scale) / 2.0**200 for difference, scale in pairs)


def measure(splits: Sequence[int] = SPLITS) -> dict[str, list[float]]:
    """Return the errors for numbers of slices by binary orders, and the bounds."""
    recipes = [tt.recipes.ozaki_gemm(*SIZES, splits=count) for count in splits]
    found = {str(orders): [error(each, orders) for each in recipes] for orders in ORDERS}
    return {"bound": [each.error_bound for each in recipes], **found}


def draw(errors: Errors) -> str:
    """Return the picture of errors as SVG."""
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def x(number: float) -> float:
        return _LEFT + (number - SPLITS[0]) * (right - _LEFT) / (len(SPLITS) - 1)

    def y(value: float) -> float:
        return _TOP + math.log10(value) * (bottom - _TOP) / _LOWEST

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}"/>',
        f'<text class="title text" x="{_LEFT}" y="26">Largest error of a product of f64</text>',
        f'<text class="soft" x="{_LEFT}" y="44">'
        "relative to K times the largest numbers of row and column</text>",
    ]
    for power in range(0, _LOWEST - 1, -4):
        height = y(10.0**power)
        lines += [
            f'<path class="grid" d="M{_LEFT} {height:.1f}H{right}"/>',
            f'<text class="soft" text-anchor="end" x="{_LEFT - 8}" y="{height + 4:.1f}">'
            f"1e{power}</text>",
        ]
    for number in SPLITS:
        lines.append(
            f'<text class="soft" text-anchor="middle" x="{x(number):.1f}" y="{bottom + 20}">'
            f"{number}</text>"
        )
    middle = (_LEFT + right) / 2
    lines.append(
        f'<text class="soft" text-anchor="middle" x="{middle:.1f}" y="{bottom + 42}">slices</text>'
    )
    rounding = y(2.0**-53)
    lines += [
        f'<path class="line bound" d="M{_LEFT} {rounding:.1f}H{right}"/>',
        f'<text class="soft" x="{right + 10}" y="{rounding + 4:.1f}">rounding of f64, 2^-53</text>',
    ]
    for place, (name, values) in enumerate(errors.items()):
        points = " ".join(
            f"{x(number):.1f},{y(value):.1f}" for number, value in zip(SPLITS, values, strict=True)
        )
        label = "bound" if name == "bound" else f"{name} binary orders"
        kind = "bound" if name == "bound" else f"s{name}"
        key = _TOP + 12 + 22 * place
        lines += [
            f'<polyline class="line {kind}" points="{points}"/>',
            f'<path class="line {kind}" d="M{right + 10} {key - 4}h26"/>',
            f'<text class="text" x="{right + 44}" y="{key}">{label}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    """Measure if that is asked for, and draw."""
    if "--draw" not in sys.argv[1:]:
        DATA.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
    errors = json.loads(DATA.read_text(encoding="utf-8"))
    PICTURE.write_text(draw(errors), encoding="utf-8")


if __name__ == "__main__":
    main()
