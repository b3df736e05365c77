"""Kernels at random of instructions that have a derivative; seeds decide everything."""

import random

_SIZES = (1, 2, 3, 5, 8)
_LINEAR = ("arith.neg", "arith.conj")
_FUNCTIONS = ("sin", "cos", "arith.neg", "arith.abs", "tanh", "floor", "ceil", "native_sin")
_OF_BOUNDED = ("exp", "exp2", "expm1", "native_exp")  # of numbers between -1 and 1
_OF_LARGE = ("sqrt", "rsqrt", "log", "log1p", "log2", "native_log")  # of numbers from 1
_OF_TWO = ("arith.min", "arith.max", "hypot")
_BATCHED, _SHARED, _LOCAL = "batched", "shared", "local"


class Maker:
    """Writes one kernel `@k`: products, sums, views, loops, conditionals, loops of work-items."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.type = self.rng.choice(("f64", "f64", "f64", "c64"))
        self.parameters, self.lines, self.counter, self.depth = ["%n: index"], [], 0, 0
        self.heads = ["%g = group_id.x : index"]
        self.tensors = []  # name, shape, kind
        self.scalars = []
        for number in range(self.rng.randint(1, 2)):
            self.parameters.append(f"%s{number}: {self.type}")
            self.scalars.append(f"%s{number}")
        for value, name in ((0, "zero"), (1, "one"), (0.25, "quarter")):
            self.heads.append(f"%{name} = constant {self.literal(value)} : {self.type}")

    def text(self, count=7):
        """Return the kernel."""
        self.statements(count)
        self.update(self.tensor(kind=_BATCHED))
        body = "\n".join(f"  {line}" for line in (*self.heads, *self.lines))
        return f"func @k({', '.join(self.parameters)}) {{\n{body}\n}}\n"

    # Names and values ------------------------------------------------------------------------

    def literal(self, value):
        return f"[{value:.2f}, 0.0]" if self.type == "c64" else f"{value:.2f}"

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
        return self.rng.choice(_SIZES)

    def memref(self, shape, suffix=""):
        return f"memref<{self.type}{''.join(f'x{size}' for size in shape)}{suffix}>"

    def tensor(self, shape=None, kind=None, apart_from=()):
        """Return a tensor of a shape, an old one or a new one."""
        known = [
            t
            for t in self.tensors
            if shape in (None, t[1]) and kind in (None, t[2]) and t not in apart_from
        ]
        if known and self.rng.random() < 0.75:
            return self.rng.choice(known)
        if shape is None:
            shape = tuple(self.size() for _ in range(self.rng.choice((0, 1, 1, 2, 2, 2))))
        return self.new_tensor(shape, kind or self.rng.choice((_BATCHED, _SHARED, _LOCAL)))

    def new_tensor(self, shape, kind):
        number = len(self.tensors)
        name = f"%t{number}"
        if kind == _SHARED:
            self.parameters.append(f"{name}: {self.memref(shape)}")
        elif kind == _BATCHED:
            self.parameters.append(f"%b{number}: {self.memref((*shape, '?'))}")
            slices = "".join(f"0:{size}, " for size in shape)
            strides, step = [], 1
            for size in shape:
                strides.append(step)
                step *= size
            layout = f", strided<{','.join(map(str, strides))}>" if strides else ""
            self.heads.append(
                f"{name} = subview %b{number}[{slices}%g] : {self.memref(shape, layout)}"
            )
        else:
            self.heads.append(f"{name} = alloca : {self.memref(shape, ', local')}")
            indices = [f"%i{mode}" for mode in range(len(shape))] or ["%i0"]
            tops = ", ".join(map(str, shape or (1,)))
            zeros = ", ".join("0" for _ in indices)
            self.heads.append(f"foreach ({', '.join(indices)}) = ({zeros}), ({tops}) {{")
            self.heads.append(f"  store %quarter, {name}[{', '.join(indices[: len(shape)])}]")
            self.heads.append("}")
        found = (name, shape, kind)
        self.tensors.append(found)
        return found

    def written(self, shape=None, apart_from=()):
        return self.tensor(shape, self.rng.choice((_BATCHED, _LOCAL)), apart_from)

    def factor(self):
        """Return a scalar for alpha or beta."""
        return self.rng.choice(("%one", "%one", "%zero", "%quarter", "%quarter", *self.scalars))

    # Instructions ----------------------------------------------------------------------------

    def statements(self, count):
        for _ in range(count):
            choices = [self.update] * 6 + [self.elementwise] * 2 + [self.scalar, self.element]
            if self.depth < 2:
                choices += [self.loop, self.carry, self.branch]
            choice = self.rng.choice(choices)
            if choice == self.update:
                self.update(self.written())
            else:
                choice()

    def update(self, dest):
        """Write a BLAS-like instruction."""
        name, shape, _ = dest
        alpha, beta = self.factor(), self.factor()

        def other(*wanted):
            return self.tensor(wanted, apart_from=(dest,))[0]

        flip, flip_b = self.rng.random() < 0.5, self.rng.random() < 0.5
        k = self.size()
        if len(shape) == 0:
            text = f"sum.n {alpha}, {other(k)}"
            if self.rng.random() < 0.4:
                text = f"axpby.n {alpha}, {other()}"
        elif len(shape) == 1:
            m = shape[0]
            matrix = other(k, m) if flip else other(m, k)
            modifier = "t" if flip else "n"
            text = self.rng.choice(
                (
                    f"gemv.{modifier} {alpha}, {matrix}, {other(k)}",
                    f"sum.{modifier} {alpha}, {matrix}",
                    f"axpby.n {alpha}, {other(m)}",
                    f"hadamard_product {alpha}, {other(m)}, {other(m)}",
                    f"cumsum {alpha}, {other(m)}, 0",
                )
            )
        else:
            m, n = shape
            a = other(k, m) if flip else other(m, k)
            b = other(n, k) if flip_b else other(k, n)
            text = self.rng.choice(
                (
                    f"gemm.{'t' if flip else 'n'}.{'t' if flip_b else 'n'} {alpha}, {a}, {b}",
                    f"ger {alpha}, {other(m)}, {other(n)}",
                    f"axpby.{'t' if flip else 'n'} {alpha}, {other(n, m) if flip else other(m, n)}",
                    f"hadamard_product {alpha}, {other(m, n)}, {other(m, n)}",
                    f"cumsum {alpha}, {other(m, n)}, {self.rng.randint(0, 1)}",
                )
            )
        self.put(f"{text}, {beta}, {name}")

    def expression(self, operands, factors=None):
        """Return a scalar that is computed from others; factors are some of these."""
        value = self.rng.choice(operands)
        for _ in range(self.rng.randint(1, 3)):
            if self.rng.random() < 0.5:
                word = self.rng.choice(("add", "sub", "mul", "mul"))
                other = self.rng.choice(factors or operands)
                value = self.assign(f"arith.{word} {value}, {other} : {self.type}")
            elif self.type == "c64":
                value = self.assign(f"{self.rng.choice(_LINEAR)} {value} : {self.type}")
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

    def scalar(self):
        self.scalars.append(self.expression(["%quarter", *self.scalars]))

    def element(self):
        """Load an element, and store one."""
        name, shape, _ = self.tensor()
        place = ", ".join(str(self.rng.randrange(size)) for size in shape)
        loaded = self.assign(f"load {name}[{place}] : {self.type}")
        value = self.expression([loaded, *self.scalars])
        name, shape, _ = self.written()
        place = ", ".join(str(self.rng.randrange(size)) for size in shape)
        self.put(f"store {value}, {name}[{place}]")
        self.scalars.append(value)

    def elementwise(self):
        name, shape, _ = dest = self.written()
        modes = shape or (1,)
        indices = [self.name() for _ in modes]
        tops, zeros = ", ".join(map(str, modes)), ", ".join("0" for _ in modes)
        sources = [dest, self.tensor(shape, apart_from=(dest,))]
        self.put(f"foreach ({', '.join(indices)}) = ({zeros}), ({tops}) {{")
        self.depth += 1
        place = ", ".join(indices[: len(shape)])
        loaded = [self.assign(f"load {source[0]}[{place}] : {self.type}") for source in sources]
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
        self.put(f"store {value}, {name}[{place}]")
        self.depth -= 1
        self.put("}")

    def region(self, count):
        scalars = list(self.scalars)
        self.depth += 1
        self.statements(count)
        inner, self.scalars = self.scalars, scalars
        self.depth -= 1
        return inner

    def loop(self):
        last = self.rng.choice(("0", "1", "2", "3", "%n", "%n"))
        self.put(f"for {self.name()} = 0, {last}{self.rng.choice(('', ', 2'))} {{")
        self.region(self.rng.randint(1, 3))
        self.put("}")

    def carry(self):
        carried, result, start = self.name(), self.name(), self.factor()
        last = self.rng.choice(("2", "%n"))
        head = f"{result} = for {self.name()} = 0, {last} init({carried} = {start})"
        self.put(f"{head} -> ({self.type}) {{")
        before = list(self.scalars)
        self.scalars.append(carried)
        inner = self.region(self.rng.randint(1, 2))
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
