"""Wrong statements, and the message that each one gets; a caret marks its place where there is one.

They are in a function with the parameters of `HEAD`.
"""

HEAD = """import numpy as np
import tinytc_mlir as tt

array, real = np.ones(8), np.float32(2.5)
text = "a text"
numbers = [1, 2]

def helper(x):
    return x

@tt.inline
def twice(x):
    return x + x

@tt.inline
def endless(x):
    return endless(x)

@tt.inline
def ping(x):
    return pong(x)

@tt.inline
def pong(x):
    return ping(x)

@tt.inline
def broken(x):
    y = x + missing
    return y

@tt.inline
def everywhere(x):
    return tt.subgroup_max.reduce(x)

@tt.inline
def mixed(x, y):
    return x * y

@tt.inline
def stored(x):
    y = x

@tt.inline
def both(x):
    return x, x

@tt.kernel
def f(s: tt.f32, n: tt.index, k: tt.i32, z: tt.c32, d: tt.f64, A: tt.f32[8, 8], B: tt.f32[8, 8],
      C: tt.f32[8, 8], D: tt.f32[8, None], x: tt.f32[8], y: tt.f32[8], G: tt.group[tt.f32[3, 4]],
      Z: tt.c32[8, 8]):
"""

NAMES = {
    "v = missing": "expected a name that has a value, got 'missing'",
    "v = ss + 1": "expected a name that has a value, got 'ss'",
    "v = tt.gem(A)": "expected an instruction or type in tt, got 'gem'; did you mean 'gemv'?",
    "tt.gemm.x(1, A, B, 0, C)": "expected the modifiers .n|.t|.r|.c .n|.t|.r|.c .atomic after "
    "'tt.gemm', got '.x'",
    "tt.gemm.atomic.n(1, A, B, 0, C)": "expected the modifiers .n|.t|.r|.c .n|.t|.r|.c .atomic after "
    "'tt.gemm', got '.n'",
    "v = tt.cooperative_matrix_reduce_add(s)": "expected '.row' or '.column' after "
    "'tt.cooperative_matrix_reduce_add'",
    "v = tt.exp": "expected a call of 'tt.exp', got its name",
    "v = A.TT": "expected T, H, conj, shape, expand, fuse, size, sum, max or min, got 'TT'",
    "v = s.real": "expected no attribute of a value of type f32, got 'real'",
    "v = np.nothing": "expected an attribute of an object of type module, got 'nothing'",
    "v = real + n": "expected an integer constant for type index, got 2.5",
    "v = text + s": "expected a value, got 'a text'",
    "v = helper(s)": "expected an instruction, got an object of type function",
    "v = array(s)": "expected an instruction, got a value of type f64",
    "v = print(s)": "expected what kernels have, got Python's own 'print'",
    "v = len(A)": "expected what kernels have, got Python's own 'len'",
    "v = isinstance(s, float)": "expected what kernels have, got Python's own 'isinstance'",
    "v = f(s)": "expected an instruction, got an object of type KernelFunction",
    "v = ping(s)": "expected no recursion, got a call of 'ping' in itself",
    "v = s(1)": "expected an instruction, got a value of type f32",
    "v = endless(s)": "expected no recursion, got a call of 'endless' in itself",
    "v = broken(s)": "expected a name that has a value, got 'missing'",
    "v = twice(s, s)": "expected the arguments x of 'twice', got 2",
    "v = twice(w=s)": "expected the arguments x of 'twice', got 1",
    "v = stored(s)": "expected a result of 'stored', got none",
    "v = both(s)": "expected one value after 'return' of 'both', got 2 values",
    "v = twice(s, x=s)": "expected the arguments x of 'twice', got 2",
    "v = tt": "expected a value to keep, got a module",
}
CALLS = {
    "tt.gemm(1, A, B, 0)": "expected 5 operands (alpha, a, b, beta, c) of 'tt.gemm', got 4",
    "tt.gemm(1, A, B, 0, C, 1)": "expected 5 operands (alpha, a, b, beta, c) of 'tt.gemm', got 6",
    "tt.gemm(1, A, B, 0, d=C)": "expected the operands alpha, a, b, beta, c of 'tt.gemm', got 'd'",
    "tt.gemm(*x)": "expected 5 operands (alpha, a, b, beta, c) of 'tt.gemm', got 1",
    "tt.axpby(1, *x, 0, y)": "expected operands one by one, got '*'",
    "tt.gemm(1, A, x, 0, C)": "expected 'x' to have order 2, got 1",
    "tt.gemm(1, A, A[:, 0:4], 0, C)": "expected the columns of 'C' to equal the columns of "
    "op('A[:, 0:4]') = 4, got 8",
    "tt.gemm(s, A, B, d, C)": "expected 'd' to have a type that is promotable to the element "
    "type f32 of 'C', got f64",
    "tt.gemm(s, A, B, k, 1)": "expected '1' to be a memref, got f32",
    "v = tt.barrier()": "expected a result of 'tt.barrier', got none",
    "v = tt.cast(s)": "expected a type for 'cast', got none",
    "v = tt.cast(s, 3)": "expected 1 operand (a) of 'tt.cast', got 2",
    "v = tt.cast(s, type=3)": "expected a type, got 3",
    "v = tt.constant(1)": "expected a number and a type, got no type",
    "v = tt.constant(s, tt.f32)": "expected a number that is known now, got a value of type f32",
    "v = tt.i32(1.5)": "expected an integer constant for type i32, got 1.5",
    "v = tt.i8(300)": "expected an integer from -128 to 127 for type i8, got 300",
    "v = tt.f32(1j)": "expected a floating constant for type f32, got a complex constant",
    "v = tt.f32(A)": "expected a number, got a value of type f32[8, 8]",
    "v = tt.f32()": "expected 1 operand (value) of 'tt.f32', got 0",
    "v = tt.exp(1.0)": "expected a value with a type, got 1.0",
    "v = tt.exp(k)": "expected 'k' to be floating or complex type, got i32",
    "v = tt.local(tt.f32)": "expected tt.local(type, shape), got other operands",
    "v = tt.local(tt.f32, (n, 8))": "expected a constant that is known now, got a value of type "
    "index",
    "v = tt.local(tt.f32, (2.5, 8))": "expected a size (an integer or None), got 2.5 (float)",
    "v = tt.local(tt.f32, (8,), stride=(1, 2))": "expected 1 strides, got 2",
    "v = max(s)": "expected 2 operands (a, b) of 'tt.max', got 1",
    "v = abs(s, s)": "expected 1 operand (a) of 'tt.abs', got 2",
    "v = range(8)": "expected 'range' in a for loop, got it elsewhere",
    "v = tt.outer(x, y)": "expected tt.outer in an assignment to a matrix, got it elsewhere",
    "v = tt.parallel()": "expected tt.parallel in a with statement, got it elsewhere",
    "v = tt.foreach(8)": "expected tt.foreach in a for loop, got it elsewhere",
    "v = A.sum(0)": "expected '.sum' in an assignment to an array",
    "v = A.expand(0, (8,))": "expected an expand shape of at least 2 modes, got 1",
    "v = A.fuse(1, 1)": "expected 0 <= from < to < order = 2, got from = 1 and to = 1",
    "v = A.fuse(n, 1)": "expected an integer that is known now, got a value of type index",
    "v = A.size(2)": "expected a mode from 0 to 1, got 2",
    "v = D.shape[-1]": "expected a mode from 0 to 1, got -1",
    "tt.store(s, A, 0)": "expected 2 indices, got 1",
    "v = tt.load(A, 0, 0.5)": "expected an index of at least 0, got 0.5",
}
ARITHMETIC = {
    "if s > 0 and tt.subgroup_add.reduce(s) > 0: pass": "expected 'subgroup_add' where all "
    "work-items compute it, got it on the right side of 'and'",
    "if s > 0 or everywhere(s) > 0: pass": "expected 'subgroup_max' where all work-items compute it, "
    "got it on the right side of 'or'",
    "if 0 < s < tt.subgroup_broadcast(s, k): pass": "expected 'subgroup_broadcast' where all "
    "work-items compute it, got it on the right side of 'and'",
    "v = s + d": "expected 'd' to have type f32, got f64",
    "v = s + n": "expected 'n' to have type f32, got index",
    "v = n + 0.5": "expected an integer constant for type index, got 0.5",
    "v = A + 1": "expected numbers, got a value of type f32[8, 8]",
    "v = A.T": "expected a value to keep, got a transposed matrix",
    "v = A @ B": "expected a product of matrices in an assignment to a matrix, got it elsewhere",
    "v = tt.group_id.x.y": "expected the modifiers .y|.z after 'tt.group_id', got '.y'",
    "v = np.float32(2)": "expected an instruction, got an object of type type",
    "v = x.shape": "expected a value to keep, got 'shape' without the number of a mode",
    "v = int(s)": "expected a constant that is known now, got a value of type f32",
    "v = k ** n": "expected 'n' to have type i32, got index",
    "v = k ** -2": "expected no integers around '/', got a value of type i32",
    "x[0] **= d": "expected 'd' to have type f32, got f64",
    "x[0] @= s": "expected an expression that kernels have, got '@' of numbers",
    "x[0] += d * d": "expected 'd * d' to have type f32, got f64",
    "v = n + 1.5 * s": "expected '1.5 * s' to have type index, got f32",
    "v = n / 2": "expected no integers around '/', got a value of type index",
    "v = 1 / k": "expected no integers around '/', got a value of type i32",
    "v = s // 2.0": "expected integers around '//', got a value of type f32",
    "x[0] //= s": "expected integers around '//', got a value of type f32",
    "v = n // 0": "expected a divisor of integers that is not 0, got 0",
    "v = k % 0": "expected a divisor of integers that is not 0, got 0",
    "k //= 0": "expected a divisor of integers that is not 0, got 0",
    "v = k << 40": "expected a shift of 0 to 31 for type i32, got 40",
    "v = n >> 64": "expected a shift of 0 to 63 for type index, got 64",
    "k <<= -1": "expected a shift of 0 to 31 for type i32, got -1",
    "v = 1 // 0": "expected constants that can be combined, got integer division or modulo by zero",
    "v = s and n": "expected truth values, got a value of type f32",
    "v = not n": "expected truth values, got a value of type index",
    "v = n > 1 and 5": "expected truth values, got 5",
    "v = not A": "expected a number, got a value of type f32[8, 8]",
    "v = s in n": "expected a comparison of numbers, got 'in' or 'is'",
    "v = s is None": "expected a comparison of numbers, got 'in' or 'is'",
    "v = z < 1": "expected 'z < 1' to be real scalar type, got c32",
    "v = s % 2 if k else 1": "expected a condition of type bool, got a value of type i32",
    "v = s if s > 0 else d": "expected one type for 's if s > 0 else d' after both branches, got "
    "f32 and f64",
    "v = tt.constant(0.0, tt.coopmatrix[tt.f32, 16, 16, 'matrix_acc']) * 2": "expected a local "
    "identifier, got 2",
    "v = tt.exp(1.0 if s > 0 else 2.0)": "expected a value with a type, got numbers without one",
    "v = max(1.0 if s > 0 else 2.0, 3)": "expected a value with a type for 'max(1.0 if s > 0 else "
    "2.0, 3)', got 1.0",
    "if 1 if s > 0 else 0: pass": "expected a condition of type bool, got a number without a type",
    "v = lambda: 1": "expected an expression that kernels have, got a lambda",
    "v = [1, 2]": "expected an expression that kernels have, got a list",
    "v = [i for i in x]": "expected an expression that kernels have, got a list comprehension",
    "v = {1, 2}": "expected an expression that kernels have, got a set",
    "v = {i for i in x}": "expected an expression that kernels have, got a set comprehension",
    "v = (i for i in x)": "expected an expression that kernels have, got a generator",
    "v = ~s": "expected '~s' to be boolean or integer type or coopmatrix of integer type, got f32",
    "v = [*x]": "expected an expression that kernels have, got a list",
    "v = {1: 2}": "expected an expression that kernels have, got a dict",
    "v = f'{s}'": "expected an expression that kernels have, got an f-string",
    "v = (w := 1)": "expected an expression that kernels have, got ':='",
}
