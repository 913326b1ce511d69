"""A real cluster: two worker processes, shared by the tests of this folder."""

import numpy as np
import pytest
from distributed import Client, LocalCluster
from sklearn.datasets import make_friedman1


@pytest.fixture(scope="session")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture(scope="session")
def client(cluster):
    with Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="session")
def friedman():
    """A table that fits one machine, and small enough to be learned from in a second."""
    X, y = make_friedman1(700, 5, noise=0.5, random_state=0)
    # Few distinct values in one column, so that one granularity is small.
    X[:, 4] = np.round(X[:, 4], 1)
    return X, y
