#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes smaller distributions of wheels of the project: the same files, fewer requirements.

    python tools/slim_wheels.py dist/tinytc_mlir-*.whl   # both of each wheel, in dist/

`tinytc-mlir-core` is the compiler without Intel's packages, for native code. `tinytc-mlir-runtime`
loads and launches saved programs and needs NumPy only. All have the package `tinytc_mlir`, so that
an environment has one of them.
"""

from __future__ import annotations

import argparse
import base64
import dataclasses
import email
import email.message
import hashlib
import pathlib
import re
import zipfile
from collections.abc import Iterator

#: Requirements that only launches through SYCL have.
SYCL = ("dpctl", "intel-opencl-rt")
#: Parts of the package that load programs and launch them; names of folders end in `/`.
RUNTIME = (
    "__init__.py",
    "_arrays.",
    "_scalars_gen.py",
    "cache.py",
    "certificates.py",
    "child_processes.py",
    "errors.py",
    "files.py",
    "py.typed",
    "runtime/",
    "scalars.py",
    "shapes.py",
    "switches.py",
    "trust.py",
    "version.py",
)


@dataclasses.dataclass(frozen=True)
class Distribution:
    """A smaller distribution.

    Args:
        name: its name.
        summary: what its metadata says of it.
        parts: how the files in the package begin that it has; none for all.
        has_scripts: whether it has commands.
    """

    name: str
    summary: str
    parts: tuple[str, ...] = ()
    has_scripts: bool = True

    def requires(self, requirement: str) -> bool:
        """Return whether it has a requirement of the whole project."""
        name = re.split(r"[^\w.-]", requirement)[0].lower()
        if "extra ==" in requirement:
            return self.has_scripts
        return name == "numpy" if self.parts else name not in SYCL

    def has(self, path: str) -> bool:
        """Return whether it has a file of the wheel."""
        folder, _, name = path.partition("/")
        if folder.endswith(".dist-info"):
            return self.has_scripts or name != "entry_points.txt"
        return not self.parts or name.startswith(self.parts)


CORE = Distribution(
    "tinytc-mlir-core", "The Tiny Tensor language as an MLIR dialect, compiled to native code"
)
LAUNCHER = Distribution(
    "tinytc-mlir-runtime",
    "Loads and launches compiled programs of the Tiny Tensor language",
    RUNTIME,
    has_scripts=False,
)


def metadata(text: str, distribution: Distribution) -> str:
    """Return the metadata of a distribution, from that of the whole project."""
    message: email.message.Message = email.message_from_string(text)
    message.replace_header("Name", distribution.name)
    message.replace_header("Summary", distribution.summary)
    requirements = message.get_all("Requires-Dist") or []
    for field in ("Requires-Dist", *([] if distribution.has_scripts else ["Provides-Extra"])):
        del message[field]
    for requirement in filter(distribution.requires, requirements):
        own = requirement.replace("tinytc-mlir[", f"{distribution.name}[")
        message["Requires-Dist"] = own
    return message.as_string()


def contents(
    wheel: zipfile.ZipFile, distribution: Distribution
) -> Iterator[tuple[str, int, bytes]]:
    """Yield name, mode and bytes of the files of a distribution but for the list of them."""
    stem = distribution.name.replace("-", "_")
    for entry in wheel.infolist():
        if (
            entry.is_dir()
            or entry.filename.endswith("/RECORD")
            or not distribution.has(entry.filename)
        ):
            continue
        data = wheel.read(entry)
        if entry.filename.endswith(".dist-info/METADATA"):
            data = metadata(data.decode(), distribution).encode()
        name = re.sub(r"^tinytc_mlir(?=-[^/]*\.dist-info/)", stem, entry.filename)
        yield name, entry.external_attr, data


def make(path: pathlib.Path, distribution: Distribution, out: pathlib.Path) -> pathlib.Path:
    """Make the wheel of a distribution from one of the whole project, and return it."""
    stem = distribution.name.replace("-", "_")
    target = out / path.name.replace("tinytc_mlir", stem, 1)
    lines, info = [], ""
    with (
        zipfile.ZipFile(path) as wheel,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as slim,
    ):
        for name, mode, data in contents(wheel, distribution):
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = mode, zipfile.ZIP_DEFLATED
            slim.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
            info = name.partition("/")[0] if ".dist-info/" in name else info
        slim.writestr(f"{info}/RECORD", "".join([*lines, f"{info}/RECORD,,\n"]))
    return target


def main() -> None:
    """Make both distributions of the wheels that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheels", nargs="+", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="folder, by default that of each wheel")
    arguments = parser.parse_args()
    for wheel in arguments.wheels:
        for distribution in (CORE, LAUNCHER):
            made = make(wheel, distribution, arguments.out or wheel.parent)
            print(f"{made} {made.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
