"""Nested split points of an input: the best pair of lines, again and again, chosen by BIC.

The rows of an input are first gathered into cells, one per distinct value in increasing order. A cell has what the
error of a line needs: row count, weight, x, the mean of y and the sum of squares around it.

A split lies between two cells, and divides the interval that gains most. A `printed` split, as in the paper's
pseudocode, lies on a value, whose rows are then in no interval, like those at the ends of the domain; it divides the
interval with the smallest mean squared error after its split.
"""

import numpy as np

from libc.math cimport INFINITY, frexp, ldexp, log, sqrt
from libc.string cimport memset


cdef struct Cells:
    Py_ssize_t* rows
    double* weight
    double* x
    double* y
    double* yy


cdef struct Interval:
    Py_ssize_t first     # the cells first..last-1
    Py_ssize_t last
    double weight        # of its cells
    double error         # of the line through them
    double merit         # of its best split: the interval with the most merit is split; -inf if it cannot be split
    Py_ssize_t split     # the cell at which, or before which, that split lies; at it, it is in neither part


cdef struct Charges:
    # The constants of BIC, and how intervals are split.
    Py_ssize_t n_rows
    Py_ssize_t min_rows         # on each side of a split
    double free_splits          # the number of splits that cost nothing
    double error_floor          # a smaller error counts as this
    bint printed
    bint weighted               # whether a side's error counts as often as it has rows, as in the printed LinearError
    bint summed                 # whether BIC adds up the mean errors of the intervals, as printed


cdef struct Line:
    # The least squares line through weighted points: their centre, and sums of squares and products around it.
    double weight
    double x
    double y
    double xx
    double xy
    double yy


cdef inline void add_cell(Line* line, const Cells* cells, Py_ssize_t k) noexcept nogil:
    """Add a cell by Welford's update: no sum is ever a difference of large numbers, whatever the outliers."""
    cdef double weight = cells.weight[k], dx = cells.x[k] - line.x, dy = cells.y[k] - line.y, share
    line.weight += weight
    share = weight / line.weight
    line.x += share * dx
    line.y += share * dy
    # The part of the differences that is left after the centre has moved.
    weight *= 1.0 - share
    line.xx += weight * dx * dx
    line.xy += weight * dx * dy
    line.yy += weight * dy * dy + cells.yy[k]


cdef inline double line_error(const Line* line) noexcept nogil:
    """Return the squared error of the line."""
    cdef double error = line.yy
    if line.xx > 0.0:
        error -= line.xy * line.xy / line.xx
    return error if error > 0.0 else 0.0


cdef void fit_line(const Cells* cells, Interval* interval, double* left_errors) noexcept nogil:
    """Fit the interval's own line, and the lines through its first cells only."""
    cdef Py_ssize_t k
    cdef Line line
    memset(&line, 0, sizeof(Line))
    interval.error = 0.0
    for k in range(interval.first, interval.last):
        add_cell(&line, cells, k)
        left_errors[k] = line_error(&line)
        interval.error = left_errors[k]
    interval.weight = line.weight


cdef void examine(const Cells* cells, Interval* interval, const Charges* charges, double* left_errors) noexcept nogil:
    """Fit the interval's own line and find the split with the smallest error of the two lines at its sides."""
    cdef Py_ssize_t k, first = interval.first, last = interval.last, n_left = 0, n_right = 0
    cdef Py_ssize_t min_rows = charges.min_rows
    cdef bint left_out = charges.printed
    cdef double error, left, best = INFINITY
    cdef Line line
    fit_line(cells, interval, left_errors)
    interval.merit = -INFINITY
    interval.split = -1
    for k in range(first, last):
        n_left += cells.rows[k]
    if n_left < 2 * min_rows:
        return
    memset(&line, 0, sizeof(Line))
    # A side with one distinct value has no line of its own.
    for k in range(last - 1, first + 1, -1):
        n_left -= cells.rows[k]
        if n_left < min_rows:
            break
        if not left_out:
            n_right += cells.rows[k]
            add_cell(&line, cells, k)
        if n_right >= min_rows and k + left_out < last - 1:
            left, error = left_errors[k - 1], line_error(&line)
            if charges.weighted:
                left *= n_left
                error *= n_right
            error += left
            # Of equally good splits, take the first.
            if error <= best:
                best = error
                interval.split = k
        if left_out:
            n_right += cells.rows[k]
            add_cell(&line, cells, k)
    if interval.split >= 0:
        interval.merit = -best / interval.weight if charges.printed else interval.error - best


cdef double criterion(const Interval* intervals, Py_ssize_t granularity, const Charges* charges) noexcept nogil:
    """Return the BIC of some intervals, from the mean squared error over their rows, or from the sum of their means."""
    cdef Py_ssize_t k
    cdef double error = 0.0, weight = 0.0, charged = max(granularity - charges.free_splits, 1.0)
    for k in range(granularity):
        error += intervals[k].error / (intervals[k].weight if charges.summed else 1.0)
        weight += intervals[k].weight
    if charges.summed:
        error *= weight
    return (charges.n_rows * log(max(error, charges.error_floor) / weight)
            + charged * 2.0 * log(<double>charges.n_rows))


cdef Py_ssize_t split_intervals(const Cells* cells, Py_ssize_t n_cells, const Charges* charges, Interval* intervals,
                                double* left_errors, Py_ssize_t* splits, double* criteria,
                                Py_ssize_t* n_examined) noexcept nogil:
    """Write the splits in the order in which they are found and each granularity's BIC; return the best granularity."""
    cdef Py_ssize_t granularity = 1, best = 1, idle = 0, k, widest
    intervals[0].first = 0
    intervals[0].last = n_cells
    # The whole input includes its ends, even if they are in no interval later.
    fit_line(cells, &intervals[0], left_errors)
    criteria[0] = criterion(intervals, 1, charges)
    if charges.printed:
        intervals[0].first += 1
        intervals[0].last -= 1
    examine(cells, &intervals[0], charges, left_errors)
    while True:
        widest = -1
        for k in range(granularity):
            if intervals[k].merit > -INFINITY and (widest < 0 or intervals[k].merit > intervals[widest].merit):
                widest = k
        if widest < 0:
            break
        splits[granularity - 1] = intervals[widest].split
        intervals[granularity].first = intervals[widest].split + charges.printed
        intervals[granularity].last = intervals[widest].last
        intervals[widest].last = intervals[widest].split
        examine(cells, &intervals[widest], charges, left_errors)
        examine(cells, &intervals[granularity], charges, left_errors)
        granularity += 1
        criteria[granularity - 1] = criterion(intervals, granularity, charges)
        if criteria[granularity - 1] < criteria[best - 1]:
            best = granularity
            idle = 0
        else:
            idle += 1
        if idle > sqrt(charges.n_rows / (<double>charges.min_rows * best)):
            break
    n_examined[0] = granularity
    return best


cdef Py_ssize_t gather_cells(const double[::1] x, const double[::1] y, const double[::1] weight,
                             const Py_ssize_t[::1] order, Cells* cells) noexcept nogil:
    """Gather sorted rows by their value; return the number of cells. The x of the cells lie between -1 and 1."""
    cdef Py_ssize_t n = x.shape[0], k, row, cell = -1
    cdef int exponent = 0
    cdef double value = 0.0, w, total, delta, unit, middle = x[order[n // 2]]
    # Centred at the median and scaled by a power of two: the bulk of the values keeps all its digits, wherever it lies
    # and however far away a few others are.
    frexp(max(middle - x[order[0]], x[order[n - 1]] - middle), &exponent)
    unit = ldexp(1.0, -exponent)
    for k in range(n):
        row = order[k]
        w = weight[row]
        if cell < 0 or x[row] != value:
            cell += 1
            value = x[row]
            cells.rows[cell] = 1
            cells.weight[cell] = w
            cells.x[cell] = (value - middle) * unit
            cells.y[cell] = y[row]
            cells.yy[cell] = 0.0
        else:
            # Welford's update: no sum of squares is ever a difference of large numbers.
            total = cells.weight[cell] + w
            delta = y[row] - cells.y[cell]
            cells.y[cell] += delta * w / total
            cells.yy[cell] += w * delta * (y[row] - cells.y[cell])
            cells.rows[cell] += 1
            cells.weight[cell] = total
    return cell + 1


def split_columns(const double[:, ::1] columns, const Py_ssize_t[:, ::1] orders, const double[::1] y,
                  const double[::1] weight, Py_ssize_t min_rows, double free_splits, double error_floor, bint printed,
                  bint weighted=False, bint summed=False):
    """Find the nested splits of each input.

    Parameters: the inputs as (p, n), the order that sorts each, outputs and positive weights of the rows, the minimum
    number of rows on each side of a split, the number of splits that are free in BIC, the minimum total squared error,
    whether splits are as printed, and with these, whether LinearError and BIC are. Returns for each input the splits of the best granularity in the order in which
    they were found (each as the position, in the sorted input, of the first row on it or to its right), and the BIC of
    every granularity that was tried.
    """
    cdef Py_ssize_t p = columns.shape[0], n = columns.shape[1], most = n // min_rows + 2
    cdef Py_ssize_t j, k, n_cells, best, n_examined = 0
    cdef Py_ssize_t[::1] rows = np.empty(n, dtype=np.intp), splits
    cdef double[:, ::1] sums = np.empty((5, n))
    cdef unsigned char[::1] intervals = np.empty(most * sizeof(Interval), dtype=np.uint8)
    cdef double[::1] criteria
    cdef Cells cells
    cdef Charges charges = Charges(n, min_rows, free_splits, error_floor, printed, weighted, summed)
    cells.rows = &rows[0]
    cells.weight = &sums[0, 0]
    cells.x = &sums[1, 0]
    cells.y = &sums[2, 0]
    cells.yy = &sums[3, 0]
    found = []
    for j in range(p):
        splits_array = np.empty(most, dtype=np.intp)
        criteria_array = np.empty(most)
        splits = splits_array
        criteria = criteria_array
        with nogil:
            n_cells = gather_cells(columns[j], y, weight, orders[j], &cells)
            best = split_intervals(&cells, n_cells, &charges,
                                   <Interval*>&intervals[0], &sums[4, 0], &splits[0], &criteria[0], &n_examined)
            # From cells to rows: the running sum of the row counts.
            for k in range(1, n_cells):
                rows[k] += rows[k - 1]
            for k in range(best - 1):
                splits[k] = rows[splits[k] - 1]
        found.append((splits_array[:best - 1], criteria_array[:n_examined]))
    return found
