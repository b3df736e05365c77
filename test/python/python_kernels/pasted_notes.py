"""Wrong statements, and what a user who follows the note writes in their place."""

PASTED = {
    "v = 2.5\n    for i in range(8): v = v * k": "v = tt.f32(2.5)\n    for i in range(8): v = v * 2",
    "v = -float('inf')\n    for i in range(8): v = v + v": 'v = tt.f32(-float("inf"))\n    '
    "for i in range(8): v = v + v",
    "v = 0\n    for i in range(8): v += 1\n    x[0] = v": "v = 1\n    x[0] = tt.f32(v)",
    "v = max(1.0 if s > 0 else 2.0, 3)": "v = max(tt.f32(1.0) if s > 0 else 2.0, 3)",
    "C[:] = A @ B + A": "C[:] = A @ B\n    C[:] += A",
    "C -= A @ B - B": "C -= A @ B\n    C -= -B",
    "C += A @ B + C.T": "t = tt.local(tt.f32, (8, 8))\n    t[:] = A @ B\n    t[:] += C.T\n    C += t",
    "C *= A @ B": "t = tt.local(tt.f32, (8, 8))\n    t[:] = A @ B\n    C[:] *= t",
    "C[0:2, :] *= A[0:2, :] @ B": "t = tt.local(tt.f32, (2, 8))\n    t[:] = A[0:2, :] @ B\n    "
    "C[0:2, :] *= t",
    "C[:] = A @ B @ A": "t = tt.local(tt.f32, (8, 8))\n    t[:] = A @ B\n    C[:] = t @ A",
    "C[:] = tt.exp(A @ B)": "t = tt.local(tt.f32, (8, 8))\n    t[:] = A @ B\n    C[:] = tt.exp(t)",
    "C[:] = tt.exp(C.T)": "t = tt.local(tt.f32, (8, 8))\n    t[:] = C.T\n    C[:] = tt.exp(t)",
    "y[:] = 2 * A.sum()": "t = tt.local(tt.f32, (8,))\n    t[:] = A.sum(1)\n    y[:] = 2 * t.sum()",
    "y[:] = A.max(1)": "r = A\n    for k in tt.foreach(r.shape[0]): y[k] = r[k, :].max()",
    "y[:] = A.min(1)": "r = A\n    for k in tt.foreach(r.shape[0]): y[k] = r[k, :].min()",
    "y[:] = x @ A": "y[:] = A.T @ x",
    "for i in x: pass": "for i in range(x.shape[0]): x[i] += 1",
    "v = s + n": "v = s + tt.f32(n)",
    "x[0] = z": "x[0] = tt.re(z)",
    "x[0] = n": "x[0] = tt.f32(n)",
    "v = A[-1, 0]": "v = A[A.shape[0] - 1, 0]",
    "v = x[::2]": "for i in range(4): y[i] = x[2 * i]",
    "v = n / 2": "v = n // 2",
    "v = s // 2": "v = s / 2",
    "if not n: pass": "if n != 0: pass",
    "v = n in (1, 2)": "v = n == 1 or n == 2",
    "while s > n * 2: s = 1": "for k in range(n):\n        if s > tt.f32(n * 2): s = 1.0",
    "for i in range(8):\n        if s > 1: break": "done = False\n    for i in range(8):\n        "
    "if not done:\n            if s > 1: done = True",
    "for i in range(8):\n        with tt.parallel(): continue": "for i in range(8):\n        "
    "v = False\n        if not v: x[0] = s",
    "v = numbers[0]": "v = (1, 2)[0]",
    "v = lambda: 1": "v = twice(s)",
    "v = z.real": "v = tt.re(z)",
    "v = np.sqrt(s)": "v = tt.sqrt(s)",
    "v = [s]": "v = (1, 2)",
}
"""The notes of errors in kernels that show code."""

ELSEWHERE = [
    "(..., groups=",  # of launches with a grid, whose tests launch it
    "got none; write",  # of kernels with constants, test_wrong_functions.py
    "of it; write @",  # of decorators, test_wrong_functions.py
    "write that decorator above",
    "use an array to write to",
    "an array to write to",
    "use IPython",
    "use @staticmethod above",
    "use range, or store it in an array",
    "the language has none: use",
    "use that twice, or call it in a loop",
    "write 'if' around it, in place of nested",
    "kernels write to arrays",
]
"""Notes without code of kernels."""
