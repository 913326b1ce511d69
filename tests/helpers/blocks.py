"""Tables in parts, for the tests of the cluster."""

from itertools import pairwise

import dask.array as da

from fruler.distributed._blocks import Block


def in_chunks(X, y, size):
    return da.from_array(X, chunks=(size, -1)), da.from_array(y, chunks=size)


def blocks_of(X, y, *cuts, weight=None):
    """A table cut into blocks at these rows."""
    ends = [0, *cuts, len(y)]
    return [Block(X[a:b], y[a:b], None if weight is None else weight[a:b], None, b - a) for a, b in pairwise(ends)]
