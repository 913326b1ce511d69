"""Sums for moving all split points of a rule base at once: how its error changes with the place and the reach of each.

The parameters of split point p are number 2p, its place, and 2p + 1, the logarithm of its reach. The split points of
the rules come first, then those of the curves.
"""

import numpy as np

from libc.stdlib cimport free, malloc

cdef extern from "dense.h" nogil:
    void dense_axpy(Py_ssize_t n, double a, const double* x, double* y)


# A row that is no further than this into a ramp counts as at its end. A ramp may end exactly at the smallest or largest
# value; rounding must not decide whether that row is inside.
cdef double EDGE = 1e-9


cdef Py_ssize_t n_below(const double* values, Py_ssize_t n, double x) noexcept nogil:
    """Return the number of increasing values below x."""
    cdef Py_ssize_t low = 0, high = n, middle
    while low < high:
        middle = (low + high) // 2
        if values[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


cdef void sort_points(const int[::1] inputs, const double[::1] places, Py_ssize_t* order) noexcept nogil:
    """Write the indices of points, sorted by input and then by place."""
    cdef Py_ssize_t i, k, number
    for i in range(places.shape[0]):
        number = i
        k = i
        while k > 0 and (inputs[order[k - 1]] > inputs[number] or (inputs[order[k - 1]] == inputs[number]
                                                                   and places[order[k - 1]] > places[number])):
            order[k] = order[k - 1]
            k -= 1
        order[k] = number


cdef bint is_sliver(const double* column, const int* distinct, Py_ssize_t n, double low, double high,
                    double least_width, const int* enough) noexcept nogil:
    """Return whether a label is narrow, and has neither many rows nor a few values that are repeated several times."""
    cdef Py_ssize_t start, stop
    cdef int n_distinct
    # With a tolerance for rounding.
    if high - low >= least_width * (1.0 - 1e-9):
        return False
    start = n_below(column, n, low)
    stop = n if high >= column[n - 1] else n_below(column, n, high)
    if stop <= start:
        return True
    if stop - start >= enough[0]:
        return False
    n_distinct = distinct[stop - 1] - distinct[start] + 1
    return n_distinct > enough[1] or stop - start < enough[2] * n_distinct


def slivers(const double[::1] values, const int[::1] distinct, const double[::1] lows, const double[::1] highs,
            double least_width, const int[::1] enough):
    """Return which labels, each from a low to a high end, are too narrow.

    `values` are those of the input in increasing order, and `distinct` numbers them from 0; equal values have the same
    number. `enough` is (rows, distinct values, repeats): a label narrower than `least_width` needs at least this many
    rows, or at most this many distinct values, each repeated at least this often on average.
    """
    cdef Py_ssize_t k
    found_array = np.zeros(lows.shape[0], dtype=np.bool_)
    cdef unsigned char[::1] found = found_array.view(np.uint8)
    with nogil:
        for k in range(lows.shape[0]):
            found[k] = is_sliver(&values[0], &distinct[0], values.shape[0], lows[k], highs[k], least_width, &enough[0])
    return found_array


def largest_reaches(const int[::1] inputs, const double[::1] places, const double[:, ::1] domains):
    """Return the largest reaches: half way to a neighbour of the same input, all the way to an end of its domain."""
    cdef Py_ssize_t n_points = places.shape[0], k
    reaches_array = np.empty(n_points)
    cdef double[::1] reaches = reaches_array
    cdef double left, right
    cdef Py_ssize_t* order = <Py_ssize_t*>malloc((n_points + 1) * sizeof(Py_ssize_t))
    if order == NULL:
        raise MemoryError
    with nogil:
        sort_points(inputs, places, order)
        for k in range(n_points):
            left = places[order[k]] - domains[inputs[order[k]], 0]
            right = domains[inputs[order[k]], 1] - places[order[k]]
            if k > 0 and inputs[order[k - 1]] == inputs[order[k]]:
                left = 0.5 * (places[order[k]] - places[order[k - 1]])
            if k < n_points - 1 and inputs[order[k + 1]] == inputs[order[k]]:
                right = 0.5 * (places[order[k + 1]] - places[order[k]])
            reaches[order[k]] = min(left, right)
        free(order)
    return reaches_array


def moved_places(const int[::1] inputs, const double[::1] places, const double[::1] steps, tuple table,
                 const double[:, ::1] domains, const unsigned char[::1] fixed, double max_step, Py_ssize_t min_label_rows,
                 double min_gap, const int[::1] enough):
    """Return the places of points after a step.

    `table` is (values, distinct, least_widths): the sorted values of each input, their numbers, and the minimum width
    of a label; for these and `enough` see `slivers`. A point moves by at most `max_step` of the way to its neighbour,
    and only as far as no label has fewer than `min_label_rows` of the values or is a sliver. The points of `fixed` inputs
    stay, and so do all points of an input if two of them would come closer than `min_gap` of its domain.
    """
    cdef const double[:, ::1] values
    cdef const int[:, ::1] distinct
    cdef const double[::1] least_widths
    values, distinct, least_widths = table
    cdef Py_ssize_t n_points = places.shape[0], n = values.shape[1], first = 0, end, k, p, below, above
    cdef double low, high, before, after, place, least
    cdef const double* column
    cdef const int* numbers
    cdef bint crowded, held
    moved_array = np.array(places)
    cdef double[::1] moved = moved_array
    cdef Py_ssize_t* order = <Py_ssize_t*>malloc((n_points + 1) * sizeof(Py_ssize_t))
    if order == NULL:
        raise MemoryError
    with nogil:
        sort_points(inputs, places, order)
        while first < n_points:
            p = order[first]
            end = first + 1
            while end < n_points and inputs[order[end]] == inputs[p]:
                end += 1
            if not fixed[inputs[p]]:
                column = &values[inputs[p], 0]
                numbers = &distinct[inputs[p], 0]
                least = least_widths[inputs[p]]
                low = domains[inputs[p], 0]
                high = domains[inputs[p], 1]
                crowded = False
                for k in range(first, end):
                    p = order[k]
                    before = places[order[k - 1]] if k > first else low
                    after = places[order[k + 1]] if k < end - 1 else high
                    place = places[p] + max(steps[p], -max_step * (places[p] - before))
                    place = min(place, places[p] + max_step * (after - places[p]))
                    below = n_below(column, n, moved[order[k - 1]]) if k > first else 0
                    above = n_below(column, n, after) if k < end - 1 else n
                    below = min(below + min_label_rows, n - 1)
                    above = max(above - min_label_rows - 1, 0)
                    # Only the rows of smaller values are below a repeated value.
                    while 0 < below < n - 1 and column[below] == column[below - 1]:
                        below += 1
                    if below > 0 and column[below - 1] < column[below] <= column[above]:
                        # Not at the next value itself, which may be the largest: a label ends inside the domain.
                        if place <= column[below - 1]:
                            place = 0.5 * (column[below - 1] + column[below])
                        moved[p] = min(place, column[above])
                    before = moved[order[k - 1]] if k > first else low
                    held = False
                    if is_sliver(column, numbers, n, before, moved[p], least, &enough[0]):
                        moved[p] = before + least
                        held = True
                    if is_sliver(column, numbers, n, moved[p], after, least, &enough[0]):
                        moved[p] = after - least
                        held = True
                    if held:
                        # Between the two there may be no room, or too few rows.
                        below = n_below(column, n, moved[p]) - (n_below(column, n, before) if k > first else 0)
                        above = (n_below(column, n, after) if k < end - 1 else n) - n_below(column, n, moved[p])
                        crowded |= below < min_label_rows or above < min_label_rows or is_sliver(
                            column, numbers, n, before, moved[p], least, &enough[0])
                    if k > first and moved[p] - moved[order[k - 1]] <= min_gap * (high - low):
                        crowded = True
                for k in range(first, end if crowded else first):
                    moved[order[k]] = places[order[k]]
            first = end
        free(order)
    return moved_array


def tuning_sums(tuple table, tuple rules, tuple splits, tuple curves, tuple conditions, tuple uses, double locality):
    """Return the gradient of the mixed error, and the sums of the outputs' slopes with each other and with every term.

    Shapes (parameters,), (parameters, parameters), (parameters, rules, terms) and (parameters, columns of curves).

    `table` is (columns, rows, residual, row_weight); `rules` is (weights, outputs), of shape (rules, rows); `splits` is
    (ramps, inputs, places, reaches); `curves` is the same with (lines, terms): intercept and slope of each piece, and
    the columns of the curves. `conditions` is (first, lower, upper), as for `rule_weights`. `uses` is (first, rule,
    condition, sign): where each split point occurs, and whether as a lower (1) or an upper (-1) one.
    """
    cdef const double[:, ::1] columns, rows, weights, outputs, ramps, bends, lines, terms
    cdef const double[::1] residual, row_weight, places, reaches, bend_places, bend_reaches, use_sign
    cdef const int[::1] inputs, bend_inputs, first, lower, upper, use_first, use_rule, use_condition
    columns, rows, residual, row_weight = table
    weights, outputs = rules
    ramps, inputs, places, reaches = splits
    bends, bend_inputs, bend_places, bend_reaches, lines, terms = curves
    first, lower, upper = conditions
    use_first, use_rule, use_condition, use_sign = uses
    cdef Py_ssize_t n = rows.shape[0], q = rows.shape[1], m = weights.shape[0]
    cdef Py_ssize_t n_splits = places.shape[0], n_bends = bend_places.shape[0], n_terms = terms.shape[0]
    cdef Py_ssize_t size = 2 * (n_splits + n_bends), i, p, z, k, c, u, v, n_active
    gradient_array = np.zeros(size)
    curvature_array = np.zeros((size, size))
    rule_terms_array = np.zeros((size, m, q))
    curve_terms_array = np.zeros((size, n_terms))
    cdef double[::1] gradient = gradient_array
    cdef double[:, ::1] curvature = curvature_array, curve_terms = curve_terms_array
    cdef double[:, :, ::1] rule_terms = rule_terms_array
    cdef double output_slope, error_slope, others, apart, mean, x, by_place, by_reach, value
    cdef double* slope = <double*>malloc((size + 1) * sizeof(double))
    cdef int* active = <int*>malloc((size + 1) * sizeof(int))
    if slope == NULL or active == NULL:
        free(slope)
        free(active)
        raise MemoryError
    with nogil:
        for i in range(n):
            n_active = 0
            mean = 0.0
            for k in range(m):
                if weights[k, i] > 0.0:
                    mean += weights[k, i] * outputs[k, i]
            for p in range(n_splits):
                if ramps[p, i] <= EDGE or ramps[p, i] >= 1.0 - EDGE:
                    continue
                output_slope = 0.0
                error_slope = 0.0
                for z in range(use_first[p], use_first[p + 1]):
                    k = use_rule[z]
                    others = use_sign[z]
                    for c in range(first[k], first[k + 1]):
                        if c != use_condition[z]:
                            others *= ((1.0 if lower[c] < 0 else ramps[lower[c], i])
                                       - (0.0 if upper[c] < 0 else ramps[upper[c], i]))
                    if others == 0.0:
                        continue
                    apart = outputs[k, i] - mean
                    output_slope += others * outputs[k, i]
                    error_slope += others * apart * (locality * apart - 2.0 * residual[i])
                x = columns[inputs[p], i] - places[p]
                by_place = -0.5 / reaches[p]
                by_reach = -0.5 * x / reaches[p]
                gradient[2 * p] += row_weight[i] * error_slope * by_place
                gradient[2 * p + 1] += row_weight[i] * error_slope * by_reach
                active[n_active] = <int>(2 * p)
                slope[n_active] = output_slope * by_place
                active[n_active + 1] = <int>(2 * p + 1)
                slope[n_active + 1] = output_slope * by_reach
                n_active += 2
            for p in range(n_bends):
                if bends[p, i] <= EDGE or bends[p, i] >= 1.0 - EDGE:
                    continue
                x = columns[bend_inputs[p], i]
                output_slope = lines[p, 0] + lines[p, 1] * x
                by_place = -0.5 / bend_reaches[p]
                by_reach = -0.5 * (x - bend_places[p]) / bend_reaches[p]
                z = 2 * (n_splits + p)
                gradient[z] -= 2.0 * row_weight[i] * residual[i] * output_slope * by_place
                gradient[z + 1] -= 2.0 * row_weight[i] * residual[i] * output_slope * by_reach
                active[n_active] = <int>z
                slope[n_active] = output_slope * by_place
                active[n_active + 1] = <int>(z + 1)
                slope[n_active + 1] = output_slope * by_reach
                n_active += 2
            for u in range(n_active):
                value = row_weight[i] * slope[u]
                z = active[u]
                for v in range(n_active):
                    curvature[z, active[v]] += value * slope[v]
                for k in range(m):
                    if weights[k, i] > 0.0:
                        dense_axpy(q, value * weights[k, i], &rows[i, 0], &rule_terms[z, k, 0])
                for c in range(n_terms):
                    curve_terms[z, c] += value * terms[c, i]
        free(slope)
        free(active)
    return gradient_array, curvature_array, rule_terms_array, curve_terms_array
