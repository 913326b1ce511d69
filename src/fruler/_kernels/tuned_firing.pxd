"""The rows' fired rules, where every rule has a triangle of its own in every input."""

cdef enum:
    TUNED_BLOCK = 64


cdef struct TunedRules:
    # The rules that were selected, of those that a chromosome has.
    Py_ssize_t n_rules, n_inputs
    int t_norm
    # (inputs,) what distances to a rule are divided by.
    const double* widths
    # Number of each among all.
    int* number
    # (rules, inputs, 3): where the triangle begins, peaks and ends.
    double* points
    # (rules, inputs, 4): where a side begins and its slope, for the left one and for the right one.
    double* sides


cdef struct Fired:
    # Row by row, the numbers of the rules that fire among the selected ones, increasing, and their degrees.
    Py_ssize_t n_rows, n_uncovered
    Py_ssize_t* start
    int* rule
    double* degree
    size_t room
    # Of one block of rows: degrees (rules, TUNED_BLOCK) and marks (words, TUNED_BLOCK).
    double* degrees
    unsigned long long* marks


cdef int open_tuned(Py_ssize_t max_rules, Py_ssize_t n_inputs, Py_ssize_t n_rows, TunedRules* rules,
                    Fired* fired) noexcept nogil
cdef void close_tuned(TunedRules* rules, Fired* fired) noexcept nogil
cdef void take_selected(const double* triangles, const unsigned char* selected, Py_ssize_t n_rules,
                        TunedRules* rules) noexcept nogil
cdef int fire_rows(const TunedRules* rules, const double* columns, Py_ssize_t stride, Py_ssize_t first,
                   Py_ssize_t last, Fired* fired) noexcept nogil
