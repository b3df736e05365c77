"""Random subscripts of einsum, all that NumPy takes, compared with NumPy.

python test/python/recipes/random_subscripts.py --first 0 --count 500
"""

import argparse
import random

import numpy as np
from numbers_of import TYPES, Guarded, random_values

import tinytc_mlir as tt
from target_under_test import TARGET
from tinytc_mlir.shapes import packed_stride

LETTERS = "ijklmn"
SIZES = (1, 2, 3, 4, 5, 7)


def random_term(rng, letters, sizes, dots):
    """Return the subscripts of an operand and its shape."""
    chosen = [rng.choice(letters) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))]
    if rng.random() < 0.8:
        chosen = list(dict.fromkeys(chosen))
    own = {i: 1 if rng.random() < 0.1 else sizes[i] for i in chosen}
    shape = [own[i] for i in chosen]
    term = "".join(chosen)
    if rng.random() < 0.35:
        place = rng.randint(0, len(term))
        modes = [rng.choice((1, size, size)) for size in dots[rng.randint(0, len(dots)) :]]
        return f"{term[:place]}...{term[place:]}", (*shape[:place], *modes, *shape[place:])
    return term, tuple(shape)


def random_case(seed):
    """Return subscripts, the shapes of a group's operands, which are batches, and a type."""
    rng = random.Random(seed)
    sizes = {letter: rng.choice(SIZES) for letter in LETTERS}
    dots = [rng.choice(SIZES[:4]) for _ in range(rng.randint(0, 2))]
    letters = rng.sample(LETTERS, rng.randint(2, 5))
    pairs = [random_term(rng, letters, sizes, dots) for _ in range(rng.choice((1, 2, 2, 3, 4)))]
    terms, shapes = zip(*pairs, strict=True)
    subscripts = ",".join(terms)
    if rng.random() < 0.85:
        present = sorted(set(subscripts) & set(letters))
        result = rng.sample(present, rng.randint(0, min(3, len(present))))
        if "..." in subscripts:
            result.insert(rng.randint(0, len(result)), "...")
        subscripts += f"->{''.join(result)}"
    batched = [rng.random() < 0.5 for _ in terms]
    return subscripts, shapes, batched, rng.choice(TYPES)


def of_group(values, batched, group):
    """Return the operands of a group."""
    pairs = zip(values, batched, strict=True)
    return [value[..., group] if is_batched else value for value, is_batched in pairs]


def check(seed, count=3):
    """Compare a random case with NumPy, for a beta of zero and for another one."""
    subscripts, shapes, batched, type_ = random_case(seed)
    batches = [(count,) if is_batched else () for is_batched in batched]
    rng = np.random.default_rng(seed)
    values = [
        random_values(rng, type_, shape + batch)
        for shape, batch in zip(shapes, batches, strict=True)
    ]
    groups = range(count if any(batched) else 1)
    products = [np.einsum(subscripts, *of_group(values, batched, g)) for g in groups]
    product = np.stack(products, axis=-1) if any(batched) else products[0]
    largest = np.einsum(subscripts, *(abs(v) for v in of_group(values, batched, 0))).max()
    recipe = tt.recipes.einsum(
        subscripts,
        *(shape + (None,) * len(batch) for shape, batch in zip(shapes, batches, strict=True)),
        dtype=type_,
        target=TARGET,
    )
    inputs = [Guarded(type_, v, v.shape, packed_stride(v.shape)).array for v in values]
    initial = random_values(rng, type_, product.shape)
    for alpha, beta, before in ((1, 0, None), (2, 3, initial)):
        out = Guarded(type_, before, product.shape, packed_stride(product.shape))
        recipe(*inputs, out=out.array, alpha=alpha, beta=beta)
        expected = alpha * product + (beta * initial if beta else 0)
        # Each contraction rounds, each step of a loop that sums up, and the factors.
        out.assert_only(expected, 6 * len(shapes), 2 * float(largest) + 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    arguments = parser.parse_args()
    for seed in range(arguments.first, arguments.first + arguments.count):
        try:
            check(seed)
        except Exception:
            print("seed", seed, *random_case(seed))
            raise


if __name__ == "__main__":
    main()
