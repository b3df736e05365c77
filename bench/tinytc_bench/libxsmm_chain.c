/* Runs kernels of libxsmm one after the other for each member of a batch, with the matrices between
 * them in memory of the thread, which stays in its cache. */

#include <libxsmm.h>
#include <omp.h>
#include <stdlib.h>

#define PIECES_PER_THREAD 16
#define CACHE_LINE_BYTES 64

/* A matrix: its first member, null if it is between products, and the bytes to the next member; or
 * its place in the thread's memory. */
struct matrix {
    char *first;
    long step;
};

/* A product, and the matrices whose next members the kernel fetches on the way (the same ones if
 * it does not). */
struct product {
    void *kernel;
    struct matrix a, b, c, next_a, next_b;
};

#define FIND(NAME, TYPE, DISPATCH)                                                                 \
    /* Returns the kernel for C := A B + beta C, null if libxsmm has none. */                      \
    void *NAME(int m, int n, int k, int lda, int ldb, int ldc, int is_b_t, int adds,               \
               int prefetch) {                                                                     \
        const TYPE alpha = 1, beta = adds ? 1 : 0;                                                 \
        const int flags = is_b_t ? LIBXSMM_GEMM_FLAG_TRANS_B : 0;                                  \
        return (void *)DISPATCH(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);      \
    }

FIND(find_f32, float, libxsmm_smmdispatch)
FIND(find_f64, double, libxsmm_dmmdispatch)

static inline char *member(const struct matrix *matrix, char *between, long number) {
    return matrix->first ? matrix->first + number * matrix->step : between + matrix->step;
}

/* Runs a chain of products for all members; the kernels take addresses, whatever their type is. */
void run_chain(const struct product *products, long count, long between_bytes, long members) {
#pragma omp parallel
    {
        const long piece = members / (PIECES_PER_THREAD * omp_get_num_threads()) + 1;
        char *const between = aligned_alloc(CACHE_LINE_BYTES, between_bytes);
#pragma omp for schedule(dynamic, piece)
        for (long i = 0; i < members; ++i) {
            const long next = i + 1 < members ? i + 1 : i;
            for (long p = 0; p < count; ++p) {
                const struct product *const product = &products[p];
                ((libxsmm_smmfunction)product->kernel)(
                    (float *)member(&product->a, between, i),
                    (float *)member(&product->b, between, i),
                    (float *)member(&product->c, between, i),
                    (float *)member(&product->next_a, between, next),
                    (float *)member(&product->next_b, between, next),
                    (float *)member(&product->c, between, next));
            }
        }
        free(between);
    }
}
