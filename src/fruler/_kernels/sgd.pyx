"""Elastic Net by stochastic gradient descent with a cumulative l1 penalty, as in the paper.

Three things can differ from the paper's pseudocode. The printed step, rate / (penalty · t), diverges for small
penalties; the other is rate / (1 + penalty · rate · t). The l1 penalty can be applied after every few rows and at the
end of an epoch: applied at every row, it takes longer than the descent itself. And an epoch that lowers the mean
squared error of standardised outputs by less than `min_gain` counts as one without improvement.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset


cdef extern from "descent.h" nogil:
    ctypedef struct DescentState:
        double* w
        double* received
        double scale
        double owed
        double t

    void descent_epoch(const SparseDesign* design, const int* order, double rate, double delay, double decay,
                       double penalty, double ridge_share, Py_ssize_t wait, DescentState* state)
    double descent_miss(const SparseDesign* design, const DescentState* state)


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


cdef void set_layout(SparseDesign* design, Py_ssize_t n_rules, Py_ssize_t q, bint shrink_intercepts) noexcept nogil:
    """Set the memory layout of rules with `q` coefficients."""
    design.n_rules = n_rules
    design.n_free = 0 if shrink_intercepts else 1
    design.n_filled = (q - design.n_free + 3) // 4 * 4
    design.stride = design.n_free + design.n_filled


cdef void fill_rows(const SparseDesign* design, Py_ssize_t q, const double* rows, double* filled,
                    double* share) noexcept nogil:
    """Write rows of `q` numbers, each padded with zeros, and the shares of their weights."""
    cdef Py_ssize_t row, stride = design.stride
    cdef double total_weight = total(design.n_rows, design.weight)
    for row in range(design.n_rows):
        memcpy(filled + row * stride, rows + row * q, q * sizeof(double))
        memset(filled + row * stride + q, 0, (stride - q) * sizeof(double))
        share[row] = design.weight[row] * design.n_rows / total_weight


cdef inline double total(Py_ssize_t n, const double* weight) noexcept nogil:
    cdef Py_ssize_t i
    cdef double result = 0.0
    for i in range(n):
        result += weight[i]
    return result


cdef void write_scaled(const SparseDesign* design, const DescentState* state, Py_ssize_t q, double* beta) noexcept nogil:
    """Write the coefficients rule by rule; those with a penalty are multiplied by the common factor."""
    cdef Py_ssize_t k, j
    for k in range(design.n_rules):
        beta[k * q] = state.w[k * design.stride]
        for j in range(design.n_free, q):
            beta[k * q + j] = state.scale * state.w[k * design.stride + j]


cdef void take_in_scale(const SparseDesign* design, DescentState* state) noexcept nogil:
    """Multiply the coefficients by their common factor, and set it to one."""
    cdef Py_ssize_t k, j
    for k in range(design.n_rules):
        for j in range(design.n_free, design.stride):
            state.w[k * design.stride + j] *= state.scale
    state.scale = 1.0


cdef int descend(const SparseDesign* design, const Descent* descent, Py_ssize_t q, double* beta, double* work,
                 int* order) noexcept nogil:
    """Write the best coefficients of any epoch, `q` for each rule, into `beta`; return the number of epochs.

    `work` has room for `2 * n_rules * stride` doubles, `order` for one integer per row.
    """
    cdef Py_ssize_t n = design.n_rows, size = design.n_rules * design.stride, i
    cdef double miss, best = INFINITY, enough = descent.min_gain * total(n, design.weight)
    # Without a penalty the printed step would be infinite.
    cdef bint printed = descent.printed_step and descent.penalty > 0.0
    cdef double delay = 0.0 if printed else 1.0
    cdef double decay = descent.penalty if printed else descent.penalty * descent.rate
    cdef int epoch = 0, idle = 0
    cdef uint64_t random = descent.seed
    cdef DescentState state
    memset(work, 0, 2 * size * sizeof(double))
    memset(beta, 0, design.n_rules * q * sizeof(double))
    state.w, state.received = work, work + size
    state.scale, state.owed, state.t = 1.0, 0.0, 0.0
    for i in range(n):
        order[i] = <int>i
    while epoch < descent.max_epochs:
        shuffle(n, order, &random)
        descent_epoch(design, order, descent.rate, delay, decay, descent.penalty, descent.ridge_share,
                      max(1, descent.l1_interval * design.n_rules), &state)
        miss = descent_miss(design, &state)
        idle = 0 if miss < best - enough else idle + 1
        if miss < best:
            best = miss
            write_scaled(design, &state, q, beta)
        if state.scale < 1e-6:
            take_in_scale(design, &state)
        epoch += 1
        if not idle <= sqrt(<double>n / epoch):
            break
    return epoch
