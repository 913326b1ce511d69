"""Errors of tuned TSK rules of order 1, whose consequents a Kalman filter estimates.

One pass of the filter with static parameters, covariance kappa·I and unit noise gives the ridge solution with penalty
1 / kappa on the distance from the start. Here this solution is found by Cholesky factorisation: of the Gram matrix of
the coefficients, or of that of the rows if there are fewer rows.
"""

import numpy as np

from libc.math cimport INFINITY, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memset
from scipy.linalg.cython_lapack cimport dpotrf, dpotrs

from fruler._kernels.tuned_firing cimport Fired, TunedRules, close_tuned, fire_rows, open_tuned, take_selected

cdef extern from "dense.h" nogil:
    void dense_axpy(Py_ssize_t n, double a, const double* x, double* y)
    void dense_outer(Py_ssize_t q, const double* x, double* packed)
    void dense_add_pairs(Py_ssize_t n_fired, const int* fired, const double* degree, double weight, Py_ssize_t size,
                         const double* packed, double* blocks)


cdef struct FittedRows:
    # Terms (rows, n_terms): a one and the scaled inputs with slopes in consequents.
    Py_ssize_t n_rows, n_terms
    const double* columns
    const double* widths
    const double* terms
    const double* y
    const double* weight


cdef struct Settings:
    # Whether each rule's consequent is fitted by itself, and the penalty.
    bint is_local
    double ridge


cdef struct Workspace:
    TunedRules rules
    Fired fired
    size_t n_numbers
    double* numbers
    # (rows,) residuals of the start; (rules, n_terms) coefficients; one packed outer product.
    double* residual
    double* beta
    double* packed


cdef int open_workspace(const FittedRows* table, Py_ssize_t max_rules, Py_ssize_t n_inputs,
                        Workspace* work) noexcept nogil:
    cdef Py_ssize_t q = table.n_terms
    memset(work, 0, sizeof(Workspace))
    if open_tuned(max_rules, n_inputs, table.n_rows, &work.rules, &work.fired) != 0:
        return -1
    work.residual = <double*>malloc(table.n_rows * sizeof(double))
    work.beta = <double*>malloc((max_rules * q + 1) * sizeof(double))
    work.packed = <double*>malloc(q * (q + 1) // 2 * sizeof(double))
    if work.residual == NULL or work.beta == NULL or work.packed == NULL:
        close_workspace(work)
        return -1
    return 0


cdef void close_workspace(Workspace* work) noexcept nogil:
    close_tuned(&work.rules, &work.fired)
    free(work.numbers)
    free(work.residual)
    free(work.beta)
    free(work.packed)


cdef int grow(Workspace* work, size_t n_numbers) noexcept nogil:
    """Make room; the contents of the buffer are lost. Return 0, or -1 without memory."""
    if n_numbers > work.n_numbers:
        free(work.numbers)
        work.n_numbers = 0
        work.numbers = <double*>malloc(n_numbers * sizeof(double))
        if work.numbers == NULL:
            return -1
        work.n_numbers = n_numbers
    return 0


cdef void normalise(Fired* fired) noexcept nogil:
    """Divide the degrees of each row by their sum."""
    cdef Py_ssize_t row, k
    cdef double total
    for row in range(fired.n_rows):
        total = 0.0
        for k in range(fired.start[row], fired.start[row + 1]):
            total += fired.degree[k]
        for k in range(fired.start[row], fired.start[row + 1]):
            fired.degree[k] /= total


cdef void leave_start(const FittedRows* table, const double* constants, Workspace* work) noexcept nogil:
    """Write the residuals of the constants from which the filter starts."""
    cdef Py_ssize_t row, k
    cdef double output
    for row in range(table.n_rows):
        output = 0.0
        for k in range(work.fired.start[row], work.fired.start[row + 1]):
            output += work.fired.degree[k] * constants[work.rules.number[work.fired.rule[k]]]
        work.residual[row] = table.y[row] - output


cdef int solve(double* matrix, Py_ssize_t size, double* solution) noexcept nogil:
    """Solve a symmetric system whose lower triangle is given, as LAPACK reads it; return 0, or 1 if it is singular."""
    cdef int order = <int>size, one = 1, info = 0
    dpotrf(b"L", &order, matrix, &order, &info)
    if info == 0:
        dpotrs(b"L", &order, &one, matrix, &order, solution, &order, &info)
    return 0 if info == 0 else 1


cdef int fit_by_coefficients(const FittedRows* table, double ridge, Workspace* work) noexcept nogil:
    """Fit all consequents together on the coefficients' Gram matrix; return 0, 1 if it fails, -1 without memory."""
    cdef Py_ssize_t q = table.n_terms, m = work.rules.n_rules, size = m * q, packed = q * (q + 1) // 2
    cdef Py_ssize_t n_blocks = m * (m + 1) // 2 * packed, row, k, l, i, j, n_fired, first
    cdef double* gram
    cdef double* blocks
    cdef const double* block
    cdef const double* x
    if grow(work, size * size + n_blocks) != 0:
        return -1
    gram = work.numbers
    blocks = gram + size * size
    memset(blocks, 0, n_blocks * sizeof(double))
    memset(work.beta, 0, size * sizeof(double))
    for row in range(table.n_rows):
        first = work.fired.start[row]
        n_fired = work.fired.start[row + 1] - first
        x = table.terms + row * q
        dense_outer(q, x, work.packed)
        dense_add_pairs(n_fired, work.fired.rule + first, work.fired.degree + first, table.weight[row], packed,
                        work.packed, blocks)
        for k in range(first, first + n_fired):
            dense_axpy(q, table.weight[row] * work.residual[row] * work.fired.degree[k], x,
                       work.beta + work.fired.rule[k] * q)
    # LAPACK reads columns; here these are the rows, from the diagonal on.
    block = blocks
    for l in range(m):
        for k in range(l + 1):
            for i in range(q):
                for j in range(i, q):
                    gram[(k * q + i) * size + l * q + j] = block[0]
                    gram[(k * q + j) * size + l * q + i] = block[0]
                    block += 1
    for i in range(size):
        gram[i * size + i] += ridge
    return solve(gram, size, work.beta)


cdef int fit_by_rows(const FittedRows* table, double ridge, Workspace* work) noexcept nogil:
    """Fit all consequents together on the rows' Gram matrix; return 0, 1 if it fails, -1 without memory."""
    cdef Py_ssize_t q = table.n_terms, n = table.n_rows, row, other, k, j
    cdef double* gram
    cdef double* degrees
    cdef double* dual
    cdef double inner
    cdef const Fired* fired = &work.fired
    if grow(work, n * n + n + work.rules.n_rules) != 0:
        return -1
    gram = work.numbers
    dual = gram + n * n
    degrees = dual + n
    memset(degrees, 0, work.rules.n_rules * sizeof(double))
    for row in range(n):
        for k in range(fired.start[row], fired.start[row + 1]):
            degrees[fired.rule[k]] = fired.degree[k]
        for other in range(row, n):
            inner = 0.0
            for k in range(fired.start[other], fired.start[other + 1]):
                inner += degrees[fired.rule[k]] * fired.degree[k]
            gram[row * n + other] = inner
        for k in range(fired.start[row], fired.start[row + 1]):
            degrees[fired.rule[k]] = 0.0
        for other in range(row, n):
            if gram[row * n + other] != 0.0:
                inner = 0.0
                for j in range(q):
                    inner += table.terms[row * q + j] * table.terms[other * q + j]
                gram[row * n + other] *= inner * sqrt(table.weight[row] * table.weight[other])
        gram[row * n + row] += ridge
        dual[row] = sqrt(table.weight[row]) * work.residual[row]
    if solve(gram, n, dual) != 0:
        return 1
    memset(work.beta, 0, work.rules.n_rules * q * sizeof(double))
    for row in range(n):
        for k in range(fired.start[row], fired.start[row + 1]):
            dense_axpy(q, sqrt(table.weight[row]) * dual[row] * fired.degree[k], table.terms + row * q,
                       work.beta + fired.rule[k] * q)
    return 0


cdef int fit_each(const FittedRows* table, double ridge, const double* constants, Workspace* work) noexcept nogil:
    """Fit every consequent by itself, rows weighted by the rule's degree; return 0, 1 if it fails, -1 without memory.
    """
    cdef Py_ssize_t q = table.n_terms, m = work.rules.n_rules, packed = q * (q + 1) // 2, row, k, i, j
    cdef double weight
    cdef double* blocks
    cdef double* gram
    cdef const double* block
    if grow(work, q * q + m * packed) != 0:
        return -1
    gram = work.numbers
    blocks = gram + q * q
    memset(blocks, 0, m * packed * sizeof(double))
    memset(work.beta, 0, m * q * sizeof(double))
    for row in range(table.n_rows):
        dense_outer(q, table.terms + row * q, work.packed)
        for k in range(work.fired.start[row], work.fired.start[row + 1]):
            weight = table.weight[row] * work.fired.degree[k]
            dense_axpy(packed, weight, work.packed, blocks + work.fired.rule[k] * packed)
            dense_axpy(q, weight * (table.y[row] - constants[work.rules.number[work.fired.rule[k]]]),
                       table.terms + row * q, work.beta + work.fired.rule[k] * q)
    block = blocks
    for k in range(m):
        for i in range(q):
            for j in range(i, q):
                gram[i * q + j] = block[0]
                block += 1
            gram[i * q + i] += ridge
        if solve(gram, q, work.beta + k * q) != 0:
            return 1
    return 0


cdef int fit(const FittedRows* table, const Settings* settings, const double* constants,
             Workspace* work) noexcept nogil:
    """Fire all rows and fit the consequents; return 0, 1 if there is no solution, -1 without memory."""
    cdef Py_ssize_t k, q = table.n_terms, m = work.rules.n_rules
    cdef int status
    if fire_rows(&work.rules, table.columns, table.n_rows, 0, table.n_rows, &work.fired) != 0:
        return -1
    normalise(&work.fired)
    if settings.is_local:
        status = fit_each(table, settings.ridge, constants, work)
    else:
        leave_start(table, constants, work)
        if m * q <= table.n_rows:
            status = fit_by_coefficients(table, settings.ridge, work)
        else:
            status = fit_by_rows(table, settings.ridge, work)
    if status == 0:
        for k in range(m):
            work.beta[k * q] += constants[work.rules.number[k]]
    return status


cdef double sum_errors(const FittedRows* table, const Workspace* work, double limit) noexcept nogil:
    """Return the weighted sum of squared errors, or infinity if it exceeds a limit."""
    cdef Py_ssize_t q = table.n_terms, row, k, j
    cdef double output, inner, residual, total = 0.0
    cdef const double* x
    cdef const double* beta
    for row in range(table.n_rows):
        x = table.terms + row * q
        output = 0.0
        for k in range(work.fired.start[row], work.fired.start[row + 1]):
            beta = work.beta + work.fired.rule[k] * q
            inner = 0.0
            for j in range(q):
                inner += beta[j] * x[j]
            output += work.fired.degree[k] * inner
        residual = output - table.y[row]
        total += table.weight[row] * residual * residual
        if total > limit:
            return INFINITY
    return total


cdef FittedRows as_rows(tuple table) except *:
    cdef const double[:, ::1] columns, terms
    cdef const double[::1] widths, y, weight
    cdef FittedRows result
    columns, widths, terms, y, weight = table
    result.n_rows, result.n_terms = terms.shape[0], terms.shape[1]
    result.columns, result.widths = &columns[0, 0], &widths[0]
    result.terms, result.y, result.weight = &terms[0, 0], &y[0], &weight[0]
    return result


cdef Settings as_settings(tuple settings) except *:
    cdef Settings result
    result.is_local, result.ridge = settings
    return result


def evaluate(const double[:, :, :, ::1] triangles, const unsigned char[:, ::1] selected, const double[::1] constants,
             tuple table, int t_norm, tuple settings, const double[::1] limits):
    """Evaluate a batch of chromosomes without the interpreter's lock.

    `triangles` (chromosomes, rules, inputs, 3) are the fuzzy sets of the rules, `selected` (chromosomes, rules) are the
    selected rules, `constants` (rules,) are the outputs from which the filter starts. `table` has columns (inputs,
    rows), their widths, terms (rows, n_terms), y and weight; `settings` are whether consequents are fitted rule by
    rule, and the ridge 1 / kappa. Returns an array (chromosomes, 2): the weighted sum of squared errors and the number
    of rows that no rule covers. A chromosome without rules, without a solution, or with a sum above its limit has an
    infinite error.
    """
    cdef Py_ssize_t c, n = triangles.shape[0], n_rules = triangles.shape[1]
    cdef FittedRows rows = as_rows(table)
    cdef Settings settings_ = as_settings(settings)
    cdef Workspace work
    cdef int status
    results_array = np.zeros((n, 2))
    cdef double[:, ::1] results = results_array
    with nogil:
        status = open_workspace(&rows, n_rules, triangles.shape[2], &work)
        if status == 0:
            work.rules.t_norm, work.rules.widths = t_norm, rows.widths
            for c in range(n):
                results[c, 0] = INFINITY
                take_selected(&triangles[c, 0, 0, 0], &selected[c, 0], n_rules, &work.rules)
                if work.rules.n_rules == 0:
                    continue
                status = fit(&rows, &settings_, &constants[0], &work)
                if status < 0:
                    break
                results[c, 1] = work.fired.n_uncovered
                if status == 0:
                    results[c, 0] = sum_errors(&rows, &work, limits[c])
            close_workspace(&work)
    if status < 0:
        raise MemoryError("there is not enough memory for so many rules")
    return results_array


def consequents(const double[:, :, ::1] triangles, const double[::1] constants, tuple table, int t_norm,
                tuple settings):
    """Return the coefficients (rules, n_terms) of rules, all of them selected; see `evaluate`."""
    cdef Py_ssize_t rule, j, n_rules = triangles.shape[0]
    cdef FittedRows rows = as_rows(table)
    cdef Settings settings_ = as_settings(settings)
    cdef Workspace work
    cdef int status
    cdef const unsigned char[::1] selected = np.ones(n_rules, dtype=np.uint8)
    coefficients_array = np.empty((n_rules, rows.n_terms))
    cdef double[:, ::1] coefficients = coefficients_array
    with nogil:
        status = open_workspace(&rows, n_rules, triangles.shape[1], &work)
        if status == 0:
            work.rules.t_norm, work.rules.widths = t_norm, rows.widths
            take_selected(&triangles[0, 0, 0], &selected[0], n_rules, &work.rules)
            status = fit(&rows, &settings_, &constants[0], &work)
            if status == 0:
                for rule in range(n_rules):
                    for j in range(rows.n_terms):
                        coefficients[rule, j] = work.beta[rule * rows.n_terms + j]
            close_workspace(&work)
    if status < 0:
        raise MemoryError("there is not enough memory for so many rules")
    if status > 0:
        raise ValueError("the consequents have no solution; a smaller covariance is needed")
    return coefficients_array
