"""Gains of a further split of a rule, or a further piece of a curve, from sums over bins of each input.

Bins are few, and their rows count as if they were at the mean of the bin, so that one pass over the rows serves every
candidate of an input.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef extern from "dense.h" nogil:
    void dense_axpy(Py_ssize_t n, double a, const double* x, double* y)
    void dense_outer(Py_ssize_t q, const double* x, double* packed)


cdef double explained(double* system, double* right, Py_ssize_t order) noexcept nogil:
    """Return r' A^-1 r of a positive definite system (lower triangle, row by row), or -1; overwrites A and r."""
    cdef Py_ssize_t i, j, k
    cdef double value, total = 0.0
    cdef double* row
    cdef double* other
    for i in range(order):
        row = system + i * order
        for j in range(i):
            other = system + j * order
            value = row[j]
            for k in range(j):
                value -= row[k] * other[k]
            row[j] = value * other[j]
        value = row[i]
        for k in range(i):
            value -= row[k] * row[k]
        if value <= 1e-12 * row[i]:
            return -1.0
        # The pivot is replaced by the inverse of its square root.
        row[i] = 1.0 / sqrt(value)
        value = right[i]
        for k in range(i):
            value -= row[k] * right[k]
        right[i] = value * row[i]
        total += right[i] * right[i]
    return total


cdef inline double ramp_at(double x, double place, double reach) noexcept nogil:
    cdef double degree = 0.5 + 0.5 * (x - place) / reach
    return 0.0 if degree <= 0.0 else (1.0 if degree >= 1.0 else degree)


cdef struct Bins:
    # For each bin: the sums of x x' with squared weights and with plain weights, the sums of x with the residual, and
    # the weight; then the mixed sums of all bins below, and their moments and weights.
    double* squared
    double* plain
    double* moment
    double* weight
    double* mixed_below
    double* moment_below
    double* weight_below


cdef void fill_bins(Bins* s, const double[:, ::1] rows, const int* terms, Py_ssize_t q, const double[::1] w,
                    const double[::1] residual, const double[::1] row_weight, const unsigned char* bin_of, Py_ssize_t n_bins,
                    double locality, double* x, double* packed) noexcept nogil:
    cdef Py_ssize_t n = rows.shape[0], size = q * (q + 1) // 2, i, u, b
    memset(s.squared, 0, n_bins * (2 * size + q + 1) * sizeof(double))
    for i in range(n):
        if w[i] <= 0.0:
            continue
        b = bin_of[i]
        for u in range(q):
            x[u] = rows[i, terms[u]]
        dense_outer(q, x, packed)
        dense_axpy(size, row_weight[i] * w[i] * w[i], packed, s.squared + b * size)
        if locality > 0.0:
            dense_axpy(size, row_weight[i] * w[i], packed, s.plain + b * size)
        dense_axpy(q, row_weight[i] * w[i] * residual[i], x, s.moment + b * q)
        s.weight[b] += w[i]
    memset(s.mixed_below, 0, size * sizeof(double))
    memset(s.moment_below, 0, q * sizeof(double))
    s.weight_below[0] = 0.0
    for b in range(n_bins):
        memcpy(s.mixed_below + (b + 1) * size, s.mixed_below + b * size, size * sizeof(double))
        dense_axpy(size, 1.0 - locality, s.squared + b * size, s.mixed_below + (b + 1) * size)
        dense_axpy(size, locality, s.plain + b * size, s.mixed_below + (b + 1) * size)
        memcpy(s.moment_below + (b + 1) * q, s.moment_below + b * q, q * sizeof(double))
        dense_axpy(q, 1.0, s.moment + b * q, s.moment_below + (b + 1) * q)
        s.weight_below[b + 1] = s.weight_below[b] + s.weight[b]


cdef double split_gain(const Bins* s, const double* centres, Py_ssize_t n_bins, Py_ssize_t q, double place, double reach,
                       double locality, double total, double ridge, double min_rows, double* room) noexcept nogil:
    """Return the gain of two rules in place of one; -1 if one of them would have too few rows."""
    cdef Py_ssize_t size = q * (q + 1) // 2, order = 2 * q, b, low = 0, high, u, v, at = 0
    cdef double* above = room
    cdef double* below = above + size
    cdef double* both = below + size
    cdef double* system = both + size
    cdef double* right = system + order * order
    cdef double r, weight
    while low < n_bins and (s.weight[low] == 0.0 or ramp_at(centres[low], place, reach) <= 0.0):
        low += 1
    high = low
    memcpy(below, s.mixed_below + low * size, size * sizeof(double))
    memcpy(right, s.moment_below + low * q, q * sizeof(double))
    memset(above, 0, size * sizeof(double))
    memset(both, 0, size * sizeof(double))
    memset(right + q, 0, q * sizeof(double))
    weight = 0.0
    while high < n_bins:
        b = high
        if s.weight[b] > 0.0:
            r = ramp_at(centres[b], place, reach)
            if r >= 1.0:
                break
            weight += r * s.weight[b]
            dense_axpy(size, (1.0 - locality) * r * r, s.squared + b * size, above)
            dense_axpy(size, (1.0 - locality) * (1.0 - r) * (1.0 - r), s.squared + b * size, below)
            dense_axpy(size, (1.0 - locality) * r * (1.0 - r), s.squared + b * size, both)
            if locality > 0.0:
                dense_axpy(size, locality * r, s.plain + b * size, above)
                dense_axpy(size, locality * (1.0 - r), s.plain + b * size, below)
            dense_axpy(q, r, s.moment + b * q, right + q)
            dense_axpy(q, 1.0 - r, s.moment + b * q, right)
        high += 1
    weight += s.weight_below[n_bins] - s.weight_below[high]
    if weight < min_rows or s.weight_below[n_bins] - weight < min_rows:
        return -1.0
    dense_axpy(size, 1.0, s.mixed_below + n_bins * size, above)
    dense_axpy(size, -1.0, s.mixed_below + high * size, above)
    dense_axpy(q, 1.0, s.moment_below + n_bins * q, right + q)
    dense_axpy(q, -1.0, s.moment_below + high * q, right + q)
    for u in range(q):
        for v in range(u, q):
            system[v * order + u] = below[at] / total
            system[(q + v) * order + q + u] = above[at] / total
            system[(q + u) * order + v] = both[at] / total
            system[(q + v) * order + u] = both[at] / total
            at += 1
        system[u * order + u] += ridge
        system[(q + u) * order + q + u] += ridge
    for u in range(order):
        right[u] /= total
    return explained(system, right, order)


def split_gains(tuple table, tuple rule, tuple bins, tuple candidates, const int[::1] terms, double locality,
                double total, double ridge, double min_rows, int max_tried):
    """Return, for each input, the best gain of a split of one rule, and the index of its candidate; -1 for none.

    `table` is (rows, row_weight). `rule` is (weight, residual, bounds): the first two of each row, the last the places
    between which each input may be split, shape (inputs, 2). `bins` is (bin_of, centres): the bin of each row by input,
    and the mean of each bin. `candidates` is (first, places, reaches, new): those of input j are from `first[j]` to
    `first[j + 1]`, in increasing order of place; of the new ones at most `max_tried` are judged, spread evenly over the
    rule's rows. Each of the two rules has linear terms over the columns `terms` of the rows and over the input itself.
    A gain is the reduction of the mean squared error.
    """
    cdef const double[:, ::1] rows, centres, bounds
    cdef const double[::1] row_weight, weight, residual, places, reaches
    cdef const unsigned char[:, ::1] bin_of
    cdef const int[::1] first
    cdef const unsigned char[::1] new
    rows, row_weight = table
    weight, residual, bounds = rule
    bin_of, centres = bins
    first, places, reaches, new = candidates
    cdef Py_ssize_t p = bounds.shape[0], n_bins = centres.shape[1], n_terms = terms.shape[0], q, size, j, c, u, b
    cdef double gain, passed, spacing, seen
    gains_array = np.full(p, -1.0)
    best_array = np.full(p, -1, dtype=np.intc)
    cdef double[::1] gains = gains_array
    cdef int[::1] best = best_array
    q = n_terms + 1
    size = q * (q + 1) // 2
    cdef Py_ssize_t numbers = n_bins * (2 * size + q + 1) + (n_bins + 1) * (size + q + 1)
    cdef double* memory = <double*>malloc((numbers + 3 * size + 4 * q * q + 2 * q + q + size) * sizeof(double))
    cdef int* used = <int*>malloc(q * sizeof(int))
    cdef double* room = memory + numbers
    cdef double* x = room + 3 * size + 4 * q * q + 2 * q
    cdef Bins s
    if memory == NULL or used == NULL:
        free(memory)
        free(used)
        raise MemoryError
    with nogil:
        for u in range(n_terms):
            used[u] = terms[u]
        for j in range(p):
            if first[j] == first[j + 1]:
                continue
            q = n_terms
            for u in range(n_terms):
                if terms[u] == j + 1:
                    break
            else:
                used[n_terms] = <int>(j + 1)
                q = n_terms + 1
            size = q * (q + 1) // 2
            s.squared = memory
            s.plain = s.squared + n_bins * size
            s.moment = s.plain + n_bins * size
            s.weight = s.moment + n_bins * q
            s.mixed_below = s.weight + n_bins
            s.moment_below = s.mixed_below + (n_bins + 1) * size
            s.weight_below = s.moment_below + (n_bins + 1) * q
            fill_bins(&s, rows, used, q, weight, residual, row_weight, &bin_of[j, 0], n_bins, locality, x, x + q)
            spacing = s.weight_below[n_bins] / (max_tried + 1)
            seen = 0.0
            b = 0
            for c in range(first[j], first[j + 1]):
                if places[c] <= bounds[j, 0] or places[c] >= bounds[j, 1]:
                    continue
                if new[c]:
                    while b < n_bins and centres[j, b] < places[c]:
                        b += 1
                    passed = s.weight_below[b]
                    if passed < seen + spacing:
                        continue
                    seen = passed
                gain = split_gain(&s, &centres[j, 0], n_bins, q, places[c], reaches[c], locality, total, ridge, min_rows,
                                  room)
                if gain > gains[j]:
                    gains[j] = gain
                    best[j] = <int>c
        free(memory)
        free(used)
    return gains_array, best_array


def curve_gains(const double[:, ::1] columns, const double[::1] residual, const double[::1] row_weight, tuple bins,
                tuple candidates, double total, double ridge):
    """Return, for each input, the best gain of a further piece of its curve, and the index of its candidate.

    Arguments are as for `split_gains`. A piece adds a step and a slope from its place on. The gain includes that of a
    line over the whole input.
    """
    cdef const double[:, ::1] centres
    cdef const double[::1] places, reaches
    cdef const unsigned char[:, ::1] bin_of
    cdef const int[::1] first
    bin_of, centres = bins
    first, places, reaches, _ = candidates
    cdef Py_ssize_t p = columns.shape[0], n = columns.shape[1], n_bins = centres.shape[1], i, j, c, b, u, v
    cdef double gain, x, weight, e
    cdef double system[16]
    cdef double right[4]
    cdef double z[4]
    gains_array = np.full(p, -1.0)
    best_array = np.full(p, -1, dtype=np.intc)
    cdef double[::1] gains = gains_array
    cdef int[::1] best = best_array
    sums_array = np.empty((3, n_bins))
    cdef double[:, ::1] sums = sums_array
    with nogil:
        for j in range(p):
            if first[j] == first[j + 1]:
                continue
            memset(&sums[0, 0], 0, 3 * n_bins * sizeof(double))
            for i in range(n):
                b = bin_of[j, i]
                e = row_weight[i] * residual[i]
                sums[0, b] += row_weight[i]
                sums[1, b] += e
                sums[2, b] += e * columns[j, i]
            for c in range(first[j], first[j + 1]):
                memset(system, 0, sizeof(system))
                memset(right, 0, sizeof(right))
                for b in range(n_bins):
                    if sums[0, b] == 0.0:
                        continue
                    x = ramp_at(centres[j, b], places[c], reaches[c])
                    z[0] = 1.0
                    z[1] = centres[j, b]
                    z[2] = x
                    z[3] = x * (centres[j, b] - places[c])
                    weight = sums[0, b] / total
                    for u in range(4):
                        for v in range(u + 1):
                            system[u * 4 + v] += weight * z[u] * z[v]
                    right[0] += sums[1, b] / total
                    right[1] += sums[2, b] / total
                    right[2] += x * sums[1, b] / total
                    right[3] += x * (sums[2, b] - places[c] * sums[1, b]) / total
                for u in range(4):
                    system[u * 5] += ridge
                gain = explained(system, right, 4)
                if gain > gains[j]:
                    gains[j] = gain
                    best[j] = <int>c
    return gains_array, best_array
