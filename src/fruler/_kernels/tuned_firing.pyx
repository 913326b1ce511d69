"""The rules that rows fire, if every rule has its own triangle in every input."""

import numpy as np

from libc.math cimport INFINITY, fabs, nextafter
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

cdef extern from "bits.h" nogil:
    int lowest_bit(uint64_t word)

cdef extern from "dense.h" nogil:
    void dense_min_triangle(Py_ssize_t n, const double* sides, const double* x, double* degree)
    void dense_times_triangle(Py_ssize_t n, const double* sides, const double* x, double* degree)
    void dense_mark_positive(Py_ssize_t n, int bit, const double* degree, unsigned long long* marks)

# A side that begins this far away has risen to one everywhere.
cdef double FAR = 1e300

cdef enum:
    PRODUCT = 0


cdef int open_tuned(Py_ssize_t max_rules, Py_ssize_t n_inputs, Py_ssize_t n_rows, TunedRules* rules,
                    Fired* fired) noexcept nogil:
    """Allocate buffers for rules and for the rules that rows fire; return 0, or -1 without memory."""
    cdef Py_ssize_t words = (max_rules + 63) // 64
    memset(rules, 0, sizeof(TunedRules))
    memset(fired, 0, sizeof(Fired))
    rules.n_inputs = n_inputs
    rules.number = <int*>malloc((max_rules + 1) * sizeof(int))
    rules.points = <double*>malloc((3 * max_rules * n_inputs + 1) * sizeof(double))
    rules.sides = <double*>malloc((4 * max_rules * n_inputs + 1) * sizeof(double))
    fired.start = <Py_ssize_t*>malloc((n_rows + 1) * sizeof(Py_ssize_t))
    fired.degrees = <double*>malloc((max_rules + 1) * TUNED_BLOCK * sizeof(double))
    fired.marks = <unsigned long long*>malloc((words + 1) * TUNED_BLOCK * sizeof(unsigned long long))
    if (rules.number == NULL or rules.points == NULL or rules.sides == NULL or fired.start == NULL
            or fired.degrees == NULL or fired.marks == NULL):
        close_tuned(rules, fired)
        return -1
    return 0


cdef void close_tuned(TunedRules* rules, Fired* fired) noexcept nogil:
    free(rules.number)
    free(rules.points)
    free(rules.sides)
    free(fired.start)
    free(fired.rule)
    free(fired.degree)
    free(fired.degrees)
    free(fired.marks)


cdef void set_sides(const double* points, double* sides) noexcept nogil:
    """Write the two sides of a triangle; an infinite side is one everywhere, a vertical side belongs to the label."""
    cdef double left = points[0], peak = points[1], right = points[2]
    if left == -INFINITY:
        sides[0], sides[1] = -FAR, 1.0 / FAR
    else:
        left = left if left < peak else nextafter(peak, -INFINITY)
        sides[0], sides[1] = left, 1.0 / (peak - left)
    if right == INFINITY:
        sides[2], sides[3] = FAR, 1.0 / FAR
    else:
        right = right if right > peak else nextafter(peak, INFINITY)
        sides[2], sides[3] = right, 1.0 / (right - peak)


cdef void take_selected(const double* triangles, const unsigned char* selected, Py_ssize_t n_rules,
                        TunedRules* rules) noexcept nogil:
    """Take the selected rules of a chromosome; `triangles` has the shape (rules, inputs, 3)."""
    cdef Py_ssize_t rule, j, q = rules.n_inputs, taken = 0
    for rule in range(n_rules):
        if not selected[rule]:
            continue
        rules.number[taken] = <int>rule
        memcpy(rules.points + 3 * taken * q, triangles + 3 * rule * q, 3 * q * sizeof(double))
        for j in range(q):
            set_sides(triangles + 3 * (rule * q + j), rules.sides + 4 * (taken * q + j))
        taken += 1
    rules.n_rules = taken


cdef int nearest_rule(const TunedRules* rules, const double* columns, Py_ssize_t stride,
                      Py_ssize_t row) noexcept nogil:
    """Return the rule with the nearest peaks, each distance as a share of the input's width; of several the first."""
    cdef Py_ssize_t rule, j
    cdef int best = 0
    cdef double x, distance, least = INFINITY
    cdef const double* points
    for rule in range(rules.n_rules):
        distance = 0.0
        for j in range(rules.n_inputs):
            points = rules.points + 3 * (rule * rules.n_inputs + j)
            x = columns[j * stride + row]
            if (x < points[1] and points[0] == -INFINITY) or (x > points[1] and points[2] == INFINITY):
                continue
            distance += fabs(x - points[1]) / rules.widths[j]
        if distance < least:
            least = distance
            best = <int>rule
    return best


cdef int make_room(Fired* fired, size_t needed) noexcept nogil:
    cdef size_t room = fired.room
    cdef int* rule
    cdef double* degree
    if needed <= room:
        return 0
    room = max(needed, 2 * room)
    rule = <int*>realloc(fired.rule, room * sizeof(int))
    if rule == NULL:
        return -1
    fired.rule = rule
    degree = <double*>realloc(fired.degree, room * sizeof(double))
    if degree == NULL:
        return -1
    fired.degree = degree
    fired.room = room
    return 0


cdef int fire_rows(const TunedRules* rules, const double* columns, Py_ssize_t stride, Py_ssize_t first,
                   Py_ssize_t last, Fired* fired) noexcept nogil:
    """Write the rules that the rows first..last-1 fire; return 0, or -1 without memory.

    `columns` has the shape (inputs, stride). A row that fires no rule gets the nearest rule with degree one.
    """
    cdef Py_ssize_t words = (rules.n_rules + 63) // 64, q = rules.n_inputs, size, rule, row, j, word, filled = 0
    cdef double* degree
    cdef uint64_t marks
    fired.n_rows = last - first
    fired.n_uncovered = 0
    fired.start[0] = 0
    while first < last:
        size = min(<Py_ssize_t>TUNED_BLOCK, last - first)
        memset(fired.marks, 0, words * TUNED_BLOCK * sizeof(unsigned long long))
        for rule in range(rules.n_rules):
            degree = fired.degrees + rule * TUNED_BLOCK
            for row in range(size):
                degree[row] = 1.0
            for j in range(q):
                if rules.t_norm == PRODUCT:
                    dense_times_triangle(size, rules.sides + 4 * (rule * q + j), columns + j * stride + first, degree)
                else:
                    dense_min_triangle(size, rules.sides + 4 * (rule * q + j), columns + j * stride + first, degree)
            dense_mark_positive(size, rule & 63, degree, fired.marks + (rule >> 6) * TUNED_BLOCK)
        if make_room(fired, filled + size * max(rules.n_rules, <Py_ssize_t>1)) != 0:
            return -1
        for row in range(size):
            for word in range(words):
                marks = fired.marks[word * TUNED_BLOCK + row]
                while marks:
                    rule = 64 * word + lowest_bit(marks)
                    marks &= marks - 1
                    fired.rule[filled] = <int>rule
                    fired.degree[filled] = fired.degrees[rule * TUNED_BLOCK + row]
                    filled += 1
            if filled == fired.start[fired.n_rows - (last - first) + row]:
                fired.rule[filled] = nearest_rule(rules, columns, stride, first + row)
                fired.degree[filled] = 1.0
                fired.n_uncovered += 1
                filled += 1
            fired.start[fired.n_rows - (last - first) + row + 1] = filled
        first += size
    return 0


def fire(const double[:, :, ::1] triangles, const unsigned char[::1] selected, const double[:, ::1] columns,
         const double[::1] widths, int t_norm):
    """Return the degrees (rows, rules) of the selected rules, and the number of rows that fire no rule.

    Such a row has degree one for its nearest rule; distances are divided by the `widths` of the inputs.
    """
    cdef Py_ssize_t n = columns.shape[1], row, k
    cdef TunedRules rules
    cdef Fired fired
    cdef int status
    with nogil:
        status = open_tuned(triangles.shape[0], triangles.shape[1], n, &rules, &fired)
        if status == 0:
            rules.t_norm, rules.widths = t_norm, &widths[0]
            take_selected(&triangles[0, 0, 0], &selected[0], triangles.shape[0], &rules)
            status = fire_rows(&rules, &columns[0, 0], n, 0, n, &fired)
            if status != 0:
                close_tuned(&rules, &fired)
    if status != 0:
        raise MemoryError("there is not enough memory for so many rules")
    degrees_array = np.zeros((n, triangles.shape[0]))
    cdef double[:, ::1] degrees = degrees_array
    for row in range(n):
        for k in range(fired.start[row], fired.start[row + 1]):
            degrees[row, rules.number[fired.rule[k]]] = fired.degree[k]
    n_uncovered = fired.n_uncovered
    close_tuned(&rules, &fired)
    return degrees_array, n_uncovered
