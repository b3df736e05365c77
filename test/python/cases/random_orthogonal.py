"""Random matrices, and what must hold for reflections, eigenvectors and products of triangles.

As in random_factors: matrices are parts of arrays with a margin that must stay as it is.
"""

import numpy as np

from cases.margin_launch import ALPHA, Launch, same
from cases.matrices import TYPES, apply_form, bound, is_small, random_matrix, wide


def _scales(type_):
    """Return numbers whose squares are too large or too small."""
    return (1e-30, 1e30) if type_ in ("f32", "c32") else (1e-250, 1e250)


def _rectangular(rng, type_, *shape):
    """Yield random, graded, huge, tiny and singular matrices, and such with NaN."""
    matrix = random_matrix(rng, type_, *shape)
    yield "random", matrix
    for mode, name in enumerate(("rows", "columns")):
        grades = 10.0 ** rng.uniform(-4, 4, [n if m == mode else 1 for m, n in enumerate(shape)])
        yield f"graded {name}", (grades * matrix).astype(matrix.dtype)
    for scale in _scales(type_):
        yield str(scale), matrix * matrix.real.dtype.type(scale)
    yield "zero", np.zeros_like(matrix)
    yield "triangle", np.triu(matrix)
    yield "singular", np.ones_like(matrix)
    for value in (np.nan, np.inf):
        changed = matrix.copy()
        if changed.size:
            changed[rng.integers(shape[0]), rng.integers(shape[1])] = value
        yield str(value), changed


def _unitary(factors, tau):
    """Return the product of reflections, in wider numbers."""
    result = np.eye(len(factors), dtype=wide(factors).dtype)
    for j in reversed(range(len(tau))):
        vector = np.concatenate([np.zeros(j), [1], wide(factors[j + 1 :, j])])
        result -= np.outer(wide(tau[j]) * vector, vector.conj() @ result)
    return result


def _distance(matrix, size):
    """Return how far from unitary a matrix is, relative to its size."""
    return np.abs(matrix.conj().T @ matrix - np.eye(size)).max(initial=0)


def _check_qr(matrix, found, tau, type_):
    if not np.isfinite(matrix).all():
        return "" if not np.isfinite(found).all() else "all are finite"
    unitary, triangle = _unitary(found, tau), np.triu(found)
    if np.diag(triangle).imag.any():
        return "the diagonal is not real"
    errors = bound(type_, 3 * sum(matrix.shape))
    if _distance(unitary, len(matrix)) > errors:
        return "not unitary"
    size = np.abs(matrix).max(initial=0) or 1
    matrix, triangle = wide(matrix) / size, wide(triangle) / size
    scale = np.linalg.norm(matrix, axis=0)
    residual = unitary @ triangle - matrix
    return "" if is_small(np.linalg.norm(residual, axis=0), scale, errors) else "residual"


def qr(rng, type_, size, is_known, target, seeds):
    other = int(rng.choice([0, 1, 5])) if is_known else int(rng.choice([0, 101]))
    shape = (size, size + other) if rng.random() < 0.5 else (size + other, size)
    found = (m for _ in seeds for m in _rectangular(rng, type_, *shape))
    names, matrices = zip(*found, strict=True)
    launch = Launch(type_, size, is_known, len(matrices))
    launch.add("A", np.stack(matrices, axis=-1))
    launch.add("tau", np.full((size, len(matrices)), 7, TYPES[type_]))
    after = launch.run("qr %A, %tau", target)
    for name, matrix, factors, tau in zip(names, matrices, after["A"], after["tau"], strict=True):
        yield f"{name} {shape}", _check_qr(matrix, factors, tau, type_)


def apply_q(rng, type_, size, is_known, target, seeds):
    side, word = rng.choice(["", ".right"]), rng.choice(["n", "t", "c", "r"])
    rows = size + (int(rng.choice([0, 3, 20])) if is_known else 0)
    columns, count = int(rng.choice([1, 3, 17])) + 100 * (not is_known), len(seeds)
    factors = random_matrix(rng, type_, rows, size, count)
    below = np.arange(rows)[:, None, None] > np.arange(size)[:, None]
    sizes = 1 + np.sum(np.abs(factors * below) ** 2, axis=0)
    angles = rng.uniform(0, 2 * np.pi, sizes.shape) if type_[0] == "c" else 0
    tau = (1 + np.exp(1j * angles)) / sizes  # for which reflections are unitary
    tau = (tau if type_[0] == "c" else tau.real).astype(TYPES[type_])
    shape = (columns, rows) if side else (rows, columns)
    right = random_matrix(rng, type_, *shape, count)
    launch = Launch(type_, size, is_known, count)
    for name, values in (("A", factors), ("tau", tau), ("B", right)):
        launch.add(name, values)
    text = f"apply_q{side}.{word} %A, %tau, %B"
    after = launch.run(text, target)
    for n in range(count):
        unitary = apply_form(_unitary(factors[..., n], tau[:, n]), word)
        before = wide(right[..., n])
        expected = before @ unitary if side else unitary @ before
        mode = 1 if side else 0
        scale = np.linalg.norm(before, axis=mode, keepdims=True)
        residual = after["B"][n] - expected
        is_right = is_small(residual, scale, bound(type_, 4 * (rows + size)))
        yield f"{text} {shape}", "" if is_right else "residual"


def _hermitian(rng, type_, size):
    """Yield random, graded, diagonal, huge and tiny matrices, and such of equal eigenvalues."""
    matrix = random_matrix(rng, type_, size, size)
    matrix = matrix + matrix.conj().T
    yield "random", matrix
    grades = (10.0 ** rng.uniform(-4, 4, size)).astype(matrix.real.dtype)
    yield "graded", grades[:, None] * matrix * grades
    yield "definite", matrix @ matrix
    for scale in _scales(type_):
        yield str(scale), matrix * matrix.real.dtype.type(scale)
    yield "ones", np.ones_like(matrix)
    yield "zero", np.zeros_like(matrix)
    yield "falling", np.diag(np.arange(size, 0, -1)).astype(matrix.dtype)
    yield "shuffled", np.diag(rng.permutation(size)).astype(matrix.dtype)
    chain = np.eye(size, k=1) + np.eye(size, k=-1)
    yield "chain", chain.astype(matrix.dtype)
    for value in (np.nan, np.inf):
        changed = matrix.copy()
        if size:
            place = rng.integers(size)
            changed[place, rng.integers(place + 1)] = value
        yield str(value), changed


def _check_eigh(matrix, vectors, values, info, type_):
    size = len(matrix)
    if not np.isfinite(np.tril(matrix)).all():
        return "" if info == 1 and np.isnan(vectors).all() and np.isnan(values).all() else "no NaN"
    if info != 0 or np.any(np.diff(values) < 0):
        return f"info {info}, eigenvalues {values}"
    errors, good = bound(type_, 4 * size + 20), wide(vectors)
    if _distance(good, size) > errors:
        return "not unitary"
    largest = np.abs(matrix).max(initial=0) or 1
    matrix, values = wide(matrix) / largest, wide(values) / largest
    scale = np.linalg.norm(matrix)
    residual = matrix @ good - good * values
    if not is_small(np.linalg.norm(residual, axis=0), scale, errors):
        return "residual"
    sizes = np.abs(good)
    first = np.argmax(sizes >= 0.7 * sizes.max(axis=0, initial=0), axis=0) if size else []
    chosen = vectors[first, range(size)]
    return "" if np.all((chosen.real > 0) & (chosen.imag == 0)) else "gauge"


def eigh(rng, type_, size, is_known, target, seeds):
    size, word = min(size, 64), rng.choice(["l", "u"])
    names, matrices = zip(*(m for _ in seeds for m in _hermitian(rng, type_, size)), strict=True)
    given = np.stack(matrices, axis=-1)
    keep = np.tri(size, dtype=bool)
    stored = np.where(keep[..., None], given, np.nan)
    stored = stored if word == "l" else stored.swapaxes(0, 1).conj()
    real = np.dtype(TYPES[type_]).type(0).real.dtype
    launch = Launch(type_, size, is_known, len(matrices))
    launch.add("A", stored.astype(given.dtype))
    launch.add("w", np.full((size, len(matrices)), 7, real))
    launch.add("info", np.full(len(matrices), -1, np.int32))
    after = launch.run(f"eigh.{word} %A, %w, %info", target)
    for n, name in enumerate(names):
        results = after["A"][n], after["w"][n], after["info"][n]
        yield f"{name} .{word}", _check_eigh(matrices[n], *results, type_)


def trmm(rng, type_, size, is_known, target, seeds):
    side, word = rng.choice(["", ".right"]), rng.choice(["l", "u"])
    op, unit = rng.choice(["n", "t", "c", "r"]), rng.choice(["", ".unit"])
    columns = int(rng.choice([1, 3, 8, 17])) + 100 * (not is_known)  # not the order
    count = len(seeds)
    shape = (columns, size) if side else (size, columns)
    keep = np.tri(size, k=-bool(unit), dtype=bool)
    keep = keep if word == "l" else keep.T
    matrices = random_matrix(rng, type_, size, size, count)
    right = random_matrix(rng, type_, *shape, count)
    launch = Launch(type_, size, is_known, count)
    launch.add("A", np.where(keep[..., None], matrices, np.nan).astype(matrices.dtype))
    launch.add("B", right)
    text = f"trmm{side}.{word}.{op}{unit} %alpha, %A, %B"
    after = launch.run(text, target)
    for n in range(count):
        matrix = np.where(keep, matrices[..., n], 0) + (np.eye(size) if unit else 0)
        matrix, before = wide(apply_form(matrix, op)), wide(right[..., n])
        multiply = (lambda x, y: y @ x) if side else np.matmul
        residual = after["B"][n] - ALPHA * multiply(matrix, before)
        scale = multiply(np.abs(matrix), np.abs(before))
        is_apart = same(after["A"][n], launch.arrays["A"][0][launch.arrays["A"][1]][..., n])
        is_right = is_apart and is_small(residual, scale, bound(type_, size + 2))
        yield f"{text} {shape}", "" if is_right else "residual"


KINDS = (qr, apply_q, eigh, trmm)
