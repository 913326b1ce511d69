"""Errors of tuned Mamdani rules: centroids of clipped output triangles, weighted by the degrees of the rules."""

import numpy as np

from libc.math cimport INFINITY

from fruler._kernels.tuned_firing cimport Fired, TunedRules, close_tuned, fire_rows, open_tuned, take_selected

cdef enum:
    # The number of rows between two checks whether the error is already too large.
    STRIDE = 512


cdef struct ScoredRows:
    Py_ssize_t n_rows
    const double* columns
    const double* y
    const double* weight


cdef inline double clipped_centroid(const double* triangle, double height) noexcept nogil:
    """Return the centroid of a triangle that is clipped at a height."""
    # Measured from the peak: squares of large numbers that differ by little would lose digits.
    cdef double skew = (triangle[2] - triangle[1]) - (triangle[1] - triangle[0]), rest = 1.0 - height
    return triangle[1] + skew * ((1.0 + rest + rest * rest) / (3.0 * (1.0 + rest)))


cdef int sum_errors(const TunedRules* rules, const double* outputs, ScoredRows* table, double limit, Fired* fired,
                    double* sum_, Py_ssize_t* n_uncovered) noexcept nogil:
    """Write the weighted sum of squared errors, infinity if it exceeds the limit; return 0, or -1 without memory."""
    cdef Py_ssize_t first = 0, last, row, k
    cdef double output, total, residual
    sum_[0] = 0.0
    n_uncovered[0] = 0
    while first < table.n_rows:
        last = min(table.n_rows, first + STRIDE)
        if fire_rows(rules, table.columns, table.n_rows, first, last, fired) != 0:
            return -1
        n_uncovered[0] += fired.n_uncovered
        for row in range(last - first):
            output = 0.0
            total = 0.0
            for k in range(fired.start[row], fired.start[row + 1]):
                output += fired.degree[k] * clipped_centroid(outputs + 3 * rules.number[fired.rule[k]],
                                                             fired.degree[k])
                total += fired.degree[k]
            residual = output / total - table.y[first + row]
            sum_[0] += table.weight[first + row] * residual * residual
        if sum_[0] > limit:
            sum_[0] = INFINITY
            return 0
        first = last
    return 0


def evaluate(const double[:, :, :, ::1] triangles, const double[:, :, ::1] outputs, const unsigned char[:, ::1] selected,
             tuple table, int t_norm, const double[::1] limits):
    """Evaluate a batch of chromosomes without the interpreter's lock.

    `triangles` (chromosomes, rules, inputs, 3) and `outputs` (chromosomes, rules, 3) are the labels of the rules,
    `selected` (chromosomes, rules) the selected rules, and `table` the columns (inputs, rows), their widths, y and
    weight. Returns an array (chromosomes, 2): the weighted sum of squared errors and the number of rows that no rule
    covers. A chromosome without rules, or with a sum above its limit, has an infinite error; above the limit, later
    rows are not counted.
    """
    cdef Py_ssize_t c, n = triangles.shape[0], n_rules = triangles.shape[1], n_uncovered = 0
    cdef const double[:, ::1] columns
    cdef const double[::1] widths, y, weight
    cdef TunedRules rules
    cdef Fired fired
    cdef ScoredRows rows
    cdef int status
    columns, widths, y, weight = table
    rows.n_rows, rows.columns, rows.y, rows.weight = y.shape[0], &columns[0, 0], &y[0], &weight[0]
    results_array = np.zeros((n, 2))
    cdef double[:, ::1] results = results_array
    with nogil:
        status = open_tuned(n_rules, triangles.shape[2], STRIDE, &rules, &fired)
        if status == 0:
            rules.t_norm, rules.widths = t_norm, &widths[0]
            for c in range(n):
                take_selected(&triangles[c, 0, 0, 0], &selected[c, 0], n_rules, &rules)
                if rules.n_rules == 0:
                    results[c, 0] = INFINITY
                    continue
                status = sum_errors(&rules, &outputs[c, 0, 0], &rows, limits[c], &fired, &results[c, 0], &n_uncovered)
                if status != 0:
                    break
                results[c, 1] = n_uncovered
            close_tuned(&rules, &fired)
    if status != 0:
        raise MemoryError("there is not enough memory for so many rules")
    return results_array
