"""LMETSKRegressor: linguistic TSK-0 rules on uniform grids."""

from __future__ import annotations

import os
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from fruler._algorithms.systems.evaluation import Subset
from fruler._algorithms.systems.metsk import L_METSK
from fruler._algorithms.systems.options import CONSTANT_CONSEQUENTS, CROPS, ConstantConsequent, Crop
from fruler._table.constraints import MAX_LABELS
from fruler.callbacks import Callback
from fruler.estimators.base import BaseRuleRegressor, documented
from fruler.learning.algorithm import Algorithm
from fruler.rules._antecedents import TNorm
from fruler.rules._inputs import Extrapolation
from fruler.rules._output import LinkName


@documented("`max_evaluations`", "one row per generation")
class LMETSKRegressor(BaseRuleRegressor):
    """L-METSK-HD, re-implemented from the abstracts, KEEL's sources and calibration.

    Learns linguistic TSK-0 rules, "if x is low and z is high then y = 3.2". Every input has uniform labels; a
    multi-objective search (SPEA2 with incest prevention and restarts) selects inputs and chooses the number of their
    labels and how far these are moved. Each cell of labels with a training row becomes a rule. The search minimises the
    error and the number of rules together: `pareto_` has the Pareto front, and its most accurate model is the result.

    No code of the authors was found. The documentation lists what is known and what was reconstructed, and compares the
    results with the published ones; do not report this as the published algorithm.

    Parameters
    ----------
    max_rules : int, default=100
        Maximum number of rules.
    max_labels : int, default=7
        Maximum number of labels of an input.
    displacement : float, default=0.1
        How far the labels of an input may be moved together, as a share of the distance between two labels; 0: not at
        all.
    consequent : {"nearest_row", "mean"}, default="nearest_row"
        The constant of a rule: the output of the row that matches the antecedent best, or the mean output of the rows
        in its cell, weighted by their degree of match.
    crop : {"reject", "truncate"}, default="reject"
        The treatment of candidates with more than `max_rules` rules: "reject" drops the candidate, "truncate" keeps its
        first rules, in the order of the rows.
    t_norm : {"minimum", "product"}, default="minimum"
        The t-norm that combines the membership degrees of a rule's antecedent.
    population_size : int, default=61
        The number of individuals in the population, and the maximum in the archive.
    max_evaluations : int, default=20000
        Maximum number of candidates to evaluate; `None`: until two restarts in a row find no better model. The
        publications allow 100,000.
    mutation_probability : float, default=0.2
        The share of the offspring that is mutated.
    subset : {"auto"} or None, default="auto"
        Whether candidates are first evaluated on a sample of the rows, if there are more than 2,000: only candidates
        that would enter the archive are then evaluated on all rows. Errors in `pareto_` are always on all rows. `None`:
        never.
    {shared parameters}

    Attributes
    ----------
    {shared attributes}

    See Also
    --------
    FRULERRegressor : The system that was compared with it.
    FuzzyRuleRegressor : Rules grown split by split.

    References
    ----------
    M. J. Gacto, M. Galende, R. Alcalá, F. Herrera. METSK-HD^e: A multiobjective evolutionary algorithm to learn
    accurate TSK-fuzzy systems in high-dimensional and large-scale regression problems. Information Sciences, 2014.

    Examples
    --------
    >>> from fruler import LMETSKRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = LMETSKRegressor(random_state=0, max_evaluations=2000).fit(weather.data, weather.target)
    >>> model.score(weather.data, weather.target) > 0.8
    True
    """

    algorithm: ClassVar[Algorithm] = L_METSK

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseRuleRegressor._parameter_constraints,
        "max_rules": [Interval(Integral, 1, None, closed="left")],
        "max_labels": [Interval(Integral, 2, MAX_LABELS, closed="both")],
        "displacement": [Interval(Real, 0, 0.5, closed="left")],
        "consequent": [StrOptions(set(CONSTANT_CONSEQUENTS))],
        "crop": [StrOptions(set(CROPS))],
        "subset": [StrOptions({"auto"}), None],
    }

    def __init__(
        self,
        *,
        max_rules: int = 100,
        max_labels: int = 7,
        displacement: float = 0.1,
        consequent: ConstantConsequent = "nearest_row",
        crop: Crop = "reject",
        t_norm: TNorm = "minimum",
        population_size: int = 61,
        max_evaluations: int | None = 20_000,
        mutation_probability: float = 0.2,
        subset: Subset = "auto",
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
