# SPDX-License-Identifier: BSD-3-Clause
"""Draws a report as a roofline: rates over operations per byte, under the measured ceilings."""

from __future__ import annotations

import io
from typing import Any

from tinytc_mlir.errors import TinyTCError
from tinytc_mlir.files import write_atomically
from tinytc_mlir.roofline.picture import format_of

from .findings import OURS, Result
from .measurements import Report

_MARKS = {"ours": "o", "libxsmm": "x", "mkl": "+", "numpy": "."}


def draw(report: Report, path: str) -> None:
    """Write the plot of a report, with one panel for each batch size.

    Args:
        report: what `runner.run` returns.
        path: file to write; its suffix chooses the format.

    Raises:
        TinyTCError: matplotlib is not installed or does not know the format, or the report has no
            kernels.
        OSError: the file cannot be written.
    """
    format_ = format_of(path)
    from matplotlib.figure import Figure

    results = [Result(data) for data in report.get("results", [])]
    if not results:
        raise TinyTCError(f"{path}: expected a report of kernels to plot, got one without any")
    batches = list(dict.fromkeys(result.batch for result in results))
    figure = Figure(figsize=(7 * len(batches), 5), layout="constrained")
    panels = figure.subplots(1, len(batches), squeeze=False, sharey=True)[0]
    for axes, batch in zip(panels, batches, strict=True):
        _panel(axes, batch, [r for r in results if r.batch == batch and r.has(OURS, "fma")])
    figure.suptitle(f"{report['machine']['cpu']}, {report['time']}")
    drawn = io.BytesIO()
    figure.savefig(drawn, format=format_)
    write_atomically(path, drawn.getvalue())


def _panel(axes: Any, batch: str, results: list[Result]) -> None:
    axes.set(title=f"batches for {batch}", xscale="log", yscale="log")
    axes.set(xlabel="operations per byte of necessary traffic", ylabel="GFLOP/s")
    axes.grid(visible=True, which="both", alpha=0.2)
    if not results:
        return
    for name, mark in _MARKS.items():
        timed = [result for result in results if result.has(name)]
        places = [result.intensity for result in timed]
        axes.plot(places, [result.gflops(name) for result in timed], mark, label=name, ms=5)
    ends = [result.intensity for result in results]
    limits = [min(ends) / 1.5, *sorted(ends), max(ends) * 1.5]
    for type_ in ("f32", "f64"):
        of_type = [result for result in results if result.type == type_]
        if not of_type:
            continue
        peak = max(result.peak_gflops for result in of_type)
        bandwidth = max(result.copy_gbytes_per_s for result in of_type)
        roof = [min(peak, bandwidth * x) for x in limits]
        axes.plot(limits, roof, "-" if type_ == "f32" else "--", lw=1, label=f"ceilings {type_}")
    axes.legend(fontsize="small")
