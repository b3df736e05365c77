"""The memory of kernels at random: arguments, members of groups, local memory, and views."""

import math
import random
import typing

import numpy as np

SIZES = (1, 2, 3, 5, 8)
BATCHED, MEMBER, SHARED, LOCAL = "batched", "member", "shared", "local"
TOTAL = "total"  # shared, and only added to, atomically
KINDS = (BATCHED, BATCHED, SHARED, SHARED, LOCAL, LOCAL, MEMBER)
WRITTEN = (BATCHED, BATCHED, LOCAL, LOCAL, MEMBER)


class Tensor(typing.NamedTuple):
    """A tensor, or a view of one.

    Attributes:
        places: for each element, its place in memory; of a view that a loop moves, all of them.
        memory: name of the tensor of which it is a view.
        loop: the loop that moves it, whose views are apart from each other.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    places: np.ndarray
    memory: str
    loop: str = ""

    def overlaps(self, other):
        """Return whether they may have common elements."""
        if self.memory != other.memory or (self.loop and self.loop == other.loop):
            return self.name == other.name
        return np.intersect1d(self.places, other.places).size > 0

    def is_same(self, other):
        """Return whether they have the same elements at the same indices."""
        if self.loop or other.loop:
            return self.name == other.name
        return self.memory == other.memory and np.array_equal(self.places, other.places)


class Tensors:
    """Writes the parameters of a kernel `@k`, and its first lines, which name tensors."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.type = self.rng.choice(("f64", "f64", "f64", "c64"))
        self.parameters, self.lines, self.counter, self.depth = ["%n: index"], [], 0, 0
        self.heads = ["%g = group_id.x : index", "%next = constant 1 : index"]
        self.tensors, self.tensor_count = [], 0

    def name(self):
        self.counter += 1
        return f"%v{self.counter}"

    def number(self):
        """Return a number for a tensor."""
        self.tensor_count += 1
        return self.tensor_count

    def put(self, line):
        self.lines.append("  " * self.depth + line)

    def assign(self, text):
        name = self.name()
        self.put(f"{name} = {text}")
        return name

    def size(self):
        return self.rng.choice(SIZES)

    def shape(self):
        return tuple(self.size() for _ in range(self.rng.choice((0, 1, 1, 2, 2, 2))))

    def memref(self, shape, suffix=""):
        return f"memref<{self.type}{''.join(f'x{size}' for size in shape)}{suffix}>"

    def layout(self, shape):
        """Return the strides of a packed tensor, for a type."""
        strides = [str(math.prod(shape[:mode])) for mode in range(len(shape))]
        return f", strided<{','.join(strides)}>" if strides else ""

    def tensor(self, shape=None, kinds=KINDS, apart_from=()):
        """Return a tensor of a shape, an old one or a new one, without elements of some others."""
        known = [
            t
            for t in self.tensors
            if shape in (None, t.shape) and t.kind in kinds and not any(map(t.overlaps, apart_from))
        ]
        if known and self.rng.random() < 0.75:
            beside = [t for t in known if any(t.memory == other.memory for other in apart_from)]
            return self.rng.choice(beside if beside and self.rng.random() < 0.3 else known)
        return self.new_tensor(self.shape() if shape is None else shape, self.rng.choice(kinds))

    def written(self, shape=None, apart_from=()):
        return self.tensor(shape, WRITTEN, apart_from)

    def same(self, tensor):
        """Return a tensor with the elements of another one, which may be a view."""
        return self.rng.choice([t for t in self.tensors if t.is_same(tensor)])

    def new_tensor(self, shape, kind):
        number = self.number()
        name = f"%t{number}"
        if kind in (SHARED, TOTAL):
            self.parameters.append(f"{name}: {self.memref(shape)}")
        elif kind == BATCHED:
            self.parameters.append(f"%b{number}: {self.memref((*shape, '?'))}")
            slices = "".join(f"0:{size}, " for size in shape)
            type_ = self.memref(shape, self.layout(shape))
            self.heads.append(f"{name} = subview %b{number}[{slices}%g] : {type_}")
        elif kind == MEMBER:
            self.parameters.append(f"%b{number}: group<{self.memref(shape)}x?>")
            self.heads.append(f"{name} = load %b{number}[%g] : {self.memref(shape)}")
        else:
            self.heads.append(f"{name} = alloca : {self.memref(shape, ', local')}")
            self.fill(name, shape)
        places = np.arange(math.prod(shape)).reshape(shape, order="F")
        found = Tensor(name, shape, kind, places, name)
        self.tensors.append(found)
        if shape and self.rng.random() < 0.3:
            for _ in range(self.rng.randint(1, 3)):
                self.view(found)
        return found

    def fill(self, name, shape):
        """Write numbers to local memory."""
        indices = [f"%i{mode}" for mode in range(len(shape))] or ["%i0"]
        tops = ", ".join(map(str, shape or (1,)))
        zeros = ", ".join("0" for _ in indices)
        self.heads.append(f"foreach ({', '.join(indices)}) = ({zeros}), ({tops}) {{")
        self.heads.append(f"  store %quarter, {name}[{', '.join(indices[: len(shape)])}]")
        self.heads.append("}")

    def view(self, tensor):
        """Add a view of a packed tensor."""
        shape, places = tensor.shape, tensor.places
        space = ", local" if tensor.kind == LOCAL else ""
        forms = ["part", "part", "entry", "all"]
        if len(shape) == 2:
            forms.append("fused")
        even = [mode for mode, size in enumerate(shape) if size % 2 == 0 and len(shape) < 3]
        if even:
            forms.append("expanded")
        form = self.rng.choice(forms)
        if form == "fused":
            places = places.ravel("F")
            text = f"fuse {tensor.name}[0,1] : {self.memref(places.shape, space)}"
        elif form == "expanded":
            mode = self.rng.choice(even)
            text = f"expand {tensor.name}[{mode} -> 2 x {shape[mode] // 2}]"
            new = (*shape[:mode], 2, shape[mode] // 2, *shape[mode + 1 :])
            places = places.reshape(new, order="F")
            text += f" : {self.memref(new, space)}"
        else:
            slices, strides = [], []
            removed = self.rng.randrange(len(shape)) if form == "entry" else None
            for mode, size in enumerate(shape):
                first = 0 if form == "all" else self.rng.randrange(size)
                count = size if form == "all" else self.rng.randint(1, size - first)
                if mode == removed:
                    slices.append(f"{first}")
                else:
                    slices.append(f"{first}:{count}")
                    strides.append(str(math.prod(shape[:mode])))
                chosen = slice(first, first + (1 if mode == removed else count))
                places = places[(slice(None),) * mode + (chosen,)]
            if removed is not None:
                places = places.squeeze(removed)
            layout = f", strided<{','.join(strides)}>" if strides else ""
            type_ = self.memref(places.shape, layout + space)
            text = f"subview {tensor.name}[{', '.join(slices)}] : {type_}"
        name = f"{tensor.name}v{self.number()}"
        self.heads.append(f"{name} = {text}")
        self.tensors.append(Tensor(name, places.shape, tensor.kind, places, tensor.memory))

    def moving_views(self, variable, most):
        """Add entries of a tensor at a loop variable, which is at most a number, and after it."""
        known = [t for t in self.tensors if t.name == t.memory and any(n > most for n in t.shape)]
        if not known:
            return
        tensor = self.rng.choice(known)
        mode = self.rng.choice([n for n, size in enumerate(tensor.shape) if size > most])
        shape = tensor.shape[:mode] + tensor.shape[mode + 1 :]
        strides = [str(math.prod(tensor.shape[:n])) for n in range(len(tensor.shape)) if n != mode]
        layout = f", strided<{','.join(strides)}>" if strides else ""
        type_ = self.memref(shape, layout + (", local" if tensor.kind == LOCAL else ""))
        indices = [variable]
        if tensor.shape[mode] > most + 1:
            indices.append(self.assign(f"arith.add {variable}, %next : index"))
        for index in indices:
            slices = [f"0:{size}" for size in tensor.shape]
            slices[mode] = index
            name = self.assign(f"subview {tensor.name}[{', '.join(slices)}] : {type_}")
            view = Tensor(name, shape, tensor.kind, tensor.places, tensor.memory, variable)
            self.tensors.append(view)
