"""Elastic Net by stochastic gradient descent with a cumulative l1 penalty, as in the paper.

Three things differ from its pseudocode. The step is rate / (1 + penalty · rate · t): the printed one diverges for small
penalties. The l1 penalty that coefficients owe is taken after every so many rows and at the end of an epoch: at every
row it would take longer than the descent itself. And an epoch that lowers the mean squared error of standardised outputs
by less than 3e-4 counts as one without improvement: the models that the authors have published were ended as early.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memset


cdef extern from "dense.h" nogil:
    double dense_blocks_dot(Py_ssize_t n_fired, const int* rule, const double* degree, Py_ssize_t stride, Py_ssize_t n,
                            const double* x, const double* w)
    void dense_blocks_axpy(Py_ssize_t n_fired, const int* rule, const double* degree, double a, Py_ssize_t stride,
                           Py_ssize_t n, const double* x, double* w)
    void dense_take_l1(Py_ssize_t n, double owed, double scale, double* w, double* received)


cdef double _MIN_GAIN = 3e-4
# Rows for each rule after which the l1 penalty is taken.
cdef Py_ssize_t _ROWS_A_RULE = 2


cdef inline uint64_t next_random(uint64_t* state) noexcept nogil:
    """Return the next number of splitmix64."""
    cdef uint64_t z
    state[0] += 0x9E3779B97F4A7C15ULL
    z = state[0]
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef void shuffle(Py_ssize_t n, int* order, uint64_t* state) noexcept nogil:
    cdef Py_ssize_t i, k
    cdef int held
    for i in range(n - 1, 0, -1):
        k = <Py_ssize_t>(next_random(state) % <uint64_t>(i + 1))
        held = order[i]
        order[i] = order[k]
        order[k] = held


cdef inline double predict_row(const SparseDesign* design, Py_ssize_t row, const double* w, double scale,
                               Py_ssize_t n_free) noexcept nogil:
    cdef Py_ssize_t k, q = design.block, first = design.start[row], n_fired = design.start[row + 1] - first
    cdef const int* rule = design.rule + first
    cdef const double* degree = design.degree + first
    cdef double total = scale * dense_blocks_dot(n_fired, rule, degree, q, q - n_free,
                                                 design.rows + row * q + n_free, w + n_free)
    if n_free:
        for k in range(n_fired):
            total += degree[k] * w[rule[k] * q]
    return total


cdef inline double damped_share(const double* x, Py_ssize_t q, double share, double eta) noexcept nogil:
    """Return how much a heavy row counts: at most so much that a step goes as far as its own error asks for."""
    cdef Py_ssize_t j
    cdef double length = 0.0
    for j in range(q):
        length += x[j] * x[j]
    return share / (1.0 + eta * (share - 1.0) * length)


cdef void write_scaled(const double* w, double scale, Py_ssize_t n_rules, Py_ssize_t q, Py_ssize_t n_free,
                       double* beta) noexcept nogil:
    """Write coefficients; those with a penalty are kept without a common factor."""
    cdef Py_ssize_t k, j
    for k in range(n_rules):
        beta[k * q] = w[k * q]
        for j in range(n_free, q):
            beta[k * q + j] = scale * w[k * q + j]


cdef int descend(const SparseDesign* design, Py_ssize_t n_rules, const Descent* descent, double* beta, double* work,
                 int* order) noexcept nogil:
    """Write the best coefficients of any epoch into `beta`; return the number of epochs.

    `work` holds twice as many doubles as there are coefficients, `order` one integer a row.
    """
    cdef Py_ssize_t n = design.n_rows, q = design.block, size = n_rules * q, free = descent.n_free, i, j, k, row
    cdef Py_ssize_t first, n_fired, wait = _ROWS_A_RULE * n_rules
    cdef double* w = work
    cdef double* received = work + size
    cdef const double* x
    cdef double scale = 1.0, owed = 0.0, eta, error, step, miss, best = INFINITY, total_weight = 0.0
    cdef double t = 0.0, share, penalty = descent.penalty, ridge_share = descent.ridge_share, rate = descent.rate
    cdef int epoch = 0, idle = 0
    cdef uint64_t state = descent.seed
    memset(work, 0, 2 * size * sizeof(double))
    memset(beta, 0, size * sizeof(double))
    for i in range(n):
        order[i] = <int>i
        total_weight += design.weight[i]
    while epoch < descent.max_epochs:
        shuffle(n, order, &state)
        for i in range(n):
            row = order[i]
            x = design.rows + row * q
            t += 1.0
            eta = rate / (1.0 + penalty * rate * t)
            error = predict_row(design, row, w, scale, free) - design.y[row]
            scale *= 1.0 - ridge_share * eta * penalty
            owed += (1.0 - ridge_share) * eta * penalty
            share = design.weight[row] * n / total_weight
            if share > 1.0:
                # One heavy row must not throw the coefficients about.
                share = damped_share(x, q, share, eta)
            first = design.start[row]
            n_fired = design.start[row + 1] - first
            step = -eta * error * share
            if free:
                for k in range(n_fired):
                    w[design.rule[first + k] * q] += step * design.degree[first + k]
            dense_blocks_axpy(n_fired, design.rule + first, design.degree + first, step / scale, q, q - free,
                              x + free, w + free)
            wait -= 1
            if wait == 0 or i == n - 1:
                wait = _ROWS_A_RULE * n_rules
                for k in range(n_rules):
                    dense_take_l1(q - free, owed, scale, w + k * q + free, received + k * q + free)
        miss = 0.0
        for row in range(n):
            error = predict_row(design, row, w, scale, free) - design.y[row]
            miss += design.weight[row] * error * error
        idle = 0 if miss < best - _MIN_GAIN * total_weight else idle + 1
        if miss < best:
            best = miss
            write_scaled(w, scale, n_rules, q, free, beta)
        if scale < 1e-6:
            for k in range(n_rules):
                for j in range(free, q):
                    w[k * q + j] *= scale
            scale = 1.0
        epoch += 1
        if not idle <= sqrt(<double>n / epoch):
            break
    return epoch
