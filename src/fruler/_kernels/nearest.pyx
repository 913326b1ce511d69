"""Nearest neighbours for instance selection: in each class (one k-d tree per class), and in a growing set of rows."""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef enum:
    # The points of a leaf lie side by side, input by input, so that one pass over a leaf is a fixed-length vector loop.
    LEAF = 32
    # The rows of the running search that share one pass over the inputs: their distances stay in the L1 cache.
    BLOCK = 256


cdef struct Forest:
    Py_ssize_t n_inputs
    double* low          # (nodes, inputs): the smallest box around a node's points
    double* high
    Py_ssize_t* child    # the left child, the right one follows it; for a leaf -1 - (index of its block)
    Py_ssize_t* lowest   # the first row of the table in a node
    double* blocks       # (leaves, inputs, LEAF), padded with infinity
    Py_ssize_t* rows     # (leaves, LEAF), padded with -1


cdef struct Best:
    double distance
    Py_ssize_t row


cdef void select_median(const double* keys, Py_ssize_t* order, Py_ssize_t first, Py_ssize_t last,
                        Py_ssize_t middle) noexcept nogil:
    """Reorder `order[first:last]` so that the entry at `middle` is the one that a full sort by key would put there."""
    cdef Py_ssize_t i, j, swap
    cdef double pivot
    cdef uint64_t draw = 1
    last -= 1
    while first < last:
        # A random pivot: with a fixed one, a column that rises and falls, as seasons do, takes quadratic time.
        draw = draw * 6364136223846793005ULL + 1442695040888963407ULL
        pivot = keys[order[first + <Py_ssize_t>((draw >> 33) % <uint64_t>(last - first + 1))]]
        i = first
        j = last
        while i <= j:
            while keys[order[i]] < pivot:
                i += 1
            while keys[order[j]] > pivot:
                j -= 1
            if i <= j:
                swap = order[i]
                order[i] = order[j]
                order[j] = swap
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


cdef void build_node(Forest* forest, const double[:, ::1] columns, Py_ssize_t* order, Py_ssize_t first,
                     Py_ssize_t last, Py_ssize_t node, Py_ssize_t* n_nodes, Py_ssize_t* n_leaves) noexcept nogil:
    cdef Py_ssize_t p = forest.n_inputs
    cdef Py_ssize_t d, k, left, middle, leaf, widest = 0
    cdef double value, low, high, width = -1.0
    forest.lowest[node] = order[first]
    for k in range(first, last):
        if order[k] < forest.lowest[node]:
            forest.lowest[node] = order[k]
    for d in range(p):
        low = INFINITY
        high = -INFINITY
        for k in range(first, last):
            value = columns[d, order[k]]
            if value < low:
                low = value
            if value > high:
                high = value
        forest.low[node * p + d] = low
        forest.high[node * p + d] = high
        if high - low > width:
            width = high - low
            widest = d
    if last - first <= LEAF:
        leaf = n_leaves[0]
        n_leaves[0] += 1
        forest.child[node] = -1 - leaf
        for k in range(LEAF):
            forest.rows[leaf * LEAF + k] = order[first + k] if first + k < last else -1
            for d in range(p):
                forest.blocks[(leaf * p + d) * LEAF + k] = (
                    columns[d, order[first + k]] if first + k < last else INFINITY
                )
        return
    middle = (first + last) // 2
    select_median(&columns[widest, 0], order, first, last, middle)
    left = n_nodes[0]
    n_nodes[0] += 2
    forest.child[node] = left
    build_node(forest, columns, order, first, middle, left, n_nodes, n_leaves)
    build_node(forest, columns, order, middle, last, left + 1, n_nodes, n_leaves)


cdef double distance_to_box(const Forest* forest, Py_ssize_t node, const double* point) noexcept nogil:
    cdef Py_ssize_t d, p = forest.n_inputs
    cdef double total = 0.0, gap
    cdef const double* low = forest.low + node * p
    cdef const double* high = forest.high + node * p
    for d in range(p):
        gap = max(low[d] - point[d], max(point[d] - high[d], 0.0))
        total += gap * gap
    return total


cdef void search_leaf(const Forest* forest, Py_ssize_t leaf, const double* point, Py_ssize_t row,
                      Best* best) noexcept nogil:
    cdef double[LEAF] distance
    cdef Py_ssize_t d, k, other, p = forest.n_inputs
    cdef double gap, coordinate
    cdef const double* block = forest.blocks + leaf * p * LEAF
    cdef const Py_ssize_t* rows = forest.rows + leaf * LEAF
    for k in range(LEAF):
        distance[k] = 0.0
    for d in range(p):
        coordinate = point[d]
        for k in range(LEAF):
            gap = block[d * LEAF + k] - coordinate
            distance[k] += gap * gap
    for k in range(LEAF):
        if distance[k] <= best.distance:
            other = rows[k]
            # Of equally near points the first in the table counts, so that the result depends on the table alone.
            if other != row and other >= 0 and (distance[k] < best.distance or other < best.row):
                best.distance = distance[k]
                best.row = other


cdef inline bint may_hold_nearer(const Forest* forest, Py_ssize_t node, double distance, const Best* best) noexcept nogil:
    # At equal distance only an earlier row counts; otherwise every query would visit all duplicates of its point.
    return distance < best.distance or (distance == best.distance and forest.lowest[node] < best.row)


cdef void search_node(const Forest* forest, Py_ssize_t node, const double* point, Py_ssize_t row,
                      Best* best) noexcept nogil:
    cdef Py_ssize_t child = forest.child[node], near, far
    cdef double left, right
    if child < 0:
        search_leaf(forest, -1 - child, point, row, best)
        return
    left = distance_to_box(forest, child, point)
    right = distance_to_box(forest, child + 1, point)
    near = child
    if right < left or (right == left and forest.lowest[child + 1] < forest.lowest[child]):
        near = child + 1
    far = 2 * child + 1 - near
    if may_hold_nearer(forest, near, min(left, right), best):
        search_node(forest, near, point, row, best)
    if may_hold_nearer(forest, far, max(left, right), best):
        search_node(forest, far, point, row, best)


cdef void search_tree(const Forest* forest, Py_ssize_t tree, const double* point, Py_ssize_t row,
                      Best* best) noexcept nogil:
    if may_hold_nearer(forest, tree, distance_to_box(forest, tree, point), best):
        search_node(forest, tree, point, row, best)


cdef void search_classes(const Forest* forest, const double* point, Py_ssize_t row, Py_ssize_t own,
                         Py_ssize_t n_classes, Best* within, Best* between) noexcept nogil:
    """Find the nearest neighbour in a point's own class, and in any other class."""
    cdef Py_ssize_t step
    within.distance = between.distance = INFINITY
    within.row = between.row = -1
    search_node(forest, own, point, row, within)
    # Classes are intervals of the output: adjacent ones are likely near, and give a tight bound early.
    for step in range(1, n_classes):
        if own - step >= 0:
            search_tree(forest, own - step, point, row, between)
        if own + step < n_classes:
            search_tree(forest, own + step, point, row, between)


cdef tuple plant(const double[:, ::1] columns, const Py_ssize_t[::1] classes, Py_ssize_t n_classes):
    """Build one tree per class (none empty); return the rows in the order of the leaves, and the arrays of a forest."""
    cdef Py_ssize_t n = columns.shape[1], p = columns.shape[0]
    cdef Py_ssize_t max_leaves = 2 * n // LEAF + n_classes + 1
    cdef Py_ssize_t max_nodes = 2 * max_leaves
    cdef Py_ssize_t n_nodes = n_classes, n_leaves = 0, c
    order_array = np.argsort(classes, kind="stable").astype(np.intp, copy=False)
    starts_array = np.searchsorted(np.asarray(classes)[order_array], np.arange(n_classes + 1)).astype(np.intp)
    cdef tuple arrays = (
        np.empty((max_nodes, p)),
        np.empty((max_nodes, p)),
        np.empty(max_nodes, dtype=np.intp),
        np.empty(max_nodes, dtype=np.intp),
        np.empty((max_leaves, p, LEAF)),
        np.empty((max_leaves, LEAF), dtype=np.intp),
    )
    cdef Py_ssize_t[::1] order = order_array, starts = starts_array
    cdef Forest forest = forest_of(arrays)
    with nogil:
        for c in range(n_classes):
            build_node(&forest, columns, &order[0], starts[c], starts[c + 1], c, &n_nodes, &n_leaves)
    return order_array, arrays


cdef Forest forest_of(tuple arrays):
    """Point to the arrays of a forest, which the caller must keep."""
    cdef double[:, ::1] low = arrays[0], high = arrays[1]
    cdef Py_ssize_t[::1] child = arrays[2], lowest = arrays[3]
    cdef double[:, :, ::1] blocks = arrays[4]
    cdef Py_ssize_t[:, ::1] rows = arrays[5]
    cdef Forest forest
    forest.n_inputs = low.shape[1]
    forest.low = &low[0, 0]
    forest.high = &high[0, 0]
    forest.child = &child[0]
    forest.lowest = &lowest[0]
    forest.blocks = &blocks[0, 0, 0]
    forest.rows = &rows[0, 0]
    return forest


def class_neighbours(const double[:, ::1] points, const double[:, ::1] columns, const Py_ssize_t[::1] classes,
                     Py_ssize_t n_classes):
    """Find every point's nearest neighbour in its own class and in all other classes.

    Parameters: the points as (n, p) and as (p, n), their classes 0..n_classes-1 (none empty). Returns squared
    distances and row numbers, each (2, n): first within the class, then between classes. Without such a neighbour the
    distance is infinite and the row -1; of equally near points the lowest row counts.
    """
    cdef Py_ssize_t n = points.shape[0], k, first, row
    cdef Best within, between
    order_array, arrays = plant(columns, classes, n_classes)
    distances_array = np.empty((2, n))
    neighbours_array = np.empty((2, n), dtype=np.intp)
    cdef Py_ssize_t[::1] order = order_array
    cdef double[:, ::1] distances = distances_array
    cdef Py_ssize_t[:, ::1] neighbours = neighbours_array
    cdef Forest forest = forest_of(arrays)
    # In the order of the leaves, consecutive queries visit nearly the same nodes.
    for first in range(0, n, 1024):
        PyErr_CheckSignals()
        with nogil:
            for k in range(first, min(first + 1024, n)):
                row = order[k]
                search_classes(&forest, &points[row, 0], row, classes[row], n_classes, &within, &between)
                distances[0, row] = within.distance
                distances[1, row] = between.distance
                neighbours[0, row] = within.row
                neighbours[1, row] = between.row
    return distances_array, neighbours_array


def neighbours_in_each_class(const double[:, ::1] points, const double[:, ::1] columns,
                             const Py_ssize_t[::1] classes, Py_ssize_t n_classes):
    """Find every point's nearest neighbour in each class.

    Parameters: as for `class_neighbours`. Returns squared distances and row numbers, each (n_classes, n), with the
    same rules for points without such a neighbour and for equally near ones.
    """
    cdef Py_ssize_t n = points.shape[0], c, k, first, row
    cdef Best best
    order_array, arrays = plant(columns, classes, n_classes)
    distances_array = np.empty((n_classes, n))
    neighbours_array = np.empty((n_classes, n), dtype=np.intp)
    cdef Py_ssize_t[::1] order = order_array
    cdef double[:, ::1] distances = distances_array
    cdef Py_ssize_t[:, ::1] neighbours = neighbours_array
    cdef Forest forest = forest_of(arrays)
    for first in range(0, n, 1024):
        PyErr_CheckSignals()
        with nogil:
            for c in range(n_classes):
                for k in range(first, min(first + 1024, n)):
                    row = order[k]
                    best.distance = INFINITY
                    best.row = -1
                    search_node(&forest, c, &points[row, 0], row, &best)
                    distances[c, row] = best.distance
                    neighbours[c, row] = best.row
    return distances_array, neighbours_array


cdef double extend_block(const double[:, ::1] columns, Py_ssize_t first, Py_ssize_t last, Py_ssize_t added,
                         const double* y, double* nearest, Py_ssize_t* neighbour, double* error) noexcept nogil:
    """Update the rows first..last-1 for one more selected row; return the change of their squared errors."""
    cdef double[BLOCK] distance
    cdef Py_ssize_t d, k, size = last - first
    cdef double gap, coordinate, residual, change = 0.0
    cdef const double* column
    for k in range(size):
        distance[k] = 0.0
    for d in range(columns.shape[0]):
        column = &columns[d, first]
        coordinate = columns[d, added]
        for k in range(size):
            gap = column[k] - coordinate
            distance[k] += gap * gap
    for k in range(size):
        if distance[k] < nearest[first + k] and first + k != added:
            nearest[first + k] = distance[k]
            neighbour[first + k] = added
            residual = y[first + k] - y[added]
            residual *= residual
            change += residual - error[first + k]
            error[first + k] = residual
    return change


def extend_selection(const double[:, ::1] columns, const double[::1] y, const Py_ssize_t[::1] added,
                     double[::1] nearest, Py_ssize_t[::1] neighbour, double[::1] error):
    """Add rows to a selected set, and update the running arrays of all rows in place.

    For each row of the table these are: the squared distance to the nearest selected row other than itself, the number
    of that row, and the squared error of predicting the output from it. Of equally near rows the one added first stays.
    """
    cdef Py_ssize_t block, first, k, n = columns.shape[1]
    for block in range((n + BLOCK - 1) // BLOCK):
        first = block * BLOCK
        PyErr_CheckSignals()
        with nogil:
            for k in range(added.shape[0]):
                extend_block(columns, first, min(first + BLOCK, n), added[k], &y[0], &nearest[0], &neighbour[0],
                             &error[0])


def grow_selection(const double[:, ::1] columns, const double[::1] y, const Py_ssize_t[::1] order,
                   Py_ssize_t n_selected, double[::1] nearest, Py_ssize_t[::1] neighbour, double[::1] error,
                   bint against_best):
    """Add rows in the given order until the error has not fallen for too long.

    The set starts as the first `n_selected` rows of `order`, which `extend_selection` has already added to the running
    arrays. The search ends when every row is selected, or when the error has not fallen for more than
    sqrt(n / selected) additions, compared with the set before or, with `against_best`, with the best set so far.
    Returns the size of the best set and the mean of its squared errors.
    """
    cdef Py_ssize_t n = columns.shape[1], block, first, best = n_selected, idle = 0
    cdef double change, excess = 0.0
    best_error_array = np.array(error)
    cdef double[::1] best_error = best_error_array
    while n_selected < n and idle <= sqrt(<double>n / n_selected):
        PyErr_CheckSignals()
        with nogil:
            change = 0.0
            for block in range((n + BLOCK - 1) // BLOCK):
                first = block * BLOCK
                change += extend_block(columns, first, min(first + BLOCK, n), order[n_selected], &y[0], &nearest[0],
                                       &neighbour[0], &error[0])
            n_selected += 1
            excess = excess + change if against_best else change
            if excess < 0.0:
                excess = 0.0
                best = n_selected
                idle = 0
                memcpy(&best_error[0], &error[0], n * sizeof(double))
            else:
                idle += 1
    return best, best_error_array.mean()
