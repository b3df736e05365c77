# SPDX-License-Identifier: BSD-3-Clause
"""The page of the explorer: data, style and script in one file of HTML."""

from __future__ import annotations

import base64
import gzip
import html
import importlib.resources
import json
import os
from typing import TYPE_CHECKING, Any

from ..errors import DeviceError, TinyTCError
from ..files import write_atomically
from ..runtime import devices
from ..runtime.spirv.intel_gpus import INTEL_GPUS
from . import stages
from .kernel_facts import facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..runtime.kernel_info import KernelInfo
    from ..runtime.program import Program
    from .program import Explorable
    from .stages import Pane


class Page:
    """A page of the explorer; notebooks show it."""

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        write_atomically(path, self.html.encode())

    def _repr_html_(self) -> str:
        return (
            '<iframe style="width:100%;height:640px;border:1px solid #8886;border-radius:8px" '
            f'title="tinytc explorer" srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<tinytc_mlir explorer page of {len(self.html) / 1024:.0f} KiB>"


def explore(module: Explorable, target: object = None, *, debug: bool = False) -> Page:
    """Return a page that shows a program at all stages, as `Module.explore` does.

    Args:
        module: the program, at any stage.
        target: name of a target, a dpctl device or queue; None is the default device, or the first
            target where there is no device.
        debug: show a debug build.

    Raises:
        LoweringError: a stage cannot lower the program.
    """
    panes: list[dict[str, Any]] = []
    found: dict[str, Any] = {}
    lowered = dict(_lowered(module, target, debug))
    final = list(lowered.values())[-1]
    program = final.compile()
    filename = next(iter(module.sources), "")
    source = stages.source_pane(module)
    panes.append(_pane(source))
    shown = [each for each in lowered.values() if each.stage not in ("ptx", "object")]
    panes += [_pane(stages.stage_pane(each, filename)) for each in shown]
    panes.append(_pane(_code_pane(final, lowered, program)))
    if program.target in INTEL_GPUS:
        panes.append(_pane(stages.machine_pane(program)))
    first = next(iter(lowered.values()))
    prepared = lowered.get("prepared", first)
    kernels: tuple[KernelInfo, ...] = tuple(program.kernels.values())
    found = {
        "title": source.title,
        "target": program.target,
        "spirv_bytes": len(program.code),
        "kernels": [facts(first, prepared, each) for each in kernels],
        "panes": panes,
    }
    return Page(_render(found))


def _code_pane(final: Explorable, lowered: Mapping[str, Explorable], program: Program) -> Pane:
    """Return the pane of a program's code as text."""
    if final.stage == "spirv":
        return stages.disassembly_pane(final)
    if final.stage == "ptx":
        return stages.text_pane("PTX", program.ptx)
    if "llvm" not in lowered:
        text = "an object file keeps no text: explore a program of an earlier stage"
        return stages.text_pane("machine code", text)
    return stages.text_pane("machine code", lowered["llvm"].native_text())


def _lowered(module: Explorable, target: object, debug: bool) -> Iterator[tuple[str, Explorable]]:
    """Yield the module at each stage from its own on, as `compile` goes through them."""
    current = module
    yield current.stage, current
    if current.stage == "tinytc":
        current = current.lower("prepared", target=_present(target), debug=debug)
        yield current.stage, current
    way = current.stages
    for stage in way[way.index(current.stage) + 1 :]:
        current = current.lower(stage)
        yield stage, current


def _present(target: object) -> object:
    """Return the target, the first one if there is no default device."""
    if target is not None:
        return target
    try:
        devices.default_device()
    except DeviceError:
        from .._tinytc import targets

        return targets()[0].name
    return None


def _pane(pane: Pane) -> dict[str, Any]:
    return {
        "name": pane.name,
        "title": pane.title,
        "language": pane.language,
        "lines": pane.text.lines,
        "marks": [list(marks) for marks in pane.text.marks],
        "note": pane.note,
    }


def _render(data: dict[str, Any]) -> str:
    """Return the page of the data."""
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 9, mtime=0)
    parts = {
        "title": html.escape(str(data["title"])),
        "style": _resource("page.css"),
        "script": _resource("page.js"),
        "data": base64.b64encode(packed).decode(),
    }
    page = _resource("page.html")
    for name, text in parts.items():
        page = page.replace(f"@{name}@", text)
    return page


def _resource(name: str) -> str:
    return importlib.resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def notebook_html(module: Explorable) -> str:
    """Return what a notebook shows of a module: the explorer, or its text where it fails."""
    try:
        return explore(module)._repr_html_()
    except TinyTCError as error:
        return f"<pre>{html.escape(str(module))}</pre><p>{html.escape(str(error))}</p>"
