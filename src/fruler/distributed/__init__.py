"""The same learner on a Dask cluster: rows stay with the workers, the search is led from the client."""

from fruler.distributed.cluster import ClusterLost
from fruler.distributed.regressor import DaskFRULERRegressor

__all__ = ["ClusterLost", "DaskFRULERRegressor"]
