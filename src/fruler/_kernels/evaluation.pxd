"""The steps of an evaluation, and the conversion of arguments, for other kernels."""

from libc.stdint cimport uint64_t

from fruler._kernels.firing cimport Antecedents, Space, Table

cdef enum:
    # The results of `evaluate` for each chromosome.
    ERROR = 0          # mean squared error
    RULES = 1
    COEFFICIENTS = 2   # nonzero slopes
    UNCOVERED = 3      # rows of the scored table that fire no rule
    MISSED = 4         # violation of the optimality conditions; for descent the number of epochs
    N_RESULTS = 5


cdef struct Settings:
    double l1
    double l2
    bint shrink_intercepts      # with the penalty of slopes
    double intercept_ridge      # the minimum ridge of a coefficient; that of intercepts without the penalty
    double tolerance
    double progress
    int max_rounds
    int solver                  # 0 coordinate descent, 1 stochastic gradient descent
    double rate
    uint64_t seed
    bint printed_step           # these three: see Descent
    double min_gain
    int l1_interval


cdef struct Tables:
    # The rows that rules are made from, that consequents are fitted on, and that errors are measured on (NULL: the
    # fitted rows).
    const Table* examples
    const Table* fitted
    const Table* scored


cdef struct Workspace:
    Antecedents antecedents
    double* places              # (inputs, BLOCK)
    int* fired                  # (rules)
    double* degree              # (rules)
    double* packed              # one row's outer product
    double* numbers             # grows with the number of rules
    size_t n_numbers
    int* indices
    size_t n_indices


cdef struct Normal:
    # The normal equations of one chromosome, in the workspace.
    Py_ssize_t size
    double* beta
    double* moment
    double* l1
    double* l2
    double* gram
    double* solver
    double* blocks
    double square               # mean of y²


cdef int open_workspace(const Space* space, int max_rules, Workspace* work) noexcept nogil
cdef void close_workspace(Workspace* work) noexcept nogil
cdef void add_gram(const Space* space, const Table* table, Workspace* work, double* blocks, double* moment,
                   double* square) noexcept nogil
cdef void unpack_gram(Py_ssize_t n_rules, Py_ssize_t q, const double* blocks, double scale,
                      double* gram) noexcept nogil
cdef double solve_normal(const Space* space, const Settings* settings, Workspace* work,
                         Normal* normal) noexcept nogil
cdef double normal_error(const Normal* normal) noexcept nogil
cdef double score(const Space* space, const Table* table, Workspace* work, const double* beta,
                  Py_ssize_t* n_uncovered) noexcept nogil
cdef Space as_space(tuple space) except *
cdef Table as_table(tuple table) except *
cdef Settings as_settings(tuple settings) except *
