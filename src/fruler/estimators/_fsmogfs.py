"""FSMOGFSRegressor: linguistic Mamdani rules, tuned from rules on a uniform grid."""

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
    """FS_MOGFS with TUN, re-implemented from the abstracts, KEEL's sources and calibration.

    Learns linguistic Mamdani rules, "if x is low and z is high then y is medium", in two stages. The first stage
    selects inputs, and searches for the number of uniform labels of every input and of the output and for how far these
    are moved; the method of Wang and Mendel makes the rules. The second stage starts from the most accurate model: it
    moves the three points of every label, the same for all rules, and selects rules. Both stages are multi-objective
    searches (SPEA2 with incest prevention and restarts) for small errors with few rules: `pareto_` has the Pareto front
    of the second stage, and its most accurate model is the result.

    No code of the authors was found. The documentation lists what is known and what was reconstructed, and compares the
    results with the published ones; do not report this as the published algorithm.

    Parameters
    ----------
    max_rules : int, default=50
        Maximum number of rules.
    max_labels : int, default=7
        Maximum number of labels of an input, or of the output.
    displacement : float, default=0.1
        How far the labels of a variable may be moved together, as a share of the distance between two labels; 0: not at
        all.
    crop : {"reject", "truncate"}, default="reject"
        The treatment of candidates with more than `max_rules` rules: "reject" drops the candidate, "truncate" keeps its
        first rules, in the order of the rows.
    t_norm : {"minimum", "product"}, default="minimum"
        The t-norm that combines the membership degrees of a rule's antecedent.
    crossover : {"blx", "pcblx"}, default="blx"
        The crossover of the points of labels in the second stage: BLX-0.5, or its parent-centric form.
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
    FRULERRegressor : The system that was compared with it.
    FuzzyRuleRegressor : Rules grown split by split.

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
