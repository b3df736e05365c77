"""Random expressions of contract, compared with what NumPy computes of the same tree.

python test/python/recipes/random_expressions.py --first 0 --count 500
"""

import argparse
import random
import re

import numpy as np
from numbers_of import TYPES, Guarded, random_values

import tinytc_mlir as tt
from target_under_test import TARGET
from tinytc_mlir.scalars import SCALAR_TYPES
from tinytc_mlir.shapes import packed_stride

LETTERS = "ijklm"
SIZES = (1, 2, 3, 4, 5)
FACTORS = {"a": 2, "b": -1, "groups": 3}  # values that all types hold
COUNT = 3


class Reference:
    """A tensor with its indices, and what they mean in NumPy."""

    def __init__(self, maker, letters):
        rng, sizes = maker.rng, maker.sizes
        self.letters, self.slices, shape, text = "", [], [], []
        for letter in letters:
            size = 1 if rng.random() < 0.1 and letters.count(letter) == 1 else sizes[letter]
            maker.used[letter] = max(size, maker.used.get(letter, 1))
            start = rng.choice((0, 0, 0, 1, 2)) if rng.random() < 0.4 else 0
            whole = size + start + (rng.choice((0, 1)) if start else 0)
            if start:
                text.append(f", {letter}[{start}:{start + size}], ")
            else:
                text.append(letter)
            shape.append(whole)
            self.slices.append(slice(start, start + size))
            self.letters += letter
            if rng.random() < 0.1:
                text.append(f", {rng.choice((0, 1))}, ")
                self.slices.append(int(text[-1].strip(", ")))
                shape.append(2)
        self.name = maker.tensor(tuple(shape))
        inside = ", ".join(part for part in "".join(text).split(", ") if part)
        self.text = f"{self.name}[{inside or '()'}]"

    def array(self, values):
        part = values[self.name][tuple(self.slices)]
        distinct = "".join(dict.fromkeys(self.letters))
        return distinct, np.einsum(f"{self.letters}->{distinct}", part)


class Sum:
    """Terms, each a number, names of factors, references and inner sums."""

    def __init__(self, maker, depth=0):
        rng = maker.rng
        self.terms, text = [], []
        for _ in range(rng.choice((1, 1, 2, 3)) if depth == 0 else 2):
            number = rng.choice((1, 1, 2, -1, 3))
            names = rng.sample(sorted(FACTORS), rng.choice((0, 0, 1, 2)))
            items = [maker.reference() for _ in range(rng.choice((1, 2, 2, 3)))]
            if depth < 2 and rng.random() < 0.25:
                items.insert(rng.randint(0, len(items)), Sum(maker, depth + 1))
            self.terms.append((number, names, items))
            factors = [str(number)] * (number != 1) + names
            texts = [f"({x.text})" if isinstance(x, Sum) else x.text for x in items]
            text.append(" * ".join([*factors, *texts]))
        self.text = " + ".join(text)

    @property
    def letters(self):
        return "".join(x.letters for _, _, items in self.terms for x in items)

    def value(self, values, result, sizes):
        """Return the sum with the modes of the result."""
        total = np.zeros([sizes[i] for i in result])
        largest = 0
        for number, names, items in self.terms:
            arrays = []
            for place, item in enumerate(items):
                others = result + "".join(x.letters for x in items[:place] + items[place + 1 :])
                if isinstance(item, Sum):
                    free = "".join(i for i in dict.fromkeys(item.letters) if i in others)
                    arrays.append((free, item.value(values, free, sizes)[0]))
                else:
                    arrays.append(item.array(values))
            scale = number * np.prod([FACTORS[name] for name in names], dtype=int)
            left = ",".join(letters for letters, _ in arrays)
            kept = "".join(i for i in result if i in left)
            term = scale * np.einsum(f"{left}->{kept}", *(array for _, array in arrays))
            absolute = np.einsum(f"{left}->{kept}", *(abs(array) for _, array in arrays))
            largest = max(largest, abs(scale) * absolute.max())
            total = total + spread(term, kept, result, sizes)
        return total, largest


def spread(array, letters, result, sizes):
    """Return an array that is the same along the modes that it lacks."""
    ordered = array.transpose([letters.index(i) for i in result if i in letters])
    lacking = [place for place, i in enumerate(result) if i not in letters]
    return np.broadcast_to(np.expand_dims(ordered, lacking), [sizes[i] for i in result])


class Case:
    """A random expression with its tensors."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.sizes = {letter: self.rng.choice(SIZES) for letter in LETTERS}
        self.shapes, self.used = {}, {}
        self.type = self.rng.choice(TYPES)
        self.right = Sum(self)
        self.left = Reference(self, self.rng.sample(LETTERS, self.rng.randint(0, 3)))
        self.shapes["C"] = self.shapes.pop(self.left.name)
        self.target = self.left.text.replace(self.left.name, "C")
        whole = [s for s in self.left.slices if isinstance(s, slice)]
        sizes = [s.stop - s.start for s in whole]
        self.is_valid = sizes == [self.used[i] for i in self.left.letters]
        self.sign = self.rng.choice(("=", "+=", "-=", "= b *"))
        more = f" {self.target} + " if self.sign.endswith("*") else " "
        self.text = f"{self.target} {self.sign}{more}{self.right.text}"
        self.batched = {name: self.rng.random() < 0.5 for name in self.shapes}
        self.batched["C"] = any(self.batched.values())

    def reference(self):
        letters = [self.rng.choice(LETTERS) for _ in range(self.rng.choice((0, 1, 2, 2, 3)))]
        return Reference(self, letters if self.rng.random() < 0.15 else [*dict.fromkeys(letters)])

    def tensor(self, shape):
        """Return the name of a tensor, which may be one of the same shape."""
        same = [name for name, other in self.shapes.items() if other == shape]
        if same and self.rng.random() < 0.5:
            return self.rng.choice(same)
        name = f"{self.rng.choice('TUk')}{len(self.shapes)}"
        self.shapes[name] = shape
        return name


def check(seed):
    """Compare a random expression with NumPy; return whether it was one that NumPy takes."""
    case = Case(seed)
    if not case.is_valid or case.left.name in case.right.text:
        return False
    rng = np.random.default_rng(seed)
    batches = {name: (COUNT,) * is_batched for name, is_batched in case.batched.items()}
    values = {
        name: random_values(rng, case.type, shape + batches[name])
        for name, shape in case.shapes.items()
    }
    recipe = tt.recipes.contract(
        case.text,
        {name: shape + (None,) * len(batches[name]) for name, shape in case.shapes.items()},
        dtype=case.type,
        target=TARGET,
    )
    arrays = {
        name: Guarded(case.type, value, value.shape, packed_stride(value.shape)).array
        for name, value in values.items()
        if name != "C"
    }
    reads = case.sign != "="
    is_kept = values["C"] if reads or case.left.slices else None
    result = values["C"]
    out = Guarded(case.type, is_kept, result.shape, packed_stride(result.shape))
    used = re.findall(r"\w+", case.text)
    factors = {name: value for name, value in FACTORS.items() if name in used}
    recipe(arrays | factors, C=out.array)
    expected, largest = np.array(result), 1.0
    for group in range(COUNT if case.batched["C"] else 1):
        of_group = {
            name: value[..., group] if case.batched[name] else value
            for name, value in values.items()
        }
        total, scale = case.right.value(of_group, case.left.letters, case.used)
        largest = max(largest, scale)
        old = {"=": 0, "+=": 1, "-=": 1}.get(case.sign, FACTORS["b"])
        place = (*case.left.slices, group) if case.batched["C"] else tuple(case.left.slices)
        expected[place] = old * expected[place] + (-total if case.sign == "-=" else total)
    rounded = 8 * case.text.count("[")
    if SCALAR_TYPES[case.type].kind == "integer":
        out.assert_only(expected, rounded)
    else:
        out.assert_only(expected, rounded, 2 * float(largest) + 3)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    arguments = parser.parse_args()
    checked = 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        try:
            checked += check(seed)
        except Exception:
            print("seed", seed, Case(seed).text, Case(seed).shapes, Case(seed).type)
            raise
    print(checked, "checked")


if __name__ == "__main__":
    main()
