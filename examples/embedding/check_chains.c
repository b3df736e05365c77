/* Compares the kernels that 14_chain_generator.py makes with libxsmm's, one product after the other.
 *
 *   python ../14_chain_generator.py chains.json -o made
 *   gcc -Imade/include check_chains.c made/lib/libwaves.a -lxsmm -lxsmmnoblas -ldl -lpthread -lm
 */
#include <libxsmm.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 17, MOST_MATRICES = 64 };
enum role { CONSTANT, IN, OUT, INOUT, TEMPORARY };

struct matrix {
  int rows, columns, role;
};

/* C (+)= A B: numbers of the matrices, first elements of their parts, sizes. */
struct product {
  int c, a, b, at_c, at_a, at_b, m, n, k, is_a_transposed, is_b_transposed, adds;
};

/* The function runs the chain on pointers to the matrices of all cells. */
struct chain {
  const char *name;
  int (*run)(void *const *const *arrays, int64_t cells, char *message, size_t size);
  int num_matrices;
  const struct matrix *matrices;
  int num_products;
  const struct product *products;
};

#include "chains_table.h"

static size_t count(const struct matrix *matrix) {
  return (size_t)matrix->rows * matrix->columns;
}

static real *make(size_t elements) {
  real *made = malloc(elements * sizeof(real));
  if (!made)
    exit(3);
  for (size_t i = 0; i < elements; ++i)
    made[i] = (real)rand() / RAND_MAX - (real)0.5;
  return made;
}

static void multiply(const struct chain *chain, const struct product *product, real **cell) {
  const int lda = chain->matrices[product->a].rows, ldb = chain->matrices[product->b].rows;
  const int ldc = chain->matrices[product->c].rows;
  const int flags = (product->is_a_transposed ? LIBXSMM_GEMM_FLAG_TRANS_A : 0) |
                    (product->is_b_transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : 0);
  const real alpha = 1, beta = product->adds;
  const libxsmm_gemm_descriptor *descriptor;
  libxsmm_descriptor_blob blob;
  const int prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  descriptor = libxsmm_gemm_descriptor_init(
      &blob, sizeof(real) == 8 ? LIBXSMM_GEMM_PRECISION_F64 : LIBXSMM_GEMM_PRECISION_F32,
      product->m, product->n, product->k, lda, ldb, ldc, &alpha, &beta, flags, prefetch);
  const libxsmm_xmmfunction kernel = libxsmm_xmmdispatch(descriptor);
  if (!kernel.xmm) {
    fprintf(stderr, "%s: libxsmm has no kernel of %d x %d x %d\n", chain->name, product->m,
            product->n, product->k);
    exit(4);
  }
  real *a = cell[product->a] + product->at_a, *b = cell[product->b] + product->at_b;
  kernel.xmm(a, b, cell[product->c] + product->at_c);
}

/* Returns the largest difference in units of the largest number, of epsilon and of the additions. */
static double check(const struct chain *chain) {
  void **arrays[MOST_MATRICES];
  real *ours[MOST_MATRICES][CELLS], *theirs[CELLS][MOST_MATRICES];
  for (int i = 0; i < chain->num_matrices; ++i) {
    const struct matrix *matrix = &chain->matrices[i];
    for (int cell = 0; cell < CELLS; ++cell) {
      const int is_shared = matrix->role == CONSTANT && cell > 0;
      ours[i][cell] = is_shared ? ours[i][0] : make(count(matrix));
      theirs[cell][i] = malloc(count(matrix) * sizeof(real));
      memcpy(theirs[cell][i], ours[i][cell], count(matrix) * sizeof(real));
    }
    arrays[i] = (void **)ours[i];
  }
  char message[200];
  if (chain->run((void *const *const *)arrays, CELLS, message, sizeof(message))) {
    fprintf(stderr, "%s\n", message);
    exit(5);
  }
  int terms = 0;
  for (int i = 0; i < chain->num_products; ++i) {
    terms += chain->products[i].k;
    for (int cell = 0; cell < CELLS; ++cell)
      multiply(chain, &chain->products[i], theirs[cell]);
  }
  double largest = 0, difference = 0;
  for (int i = 0; i < chain->num_matrices; ++i)
    if (chain->matrices[i].role == OUT || chain->matrices[i].role == INOUT)
      for (int cell = 0; cell < CELLS; ++cell)
        for (size_t e = 0; e < count(&chain->matrices[i]); ++e) {
          const double right = theirs[cell][i][e];
          largest = fmax(largest, fabs(right));
          difference = fmax(difference, fabs(ours[i][cell][e] - right));
        }
  const double epsilon = sizeof(real) == 8 ? 0x1p-52 : 0x1p-23;
  return difference / (largest * epsilon * terms);
}

int main(void) {
  int wrong = 0;
  const int num_chains = sizeof(chains) / sizeof(chains[0]);
  for (int i = 0; i < num_chains; ++i) {
    const double error = check(&chains[i]);
    printf("%-24s %d products, error %.2f\n", chains[i].name, chains[i].num_products, error);
    wrong += !(error < 4);
  }
  printf("%d chains, %d wrong\n", num_chains, wrong);
  return wrong != 0;
}
