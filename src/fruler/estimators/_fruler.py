"""FRULERRegressor: the paper's algorithm."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from fruler._algorithms.fruler.discretization import SPLITS, Splits
from fruler._algorithms.fruler.elastic_net import SOLVERS, Solver
from fruler._algorithms.fruler.instance_selection import CORE_ERRORS, CoreError
from fruler._algorithms.fruler.learner import FRULER
from fruler._algorithms.fruler.options import CRITERIA, FIT_ROWS, Criterion, FitRows
from fruler._algorithms.fruler.reading import READINGS, Reading, reading_of
from fruler.callbacks import Callback
from fruler.estimators.base import BaseRuleRegressor, documented
from fruler.learning.algorithm import Algorithm
from fruler.rules._antecedents import TNorm
from fruler.rules._inputs import Extrapolation
from fruler.rules._output import LinkName


@documented("`max_evaluations`, `n_restarts` and `early_stopping`", "one row per generation")
class FRULERRegressor(BaseRuleRegressor):
    """FRULER, Fuzzy RUle Learning through Evolution for Regression, reconstructed from its paper.

    Learns TSK-1 rules in three stages: instance selection, multi-granularity fuzzy discretization, and a genetic
    algorithm over the number of labels of each input and the displacements of their split points, with the Elastic Net
    for the consequents. Consequents are fitted on the selected rows during the search, and on all rows at its end; the
    search minimises the error on all training rows. Points that the paper leaves open are calibrated on its tables.

    `FuzzyRuleRegressor` is more accurate with fewer rules and takes seconds; this estimator is the one to compare with.

    Parameters
    ----------
    reading : {"calibrated", "printed"} or Reading, default="calibrated"
        How points are read that the paper leaves open, or that cannot have been run as they stand: calibrated on the
        paper's tables, or as printed, line by line, which gives much worse models. A `Reading` sets single points.
    instance_selection : bool, default=True
        Whether rules are made from representative rows only.
    core_error : {"mse", "rmse"}, default="mse"
        The error that determines how many rows the selection starts from; see `ClassConditionalSelector`.
    fit_rows : {"selected", "all"}, default="selected"
        The rows on which consequents are fitted during the search. At its end they are always fitted on all rows.
    splits : {"printed", "gain"}, default="printed"
        Where labels may begin and which interval is split next: as in the paper's pseudocode, or where the error falls
        most; see `MultiGranularityDiscretizer`.
    split_points : dict of str or int to sequence of float, default=None
        Known split points of some inputs, by name or index. An input with known split points has all of these labels,
        or is in no antecedent.
    fuzziness : float, default=1.0
        How much neighbouring labels overlap, from 0 (crisp) to 1.
    t_norm : {"minimum", "product"}, default="minimum"
        The t-norm that combines the membership degrees of a rule's antecedent.
    criterion : {"error", "bic"}, default="error"
        The criterion to minimise: the mean squared error, or the Bayesian information criterion, which penalises every
        coefficient.
    solver : {"sgd", "coordinate_descent"}, default="sgd"
        How consequents are fitted: the paper's stochastic gradient descent, or coordinate descent on the Gram matrix,
        which finds the exact solution.
    l1_ratio : float, default=0.05
        The share of the ℓ1 penalty; the paper's α is 1 - l1_ratio. The paper contradicts itself on the meaning of
        α = 0.95: read as the share of the ridge penalty, as in its formula, the errors agree with its tables; read as
        the share of ℓ1, they are a quarter larger.
    shrink_intercepts : bool, default=True
        Whether the intercepts of rules are shrunk like their slopes. The paper's formula does so, and the models that
        its authors have published show it; without it, errors are a little lower and models have more rules.
    regularization : float, default=None
        The Elastic Net's λ, for standardised data. `None` chooses it.
    max_rules : int, default=None
        Maximum number of rules; `None` sets no limit.
    population_size : int, default=61
        The number of individuals in the population.
    max_evaluations : int, default=100000
        Maximum number of candidates to evaluate; `None`: 400 per input, at least 2,000.
    mutation_probability : float, default=0.2
        The share of the offspring that is mutated.
    n_local_search : int, default=5
        The number of simpler variants to try for each individual with new granularities.
    n_restarts : int, default=1
        How often the search restarts around the best individual.
    early_stopping : int, default=None
        The number of generations without a better model after which the search ends; `None`: it ends when it has
        converged.
    {shared parameters}

    Attributes
    ----------
    {shared attributes}

    See Also
    --------
    FuzzyRuleRegressor : Rules grown split by split.
    ClassConditionalSelector : The first stage alone.
    MultiGranularityDiscretizer : The second stage alone.

    Notes
    -----
    Instance selection ignores sample weights, except that it leaves out rows of weight zero.

    References
    ----------
    I. Rodríguez-Fdez, M. Mucientes, A. Bugarín. FRULER: Fuzzy Rule Learning through Evolution for Regression.
    Information Sciences, 2016; arXiv:1507.04997.

    Examples
    --------
    >>> from fruler import FRULERRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FRULERRegressor(random_state=0, max_evaluations=300).fit(weather.data, weather.target)
    >>> model.score(weather.data, weather.target) > 0.95
    True
    """

    algorithm: ClassVar[Algorithm] = FRULER

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseRuleRegressor._parameter_constraints,
        "reading": [StrOptions(set(READINGS)), Reading],
        "instance_selection": ["boolean"],
        "core_error": [StrOptions(set(CORE_ERRORS))],
        "fit_rows": [StrOptions(set(FIT_ROWS))],
        "splits": [StrOptions(set(SPLITS))],
        "criterion": [StrOptions(set(CRITERIA))],
        "solver": [StrOptions(set(SOLVERS))],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "shrink_intercepts": ["boolean"],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "n_local_search": [Interval(Integral, 0, None, closed="left")],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "early_stopping": [Interval(Integral, 1, None, closed="left"), None],
    }

    _setting_readers: ClassVar[dict[str, Callable[[Any], Any]]] = {"reading": reading_of}

    def __init__(
        self,
        *,
        reading: Reading | str = "calibrated",
        instance_selection: bool = True,
        core_error: CoreError = "mse",
        fit_rows: FitRows = "selected",
        splits: Splits = "printed",
        split_points: Mapping[str | int, Any] | None = None,
        fuzziness: float = 1.0,
        t_norm: TNorm = "minimum",
        criterion: Criterion = "error",
        solver: Solver = "sgd",
        l1_ratio: float = 0.05,
        shrink_intercepts: bool = True,
        regularization: float | None = None,
        max_rules: int | None = None,
        population_size: int = 61,
        max_evaluations: int | None = 100_000,
        mutation_probability: float = 0.2,
        n_local_search: int = 5,
        n_restarts: int = 1,
        early_stopping: int | None = None,
        categorical_features: Any = "from_dtype",
        link: LinkName = "identity",
        bounds: Sequence[float | None] | None = None,
        calibration: float | None = None,
        extrapolation: Extrapolation = "linear",
        warn_outside: bool = True,
        keep_sums: bool = False,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        callbacks: Callback | Sequence[Callback] | None = None,
        verbose: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        warm_start: bool = False,
    ) -> None:
        self._keep_parameters(locals())
