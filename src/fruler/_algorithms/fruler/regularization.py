"""The choice of the Elastic Net's parameters, before the evolution, on a few data bases and some of the rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fruler._algorithms.fruler.chromosome import Chromosome, Task, linear_rule
from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._algorithms.fruler.evolution import Evolution
from fruler._algorithms.fruler.fitness import FitnessEvaluator, run_kernel
from fruler._algorithms.fruler.operators import initial_population
from fruler._algorithms.fruler.options import FRULEROptions
from fruler._algorithms.genetic import Workers

DECADES = tuple(10.0**-k for k in range(11))
# The λ if there was no time to try any.
_FALLBACK = 1e-3
# Halving the descent's first step ends below this share of it.
_SMALLEST_SHARE = 1e-4
# The number of data bases that λ is tried on, and the evaluations per input of the search that finds them: a twentieth
# of a whole search. The limit of the whole search does not count, so that a search can be resumed with a higher limit.
_N_TRIED, _EVALUATIONS_PER_INPUT = 10, 200
# The λ of that search if the largest decade suits random data bases best: then they explain next to nothing, and a
# search with that decade could not compare them.
_SEARCHED_INSTEAD = 1e-2


def choose_regularization(
    trial: Task,
    settings: ElasticNetSettings,
    options: FRULEROptions,
    rng: np.random.Generator,
    workers: Workers,
) -> tuple[ElasticNetSettings, int]:
    """Choose λ for the data bases that the reading names.

    By default these are random ones, and then the best of a short search, without copies, with the λ that suits the
    random ones: it is far too large if only a rare pair of inputs explains the target.

    Parameters
    ----------
    trial : Task
        A task whose `scored` rows are not among the `fitted` ones.
    settings : ElasticNetSettings
        The other settings.
    options : FRULEROptions
        The options of the whole search; a λ set there is kept, and only the descent's first step is chosen.
    rng : numpy Generator
        The only source of randomness.
    workers : Workers
        The threads, and their budget.

    Returns
    -------
    settings : ElasticNetSettings
        With the chosen values.
    n_asked : int
        The number of evaluations of the short search.
    """
    fixed, reading = options.regularization is not None, options.choices
    tried = initial_population(trial.space, _N_TRIED, rng)
    if reading.lambda_data_bases == "linear":
        tried = [linear_rule(trial.space)]
    settings = search_regularization(trial, tried, settings, workers, fixed=fixed)
    if reading.lambda_data_bases != "searched":
        return settings, 0
    hopeless = not fixed and settings.regularization == DECADES[0]
    searched = replace(settings, regularization=_SEARCHED_INSTEAD) if hopeless else settings
    evaluator = FitnessEvaluator(trial, searched, "error", len(trial.fitted), workers)
    allowed = max(options.population_size, _EVALUATIONS_PER_INPUT * trial.space.n_inputs)
    # Copies would fill its population, and λ would be chosen for one data base instead of ten.
    distinct = replace(reading, keep_copies=False)
    short = replace(options, reading=distinct, max_evaluations=allowed, n_restarts=1, early_stopping=None)
    search = Evolution(trial.space, evaluator, short, rng)
    search.run()
    tried = [individual.chromosome for individual in search.population[:_N_TRIED]]
    # The results of a search with another λ may be chance, so more must be gained.
    gain = reading.lambda_gain_instead if hopeless else reading.lambda_gain
    return search_regularization(trial, tried, settings, workers, fixed=fixed, min_gain=gain), evaluator.n_asked


def search_regularization(
    task: Task,
    chromosomes: Sequence[Chromosome],
    settings: ElasticNetSettings,
    workers: Workers,
    *,
    fixed: bool = False,
    min_gain: float | None = None,
) -> ElasticNetSettings:
    """Choose λ, and for gradient descent its first step, by the error on held-out rows.

    Parameters
    ----------
    task : Task
        A task whose `scored` rows are not among the `fitted` ones.
    chromosomes : sequence of Chromosome
        The data bases to try; only the smallest error counts, because the search looks for the best data base.
    settings : ElasticNetSettings
        The other settings.
    workers : Workers
        The threads, and their budget.
    fixed : bool, default=False
        Whether λ is given, and only the descent's first step is searched.
    min_gain : float, optional
        The share by which a smaller decade must lower the error: less is noise, and the larger decade makes fewer
        rules. By default that of the reading.

    Returns
    -------
    ElasticNetSettings
        With the chosen values.
    """

    def miss(candidate: ElasticNetSettings) -> float:
        def error(chromosome: Chromosome) -> float:
            if time.monotonic() > workers.budget.deadline:
                return np.inf
            return float(run_kernel(task, candidate, [chromosome])[0, 0])

        run = map if workers.pool is None else workers.pool.map
        return min((value for value in run(error, chromosomes) if np.isfinite(value)), default=np.inf)

    reading = settings.reading
    min_gain = reading.lambda_gain if min_gain is None else min_gain
    best, least, worse = replace(settings, regularization=_FALLBACK) if not fixed else settings, np.inf, 0
    for regularization in (settings.regularization,) if fixed else DECADES:
        candidate = replace(settings, regularization=regularization)
        if settings.solver == "sgd":
            candidate, value = _halve_rate(replace(candidate, rate=reading.first_rate), miss)
        else:
            value = miss(candidate)
        if value < (1.0 - min_gain) * least:
            best, least, worse = candidate, value, 0
        elif value >= least:
            worse += 1
        if reading.lambda_patience is not None and worse > reading.lambda_patience:
            break
    return best


def _halve_rate(
    settings: ElasticNetSettings, miss: Callable[[ElasticNetSettings], float]
) -> tuple[ElasticNetSettings, float]:
    """Halve the descent's first step until the result gets worse."""
    best, rate = settings, settings.rate
    least = miss(best)
    while rate > _SMALLEST_SHARE * settings.rate:
        rate /= 2.0
        candidate = replace(settings, rate=rate)
        value = miss(candidate)
        if not value < least:
            break
        best, least = candidate, value
    return best, least
