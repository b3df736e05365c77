"""Random derivatives and batches of operations, compared with those of the library itself."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import torch
from operation_cases import CASES

import tinytc_mlir as tt
from nearness import assert_near

# A few products and sums, of numbers up to 4, in derivatives up to the second.
KINDS = (
    *("forward", "grad", "jvp", "vmap", "jacfwd", "hessian"),
    *("vmap_vmap", "grad_vmap", "vmap_grad"),
)
_numbers = itertools.count()


class Jax:
    """JAX as random checks use it."""

    xp, grad, jvp, vmap = jnp, staticmethod(jax.grad), staticmethod(jax.jvp), staticmethod(jax.vmap)
    jacfwd = staticmethod(jax.jacfwd)

    @staticmethod
    def operation(kernel, options):
        """Return a kernel as an operation."""
        return tt.jax.op(kernel, **options)

    array = staticmethod(jnp.asarray)


class Torch:
    """PyTorch as random checks use it."""

    xp, grad, jvp = torch, staticmethod(torch.func.grad), staticmethod(torch.func.jvp)
    vmap, jacfwd = staticmethod(torch.vmap), staticmethod(torch.func.jacfwd)

    @staticmethod
    def operation(kernel, options):
        """Return a kernel as an operation."""
        return tt.torch.op(kernel, f"random::op{next(_numbers)}", **options)

    array = staticmethod(torch.from_numpy)


def check(seed):
    """Return what is wrong with a random case, None if nothing."""
    rng = np.random.default_rng(seed)
    library = (Jax, Torch)[seed % 2]
    kernel, case = list(CASES.items())[seed // 2 % len(CASES)]

    def real(*shape):
        return np.asarray(rng.uniform(0.5, 2.0, [int(size) for size in shape]))

    options, given, reference = case(rng, library.xp, real)
    plan = _Plan(library, given, rng, real)
    kind = str(rng.choice(KINDS))
    what = f"seed {seed}: {library.__name__}: {kind} of {kernel.name} by {plan.some}, {plan.others}"
    try:
        found = getattr(plan, kind)(library.operation(kernel, options))
        expected = getattr(plan, kind)(reference)
    except Exception as error:  # whatever it is, it must not be
        return f"{what}: {type(error).__name__}: {error}"
    for one, other in zip(_leaves(found), _leaves(expected), strict=True):
        try:
            assert one.shape == other.shape
            assert_near(one, other)
        except AssertionError:
            return f"{what}: expected\n{other}\ngot\n{one}"
    return None


class _Plan:
    """Derivatives and batches of a function, by some of its inputs and by others."""

    def __init__(self, library, given, rng, real):
        arrays = {n: v for n, v in enumerate(given) if isinstance(v, np.ndarray)}
        numbers = [n for n, v in arrays.items() if v.dtype == np.float64]
        self.library = library
        self.values = [library.array(v) if n in arrays else v for n, v in enumerate(given)]
        self.some, self.others = (
            [n for n in numbers if rng.integers(2)] or [int(rng.choice(numbers))] for _ in range(2)
        )

        def random(n, *batch):
            return library.array(real(*batch, *given[n].shape))

        self.tangents = [random(n) for n in self.some]
        self.batch = [random(n, 3) for n in self.some]
        self.both = sorted({*self.some, *self.others})
        self.nested = [random(n, *[3] * (n in self.some), 2) for n in self.both]

    def _of(self, function, numbers):
        """Return a function of some inputs."""

        def of(*arrays):
            values = list(self.values)
            for number, array in zip(numbers, arrays, strict=True):
                values[number] = array
            return function(*values)

        return of

    def _norm(self, function):
        return lambda *arrays: (function(*arrays) ** 2).sum()

    def _gradient(self, function, count):
        return self.library.grad(self._norm(function), tuple(range(count)))

    def _at(self, numbers):
        return [self.values[number] for number in numbers]

    def forward(self, function):
        return function(*self.values)

    def grad(self, function):
        of = self._of(function, self.some)
        return self._gradient(of, len(self.some))(*self._at(self.some))

    def jvp(self, function):
        of = self._of(function, self.some)
        return self.library.jvp(of, tuple(self._at(self.some)), tuple(self.tangents))

    def jacfwd(self, function):
        return self.library.jacfwd(self._of(function, self.some[:1]))(*self._at(self.some[:1]))

    def hessian(self, function):
        gradient = self._gradient(self._of(function, self.both), len(self.both))

        def total(*arrays):
            return sum(each.sum() for each in gradient(*arrays))

        numbers = tuple(range(len(self.both)))
        return self.library.grad(total, numbers)(*self._at(self.both))

    def vmap(self, function):
        return self.library.vmap(self._of(function, self.some))(*self.batch)

    def grad_vmap(self, function):
        batched = self.library.vmap(self._of(function, self.some))
        return self._gradient(batched, len(self.some))(*self.batch)

    def vmap_vmap(self, function):
        inner = self.library.vmap(self._of(function, self.both))
        dims = tuple(0 if n in self.some else None for n in self.both)
        return self.library.vmap(inner, dims)(*self.nested)

    def vmap_grad(self, function):
        numbers = self.some + [n for n in self.others if n not in self.some]
        of = self._of(function, numbers)
        gradient = self._gradient(of, len(numbers))
        dims = tuple(0 if n in self.some else None for n in numbers)
        values = [*self.batch, *self._at(numbers[len(self.some) :])]
        return self.library.vmap(gradient, dims)(*values)


def _leaves(value):
    leaves = value if isinstance(value, (tuple, list)) else [value]
    return [np.asarray(leaf) for leaf in leaves]
