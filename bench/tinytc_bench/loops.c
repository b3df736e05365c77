/* Plain loops for single instructions, compiled for the type and the sizes of one case.
 *
 * TYPE is the type of the elements. An array of a group has BEFORE x LENGTH x AFTER elements, the
 * first ones adjacent; instructions work along the mode in the middle. ALPHA and BETA are the
 * factors of the case. */

#define ELEMENTS (BEFORE * LENGTH * AFTER)
#define PIECES_PER_THREAD 16

#include <omp.h>

typedef TYPE element;

/* y := A x, A has BEFORE rows. */
static void gemv(const element *restrict a, const element *restrict x, element *restrict y) {
    element sums[BEFORE] = {0};
    for (long k = 0; k < LENGTH; ++k)
        for (long i = 0; i < BEFORE; ++i)
            sums[i] += a[i + k * BEFORE] * x[k];
    for (long i = 0; i < BEFORE; ++i)
        y[i] = sums[i];
}

/* A := ALPHA x y^T + BETA A. */
static void ger(const element *restrict x, const element *restrict y, element *restrict a) {
    for (long j = 0; j < LENGTH; ++j)
        for (long i = 0; i < BEFORE; ++i)
            a[i + j * BEFORE] = ALPHA * x[i] * y[j] + BETA * a[i + j * BEFORE];
}

static void axpby(const element *restrict x, const element *restrict unused, element *restrict y) {
    (void)unused;
    for (long i = 0; i < ELEMENTS; ++i)
        y[i] = ALPHA * x[i] + BETA * y[i];
}

static void hadamard_product(const element *restrict x, const element *restrict y,
                             element *restrict z) {
    for (long i = 0; i < ELEMENTS; ++i)
        z[i] = x[i] * y[i];
}

/* Sums along the mode; AFTER is 1. */
static void sum(const element *restrict x, const element *restrict unused, element *restrict y) {
    (void)unused;
#if BEFORE == 1
    element total = 0;
#pragma omp simd reduction(+ : total)
    for (long k = 0; k < LENGTH; ++k)
        total += x[k];
    y[0] = total;
#else
    element sums[BEFORE] = {0};
    for (long k = 0; k < LENGTH; ++k)
        for (long i = 0; i < BEFORE; ++i)
            sums[i] += x[i + k * BEFORE];
    for (long i = 0; i < BEFORE; ++i)
        y[i] = sums[i];
#endif
}

/* Running sums along the mode; where elements are adjacent, the sum is in a register. */
static void cumsum(const element *restrict x, const element *restrict unused, element *restrict y) {
    (void)unused;
    for (long j = 0; j < AFTER; ++j, x += BEFORE * LENGTH, y += BEFORE * LENGTH) {
#if BEFORE == 1
        element sum = 0;
        for (long k = 0; k < LENGTH; ++k)
            y[k] = sum += x[k];
#else
        for (long i = 0; i < BEFORE; ++i)
            y[i] = x[i];
        for (long k = 1; k < LENGTH; ++k)
            for (long i = 0; i < BEFORE; ++i)
                y[i + k * BEFORE] = y[i + (k - 1) * BEFORE] + x[i + k * BEFORE];
#endif
    }
}

/* Runs an instruction for all groups. The sizes are the elements of each operand in a group. */
void run(const element *a, const element *b, element *c, long size_a, long size_b, long size_c,
         long groups) {
    const long piece = groups / (PIECES_PER_THREAD * omp_get_max_threads()) + 1;
#pragma omp parallel for schedule(dynamic, piece)
    for (long g = 0; g < groups; ++g)
        INSTRUCTION(a + g * size_a, b + g * size_b, c + g * size_c);
}
