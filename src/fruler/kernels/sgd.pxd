"""Elastic Net by stochastic gradient descent, as in the paper."""

from libc.stdint cimport uint64_t


cdef struct SparseDesign:
    # Rows of a design matrix whose blocks, one a rule, are the row's inputs (a one before them) times a degree.
    Py_ssize_t n_rows
    Py_ssize_t block            # inputs + 1
    const double* rows          # (rows, block)
    const double* y
    const double* weight
    Py_ssize_t* start           # (rows + 1)
    int* rule
    double* degree


cdef struct Descent:
    double penalty
    double ridge_share          # of the penalty; the rest is l1
    double rate                 # the first step
    Py_ssize_t n_free           # coefficients at the start of each rule that carry no penalty: 1, the intercept, or 0
    uint64_t seed               # of the order of rows
    int max_epochs


cdef int descend(const SparseDesign* design, Py_ssize_t n_rules, const Descent* descent, double* beta, double* work,
                 int* order) noexcept nogil
