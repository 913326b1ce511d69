"""Rules whose antecedents are triangles: their degrees, and their joint output.

A triangle is three numbers a <= b <= c: the degree rises from 0 at a to 1 at b and falls to 0 at c. An infinite a or c
keeps it at 1 on that side. If a is NaN, the rule has no condition on the input.
"""

import numpy as np

from libc.math cimport fabs, isnan

cdef enum:
    PRODUCT = 0
    MINIMUM = 1

cdef double LARGEST = 1.7976931348623157e308


cdef inline double membership(double x, const double* triangle) noexcept nogil:
    cdef double a = triangle[0], b = triangle[1], c = triangle[2]
    if x < b:
        if a < -LARGEST:
            return 1.0
        return (x - a) / (b - a) if x > a else 0.0
    if x > b:
        if c > LARGEST:
            return 1.0
        return (c - x) / (c - b) if x < c else 0.0
    return 1.0


cdef double fire_row(const double* x, const double[:, :, ::1] points, int t_norm, double* degrees) noexcept nogil:
    """Write the degree of every rule for one row; return their sum."""
    cdef Py_ssize_t rule, j
    cdef double degree, matched, total = 0.0
    for rule in range(points.shape[0]):
        degree = 1.0
        for j in range(points.shape[1]):
            if isnan(points[rule, j, 0]):
                continue
            matched = membership(x[j], &points[rule, j, 0])
            if t_norm == PRODUCT:
                degree *= matched
            elif matched < degree:
                degree = matched
            if degree == 0.0:
                break
        degrees[rule] = degree
        total += degree
    return total


cdef Py_ssize_t nearest_rule(const double* x, const double[:, :, ::1] points, const double* widths) noexcept nogil:
    """Return the rule with the nearest peaks, each distance as a share of the input's width; of several the first."""
    cdef Py_ssize_t rule, j, best = 0
    cdef double b, distance, least = -1.0
    for rule in range(points.shape[0]):
        distance = 0.0
        for j in range(points.shape[1]):
            if isnan(points[rule, j, 0]):
                continue
            b = points[rule, j, 1]
            if (x[j] < b and points[rule, j, 0] < -LARGEST) or (x[j] > b and points[rule, j, 2] > LARGEST):
                continue
            distance += fabs(x[j] - b) / widths[j]
        if least < 0.0 or distance < least:
            least = distance
            best = rule
    return best


cdef double answer_row(const double* x, const double[:, :, ::1] points, const double* widths, int t_norm,
                       double* degrees, unsigned char* fired) noexcept nogil:
    """Write the degrees for one row, 1 for the nearest rule if none fires; return their sum."""
    cdef double total = fire_row(x, points, t_norm, degrees)
    fired[0] = total > 0.0
    if total > 0.0:
        return total
    degrees[nearest_rule(x, points, widths)] = 1.0
    return 1.0


cdef inline double centroid(const double* triangle, double height) noexcept nogil:
    """Return the centroid of a triangle that is clipped at a height."""
    # The textbook's quotient of differences of squares, with everything measured from b: then (c - b)^2 - (b - a)^2 and
    # the width have a common factor, and neither large numbers nor a triangle without width do any harm.
    cdef double skew = (triangle[2] - triangle[1]) - (triangle[1] - triangle[0]), rest = 1.0 - height
    return triangle[1] + skew * ((1.0 + rest + rest * rest) / (3.0 * (1.0 + rest)))


def fire(const double[:, ::1] X, const double[:, :, ::1] points, const double[::1] widths, int t_norm):
    """Return the degree of each rule in each row, and for each row whether any rule fires.

    `X` has the inputs in antecedents, `points` (rules, inputs, 3) their triangles, and `widths` the divisors of
    distances. If no rule fires, the nearest one has degree 1.
    """
    cdef Py_ssize_t i, n = X.shape[0]
    degrees_array = np.zeros((n, points.shape[0]))
    fired_array = np.empty(n, dtype=np.uint8)
    cdef double[:, ::1] degrees = degrees_array
    cdef unsigned char[::1] fired = fired_array
    cdef const double* width = &widths[0] if widths.shape[0] else NULL
    with nogil:
        for i in range(n):
            answer_row(&X[i, 0], points, width, t_norm, &degrees[i, 0], &fired[i])
    return degrees_array, fired_array.view(np.bool_)


def predict_linear(const double[:, ::1] X, const double[:, :, ::1] points, const double[::1] widths, int t_norm,
                   const double[:, ::1] values, const double[:, ::1] coefficients):
    """Return the mean of the rules' linear outputs for `values` (intercept first), weighted by their degrees."""
    cdef Py_ssize_t i, rule, j, n = X.shape[0], p = values.shape[1]
    cdef double output, total, weights
    cdef unsigned char fired
    predictions_array = np.empty(n)
    degrees_array = np.zeros(points.shape[0])
    cdef double[::1] predictions = predictions_array, degrees = degrees_array
    cdef const double* width = &widths[0] if widths.shape[0] else NULL
    with nogil:
        for i in range(n):
            weights = answer_row(&X[i, 0], points, width, t_norm, &degrees[0], &fired)
            total = 0.0
            for rule in range(points.shape[0]):
                if degrees[rule] == 0.0:
                    continue
                output = coefficients[rule, 0]
                for j in range(p):
                    output += coefficients[rule, j + 1] * values[i, j]
                total += degrees[rule] / weights * output
            predictions[i] = total
    return predictions_array


def predict_labels(const double[:, ::1] X, const double[:, :, ::1] points, const double[::1] widths, int t_norm,
                   const double[:, ::1] said):
    """Return the mean centroid of the rules' output triangles `said`, clipped at and weighted by the rules' degrees."""
    cdef Py_ssize_t i, rule, n = X.shape[0]
    cdef double total, weights
    cdef unsigned char fired
    predictions_array = np.empty(n)
    degrees_array = np.zeros(points.shape[0])
    cdef double[::1] predictions = predictions_array, degrees = degrees_array
    cdef const double* width = &widths[0] if widths.shape[0] else NULL
    with nogil:
        for i in range(n):
            weights = answer_row(&X[i, 0], points, width, t_norm, &degrees[0], &fired)
            total = 0.0
            for rule in range(points.shape[0]):
                if degrees[rule] > 0.0:
                    total += degrees[rule] / weights * centroid(&said[rule, 0], degrees[rule])
            predictions[i] = total
    return predictions_array


def centroids(const double[:, ::1] said, const double[:, ::1] heights):
    """Return the centroid of each triangle, clipped at each row's height; the shape is that of `heights`."""
    cdef Py_ssize_t i, rule
    centroids_array = np.empty((heights.shape[0], heights.shape[1]))
    cdef double[:, ::1] found = centroids_array
    with nogil:
        for i in range(heights.shape[0]):
            for rule in range(heights.shape[1]):
                found[i, rule] = centroid(&said[rule, 0], heights[i, rule])
    return centroids_array
