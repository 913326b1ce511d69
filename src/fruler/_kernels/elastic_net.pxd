"""Elastic Net on a Gram matrix."""


cdef struct GramProblem:
    # Minimise b'Gb/2 - m'b + sum l1|b| + sum l2 b²/2.
    Py_ssize_t size
    const double* gram          # (size, size)
    const double* moment        # (size)
    const double* l1            # (size)
    const double* l2            # (size)


cdef Py_ssize_t solver_workspace(Py_ssize_t size) noexcept nogil
cdef double solve_gram(const GramProblem* problem, double square, double tolerance, double progress, int max_rounds,
                       double* beta, double* work, int* indices) noexcept nogil
