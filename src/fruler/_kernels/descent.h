/* Inner loops of stochastic gradient descent, compiled once for every x86-64 processor and once for those with AVX2.
 *
 * Each is a whole pass over the rows, because a call per row would cost as much as the arithmetic of a row of ten
 * inputs. Rows and blocks of coefficients are padded with zeros to groups of four, so that no loop has a remainder;
 * padding coefficients stay zero. As in dense.h, both versions give the same bits. */
#ifndef FRULER_DESCENT_H
#define FRULER_DESCENT_H

#include "dense.h"

#if defined(__GNUC__)
#define FRULER_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define FRULER_INLINE static __forceinline
#else
#define FRULER_INLINE static inline
#endif

/* Rows of a design matrix with one block for each rule: the row's inputs (a one before them) times a degree. */
typedef struct {
    ptrdiff_t n_rows;
    ptrdiff_t n_rules;
    ptrdiff_t n_free;   /* coefficients at the start of each rule without a penalty: 1, the intercept, or 0 */
    ptrdiff_t n_filled; /* the other coefficients of a rule, padded to a multiple of four */
    ptrdiff_t stride;   /* n_free + n_filled: from one row, or one rule, to the next */
    const double *rows; /* (rows, stride) */
    const double *y;
    const double *weight;
    const double *share; /* share of the total weight, times the number of rows */
    const ptrdiff_t *start; /* (rows + 1): where the rules that a row fires begin */
    const int *block;       /* where the coefficients of a fired rule begin */
    const double *degree;
} SparseDesign;

/* Coefficients with a penalty are stored without a common factor, to which every step applies the ridge penalty. */
typedef struct {
    double *w;        /* (rules, stride) */
    double *received; /* (rules, stride): the l1 penalty applied to each coefficient */
    double scale;     /* the common factor */
    double owed;      /* the cumulative l1 penalty */
    double t;         /* the number of steps so far */
} DescentState;

FRULER_INLINE double descent_output(const SparseDesign *design, ptrdiff_t row, const double *restrict w, double scale)
{
    const ptrdiff_t first = design->start[row], end = design->start[row + 1], n = design->n_filled;
    const double *restrict x = design->rows + row * design->stride + design->n_free;
    double total = 0.0;
    for (ptrdiff_t k = first; k < end; k++) {
        const double *restrict block = w + design->block[k] + design->n_free;
        /* Four independent partial sums, added in a fixed order. */
        double part[4] = {0.0, 0.0, 0.0, 0.0};
        for (ptrdiff_t i = 0; i < n; i += 4)
            for (int lane = 0; lane < 4; lane++)
                part[lane] += block[i + lane] * x[i + lane];
        total += design->degree[k] * ((part[0] + part[1]) + (part[2] + part[3]));
    }
    total *= scale;
    if (design->n_free)
        for (ptrdiff_t k = first; k < end; k++)
            total += design->degree[k] * w[design->block[k]];
    return total;
}

/* The damped weight of a heavy row: a step moves at most as far as its own error requires. */
FRULER_INLINE double descent_damped(const double *x, ptrdiff_t n, double share, double eta)
{
    double length = 0.0;
    for (ptrdiff_t j = 0; j < n; j++)
        length += x[j] * x[j];
    return share / (1.0 + eta * (share - 1.0) * length);
}

/* Apply to each coefficient, times `scale`, the l1 penalty that it still owes, at most down to zero. */
FRULER_INLINE void descent_take_l1(const SparseDesign *design, double owed, double scale, double *restrict w,
                                   double *restrict received)
{
    const double inverse = 1.0 / scale;
    for (ptrdiff_t k = 0; k < design->n_rules; k++) {
        const ptrdiff_t first = k * design->stride + design->n_free;
        for (ptrdiff_t i = first; i < first + design->n_filled; i++) {
            const double before = w[i];
            double lowered = before - (owed + received[i]) * inverse;
            double raised = before + (owed - received[i]) * inverse;
            lowered = lowered > 0.0 ? lowered : 0.0;
            raised = raised < 0.0 ? raised : 0.0;
            /* A coefficient of zero stays zero. */
            double after = before > 0.0 ? lowered : 0.0;
            after = before < 0.0 ? raised : after;
            w[i] = after;
            received[i] += scale * (after - before);
        }
    }
}

/* One step of rate / (delay + decay * t) for each row, in the given order; the l1 penalty is applied after every `wait`
 * rows and at the end. */
FRULER_CLONES static void descent_epoch(const SparseDesign *design, const int *restrict order, double rate,
                                        double delay, double decay, double penalty, double ridge_share, ptrdiff_t wait,
                                        DescentState *state)
{
    const ptrdiff_t n = design->n_rows, filled = design->n_filled, n_free = design->n_free;
    double *restrict w = state->w;
    double scale = state->scale, owed = state->owed, t = state->t;
    ptrdiff_t left = wait;
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t row = order[i];
        const double *restrict x = design->rows + row * design->stride;
        t += 1.0;
        const double eta = rate / (delay + decay * t);
        const double error = descent_output(design, row, w, scale) - design->y[row];
        scale *= 1.0 - ridge_share * eta * penalty;
        owed += (1.0 - ridge_share) * eta * penalty;
        double share = design->share[row];
        if (share > 1.0) /* One heavy row must not destabilise the coefficients. */
            share = descent_damped(x, design->stride, share, eta);
        const double step = -eta * error * share, scaled = step / scale;
        for (ptrdiff_t k = design->start[row]; k < design->start[row + 1]; k++) {
            double *restrict block = w + design->block[k];
            const double degree = design->degree[k], a = scaled * degree;
            if (n_free)
                block[0] += step * degree;
            block += n_free;
            for (ptrdiff_t j = 0; j < filled; j += 4)
                for (int lane = 0; lane < 4; lane++)
                    block[j + lane] += a * x[n_free + j + lane];
        }
        left -= 1;
        if (left == 0 || i == n - 1) {
            left = wait;
            descent_take_l1(design, owed, scale, w, state->received);
        }
    }
    state->scale = scale;
    state->owed = owed;
    state->t = t;
}

/* The weighted sum of squared errors over all rows. */
FRULER_CLONES static double descent_miss(const SparseDesign *design, const DescentState *state)
{
    double miss = 0.0;
    for (ptrdiff_t row = 0; row < design->n_rows; row++) {
        const double error = descent_output(design, row, state->w, state->scale) - design->y[row];
        miss += design->weight[row] * error * error;
    }
    return miss;
}

#endif
