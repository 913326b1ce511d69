"""Elastic Net on a Gram matrix."""

cdef Py_ssize_t solver_workspace(Py_ssize_t size) noexcept nogil
cdef double solve_gram(Py_ssize_t size, const double* gram, const double* moment, const double* l1, const double* l2,
                       double square, double tolerance, double progress, int max_rounds, double* beta, double* work,
                       int* indices) noexcept nogil
