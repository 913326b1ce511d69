"""The choice of terms: ridge regression on a Gram matrix, leaving out what does not pay."""

import numpy as np

from libc.math cimport INFINITY, log
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from scipy.linalg.cython_lapack cimport dpotrf, dpotri, dpotrs

cdef extern from "dense.h" nogil:
    void dense_axpy(Py_ssize_t n, double a, const double* x, double* y)

# No error is taken for less than this share of the output's variance: an exact fit is not worth any number of terms.
cdef double MIN_ERROR = 1e-12
# What is left of a term once those before it are taken out must be this share of it, or it is rounding.
cdef double MIN_PIVOT = 1e-11
# Rounding is mended by far less; more is tried only where a number is not finite, without end.
cdef double MAX_JITTER = 1e6


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


cdef bint factorise(const double[:, ::1] gram, const double[::1] ridge, const Py_ssize_t[::1] terms,
                    double* factor) noexcept nogil:
    """Write the Cholesky factor of some terms' Gram matrix with a ridge on its diagonal; return whether there is one."""
    cdef Py_ssize_t size = terms.shape[0], i, k
    cdef int order = <int>size, info = 0
    cdef double jitter = 0.0
    while True:
        for i in range(size):
            for k in range(size):
                factor[i * size + k] = gram[terms[i], terms[k]]
            factor[i * size + i] += jitter + ridge[terms[i]]
        dpotrf(b"L", &order, factor, &order, &info)
        if info == 0:
            for i in range(size):
                # Not the other way round: what is not a number is neither more nor less.
                if not (factor[i * size + i] ** 2 >= MIN_PIVOT * (gram[terms[i], terms[i]] + jitter + ridge[terms[i]])):
                    info = 1
        if info == 0:
            return True
        # Rounding can leave a matrix of collinear terms indefinite, or definite by nothing but rounding; the least
        # ridge that mends it is enough.
        jitter = 1e-10 if jitter == 0.0 else jitter * 10.0
        if jitter > MAX_JITTER:
            return False


cdef double solve(double* factor, Py_ssize_t size, const double[::1] moment, const Py_ssize_t[::1] terms,
                  double square, double* beta) noexcept nogil:
    """Write the coefficients that a factor and moments give; return the error."""
    cdef int order = <int>size, one = 1, info = 0
    cdef Py_ssize_t i
    cdef double error = square
    for i in range(size):
        beta[i] = moment[terms[i]]
    dpotrs(b"L", &order, &one, factor, &order, beta, &order, &info)
    for i in range(size):
        error -= beta[i] * moment[terms[i]]
    return max(error, MIN_ERROR)


cdef Py_ssize_t leave_out(double* inverse, Py_ssize_t size, double* beta, Py_ssize_t* terms, double* error,
                          double n_rows, double price, double* column) noexcept nogil:
    """Leave out terms one by one, never term 0, while n·log(error) + price·terms falls. Return how many are left."""
    cdef Py_ssize_t k = size, i, best
    cdef double now = n_rows * log(error[0]) + price * k, then, least, value
    while True:
        best = -1
        least = INFINITY
        for i in range(k):
            if terms[i] != 0:
                value = beta[i] * beta[i] / inverse[i * size + i]
                if value < least:
                    least = value
                    best = i
        if best < 0:
            return k
        then = n_rows * log(error[0] + least) + price * (k - 1)
        if then > now:
            return k
        k = drop_term(inverse, size, k, best, beta, terms, column)
        error[0] += least
        now = then


def fit_terms(const double[:, ::1] gram, const double[::1] moment, double square, const Py_ssize_t[::1] start,
              const double[::1] ridge, double n_rows, double price):
    """Fit some terms with a ridge on each, then leave out terms one by one while n·log(error) + price·terms falls.

    Returns the coefficients of all terms (zero where left out), the penalised mean squared error, the terms that are kept,
    and the inverse of their Gram matrix with the ridge. Term 0, the intercept, stays. With a price of zero nothing is left
    out, and no inverse is formed.
    """
    cdef Py_ssize_t size = start.shape[0], k = size, i, j
    cdef int order = <int>size, info = 0
    cdef double error = 0.0
    coefficients_array = np.zeros(gram.shape[0])
    cdef double[::1] coefficients = coefficients_array
    cdef double* inverse = <double*>malloc((size * size + 2 * size) * sizeof(double))
    cdef Py_ssize_t* terms = <Py_ssize_t*>malloc(size * sizeof(Py_ssize_t))
    cdef double* beta = inverse + size * size
    cdef double* column = beta + size
    cdef bint solved
    if inverse == NULL or terms == NULL:
        free(inverse)
        free(terms)
        raise MemoryError("there is not enough memory for so many terms")
    with nogil:
        solved = factorise(gram, ridge, start, inverse)
        if solved:
            error = solve(inverse, size, moment, start, square, beta)
            for i in range(size):
                terms[i] = start[i]
            if price > 0.0:
                dpotri(b"L", &order, inverse, &order, &info)
                # LAPACK's lower triangle is the upper one of a row-major matrix.
                for i in range(size):
                    for j in range(i):
                        inverse[i * size + j] = inverse[j * size + i]
                k = leave_out(inverse, size, beta, terms, &error, n_rows, price, column)
            for i in range(k):
                coefficients[terms[i]] = beta[i]
    cdef Py_ssize_t n_inverse = k if price > 0.0 else 0
    kept_array = np.empty(k, dtype=np.intp)
    inverse_array = np.empty((n_inverse, n_inverse))
    cdef Py_ssize_t[::1] kept = kept_array
    cdef double[:, ::1] kept_inverse = inverse_array
    for i in range(k):
        kept[i] = terms[i]
    for i in range(n_inverse):
        for j in range(n_inverse):
            kept_inverse[i, j] = inverse[i * size + j]
    free(inverse)
    free(terms)
    if not solved:
        raise ValueError("the normal equations are not finite, or far from positive definite")
    return coefficients_array, error, kept_array, inverse_array


def squares_left_out(tuple table, const double[:, ::1] block_weights, const double[:, ::1] columns, tuple terms,
                     const double[::1] coefficients, const double[:, ::1] inverse, double total, double max_leverage):
    """Return the sums of squared errors of fitted rows, and of each row if it had been left out.

    `table` is (rows, y, row_weight). `block_weights` (blocks, rows) and `columns` (columns, rows) make up the terms; `terms` is
    (block, column, origin) of each that is kept: column c of block b counts from its origin; where the block is -1 it is
    column c of `columns`. `inverse` is that of the terms' mean Gram matrix, `coefficients` are those of the kept terms.
    """
    cdef const double[:, ::1] rows
    cdef const double[::1] y, row_weight, origin
    cdef const int[::1] block, column
    rows, y, row_weight = table
    block, column, origin = terms
    cdef Py_ssize_t n = rows.shape[0], k = block.shape[0], i, t
    cdef double value, output, leverage, squares = 0.0, left_out = 0.0
    # The terms of a row, and the inverse times these.
    cdef double* z = <double*>malloc(2 * k * sizeof(double))
    cdef double* solved = z + k
    if z == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            output = 0.0
            memset(solved, 0, k * sizeof(double))
            for t in range(k):
                if block[t] < 0:
                    value = columns[column[t], i]
                else:
                    value = block_weights[block[t], i]
                    if value != 0.0:
                        value *= rows[i, column[t]] - origin[t]
                z[t] = value
                if value != 0.0:
                    output += coefficients[t] * value
                    # Of a symmetric matrix the part below the diagonal does, where it counts twice.
                    dense_axpy(t, value, &inverse[t, 0], solved)
                    solved[t] += 0.5 * value * inverse[t, t]
            leverage = 0.0
            for t in range(k):
                leverage += z[t] * solved[t]
            leverage *= 2.0 * row_weight[i] / total
            value = row_weight[i] * (y[i] - output) ** 2
            squares += value
            left_out += value / (1.0 - min(leverage, max_leverage)) ** 2
        free(z)
    return squares, left_out
