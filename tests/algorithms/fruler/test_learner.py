import numpy as np

from fruler._algorithms.fruler.chromosome import Chromosome
from fruler._algorithms.fruler.fitness import Evaluation
from fruler._algorithms.fruler.learner import simpler_models


def test_simpler_models_are_those_that_no_smaller_one_beats():
    chromosome = Chromosome(np.ones(2, dtype=np.intc), np.zeros((2, 1)))
    errors = {3: 0.5, 1: 1.0, 2: 1.2, 4: 0.5, 5: 0.4, 6: 0.1, 7: 0.05}
    met = {size: (chromosome, Evaluation(0.0, error, size, 0)) for size, error in errors.items()}
    assert [found.n_rules for _, found in simpler_models(met, 6)] == [1, 3, 5]
    assert simpler_models(met, 1) == []
