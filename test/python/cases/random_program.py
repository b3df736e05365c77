"""Random whole programs with defined behaviour, as cases.

Numbers are i32, which wrap around: results are exact whatever the program computes.
"""

from cases.case import SHAPES, Case, buffer

_DEPTH = 2


class Program:
    """Writes a kernel on square matrices in global and local memory."""

    def __init__(self, rng):
        self.rng = rng
        self.size = rng.choice((1, 5, 16, 17))
        self.lines = []
        self.count = 0
        self.matrices = ["%A", "%B", "%C", "%L", "%M"]

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def scalar(self):
        return self.rng.choice(("%one", "%two", "%none", "%alpha"))

    def operands(self, count):
        """Return matrices, the last one different from the others."""
        dest = self.rng.choice(self.matrices)
        others = [name for name in self.matrices if name != dest]
        return [*(self.rng.choice(others) for _ in range(count - 1)), dest]

    def column(self, matrix):
        name = self.fresh()
        space = ",local" if matrix in ("%L", "%M") else ""
        column = self.rng.randrange(self.size)
        self.lines.append(
            f"{name} = subview {matrix}[0:{self.size},{column}] : memref<i32x{self.size}{space}>"
        )
        return name

    def collective(self):
        a, b, c = self.operands(3)
        t, u = self.rng.choice("ntrc"), self.rng.choice("ntrc")
        x, y = self.scalar(), self.scalar()
        kind = self.rng.randrange(7)
        if kind == 0:
            self.lines.append(f"gemm.{t}.{u} {x}, {a}, {b}, {y}, {c}")
        elif kind == 1:
            self.lines.append(f"axpby.{t} {x}, {a}, {y}, {c}")
        elif kind == 2:
            self.lines.append(f"hadamard_product {x}, {a}, {b}, {y}, {c}")
        elif kind == 3:
            word = self.rng.choice(("cumsum", "cumsum.reverse"))
            self.lines.append(f"{word} {x}, {a}, {self.rng.randrange(2)}, {y}, {c}")
        elif kind == 4:
            v, w = self.column(a), self.column(b)
            self.lines.append(f"ger {x}, {v}, {w}, {y}, {c}")
        elif kind == 5:
            w = self.column(c)
            self.lines.append(f"sum.{t} {x}, {a}, {y}, {w}")
        else:
            v, w = self.column(b), self.column(c)
            self.lines.append(f"gemv.{t} {x}, {a}, {v}, {y}, {w}")

    def foreach(self):
        a, b, c = self.operands(3)
        i, j, x, y, z, k = (self.fresh() for _ in range(6))
        word = self.rng.choice(("add", "sub", "mul", "min", "max", "and", "xor"))
        self.lines += [
            f"foreach ({i}, {j}) = (%zero, %zero), (%n, %n) {{",
            f"{x} = load {a}[{j}, {i}] : i32",
            f"{k} = arith.sub %last, {i} : index",
            f"{y} = load {b}[{k}, {j}] : i32",
            f"{z} = arith.{word} {x}, {y} : i32",
            f"store {z}, {c}[{i}, {j}]",
            "}",
        ]

    def region(self, depth):
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth + 1)

    def statement(self, depth):
        kind = self.rng.choice(("collective", "collective", "foreach", "for", "if"))
        if kind == "for" and depth < _DEPTH:
            self.lines.append(f"for {self.fresh()} = %zero, %steps {{")
            self.region(depth)
            self.lines.append("}")
        elif kind == "if" and depth < _DEPTH:
            condition = self.fresh()
            self.lines.append(f"{condition} = cmp.lt %alpha, {self.rng.randint(0, 4)} : bool")
            self.lines.append(f"if {condition} {{")
            self.region(depth)
            self.lines.append("} else {")
            self.region(depth)
            self.lines.append("}")
        elif kind == "foreach":
            self.foreach()
        else:
            self.collective()

    def case(self, name):
        size = self.size
        head = [
            *(f"%{word} = constant {value} : i32" for word, value in CONSTANTS.items()),
            "%zero = constant 0 : index",
            f"%n = constant {size} : index",
            f"%last = constant {size - 1} : index",
            *(f"{m} = alloca : memref<i32x{size}x{size},local>" for m in ("%L", "%M")),
            "axpby.n %one, %A, %none, %L",
            "axpby.n %one, %B, %none, %M",
        ]
        for _ in range(5):
            self.statement(0)
        self.lines += ["axpby.n %two, %L, %one, %C", "axpby.n %two, %M, %one, %C"]
        memref = f"memref<i32x{size}x{size}>"
        parameters = {x: (memref, buffer(self.rng, "i32", (size, size))) for x in "ABC"}
        parameters |= {"alpha": ("i32", self.rng.randint(0, 4)), "steps": ("index", 2)}
        body = "\n".join([*head, *self.lines])
        return Case(name, body, parameters, 1, self.rng.choice(SHAPES))


CONSTANTS = {"one": 1, "two": 2, "none": 0}
