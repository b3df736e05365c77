"""Tests of derivatives by inner products: Re <w, J v> = Re <J^T w, v> for any v and w.

J is the derivative of all of a kernel's numbers after it by those before it.
"""

import numpy as np

from tinytc_mlir.runtime.kernel_info import ScalarArgument
from tinytc_mlir.scalars import SCALAR_TYPES

INTEGERS = {"n": 3}  # for parameters of integer type


def random_array(rng, scalar_type, shape, scale=1):
    """Return numbers of about the size `scale`, in Fortran order."""
    dtype = SCALAR_TYPES[scalar_type].dtype
    values = rng.uniform(0.5, 1.5, shape) * rng.choice([-1, 1], shape)
    if scalar_type.startswith("c"):
        values = values + 1j * rng.uniform(-1, 1, shape)
    return np.array(values * scale, dtype, order="F")


def random_argument(rng, argument, groups, scale=1):
    """Return an array, a number, or arrays for a group."""
    if isinstance(argument, ScalarArgument):
        if argument.type in ("index", "i32"):
            return INTEGERS[argument.name]
        return random_array(rng, argument.type, (), scale)[()]
    shape = [groups if size is None else size for size in argument.shape]
    if not hasattr(argument, "offset"):
        return random_array(rng, argument.element_type, shape, scale)
    return [random_array(rng, argument.element_type, shape, scale) for _ in range(groups)]


def copied(value):
    """Return a copy of an argument."""
    if isinstance(value, list):
        return [copied(member) for member in value]
    return value.copy(order="F") if isinstance(value, np.ndarray) else value


def zeros(value):
    """Return zeros of the shapes of an argument."""
    if isinstance(value, list):
        return [zeros(member) for member in value]
    return np.zeros_like(value, order="F")


def dot(a, b):
    """Return Re <a, b> without conjugation, and the sum of the sizes of its terms."""
    terms = np.ravel(np.asarray(a), "F") * np.ravel(np.asarray(b), "F")
    return np.real(terms).sum(), np.abs(terms).sum()


class Products:
    """The derivatives of the only kernel of a module at one point."""

    def __init__(self, module, groups=3, seed=0, wrt=None, atomic=False, scale=1):
        self.groups = groups
        self.rng = np.random.default_rng(seed)
        self.forward = module.jvp(wrt=wrt)
        self.reverse = module.vjp(wrt=wrt, atomic=atomic)
        self.kernel = self.reverse._primal_kernel = self.forward._primal_kernel  # compiled once
        self.arguments = {
            argument.name: argument
            for argument in self.kernel.info.arguments
            if getattr(argument, "buffer", None) is None  # launches allocate these
        }
        self.point = {
            name: random_argument(self.rng, argument, groups, scale)
            for name, argument in self.arguments.items()
        }
        self.names = [parameter.of for parameter in self.forward.parameters]
        assert [parameter.of for parameter in self.reverse.parameters] == self.names
        self.direction = self.random()

    def random(self):
        return {
            name: random_argument(self.rng, self.arguments[name], self.groups)
            for name in self.names
        }

    def tangents(self):
        """Return J v."""
        given = {name: copied(value) for name, value in self.point.items()}
        tangents = {p.name: copied(self.direction[p.of]) for p in self.forward.parameters}
        self.forward(**given, **tangents, groups=self.groups)
        return {p.of: tangents[p.name] for p in self.forward.parameters}

    def adjoints(self, weights):
        """Return J^T w; the weight of a scalar is 0."""
        given = {name: copied(value) for name, value in self.point.items()}
        adjoints = {p.name: copied(weights[p.of]) for p in self.reverse.parameters}
        self.reverse(**given, **adjoints, groups=self.groups)
        for name, value in self.point.items():
            np.testing.assert_array_equal(given[name], value)
        return {p.of: adjoints[p.name] for p in self.reverse.parameters}

    def check(self, epsilon=2e-16):
        """Check the products, to 10 epsilon of the sum of their terms' sizes; return that sum.

        Each rounding on the way to a term changes it by at most a unit of its size (Higham, chapter
        3): 10 are more than the kernels of the default have; where terms have more, or are small
        differences of large numbers, callers give a larger epsilon.
        """
        weights = self.random()
        for name in self.names:
            if isinstance(self.arguments[name], ScalarArgument):
                weights[name] = np.zeros((), weights[name].dtype)
        tangents, adjoints = self.tangents(), self.adjoints(weights)
        left = [dot(weights[name], tangents[name]) for name in self.names]
        right = [dot(adjoints[name], self.direction[name]) for name in self.names]
        size = sum(n for _, n in (*left, *right))
        if not np.isfinite(size):
            assert not self.is_small(), "a product of small numbers is not finite"
            raise OverflowError("a product is not finite")
        difference = sum(n for n, _ in left) - sum(n for n, _ in right)
        assert abs(difference) <= 10 * epsilon * size, f"{difference / size} of {size}"
        return size

    def is_small(self):
        """Return whether no number that the kernel leaves is large."""
        results = self.moved(0).values()
        return all(np.abs(np.array(result)).max(initial=0) < 1e30 for result in results)

    def moved(self, step):
        """Return what the kernel computes a step away."""
        given = {name: copied(value) for name, value in self.point.items()}
        for name in self.names:
            change = self.direction[name]
            if isinstance(given[name], list):
                pairs = zip(given[name], change, strict=True)
                given[name] = [np.array(a + step * b, order="F") for a, b in pairs]
            elif isinstance(given[name], np.ndarray):
                given[name] = np.array(given[name] + step * change, order="F")
            else:
                given[name] = type(given[name])(given[name] + step * change)
        self.kernel(**given, groups=self.groups)
        return given

    def check_differences(self, step=1e-6, tolerance=1e-6):
        """Compare tangents with central differences in f64.

        Their errors are step^2 / 6 times third derivatives, and roundings divided by the step,
        2e-10 for each of the size of results: 1e-6 leaves room for thousands.
        """
        after, before, tangents = self.moved(step), self.moved(-step), self.tangents()
        for name in self.names:
            if isinstance(self.arguments[name], ScalarArgument):
                continue
            difference = (np.array(after[name]) - np.array(before[name])) / (2 * step)
            exact = np.array(tangents[name])
            scale = 1 + np.abs(exact).max(initial=0)
            assert np.abs(difference - exact).max(initial=0) <= tolerance * scale, name


def check_second(module, groups, seed=0, epsilon=1e-13, scale=1, wrt=None):
    """Compare the reverse derivative of the reverse derivative with its forward derivative."""
    reverse = module.vjp(wrt=wrt, atomic=True)
    Products(reverse, groups, seed=seed, atomic=True, scale=scale).check(epsilon)


def check_symmetry(module, seed=0, tolerance=1e-12, scale=1, wrt=None):
    """Check that v H u = u H v, where H is the second derivative of a weighted sum of results.

    The tolerance is that of `Products.check` for terms that may cancel, since the sum is of their
    values, not of their sizes.
    """
    products = Products(module, seed=seed, wrt=wrt, atomic=True, scale=scale)
    weights = products.random()
    for parameter in products.reverse.parameters:
        if not isinstance(weights[parameter.of], (np.ndarray, list)):
            weights[parameter.of] = np.zeros((), products.direction[parameter.of].dtype)
    second = products.reverse.jvp(wrt=products.names)
    added = [parameter.of for parameter in second.parameters if parameter.of not in products.names]
    found, size = [], 0.0
    directions = [products.random(), products.random()]
    for direction, other in (directions, directions[::-1]):
        given = {name: copied(value) for name, value in products.point.items()}
        adjoints = {f"{name}_adjoint": copied(weight) for name, weight in weights.items()}
        tangents = {f"{name}_tangent": copied(value) for name, value in direction.items()}
        results = {f"{name}_tangent": zeros(adjoints[name]) for name in added}
        second(**given, **adjoints, **tangents, **results, groups=products.groups)
        terms = [
            dot(results[f"{name}_tangent"], other[name.removesuffix("_adjoint")]) for name in added
        ]
        found.append(sum(value for value, _ in terms))
        size += sum(value for _, value in terms)
    if not np.isfinite(size):
        raise OverflowError("a second derivative is not finite")
    assert abs(found[0] - found[1]) <= tolerance * (1 + size), f"{found} of {size}"
