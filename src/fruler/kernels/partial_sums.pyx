"""An evaluation in parts: sums over some of the rows, which add up to those over all, and what follows from them.

A chromosome's sums are one array: the Gram matrix by pairs of rules, packed; the moments; the sum of y squared; and the
sum of the weights.
"""

import numpy as np

from libc.string cimport memcmp, memset

from fruler.kernels.elastic_net cimport solver_workspace
from fruler.kernels.evaluation cimport (
    COEFFICIENTS,
    ERROR,
    MISSED,
    N_RESULTS,
    RULES,
    Normal,
    Settings,
    Workspace,
    add_gram,
    as_settings,
    as_space,
    as_table,
    close_workspace,
    normal_error,
    open_workspace,
    score,
    solve_normal,
    unpack_gram,
)
from fruler.kernels.firing cimport BLOCK, Antecedents, Space, Table, decode_genes, make_rules, place_block


cdef Py_ssize_t rule_with(const Antecedents* antecedents, int width, const unsigned char* labels) noexcept nogil:
    """Return the rule that has these labels; there is one, and rules are in the order of their labels."""
    cdef Py_ssize_t low = 0, high = antecedents.n_rules - 1, middle
    while low < high:
        middle = (low + high) // 2
        if memcmp(antecedents.labels + <size_t>middle * width, labels, antecedents.n_used) < 0:
            low = middle + 1
        else:
            high = middle
    return low


cdef void find_examples(const Space* space, const Table* examples, const Antecedents* antecedents, double* places,
                        unsigned char* labels, Py_ssize_t[::1] found) noexcept nogil:
    """Write for every rule the first example of its cell."""
    cdef Py_ssize_t first = 0, size, row, rule, n_found = 0
    cdef int j, label
    cdef double place
    while first < examples.n_rows and n_found < antecedents.n_rules:
        size = min(<Py_ssize_t>BLOCK, examples.n_rows - first)
        place_block(space, examples, antecedents, first, size, places)
        for row in range(size):
            for j in range(antecedents.n_used):
                place = places[j * BLOCK + row]
                label = <int>place
                labels[j] = <unsigned char>(label + 1 if place - label > 0.5 else label)
            rule = rule_with(antecedents, space.n_inputs, labels)
            if found[rule] < 0:
                found[rule] = first + row
                n_found += 1
        first += size


def rules_of(const int[::1] granularities, const double[:, ::1] displacements, tuple space, tuple examples,
             int max_rules):
    """Return the rules of a chromosome; None if they are too many.

    They are the inputs that they look at, their labels there, and for each rule the first example that it comes from:
    these examples alone give the same rules. Shapes (used,), (rules, used) and (rules,).
    """
    cdef Space space_ = as_space(space)
    cdef Table examples_ = as_table(examples)
    cdef Workspace work
    cdef bint allowed = False
    cdef int j
    cdef Py_ssize_t rule
    cdef unsigned char[::1] held = np.empty(space_.n_inputs, dtype=np.uint8)
    cdef Py_ssize_t[::1] found
    if open_workspace(&space_, max_rules, &work) != 0:
        raise MemoryError("there is not enough memory for so many rules")
    try:
        with nogil:
            decode_genes(&space_, &granularities[0], &displacements[0, 0], &work.antecedents)
            allowed = make_rules(&space_, &examples_, &work.antecedents, work.places)
        if not allowed:
            return None
        found_array = np.full(work.antecedents.n_rules, -1, dtype=np.intp)
        found = found_array
        with nogil:
            find_examples(&space_, &examples_, &work.antecedents, work.places, &held[0], found)
        inputs = np.array([work.antecedents.inputs[j] for j in range(work.antecedents.n_used)], dtype=np.intp)
        labels = np.zeros((work.antecedents.n_rules, work.antecedents.n_used), dtype=np.intp)
        for rule in range(work.antecedents.n_rules):
            for j in range(work.antecedents.n_used):
                labels[rule, j] = work.antecedents.labels[rule * space_.n_inputs + j]
    finally:
        close_workspace(&work)
    return inputs, labels, found_array


def n_sums(Py_ssize_t n_rules, Py_ssize_t n_inputs):
    """Return the length of the sums of a chromosome with so many rules."""
    cdef Py_ssize_t q = n_inputs + 1
    return n_rules * (n_rules + 1) // 2 * (q * (q + 1) // 2) + n_rules * q + 2


def add_sums(const int[::1] granularities, const double[:, ::1] displacements, tuple space, tuple examples,
             tuple table, int max_rules, double[::1] sums):
    """Add the rows of a table to the sums of a chromosome, whose rules come from `examples`."""
    cdef Space space_ = as_space(space)
    cdef Table examples_ = as_table(examples), table_ = as_table(table)
    cdef Workspace work
    cdef Py_ssize_t q = space_.n_inputs + 1, n_blocks, m = 0, i
    cdef bint fits = False
    if open_workspace(&space_, max_rules, &work) != 0:
        raise MemoryError("there is not enough memory for so many rules")
    with nogil:
        decode_genes(&space_, &granularities[0], &displacements[0, 0], &work.antecedents)
        if make_rules(&space_, &examples_, &work.antecedents, work.places):
            m = work.antecedents.n_rules
            n_blocks = m * (m + 1) // 2 * (q * (q + 1) // 2)
            fits = n_blocks + m * q + 2 == sums.shape[0]
        if fits:
            add_gram(&space_, &table_, &work, &sums[0], &sums[n_blocks], &sums[n_blocks + m * q])
            for i in range(table_.n_rows):
                sums[n_blocks + m * q + 1] += table_.weight[i]
        close_workspace(&work)
    if not fits:
        raise ValueError(f"sums of length {sums.shape[0]} are not those of {m} rules")


def solve_sums(const double[::1] sums, Py_ssize_t n_rules, Py_ssize_t n_inputs, tuple settings):
    """Fit consequents by coordinate descent to the sums over all rows.

    Returns the coefficients (rules, inputs + 1) of standardised data, and what `evaluate` returns of a chromosome.
    """
    cdef Settings settings_ = as_settings(settings)
    cdef Py_ssize_t q = n_inputs + 1, size = n_rules * q, n_blocks = n_rules * (n_rules + 1) // 2 * (q * (q + 1) // 2), i
    cdef double[::1] numbers = np.zeros(4 * size + size * size + solver_workspace(size))
    cdef int[::1] indices = np.empty(size, dtype=np.intc)
    cdef double total = sums[n_blocks + size + 1]
    cdef Space space
    cdef Workspace work
    cdef Normal normal
    if n_blocks + size + 2 != sums.shape[0]:
        raise ValueError(f"sums of length {sums.shape[0]} are not those of {n_rules} rules")
    results_array = np.zeros(N_RESULTS)
    coefficients_array = np.empty((n_rules, q))
    cdef double[::1] results = results_array
    cdef double[:, ::1] coefficients = coefficients_array
    with nogil:
        memset(&work, 0, sizeof(Workspace))
        work.indices = &indices[0]
        space.n_inputs = <int>n_inputs
        normal.size = size
        normal.beta = &numbers[0]
        normal.moment = normal.beta + size
        normal.l1 = normal.moment + size
        normal.l2 = normal.l1 + size
        normal.gram = normal.l2 + size
        normal.solver = normal.gram + size * size
        normal.square = sums[n_blocks + size] / total
        unpack_gram(n_rules, q, &sums[0], 1.0 / total, normal.gram)
        for i in range(size):
            normal.moment[i] = sums[n_blocks + i] / total
        results[MISSED] = solve_normal(&space, &settings_, &work, &normal)
        results[ERROR] = normal_error(&normal)
        results[RULES] = n_rules
        for i in range(size):
            coefficients[i // q, i % q] = normal.beta[i]
            if i % q != 0 and normal.beta[i] != 0.0:
                results[COEFFICIENTS] += 1
    return coefficients_array, results_array


def score_sums(const int[::1] granularities, const double[:, ::1] displacements, tuple space, tuple examples,
               tuple table, int max_rules, const double[:, ::1] coefficients):
    """Return the sum of weighted squared errors of a chromosome's rules on a table, and the rows that fire none."""
    cdef Space space_ = as_space(space)
    cdef Table examples_ = as_table(examples), table_ = as_table(table)
    cdef Workspace work
    cdef Py_ssize_t i, n_uncovered = 0
    cdef double total = 0.0, error = 0.0
    cdef bint fits = False
    if open_workspace(&space_, max_rules, &work) != 0:
        raise MemoryError("there is not enough memory for so many rules")
    with nogil:
        decode_genes(&space_, &granularities[0], &displacements[0, 0], &work.antecedents)
        fits = (make_rules(&space_, &examples_, &work.antecedents, work.places)
                and work.antecedents.n_rules == coefficients.shape[0])
        if fits:
            error = score(&space_, &table_, &work, &coefficients[0, 0], &n_uncovered)
            for i in range(table_.n_rows):
                total += table_.weight[i]
        close_workspace(&work)
    if not fits:
        raise ValueError(f"{coefficients.shape[0]} rows of coefficients are not those of the chromosome's rules")
    return error * total, n_uncovered
