/* Runs the kernel that libxsmm makes for one GEMM over a batch, in pieces that threads take when
 * they are free, so that a shared core slows it down no more than others. */

#include <libxsmm.h>
#include <omp.h>

#define PIECES_PER_THREAD 16

#define BATCH(TYPE, FUNCTION, DISPATCH, NAME, FIND)                                                \
    /* Returns the kernel for C := op(A) op(B), null if libxsmm has none. */                       \
    void *FIND(int m, int n, int k, int lda, int ldb, int ldc, int is_a_t, int is_b_t,             \
               int prefetches, int streams) {                                                      \
        const TYPE alpha = 1, beta = 0;                                                            \
        const int flags = (is_a_t ? LIBXSMM_GEMM_FLAG_TRANS_A : 0) |                               \
                          (is_b_t ? LIBXSMM_GEMM_FLAG_TRANS_B : 0) |                               \
                          (streams ? LIBXSMM_GEMM_FLAG_ALIGN_C_NTS_HINT : 0);                      \
        const int prefetch = prefetches ? LIBXSMM_GEMM_PREFETCH_AL2BL2_VIA_C                       \
                                        : LIBXSMM_GEMM_PREFETCH_NONE;                              \
        return (void *)DISPATCH(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);      \
    }                                                                                              \
    /* Kernels that fetch nothing take the addresses of the next matrices too, unread. */          \
    void NAME(void *kernel, const TYPE *a, const TYPE *b, TYPE *c, long stride_a, long stride_b,   \
              long stride_c, long groups) {                                                        \
        const FUNCTION product = (FUNCTION)kernel;                                                 \
        const long piece = groups / (PIECES_PER_THREAD * omp_get_max_threads()) + 1;               \
        _Pragma("omp parallel for schedule(dynamic, piece)") for (long g = 0; g < groups; ++g) {   \
            const long next = g + 1 < groups ? g + 1 : g;                                          \
            product(a + g * stride_a, b + g * stride_b, c + g * stride_c, a + next * stride_a,     \
                    b + next * stride_b, c + next * stride_c);                                     \
        }                                                                                          \
    }

BATCH(float, libxsmm_smmfunction, libxsmm_smmdispatch, gemm_f32, find_f32)
BATCH(double, libxsmm_dmmfunction, libxsmm_dmmdispatch, gemm_f64, find_f64)
