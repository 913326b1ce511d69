"""Elastic Net by stochastic gradient descent, as in the paper."""

from libc.stdint cimport uint64_t


cdef extern from "descent.h" nogil:
    ctypedef struct SparseDesign:
        Py_ssize_t n_rows
        Py_ssize_t n_rules
        Py_ssize_t n_free
        Py_ssize_t n_filled
        Py_ssize_t stride
        const double* rows
        const double* y
        const double* weight
        const double* share
        const Py_ssize_t* start
        const int* block
        const double* degree


cdef struct Descent:
    double penalty
    double ridge_share          # of the penalty; the rest is l1
    double rate                 # the first step
    uint64_t seed               # of the order of rows
    int max_epochs
    bint printed_step           # rate / (penalty * t), not rate / (1 + penalty * rate * t)
    double min_gain             # of an epoch that counts as an improvement, as a share of the outputs' variance
    int l1_interval             # rows per rule after which the l1 penalty is applied; 0: after every row


cdef void set_layout(SparseDesign* design, Py_ssize_t n_rules, Py_ssize_t q, bint shrink_intercepts) noexcept nogil

cdef void fill_rows(const SparseDesign* design, Py_ssize_t q, const double* rows, double* filled,
                    double* share) noexcept nogil

cdef int descend(const SparseDesign* design, const Descent* descent, Py_ssize_t q, double* beta, double* work,
                 int* order) noexcept nogil
