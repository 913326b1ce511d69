"""The same learners on a Dask cluster: rows stay with the workers, the search is led from the client."""

from fruler.distributed.cluster import ClusterLost
from fruler.distributed.estimators import DaskFRULERRegressor, DaskFuzzyRuleRegressor

__all__ = ["ClusterLost", "DaskFRULERRegressor", "DaskFuzzyRuleRegressor"]
