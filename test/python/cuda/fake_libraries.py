"""PyTorch, Triton and cuTile as far as the benchmark's peers use them, in NumPy."""

import importlib.machinery
import types

import numpy as np


class Tensor(np.ndarray):
    """An array with the methods of PyTorch."""

    def to(self, dtype):
        return self.astype(dtype)

    def view(self, *sizes):
        return self.reshape(sizes) if sizes and isinstance(sizes[0], int) else super().view(*sizes)

    def expand(self, *sizes):
        shape = [old if new == -1 else new for new, old in zip(sizes, self.shape, strict=True)]
        return np.broadcast_to(self, shape, subok=True)


def _module(name, **entries):
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    vars(module).update(entries)
    return module


def torch():
    """Return PyTorch; `calls` has what was multiplied: both factors and the result."""
    rng = np.random.default_rng(0)
    calls = []

    def randn(shape, dtype, device):
        assert device == "cuda"
        return rng.standard_normal(shape).astype(dtype).view(Tensor)

    def empty(shape, dtype, device):
        assert device == "cuda"
        return np.full(shape, np.nan, dtype).view(Tensor)

    def bmm(a, b, wide=None, *, out):
        assert (wide or a.dtype) == out.dtype
        out[...] = a.astype(np.float64) @ b.astype(np.float64)
        calls.append((a, b, out))
        return out

    def baddbmm(c, a, b, *, beta, out):
        out[...] = (beta * c if beta else 0) + a @ b
        calls.append((a, b, out))
        return out

    cuda = types.SimpleNamespace(is_available=lambda: True, current_stream=lambda: None)
    matmul = types.SimpleNamespace(allow_tf32=True)
    return _module(
        "torch",
        calls=calls,
        cuda=cuda,
        backends=types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=matmul)),
        **{name: np.dtype(name) for name in ("float16", "float32", "float64")},
        bfloat16="bfloat16",
        **{each.__name__: each for each in (randn, empty, bmm, baddbmm)},
        allclose=np.allclose,
    )


class _Pointer:
    """An array and places in it; those that a mask leaves out may be anywhere."""

    def __init__(self, array, offset=0):
        self.array, self.offset = array, offset

    def __add__(self, offset):
        return _Pointer(self.array, self.offset + offset)

    def places(self, mask):
        inside = self.offset[mask]
        assert inside.size == 0 or (inside.min() >= 0 and inside.max() < self.array.size)
        return np.where(mask, self.offset, 0)


class _Id(int):
    def to(self, dtype):
        return int(self)


def triton():
    """Return Triton and its language: programs run one after the other."""
    place = {}

    def jit(function):
        class Kernel:
            def __getitem__(self, grid):
                def launch(*arguments, num_warps):
                    assert num_warps in (1, 4)
                    pointers = [
                        _Pointer(each) if isinstance(each, Tensor) else each for each in arguments
                    ]
                    for place["id"] in range(grid[0]):
                        function(*pointers)

                return launch

        return Kernel()

    def load(pointer, mask, other):
        found = pointer.array[pointer.places(mask)]
        return np.where(mask, found, np.asarray(other, found.dtype))

    def store(pointer, value, mask):
        pointer.array[pointer.places(mask)[mask]] = value[mask]

    language = _module(
        "triton.language",
        constexpr=int,
        int64=np.int64,
        program_id=lambda axis: _Id(place["id"]),
        arange=np.arange,
        load=load,
        store=store,
        dot=lambda a, b, input_precision: a.astype(np.float32) @ b.astype(np.float32),
        sum=lambda a, axis: a.sum(axis),
    )
    power = lambda size: 1 << (size - 1).bit_length()  # noqa: E731
    return _module("triton", jit=jit, next_power_of_2=power, language=language), language


def cutile():
    """Return cuTile: blocks run one after the other."""
    place = {}

    def slices(array, index, shape):
        """Return the part of an array that a tile has, and the part of the tile that it is."""
        begins = [at * size for at, size in zip(index, shape, strict=True)]
        counts = [
            max(0, min(size, extent - begin))
            for begin, size, extent in zip(begins, shape, array.shape, strict=True)
        ]
        whole = tuple(slice(b, b + count) for b, count in zip(begins, counts, strict=True))
        return whole, tuple(slice(0, count) for count in counts)

    def load(array, index, shape, padding_mode):
        assert padding_mode == "zero"
        tile = np.zeros(shape, array.dtype)
        whole, part = slices(array, index, shape)
        tile[part] = array[whole]
        return tile

    def store(array, index, tile):
        whole, part = slices(array, index, tile.shape)
        array[whole] = tile[part]

    def launch(stream, grid, kernel, arguments):
        for place["id"] in np.ndindex(*grid):
            kernel(*arguments)

    class Constant:
        def __class_getitem__(cls, type_):
            return type_

    return _module(
        "cuda.tile",
        kernel=lambda function: function,
        Constant=Constant,
        PaddingMode=types.SimpleNamespace(ZERO="zero"),
        float32=np.float32,
        bid=lambda axis: place["id"][axis],
        full=np.full,
        mma=lambda a, b, c: a.astype(c.dtype) @ b.astype(c.dtype) + c,
        astype=lambda tile, dtype: tile.astype(dtype),
        **{each.__name__: each for each in (load, store, launch)},
    )
