"""Fuzzy inference: from values to labels, from labels to rule activations, from activations to predictions.

A value's place in a partition is its lower label and the degree of the label above it. In a strong partition the two
degrees sum to one, and no other label is active.
"""

import numpy as np

cdef enum:
    PRODUCT = 0
    MINIMUM = 1


def fuzzify(const double[::1] x, const double[::1] centres, const double[::1] half_widths, int[::1] lower,
            double[::1] upper):
    """Write for every value its lower label and the degree of the next label.

    The label above split i rises from `centres[i] - half_widths[i]` to `centres[i] + half_widths[i]`; these intervals
    do not intersect. A half width of zero is a crisp split point, which belongs to the label above it.
    """
    cdef Py_ssize_t i, k, n_splits = centres.shape[0]
    cdef double degree
    with nogil:
        for i in range(x.shape[0]):
            k = 0
            while k < n_splits and x[i] >= centres[k] + half_widths[k]:
                k += 1
            lower[i] = <int>k
            upper[i] = 0.0
            if k < n_splits and x[i] > centres[k] - half_widths[k]:
                degree = (x[i] - (centres[k] - half_widths[k])) / (2.0 * half_widths[k])
                upper[i] = degree if degree < 1.0 else 1.0


cdef double fire_row(const int* lower, const double* upper, const int[:, :, ::1] labels, int t_norm,
                     double* activation) noexcept nogil:
    """Write the degree of every rule for one row; return their sum."""
    cdef Py_ssize_t rule, j
    cdef int label, first, last
    cdef double degree, matched, total = 0.0
    for rule in range(labels.shape[0]):
        degree = 1.0
        for j in range(labels.shape[1]):
            first = labels[rule, j, 0]
            if first < 0:
                continue
            last = labels[rule, j, 1]
            label = lower[j]
            matched = 0.0
            if first <= label <= last:
                matched = 1.0 - upper[j]
            if first <= label + 1 <= last:
                matched += upper[j]
            if t_norm == PRODUCT:
                degree *= matched
            elif matched < degree:
                degree = matched
            if degree == 0.0:
                break
        activation[rule] = degree
        total += degree
    return total


cdef Py_ssize_t nearest_rule(const int* lower, const double* upper, const int[:, :, ::1] labels,
                             const unsigned char* ordered) noexcept nogil:
    """Return the rule whose labels are the fewest steps away; of several the first."""
    cdef Py_ssize_t rule, j, best = 0
    cdef int first, last
    cdef double place, steps, least = -1.0
    for rule in range(labels.shape[0]):
        steps = 0.0
        for j in range(labels.shape[1]):
            first = labels[rule, j, 0]
            if first < 0:
                continue
            last = labels[rule, j, 1]
            place = lower[j] + upper[j]
            if place < first:
                steps += first - place if ordered[j] else 1.0
            elif place > last:
                steps += place - last if ordered[j] else 1.0
        if least < 0.0 or steps < least:
            least = steps
            best = rule
    return best


cdef bint activate_row(const int* lower, const double* upper, const int[:, :, ::1] labels,
                       const unsigned char* ordered, int t_norm, double* activation) noexcept nogil:
    """Write the normalised activation of every rule for one row; return whether any rule fired."""
    cdef Py_ssize_t rule
    cdef double total = fire_row(lower, upper, labels, t_norm, activation)
    if total > 0.0:
        for rule in range(labels.shape[0]):
            activation[rule] /= total
        return True
    activation[nearest_rule(lower, upper, labels, ordered)] = 1.0
    return False


def activate(const int[:, ::1] lower, const double[:, ::1] upper, const int[:, :, ::1] labels,
             const unsigned char[::1] ordered, int t_norm):
    """Return the normalised activations (rows, rules), and for each row whether a rule fired.

    `labels` has the first and the last label that every rule accepts of each antecedent input, -1 if it accepts all. If
    no rule fires, the nearest one has activation 1.
    """
    cdef Py_ssize_t i, n = lower.shape[0]
    activations_array = np.zeros((n, labels.shape[0]))
    fired_array = np.empty(n, dtype=np.uint8)
    cdef double[:, ::1] activations = activations_array
    cdef unsigned char[::1] fired = fired_array
    cdef const unsigned char* order = &ordered[0] if ordered.shape[0] else NULL
    with nogil:
        for i in range(n):
            fired[i] = activate_row(&lower[i, 0], &upper[i, 0], labels, order, t_norm, &activations[i, 0])
    return activations_array, fired_array.view(np.bool_)


def fire(const int[:, ::1] lower, const double[:, ::1] upper, const int[:, :, ::1] labels,
         const unsigned char[::1] ordered, int t_norm):
    """Return the same as `activate`, but without normalisation: the degrees of a row need not sum to one."""
    cdef Py_ssize_t i, n = lower.shape[0]
    degrees_array = np.zeros((n, labels.shape[0]))
    fired_array = np.empty(n, dtype=np.uint8)
    cdef double[:, ::1] degrees = degrees_array
    cdef unsigned char[::1] fired = fired_array
    cdef const unsigned char* order = &ordered[0] if ordered.shape[0] else NULL
    with nogil:
        for i in range(n):
            fired[i] = fire_row(&lower[i, 0], &upper[i, 0], labels, t_norm, &degrees[i, 0]) > 0.0
            if not fired[i]:
                degrees[i, nearest_rule(&lower[i, 0], &upper[i, 0], labels, order)] = 1.0
    return degrees_array, fired_array.view(np.bool_)


def predict(const double[:, ::1] X, const int[:, ::1] lower, const double[:, ::1] upper,
            const int[:, :, ::1] labels, const unsigned char[::1] ordered, int t_norm,
            const double[:, ::1] consequents):
    """Return the predictions: the rules' linear outputs (intercept first), weighted by their activations."""
    cdef Py_ssize_t i, rule, j, n = X.shape[0], p = X.shape[1]
    cdef double output, total
    predictions_array = np.empty(n)
    activation_array = np.zeros(labels.shape[0])
    cdef double[::1] predictions = predictions_array, activation = activation_array
    cdef const unsigned char* order = &ordered[0] if ordered.shape[0] else NULL
    with nogil:
        for i in range(n):
            activate_row(&lower[i, 0], &upper[i, 0], labels, order, t_norm, &activation[0])
            total = 0.0
            for rule in range(labels.shape[0]):
                if activation[rule] == 0.0:
                    continue
                output = consequents[rule, 0]
                for j in range(p):
                    output += consequents[rule, j + 1] * X[i, j]
                total += activation[rule] * output
            predictions[i] = total
    return predictions_array
