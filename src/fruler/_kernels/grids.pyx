"""Rules on uniform grids: each input has equally spaced labels, all displaced by the same share of their distance.

The rules of a chromosome are the cells that contain a row, each with a constant: the output of the row that fits its
cell best, the mean output of its rows, or the label of the output by Wang and Mendel. A table is (columns, rows, y,
weight), see `Rows.arrays`; a grid is (domains, code of the t-norm, code of the consequents, whether to drop rules
beyond the allowed number, max_labels), see `Grid.arrays`.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from fruler._kernels.evaluation cimport as_table
from fruler._kernels.firing cimport (
    BLOCK,
    Antecedents,
    Space,
    Table,
    close_antecedents,
    find_rule,
    fire_row,
    forget_rules,
    index_rules,
    open_antecedents,
)

cdef extern from "dense.h" nogil:
    void dense_place(Py_ssize_t n, double start, double slope, double top, const double* x, double* places)
    void dense_join_label(Py_ssize_t n, double n_labels, const double* places, double* cell, double* degree)

# Up to this number every integer is a double.
cdef double MAX_NUMBERED = 9007199254740992.0

cdef enum:
    # How the consequents are found.
    NEAREST_ROW = 0
    MEAN = 1
    OUTPUT_LABEL = 2


cdef struct Grid:
    Space space
    const double* domains       # (inputs, 2), with one more row for the output if its labels are consequents
    int n_genes
    int consequent
    bint truncate


cdef struct Workspace:
    Antecedents antecedents
    double* places              # (inputs, BLOCK)
    double* cell                # (BLOCK): the numbers of the rows' cells
    double* fit                 # (BLOCK): how well rows fit their cells
    double* number              # (rules): the numbers of the rules' cells
    int* fired                  # (rules)
    double* degree              # (rules)
    double* best                # (rules): the highest degree of a row in the cell, or the sum of all
    double* value               # (rules): the consequents
    Py_ssize_t* row             # (rules): the row that gave the consequent
    int* label                  # (rules): the label of the output
    int consequent              # the code of this chromosome's consequents


cdef struct Limit:
    double error
    int min_rules


cdef int open_workspace(const Grid* grid, int max_rules, Workspace* work) noexcept nogil:
    memset(work, 0, sizeof(Workspace))
    if open_antecedents(&grid.space, max_rules, &work.antecedents) != 0:
        return -1
    work.places = <double*>malloc(grid.space.n_inputs * BLOCK * sizeof(double))
    work.cell = <double*>malloc(BLOCK * sizeof(double))
    work.fit = <double*>malloc(BLOCK * sizeof(double))
    work.number = <double*>malloc(max_rules * sizeof(double))
    work.fired = <int*>malloc(max_rules * sizeof(int))
    work.degree = <double*>malloc(max_rules * sizeof(double))
    work.best = <double*>malloc(max_rules * sizeof(double))
    work.value = <double*>malloc(max_rules * sizeof(double))
    work.row = <Py_ssize_t*>malloc(max_rules * sizeof(Py_ssize_t))
    work.label = <int*>malloc(max_rules * sizeof(int))
    if (work.places == NULL or work.cell == NULL or work.fit == NULL or work.number == NULL or work.fired == NULL
            or work.degree == NULL or work.best == NULL or work.value == NULL or work.row == NULL
            or work.label == NULL):
        close_workspace(work)
        return -1
    return 0


cdef void close_workspace(Workspace* work) noexcept nogil:
    close_antecedents(&work.antecedents)
    free(work.places)
    free(work.cell)
    free(work.fit)
    free(work.number)
    free(work.fired)
    free(work.degree)
    free(work.best)
    free(work.value)
    free(work.row)
    free(work.label)


cdef void decode_grid(const Grid* grid, const int* granularities, const double* displacements,
                      Antecedents* antecedents) noexcept nogil:
    """Write where the labels of each used input begin, and the inverse of their distance."""
    cdef int j, n, used = 0
    cdef double step
    for j in range(grid.space.n_inputs):
        n = granularities[j] - 1
        if n <= 0:
            continue
        step = (grid.domains[2 * j + 1] - grid.domains[2 * j]) / n
        antecedents.start[used] = grid.domains[2 * j] + displacements[j] * step
        antecedents.slope[used] = 1.0 / step
        antecedents.inputs[used] = j
        antecedents.n_splits[used] = n
        used += 1
    antecedents.n_used = used


cdef void place_rows(const Table* table, const Antecedents* antecedents, Py_ssize_t first, Py_ssize_t size,
                     double* places) noexcept nogil:
    """Write the places of the rows first..first+size-1 in every used input, (used, BLOCK)."""
    cdef int j
    for j in range(antecedents.n_used):
        dense_place(size, antecedents.start[j], antecedents.slope[j], antecedents.n_splits[j],
                    table.columns + antecedents.inputs[j] * table.n_rows + first, places + j * BLOCK)


cdef bint find_cells(const Antecedents* antecedents, Py_ssize_t size, Workspace* work) noexcept nogil:
    """Write the cells of placed rows and how well they fit; return whether the cells' numbers are unique."""
    cdef int j
    cdef Py_ssize_t row
    cdef double n_cells = 1.0
    for row in range(size):
        work.cell[row] = 0.0
        work.fit[row] = 1.0
    for j in range(antecedents.n_used):
        dense_join_label(size, antecedents.n_splits[j] + 1, work.places + j * BLOCK, work.cell, work.fit)
        n_cells *= antecedents.n_splits[j] + 1
    return n_cells < MAX_NUMBERED


cdef int numbered_rule(const Grid* grid, Antecedents* antecedents, Workspace* work, Py_ssize_t row) noexcept nogil:
    """Return the rule of a row's cell by the cell's number, and add it if it is new; -1 if there is no room."""
    cdef double number = work.cell[row]
    cdef int mask = antecedents.n_slots - 1, rule, j, label
    cdef int slot = <int>((<uint64_t>number * 0x9E3779B97F4A7C15ULL) >> 40) & mask
    cdef double place
    cdef unsigned char* labels
    while True:
        rule = antecedents.slots[slot]
        if rule < 0:
            break
        if work.number[rule] == number:
            return rule
        slot = (slot + 1) & mask
    if antecedents.n_rules == antecedents.max_rules:
        return -1
    rule = antecedents.n_rules
    labels = antecedents.labels + <size_t>rule * grid.space.n_inputs
    for j in range(antecedents.n_used):
        place = work.places[j * BLOCK + row]
        label = <int>place
        labels[j] = <unsigned char>(label + 1 if place - label > 0.5 else label)
    work.number[rule] = number
    antecedents.slots[slot] = rule
    antecedents.n_rules += 1
    return rule


cdef bint make_grid_rules(const Grid* grid, const int* granularities, const double* displacements, const Table* table,
                          Workspace* work) noexcept nogil:
    """Add a rule with a consequent for every cell that contains a row; return whether there are not too many rules."""
    cdef Antecedents* antecedents = &work.antecedents
    cdef Py_ssize_t first = 0, size, row
    cdef int rule, n_rules, label = 0, top = 0, out = grid.n_genes - 1
    cdef double degree, y, place, step = 1.0, origin = 0.0
    cdef bint numbered
    if grid.consequent == OUTPUT_LABEL:
        top = granularities[out] - 1
        step = (grid.domains[2 * out + 1] - grid.domains[2 * out]) / top
        origin = grid.domains[2 * out] + displacements[out] * step
    decode_grid(grid, granularities, displacements, antecedents)
    forget_rules(antecedents)
    work.consequent = grid.consequent
    if antecedents.n_used == 0 and grid.consequent == NEAREST_ROW:
        # All rows fit the only rule, which has an empty antecedent, equally well.
        work.consequent = MEAN
    while first < table.n_rows:
        size = min(<Py_ssize_t>BLOCK, table.n_rows - first)
        place_rows(table, antecedents, first, size, work.places)
        numbered = find_cells(antecedents, size, work)
        for row in range(size):
            n_rules = antecedents.n_rules
            if numbered:
                rule = numbered_rule(grid, antecedents, work, row)
            else:
                rule = find_rule(&grid.space, antecedents, work.places, row)
            if rule < 0:
                if grid.truncate:
                    continue
                return False
            degree = work.fit[row]
            y = table.y[first + row]
            if rule == n_rules:
                work.best[rule] = 0.0 if work.consequent == MEAN else -1.0
                work.value[rule] = 0.0
                work.row[rule] = -1
                work.label[rule] = 0
            if work.consequent == MEAN:
                degree *= table.weight[first + row]
                work.best[rule] += degree
                work.value[rule] += degree * y
                continue
            if work.consequent == OUTPUT_LABEL:
                place = max(0.0, min(<double>top, (y - origin) / step))
                label = <int>place
                place -= label
                if place > 0.5:
                    label += 1
                else:
                    place = 1.0 - place
                degree *= place
                y = origin + label * step
            if degree > work.best[rule]:
                work.best[rule] = degree
                work.value[rule] = y
                work.row[rule] = first + row
                work.label[rule] = label
        first += size
    if work.consequent == MEAN:
        for rule in range(antecedents.n_rules):
            # The product of a thousand degrees may underflow to zero.
            work.value[rule] = work.value[rule] / work.best[rule] if work.best[rule] > 0.0 else 0.0
    index_rules(&grid.space, antecedents)
    return True


cdef double score_rules(const Grid* grid, const Table* table, double limit, Workspace* work,
                        Py_ssize_t* n_uncovered) noexcept nogil:
    """Return the mean squared error of the rules on a table, infinite if it is beyond the limit."""
    cdef Py_ssize_t first = 0, size, row, k, n_fired
    cdef double output, residual, total = 0.0, errors = 0.0
    n_uncovered[0] = 0
    for row in range(table.n_rows):
        total += table.weight[row]
    while first < table.n_rows:
        size = min(<Py_ssize_t>BLOCK, table.n_rows - first)
        place_rows(table, &work.antecedents, first, size, work.places)
        for row in range(size):
            n_fired = fire_row(&grid.space, &work.antecedents, work.places, row, work.fired, work.degree)
            if n_fired == 0:
                n_uncovered[0] += 1
                n_fired = 1
            output = 0.0
            for k in range(n_fired):
                output += work.degree[k] * work.value[work.fired[k]]
            residual = output - table.y[first + row]
            errors += table.weight[first + row] * residual * residual
        # Sums of squares only grow: an error beyond the limit here is beyond it at the end.
        if errors / total > limit:
            return INFINITY
        first += size
    return errors / total


cdef Grid as_grid(tuple grid) except *:
    cdef const double[:, ::1] domains
    cdef Grid result
    cdef int max_labels
    domains, result.space.t_norm, result.consequent, result.truncate, max_labels = grid
    result.domains = &domains[0, 0]
    result.n_genes = <int>domains.shape[0]
    result.space.n_inputs = result.n_genes - (1 if result.consequent == OUTPUT_LABEL else 0)
    result.space.stride = max_labels - 1
    result.space.splits = NULL
    result.space.domains = result.domains
    result.space.fuzziness = 1.0
    return result


def evaluate(const int[:, ::1] granularities, const double[:, ::1] displacements, tuple grid, tuple table,
             object sample, int max_rules, double limit, int min_rules):
    """Evaluate a batch of chromosomes without the interpreter's lock.

    Rules come from all rows of `table`, errors from `sample`, or from `table` if that is None. Returns an array
    (chromosomes, 2): mean squared error and number of rules. A chromosome with too many rules has an infinite error and
    one rule more than allowed. A chromosome with at least `min_rules` rules and an error beyond the limit also has an
    infinite error.
    """
    cdef Py_ssize_t c, n = granularities.shape[0], n_uncovered = 0
    cdef Grid grid_ = as_grid(grid)
    cdef Table table_ = as_table(table), sample_
    cdef Table* scored = &table_
    cdef Workspace work
    cdef int status
    if sample is not None:
        sample_ = as_table(sample)
        scored = &sample_
    found = np.empty((n, 2))
    cdef double[:, ::1] results = found
    with nogil:
        status = open_workspace(&grid_, max_rules, &work)
        if status == 0:
            for c in range(n):
                if not make_grid_rules(&grid_, &granularities[c, 0], &displacements[c, 0], &table_, &work):
                    results[c, 0] = INFINITY
                    results[c, 1] = max_rules + 1
                    continue
                results[c, 1] = work.antecedents.n_rules
                results[c, 0] = score_rules(&grid_, scored,
                                            limit if work.antecedents.n_rules >= min_rules else INFINITY, &work,
                                            &n_uncovered)
            close_workspace(&work)
    if status < 0:
        raise MemoryError("there is not enough memory for so many rules")
    return found


def learn(const int[::1] granularities, const double[::1] displacements, tuple grid, tuple table, int max_rules):
    """Return the rules of one chromosome.

    Returns the inputs in antecedents (used,), the labels of the rules for these inputs (rules, used), in increasing
    order, the consequents (rules,), the rows that gave them (rules,), -1 if several did, the labels of the output
    (rules,), the mean squared error, and the number of rows that fire no rule.
    """
    cdef Grid grid_ = as_grid(grid)
    cdef Table table_ = as_table(table)
    cdef Workspace work
    cdef Py_ssize_t n_uncovered = 0, rule
    cdef double error = INFINITY
    cdef int status, j
    cdef bint allowed = False
    with nogil:
        status = open_workspace(&grid_, max_rules, &work)
        if status == 0:
            allowed = make_grid_rules(&grid_, &granularities[0], &displacements[0], &table_, &work)
            if allowed:
                error = score_rules(&grid_, &table_, INFINITY, &work, &n_uncovered)
            else:
                close_workspace(&work)
    if status < 0:
        raise MemoryError("there is not enough memory for so many rules")
    if not allowed:
        raise ValueError(f"the chromosome has more than {max_rules} rules")
    try:
        n_rules, used = work.antecedents.n_rules, work.antecedents.n_used
        inputs = np.array([work.antecedents.inputs[j] for j in range(used)], dtype=np.intp)
        labels = np.zeros((n_rules, used), dtype=np.intp)
        values, rows, outputs = np.empty(n_rules), np.empty(n_rules, dtype=np.intp), np.empty(n_rules, dtype=np.intp)
        for rule in range(n_rules):
            for j in range(used):
                labels[rule, j] = work.antecedents.labels[rule * grid_.space.n_inputs + j]
            values[rule], rows[rule], outputs[rule] = work.value[rule], work.row[rule], work.label[rule]
    finally:
        close_workspace(&work)
    order = np.lexsort(labels.T[::-1]) if used else np.zeros(1, dtype=np.intp)
    return inputs, labels[order], values[order], rows[order], outputs[order], error, n_uncovered
