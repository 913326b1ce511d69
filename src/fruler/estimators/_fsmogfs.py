"""FSMOGFSRegressor: linguistic Mamdani rules, tuned from those on a uniform grid."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from fruler._algorithms.systems.evaluation import Subset
from fruler._algorithms.systems.mogfs import FS_MOGFS
from fruler._algorithms.systems.options import CROSSOVERS, Crop, Crossover
from fruler.callbacks import Callback
from fruler.estimators._lmetsk import LMETSKRegressor
from fruler.estimators.base import BaseRuleRegressor, documented
from fruler.learning.algorithm import Algorithm
from fruler.rules._antecedents import TNorm
from fruler.rules._inputs import Extrapolation
from fruler.rules._output import LinkName


@documented("`max_evaluations`", "one row per generation of both stages")
class FSMOGFSRegressor(BaseRuleRegressor):
    """FS_MOGFS with TUN, a re-implementation from the abstracts, KEEL's sources and calibration.

    Learns linguistic Mamdani rules, "if x is low and z is high then y is medium", in two stages. The first searches for
    the number of uniform labels of every input and of the output, for the inputs that take part, and for how far labels
    are moved; Wang and Mendel's method makes the rules. The second starts from the most accurate of these: it moves the
    three points of every label, the same for all rules, and selects rules. Both are multi-objective searches (SPEA2
    with incest prevention and restarts) for small errors with few rules: `pareto_` has the front of the second, and the
    most accurate is the model.

    The authors published no code. What is known, what was reconstructed and how results compare with the published ones
    is written in the documentation; do not report this as the published algorithm.

    Parameters
    ----------
    max_rules : int, default=50
        Maximum number of rules.
    max_labels : int, default=7
        Maximum number of labels of an input, or of the output.
    displacement : float, default=0.1
        By which share of the distance between two labels those of a variable may be moved, all together; 0: not at all.
    crop : {"reject", "truncate"}, default="reject"
        What happens to a candidate with more than `max_rules` rules: "reject" drops it, "truncate" keeps its first
        rules, in the order of the rows.
    t_norm : {"minimum", "product"}, default="minimum"
        How the membership degrees of the conditions of a rule are joined.
    crossover : {"blx", "pcblx"}, default="blx"
        How points of labels are crossed in the second stage: BLX-0.5, or its parent-centric form.
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
    FRULERRegressor : The system that it was compared with.
    FuzzyRuleRegressor : Rules that grow, one split after the other.

    References
    ----------
    R. Alcalá, M. J. Gacto, F. Herrera. A fast and scalable multiobjective genetic fuzzy system for linguistic fuzzy
    modeling in high-dimensional regression problems. IEEE Transactions on Fuzzy Systems, 2011.

    Examples
    --------
    >>> from fruler import FSMOGFSRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FSMOGFSRegressor(random_state=0, max_evaluations=2000).fit(weather.data, weather.target)
    >>> model.score(weather.data, weather.target) > 0.8
    True
    """

    algorithm: ClassVar[Algorithm] = FS_MOGFS

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LMETSKRegressor._parameter_constraints,
        "crossover": [StrOptions(set(CROSSOVERS))],
    }

    def __init__(
        self,
        *,
        max_rules: int = 50,
        max_labels: int = 7,
        displacement: float = 0.1,
        crop: Crop = "reject",
        t_norm: TNorm = "minimum",
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
