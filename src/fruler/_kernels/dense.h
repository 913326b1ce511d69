/* Dense inner loops, compiled once for every x86-64 processor and once for those with AVX2; the loader chooses.
 *
 * All of them work element by element in a fixed order and without fused operations (see meson.build), so both
 * versions give the same bits. */
#ifndef FRULER_DENSE_H
#define FRULER_DENSE_H

#include <stddef.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define FRULER_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define FRULER_CLONES
#endif

#if defined(_MSC_VER)
#define restrict __restrict
#endif

/* y += a * x */
FRULER_CLONES static void dense_axpy(ptrdiff_t n, double a, const double *restrict x, double *restrict y)
{
    for (ptrdiff_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* places[i] += the degree to which x[i] has passed the ramp that begins at `start` and rises by `slope` */
FRULER_CLONES static void dense_add_ramp(ptrdiff_t n, double start, double slope, const double *restrict x,
                                         double *restrict places)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double degree = (x[i] - start) * slope;
        degree = degree > 0.0 ? degree : 0.0;
        places[i] += degree < 1.0 ? degree : 1.0;
    }
}

/* ramp[i] = the degree to which x[i] has passed the ramp that begins at `start` and rises by `slope` */
FRULER_CLONES static void dense_ramp(ptrdiff_t n, double start, double slope, const double *restrict x,
                                     double *restrict ramp)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double degree = (x[i] - start) * slope;
        degree = degree > 0.0 ? degree : 0.0;
        ramp[i] = degree < 1.0 ? degree : 1.0;
    }
}

/* places[i] = x[i] as a number of equal steps of 1 / slope from `start`, from 0 to `top` */
FRULER_CLONES static void dense_place(ptrdiff_t n, double start, double slope, double top, const double *restrict x,
                                      double *restrict places)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double place = (x[i] - start) * slope;
        place = place > 0.0 ? place : 0.0;
        places[i] = place < top ? place : top;
    }
}

/* Append the label nearest to each place (of equally near ones the lower) to the number of its cell, and multiply the
 * degree of the cell by that of the label. */
FRULER_CLONES static void dense_join_label(ptrdiff_t n, double n_labels, const double *restrict places,
                                           double *restrict cell, double *restrict degree)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const double lower = (double)(int)places[i], above = places[i] - lower;
        cell[i] = cell[i] * n_labels + (above > 0.5 ? lower + 1.0 : lower);
        degree[i] *= above > 0.5 ? above : 1.0 - above;
    }
}

/* The packed upper triangle of x x', row by row. */
FRULER_CLONES static void dense_outer(ptrdiff_t q, const double *restrict x, double *restrict packed)
{
    for (ptrdiff_t i = 0; i < q; i++) {
        const double a = x[i];
        for (ptrdiff_t j = i; j < q; j++)
            packed[j - i] = a * x[j];
        packed += q - i;
    }
}

/* For every pair of fired rules (numbers increasing) add the row's outer product, weighted, to the pair's block.
 * Block (k, l) with k <= l has the index l (l + 1) / 2 + k. */
FRULER_CLONES static void dense_add_pairs(ptrdiff_t n_fired, const int *restrict fired, const double *restrict degree,
                                          double weight, ptrdiff_t size, const double *restrict packed,
                                          double *restrict blocks)
{
    for (ptrdiff_t l = 0; l < n_fired; l++) {
        const ptrdiff_t row = (ptrdiff_t)fired[l] * (fired[l] + 1) / 2;
        for (ptrdiff_t k = 0; k <= l; k++) {
            const double a = weight * degree[k] * degree[l];
            double *restrict block = blocks + (row + fired[k]) * size;
            for (ptrdiff_t i = 0; i < size; i++)
                block[i] += a * packed[i];
        }
    }
}

/* degree[i] = the smaller of itself and the degree of x[i] in the triangle of two sides; each side is given by the
 * place where it is zero and its slope */
FRULER_CLONES static void dense_min_triangle(ptrdiff_t n, const double *restrict sides, const double *restrict x,
                                             double *restrict degree)
{
    const double left = sides[0], rise = sides[1], right = sides[2], fall = sides[3];
    for (ptrdiff_t i = 0; i < n; i++) {
        const double up = (x[i] - left) * rise, down = (right - x[i]) * fall;
        double here = up < down ? up : down;
        here = here > 0.0 ? here : 0.0;
        degree[i] = here < degree[i] ? here : degree[i];
    }
}

/* degree[i] *= the degree of x[i] in the triangle of two sides */
FRULER_CLONES static void dense_times_triangle(ptrdiff_t n, const double *restrict sides, const double *restrict x,
                                               double *restrict degree)
{
    const double left = sides[0], rise = sides[1], right = sides[2], fall = sides[3];
    for (ptrdiff_t i = 0; i < n; i++) {
        const double up = (x[i] - left) * rise, down = (right - x[i]) * fall;
        double here = up < down ? up : down;
        here = here > 0.0 ? here : 0.0;
        degree[i] *= here < 1.0 ? here : 1.0;
    }
}

/* Set a bit of marks[i] if degree[i] is positive. */
FRULER_CLONES static void dense_mark_positive(ptrdiff_t n, int bit, const double *restrict degree,
                                              unsigned long long *restrict marks)
{
    for (ptrdiff_t i = 0; i < n; i++)
        marks[i] |= (unsigned long long)(degree[i] > 0.0) << bit;
}

#endif
