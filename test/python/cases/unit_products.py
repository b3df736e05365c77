"""Products for the matrix unit, and what they are, computed by NumPy."""

import dataclasses

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.reference.rounding import round_to
from tinytc_mlir.scalars import SCALAR_TYPES

GPUS = {"pvc": 16, "dg2": 8}
"""The subgroup size that the unit multiplies for."""
TYPES = (("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("i8", "i32"))
"""Types of the factors and of the result."""


@dataclasses.dataclass(frozen=True)
class Gemm:
    """A kernel `f(alpha, A, B, beta, C)`.

    Args:
        type_: type of A and B.
        result: type of C.
        shape: M, N and K.
        transpose: "n" or "t" for A and for B.
        is_dynamic: whether sizes are only known at run time.
        beta: a constant, None for a parameter.
        is_atomic: whether C is increased atomically.
        attributes: attributes of the kernel.
    """

    type_: str
    result: str
    shape: tuple[int, int, int] = (64, 64, 64)
    transpose: str = "nn"
    is_dynamic: bool = False
    beta: float | None = None
    is_atomic: bool = False
    attributes: str = ""

    @property
    def shapes(self):
        """Shapes of A, B and C."""
        m, n, k = self.shape
        a, b = (m, k), (k, n)
        return (
            a[::-1] if self.transpose[0] == "t" else a,
            b[::-1] if self.transpose[1] == "t" else b,
            (m, n),
        )

    @property
    def text(self):
        """The program."""
        a, b, c = (
            f"memref<{type_}x{'?x?' if self.is_dynamic else f'{shape[0]}x{shape[1]}'}>"
            for type_, shape in zip((self.type_, self.type_, self.result), self.shapes, strict=True)
        )
        atomic = ".atomic" if self.is_atomic else ""
        beta = ""
        if self.beta is not None:
            literal = int(self.beta) if self.result.startswith("i") else float(self.beta)
            beta = f"%one = constant {literal} : {self.result}"
        return f"""
        func @f(%alpha: {self.type_}, %A: {a}, %B: {b}, %beta: {self.result}, %C: {c})
            {self.attributes} {{
            {beta}
            gemm{atomic}.{self.transpose[0]}.{self.transpose[1]} %alpha, %A, %B,
                {"%beta" if self.beta is None else "%one"}, %C
        }}"""

    def parse(self):
        """Return the module."""
        return tt.Context().parse(self.text)

    def arrays(self, rng):
        """Return A, B and C as they are in memory."""
        types = (self.type_, self.type_, self.result)
        return [
            _to_memory(type_, _numbers(rng, type_, shape))
            for type_, shape in zip(types, self.shapes, strict=True)
        ]

    def batch(self, rng, count):
        """Return the matrices A of some products in a list, B and C of all in one array each."""
        all_a, all_b, all_c = zip(*(self.arrays(rng) for _ in range(count)), strict=True)
        b, c = (np.asfortranarray(np.stack(each, axis=2)) for each in (all_b, all_c))
        return list(all_a), b, c

    def run(self, gpu, alpha, a, b, beta, c, seed=None, **options):
        """Run the kernel's gpu stage for a GPU of Intel, or a target; return what is found."""
        target = f"intel-gpu:{gpu}" if gpu in GPUS else gpu
        stage = GpuStage(self.parse(), target=target, **options)
        alpha, beta = (
            (int if type_.startswith("i") else float)(value)
            for type_, value in ((self.type_, alpha), (self.result, beta))
        )
        return stage.check("f", [alpha, a, b, beta, c], 1, seed=seed)

    def expected(self, alpha, a, b, beta, c):
        """Return alpha op(A) op(B) + beta C, rounded once at the end."""
        a, b = (_from_memory(self.type_, each) for each in (a, b))
        a = a.T if self.transpose[0] == "t" else a
        b = b.T if self.transpose[1] == "t" else b
        old = beta * _from_memory(self.result, c) if beta else 0
        return alpha * (a @ b) + old

    def values(self, memory):
        """Return the numbers of an array of the result's type."""
        return _from_memory(self.result, memory)

    def difference(self, actual, expected):
        """Return the largest difference relative to what rounding may make of a result."""
        found = _from_memory(self.result, actual)
        if self.result.startswith("i"):
            wrapped = np.asarray(expected, np.int64).astype(SCALAR_TYPES[self.result].dtype)
            return float(np.abs(found - wrapped).max())
        # Sums of K numbers of about 1 in f32 or f64, and one rounding to the result's type.
        epsilon = SCALAR_TYPES[self.result].epsilon
        sums = min(epsilon, 2.0**-23)
        scale = self.shape[2] * sums * 4 + epsilon * np.abs(expected)
        return float((np.abs(found - expected) / scale).max())


def _numbers(rng, type_, shape):
    if type_.startswith("i"):
        return rng.integers(-100, 100, shape)
    return rng.uniform(-1, 1, shape)


def _to_memory(type_, values):
    """bf16 is kept as its bits."""
    scalar = SCALAR_TYPES[type_]
    rounded = values if type_.startswith("i") else round_to(scalar, np.asarray(values))
    return np.asfortranarray(scalar.to_memory(np.asarray(rounded, scalar.value_dtype)))


def _from_memory(type_, values):
    wide = np.int64 if type_.startswith("i") else np.float64
    return np.asarray(SCALAR_TYPES[type_].from_memory(values)).astype(wide)
