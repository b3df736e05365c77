"""Wrong views, assignments and statements with regions, and their messages."""

VIEWS = {
    "v = s[0]": "expected an array before '[', got a value of type f32",
    "v = A[0]": "expected 2 indices or slices for f32[8, 8], got 1",
    "v = A[0, 0, 0]": "expected 2 indices or slices for f32[8, 8], got 3",
    "v = A[-1, 0]": "expected an index of at least 0, got -1",
    "v = A[s, :]": "expected 's' to have type index, got f32",
    "v = A[0:9, :]": "expected the slice of mode 0 to end within its size 8, got offset 0 and size 9",
    "v = A[4:2, :]": "expected a slice of at least 1 element, got -2",
    "v = A[:-1, :]": "expected an index of at least 0, got -1",
    "v = A[::2, :]": "expected a slice without a step, got one",
    "v = A[0:1.5, :]": "expected an index of at least 0, got 1.5",
    "v = G[0, 1]": "expected 1 index, got 2",
    "v = G[:]": "expected an index, got a slice",
    "v = text[0]": "expected an array or a type before '[', got 'a text'",
    "v = A[8, 0]": "expected the index of mode 0 to be at least 0 and less than its size 8",
    "G[0] = A": "expected an array before '[', got a value of type group[f32[3, 4]]",
}
MATRICES = {
    "C[:] = A @ B + A.T": "expected one instruction, got a sum of several terms",
    "C[:] = A @ B @ A": "expected one instruction, got a product of more than two matrices",
    "C[:] = s @ A": "expected two matrices around '@', got a number",
    "y[:] = x @ A": "expected a product of a matrix and a matrix or vector, got ranks 1 and 2",
    "C[:] = A.sum(2)": "expected an axis from 0 to 1, got 2",
    "y[:] = A.sum()": "expected a vector before '.sum()', got a value of type f32[8, 8]",
    "y[:] = A.max(1)": "expected a vector before '.max()', got a value of type f32[8, 8]",
    "C[:] = A @ B * A": "expected one instruction, got a product of more than two matrices",
    "C[:] *= A @ B": "expected =, += or -= for a matrix, got another operator",
    "C[:] = tt.exp(A @ B)": "expected a product of matrices in an assignment to a matrix, got it elsewhere",
    "C[:] = A @ B + A": "expected one instruction, got a sum of several terms",
    "C[:] = tt.exp(C.T)": "expected the left side, or an array apart from it, got 'C.T'",
    "C[1:8, :] = C[0:7, :] + 1.0": "expected the left side, or an array apart from it, got 'C[0:7, :]'",
    "v = C[0, :]\n    v[1:8] = tt.exp(v[0:7]) + v[1:8]": "expected the left side, or an array apart from it, got 'v[0:7]'",
    "C[:] = tt.exp(x)": "expected an array of shape (8, 8), as the left side has, got (8)",
    "C[:] = d * A + 1.0 * A / 2.0": "expected 'A' to",
    "C[:] = tt.outer(s, x)": "expected an array, got a value of type f32",
    "C[:] = tt.cumsum(A, 0, backward=True)": "expected the argument 'reverse', got 'backward'",
    "Z[:] = Z.H.real": "expected T, H or conj of a transposed matrix, got 'real'",
    "Z[:] = tt.exp(Z.H)": "expected the left side, or an array apart from it, got 'Z.H'",
    "C[:] = A[:, 0:4] @ B": "expected the rows of op('B') to equal the columns of op('A[:, 0:4]') = 4",
    "C = A @ B": "expected a product of matrices in an assignment to a matrix, got it elsewhere",
    "C[:] = d * A": "expected 'd' to have a type that is promotable to f32, got f64",
    "G += A": "expected numbers, got a value of type group[f32[3, 4]]",
}
STATEMENTS = {
    "while n: pass": "expected a loop with a number of turns, got 'while'",
    "for i in range(8): break": "expected a loop that runs all turns, got 'break'",
    "def g(): pass": "expected a statement that kernels have, got 'def'",
    "class g: pass": "expected a statement that kernels have, got 'class'",
    "import os": "expected a statement that kernels have, got 'import'",
    "del s": "expected a statement that kernels have, got 'del'",
    "raise ValueError": "expected a statement that kernels have, got 'raise'",
    "try: pass\n    finally: pass": "expected a statement that kernels have, got 'try'",
    "import os.path as q": "expected a statement that kernels have, got 'import'",
    "from os import path": "expected a statement that kernels have, got 'import'",
    "match n:\n        case 1: pass": "expected a statement that kernels have, got 'match'",
    "for i in range(8):\n        with tt.parallel(): continue": "expected 'continue' in the body of the "
    "loop or in one of at most 40 conditionals there, got it deeper",
    "for i in range(8): return": "expected 'return' in the body of the function or in one of at "
    "most 40 conditionals there, got it deeper",
    "with tt.parallel(): return": "expected 'return' in the body of the function or in one of at "
    "most 40 conditionals there, got it deeper",
    "async def g(): pass": "expected a statement that kernels have, got 'async def'",
    "global q": "expected a statement that kernels have, got 'global'",
    "return s": "expected no value after 'return' in a kernel, got one",
    "if n > 1: return s": "expected no value after 'return' in a kernel, got one",
    "s + 1": "expected a call or an assignment, got a value that is not used",
    "v = w = s": "expected one target, got several",
    "v, w = s": "expected several values, got a value of type f32",
    "v, w = s, s, s": "expected 2 values, got 3",
    "v, *w = s, s, s": "expected targets one by one, got '*'",
    "for x[0] in range(8): pass": "expected 1 name before 'in', got an expression",
    "for i in tt.foreach(): pass": "expected the ends of the indices in 'tt.foreach', got none",
    "for i, m in tt.foreach_tile(8): pass": "expected the ends of the indices in 'tt.foreach_tile', "
    "got none",
    "x, x[0] = y, s; x[0:2], s = y, s": "expected numbers and elements in an assignment of several, "
    "got an array",
    "x[0], s = A, s": "expected numbers and elements in an assignment of several, got an array",
    "s.v = 1": "expected a name or a place in an array before '='",
    "v: tt.f32": "expected a type and a value, as in x: tt.f32 = 0.0",
    "v: tt.f64 = s": "expected a value of type f64, got a value of type f32",
    "assert s": "expected a condition of type bool, got a value of type f32",
    "assert s > 0, s": "expected a text that is known now, got a value of type f32",
    "tt.assert_(s > 0, 1)": "expected a text, got 1",
    "assert 1 > 2, 'no'": "expected 1 > 2: no",
    "with open(s): pass": "expected what kernels have, got Python's own 'open'",
    "with twice(s): pass": "expected 'with tt.parallel():', got another 'with'",
    "for i in x: pass": "expected range(...), tt.foreach(...) or tt.foreach_tile(...) after 'in'",
    "for i in twice(s): pass": "expected range(...), tt.foreach(...) or tt.foreach_tile(...) after "
    "'in'",
    "for i, j in range(8): pass": "expected 1 name before 'in', got 2",
    "for i in range(): pass": "expected range(end) or range(start, end, step), got 0 operands",
    "for i in range(s): pass": "expected 's' to have an integer type, got f32",
    "for i in range(n, k): pass": "expected 'k' to have type index, got i32",
    "for i in range(8): pass\n    else: pass": "expected no 'else' of a loop, got one",
    "for i, j in tt.foreach(8): pass": "expected 1 name before 'in', got 2",
    "for i in tt.foreach(8, 8): pass": "expected 2 names before 'in', got 1",
    "for i in tt.foreach((0, 0), (8,)): pass": "expected as many lower as upper bounds, got 2 and 1",
    "for i in range(8): v = i\n    A[v, 0] = s": "expected a value, got 'v' from a region that has "
    "ended",
    "if s > 0: v = s\n    A[0, 0] = v": "expected a value, got 'v' from an 'if' that has ended",
    "for i in tt.foreach(8): s = s + 1": "expected no value of 's' from before the region, which "
    "changes it",
    "for i, m in tt.foreach_tile(8, 4): s = s + 1": "expected no value of 's' from before the "
    "region, which changes it",
    "for i in tt.foreach(8): v = s\n    x[0] = v": "expected a value, got 'v' from a region that "
    "has ended",
    "with tt.parallel(): s = s + 1\n    x[0] = s": "expected a value, got 's' from a region that has "
    "ended",
    "with tt.parallel(): v = s\n    x[0] = v": "expected a value, got 'v' from a region that has "
    "ended",
    "for i in range(8):\n        y[:] = x\n        x = A[:, i]": "expected a number for 'x', which "
    "the loop changes, got an array",
    "if n > 0: x = A[:, 0]\n    y[:] = x": "expected a number for 'x', which branches change, got an "
    "array",
    "if k: pass": "expected a condition of type bool, got a value of type i32",
    "if s > 0: v = s\n    else: v = d\n    A[0, 0] = v": "expected one type for 'v' after both "
    "branches, got f32 and f64",
    "v = 0.5\n    for i in range(8): v = v + k\n    A[0, 0] = v": "expected a value with a type for "
    "'v', which the loop changes, got 0.5",
    "v = s\n    for i in range(8): v = d\n    A[0, 0] = v": "expected a value of type f32 at the end "
    "of the region, got a value of type f64",
    "v = s\n    for i in tt.foreach(8): v = v + s": "expected no value of 'v' from before the region, "
    "which changes it",
    "v = s\n    for i, m in tt.foreach_tile(8, 8): v += s": "expected no value of 'v' from before the "
    "region, which changes it",
    "v = s\n    for i in tt.foreach(8): v = x[i]\n    y[0] = v": "expected a value, got 'v' from a "
    "region that has ended",
    "for i in tt.foreach(8): pass\n    y[i] = s": "expected a value, got 'i' from a region that has "
    "ended",
    "i = n\n    for i in tt.foreach(8): pass\n    y[i] = s": "expected a value, got 'i' from a region "
    "that has ended",
    "i = n\n    for i in range(8): pass\n    y[i] = s": "expected a value, got 'i' from a region that "
    "has ended",
    "v = x\n    for i in range(8): v[i] = s; v = y": "expected a number for 'v', which the loop "
    "changes, got an array",
    "v = x\n    if n > 0: v = y\n    v[0] = s": "expected a number for 'v', which branches change, "
    "got an array",
    "with tt.parallel(): C[:] = A @ B": "expected a collective region around a collective "
    "instruction, got the SPMD region of 'parallel'",
}
