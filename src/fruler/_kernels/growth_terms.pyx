"""The choice of terms: ridge regression on a Gram matrix, leaving out terms that do not pay."""

import numpy as np

from libc.math cimport INFINITY, fabs, log, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from scipy.linalg.cython_lapack cimport dpotrf, dpotri, dpotrs

cdef extern from "dense.h" nogil:
    void dense_axpy(Py_ssize_t n, double a, const double* x, double* y)

# Errors count as at least this share of the output's variance: an exact fit is not worth any number of terms.
cdef double MIN_ERROR = 1e-12
# The part of a term that the terms before it do not explain must be at least this share of it; less is rounding.
cdef double MIN_PIVOT = 1e-11
# Far less jitter mends rounding; this much is only reached if a number is not finite, and then ends the loop.
cdef double MAX_JITTER = 1e6
# A limit is broken by more than this share of the largest coefficient; less is rounding.
cdef double TOLERANCE = 1e-12


cdef Py_ssize_t drop_term(double* inverse, Py_ssize_t stride, Py_ssize_t k, Py_ssize_t dropped, double* beta,
                          Py_ssize_t* terms, double* column) noexcept nogil:
    """Drop one of k terms from the least-squares solution; the last term moves to its place. Return k - 1."""
    cdef Py_ssize_t i, last = k - 1
    cdef double pivot = inverse[dropped * stride + dropped], coefficient = beta[dropped]
    memcpy(column, inverse + dropped * stride, k * sizeof(double))
    for i in range(k):
        beta[i] -= column[i] * coefficient / pivot
        dense_axpy(k, -column[i] / pivot, column, inverse + i * stride)
    if dropped != last:
        memcpy(inverse + dropped * stride, inverse + last * stride, k * sizeof(double))
        # Its row has already been moved, so that this moves the diagonal, too.
        for i in range(last):
            inverse[i * stride + dropped] = inverse[i * stride + last]
        beta[dropped] = beta[last]
        terms[dropped] = terms[last]
    return last


cdef bint factorise(const double[:, ::1] gram, const double[::1] ridge, const Py_ssize_t[::1] terms,
                    double* factor) noexcept nogil:
    """Write the Cholesky factor of some terms' Gram matrix with a ridge on its diagonal; return whether it exists."""
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
                # Negated, so that NaN fails, too.
                if not (factor[i * size + i] ** 2 >= MIN_PIVOT * (gram[terms[i], terms[i]] + jitter + ridge[terms[i]])):
                    info = 1
        if info == 0:
            return True
        # Rounding can make the matrix of collinear terms indefinite, or definite only by rounding; the smallest ridge
        # that mends it is enough.
        jitter = 1e-10 if jitter == 0.0 else jitter * 10.0
        if jitter > MAX_JITTER:
            return False


cdef double solve(double* factor, Py_ssize_t size, const double[::1] moment, const Py_ssize_t[::1] terms,
                  double square, double* beta) noexcept nogil:
    """Write the coefficients for a factor and moments; return the error."""
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
    """Leave out terms one by one, never term 0, while n·log(error) + price·terms falls; return how many are left."""
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

    Returns the coefficients of all terms (zero for those left out), the penalised mean squared error, the kept terms,
    and the inverse of their Gram matrix with the ridge. Term 0, the intercept, stays. With a price of zero, no term is
    left out and no inverse is formed.
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
                # LAPACK's lower triangle is the upper triangle of a row-major matrix.
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


cdef bint passive_pushes(const double* products, Py_ssize_t stride, const double* slack, Py_ssize_t n, double* factor,
                         double* pushes) noexcept nogil:
    """Write how far each of n active inequalities must push to meet all of them; return whether all are independent."""
    cdef Py_ssize_t i, k
    cdef int order = <int>n, one = 1, info = 0
    if n == 0:
        return True
    for i in range(n):
        for k in range(n):
            factor[i * n + k] = products[i * stride + k]
        pushes[i] = -slack[i]
    dpotrf(b"L", &order, factor, &order, &info)
    if info != 0:
        return False
    for i in range(n):
        if not (factor[i * n + i] ** 2 >= MIN_PIVOT * products[i * stride + i]):
            return False
    dpotrs(b"L", &order, &one, factor, &order, pushes, &order, &info)
    return True


cdef Py_ssize_t push_inside(const double* sides, Py_ssize_t m, Py_ssize_t k, const double* inverse, double* beta,
                            Py_ssize_t* passive, double* pushed, double* work, double* excess) noexcept nogil:
    """Move the free solution to the best one within all inequalities; return the number of active inequalities.

    An active set method, as for non-negative least squares: the inequality that is broken most becomes active, and
    those that no longer push are released. `sides` (m, k), one inequality per row, have length one. `passive` receives
    the active inequalities, and `pushed` (k, k), row by row, the inverse of the Gram matrix times each of them. `work`
    has room for 2·k·k + 4·k + m numbers; its first part is the factor of the products of the active inequalities.
    """
    cdef double* factor = work
    cdef double* products = factor + k * k
    cdef double* free_beta = products + k * k
    cdef double* slack = free_beta + k
    cdef double* lengths = slack + k
    cdef double* wanted = lengths + k
    cdef double* banned = wanted + k
    cdef Py_ssize_t n = 0, i, t, p, worst, rounds, blocking
    cdef double value, least, size = 1.0, share
    cdef const double* side
    cdef bint solved
    memcpy(free_beta, beta, k * sizeof(double))
    memset(banned, 0, m * sizeof(double))
    for t in range(k):
        size = max(size, fabs(beta[t]))
    for rounds in range(3 * (m + k)):
        worst = -1
        least = -TOLERANCE * size
        for i in range(m):
            if banned[i] != 0.0:
                continue
            value = 0.0
            for t in range(k):
                value += sides[i * k + t] * beta[t]
            if value < least:
                least = value
                worst = i
        if worst < 0 or n == k:
            break
        side = sides + worst * k
        slack[n] = 0.0
        for t in range(k):
            value = 0.0
            for i in range(k):
                value += inverse[t * k + i] * side[i]
            pushed[n * k + t] = value
            slack[n] += side[t] * free_beta[t]
        passive[n] = worst
        for p in range(n + 1):
            value = 0.0
            for t in range(k):
                value += sides[passive[p] * k + t] * pushed[n * k + t]
            products[p * k + n] = products[n * k + p] = value
        lengths[n] = 0.0
        n += 1
        banned[worst] = 1.0
        solved = passive_pushes(products, k, slack, n, factor, wanted)
        if not solved:
            # It depends on the others: it is met whenever they are, but for rounding.
            n -= 1
            passive_pushes(products, k, slack, n, factor, wanted)
            continue
        while True:
            share = 1.0
            blocking = -1
            for p in range(n):
                if wanted[p] <= 0.0:
                    value = lengths[p] / (lengths[p] - wanted[p]) if lengths[p] > wanted[p] else 0.0
                    if blocking < 0 or value < share:
                        share = value
                        blocking = p
            for p in range(n):
                lengths[p] += share * (wanted[p] - lengths[p])
            if blocking < 0:
                break
            lengths[blocking] = 0.0
            # An inequality that was met because the others were may not be met any more.
            memset(banned, 0, m * sizeof(double))
            p = 0
            while p < n:
                if wanted[p] <= 0.0 and lengths[p] <= 0.0:
                    n -= 1
                    # The last one moves to its place.
                    passive[p], slack[p], lengths[p], wanted[p] = passive[n], slack[n], lengths[n], wanted[n]
                    memcpy(pushed + p * k, pushed + n * k, k * sizeof(double))
                    for i in range(n):
                        products[p * k + i] = products[n * k + i]
                        products[i * k + p] = products[i * k + n]
                    products[p * k + p] = products[n * k + n]
                else:
                    banned[passive[p]] = 1.0
                    p += 1
            passive_pushes(products, k, slack, n, factor, wanted)
        for t in range(k):
            beta[t] = free_beta[t]
            for p in range(n):
                beta[t] += lengths[p] * pushed[p * k + t]
    excess[0] = 0.0
    for p in range(n):
        # An inequality that pushes is met: the free solution misses it by its slack.
        excess[0] -= lengths[p] * slack[p]
    return n


def fit_within(const double[:, ::1] gram, const double[::1] moment, double square, const Py_ssize_t[::1] terms,
               const double[::1] ridge, const double[:, ::1] sides):
    """Fit some terms with a ridge on each so that no row of `sides` times the coefficients of all terms is negative.

    Returns the coefficients of all terms, the penalised mean squared error, which of `terms` are zero because of an
    active inequality of their own, and the inverse of their Gram matrix with the ridge, projected on the directions
    that the active inequalities leave free.
    """
    cdef Py_ssize_t k = terms.shape[0], m = 0, n = 0, i, t, p, count
    cdef int order = <int>k, one = 1, few = 0, info = 0
    cdef double error = 0.0, excess = 0.0, value
    cdef bint solved
    coefficients_array, idle_array = np.zeros(gram.shape[0]), np.zeros(k, dtype=np.uint8)
    inverse_array, own_array = np.empty((k, k)), np.empty((sides.shape[0], k))
    cdef double[::1] coefficients = coefficients_array
    cdef unsigned char[::1] idle = idle_array
    cdef double[:, ::1] inverse = inverse_array, own = own_array
    cdef double* beta = <double*>malloc((3 * k * k + 6 * k + sides.shape[0]) * sizeof(double))
    cdef double* column = beta + k
    cdef double* pushed = column + k
    cdef double* work = pushed + k * k
    cdef Py_ssize_t* passive = <Py_ssize_t*>malloc(k * sizeof(Py_ssize_t))
    if beta == NULL or passive == NULL:
        free(beta)
        free(passive)
        raise MemoryError("there is not enough memory for so many terms")
    with nogil:
        solved = factorise(gram, ridge, terms, &inverse[0, 0])
        if solved:
            error = solve(&inverse[0, 0], k, moment, terms, square, beta)
            dpotri(b"L", &order, &inverse[0, 0], &order, &info)
            for i in range(k):
                for t in range(i):
                    inverse[i, t] = inverse[t, i]
            for i in range(sides.shape[0]):
                value = 0.0
                for t in range(k):
                    own[m, t] = sides[i, terms[t]]
                    value += own[m, t] * own[m, t]
                if value > 0.0:
                    value = 1.0 / sqrt(value)
                    for t in range(k):
                        own[m, t] *= value
                    m += 1
            if m > 0:
                n = push_inside(&own[0, 0], m, k, &inverse[0, 0], beta, passive, pushed, work, &excess)
            for p in range(n):
                count = 0
                for t in range(k):
                    if own[passive[p], t] != 0.0:
                        count += 1
                        i = t
                if count == 1:
                    idle[i] = 1
                    beta[i] = 0.0
            few = <int>n
            for t in range(k):
                coefficients[terms[t]] = beta[t]
                for p in range(n):
                    column[p] = pushed[p * k + t]
                if n > 0:
                    dpotrs(b"L", &few, &one, work, &few, column, &few, &info)
                for p in range(n):
                    dense_axpy(k, -column[p], pushed + p * k, &inverse[t, 0])
    free(beta)
    free(passive)
    if not solved:
        raise ValueError("the normal equations are not finite, or far from positive definite")
    return coefficients_array, error + max(excess, 0.0), idle_array.view(np.bool_), inverse_array


def squares_left_out(tuple table, const double[:, ::1] block_weights, const double[:, ::1] columns, tuple terms,
                     const double[::1] coefficients, const double[:, ::1] inverse, double total, double max_leverage):
    """Return the sum of squared errors of fitted rows, and the sum of their squared leave-one-out errors.

    `table` is (rows, y, row_weight). Terms are made from `block_weights` (blocks, rows) and `columns` (columns, rows).
    `terms` is (block, column, origin) of each kept term: column c of block b, counted from its origin; if the block is
    -1, column c of `columns`. `inverse` is the inverse of the terms' mean Gram matrix, `coefficients` are those of the
    kept terms.
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
                    # The matrix is symmetric: the part below the diagonal is enough, and counts twice.
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
