"""Writes random kernels whose accesses may leave their arrays."""

import random

from random_values import ValueMaker, View


class KernelMaker(ValueMaker):
    """Writes one kernel.

    Args:
        rng: decides everything.
    """

    def __init__(self, rng):
        super().__init__(rng)
        for _ in range(rng.randint(1, 4)):
            self._statement(0)

    def _statement(self, depth):
        rng = self.rng
        choices = [self._access, self._access, self._access]
        if depth < 3:
            choices += [self._branch, self._loop]
        if not self.is_spmd:
            choices += [self._collective, self._collective]
            if depth < 2:
                choices += [self._parallel, self._foreach]
        elif not self.is_divergent:
            choices += [self._block, self._block]
        if choices:
            rng.choice(choices)(depth)

    def _region(self, head, depth, **state):
        """Write a region; what it defines is forgotten after it."""
        names = ("is_spmd", "is_divergent", "integers", "lanes", "memrefs")
        kept = {name: getattr(self, name) for name in names}
        self.integers, self.lanes = [*self.integers], [*self.lanes]
        self.memrefs = [*self.memrefs]
        for name, value in state.items():
            setattr(self, name, value)
        self.lines.append(f"{head} {{")
        for _ in range(self.rng.randint(1, 2)):
            self._statement(depth + 1)
        self.lines.append("}")
        for name, value in kept.items():
            setattr(self, name, value)

    def _branch(self, depth):
        condition = self._condition()
        is_divergent = self.is_divergent or bool(self.lanes)
        self._region(f"if {condition}", depth, is_divergent=is_divergent)
        if self.rng.random() < 0.4:
            self._region("else", depth, is_divergent=is_divergent)

    def _loop(self, depth):
        rng = self.rng
        low = rng.choice(["%k0", "%k0", "%k1", self._integer(is_uniform=True)])
        high = rng.choice(["%k3", "%k4", self._integer(is_uniform=True)])
        high = self._let(f"arith.min {high}, %k7")
        low = self._let(f"arith.max {low}, {self._let('constant -4')}") if low[1] != "k" else low
        step = rng.choice(["", "", "", ", %k2", ", %k3"])
        name = self._name("i")
        self._region(
            f"for {name} = {low}, {high}{step}", depth, integers=[*self.integers, name, name]
        )

    def _foreach(self, depth):
        rng = self.rng
        high = self._let(f"arith.min {self._integer()}, %k7")
        name = self._name("i")
        if rng.random() < 0.5:
            head = f"foreach ({name}) = (%k0),({high})"
            self._region(
                head, depth, is_spmd=True, is_divergent=True, lanes=[*self.lanes, name, name]
            )
            return
        head = f"foreach_tile ({name}) = (%k0),({high}) as ({self._name('t')}) <= (4)"
        self._region(head, depth, is_spmd=True, integers=[*self.integers, name, name])

    def _parallel(self, depth):
        head = len(self.lines)
        self._region("parallel", depth, is_spmd=True, lanes=[*self.lanes, "%lane", "%sub"])
        values = ["%lane32 = subgroup_local_id : i32", "%lane = cast %lane32 : index"]
        values += ["%sub32 = subgroup_id : i32", "%sub = cast %sub32 : index"]
        # Names of regions may occur again.
        place = self.lines.index("parallel {", head)
        self.lines[place + 1 : place + 1] = values

    # Accesses

    def _view(self, *, is_uniform=False):
        """Return a memref, through up to three views."""
        rng = self.rng
        groups = [p for p in self.parameters if p.kind == "group"]
        if groups and (not self.memrefs or rng.random() < 0.4):
            group = rng.choice(groups)
            index = self._integer(is_uniform=is_uniform)
            view = View(self._let(f"load %{group.name}[{index}]", type_=group.memref), group.shape)
        elif self.memrefs:
            view = rng.choice(self.memrefs)
        else:
            return None
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            view = rng.choice([self._subview, self._subview, self._expand, self._fuse])(
                view, is_uniform
            )
        return view

    def _derived(self, view, text, shape):
        result = View(self._name("w"), tuple(shape), view.is_local)
        self.lines.append(f"{result.name} = {text} : {result.memref}")
        return result

    def _subview(self, view, is_uniform):
        rng = self.rng
        slices, shape = [], []
        for size in view.shape:
            if rng.random() < 0.25:
                slices.append(":")
                shape.append(size)
                continue
            offset = rng.choice(["0", "1", self._integer(is_uniform=is_uniform)])
            kind = rng.choice(["removed", "constant", "constant", "value"])
            if kind == "removed" and size != 0:
                slices.append(offset)
                continue
            extent = str(rng.randint(1, 4))
            if kind == "value":
                extent = self._let(f"arith.max {self._integer(is_uniform=is_uniform)}, %k1")
            slices.append(f"{offset}:{extent}")
            shape.append(int(extent) if extent[0] != "%" else None)
        if not view.shape:
            return view
        return self._derived(view, f"subview {view.name}[{','.join(slices)}]", shape)

    def _expand(self, view, is_uniform):
        rng = self.rng
        if not view.shape or len(view.shape) > 3:
            return view
        mode = rng.randrange(len(view.shape))
        size = view.shape[mode]
        if size is None:
            first, second = 2, None
            other = self._let(f"arith.div {self._let(f'size {view.name}[{mode}]')}, %k2")
            other = self._let(f"arith.max {other}, %k1")
        else:
            first = rng.choice([each for each in range(1, size + 1) if size % each == 0] or [1])
            second = size // first
            other = str(second)
        shape = [*view.shape[:mode], first, second, *view.shape[mode + 1 :]]
        return self._derived(view, f"expand {view.name}[{mode}->{first} x {other}]", shape)

    def _fuse(self, view, is_uniform):
        if len(view.shape) < 2:
            return view
        mode = self.rng.randrange(len(view.shape) - 1)
        sizes = view.shape[mode : mode + 2]
        size = None if None in sizes else sizes[0] * sizes[1]
        shape = [*view.shape[:mode], size, *view.shape[mode + 2 :]]
        return self._derived(view, f"fuse {view.name}[{mode},{mode + 1}]", shape)

    def _access(self, depth):
        view = self._view()
        if view is None:
            return
        indices = ", ".join(self._integer() for _ in view.shape)
        word = self.rng.choice(["load", "store", "store", "atomic_load", "atomic_add"])
        if word == "store":
            self.lines.append(f"store %x, {view.name}[{indices}]")
        elif word == "atomic_add":
            self._let(f"atomic_add %x, {view.name}[{indices}]", type_="f32")
        else:
            self._let(f"{word} {view.name}[{indices}]", type_="f32")

    def _collective(self, depth):
        rng = self.rng
        views = [view for view in (self._view() for _ in range(4)) if view is not None]
        word = rng.choice(
            ["axpby.n", "hadamard", "gemv.n", "gemv.t", "gemm.n.n", "ger", "sum.n", "cumsum"]
        )
        orders = {
            "axpby.n": (None, None),
            "hadamard": (None, None, None),
            "gemv.n": (2, 1, 1),
            "gemv.t": (2, 1, 1),
            "gemm.n.n": (2, 2, 2),
            "ger": (1, 1, 2),
            "sum.n": (1, 0),
            "cumsum": (1, 1),
        }[word]
        chosen = []
        for wanted in orders:
            order = len(chosen[0].shape) if wanted is None and chosen else wanted
            fitting = [view for view in views if order is None or len(view.shape) == order]
            if not fitting:
                return self._access(depth)
            chosen.append(rng.choice(fitting))
        names = [view.name for view in chosen]
        operands = {
            2: "%x, {0}, %x, {1}",
            3: "%x, {0}, {1}, %x, {2}",
        }[len(names)].format(*names)
        if word == "cumsum":
            operands = operands.replace(", %x, ", ", 0, %x, ")
            word += rng.choice(("", ".reverse"))
        self.lines.append(f"{word} {operands}")
        return None

    def _block(self, depth):
        rng = self.rng
        view = self._view(is_uniform=True)
        if view is None or len(view.shape) != 2:
            return self._access(depth)
        x, y = self._integer(is_uniform=True), self._integer(is_uniform=True)
        checked = rng.choice(["", "", ".rows_checked", ".cols_checked", ".both_checked"])
        transposed = rng.choice([".n", ".t"])
        matrix = f"coopmatrix<f32x4x{rng.randint(1, 4)},matrix_acc>"
        if rng.random() < 0.7:
            load = f"cooperative_matrix_load{transposed}{checked}"
            self._let(f"{load} {view.name}[{x},{y}]", "c", matrix)
        else:
            value = self._let("constant 1.0", "c", matrix)
            place = f"{view.name}[{x},{y}]"
            self.lines.append(f"cooperative_matrix_store{transposed}{checked} {value}, {place}")
        return None


def random_kernel(seed):
    """Return the maker of the kernel of a seed."""
    return KernelMaker(random.Random(seed))
