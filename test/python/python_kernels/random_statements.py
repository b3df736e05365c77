"""Random statements without a body, of kernels as functions of Python."""

from function_expressions import ARRAYS, KINDS, Expressions

NAMES = "xyzuvwhl"
ODD = ("(x := 3)", "x = y = tt.i64(2)", "x = a / 2", "x = a + b", "x += c", "x = [1]", "x = p",
       "if a: x = a", "for k in (1, 2): x = k", "x = not a", "x = z + 1", "del a", "x = a ** 2",
       "x = 1 if a else 2", "x = p[c, g]", "x = a < b < c", "while a > 0: a -= 1",
       "x: tt.i64 = a + 1", "x = a and b", "print(a)")  # fmt: skip
"""Statements most of which are refused."""


class Statements(Expressions):
    """Writes statements, and notes which names have values."""

    def __init__(self, rng):
        super().__init__(rng)
        self.lines, self.indent = [], 1
        self.fixed = set()  # names that the region cannot bind

    def line(self, text):
        """Append a line."""
        self.lines.append("    " * self.indent + text)

    def odd(self):
        """Write what may be refused."""
        self.line(self.rng.choice(ODD))
        self.kinds.pop("x", None)

    def name(self, kind):
        """Return a name to bind: often an old one, rarely one of another type."""
        same = [n for n, k in self.kinds.items() if k == kind and n not in self.fixed]
        if same and self.rng.random() < 0.6:
            return self.rng.choice(same)
        free = [n for n in NAMES if n not in self.kinds]
        if free and self.rng.random() < 0.9:
            return self.rng.choice(free)
        return self.rng.choice(same or list(NAMES)) if self.rng.random() < 0.97 else "x"

    def bind(self, name, kind):
        """Note that a name has a value."""
        self.kinds[name] = kind
        self.bounds.pop(name, None)

    def kind(self):
        """Return a type of numbers, or of truth values."""
        return self.rng.choice((*KINDS, "i64", "bool"))

    def assign(self):
        """Write `x = ...`."""
        kind = self.kind()
        text = self.value(kind)
        name = self.name(kind)
        self.line(f"{name} = {text}")
        self.bind(name, kind)

    def literal(self):
        """Write a number without a type."""
        kind, values = self.rng.choice(
            (("i64", (-7, 0, 3)), ("index", (2, 5)), ("f64", (1.0, -2.0)))
        )
        name = self.name(kind)
        value = self.rng.choice(values)
        is_plain = self.rng.random() < 0.3
        self.line(f"{name} = {value if is_plain else f'tt.{kind}({value})'}")
        self.bind(name, kind)

    def several(self):
        """Write an assignment of a tuple."""
        kinds = [self.kind() for _ in range(self.rng.randint(2, 3))]
        values = [self.value(kind) for kind in kinds]
        names = [self.name(kind) for kind in kinds]
        if len(set(names)) == len(names):
            self.line(f"{', '.join(names)} = {', '.join(values)}")
            for name, kind in zip(names, kinds, strict=True):
                self.bind(name, kind)

    def update(self):
        """Write `x += ...` on a name, and keep it small."""
        names = [n for n, k in self.kinds.items() if k in KINDS and n not in self.fixed]
        if not names:
            self.assign()
            return
        name = self.rng.choice(names)
        kind = self.kinds[name]
        is_float = kind[0] == "f"
        op = self.rng.choice(("+", "-", "*", "%" if is_float else "//", "%"))
        value = self.divisor(kind) if op in "//%" else self.small(kind, 100)
        self.line(f"{name} {op}= {value}")
        self.line(f"{name} = min({name}, 900)" if self.rng.random() < 0.3 else f"{name} %= 997")
        if self.lines[-1].endswith("900)"):
            self.line(f"{name} = max({name}, -900)")
        self.bind(name, kind)

    def store(self):
        """Write an assignment to an element."""
        kind = self.rng.choice(tuple(ARRAYS))
        place = self.element(kind)
        if self.rng.random() < 0.5:
            self.line(f"{place} = {self.value(kind)}")
            return
        op = self.rng.choice(("+", "-", "%"))
        value = self.divisor(kind) if op == "%" else self.small(kind, 20)
        self.line(f"{place} {op}= {value}")

    def chosen(self, kind):
        """Return an expression of numbers that conditions choose."""
        numbers = [str(self.rng.randint(-9, 9)) for _ in range(3)]
        if kind[0] == "f" and self.rng.random() < 0.7:
            numbers = [f"{number}.0" for number in numbers]
        last = numbers[2]
        if self.rng.random() < 0.4:
            last = f"({last} if {self.truth(1)} else {numbers[0]})"
        text = f"({numbers[1]} if {self.truth(2)} else {last})"
        if self.rng.random() < 0.3:
            text = f"({text} {self.rng.choice('+-*')} {self.rng.choice((text, '2', 'N'))})"
        return text

    def choose(self):
        """Write a store of a number that conditions choose, or of what it is combined with."""
        kind = self.rng.choice(tuple(ARRAYS))
        place, text = self.element(kind), self.chosen(kind)
        if self.rng.random() < 0.5:
            text = f"{self.small(kind, 100)} {self.rng.choice('+-*')} {text}"
        self.line(f"{place} {self.rng.choice(('=', '+='))} {text}")

    def swap(self):
        """Write an assignment to several elements."""
        kind = self.rng.choice(tuple(ARRAYS))
        places = [self.element(kind) for _ in range(self.rng.randint(2, 3))]
        values = self.rng.sample(places, len(places))
        self.line(f"{', '.join(places)} = {', '.join(values)}")

    def convert(self):
        """Write a store of a truth value, or of the extreme of several numbers."""
        kind = self.rng.choice(tuple(ARRAYS))
        text = f"tt.{kind}({self.truth(2)})"
        if self.rng.random() < 0.5:
            items = [self.small(kind, 100), text, str(self.rng.randint(0, 9))]
            self.rng.shuffle(items)
            text = f"{self.rng.choice(('min', 'max'))}({', '.join(items)})"
        self.line(f"{self.element(kind)} = {text}")

    def same(self):
        """Write a comparison of truth values."""
        name = self.name("bool")
        op = self.rng.choice(("==", "!="))
        self.line(f"{name} = ({self.truth(1)}) {op} ({self.truth(1)})")
        self.bind(name, "bool")

    def call(self):
        """Write a call without a result."""
        if self.own is None:
            kind = self.rng.choice(tuple(ARRAYS))
            self.line(f"swept({ARRAYS[kind]}, g, {self.small(kind, 1000)})")

    def matrix(self):
        """Write an assignment to a matrix or a vector."""
        low = self.rng.randint(0, 2)
        part = f"{low}:{low + 3}"
        of_names = [n for n, b in self.bounds.items() if self.kinds.get(n) == "index" and b[0] >= 0]
        if of_names:
            name = self.rng.choice(of_names)
            part = f"{name} : {name} + 2"
        op = self.rng.choice(("=", "+="))
        alpha = self.rng.choice(("", "2.0 * ", "c * ", "-1.0 * "))
        beta = self.rng.choice(("", " + r[:, g]", " - 1.0 * r[:, g]")) if op == "=" else ""
        self.line(
            self.rng.choice(
                (
                    f"B[:, :, g] {op} {alpha}A[:, :, g]",
                    f"B[{part}, 1, g] {op} {alpha}A[2, {part}, g]",
                    f"B[:, {part}, g] {op} {alpha}A[:, :, g] @ A[:, {part}, g]",
                    f"B[:, :, g] {op} {alpha}A[:, :, g].T @ A[:, :, g]{beta.replace('r[:', 'B[:, :')}",
                    f"B[1, :, g] {op} {alpha}A[:, :, g] @ A[:, 3, g]",
                    f"B[{part}, {part}, g] {op} {alpha}A[{part}, {part}, g]",
                    f"B[:, :, g] += {alpha}tt.outer(A[:, 0, g], A[1, :, g])",
                    f"B[:, 2, g] {op} {alpha}A[:, :, g].sum(1)",
                )
            )
        )
