"""Random matrices, and what must hold for their factors and solutions in every order of the sums.

Matrices are parts of arrays with a row or column more on each side, which must stay as they are.
All matrices of a kind are the groups of one launch.
"""

import functools
import zlib

import numpy as np

from cases import random_orthogonal
from cases.margin_launch import ALPHA, BETA, Launch, same
from cases.matrices import apply_form, bound, is_small, random_matrix, wide


def _hermitian(rng, type_, size):
    """Yield positive definite, graded, indefinite and singular matrices, and such with NaN."""
    j = random_matrix(rng, type_, size, size + 2)
    definite = j @ j.conj().T
    yield "definite", definite
    grades = (10.0 ** rng.uniform(-4, 4, size)).astype(definite.real.dtype)
    yield "graded", (grades[:, None] * definite * grades).astype(definite.dtype)
    yield "indefinite", (j[:, :size] + j[:, :size].conj().T)
    ones = np.ones((size, size), definite.dtype)
    yield "singular", ones
    for value in (np.nan, np.inf):
        changed = definite.copy()
        if size:
            changed[rng.integers(size), rng.integers(size)] = value
        yield str(value), changed


def _general(rng, type_, size):
    """Yield random and graded matrices, some with a column of 0, and such with NaN."""
    matrix = random_matrix(rng, type_, size, size)
    yield "random", matrix
    grades = (10.0 ** rng.uniform(-4, 4, size)).astype(matrix.real.dtype)
    yield "graded", grades[:, None] * matrix
    for name, value in (("zero column", 0), ("nan", np.nan)):
        changed = matrix.copy()
        if size:
            changed[:, rng.integers(size)] = value
        yield name, changed
    yield "zero", np.zeros_like(matrix)


def _expected_info(matrix):
    """Return the first pivot that is not positive, and whether that is beyond doubt."""
    work, is_clear = wide(np.tril(matrix)), True
    for j in range(len(work)):
        pivot = work[j, j].real - np.sum(np.abs(work[j, :j]) ** 2)
        # Rounding errors are about this large.
        is_clear &= bool(np.isnan(pivot) or abs(pivot) > 1e-3 * abs(matrix[j, j].real))
        if not pivot > 0:
            return j + 1, is_clear
        work[j, j] = np.sqrt(pivot)
        rest = work[j + 1 :, j] - work[j + 1 :, :j] @ work[j, :j].conj()
        work[j + 1 :, j] = rest / work[j, j]
    return 0, is_clear


def _check_cholesky(matrix, found, info, word, type_):
    """Return what is wrong with a factor, where both are seen as lower triangles."""
    if word == "u":
        matrix, found = matrix.conj().T, found.conj().T
    size = len(matrix)
    if not same(np.triu(found, 1), np.triu(matrix, 1)):
        return "the other triangle was written"
    expected, is_clear = _expected_info(matrix)
    if is_clear and info != expected:
        return f"info {info}, not {expected}"
    done = size if info == 0 else int(info) - 1
    factor = np.tril(found)
    lower = np.tri(size, dtype=bool)
    if not np.all(np.isnan(factor[:, done:][lower[:, done:]])):
        return "not NaN after the first wrong pivot"
    if not np.isfinite(matrix).all() or done == 0:
        return ""
    good = wide(factor[:, :done])
    residual = np.tril(wide(matrix) - good @ good.conj().T)[:, :done]
    scale = (np.abs(good) @ np.abs(good).T)[:, :done]
    return "" if is_small(residual, scale, bound(type_, size)) else "residual"


def cholesky(rng, type_, size, is_known, target, seeds):
    word = rng.choice(["l", "u"])
    names, matrices = zip(*(m for _ in seeds for m in _hermitian(rng, type_, size)), strict=True)
    launch = Launch(type_, size, is_known, len(matrices))
    launch.add("A", np.stack(matrices, axis=-1))
    launch.add("info", np.full(len(matrices), -1, np.int32))
    after = launch.run(f"cholesky.{word} %A, %info", target)
    for name, matrix, found, info in zip(names, matrices, after["A"], after["info"], strict=True):
        yield name, _check_cholesky(matrix, found, info, word, type_)


def _check_lu(matrix, found, piv, info, type_):
    size = len(matrix)
    swapped = matrix.copy()
    for j, place in enumerate(piv):
        if not j < place <= size:
            return f"pivot {place} in column {j}"
        swapped[[j, place - 1]] = swapped[[place - 1, j]]
    diagonal = np.diag(found)
    zeros = np.flatnonzero(diagonal == 0)
    if info != (zeros[0] + 1 if len(zeros) else 0):
        return f"info {info} for the diagonal {diagonal}"
    done = size if info == 0 else int(info) - 1
    if done + 1 < size and not np.isnan(found[done + 1 :, done]).all():
        return "not NaN below a pivot of 0"
    if not np.isfinite(matrix).all():
        return ""
    lower, upper = np.tril(found, -1)[:, :done] + np.eye(size, done), np.triu(found)[:done]
    if np.any(np.abs(lower) > 1.5):
        return "a pivot is not the largest"
    upper[:, done + (info > 0) :] = 0  # what follows a pivot of 0 is NaN or not
    residual = (wide(swapped) - wide(lower) @ wide(upper))[:, :done]
    scale = (np.abs(lower) @ np.abs(upper))[:, :done]
    return "" if is_small(residual, scale, bound(type_, size)) else "residual"


def lu(rng, type_, size, is_known, target, seeds):
    names, matrices = zip(*(m for _ in seeds for m in _general(rng, type_, size)), strict=True)
    launch = Launch(type_, size, is_known, len(matrices))
    launch.add("A", np.stack(matrices, axis=-1))
    launch.add("piv", np.zeros((size, len(matrices)), np.int32))
    launch.add("info", np.full(len(matrices), -1, np.int32))
    after = launch.run("lu %A, %piv, %info", target)
    cases = zip(names, matrices, after["A"], after["piv"], after["info"], strict=True)
    for name, matrix, found, piv, info in cases:
        yield name, _check_lu(matrix, found, piv, info, type_)


def trsm(rng, type_, size, is_known, target, seeds):
    side, word = rng.choice(["", ".right"]), rng.choice(["l", "u"])
    form, unit = rng.choice(["n", "t", "c", "r"]), rng.choice(["", ".unit"])
    columns = int(rng.choice([1, 3, 8, 17])) + 100 * (not is_known)  # not the order
    count = 2 * len(seeds)
    shape = (columns, size) if side else (size, columns)
    matrices = random_matrix(rng, type_, size, size, count) / max(size, 1)
    matrices[range(size), range(size)] += 1 + (10 * (np.arange(count) % 2)).astype(matrices.dtype)
    keep = np.tri(size, k=-bool(unit), dtype=bool)
    stored = np.where((keep if word == "l" else keep.T)[..., None], matrices, np.nan)
    launch = Launch(type_, size, is_known, count)
    launch.add("A", stored.astype(matrices.dtype))
    right = random_matrix(rng, type_, *shape, count)
    launch.add("B", right)
    after = launch.run(f"trsm{side}.{word}.{form}{unit} %alpha, %A, %B", target)
    for n in range(count):
        matrix = np.nan_to_num(stored[..., n], nan=0)
        if unit:
            matrix[range(size), range(size)] = 1
        matrix, found = wide(apply_form(matrix, form)), wide(after["B"][n])
        product = found @ matrix if side else matrix @ found
        scale = np.abs(found) @ np.abs(matrix) if side else np.abs(matrix) @ np.abs(found)
        wanted = ALPHA * wide(right[..., n])
        is_right = is_small(product - wanted, scale + np.abs(wanted), bound(type_, size))
        yield f"trsm{side}.{word}.{form}{unit} {shape}", "" if is_right else "residual"


def solve(rng, type_, size, is_known, target, seeds):
    word = rng.choice(["spd.l", "spd.u", "lu"])
    columns, count = int(rng.choice([1, 2, 9])) + 100 * (not is_known), len(seeds)
    pairs = [
        next(iter((_general if word == "lu" else _hermitian)(rng, type_, size))) for _ in seeds
    ]
    matrices = np.stack([matrix for _, matrix in pairs], axis=-1)
    right = random_matrix(rng, type_, size, columns, count)
    launch = Launch(type_, size, is_known, count)
    launch.add("A", matrices)
    launch.add("B", right)
    if word == "lu":
        launch.add("piv", np.zeros((size, count), np.int32))
    after = launch.run(f"solve.{word} %A, {'%piv, ' * (word == 'lu')}%B", target)
    for n in range(count):
        factor, found = after["A"][n], wide(after["B"][n])
        if word == "lu":
            lower, upper = np.tril(factor, -1) + np.eye(size), np.triu(factor)
            scale = np.abs(lower) @ np.abs(upper)
            for j in reversed(range(size)):
                place = after["piv"][n][j] - 1
                scale[[j, place]] = scale[[place, j]]
        else:
            lower = np.tril(factor) if word == "spd.l" else np.triu(factor).conj().T
            scale = np.abs(lower) @ np.abs(lower).T
        residual = wide(matrices[..., n]) @ found - wide(right[..., n])
        limit = bound(type_, 3 * size + 2)
        yield word, "" if is_small(residual, scale @ np.abs(found), limit) else "residual"


def syrk(rng, type_, size, is_known, target, seeds):
    word, form = rng.choice(["l", "u"]), rng.choice(["n", "t", "c", "r"])
    inner, count = int(rng.choice([1, 5, 20])) + 100 * (not is_known), len(seeds)
    shape = (inner, size) if form in "tc" else (size, inner)
    factors, before = (
        random_matrix(rng, type_, *shape, count),
        random_matrix(rng, type_, size, size, count),
    )
    launch = Launch(type_, size, is_known, count)
    launch.add("A", factors)
    launch.add("C", before)
    after = launch.run(f"syrk.{word}.{form} %alpha, %A, %beta, %C", target)
    keep = np.tri(size, dtype=bool) if word == "l" else np.tri(size, dtype=bool).T
    for n in range(count):
        matrix = wide(apply_form(factors[..., n], form))
        wanted = ALPHA * matrix @ matrix.conj().T + BETA * wide(before[..., n])
        scale = np.abs(matrix) @ np.abs(matrix).T + np.abs(before[..., n])
        residual = np.where(keep, after["C"][n] - wanted, 0)
        is_apart = np.array_equal(after["C"][n][~keep], before[..., n][~keep])
        is_right = is_apart and is_small(residual, scale, bound(type_, inner + 2))
        yield f"syrk.{word}.{form}", "" if is_right else "residual"


KINDS = (cholesky, lu, trsm, solve, syrk, *random_orthogonal.KINDS)


def check(kind, type_, size, is_known, target, seeds):
    """Return what is wrong with the results of a kind of instructions for some matrices."""
    key = f"{kind.__name__} {type_} {size} {is_known} {seeds}"
    rng = np.random.default_rng(zlib.crc32(key.encode()))
    with np.errstate(all="ignore"):
        found = functools.partial(kind, rng, type_, size, is_known, target, seeds)
        return [f"{key}, {name}: {wrong}" for name, wrong in found() if wrong]
