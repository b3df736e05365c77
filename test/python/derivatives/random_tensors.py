"""The memory of kernels at random: arguments, members of groups, local memory, and views."""

import math
import random

SIZES = (1, 2, 3, 5, 8)
BATCHED, MEMBER, SHARED, LOCAL = "batched", "member", "shared", "local"
KINDS = (BATCHED, BATCHED, SHARED, SHARED, LOCAL, LOCAL, MEMBER)
WRITTEN = (BATCHED, BATCHED, LOCAL, LOCAL, MEMBER)


class Tensors:
    """Writes the parameters of a kernel `@k`, and its first lines, which name tensors."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.type = self.rng.choice(("f64", "f64", "f64", "c64"))
        self.parameters, self.lines, self.counter, self.depth = ["%n: index"], [], 0, 0
        self.heads = ["%g = group_id.x : index"]
        self.tensors = []  # name, shape, kind, and the tensor of which it is a view

    def name(self):
        self.counter += 1
        return f"%v{self.counter}"

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
        """Return a tensor of a shape, an old one or a new one."""
        others = [tensor[3] for tensor in apart_from]
        known = [
            t
            for t in self.tensors
            if shape in (None, t[1]) and t[2] in kinds and t[3] not in others
        ]
        if known and self.rng.random() < 0.75:
            return self.rng.choice(known)
        return self.new_tensor(self.shape() if shape is None else shape, self.rng.choice(kinds))

    def written(self, shape=None, apart_from=()):
        return self.tensor(shape, WRITTEN, apart_from)

    def new_tensor(self, shape, kind):
        number = len(self.tensors)
        name = f"%t{number}"
        if kind == SHARED:
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
        found = (name, shape, kind, name)
        self.tensors.append(found)
        if shape and self.rng.random() < 0.2:
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
        name, shape, kind, _ = tensor
        viewed, space = f"{name}v", ", local" if kind == LOCAL else ""
        forms = ["part"]
        if len(shape) == 2:
            forms.append("fused")
        even = [mode for mode, size in enumerate(shape) if size % 2 == 0 and len(shape) < 3]
        if even:
            forms.append("expanded")
        form = self.rng.choice(forms)
        if form == "part":
            offsets = [self.rng.randrange(size) for size in shape]
            part = [
                self.rng.randint(1, size - offset)
                for size, offset in zip(shape, offsets, strict=True)
            ]
            slices = ", ".join(f"{o}:{n}" for o, n in zip(offsets, part, strict=True))
            type_ = self.memref(tuple(part), self.layout(shape) + space)
            text, shape = f"subview {name}[{slices}] : {type_}", tuple(part)
        elif form == "fused":
            shape = (math.prod(shape),)
            text = f"fuse {name}[0,1] : {self.memref(shape, space)}"
        else:
            mode = self.rng.choice(even)
            text = f"expand {name}[{mode} -> 2 x {shape[mode] // 2}]"
            shape = (*shape[:mode], 2, shape[mode] // 2, *shape[mode + 1 :])
            text += f" : {self.memref(shape, space)}"
        self.heads.append(f"{viewed} = {text}")
        self.tensors.append((viewed, shape, kind, name))
