# SPDX-License-Identifier: BSD-3-Clause
"""Certificates: what was shown of a kernel, as a compiled program carries it.

Nothing here needs NumPy, MLIR or a device.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any


class Outcome(enum.Enum):
    """What has become of a claim."""

    SHOWN = "shown"
    TESTED = "tested"
    UNSHOWN = "not shown"
    WRONG = "wrong"


@dataclasses.dataclass(frozen=True)
class Claim:
    """A statement on a kernel.

    Args:
        part: the part of verification, such as "stages".
        subject: what it is about, such as a stage.
        outcome: whether it holds.
        text: what holds, or why it does not.
    """

    part: str
    subject: str
    outcome: Outcome
    text: str

    def __str__(self) -> str:
        return f"{self.outcome.value:9}  {self.subject}: {self.text}"


_PAIRS = ("shapes", "scalars", "versions", "options")


@dataclasses.dataclass(frozen=True)
class Certificate:
    """What has been shown of a kernel for sizes and a target.

    Args:
        kernel: name of the kernel.
        target: name of the target.
        groups: number of groups of the launch.
        shapes: names and shapes of the arguments of the launch, () for a number.
        scalars: names and values of integers and truth values.
        seed: of the random numbers.
        primes: the fields.
        versions: names and versions of what compiled and ran.
        claims: what was shown, tested or not shown.
        source: the program in the language.
        options: options of the compiler besides the target that were not the default ones.
    """

    kernel: str
    target: str
    groups: tuple[int, ...]
    shapes: tuple[tuple[str, tuple[int, ...]], ...]
    scalars: tuple[tuple[str, int], ...]
    seed: int
    primes: tuple[int, ...]
    versions: tuple[tuple[str, str], ...]
    claims: tuple[Claim, ...]
    source: str
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether everything that was asked for is shown."""
        return bool(self.claims) and all(each.outcome is Outcome.SHOWN for each in self.claims)

    @property
    def is_wrong(self) -> bool:
        """Whether something is wrong."""
        return any(each.outcome is Outcome.WRONG for each in self.claims)

    def __str__(self) -> str:
        values = {name: f"= {value}" for name, value in self.scalars}
        shapes = [
            f"{name} {'x'.join(map(str, shape)) or values.get(name, 'number')}"
            for name, shape in self.shapes
        ]
        counts = " x ".join(str(count) for count in self.groups)
        made_by = ", ".join(f"{name} {version}" for name, version in self.versions)
        options = "".join(f", {name}={value}" for name, value in self.options)
        lines = [
            f"{self.kernel} for {self.target}{options}, groups {counts}: {', '.join(shapes)}",
            *(f"  {claim}" for claim in self.claims),
            f"  seed {self.seed}, fields {', '.join(map(str, self.primes)) or 'none'}, {made_by}",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as JSON has it.

        >>> claims = (Claim("stages", "gpu stage", Outcome.SHOWN, "equal"),)
        >>> found = Certificate("f", "cpu", (1,), (("A", (4,)),), (), 0, (3,), (), claims, "")
        >>> Certificate.from_dict(found.to_dict()) == found
        True
        """
        claims = [
            dataclasses.asdict(claim) | {"outcome": claim.outcome.value} for claim in self.claims
        ]
        pairs = {name: dict(getattr(self, name)) for name in _PAIRS}
        return dataclasses.asdict(self) | pairs | {"claims": claims}

    @staticmethod
    def from_dict(value: Mapping[str, Any]) -> Certificate:
        """Return the certificate that JSON describes.

        Raises:
            KeyError, TypeError, ValueError: it does not describe one.
        """
        claims = (
            Claim(each["part"], each["subject"], Outcome(each["outcome"]), each["text"])
            for each in value["claims"]
        )
        return Certificate(
            str(value["kernel"]),
            str(value["target"]),
            tuple(map(int, value["groups"])),
            tuple((name, tuple(shape)) for name, shape in value["shapes"].items()),
            tuple((name, int(each)) for name, each in value["scalars"].items()),
            int(value["seed"]),
            tuple(map(int, value["primes"])),
            tuple((name, str(version)) for name, version in value["versions"].items()),
            tuple(claims),
            str(value["source"]),
            tuple(value.get("options", {}).items()),
        )
