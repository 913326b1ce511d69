"""Limits on the terms of a growth: the slopes along inputs of known direction, as sums of coefficients."""

import numpy as np

from libc.stdlib cimport free, malloc


cdef Py_ssize_t bends_of(const int[::1] inputs, const double[::1] places, int wanted, Py_ssize_t* own) noexcept nogil:
    """Write the indices of one input's bends, from low to high; return their number."""
    cdef Py_ssize_t i, k, n = 0
    for i in range(inputs.shape[0]):
        if inputs[i] == wanted:
            k = n
            while k > 0 and places[own[k - 1]] > places[i]:
                own[k] = own[k - 1]
                k -= 1
            own[k] = i
            n += 1
    return n


def slope_sides(const double[:, ::1] blocks, const int[::1] signs, const int[::1] inputs, const double[::1] places,
                const double[::1] reaches):
    """Return the slopes of every rule along inputs of known direction, wherever they are extreme.

    Each row is a slope, or a slope times a positive number, as factors of all terms of a structure with these `blocks`,
    in the direction given by `signs`. The output has the right directions if no slope is negative. `inputs`, `places`
    and `reaches` are those of the bends of curves. Where a piece of a curve begins, the slope of a rule with its curve
    is linear between the two ends of the piece's reach; both slopes are multiplied by twice the reach.
    """
    cdef Py_ssize_t n = blocks.shape[0], q = signs.shape[0] + 1, n_bends = inputs.shape[0]
    cdef Py_ssize_t n_terms = n * q + 2 * n_bends, first = n * q, n_sides = 0, n_own, j, rule, block, k, t, term, at
    cdef double twice
    cdef Py_ssize_t* own = <Py_ssize_t*>malloc((n_bends + 1) * sizeof(Py_ssize_t))
    if own == NULL:
        raise MemoryError
    for j in range(q - 1):
        if signs[j] != 0:
            n_sides += n * (1 + 3 * bends_of(inputs, places, <int>j, own))
    sides_array = np.zeros((n_sides, n_terms))
    cdef double[:, ::1] sides = sides_array
    with nogil:
        at = 0
        for j in range(q - 1):
            if signs[j] == 0:
                continue
            n_own = bends_of(inputs, places, <int>j, own)
            for rule in range(n):
                for block in range(n):
                    sides[at, block * q + 1 + j] = signs[j] * blocks[rule, block]
                for k in range(n_own):
                    twice = 2.0 * reaches[own[k]]
                    for t in range(n_terms):
                        sides[at + 1, t] = sides[at + 2, t] = twice * sides[at, t]
                        sides[at + 3, t] = sides[at, t]
                    term = first + 2 * own[k]
                    sides[at + 1, term] = sides[at + 2, term] = signs[j]
                    sides[at + 1, term + 1] = -0.5 * twice * signs[j]
                    sides[at + 2, term + 1] = 1.5 * twice * signs[j]
                    sides[at + 3, term + 1] = signs[j]
                    at += 3
                at += 1
    free(own)
    return sides_array


def any_negative(const double[:, ::1] sides, const double[::1] coefficients):
    """Return whether any of some sums of coefficients is negative."""
    cdef Py_ssize_t i, t, n_terms = sides.shape[1]
    cdef double value
    cdef bint found = False
    with nogil:
        for i in range(sides.shape[0]):
            value = 0.0
            for t in range(n_terms):
                value += sides[i, t] * coefficients[t]
            if value < 0.0:
                found = True
                break
    return found
