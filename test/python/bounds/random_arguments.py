"""Makes random launches of random kernels."""

import numpy as np
from random_values import DTYPES


def random_launch(rng, parameters, optional):
    """Return random arguments of a kernel, and a number of groups."""
    sizes = {
        (p.name, mode): rng.randint(0 if rng.random() < 0.1 else 1, rng.choice([4, 9, 20]))
        for p in parameters
        for mode in range(-1, len(p.shape))
    }
    scalars = {p.name: rng.randint(-2, 9) for p in parameters if p.kind in DTYPES}
    missing = {name for name in optional if rng.random() < 0.4}
    common = rng.randint(1, 9)  # of modes that shall be equal
    if rng.random() < 0.5:
        sizes = {place: common if rng.random() < 0.7 else size for place, size in sizes.items()}
    layout = rng.random(), rng.random()  # what is stacked, and what is part of more memory
    groups = (rng.randint(1, 6), rng.choice([1, 1, 2, 3]))
    return sizes, scalars, missing, layout, groups


def grown(launch, rng):
    """Return a launch with some larger sizes."""
    sizes, *others = launch
    factor = rng.randint(1, 4)
    chosen = {place: size + factor * (rng.random() < 0.6) for place, size in sizes.items()}
    return (chosen, *others)


def values_of(parameters, launch):
    """Return the arguments of a launch."""
    sizes, scalars, missing, (stacked, part), groups = launch
    values = [1.0]
    for p in parameters:
        if p.kind in DTYPES:
            values.append(scalars[p.name])
        elif p.name in missing:
            values.append(None)
        elif p.kind == "indices":
            values.append(np.arange(12, dtype=np.int64) % 5)
        elif p.kind == "memref":
            values.append(_array(p, sizes, part < 0.4))
        else:
            members = max(sizes[p.name, -1], 1) if p.members is None else p.members
            is_mixed = stacked > 0.8
            values.append(_members(p, sizes, members, stacked < 0.5, is_mixed))
    return values, groups


def _array(p, sizes, is_part, extra=0):
    shape = [sizes[p.name, k] + extra if s is None else s for k, s in enumerate(p.shape)]
    memory = [*shape]
    if p.padding:
        memory[0] += p.padding
    if is_part:
        memory[-1] += 1
    array = np.zeros(memory, np.float32, order="F")
    return array[tuple(slice(size) for size in shape)]


def _members(p, sizes, count, is_stacked, is_mixed):
    if is_stacked and not p.padding:
        shape = [sizes[p.name, k] if s is None else s for k, s in enumerate(p.shape)]
        return np.zeros([*shape, count], np.float32, order="F")
    return [_array(p, sizes, False, is_mixed * (number % 2)) for number in range(count)]
