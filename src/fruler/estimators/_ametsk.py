"""AMETSKRegressor: approximative TSK-1 rules, tuned from those on a uniform grid."""

from __future__ import annotations

import os
from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from fruler._algorithms.systems.evaluation import Subset
from fruler._algorithms.systems.metsk import A_METSK
from fruler._algorithms.systems.options import (
    CROSSOVERS,
    ESTIMATIONS,
    TERMS,
    ConstantConsequent,
    Crop,
    Crossover,
    Estimation,
    Terms,
)
from fruler.callbacks import Callback
from fruler.estimators._lmetsk import LMETSKRegressor
from fruler.estimators.base import BaseRuleRegressor, documented
from fruler.learning.algorithm import Algorithm
from fruler.rules._antecedents import TNorm
from fruler.rules._inputs import Extrapolation
from fruler.rules._output import LinkName


@documented("`max_evaluations`", "one row per generation of both stages")
class AMETSKRegressor(BaseRuleRegressor):
    """A-METSK-HD, a re-implementation from the abstracts, KEEL's sources and calibration.

    Learns approximative TSK-1 rules, "if x is about 3 and z about 5 then y = 3.2 + 0.5 x - z", in two stages. The first
    is the search of `LMETSKRegressor`. The second starts from its most accurate model: it moves the three points of the
    triangles that every rule has of its own, selects rules, and estimates linear consequents by a Kalman filter for
    each candidate. Both are multi-objective searches (SPEA2 with incest prevention and restarts) for small errors with
    few rules: `pareto_` has the front of the second, and the most accurate is the model.

    The authors published no code. What is known, what was reconstructed and how results compare with the published ones
    is written in the documentation; do not report this as the published algorithm.

    Parameters
    ----------
    max_rules : int, default=100
        Maximum number of rules.
    max_labels : int, default=7
        Maximum number of labels of an input.
    displacement : float, default=0.1
        By which share of the distance between two labels those of an input may be moved, all together; 0: not at all.
    consequent : {"nearest_row", "mean"}, default="nearest_row"
        The constant of a rule in the first stage, from which the filter starts: the output of the row that fits its
        antecedent best, or the mean output of the rows in its cell, weighted by how well they fit.
    crop : {"reject", "truncate"}, default="reject"
        What happens to a candidate with more than `max_rules` rules: "reject" drops it, "truncate" keeps its first
        rules, in the order of the rows.
    t_norm : {"minimum", "product"}, default="minimum"
        How the membership degrees of the conditions of a rule are joined.
    kappa : float, default=10.0
        The variance of coefficients before the filter has seen a row, in units of the noise, for inputs from 0 to 1 and
        a standardised target. The filter is the ridge regression with the penalty 1 / kappa around the constants of the
        first stage: the smaller, the nearer to these. With 100, errors on small tables are further above the published
        ones.
    estimation : {"global", "local"}, default="global"
        Whether the consequents of all rules are estimated together, or each by itself on the rows that fire it. The
        second is not in the publication; it overfits less.
    terms : {"used", "all"}, default="used"
        The inputs that consequents have slopes of: those in antecedents, or all.
    crossover : {"blx", "pcblx"}, default="blx"
        How points of triangles are crossed: BLX-0.5, or its parent-centric form.
    population_size : int, default=61
        The number of individuals in the population, and the maximum in the archive.
    max_evaluations : int, default=20000
        Maximum number of candidates to evaluate in each of the two stages; `None`: until two restarts in a row bring
        nothing better, which takes very long in the second. The publications allow 100,000.
    mutation_probability : float, default=0.2
        The share of the offspring that is mutated.
    subset : {"auto"} or None, default="auto"
        Whether candidates are judged on a sample of the rows first, when there are more than 2,000: only those that
        would enter the archive get their error on all rows. Errors in `pareto_` are always on all rows. `None`: never.
    {shared parameters}

    Attributes
    ----------
    {shared attributes}

    See Also
    --------
    LMETSKRegressor : The first stage alone.
    FRULERRegressor : The system that it was compared with.
    FuzzyRuleRegressor : Rules that grow, one split after the other.

    References
    ----------
    M. J. Gacto, M. Galende, R. Alcalá, F. Herrera. METSK-HD^e: A multiobjective evolutionary algorithm to learn
    accurate TSK-fuzzy systems in high-dimensional and large-scale regression problems. Information Sciences, 2014.

    Examples
    --------
    >>> from fruler import AMETSKRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = AMETSKRegressor(random_state=0, max_evaluations=500).fit(weather.data, weather.target)
    >>> model.score(weather.data, weather.target) > 0.9
    True
    """

    algorithm: ClassVar[Algorithm] = A_METSK

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LMETSKRegressor._parameter_constraints,
        "kappa": [Interval(Real, 0, None, closed="neither")],
        "estimation": [StrOptions(set(ESTIMATIONS))],
        "terms": [StrOptions(set(TERMS))],
        "crossover": [StrOptions(set(CROSSOVERS))],
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
        kappa: float = 10.0,
        estimation: Estimation = "global",
        terms: Terms = "used",
        crossover: Crossover = "blx",
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
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        callbacks: Callback | Sequence[Callback] | None = None,
        verbose: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        warm_start: bool = False,
    ) -> None:
        self._keep_parameters(locals())
