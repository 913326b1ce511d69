"""MLflow: models as files that run no code of their own when they are loaded.

A model is saved as the JSON file of `fruler.load_model`, with its rules as text and its report. `mlflow.pyfunc` loads
it, and so `mlflow models serve` serves it.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from fruler import __version__
from fruler._arrays import Floats
from fruler._wording import install_advice
from fruler.estimators._saved_model import load_model as read_model
from fruler.estimators.base import BaseRuleRegressor
from fruler.rules._rule_base import RuleBase

__all__ = ["load_model", "log_model", "save_model"]

FLAVOR_NAME = "fruler"
_FILE, _RULES, _REPORT = "model.json", "rules.txt", "report.html"


class ServedModel:
    """A model as `mlflow.pyfunc` calls it.

    Parameters
    ----------
    model : BaseRuleRegressor
        The fitted regressor.
    """

    def __init__(self, model: BaseRuleRegressor) -> None:
        self.model = model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Floats | pd.DataFrame:
        """Predict rows.

        Parameters
        ----------
        model_input : DataFrame or array-like
            The rows.
        params : dict, optional
            With a ``coverage`` above 0, also the ends of prediction intervals are returned.
        """
        prediction = self.model.predict(model_input)
        coverage = float((params or {}).get("coverage") or 0.0)
        if coverage == 0.0:
            return prediction
        lower, upper = self.model.predict_interval(model_input, coverage)[:2]
        return pd.DataFrame({"prediction": prediction, "lower": lower, "upper": upper})


def _load_pyfunc(path: str) -> ServedModel:
    """Return the model of a file, or of the folder it is in; MLflow calls this."""
    place = Path(path)
    return ServedModel(read_model(place / _FILE if place.is_dir() else place))


def save_model(
    model: BaseRuleRegressor,
    path: str | os.PathLike[str],
    *,
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
    mlflow_model: Any = None,
) -> None:
    """Write a model to a new folder in MLflow's format.

    Parameters
    ----------
    model : BaseRuleRegressor
        A fitted regressor.
    path : path
        The folder to create.
    signature : ModelSignature, default=None
        The columns and types of inputs and predictions; None takes the columns of the rules, of any type.
    input_example : DataFrame or array-like, default=None
        Some rows to save as an example.
    pip_requirements : list of str, default=None
        The requirements of an environment to serve the model; None requires this version of fruler.
    metadata : dict, default=None
        Further entries of the description of the model.
    mlflow_model : mlflow.models.Model, default=None
        The description of the model, from `log_model`.

    Raises
    ------
    FileExistsError
        If the folder exists and is not empty.

    See Also
    --------
    log_model : Writes to the tracking server.

    Examples
    --------
    >>> from fruler.mlflow import load_model, save_model  # doctest: +SKIP
    >>> save_model(model, "model", input_example=X[:3])  # doctest: +SKIP
    >>> load_model("model").predict(X)  # doctest: +SKIP
    """
    _require_mlflow()
    from mlflow import pyfunc
    from mlflow.models import Model
    from mlflow.models.utils import _save_example
    from mlflow.utils.environment import _PythonEnv

    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"The folder {str(folder)!r} is not empty; choose another.")
    described = Model() if mlflow_model is None else mlflow_model
    described.metadata = metadata or described.metadata
    model.save(folder / _FILE)
    (folder / _RULES).write_text(f"{model.rule_base_}\n", encoding="utf-8")
    if find_spec("jinja2") is not None:
        model.report(path=folder / _REPORT)
    if input_example is not None:
        _save_example(described, input_example, str(folder))
    described.signature = signature or _signature(model.rule_base_)
    requirements = [f"fruler=={__version__}"] if pip_requirements is None else pip_requirements
    (folder / "requirements.txt").write_text("\n".join(["mlflow", *requirements]) + "\n", encoding="utf-8")
    environment = _PythonEnv.current()
    environment.dependencies = ["-r requirements.txt"]
    environment.to_yaml(str(folder / "python_env.yaml"))
    pyfunc.add_to_model(described, loader_module="fruler.mlflow", data=_FILE, python_env="python_env.yaml")
    described.add_flavor(FLAVOR_NAME, data=_FILE, fruler_version=__version__)
    described.save(str(folder / "MLmodel"))


def log_model(
    model: BaseRuleRegressor, name: str = "model", *, registered_model_name: str | None = None, **options: Any
) -> Any:
    """Log a model to the active run of MLflow, which is started if there is none.

    Parameters
    ----------
    model : BaseRuleRegressor
        A fitted regressor.
    name : str, default="model"
        The name of the model in the run.
    registered_model_name : str, default=None
        The name under which the model is registered; None does not register it.
    **options : any
        As for `save_model`: `signature`, `input_example`, `pip_requirements` and `metadata`.

    Returns
    -------
    mlflow.models.model.ModelInfo
        The logged model, with its `model_uri`.

    See Also
    --------
    save_model : Writes to a folder.

    Examples
    --------
    >>> import mlflow  # doctest: +SKIP
    >>> with mlflow.start_run():  # doctest: +SKIP
    ...     logged = log_model(model, input_example=X[:3])
    >>> mlflow.pyfunc.load_model(logged.model_uri).predict(X, params={"coverage": 0.9})  # doctest: +SKIP
    """
    _require_mlflow()
    from mlflow.models import Model

    import fruler.mlflow

    return Model.log(
        artifact_path=None,
        name=name,
        flavor=fruler.mlflow,
        model=model,
        registered_model_name=registered_model_name,
        **options,
    )


def load_model(model_uri: str | os.PathLike[str]) -> BaseRuleRegressor:
    """Load a model that `save_model` or `log_model` wrote, as a regressor.

    Parameters
    ----------
    model_uri : str or path
        The folder, or an address of MLflow such as ``models:/prices/1``.

    Returns
    -------
    BaseRuleRegressor
        The fitted regressor.

    See Also
    --------
    fruler.load_model : Loads a model file.

    Examples
    --------
    >>> load_model("models:/prices/1").predict(X)  # doctest: +SKIP
    """
    _require_mlflow()
    from mlflow.tracking.artifact_utils import _download_artifact_from_uri

    return read_model(Path(_download_artifact_from_uri(os.fspath(model_uri))) / _FILE)


def _require_mlflow() -> None:
    if find_spec("mlflow") is None:
        raise ImportError(f"fruler.mlflow needs MLflow; {install_advice('mlflow')}")


def _signature(rule_base: RuleBase) -> Any:
    """Return the columns that rules read, the prediction and the parameters.

    Columns may have any type, since MLflow would refuse whole numbers for a column of decimals; the model checks them.
    """
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import AnyType

    columns = [ColSpec(AnyType(), name) for name in rule_base.columns]
    # A coverage of 0 stands for no intervals.
    parameters = ParamSchema([ParamSpec("coverage", DataType.double, 0.0)])
    return ModelSignature(Schema(columns), Schema([ColSpec(DataType.double)]), parameters)
