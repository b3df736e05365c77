"""Functions of n statements of each kind, whose reading must take time in proportion to n."""

HEAD = """import tinytc_mlir as tt

@tt.inline
def larger(x):
    y = x + 1.0
    if y > 2.0:
        return y
    return x

@tt.kernel
def f(x: tt.f64[None], n: tt.index, a: tt.f64, A: tt.f64[8, 8, None], B: tt.f64[8, 8]):
    i = tt.group_id.x
    s = a
"""


def repeated(text, before="", after=""):
    """Return a function that makes a kernel with n times a text, with `#` for the number."""
    return lambda n: (
        HEAD
        + "".join(part.replace("#", str(k)) for part in (before, text, after) for k in range(n))
        + "    x[i] = s\n"
    )


DEFINED = "    v# = x[#]\n"
USED = "    x[#] = v#\n"
GROWING = {
    "assignments": repeated("    s = s * a + x[#]\n"),
    "names": repeated("    v# = s + x[#]\n    s = v#\n"),
    "elements": repeated("    x[#] += a\n"),
    "products": repeated("    A[:, :, i] += 2.0 * A[:, :, #] @ B\n"),
    "sums": repeated("    A[0, :, i] = A[:, :, #].sum(0)\n"),
    "conditionals": repeated("    if n > #:\n        s = s + x[#]\n"),
    "new names in branches": repeated("    if n > #:\n        w# = a\n    else:\n        w# = s\n"),
    "choices": repeated("    s = s if n > # else x[#]\n"),
    "short circuits": repeated("    if n > # and x[#] > 0.0:\n        s = a\n"),
    "loops": repeated("    for q# in range(n):\n        s = s + x[q#]\n"),
    "nested loops": repeated(
        "    for p in range(n):\n        for q in range(p):\n            for r in range(q):\n"
        "                s += x[r]\n"
    ),
    "turns that end": repeated(
        "    for p in range(n):\n        if x[p] > #:\n            continue\n        s += x[p]\n"
    ),
    "grids": repeated("    for p# in tt.foreach(n):\n        x[p#] = a\n"),
    "regions": repeated("    with tt.parallel():\n        x[#] = a\n"),
    "inlined calls": repeated("    s = larger(s)\n"),
    "tuples": repeated("    v#, w# = x[#], s\n    x[#], x[0] = w#, v#\n"),
    "assertions": repeated("    assert n > #\n"),
    "carried names": lambda n: repeated(DEFINED, after=USED)(n).replace(
        "    x[0] = v0", "    for q in range(n):\n" + _updates(n) + "    x[0] = v0"
    ),
    "names of branches": lambda n: repeated(DEFINED, after=USED)(n).replace(
        "    x[0] = v0", "    if n > 1:\n" + _updates(n) + "    x[0] = v0"
    ),
    "inlined functions": lambda n: HEAD.replace(
        "@tt.kernel", "".join(f"@tt.inline\ndef g{k}(x):\n    return x + a\n\n" for k in range(n))
        + "@tt.kernel"
    ).replace("+ a\n", "+ 1.0\n") + "".join(f"    s = g{k}(s)\n" for k in range(n)),
}  # fmt: skip


def _updates(n):
    return "".join(f"        v{k} += a\n" for k in range(n))


def chain(n):
    """Return a kernel with n functions, each of which calls the one before twice."""
    functions = "@tt.inline\ndef g0(x):\n    return x + x\n\n" + "".join(
        f"@tt.inline\ndef g{k + 1}(x):\n    y = g{k}(x)\n    return y + g{k}(y)\n\n"
        for k in range(n)
    )
    return HEAD.replace("@tt.kernel", functions + "@tt.kernel") + f"    x[i] = g{n}(a)\n"


def turns(n):
    """Return a kernel with a loop of n statements that may end its turn."""
    return HEAD + "    for p in range(n):\n" + "".join(
        f"        if x[p] > {k}:\n            continue\n        s += x[p]\n" for k in range(n)
    ) + "    x[i] = s\n"  # fmt: skip


def paths(n):
    """Return a kernel with n conditionals, each of which may end the turn or not."""
    return HEAD + "    for p in range(n):\n" + "".join(
        f"        if x[p] > {k}:\n            if x[p] < a:\n                continue\n"
        "        s += x[p]\n" for k in range(n)
    ) + "    x[i] = s\n"  # fmt: skip


def branches(n):
    """Return a kernel with n branches."""
    cases = "".join(f"    elif n > {k + 1}:\n        s = x[{k}]\n" for k in range(n))
    return f"{HEAD}    if n > 0:\n        s = x[0]\n{cases}    x[i] = s\n"


def conditions(n):
    """Return a kernel with n conditions, each of which decides whether the next is computed."""
    return f"{HEAD}    if {' and '.join(f'x[{k}] > a' for k in range(n))}:\n        x[i] = s\n"


def terms(n):
    """Return a kernel with a sum of n terms."""
    return f"{HEAD}    x[i] = {' + '.join(f'x[{k}]' for k in range(n))}\n"


def calls(n):
    """Return a kernel with n calls in each other."""
    return f"{HEAD}    x[i] = {'tt.exp(' * n}a{')' * n}\n"


NESTED = {
    chain: (8, 30, "expected at most 5000 calls in functions that are inlined, got more"),
    turns: (35, 900, "expected 'continue' in the body of the loop or in one of at most 40 "
            "conditionals there, got it deeper"),
    paths: (5, 30, "expected at most 64 ways through branches to a statement, got more"),
    branches: (35, 60, "expected at most 40 regions nested, got more"),
    conditions: (35, 60, "expected at most 40 regions nested, got more"),
    terms: (180, 900, "expected at most 100 expressions and branches in each other, got more"),
    calls: (80, 150, "expected at most 100 expressions and branches in each other, got more"),
}  # fmt: skip
"""What would double with each level, or exceed Python's limit of recursion: a size that is
accepted, one that is not, and the message."""
