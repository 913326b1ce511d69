"""Tables in parts, for the tests of the cluster."""

import dask.array as da


def in_chunks(X, y, size):
    return da.from_array(X, chunks=(size, -1)), da.from_array(y, chunks=size)
