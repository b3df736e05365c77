# SPDX-License-Identifier: BSD-3-Clause
"""Functions that functions of elements name after `tt`, as NumPy has them, for type checkers."""

from typing import Any

_function: Any
absolute = all = amax = amin = any = arange = array = astype = average = block = _function
broadcast_to = cho_factor = cho_solve = cholesky_ex = clip = _function
column_stack = concat = concatenate = conjugate = copy = cosh = cross = _function
det = diag = diagonal = divide = dot = eigh_ex = eigvalsh = eigvalsh_ex = _function
empty_like = expand_dims = expit = eye = fabs = flatten = flip = _function
floor_divide = fmax = fmin = full = hstack = identity = imag = inner = inv = _function
inv_ex = isnan = kron = log10 = logdet = logical_and = logical_or = lstsq = _function
lu_factor = lu_solve = matmul = max_of = mean = min_of = mod = multiply = _function
negative = norm = ones_like = permute_dims = pinv = power = prod = ravel = _function
real = reciprocal = remainder = reshape = roll = sigmoid = sign = sinh = _function
slogdet = softmax = solve = solve_ex = solve_triangular = square = _function
squeeze = stack = std = subtract = svdvals = swapaxes = tan = trace = _function
transpose = tril = triu = true_divide = unstack = var = vdot = vstack = _function
where = zeros_like = _function
