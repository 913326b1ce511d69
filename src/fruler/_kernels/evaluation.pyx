"""The evaluation of chromosomes: their rules, consequents and errors, for a batch of chromosomes at once.

The kernels take three kinds of tuples:
space (splits, domains, fuzziness, code of the t-norm), see `SearchSpace.arrays`;
a table (columns, rows, y, weight), see `Rows.arrays`;
settings (l1, l2, whether intercepts are shrunk, the ridge of intercepts that are not, tolerance, progress, max_rounds,
code of the solver, rate, seed, printed step, min_gain, l1_interval), see `ElasticNetSettings.numbers`.
"""

from time import perf_counter

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from fruler._kernels.elastic_net cimport GramProblem, solve_gram, solver_workspace
from fruler._kernels.firing cimport (
    BLOCK,
    Antecedents,
    Space,
    Table,
    close_antecedents,
    decode_genes,
    fire_row,
    make_rules,
    open_antecedents,
    place_block,
)
from fruler._kernels.sgd cimport Descent, SparseDesign, descend, fill_rows, set_layout

cdef extern from "dense.h" nogil:
    void dense_axpy(Py_ssize_t n, double a, const double* x, double* y)
    void dense_outer(Py_ssize_t q, const double* x, double* packed)
    void dense_add_pairs(Py_ssize_t n_fired, const int* fired, const double* degree, double weight, Py_ssize_t size,
                         const double* packed, double* blocks)

cdef int open_workspace(const Space* space, int max_rules, Workspace* work) noexcept nogil:
    cdef Py_ssize_t q = space.n_inputs + 1
    memset(work, 0, sizeof(Workspace))
    if open_antecedents(space, max_rules, &work.antecedents) != 0:
        return -1
    work.places = <double*>malloc(space.n_inputs * BLOCK * sizeof(double))
    work.fired = <int*>malloc(max_rules * sizeof(int))
    work.degree = <double*>malloc(max_rules * sizeof(double))
    work.packed = <double*>malloc(q * (q + 1) // 2 * sizeof(double))
    if work.places == NULL or work.fired == NULL or work.degree == NULL or work.packed == NULL:
        close_workspace(work)
        return -1
    return 0


cdef void close_workspace(Workspace* work) noexcept nogil:
    close_antecedents(&work.antecedents)
    free(work.places)
    free(work.fired)
    free(work.degree)
    free(work.packed)
    free(work.numbers)
    free(work.indices)


cdef int grow(Workspace* work, size_t n_numbers, size_t n_indices) noexcept nogil:
    """Make room; the contents of the buffers are lost. Return 0, or -1 without memory."""
    if n_numbers > work.n_numbers:
        free(work.numbers)
        work.n_numbers = 0
        work.numbers = <double*>malloc(n_numbers * sizeof(double))
        if work.numbers == NULL:
            return -1
        work.n_numbers = n_numbers
    if n_indices > work.n_indices:
        free(work.indices)
        work.n_indices = 0
        work.indices = <int*>malloc(n_indices * sizeof(int))
        if work.indices == NULL:
            return -1
        work.n_indices = n_indices
    return 0


cdef void add_gram(const Space* space, const Table* table, Workspace* work, double* blocks, double* moment,
                   double* square) noexcept nogil:
    """Add the table's rows to the Gram matrix (by pairs of rules, packed), the moments and the sum of y²."""
    cdef Py_ssize_t q = space.n_inputs + 1, size = q * (q + 1) // 2, first = 0, rows, row, k, n_fired
    cdef const double* x
    cdef double y, weight
    while first < table.n_rows:
        rows = min(<Py_ssize_t>BLOCK, table.n_rows - first)
        place_block(space, table, &work.antecedents, first, rows, work.places)
        for row in range(rows):
            n_fired = max(1, fire_row(space, &work.antecedents, work.places, row, work.fired, work.degree))
            x = table.rows + (first + row) * q
            y = table.y[first + row]
            weight = table.weight[first + row]
            dense_outer(q, x, work.packed)
            dense_add_pairs(n_fired, work.fired, work.degree, weight, size, work.packed, blocks)
            for k in range(n_fired):
                dense_axpy(q, weight * y * work.degree[k], x, moment + work.fired[k] * q)
            square[0] += weight * y * y
        first += rows


cdef void unpack_gram(Py_ssize_t n_rules, Py_ssize_t q, const double* blocks, double scale,
                      double* gram) noexcept nogil:
    """Unpack the blocks into the full symmetric matrix, times a factor."""
    cdef Py_ssize_t k, l, i, j, size = n_rules * q
    cdef double value
    for l in range(n_rules):
        for k in range(l + 1):
            for i in range(q):
                for j in range(i, q):
                    value = blocks[0] * scale
                    blocks += 1
                    # Blocks are symmetric, and so is the matrix of blocks.
                    gram[(k * q + i) * size + l * q + j] = value
                    gram[(k * q + j) * size + l * q + i] = value
                    gram[(l * q + i) * size + k * q + j] = value
                    gram[(l * q + j) * size + k * q + i] = value


cdef int form_normal(const Space* space, const Table* table, Workspace* work, Normal* normal) noexcept nogil:
    """Form the Gram matrix and the moments, as means over the table; return 0, or -1 without memory."""
    cdef Py_ssize_t q = space.n_inputs + 1, m = work.antecedents.n_rules, size = m * q, i
    cdef Py_ssize_t n_blocks = m * (m + 1) // 2 * (q * (q + 1) // 2)
    cdef double total = 0.0
    if grow(work, 4 * size + size * size + solver_workspace(size) + n_blocks, size) != 0:
        return -1
    normal.size = size
    normal.beta = work.numbers
    normal.moment = normal.beta + size
    normal.l1 = normal.moment + size
    normal.l2 = normal.l1 + size
    normal.gram = normal.l2 + size
    normal.solver = normal.gram + size * size
    normal.blocks = normal.solver + solver_workspace(size)
    normal.square = 0.0
    memset(normal.moment, 0, size * sizeof(double))
    memset(normal.blocks, 0, n_blocks * sizeof(double))
    for i in range(table.n_rows):
        total += table.weight[i]
    add_gram(space, table, work, normal.blocks, normal.moment, &normal.square)
    unpack_gram(m, q, normal.blocks, 1.0 / total, normal.gram)
    for i in range(size):
        normal.moment[i] /= total
    normal.square /= total
    return 0


cdef double solve_normal(const Space* space, const Settings* settings, Workspace* work,
                         Normal* normal) noexcept nogil:
    """Solve for the coefficients by coordinate descent; return the violation of the optimality conditions."""
    cdef Py_ssize_t i, q = space.n_inputs + 1
    cdef bint is_free
    cdef GramProblem problem
    for i in range(normal.size):
        is_free = i % q == 0 and not settings.shrink_intercepts
        normal.l1[i] = 0.0 if is_free else settings.l1
        normal.l2[i] = settings.intercept_ridge if is_free else max(settings.l2, settings.intercept_ridge)
    problem.size, problem.gram, problem.moment = normal.size, normal.gram, normal.moment
    problem.l1, problem.l2 = normal.l1, normal.l2
    return solve_gram(&problem, normal.square, settings.tolerance, settings.progress, settings.max_rounds, normal.beta,
                      normal.solver, work.indices)


cdef double normal_error(const Normal* normal) noexcept nogil:
    """Return the mean squared error on the fitted rows, y'y - 2 m'b + b'Gb, row by row of the matrix."""
    cdef Py_ssize_t i, k
    cdef double inner, error = normal.square
    for i in range(normal.size):
        if normal.beta[i] != 0.0:
            inner = -2.0 * normal.moment[i]
            for k in range(normal.size):
                inner += normal.gram[i * normal.size + k] * normal.beta[k]
            error += normal.beta[i] * inner
    return max(error, 0.0)


cdef double fit_descent(const Space* space, const Table* table, const Settings* settings, Workspace* work,
                        double** beta) noexcept nogil:
    """Fit by stochastic gradient descent; return the number of epochs, or -1 without memory."""
    cdef Py_ssize_t q = space.n_inputs + 1, m = work.antecedents.n_rules, n = table.n_rows, most = m, room
    cdef SparseDesign design
    cdef Descent descent
    cdef double penalty = settings.l1 + settings.l2
    cdef double* numbers
    cdef Py_ssize_t* start
    cdef int epochs
    if work.antecedents.n_used < 20:
        most = min(m, <Py_ssize_t>1 << work.antecedents.n_used)
    set_layout(&design, m, q, settings.shrink_intercepts)
    room = m * design.stride
    if grow(work, m * q + 2 * room + n * (most + 1 + design.stride), n + n * most) != 0:
        return -1.0
    start = <Py_ssize_t*>malloc((n + 1) * sizeof(Py_ssize_t))
    if start == NULL:
        return -1.0
    beta[0] = work.numbers
    numbers = beta[0] + m * q + 2 * room
    design.n_rows, design.y, design.weight = n, table.y, table.weight
    design.rows, design.share, design.degree = numbers, numbers + n * design.stride, numbers + n * (design.stride + 1)
    design.start, design.block = start, work.indices + n
    fill_rows(&design, q, table.rows, numbers, numbers + n * design.stride)
    fire_design(space, table, work, design.stride, start, work.indices + n, numbers + n * (design.stride + 1))
    descent.penalty, descent.rate = penalty, settings.rate
    descent.ridge_share = settings.l2 / penalty if penalty > 0.0 else 1.0
    descent.seed, descent.max_epochs = settings.seed, settings.max_rounds
    descent.printed_step, descent.min_gain, descent.l1_interval = (
        settings.printed_step, settings.min_gain, settings.l1_interval)
    epochs = descend(&design, &descent, q, beta[0], beta[0] + m * q, work.indices)
    free(start)
    return epochs


cdef void fire_design(const Space* space, const Table* table, Workspace* work, Py_ssize_t stride, Py_ssize_t* start,
                      int* block, double* degree) noexcept nogil:
    """Write the rules that each row fires, as the offsets of their coefficients, and their degrees."""
    cdef Py_ssize_t first = 0, rows, row, k, n_fired, filled = 0
    start[0] = 0
    while first < table.n_rows:
        rows = min(<Py_ssize_t>BLOCK, table.n_rows - first)
        place_block(space, table, &work.antecedents, first, rows, work.places)
        for row in range(rows):
            n_fired = max(1, fire_row(space, &work.antecedents, work.places, row, work.fired, work.degree))
            for k in range(n_fired):
                block[filled] = <int>(work.fired[k] * stride)
                degree[filled] = work.degree[k]
                filled += 1
            start[first + row + 1] = filled
        first += rows


cdef double score(const Space* space, const Table* table, Workspace* work, const double* beta,
                  Py_ssize_t* n_uncovered) noexcept nogil:
    """Return the mean squared error of the rules on a table, and count the rows that fire no rule."""
    cdef Py_ssize_t q = space.n_inputs + 1, first = 0, rows, row, k, j, n_fired
    cdef const double* x
    cdef const double* block
    cdef double output, residual, total = 0.0, weight, errors = 0.0
    cdef double* mixed = work.packed
    n_uncovered[0] = 0
    while first < table.n_rows:
        rows = min(<Py_ssize_t>BLOCK, table.n_rows - first)
        place_block(space, table, &work.antecedents, first, rows, work.places)
        for row in range(rows):
            n_fired = fire_row(space, &work.antecedents, work.places, row, work.fired, work.degree)
            if n_fired == 0:
                n_uncovered[0] += 1
                n_fired = 1
            # Mix the rules' coefficients first: one inner product per row, whatever the number of fired rules.
            memset(mixed, 0, q * sizeof(double))
            for k in range(n_fired):
                dense_axpy(q, work.degree[k], beta + work.fired[k] * q, mixed)
            x = table.rows + (first + row) * q
            output = 0.0
            for j in range(q):
                output += mixed[j] * x[j]
            residual = output - table.y[first + row]
            weight = table.weight[first + row]
            total += weight
            errors += weight * residual * residual
        first += rows
    return errors / total


cdef int evaluate_one(const Space* space, const int* granularities, const double* displacements, const Tables* tables,
                      const Settings* settings, Workspace* work, double* result, double** beta) noexcept nogil:
    """Write the results of one chromosome; return 0, 1 if it has too many rules, -1 without memory."""
    cdef Py_ssize_t i, q = space.n_inputs + 1, size, n_nonzero = 0, n_uncovered = 0
    cdef double error = 0.0
    cdef Normal normal
    decode_genes(space, granularities, displacements, &work.antecedents)
    if not make_rules(space, tables.examples, &work.antecedents, work.places):
        return 1
    if settings.solver == 0:
        if form_normal(space, tables.fitted, work, &normal) != 0:
            return -1
        result[MISSED] = solve_normal(space, settings, work, &normal)
        beta[0] = normal.beta
    else:
        result[MISSED] = fit_descent(space, tables.fitted, settings, work, beta)
        if result[MISSED] < 0.0:
            return -1
    if tables.scored == NULL and settings.solver == 0:
        error = normal_error(&normal)
    else:
        error = score(space, tables.scored if tables.scored != NULL else tables.fitted, work, beta[0], &n_uncovered)
    size = work.antecedents.n_rules * q
    for i in range(size):
        if i % q != 0 and beta[0][i] != 0.0:
            n_nonzero += 1
    result[ERROR] = error
    result[RULES] = work.antecedents.n_rules
    result[COEFFICIENTS] = n_nonzero
    result[UNCOVERED] = n_uncovered
    return 0


cdef Space as_space(tuple space) except *:
    cdef const double[:, :, ::1] splits
    cdef const double[:, ::1] domains
    cdef Space result
    splits, domains, result.fuzziness, result.t_norm = space
    result.n_inputs = <int>splits.shape[0]
    result.stride = <int>splits.shape[2]
    result.splits = &splits[0, 0, 0]
    result.domains = &domains[0, 0]
    return result


cdef Table as_table(tuple table) except *:
    cdef const double[:, ::1] columns, rows
    cdef const double[::1] y, weight
    cdef Table result
    columns, rows, y, weight = table
    result.n_rows = rows.shape[0]
    result.columns = &columns[0, 0]
    result.rows = &rows[0, 0]
    result.y = &y[0]
    result.weight = &weight[0]
    return result


cdef Settings as_settings(tuple settings) except *:
    cdef Settings result
    (result.l1, result.l2, result.shrink_intercepts, result.intercept_ridge, result.tolerance, result.progress,
     result.max_rounds, result.solver, result.rate, result.seed, result.printed_step, result.min_gain,
     result.l1_interval) = settings
    return result


def evaluate(const int[:, ::1] granularities, const double[:, :, ::1] displacements, tuple space, tuple examples,
             tuple fitted, object scored, tuple settings, int max_rules):
    """Evaluate a batch of chromosomes without the interpreter's lock.

    Rules come from `examples`, consequents from `fitted`, errors from `scored`, or from `fitted` if that is None.
    Returns an array (chromosomes, 5): mean squared error, number of rules, nonzero slopes, rows of `scored` that no
    rule covers, and the violation of the optimality conditions (the number of epochs for gradient descent). A
    chromosome with too many rules has an infinite error.
    """
    cdef Py_ssize_t c, n = granularities.shape[0]
    cdef Space space_ = as_space(space)
    cdef Table examples_ = as_table(examples), fitted_ = as_table(fitted), scored_
    cdef Settings settings_ = as_settings(settings)
    cdef Workspace work
    cdef Tables tables
    cdef double* beta = NULL
    cdef int status = 0
    results_array = np.zeros((n, N_RESULTS))
    results_array[:, 0] = np.inf
    cdef double[:, ::1] results = results_array
    tables.examples, tables.fitted, tables.scored = &examples_, &fitted_, NULL
    if scored is not None:
        scored_ = as_table(scored)
        tables.scored = &scored_
    with nogil:
        status = open_workspace(&space_, max_rules, &work)
        if status == 0:
            for c in range(n):
                status = evaluate_one(&space_, &granularities[c, 0], &displacements[c, 0, 0], &tables, &settings_, &work,
                                      &results[c, 0], &beta)
                if status < 0:
                    break
            close_workspace(&work)
    if status < 0:
        raise MemoryError("there is not enough memory for so many rules")
    return results_array


def profile(const int[:, ::1] granularities, const double[:, :, ::1] displacements, tuple space, tuple examples,
            tuple fitted, object scored, tuple settings, int max_rules):
    """Return the seconds that a batch spends on each step: rules, Gram matrix, solver, fitness. For benchmarks."""
    cdef Py_ssize_t c, n_uncovered = 0
    cdef Space space_ = as_space(space)
    cdef Table examples_ = as_table(examples), fitted_ = as_table(fitted), scored_ = as_table(scored)
    cdef Settings settings_ = as_settings(settings)
    cdef Workspace work
    cdef Normal normal
    cdef bint allowed
    cdef double[5] clock
    cdef double checksum = 0.0
    seconds = np.zeros(4)
    if open_workspace(&space_, max_rules, &work) != 0:
        raise MemoryError
    try:
        for c in range(granularities.shape[0]):
            clock[0] = perf_counter()
            decode_genes(&space_, &granularities[c, 0], &displacements[c, 0, 0], &work.antecedents)
            allowed = make_rules(&space_, &examples_, &work.antecedents, work.places)
            clock[1] = perf_counter()
            if not allowed:
                continue
            if form_normal(&space_, &fitted_, &work, &normal) != 0:
                raise MemoryError
            clock[2] = perf_counter()
            solve_normal(&space_, &settings_, &work, &normal)
            clock[3] = perf_counter()
            checksum += score(&space_, &scored_, &work, normal.beta, &n_uncovered)
            clock[4] = perf_counter()
            seconds += np.diff([clock[0], clock[1], clock[2], clock[3], clock[4]])
    finally:
        close_workspace(&work)
    return seconds


def learn(const int[::1] granularities, const double[:, ::1] displacements, tuple space, tuple examples,
          tuple fitted, tuple settings, int max_rules):
    """Return the rules of one chromosome: the inputs in antecedents, the labels, the coefficients, and the results.

    Shapes (used,), (rules, used), (rules, inputs + 1) and (5,), see `evaluate`; the coefficients are those of
    standardised data.
    """
    cdef Space space_ = as_space(space)
    cdef Table examples_ = as_table(examples), fitted_ = as_table(fitted)
    cdef Settings settings_ = as_settings(settings)
    cdef Workspace work
    cdef Tables tables
    cdef double* beta = NULL
    cdef double[N_RESULTS] result
    cdef int status, j
    cdef Py_ssize_t rule, i, q = space_.n_inputs + 1
    tables.examples, tables.fitted, tables.scored = &examples_, &fitted_, NULL
    with nogil:
        status = open_workspace(&space_, max_rules, &work)
        if status == 0:
            status = evaluate_one(&space_, &granularities[0], &displacements[0, 0], &tables, &settings_, &work, result,
                                  &beta)
            if status != 0:
                close_workspace(&work)
    if status < 0:
        raise MemoryError("there is not enough memory for so many rules")
    if status > 0:
        raise ValueError(f"the chromosome has more than {max_rules} rules")
    try:
        inputs = np.array([work.antecedents.inputs[j] for j in range(work.antecedents.n_used)], dtype=np.intp)
        labels = np.zeros((work.antecedents.n_rules, work.antecedents.n_used), dtype=np.intp)
        coefficients = np.empty((work.antecedents.n_rules, q))
        for rule in range(work.antecedents.n_rules):
            for j in range(work.antecedents.n_used):
                labels[rule, j] = work.antecedents.labels[rule * space_.n_inputs + j]
            for i in range(q):
                coefficients[rule, i] = beta[rule * q + i]
    finally:
        close_workspace(&work)
    return inputs, labels, coefficients, np.array([result[i] for i in range(N_RESULTS)])
