# SPDX-License-Identifier: BSD-3-Clause
"""An implementation of the runtime whose modules are imported when they are needed."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from .protocol import Loader


class LazyLoader:
    """Stands for the `LOADER` of a module, which most processes never need.

    Args:
        module: name of the module.
        protocols: attributes of types, one of which each type has that the loader recognises.
        targets: as the loader has them, like all that follows.
        handles: what messages call devices and queues.
        formats: formats of code.
        is_asked_last: whether its devices are chosen only if they are named.
    """

    def __init__(
        self,
        module: str,
        protocols: Sequence[str],
        *,
        targets: tuple[str, ...],
        handles: str,
        formats: tuple[str, ...],
        is_asked_last: bool,
    ) -> None:
        self._module, self._protocols = module, tuple(protocols)
        self.targets, self.handles, self.formats = targets, handles, formats
        self.is_asked_last = is_asked_last

    def recognises(self, array: object) -> bool:
        """Whether the loader recognises an object."""
        kind = type(array)
        if not any(hasattr(kind, name) for name in self._protocols):
            return False
        return self._loader().recognises(array)

    def _loader(self) -> Loader:
        loader: Loader = importlib.import_module(self._module).LOADER
        return loader

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):  # nothing of a loader, but asked for by pickle and others
            raise AttributeError(name)
        return getattr(self._loader(), name)
