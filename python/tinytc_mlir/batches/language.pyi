# SPDX-License-Identifier: BSD-3-Clause
"""Functions that functions of elements name after `tt`, as NumPy has them, for type checkers."""

from typing import Any

_function: Any
absolute = all = amax = amin = any = append = arange = argmax = argmin = array = _function
astype = average = block = broadcast_to = cho_factor = cho_solve = _function
cholesky_ex = clip = column_stack = concat = concatenate = conjugate = _function
copy = cosh = count_nonzero = cross = det = diag = diagonal = diff = divide = _function
dot = eigh_ex = eigvalsh = eigvalsh_ex = einsum = empty_like = _function
expand_dims = expit = eye = fabs = flatten = flip = floor_divide = fmax = _function
fmin = full = full_like = hstack = identity = imag = inner = inv = inv_ex = _function
isfinite = isinf = isnan = kron = linspace = log10 = logdet = logical_and = _function
logical_not = logical_or = lstsq = lu_factor = lu_solve = matmul = _function
matrix_power = max_of = mean = min_of = mod = multi_dot = multiply = _function
negative = norm = ones_like = permute_dims = pinv = polyval = power = prod = _function
ptp = ravel = real = reciprocal = remainder = repeat = reshape = roll = _function
sigmoid = sign = sinh = slogdet = softmax = solve = solve_ex = _function
solve_triangular = square = squeeze = stack = std = subtract = svdvals = _function
swapaxes = tan = tile = trace = transpose = tril = triu = true_divide = _function
unstack = var = vdot = vstack = where = zeros_like = _function
