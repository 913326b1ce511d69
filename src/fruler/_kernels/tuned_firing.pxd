"""The rules that rows fire, if every rule has its own triangle in every input."""

cdef enum:
    TUNED_BLOCK = 64


cdef struct TunedRules:
    # The selected rules of a chromosome.
    Py_ssize_t n_rules, n_inputs
    int t_norm
    # (inputs,): distances to a rule are divided by these.
    const double* widths
    # (rules,): the number of each rule among all rules.
    int* number
    # (rules, inputs, 3): where the triangle begins, peaks and ends.
    double* points
    # (rules, inputs, 4): where the left side begins and its slope, and the same for the right side.
    double* sides


cdef struct Fired:
    # The rules that each row fires, as increasing numbers among the selected rules, and their degrees.
    Py_ssize_t n_rows, n_uncovered
    Py_ssize_t* start
    int* rule
    double* degree
    size_t room
    # For one block of rows: degrees (rules, TUNED_BLOCK) and marks (words, TUNED_BLOCK).
    double* degrees
    unsigned long long* marks


cdef int open_tuned(Py_ssize_t max_rules, Py_ssize_t n_inputs, Py_ssize_t n_rows, TunedRules* rules,
                    Fired* fired) noexcept nogil
cdef void close_tuned(TunedRules* rules, Fired* fired) noexcept nogil
cdef void take_selected(const double* triangles, const unsigned char* selected, Py_ssize_t n_rules,
                        TunedRules* rules) noexcept nogil
cdef int fire_rows(const TunedRules* rules, const double* columns, Py_ssize_t stride, Py_ssize_t first,
                   Py_ssize_t last, Fired* fired) noexcept nogil
