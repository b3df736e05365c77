"""The flux between neighbours of an unstructured mesh, for all faces of all cells in one launch.

In SeisSol, each face of a cell multiplies the neighbour's state by three matrices, which depend on
the face, on the neighbour's face and on how both are turned. A code generator with one kernel for
each combination needs 48 launches. Here the kernel loads the numbers of the neighbour and of the
matrices, and then the members of groups that they name.

python examples/22_neighbour_flux.py
"""

import warnings

import numpy as np

import tinytc_mlir as tt

ORDER = 4
BASIS, FACE, QUANTITIES = ORDER * (ORDER + 1) * (ORDER + 2) // 6, ORDER * (ORDER + 1) // 2, 9
FACES, TURNS, CELLS = 4, 3, 200

# `faces` has for each face of each cell: the neighbour, or -1 at the boundary; its face; the turn.
FLUX = f"""
func @neighbour_flux(%lift: group<memref<f64x{BASIS}x{FACE}>x{FACES}>,
                     %turn: group<memref<f64x{FACE}x{FACE}>x{TURNS}>,
                     %trace: group<memref<f64x{FACE}x{BASIS}>x{FACES}>,
                     %solver: memref<f64x{QUANTITIES}x{QUANTITIES}x{FACES}x?>,
                     %faces: memref<i32x3x{FACES}x?>,
                     %state: group<memref<f64x{BASIS}x{QUANTITIES}>x?, offset: ?>,
                     %result: group<memref<f64x{BASIS}x{QUANTITIES}>x?, offset: ?>) {{
  %zero = constant 0.0 : f64
  %one = constant 1.0 : f64
  %cell = group_id.x : index
  %q = load %result[%cell] : memref<f64x{BASIS}x{QUANTITIES}>
  %on_face = alloca : memref<f64x{FACE}x{QUANTITIES},local>
  %turned = alloca : memref<f64x{FACE}x{QUANTITIES},local>
  %flux = alloca : memref<f64x{FACE}x{QUANTITIES},local>
  for %face = 0, {FACES} {{
    %number = load %faces[0, %face, %cell] : i32
    %is_inner = %number >= 0 : bool
    if %is_inner {{
      %their_face_i32 = load %faces[1, %face, %cell] : i32
      %turn_i32 = load %faces[2, %face, %cell] : i32
      %neighbour = cast %number : index
      %their_face = cast %their_face_i32 : index
      %angle = cast %turn_i32 : index
      %i = load %state[%neighbour] : memref<f64x{BASIS}x{QUANTITIES}>
      %r = load %trace[%their_face] : memref<f64x{FACE}x{BASIS}>
      %f = load %turn[%angle] : memref<f64x{FACE}x{FACE}>
      %l = load %lift[%face] : memref<f64x{BASIS}x{FACE}>
      %a = subview %solver[:, :, %face, %cell] : memref<f64x{QUANTITIES}x{QUANTITIES}>
      gemm.n.n %one, %r, %i, %zero, %on_face
      gemm.n.n %one, %f, %on_face, %zero, %turned
      gemm.n.n %one, %turned, %a, %zero, %flux
      gemm.n.n %one, %l, %flux, %one, %q
    }}
  }}
}}
"""


def mesh(rng, cells):
    """Return faces of a random mesh, with some at its boundary."""
    faces = np.zeros((3, FACES, cells), np.int32, order="F")
    faces[0] = rng.integers(-1, cells, (FACES, cells))
    faces[1] = rng.integers(0, FACES, (FACES, cells))
    faces[2] = rng.integers(0, TURNS, (FACES, cells))
    return faces


def arguments(rng, cells):
    """Return the arguments of a launch."""

    def matrices(count, rows, columns):
        return [np.asfortranarray(rng.standard_normal((rows, columns))) for _ in range(count)]

    offset = 5  # elements before each cell's own
    state = [rng.standard_normal(offset + BASIS * QUANTITIES) for _ in range(cells)]
    result = [rng.standard_normal(offset + BASIS * QUANTITIES) for _ in range(cells)]
    return {
        "lift": matrices(FACES, BASIS, FACE),
        "turn": matrices(TURNS, FACE, FACE),
        "trace": matrices(FACES, FACE, BASIS),
        "solver": np.asfortranarray(rng.standard_normal((QUANTITIES, QUANTITIES, FACES, cells))),
        "faces": mesh(rng, cells),
        "state": tt.Group(state, offset, shape=(BASIS, QUANTITIES)),
        "result": tt.Group(result, offset, shape=(BASIS, QUANTITIES)),
    }


def cell_matrix(group, cell):
    """Return the matrix of a cell, in the memory that the group has."""
    values = group.members[cell][group.offset :]
    return values.reshape((BASIS, QUANTITIES), order="F")


def expected(given):
    """Return the results of all cells, by NumPy."""
    faces, found = given["faces"], []
    for cell in range(faces.shape[2]):
        q = cell_matrix(given["result"], cell).copy()
        for face, (neighbour, their_face, turn) in enumerate(faces[:, :, cell].T):
            if neighbour >= 0:
                on_face = given["trace"][their_face] @ cell_matrix(given["state"], neighbour)
                flux = given["turn"][turn] @ on_face @ given["solver"][:, :, face, cell]
                q += given["lift"][face] @ flux
        found.append(q)
    return found


def largest_error(given, right):
    """Return the largest difference from NumPy's results, relative to the largest of these."""
    pairs = [(cell_matrix(given["result"], cell), q) for cell, q in enumerate(right)]
    return max(np.abs(q - r).max() for q, r in pairs) / max(np.abs(r).max() for _, r in pairs)


def main():
    """Compute the flux of all cells by one launch, and compare it with NumPy."""
    given = arguments(np.random.default_rng(1), CELLS)
    right = expected(given)
    kernel = tt.Context().parse(FLUX).compile()["neighbour_flux"]
    with warnings.catch_warnings():
        # A launch does not look at the numbers in `faces`; that of a debug build would.
        warnings.simplefilter("ignore", tt.UncheckedWarning)
        kernel(given, groups=CELLS)
    error = largest_error(given, right)
    faces = np.count_nonzero(given["faces"][0] >= 0)
    print(
        f"{faces} faces of {CELLS} cells in one launch, largest difference from NumPy: {error:.1e}"
    )
    if not error < 1e-13:
        raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
