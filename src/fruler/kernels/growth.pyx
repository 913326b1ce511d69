"""What growing a rule base needs: weights of rules, normal equations, the choice of coefficients, the promise of splits.

A rule's conditions are ranges of labels. The label above split i of an input rises linearly from `starts[input, i]` with
`slopes[input, i]`; a rule that accepts the labels first..last of it has what has risen at split first - 1 and not yet at
split last. Rules that come from splitting one rule again and again share every row among them: weights sum to one.
"""

import numpy as np

from libc.math cimport INFINITY, log
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from scipy.linalg.cython_lapack cimport dposv, dpotrf, dpotri

cdef extern from "dense.h" nogil:
    void dense_axpy(Py_ssize_t n, double a, const double* x, double* y)
    void dense_outer(Py_ssize_t q, const double* x, double* packed)
    void dense_add_pairs(Py_ssize_t n_fired, const int* fired, const double* degree, double weight, Py_ssize_t size,
                         const double* packed, double* blocks)

# No error is taken for less than this share of the output's variance: an exact fit is not worth any number of terms.
cdef double MIN_ERROR = 1e-12
# What is left of a term once those before it are taken out must be this share of it, or it is rounding.
cdef double MIN_PIVOT = 1e-11
# Rounding is mended by far less; more is tried only where a number is not finite, without end.
cdef double MAX_JITTER = 1e6


cdef inline double risen(double x, double start, double slope) noexcept nogil:
    cdef double degree = (x - start) * slope
    return 0.0 if degree <= 0.0 else (1.0 if degree >= 1.0 else degree)


def rule_weights(const double[:, ::1] columns, const int[::1] n_splits, const double[:, ::1] starts,
                 const double[:, ::1] slopes, const int[:, :, ::1] ranges):
    """Return the weight of every rule in every row, shape (rows, rules), of columns (inputs, rows)."""
    cdef Py_ssize_t m = ranges.shape[0], p = columns.shape[0], n = columns.shape[1], rule, j, i
    cdef int first, last
    weights_array = np.ones((m, n))
    cdef double[:, ::1] weights = weights_array
    cdef const double* x
    cdef double* w
    with nogil:
        for rule in range(m):
            w = &weights[rule, 0]
            for j in range(p):
                first = ranges[rule, j, 0]
                last = ranges[rule, j, 1]
                if first == 0 and last == n_splits[j]:
                    continue
                x = &columns[j, 0]
                if first == 0:
                    for i in range(n):
                        w[i] *= 1.0 - risen(x[i], starts[j, last], slopes[j, last])
                elif last == n_splits[j]:
                    for i in range(n):
                        w[i] *= risen(x[i], starts[j, first - 1], slopes[j, first - 1])
                else:
                    for i in range(n):
                        w[i] *= (risen(x[i], starts[j, first - 1], slopes[j, first - 1])
                                 - risen(x[i], starts[j, last], slopes[j, last]))
    return np.ascontiguousarray(weights_array.T)


def normal_equations(const double[:, ::1] rows, const double[:, ::1] weights, const double[::1] y,
                     const double[::1] row_weight):
    """Return the Gram matrix and the moments of the rules' terms, and the mean of y squared; all as weighted means.

    `rows` have a one before the inputs; the terms of a rule are these, times its weight.
    """
    cdef Py_ssize_t n = rows.shape[0], q = rows.shape[1], m = weights.shape[1], size = q * (q + 1) // 2
    cdef Py_ssize_t i, k, l, a, b, n_fired, n_blocks = m * (m + 1) // 2 * size
    cdef double total = 0.0, square = 0.0, value
    gram_array = np.empty((m * q, m * q))
    moment_array = np.zeros(m * q)
    cdef double[:, ::1] gram = gram_array
    cdef double[::1] moment = moment_array
    cdef double* blocks = <double*>malloc((n_blocks + size + m) * sizeof(double))
    cdef int* fired = <int*>malloc(m * sizeof(int))
    cdef double* packed
    cdef double* degree
    cdef double* block
    if blocks == NULL or fired == NULL:
        free(blocks)
        free(fired)
        raise MemoryError("there is not enough memory for so many rules")
    packed = blocks + n_blocks
    degree = packed + size
    with nogil:
        memset(blocks, 0, n_blocks * sizeof(double))
        for i in range(n):
            n_fired = 0
            for k in range(m):
                if weights[i, k] > 0.0:
                    fired[n_fired] = <int>k
                    degree[n_fired] = weights[i, k]
                    n_fired += 1
            dense_outer(q, &rows[i, 0], packed)
            dense_add_pairs(n_fired, fired, degree, row_weight[i], size, packed, blocks)
            for k in range(n_fired):
                dense_axpy(q, row_weight[i] * y[i] * degree[k], &rows[i, 0], &moment[fired[k] * q])
            square += row_weight[i] * y[i] * y[i]
            total += row_weight[i]
        block = blocks
        for l in range(m):
            for k in range(l + 1):
                for a in range(q):
                    for b in range(a, q):
                        value = block[0] / total
                        block += 1
                        gram[k * q + a, l * q + b] = value
                        gram[k * q + b, l * q + a] = value
                        gram[l * q + a, k * q + b] = value
                        gram[l * q + b, k * q + a] = value
        for a in range(m * q):
            moment[a] /= total
        free(blocks)
        free(fired)
    return gram_array, moment_array, square / total


cdef Py_ssize_t drop_term(double* inverse, Py_ssize_t stride, Py_ssize_t k, Py_ssize_t dropped, double* beta,
                          Py_ssize_t* terms, double* column) noexcept nogil:
    """Take one of k terms out of the least-squares solution; the last one moves to its place. Return k - 1."""
    cdef Py_ssize_t i, last = k - 1
    cdef double pivot = inverse[dropped * stride + dropped], coefficient = beta[dropped]
    memcpy(column, inverse + dropped * stride, k * sizeof(double))
    for i in range(k):
        beta[i] -= column[i] * coefficient / pivot
        dense_axpy(k, -column[i] / pivot, column, inverse + i * stride)
    if dropped != last:
        memcpy(inverse + dropped * stride, inverse + last * stride, k * sizeof(double))
        # Its own row is there already, so that this moves the diagonal, too.
        for i in range(last):
            inverse[i * stride + dropped] = inverse[i * stride + last]
        beta[dropped] = beta[last]
        terms[dropped] = terms[last]
    return last


cdef bint invert(const double[:, ::1] gram, Py_ssize_t q, double ridge, double intercept_ridge,
                 double[:, ::1] inverse) noexcept nogil:
    """Write the inverse of the Gram matrix with a ridge on its diagonal; return whether there is one."""
    cdef Py_ssize_t size = gram.shape[0], i, k
    cdef int order = <int>size, info = 0
    cdef double value, jitter = 0.0
    while True:
        for i in range(size):
            memcpy(&inverse[i, 0], &gram[i, 0], size * sizeof(double))
            inverse[i, i] += jitter + (intercept_ridge if i % q == 0 else ridge)
        dpotrf(b"L", &order, &inverse[0, 0], &order, &info)
        if info == 0:
            for i in range(size):
                value = gram[i, i] + jitter + (intercept_ridge if i % q == 0 else ridge)
                if inverse[i, i] * inverse[i, i] < MIN_PIVOT * value:
                    info = 1
        if info == 0:
            break
        # Rounding can leave a matrix of collinear terms indefinite, or definite by nothing but rounding; the least
        # ridge that mends it is enough.
        jitter = 1e-10 if jitter == 0.0 else jitter * 10.0
        if jitter > MAX_JITTER:
            return False
    dpotri(b"L", &order, &inverse[0, 0], &order, &info)
    # LAPACK's lower triangle is the upper one of a row-major matrix.
    for i in range(size):
        for k in range(i):
            inverse[i, k] = inverse[k, i]
    return True


def choose_terms(const double[:, ::1] gram, const double[::1] moment, double square, Py_ssize_t q, double ridge,
                 double intercept_ridge, double n_rows, double price):
    """Fit all terms with a ridge, then leave out slopes one by one while n·log(error) + price·terms falls.

    Returns the coefficients (zero where left out), the penalised mean squared error, and the number of terms kept,
    intercepts included. Every q-th term is an intercept, which stays.
    """
    cdef Py_ssize_t size = gram.shape[0], k = size, i, best
    cdef double error, value, least, now, then
    inverse_array = np.empty((size, size))
    cdef double[:, ::1] inverse = inverse_array
    beta_array = np.empty(size)
    cdef double[::1] beta = beta_array
    coefficients_array = np.zeros(size)
    cdef double[::1] coefficients = coefficients_array
    cdef Py_ssize_t* terms = <Py_ssize_t*>malloc(size * sizeof(Py_ssize_t))
    cdef double* column = <double*>malloc(size * sizeof(double))
    if terms == NULL or column == NULL:
        free(terms)
        free(column)
        raise MemoryError("there is not enough memory for so many terms")
    with nogil:
        if not invert(gram, q, ridge, intercept_ridge, inverse):
            free(terms)
            free(column)
            with gil:
                raise ValueError("the normal equations are not finite, or far from positive definite")
        for i in range(size):
            terms[i] = i
        error = square
        for i in range(size):
            value = 0.0
            for best in range(size):
                value += inverse[i, best] * moment[best]
            beta[i] = value
            error -= value * moment[i]
        error = max(error, MIN_ERROR)
        now = n_rows * log(error) + price * k
        while True:
            best = -1
            least = INFINITY
            for i in range(k):
                if terms[i] % q != 0:
                    value = beta[i] * beta[i] / inverse[i, i]
                    if value < least:
                        least = value
                        best = i
            if best < 0:
                break
            then = n_rows * log(error + least) + price * (k - 1)
            if then > now:
                break
            k = drop_term(&inverse[0, 0], size, k, best, &beta[0], terms, column)
            error += least
            now = then
        for i in range(k):
            coefficients[terms[i]] = beta[i]
        free(terms)
        free(column)
    return coefficients_array, error, k


cdef double split_gain(const double* whole, const double* moment, const double* here, Py_ssize_t q, double total,
                       double ridge, double* system) noexcept nogil:
    """Return what the two rules of one split explain; -1 where that can't be solved.

    `here` has the sums of the upper rule with itself and with the lower one, and its moments; `whole` and `moment` those
    of the rule before. `system` has room for the normal equations of both and two right-hand sides.
    """
    cdef Py_ssize_t size = q * (q + 1) // 2, a, b, at = 0
    cdef int order = <int>(2 * q), one = 1, info = 0
    cdef double* right = system + 4 * q * q
    cdef double value
    # Lower triangle, column by column: the lower rule first, then the upper one.
    for a in range(q):
        for b in range(a, q):
            # whole = lower·lower + 2 lower·upper + upper·upper
            value = whole[at] - 2.0 * here[size + at] - here[at]
            system[a * 2 * q + b] = value / total
            system[(q + a) * 2 * q + q + b] = here[at] / total
            system[a * 2 * q + q + b] = here[size + at] / total
            system[b * 2 * q + q + a] = here[size + at] / total
            at += 1
        system[a * 2 * q + a] += ridge
        system[(q + a) * 2 * q + q + a] += ridge
        right[q + a] = here[2 * size + a] / total
        right[a] = moment[a] / total - right[q + a]
    memcpy(right + 2 * q, right, 2 * q * sizeof(double))
    dposv(b"L", &order, &one, system, &order, right, &order, &info)
    if info != 0:
        return -1.0
    value = 0.0
    for a in range(2 * q):
        value += right[a] * right[2 * q + a]
    return value


def score_splits(tuple table, const int[::1] terms, const double[::1] rule_weight, int feature, tuple ramps,
                 double total, double ridge, double min_weight):
    """Return how much of the squared residual two rules in place of one could explain, for splits of one input.

    `table` is (columns, rows, residual, weight), `ramps` is (starts, slopes). The two have their own linear terms over
    the columns `terms` of `rows`; the other rules stay as they are. The value is a mean over all rows; -1 where one of
    the two would have less than `min_weight` rows.
    """
    cdef const double[:, ::1] columns, rows
    cdef const double[::1] residual, row_weight, starts, slopes
    columns, rows, residual, row_weight = table
    starts, slopes = ramps
    cdef Py_ssize_t n = rows.shape[0], q = terms.shape[0], size = q * (q + 1) // 2, n_splits = starts.shape[0]
    cdef Py_ssize_t i, s, a, stride = 2 * size + q + 1
    cdef double w, r, value, weight_all = 0.0
    gains_array = np.full(n_splits, -1.0)
    cdef double[::1] gains = gains_array
    # For each split: the sums of the upper rule with itself and with the lower one, its moments, its weight.
    cdef double* sums = <double*>malloc((n_splits * stride + 2 * size + 2 * q + 4 * q * q + 4 * q) * sizeof(double))
    cdef double* whole = sums + n_splits * stride
    cdef double* packed = whole + size
    cdef double* moment = packed + size
    cdef double* x = moment + q
    cdef double* here
    if sums == NULL:
        raise MemoryError
    with nogil:
        memset(sums, 0, (n_splits * stride + 2 * size + 2 * q) * sizeof(double))
        for i in range(n):
            w = rule_weight[i]
            if w <= 0.0:
                continue
            for a in range(q):
                x[a] = rows[i, terms[a]]
            dense_outer(q, x, packed)
            value = row_weight[i] * w * w
            dense_axpy(size, value, packed, whole)
            dense_axpy(q, row_weight[i] * w * residual[i], x, moment)
            weight_all += row_weight[i] * w
            for s in range(n_splits):
                r = risen(columns[feature, i], starts[s], slopes[s])
                if r <= 0.0:
                    continue
                here = sums + s * stride
                dense_axpy(size, value * r * r, packed, here)
                if r < 1.0:
                    dense_axpy(size, value * r * (1.0 - r), packed, here + size)
                dense_axpy(q, row_weight[i] * w * r * residual[i], x, here + 2 * size)
                here[2 * size + q] += row_weight[i] * w * r
        for s in range(n_splits):
            here = sums + s * stride
            if here[2 * size + q] >= min_weight and weight_all - here[2 * size + q] >= min_weight:
                gains[s] = split_gain(whole, moment, here, q, total, ridge, x + q)
        free(sums)
    return gains_array
