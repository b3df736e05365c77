/* The upper bounds of every kernel: the rates of fused multiply-adds in registers and of copies.
 *
 * Work is cut into pieces that threads take when they are free: where a core is shared, giving
 * each thread a fixed half of the work would measure the slower core. */

#include <omp.h>
#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define REGISTERS 24
#else
#define VECTOR_BYTES 32
#define REGISTERS 12
#endif

#define PIECES_PER_THREAD 16

static long count_pieces(void) { return (long)PIECES_PER_THREAD * omp_get_max_threads(); }

#define FMA_LOOP(NAME, TYPE)                                                                       \
    static TYPE NAME##_piece(long iterations, long number) {                                       \
        typedef TYPE vector __attribute__((vector_size(VECTOR_BYTES)));                            \
        const vector factor = (vector){0} + (TYPE)0.999;                                           \
        const vector term = (vector){0} + (TYPE)0.001;                                             \
        vector value[REGISTERS];                                                                   \
        TYPE sum = 0;                                                                              \
        for (int r = 0; r < REGISTERS; ++r)                                                        \
            value[r] = term * (TYPE)(r + number);                                                  \
        for (long i = 0; i < iterations; ++i)                                                      \
            _Pragma("GCC unroll 32") for (int r = 0; r < REGISTERS; ++r) value[r] =                \
                value[r] * factor + term;                                                          \
        for (int r = 0; r < REGISTERS; ++r)                                                        \
            for (unsigned lane = 0; lane < VECTOR_BYTES / sizeof(TYPE); ++lane)                    \
                sum += value[r][lane];                                                             \
        return sum;                                                                                \
    }                                                                                              \
    /* Returns the number of operations; the sum goes to `result` so that no work is dropped. */   \
    double NAME(long iterations, TYPE *result) {                                                   \
        TYPE sum = 0;                                                                              \
        const long pieces = count_pieces();                                                        \
        _Pragma("omp parallel for schedule(dynamic) reduction(+ : sum)") for (                     \
            long number = 0; number < pieces; ++number) sum +=                                     \
            NAME##_piece(iterations, number);                                                      \
        *result = sum;                                                                             \
        return 2.0 * REGISTERS * (VECTOR_BYTES / sizeof(TYPE)) * (double)iterations * pieces;      \
    }

FMA_LOOP(fma_f32, float)
FMA_LOOP(fma_f64, double)

static long piece_bytes(long size_bytes) {
    return (size_bytes / count_pieces() / VECTOR_BYTES + 1) * VECTOR_BYTES;
}

/* Copies with memcpy. */
void copy_pieces(char *to, const char *from, long size_bytes) {
    const long piece = piece_bytes(size_bytes);
#pragma omp parallel for schedule(dynamic)
    for (long begin = 0; begin < size_bytes; begin += piece)
        memcpy(to + begin, from + begin,
               (size_t)(piece < size_bytes - begin ? piece : size_bytes - begin));
}

/* Copies with ordinary vector loads and stores, as a kernel does. */
void copy_plain(char *to, const char *from, long size_bytes) {
    typedef char vector __attribute__((vector_size(VECTOR_BYTES)));
    const long vectors = size_bytes / VECTOR_BYTES;
    const long piece = piece_bytes(size_bytes) / VECTOR_BYTES;
#pragma omp parallel for schedule(dynamic, piece)
    for (long i = 0; i < vectors; ++i)
        ((volatile vector *)to)[i] = ((const vector *)from)[i];
}
