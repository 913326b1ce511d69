"""How long a search will take, told by a clock that ticks once a generation."""

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.tasks import make_task

from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._algorithms.fruler.evolution import Evolution
from fruler._algorithms.fruler.fitness import FitnessEvaluator
from fruler._algorithms.fruler.options import FRULEROptions
from fruler._algorithms.genetic import TimeLeft


def estimates(monkeypatch, max_evaluations, n_restarts):
    task = make_task()
    evaluator = FitnessEvaluator(task, ElasticNetSettings(1e-3, 0.05), "error", len(task.scored))
    options = FRULEROptions(
        population_size=20, max_evaluations=max_evaluations, n_local_search=3, n_restarts=n_restarts
    )
    found = []
    search = Evolution(task.space, evaluator, options, np.random.default_rng(0), initial_threshold=12.0)
    clock = SimpleNamespace(monotonic=lambda: float(len(search.history)))
    monkeypatch.setattr("fruler._algorithms.genetic.time", clock)
    left = TimeLeft(search)
    search.on_generation = lambda _: found.append(left.estimate())
    search.run()
    return found


@pytest.mark.parametrize(("max_evaluations", "n_restarts"), [(10**6, 0), (10**6, 1), (500, 5)])
def test_the_estimate_is_near_what_it_took(monkeypatch, max_evaluations, n_restarts):
    found = estimates(monkeypatch, max_evaluations, n_restarts)
    middle = len(found) // 2
    assert found[middle] == pytest.approx(len(found) - 1 - middle, rel=0.5)
    assert found[-1] == 0.0
