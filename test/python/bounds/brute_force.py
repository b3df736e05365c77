"""Executes launches and says whether an access leaves the memory of an array.

The reference interpreter runs the kernel, but what it takes for an error is none here, unless an
address is outside of the memory that the array lies in.
"""

import contextlib
import dataclasses
from unittest import mock

import numpy as np

from tinytc_mlir.errors import InterpreterError
from tinytc_mlir.reference import (
    access,
    arguments,
    collective_ops,
    coopmatrix_ops,
    interpreter,
    machine,
    memory,
    memory_ops,
)
from tinytc_mlir.runtime.bounds.padding import bytes_after


class Outside(Exception):
    """An access leaves an array, or sizes differ that an instruction takes for equal."""


class Undefined(Exception):
    """The launch is undefined for another reason."""


def _kernel(module):
    (func,) = module.operation.regions[0].blocks[0].operations
    return func


def is_defined(module, values, groups):
    """Return whether the reference interpreter finds nothing wrong with a launch."""
    try:
        _execute(module, values, groups)
    except InterpreterError:
        return False
    return True


def leaves_memory(module, values, groups, names):
    """Return whether an access leaves memory; None if the launch is undefined otherwise.

    Args:
        module: a program of one kernel.
        values: arguments.
        groups: number of groups.
        names: names of the parameters.
    """
    # Loads of blocks may read what lies after the array in its memory.
    available = {
        f"argument '{name}'": bytes_after(value) // value.itemsize
        for name, value in zip(names, values, strict=True)
        if isinstance(value, np.ndarray)
    }
    try:
        with _lenient(available):
            _execute(module, values, groups)
    except Outside:
        return True
    except Undefined:
        return None
    return False


def _execute(module, values, groups):
    func = _kernel(module)
    geometry = interpreter._geometry(func, None, None)
    info = arguments.kernel_info(func, geometry)
    info = dataclasses.replace(info, group_bounds=(), equal_sizes=(), unchecked_uses=())
    bound, launch = arguments.bind_arguments(info, values, groups)
    with np.errstate(all="ignore"):
        interpreter._run(func, geometry, bound, launch.counts, interpreter.NUMPY)


def _check(storage, addresses, size=None):
    size = len(storage.flat) if size is None else size
    if addresses.size and (addresses.min() < 0 or addresses.max() >= size):
        raise Outside(storage.name)


def _write(storage, state, site, addresses, agents, values, **_):
    addresses = np.asarray(addresses)
    _check(storage, addresses)
    storage.flat[addresses] = storage.scalar_type.to_memory(np.asarray(values))


def _update(storage, state, site, addresses, agents, values, *rest, **_):
    addresses = np.asarray(addresses)
    _check(storage, addresses)
    return storage.scalar_type.from_memory(storage.flat[addresses])


def _check_usable(memref, state, site):
    if not memref.is_associated:
        raise Outside(site.name)


def _inside(self, state, memref, mode, index, is_checked, accessed):
    within = (index >= 0) & (index < memref.shape[mode])
    return np.asarray(accessed & within if is_checked else accessed)


def _fail(state, site, message, **_):
    raise (Outside if "shape" in message or "to equal" in message else Undefined)(message)


@contextlib.contextmanager
def _lenient(available):
    def read(storage, state, site, addresses, agents, **_):
        addresses = np.asarray(addresses)
        is_block = site.name == "cooperative_matrix_load"
        _check(storage, addresses, available.get(storage.name) if is_block else None)
        inside = np.minimum(addresses, len(storage.flat) - 1)
        return storage.scalar_type.from_memory(storage.flat[inside])

    def member(state, site, group, index):
        read = index[state.spmd_lanes.active] if np.ndim(index) else index
        if not group.is_associated or np.any((read < 0) | (read >= len(group.members))):
            raise Outside("a group")
        return load_member(state, site, group, index)

    load_member = memory_ops._load_member
    replaced = [
        (memory.Storage, "read", read),
        (memory.Storage, "write", _write),
        (memory.Storage, "add", _update),
        (memory.Storage, "access", _update),
        (memory.MemrefValue, "check_usable", _check_usable),
        (access, "check_bounds", lambda *_: None),
        (memory_ops, "_load_member", member),
        (coopmatrix_ops._BlockAccess, "_inside", _inside),
        (collective_ops._Update, "_check_overlap", lambda *_: None),
        (machine.State, "fail", _fail),
    ]
    with contextlib.ExitStack() as stack:
        for owner, name, function in replaced:
            stack.enter_context(mock.patch.object(owner, name, function))
        yield
