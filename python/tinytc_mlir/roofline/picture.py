# SPDX-License-Identifier: BSD-3-Clause
"""Draws a kernel under the roof of its device."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

from ..errors import TinyTCError
from ..files import write_atomically
from .roof import Roof

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DECADES = 1.5  # that are shown on either side of the kernel and of the ridge


def draw(path: str, name: str, device: str, roof: Roof, intensity: float, gflops: float) -> None:
    """Write a picture: operations in a nanosecond over operations for each byte.

    Args:
        path: file to write; its suffix chooses the format.
        name: name of the kernel.
        device: name of the device.
        roof: what the device can do.
        intensity: operations of the kernel for each byte that it reads and writes.
        gflops: its rate.

    Raises:
        TinyTCError: matplotlib is not installed, or does not know the format.
        OSError: the file cannot be written.
    """
    format_ = format_of(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    draw_roof(axes, roof, intensity)
    axes.plot([intensity], [gflops], "o", ms=9, label=f"{name}: {gflops:.1f} GFLOP/s")
    axes.vlines(intensity, gflops, roof.at(intensity), linestyles=":", color="gray")
    share = gflops / roof.at(intensity)
    axes.annotate(f"  {100 * share:.0f} %", (intensity, gflops), va="center")
    axes.set_title(device)
    axes.legend(loc="lower right")
    drawn = io.BytesIO()
    figure.savefig(drawn, format=format_)
    write_atomically(path, drawn.getvalue())


def draw_roof(axes: Axes, roof: Roof, intensity: float) -> None:
    """Draw the roof around an intensity into axes of matplotlib."""
    ridge = roof.gflops / roof.gbytes_per_s
    low = min(ridge, intensity) / 10**_DECADES
    high = max(ridge, intensity) * 10**_DECADES
    places = [low, ridge, high]
    axes.set(xscale="log", yscale="log")
    axes.set(xlabel="operations for each byte", ylabel="GFLOP/s")
    axes.grid(visible=True, which="both", alpha=0.2)
    label = f"copies {roof.gbytes_per_s:.0f} GB/s, multiply-adds {roof.gflops:.0f} GFLOP/s"
    axes.plot(places, [roof.at(place) for place in places], lw=2, label=label)


def format_of(path: str) -> str:
    """Return the format that the suffix of a file chooses.

    Raises:
        TinyTCError: matplotlib is not installed, or does not know the format.
    """
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise TinyTCError(
            f"expected matplotlib for a plot (pip install matplotlib): {error}"
        ) from None
    format_ = os.path.splitext(path)[1].lower().removeprefix(".") or "png"
    formats = FigureCanvasBase.get_supported_filetypes()
    if format_ not in formats:
        raise TinyTCError(f"{path}: expected a suffix of {', '.join(formats)}, got {format_!r}")
    return format_
