"""Fuzzy partitions of a chromosome, its rules, and the rules that a row fires.

A value's place in a partition is the sum of the ramps it has passed: the integer part is the lower label, the fraction
the degree of the label above. The rules with a label are a set of bits, so the rules that a row can fire are found by
one `and` per input.
"""

from libc.math cimport INFINITY, fabs, nextafter
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

cdef extern from "dense.h" nogil:
    void dense_add_ramp(Py_ssize_t n, double start, double slope, const double* x, double* places)

cdef extern from "bits.h" nogil:
    int lowest_bit(uint64_t word)

cdef double LARGEST_DISPLACEMENT = 0.5 - 1e-6


cdef int open_antecedents(const Space* space, int max_rules, Antecedents* antecedents) noexcept nogil:
    """Allocate buffers for chromosomes with at most `max_rules` rules; return 0, or -1 without memory."""
    cdef int p = space.n_inputs, n_slots = 64
    while n_slots < 4 * max_rules:
        n_slots *= 2
    antecedents.max_rules = max_rules
    antecedents.n_slots = n_slots
    antecedents.inputs = <int*>malloc(p * sizeof(int))
    antecedents.n_splits = <int*>malloc(p * sizeof(int))
    antecedents.start = <double*>malloc(p * space.stride * sizeof(double) + 8)
    antecedents.slope = <double*>malloc(p * space.stride * sizeof(double) + 8)
    antecedents.labels = <unsigned char*>malloc(<size_t>(max_rules + 1) * p)
    antecedents.sets = <uint64_t*>malloc(<size_t>p * (space.stride + 2) * ((max_rules + 63) // 64) * sizeof(uint64_t))
    antecedents.slots = <int*>malloc(n_slots * sizeof(int))
    if (antecedents.inputs == NULL or antecedents.n_splits == NULL or antecedents.start == NULL
            or antecedents.slope == NULL or antecedents.labels == NULL or antecedents.sets == NULL
            or antecedents.slots == NULL):
        close_antecedents(antecedents)
        return -1
    return 0


cdef void close_antecedents(Antecedents* antecedents) noexcept nogil:
    free(antecedents.inputs)
    free(antecedents.n_splits)
    free(antecedents.start)
    free(antecedents.slope)
    free(antecedents.labels)
    free(antecedents.sets)
    free(antecedents.slots)


cdef void decode_genes(const Space* space, const int* granularities, const double* displacements,
                       Antecedents* antecedents) noexcept nogil:
    """Turn granularities and displacements into ramps; inputs with one label are left out."""
    cdef int stride = space.stride, j, k, n, used = 0
    cdef double left, right, share, here, reach, room_left, room_right
    cdef const double* splits
    cdef double* start
    cdef double* slope
    for j in range(space.n_inputs):
        n = granularities[j] - 1
        if n == 0:
            continue
        splits = space.splits + (<Py_ssize_t>j * (stride + 1) + n) * stride
        start = antecedents.start + used * stride
        slope = antecedents.slope + used * stride
        # First the moved splits: each moves by a share of the gap on its side.
        for k in range(n):
            share = displacements[j * stride + k]
            share = max(-LARGEST_DISPLACEMENT, min(LARGEST_DISPLACEMENT, share))
            left = space.domains[2 * j] if k == 0 else splits[k - 1]
            right = space.domains[2 * j + 1] if k == n - 1 else splits[k + 1]
            start[k] = splits[k] + share * (splits[k] - left if share < 0.0 else right - splits[k])
        # Then the ramps around them. `left` and `here` are moved splits; `start` is overwritten up to `here`.
        left = space.domains[2 * j]
        for k in range(n):
            here = start[k]
            right = space.domains[2 * j + 1] if k == n - 1 else start[k + 1]
            room_left = here - left if k == 0 else (here - left) / 2.0
            room_right = right - here if k == n - 1 else (right - here) / 2.0
            reach = space.fuzziness * min(room_left, room_right)
            if reach > 0.0 and here - reach < here:
                start[k] = here - reach
                slope[k] = 1.0 / (2.0 * reach)
            else:
                # A crisp split point belongs to the label above it: the whole rise lies just below.
                start[k] = nextafter(here, -INFINITY)
                slope[k] = 1.0 / (here - start[k])
            left = here
        antecedents.inputs[used] = j
        antecedents.n_splits[used] = n
        used += 1
    antecedents.n_used = used


cdef void place_block(const Space* space, const Table* table, const Antecedents* antecedents, Py_ssize_t first,
                      Py_ssize_t size, double* places) noexcept nogil:
    """Write the places of the rows first..first+size-1 in every used input, (used, BLOCK)."""
    cdef int j, k
    cdef const double* column
    memset(places, 0, antecedents.n_used * BLOCK * sizeof(double))
    for j in range(antecedents.n_used):
        column = table.columns + antecedents.inputs[j] * table.n_rows + first
        for k in range(antecedents.n_splits[j]):
            dense_add_ramp(size, antecedents.start[j * space.stride + k], antecedents.slope[j * space.stride + k],
                           column, places + j * BLOCK)


cdef inline uint64_t hash_labels(const unsigned char* labels, int n) noexcept nogil:
    cdef uint64_t value = 1469598103934665603ULL
    cdef int j
    for j in range(n):
        value = (value ^ labels[j]) * 1099511628211ULL
    return value ^ (value >> 29)


cdef void sort_rules(Antecedents* antecedents, int width) noexcept nogil:
    """Sort the rules by their labels, so that they do not depend on the order of the examples."""
    cdef int n = antecedents.n_rules, gap = n // 2, i, k
    cdef size_t size = antecedents.n_used
    cdef unsigned char* held = antecedents.labels + <size_t>antecedents.max_rules * width
    while gap > 0:
        for i in range(gap, n):
            memcpy(held, antecedents.labels + <size_t>i * width, size)
            k = i
            while k >= gap and memcmp(antecedents.labels + <size_t>(k - gap) * width, held, size) > 0:
                memcpy(antecedents.labels + <size_t>k * width, antecedents.labels + <size_t>(k - gap) * width, size)
                k -= gap
            memcpy(antecedents.labels + <size_t>k * width, held, size)
        gap //= 2


cdef int find_rule(const Space* space, Antecedents* antecedents, const double* places, Py_ssize_t row) noexcept nogil:
    """Return the rule of the cell of a placed row's best-fitting labels; a new rule is added.

    Return -1 if there would be more rules than allowed.
    """
    cdef int used = antecedents.n_used, width = space.n_inputs, j, label, slot, mask = antecedents.n_slots - 1
    cdef double place
    cdef unsigned char* labels = antecedents.labels + <size_t>antecedents.n_rules * width
    for j in range(used):
        place = places[j * BLOCK + row]
        label = <int>place
        # Of two labels that fit equally well, take the lower one.
        labels[j] = <unsigned char>(label + 1 if place - label > 0.5 else label)
    slot = <int>(hash_labels(labels, used) & <uint64_t>mask)
    while (antecedents.slots[slot] >= 0
           and memcmp(antecedents.labels + <size_t>antecedents.slots[slot] * width, labels, used) != 0):
        slot = (slot + 1) & mask
    if antecedents.slots[slot] < 0:
        if antecedents.n_rules == antecedents.max_rules:
            return -1
        antecedents.slots[slot] = antecedents.n_rules
        antecedents.n_rules += 1
    return antecedents.slots[slot]


cdef void forget_rules(Antecedents* antecedents) noexcept nogil:
    """Clear the rules, for another chromosome."""
    antecedents.n_rules = 0
    memset(antecedents.slots, 0xff, antecedents.n_slots * sizeof(int))


cdef void index_rules(const Space* space, Antecedents* antecedents) noexcept nogil:
    """Set the bits of the rules with each label, so that rows can fire."""
    cdef Py_ssize_t rule, set_size
    cdef int j
    cdef const unsigned char* labels
    antecedents.words = (antecedents.n_rules + 63) // 64
    set_size = (space.stride + 2) * antecedents.words
    memset(antecedents.sets, 0, antecedents.n_used * set_size * sizeof(uint64_t))
    for rule in range(antecedents.n_rules):
        labels = antecedents.labels + <size_t>rule * space.n_inputs
        for j in range(antecedents.n_used):
            antecedents.sets[j * set_size + labels[j] * antecedents.words + (rule >> 6)] |= (
                <uint64_t>1 << (rule & 63))


cdef bint make_rules(const Space* space, const Table* examples, Antecedents* antecedents,
                     double* places) noexcept nogil:
    """Wang and Mendel: add a rule for every cell of best-fitting labels that contains an example.

    Return whether there are at most as many rules as allowed.
    """
    cdef Py_ssize_t first = 0, row, size
    forget_rules(antecedents)
    while first < examples.n_rows:
        size = min(<Py_ssize_t>BLOCK, examples.n_rows - first)
        place_block(space, examples, antecedents, first, size, places)
        for row in range(size):
            if find_rule(space, antecedents, places, row) < 0:
                return False
        first += size
    sort_rules(antecedents, space.n_inputs)
    index_rules(space, antecedents)
    return True


cdef Py_ssize_t nearest_rule(const Space* space, const Antecedents* antecedents, const double* places,
                             Py_ssize_t row) noexcept nogil:
    """Return the rule whose labels are the fewest steps away; of several the first."""
    cdef Py_ssize_t rule, best = 0
    cdef int j
    cdef double steps, least = INFINITY
    for rule in range(antecedents.n_rules):
        steps = 0.0
        for j in range(antecedents.n_used):
            steps += fabs(places[j * BLOCK + row] - antecedents.labels[rule * space.n_inputs + j])
        if steps < least:
            least = steps
            best = rule
    return best


cdef Py_ssize_t fire_row(const Space* space, const Antecedents* antecedents, const double* places, Py_ssize_t row,
                         int* fired, double* degree) noexcept nogil:
    """Write the rules that a placed row fires, in increasing order, and their normalised degrees.

    Return their number; if no rule fires it is 0, and the nearest rule is written with degree one.
    """
    cdef int used = antecedents.n_used, words = antecedents.words, j, word, rule, label
    cdef Py_ssize_t set_size = (space.stride + 2) * words, n_fired = 0, k
    cdef uint64_t candidates
    cdef const uint64_t* sets
    cdef const unsigned char* labels
    cdef double place, share, total = 0.0, matched
    for word in range(words):
        candidates = ~<uint64_t>0
        for j in range(used):
            place = places[j * BLOCK + row]
            label = <int>place
            sets = antecedents.sets + j * set_size + label * words + word
            # If a value lies on a label's plateau, rules of the label above would fire with degree zero.
            candidates &= sets[0] | (sets[words] if place > label else 0)
        if used == 0:
            candidates = 1  # the only rule, with an empty antecedent
        while candidates:
            rule = 64 * word + lowest_bit(candidates)
            candidates &= candidates - 1
            labels = antecedents.labels + <size_t>rule * space.n_inputs
            share = 1.0
            for j in range(used):
                place = places[j * BLOCK + row]
                label = <int>place
                matched = place - label
                if labels[j] == label:
                    matched = 1.0 - matched
                if space.t_norm == 0:
                    share *= matched
                elif matched < share:
                    share = matched
            if share > 0.0:
                fired[n_fired] = rule
                degree[n_fired] = share
                total += share
                n_fired += 1
    if n_fired == 0:
        fired[0] = <int>nearest_rule(space, antecedents, places, row)
        degree[0] = 1.0
        return 0
    for k in range(n_fired):
        degree[k] /= total
    return n_fired
