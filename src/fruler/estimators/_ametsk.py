"""AMETSKRegressor: approximative TSK-1 rules, tuned from rules on a uniform grid."""

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
    """A-METSK-HD, re-implemented from the abstracts, KEEL's sources and calibration.

    Learns approximative TSK-1 rules, "if x is about 3 and z about 5 then y = 3.2 + 0.5 x - z", in two stages. The first
    stage is the search of `LMETSKRegressor`. The second stage starts from its most accurate model: every rule gets
    triangles of its own, whose three points are moved; rules are selected, and a Kalman filter estimates the linear
    consequents of each candidate. Both stages are multi-objective searches (SPEA2 with incest prevention and restarts)
    for small errors with few rules: `pareto_` has the Pareto front of the second stage, and its most accurate model is
    the result.

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
        The constant of a rule in the first stage, where the filter starts: the output of the row that matches the
        antecedent best, or the mean output of the rows in its cell, weighted by their degree of match.
    crop : {"reject", "truncate"}, default="reject"
        The treatment of candidates with more than `max_rules` rules: "reject" drops the candidate, "truncate" keeps its
        first rules, in the order of the rows.
    t_norm : {"minimum", "product"}, default="minimum"
        The t-norm that combines the membership degrees of a rule's antecedent.
    kappa : float, default=10.0
        The variance of the coefficients before the filter has seen a row, in units of the noise, for inputs from 0 to 1
        and a standardised target. The filter is a ridge regression with penalty 1 / kappa that shrinks towards the
        constants of the first stage: the smaller kappa, the closer to these constants. With 100, errors on small tables
        exceed the published ones by more.
    estimation : {"global", "local"}, default="global"
        Whether the consequents of all rules are estimated together, or each by itself on the rows that fire it. The
        second is not in the publication; it overfits less.
    terms : {"used", "all"}, default="used"
        The inputs with slopes in the consequents: those in antecedents, or all.
    crossover : {"blx", "pcblx"}, default="blx"
        The crossover of the points of triangles: BLX-0.5, or its parent-centric form.
    population_size : int, default=61
        The number of individuals in the population, and the maximum in the archive.
    max_evaluations : int, default=20000
        Maximum number of candidates to evaluate in each of the two stages; `None`: until two restarts in a row find no
        better model, which takes very long in the second stage. The publications allow 100,000.
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
    LMETSKRegressor : The first stage alone.
    FRULERRegressor : The system that was compared with it.
    FuzzyRuleRegressor : Rules grown split by split.

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
