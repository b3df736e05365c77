"""Kernels at random of instructions that have a derivative; seeds decide everything."""

from random_parallel import tile_loop, work_items
from random_tensors import BATCHED, TOTAL, Tensors

_FUNCTIONS = ("sin", "cos", "arith.neg", "arith.abs", "tanh", "floor", "ceil")
_FUNCTIONS += ("native_sin", "native_cos")
_OF_BOUNDED = ("exp", "exp2", "expm1", "native_exp", "native_exp2")  # of numbers between -1 and 1
_OF_LARGE = ("sqrt", "rsqrt", "log", "log1p", "log2")  # of numbers from 1
_OF_LARGE += ("native_log", "native_log2")
_OF_TWO = ("arith.min", "arith.max", "minimum", "maximum", "hypot")


class Maker(Tensors):
    """Writes one kernel `@k`: products, sums, views, loops, conditionals, work-items, tiles.

    `rounds` says whether it has numbers of single precision, `attributes` are the kernel's: the
    size of subgroups decides what some instructions compute.
    """

    def __init__(self, seed):
        super().__init__(seed)
        self.attributes, self.rounds, self.subgroup_size, self.nests = "", False, 0, False
        self.scalars = []
        for number in range(self.rng.randint(1, 2)):
            self.parameters.append(f"%s{number}: {self.type}")
            self.scalars.append(f"%s{number}")
        for value, name in ((0, "zero"), (1, "one"), (0.25, "quarter")):
            self.heads.append(f"%{name} = constant {self.literal(value)} : {self.type}")

    def text(self, count=7, nests=False):
        """Return the kernel; with `nests`, it has loops in loops whose counts a launch knows."""
        self.nests = nests
        if nests:
            self.nest(2)
        self.statements(count)
        self.update(self.new_tensor(self.shape(), BATCHED))
        body = "\n".join(f"  {line}" for line in (*self.heads, *self.lines))
        return f"func @k({', '.join(self.parameters)}){self.attributes} {{\n{body}\n}}\n"

    def parameters_to_derive(self):
        """Return some parameters of numbers, or None for all."""
        if self.rng.random() < 0.5:
            return None
        names = [each[1:].partition(":")[0] for each in self.parameters[1:]]
        return self.rng.sample(names, self.rng.randint(1, len(names)))

    # Names and values ------------------------------------------------------------------------

    def literal(self, value):
        return f"[{value:.2f}, 0.0]" if self.type == "c64" else f"{value:.2f}"

    def factor(self):
        """Return a scalar for alpha or beta."""
        return self.rng.choice(("%one", "%one", "%zero", "%quarter", "%quarter", *self.scalars))

    # Instructions ----------------------------------------------------------------------------

    def statements(self, count):
        for _ in range(count):
            choices = [self.update] * 6 + [self.elementwise] * 2 + [self.scalar, self.element]
            if self.depth < 2:
                choices += [self.loop, self.carry, self.branch]
            choices += [lambda: work_items(self), lambda: work_items(self), lambda: tile_loop(self)]
            choice = self.rng.choice(choices)
            if choice == self.update:
                is_total = self.rng.random() < 0.05
                self.update(self.tensor(None, (TOTAL,)) if is_total else self.written())
            else:
                choice()

    def update(self, dest):
        """Write a BLAS-like instruction."""
        shape = dest.shape
        if len(shape) > 2:
            self.elementwise(dest)
            return
        if dest.kind != TOTAL and self.rng.random() < 0.3:
            text = self.in_place(dest)
        else:
            text = self.rng.choice(
                (self.of_scalar, self.of_vector, self.of_matrix)[len(shape)](dest)
            )
        atomic, beta = dest.kind == TOTAL, self.factor()
        if atomic or self.rng.random() < 0.1:
            atomic, beta = True, "%one" if atomic else self.rng.choice(("%zero", "%one"))
        name, _, operands = text.partition(" ")
        self.put(f"{name}{'.atomic' * atomic} {self.factor()}, {operands}, {beta}, {dest.name}")

    def other(self, dest, *shape):
        """Return the name of a tensor that has no elements of another one."""
        return self.tensor(shape, apart_from=(dest,)).name

    def flips(self):
        return self.rng.choice("ntrc")

    def in_place(self, dest):
        """Return an instruction that reads what it updates."""
        names = [self.same(dest).name, self.same(dest).name]
        if not dest.shape or self.rng.random() < 0.3:
            return f"axpby.n {names[0]}"
        if self.rng.random() < 0.7:
            names[self.rng.randrange(2)] = self.other(dest, *dest.shape)
        return f"hadamard_product {', '.join(names)}"

    def of_scalar(self, dest):
        return f"sum.n {self.other(dest, self.size())}", f"axpby.n {self.other(dest)}"

    def of_vector(self, dest):
        (m,), k, flip = dest.shape, self.size(), self.flips()
        matrix = self.other(dest, *((m, k) if flip in "nr" else (k, m)))
        vectors = [self.other(dest, m) for _ in range(4)]
        return (
            f"gemv.{flip} {matrix}, {self.other(dest, k)}",
            f"sum.{flip} {matrix}",
            f"axpby.n {vectors[0]}",
            f"hadamard_product {vectors[1]}, {vectors[2]}",
            f"cumsum{'.reverse' * self.rng.randint(0, 1)} {vectors[3]}, 0",
        )

    def of_matrix(self, dest):
        (m, n), k, flip, flip_b = dest.shape, self.size(), self.flips(), self.flips()
        a = self.other(dest, *((m, k) if flip in "nr" else (k, m)))
        b = self.other(dest, *((k, n) if flip_b in "nr" else (n, k)))
        matrices = [self.other(dest, m, n) for _ in range(3)]
        reverse, mode = ".reverse" * self.rng.randint(0, 1), self.rng.randint(0, 1)
        return (
            f"gemm.{flip}.{flip_b} {a}, {b}",
            f"ger {self.other(dest, m)}, {self.other(dest, n)}",
            f"axpby.{flip} {self.other(dest, *((m, n) if flip in 'nr' else (n, m)))}",
            f"hadamard_product {matrices[0]}, {matrices[1]}",
            f"cumsum{reverse} {matrices[2]}, {mode}",
        )

    def expression(self, operands, factors=None):
        """Return a scalar that is computed from others; factors are some of these."""
        value = self.rng.choice(operands)
        for _ in range(self.rng.randint(1, 3)):
            if self.rng.random() < 0.5:
                word = self.rng.choice(("add", "sub", "mul", "mul"))
                other = self.rng.choice(factors or operands)
                value = self.assign(f"arith.{word} {value}, {other} : {self.type}")
            elif self.type == "c64":
                value = self.complex_function(value, self.rng.choice(factors or operands))
            else:
                value = self.function(value, self.rng.choice(factors or operands))
        return value

    def function(self, value, other):
        """Return a function of numbers for which it has a value of moderate size."""

        def apply(name, *operands):
            return self.assign(f"{name} {', '.join(operands)} : {self.type}")

        bounded, large = apply("tanh", other), apply("hypot", value, "%one")
        less = self.assign(f"less_than {value}, {other} : bool")
        name, *operands = self.rng.choice(
            (
                (self.rng.choice(_OF_BOUNDED), bounded),
                (self.rng.choice(_OF_LARGE), large),
                (self.rng.choice(_OF_TWO), value, other),
                (self.rng.choice(("arith.div", "arith.rem")), value, large),
                ("fma", value, other, "%quarter"),
                ("pow", large, bounded),
                ("select", less, value, other),
                (self.rng.choice(_FUNCTIONS), value),
                (self.rng.choice(_FUNCTIONS), value),
            )
        )
        return apply(name, *operands)

    def complex_function(self, value, other):
        """Return a function of complex numbers, by way of real ones."""
        word = self.rng.choice(("neg", "conj", "re", "im", "abs", "div", "exp"))
        if word in ("neg", "conj"):
            return self.assign(f"arith.{word} {value} : c64")
        real = self.assign(f"arith.{'abs' if word == 'div' else 're'} {other} : f64")
        if word == "div":
            one = self.assign("constant 1.0 : f64")
            real = self.assign(f"arith.add {real}, {one} : f64")
            return self.assign(f"arith.div {value}, {self.assign(f'cast {real} : c64')} : c64")
        if word == "exp":
            bounded = self.assign(f"cast {self.assign(f'tanh {real} : f64')} : c64")
            return self.assign(f"arith.mul {value}, {self.assign(f'exp {bounded} : c64')} : c64")
        real = self.assign(f"arith.{word} {value} : f64")
        return self.assign(f"cast {real} : c64")

    def scalar(self):
        self.scalars.append(self.expression(["%quarter", *self.scalars]))

    def element(self):
        """Load an element, and store one."""
        name, shape, *_ = self.tensor()
        place = ", ".join(str(self.rng.randrange(size)) for size in shape)
        loaded = self.assign(f"load {name}[{place}] : {self.type}")
        value = self.expression([loaded, *self.scalars])
        name, shape, *_ = self.written()
        place = ", ".join(str(self.rng.randrange(size)) for size in shape)
        self.put(f"store {value}, {name}[{place}]")
        self.scalars.append(value)

    def elementwise(self, dest=None):
        name, shape, *_ = dest = dest or self.written()
        modes = shape or (1,)
        indices = [self.name() for _ in modes]
        tops, zeros = ", ".join(map(str, modes)), ", ".join("0" for _ in modes)
        is_total = dest.kind == TOTAL  # which other groups add to, too
        sources = [] if is_total else [self.same(dest)]
        sources.append(self.tensor(shape, apart_from=(dest,)))
        self.put(f"foreach ({', '.join(indices)}) = ({zeros}), ({tops}) {{")
        self.depth += 1
        place = ", ".join(indices[: len(shape)])
        loaded = [self.assign(f"load {source.name}[{place}] : {self.type}") for source in sources]
        scalars = list(self.scalars)
        value = self.expression([*loaded, *scalars])
        if self.rng.random() < 0.3:  # carried from one iteration of a work-item to the next
            carried, result = self.name(), self.name()
            head = f"{result} = for {self.name()} = 0, %n init({carried} = {value})"
            self.put(f"{head} -> ({self.type}) {{")
            self.depth += 1
            self.put(f"yield ({self.expression([carried, *loaded], ['%quarter', *scalars])})")
            self.depth -= 1
            self.put("}")
            value = result
        flag = ".atomic_add" if is_total else self.rng.choice(("", "", "", ".atomic_add"))
        self.put(f"store{flag} {value}, {name}[{place}]")
        self.depth -= 1
        self.put("}")

    def region(self, count, variable=None, most=0):
        """Write instructions; `variable` is that of a loop, at most a number."""
        scalars = list(self.scalars)
        self.depth += 1
        if variable and self.rng.random() < 0.6:
            self.moving_views(variable, most)
        self.statements(count)
        self.tensors = [t for t in self.tensors if not variable or t.loop != variable]
        inner, self.scalars = self.scalars, scalars
        self.depth -= 1
        return inner

    def loop(self):
        last, variable = self.rng.choice(("0", "1", "2", "3", "%n", "%n")), self.name()
        self.put(f"for {variable} = 0, {last}{self.rng.choice(('', ', 2'))} {{")
        self.region(self.rng.randint(1, 3), variable, most=2)
        self.put("}")

    def nest(self, levels):
        """Write loops in loops around instructions."""
        if levels == 0:
            self.in_loops(self.written())
            self.statements(2)
            return
        scalars = list(self.scalars)
        self.put(f"for {self.name()} = 0, {self.rng.choice(('2', '%n', '%n'))} {{")
        self.depth += 1
        self.nest(levels - 1)
        self.depth -= 1
        self.put("}")
        self.scalars = scalars

    def in_loops(self, dest):
        """Let each iteration need what the one before leaves, of numbers that do not grow."""
        indices = [self.name() for _ in dest.shape or (1,)]
        zeros, tops = ", ".join("0" for _ in indices), ", ".join(map(str, dest.shape or (1,)))
        place = f"{dest.name}[{', '.join(indices[: len(dest.shape)])}]"
        self.put(f"foreach ({', '.join(indices)}) = ({zeros}), ({tops}) {{")
        value = self.assign(f"load {place} : {self.type}")
        word = "sin" if self.type == "f64" else "arith.mul %quarter,"
        self.put(f"store {self.assign(f'{word} {value} : {self.type}')}, {place}")
        self.put("}")

    def carry(self):
        carried, result, start = self.name(), self.name(), self.factor()
        last, variable = self.rng.choice(("2", "%n")), self.name()
        head = f"{result} = for {variable} = 0, {last} init({carried} = {start})"
        self.put(f"{head} -> ({self.type}) {{")
        before = list(self.scalars)
        self.scalars.append(carried)
        inner = self.region(self.rng.randint(1, 2), variable, most=2)
        self.depth += 1
        self.put(f"yield ({self.expression(inner)})")
        self.depth -= 1
        self.put("}")
        self.scalars = [*before, result]

    def branch(self):
        condition = self.assign("less_than %g, %n : bool")
        result = self.name()
        self.put(f"{result} = if {condition} -> ({self.type}) {{")
        for _ in range(2):
            inner = self.region(self.rng.randint(1, 2))
            self.depth += 1
            self.put(f"yield ({self.rng.choice(['%quarter', *inner])})")
            self.depth -= 1
            self.put("} else {" if _ == 0 else "}")
        self.scalars.append(result)
