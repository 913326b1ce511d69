"""Rule learning on a Dask cluster: rows stay on the workers, and the client runs the search."""

from fruler._wording import install_advice

try:
    from fruler.distributed._cluster import ClusterLost
    from fruler.distributed._regressor import DaskFuzzyRuleRegressor
except ModuleNotFoundError as error:
    if error.name not in ("dask", "distributed"):
        raise
    raise ImportError(f"estimators on a cluster need Dask; {install_advice('dask')}") from error

__all__ = ["ClusterLost", "DaskFuzzyRuleRegressor"]
