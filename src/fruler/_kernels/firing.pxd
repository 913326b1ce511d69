"""Fuzzy partitions of a chromosome, its rules, and the rules that a row fires."""

from libc.stdint cimport uint64_t

cdef enum:
    # The number of rows that are placed in the partitions together; their places stay in the L1 cache.
    BLOCK = 256


cdef struct Space:
    # The fixed part of a search. Inputs have at most `stride` splits.
    int n_inputs
    int stride
    const double* splits        # (inputs, stride + 1, stride): increasing, by input and number of splits
    const double* domains       # (inputs, 2)
    double fuzziness
    int t_norm                  # 0 product, 1 minimum


cdef struct Table:
    # Rows of standardised data.
    Py_ssize_t n_rows
    const double* columns       # (inputs, rows)
    const double* rows          # (rows, inputs + 1), a one before the inputs
    const double* y
    const double* weight


cdef struct Antecedents:
    # The data base and the antecedents of the rules of one chromosome; buffers are reused for the next chromosome.
    int n_used                  # inputs with more than one label
    int* inputs                 # (used)
    int* n_splits               # (used)
    double* start               # (used, stride): where the label above a split begins to rise
    double* slope               # (used, stride)
    int n_rules
    int max_rules
    unsigned char* labels       # (rules, inputs), by used input
    int words                   # 64-bit words of a set of rules
    uint64_t* sets              # (used, stride + 2, words): the rules with each label
    int* slots                  # hash table of rules while they are made
    int n_slots


cdef int open_antecedents(const Space* space, int max_rules, Antecedents* antecedents) noexcept nogil
cdef void close_antecedents(Antecedents* antecedents) noexcept nogil
cdef void decode_genes(const Space* space, const int* granularities, const double* displacements,
                       Antecedents* antecedents) noexcept nogil
cdef void place_block(const Space* space, const Table* table, const Antecedents* antecedents, Py_ssize_t first,
                      Py_ssize_t size, double* places) noexcept nogil
cdef int find_rule(const Space* space, Antecedents* antecedents, const double* places,
                   Py_ssize_t row) noexcept nogil
cdef void forget_rules(Antecedents* antecedents) noexcept nogil
cdef void index_rules(const Space* space, Antecedents* antecedents) noexcept nogil
cdef bint make_rules(const Space* space, const Table* examples, Antecedents* antecedents,
                     double* places) noexcept nogil
cdef Py_ssize_t fire_row(const Space* space, const Antecedents* antecedents, const double* places, Py_ssize_t row,
                         int* fired, double* degree) noexcept nogil
