"""Sums over rows for a growing rule base: ramps, weights of rules, and the normal equations of its terms.

A ramp is the degree to which a value has passed a split point: it rises from 0 to 1 over the split point's reach on
either side. A rule's weight is a product over its conditions, each the difference of two ramps of one input. Because
all rules come from splitting one rule, their weights sum to one in every row.

Sums of pairs of rules are packed: the pair (k, l), k <= l, has the index l (l + 1) / 2 + k, and contains the upper
triangle of the sum of x x', row by row.
"""

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef extern from "dense.h" nogil:
    void dense_axpy(Py_ssize_t n, double a, const double* x, double* y)
    void dense_ramp(Py_ssize_t n, double start, double slope, const double* x, double* ramp)
    void dense_outer(Py_ssize_t q, const double* x, double* packed)
    void dense_add_pairs(Py_ssize_t n_fired, const int* fired, const double* degree, double weight, Py_ssize_t size,
                         const double* packed, double* blocks)


def ramps(const double[:, ::1] columns, const int[::1] inputs, const double[::1] places, const double[::1] reaches):
    """Return how far every row has passed every split point, shape (split points, rows); columns are (inputs, rows)."""
    cdef Py_ssize_t n_points = places.shape[0], n = columns.shape[1], p
    ramps_array = np.empty((n_points, n))
    cdef double[:, ::1] out = ramps_array
    with nogil:
        for p in range(n_points):
            if n > 0:
                dense_ramp(n, places[p] - reaches[p], 0.5 / reaches[p], &columns[inputs[p], 0], &out[p, 0])
    return ramps_array


def curve_columns(const double[:, ::1] columns, const double[:, ::1] bends, const int[::1] inputs, const double[::1] places):
    """Return the terms of pieces of curves, (2 pieces, rows): each ramp, and the ramp times the way from its place."""
    cdef Py_ssize_t n_points = places.shape[0], n = columns.shape[1], p, i
    terms_array = np.empty((2 * n_points, n))
    cdef double[:, ::1] terms = terms_array
    cdef const double* column
    cdef const double* bend
    cdef double* step
    cdef double* slope
    with nogil:
        for p in range(n_points if n > 0 else 0):
            column, bend = &columns[inputs[p], 0], &bends[p, 0]
            step, slope = &terms[2 * p, 0], &terms[2 * p + 1, 0]
            for i in range(n):
                step[i] = bend[i]
                slope[i] = bend[i] * (column[i] - places[p])
    return terms_array


def rule_weights(const double[:, ::1] ramps, const int[::1] first, const int[::1] lower, const int[::1] upper):
    """Return the weight of every rule in every row, shape (rules, rows).

    The conditions of rule k are those from `first[k]` to `first[k + 1]`; each has a lower and an upper split point, -1
    for none.
    """
    cdef Py_ssize_t m = first.shape[0] - 1, n = ramps.shape[1], k, c, i
    weights_array = np.ones((m, n))
    cdef double[:, ::1] weights = weights_array
    cdef const double* a
    cdef const double* b
    cdef double* w
    with nogil:
        for k in range(m if n > 0 else 0):
            w = &weights[k, 0]
            for c in range(first[k], first[k + 1]):
                if lower[c] < 0:
                    b = &ramps[upper[c], 0]
                    for i in range(n):
                        w[i] *= 1.0 - b[i]
                elif upper[c] < 0:
                    a = &ramps[lower[c], 0]
                    for i in range(n):
                        w[i] *= a[i]
                else:
                    a = &ramps[lower[c], 0]
                    b = &ramps[upper[c], 0]
                    for i in range(n):
                        w[i] *= a[i] - b[i]
    return weights_array


def pair_sums(const double[:, ::1] rows, const double[:, ::1] weights, const double[::1] y, const double[::1] row_weight):
    """Return the packed sums of all pairs of rules, and the sums of each rule's terms with y."""
    cdef Py_ssize_t n = rows.shape[0], q = rows.shape[1], m = weights.shape[0], size = q * (q + 1) // 2
    cdef Py_ssize_t i, k, n_fired
    pairs_array = np.zeros((m * (m + 1) // 2, size))
    moments_array = np.zeros((m, q))
    cdef double[:, ::1] pairs = pairs_array, moments = moments_array
    cdef double* packed = <double*>malloc((size + m) * sizeof(double))
    cdef int* fired = <int*>malloc(m * sizeof(int))
    cdef double* degree = packed + size
    if packed == NULL or fired == NULL:
        free(packed)
        free(fired)
        raise MemoryError("there is not enough memory for so many rules")
    with nogil:
        for i in range(n):
            n_fired = 0
            for k in range(m):
                if weights[k, i] > 0.0:
                    fired[n_fired] = <int>k
                    degree[n_fired] = weights[k, i]
                    n_fired += 1
            dense_outer(q, &rows[i, 0], packed)
            dense_add_pairs(n_fired, fired, degree, row_weight[i], size, packed, &pairs[0, 0])
            for k in range(n_fired):
                dense_axpy(q, row_weight[i] * y[i] * degree[k], &rows[i, 0], &moments[fired[k], 0])
        free(packed)
        free(fired)
    return pairs_array, moments_array


def new_rule_sums(const double[:, ::1] rows, const double[:, ::1] weights, const double[::1] new, const double[::1] y,
                  const double[::1] row_weight):
    """Return the packed sums of a new rule with each other rule and with itself, and the sums of its terms with y."""
    cdef Py_ssize_t n = rows.shape[0], q = rows.shape[1], m = weights.shape[0], size = q * (q + 1) // 2, i, k
    pairs_array = np.zeros((m + 1, size))
    moments_array = np.zeros((1, q))
    cdef double[:, ::1] pairs = pairs_array, moments = moments_array
    cdef double* packed = <double*>malloc(size * sizeof(double))
    cdef double weight
    if packed == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            if new[i] <= 0.0:
                continue
            weight = row_weight[i] * new[i]
            dense_outer(q, &rows[i, 0], packed)
            for k in range(m):
                if weights[k, i] > 0.0:
                    dense_axpy(size, weight * weights[k, i], packed, &pairs[k, 0])
            dense_axpy(size, weight * new[i], packed, &pairs[m, 0])
            dense_axpy(q, weight * y[i], &rows[i, 0], &moments[0, 0])
        free(packed)
    return pairs_array, moments_array


def column_sums(const double[:, ::1] rows, const double[:, ::1] weights, const double[:, ::1] columns,
                const double[::1] y, const double[::1] row_weight):
    """Return the sums of some columns with the terms of each rule, with each other, and with y.

    Shapes (rules, columns, terms), (columns, columns) and (columns,).
    """
    cdef Py_ssize_t n = rows.shape[0], q = rows.shape[1], m = weights.shape[0], n_columns = columns.shape[0], i, k, c, d
    terms_array = np.zeros((m, n_columns, q))
    gram_array = np.zeros((n_columns, n_columns))
    moments_array = np.zeros(n_columns)
    cdef double[:, :, ::1] terms = terms_array
    cdef double[:, ::1] gram = gram_array
    cdef double[::1] moments = moments_array
    cdef double value
    with nogil:
        for i in range(n if n_columns > 0 else 0):
            for c in range(n_columns):
                value = columns[c, i] * row_weight[i]
                if value == 0.0:
                    continue
                for k in range(m):
                    if weights[k, i] > 0.0:
                        dense_axpy(q, value * weights[k, i], &rows[i, 0], &terms[k, c, 0])
                for d in range(c + 1):
                    gram[c, d] += value * columns[d, i]
                moments[c] += value * y[i]
        for c in range(n_columns):
            for d in range(c):
                gram[d, c] = gram[c, d]
    return terms_array, gram_array, moments_array


cdef void to_blocks(const double* terms, Py_ssize_t stride, const double[:, ::1] blocks, const int[::1] own_term,
                    const double[::1] own_place, Py_ssize_t q, double* out) noexcept nogil:
    """Write sums with the terms of blocks, from sums with the terms of rules, which are `stride` apart."""
    cdef Py_ssize_t m = blocks.shape[0], k, b
    memset(out, 0, m * q * sizeof(double))
    for k in range(m):
        for b in range(m):
            if blocks[k, b] != 0.0:
                dense_axpy(q, 1.0, terms + k * stride, out + b * q)
    for b in range(m):
        if own_term[b] > 0:
            out[b * q + own_term[b]] -= own_place[b] * out[b * q]


def block_sums(const double[:, :, ::1] rule_terms, const double[:, ::1] blocks, const int[::1] own_term,
               const double[::1] own_place):
    """Return sums with the terms of blocks from sums with the terms of rules.

    Shapes (n, blocks times terms) and (n, rules, terms). Rule k has the terms of every block b with `blocks[k, b]` = 1;
    `own_term` and `own_place` are as in `normal_equations`.
    """
    cdef Py_ssize_t n = rule_terms.shape[0], m = blocks.shape[0], q = rule_terms.shape[2], i
    sums_array = np.empty((n, m * q))
    cdef double[:, ::1] sums = sums_array
    with nogil:
        for i in range(n):
            to_blocks(&rule_terms[i, 0, 0], q, blocks, own_term, own_place, q, &sums[i, 0])
    return sums_array


def normal_equations(tuple rules, tuple curves, const double[:, ::1] blocks, const int[::1] own_term,
                     const double[::1] own_place, double locality, double total):
    """Return the Gram matrix and the moments of the terms of blocks, then of curves, as means over rows.

    `rules` is the result of `pair_sums`, `curves` that of `column_sums`, `total` the weight of all rows. Rule k has the
    terms of every block b with `blocks[k, b]` = 1. The matrix is that of the mixed error: a share `locality` of the
    weighted errors of all rules by themselves, and the rest of their joint error. The term `own_term[b]` of block b is
    counted from `own_place[b]`; if `own_term[b]` is 0, no term is.
    """
    cdef const double[:, ::1] pairs, moments, curve_gram
    cdef const double[:, :, ::1] curve_terms
    cdef const double[::1] curve_moments
    pairs, moments = rules
    curve_terms, curve_gram, curve_moments = curves
    cdef Py_ssize_t m = blocks.shape[0], q = moments.shape[1], size = q * (q + 1) // 2, n_columns = curve_moments.shape[0]
    cdef Py_ssize_t order = m * q + n_columns, k, l, b, c, u, v, at
    gram_array = np.empty((order, order))
    moment_array = np.empty(order)
    half_array = np.zeros((m, m, size))
    degree_array = np.zeros((m, size))
    cdef double[:, ::1] gram = gram_array, alone = degree_array
    cdef double[::1] moment = moment_array
    cdef double[:, :, ::1] half = half_array
    cdef double* packed = <double*>malloc(size * sizeof(double))
    cdef const double* pair
    if packed == NULL:
        raise MemoryError
    with nogil:
        for l in range(m):
            for k in range(m):
                pair = &pairs[l * (l + 1) // 2 + k, 0] if k <= l else &pairs[k * (k + 1) // 2 + l, 0]
                # Weights sum to one, so that a rule's products with all rules sum to its own plain sums.
                dense_axpy(size, 1.0, pair, &alone[l, 0])
                for b in range(m):
                    if blocks[k, b] != 0.0:
                        dense_axpy(size, 1.0, pair, &half[b, l, 0])
        for c in range(m):
            for b in range(c + 1):
                memset(packed, 0, size * sizeof(double))
                for l in range(m):
                    if blocks[l, c] != 0.0:
                        dense_axpy(size, (1.0 - locality) / total, &half[b, l, 0], packed)
                        if locality > 0.0 and blocks[l, b] != 0.0:
                            dense_axpy(size, locality / total, &alone[l, 0], packed)
                at = 0
                for u in range(q):
                    for v in range(u, q):
                        gram[b * q + u, c * q + v] = packed[at]
                        gram[b * q + v, c * q + u] = packed[at]
                        at += 1
                if own_term[b] > 0:
                    for v in range(q):
                        gram[b * q + own_term[b], c * q + v] -= own_place[b] * gram[b * q, c * q + v]
                if own_term[c] > 0:
                    for u in range(q):
                        gram[b * q + u, c * q + own_term[c]] -= own_place[c] * gram[b * q + u, c * q]
                if b < c:
                    for u in range(q):
                        for v in range(q):
                            gram[c * q + v, b * q + u] = gram[b * q + u, c * q + v]
        free(packed)
        to_blocks(&moments[0, 0], q, blocks, own_term, own_place, q, &moment[0])
        for c in range(n_columns):
            to_blocks(&curve_terms[0, c, 0], n_columns * q, blocks, own_term, own_place, q, &gram[m * q + c, 0])
            moment[m * q + c] = curve_moments[c]
            for u in range(m * q):
                gram[m * q + c, u] /= total
                gram[u, m * q + c] = gram[m * q + c, u]
            for u in range(n_columns):
                gram[m * q + c, m * q + u] = curve_gram[c, u] / total
        for u in range(order):
            moment[u] /= total
    return gram_array, moment_array
