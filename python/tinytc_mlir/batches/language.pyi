# SPDX-License-Identifier: BSD-3-Clause
"""Functions that functions of elements name after `tt`, as NumPy has them, for type checkers."""

from typing import Any

_function: Any
absolute = all = amax = amin = any = append = arange = argmax = argmin = array = _function
astype = average = block = broadcast_to = cho_factor = cho_solve = cholesky_ex = _function
clip = column_stack = concat = concatenate = conjugate = copy = cosh = _function
count_nonzero = cross = deg2rad = det = diag = diagonal = diff = divide = dot = _function
eigh_ex = eigvalsh = eigvalsh_ex = einsum = empty_like = expand_dims = expit = _function
eye = fabs = flatten = flip = floor_divide = fmax = fmin = full = full_like = _function
hstack = identity = imag = inner = inv = inv_ex = isfinite = isinf = isnan = _function
kron = linspace = log10 = logdet = logical_and = logical_not = logical_or = _function
logical_xor = lstsq = lu_factor = lu_solve = matmul = matrix_power = max_of = _function
mean = min_of = mod = moveaxis = multi_dot = multiply = negative = norm = _function
ones_like = permute_dims = pinv = polyval = power = prod = ptp = rad2deg = _function
ravel = real = reciprocal = remainder = repeat = reshape = rint = roll = round = _function
sigmoid = sign = sinh = slogdet = softmax = solve = solve_ex = _function
solve_triangular = square = squeeze = stack = std = subtract = svdvals = _function
swapaxes = tan = tile = trace = transpose = tril = triu = true_divide = trunc = _function
unstack = var = vdot = vecdot = vstack = where = zeros_like = _function
