import numpy as np
import pytest
from helpers.tasks import make_task

from fruler.algorithms.fruler.initialization import initial_population
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.kernels.evaluation import learn
from fruler.rules import FuzzyPartition, NominalPartition
from fruler.stages.wang_mendel import wang_mendel

HALVES = FuzzyPartition([0.5], (0.0, 1.0))


def test_each_cell_with_an_example_becomes_one_rule():
    rules = wang_mendel([HALVES, NominalPartition([[0], [1]])], [[0.1, 1], [0.2, 1], [0.9, 0], [0.9, 7]])
    assert rules[:, :, 0].tolist() == [[0, 1], [1, 0]]
    np.testing.assert_array_equal(rules[:, :, 0], rules[:, :, 1])


def test_of_two_equal_labels_the_lower_is_taken():
    assert wang_mendel([HALVES], [[0.5]]).tolist() == [[[0, 0]]]


def test_the_compiled_search_makes_the_same_rules():
    task = make_task()
    for chromosome in initial_population(task.space, 20, np.random.default_rng(0)):
        inputs, labels, _, _ = learn(
            chromosome.granularities,
            chromosome.displacements,
            task.space.arrays,
            task.examples.arrays,
            task.fitted.arrays,
            ElasticNetSettings(0.1, 0.5).numbers,
            100,
        )
        partitions = [
            FuzzyPartition(task.space.splits[j, g - 1, : g - 1], task.space.domains[j])
            for j, g in enumerate(chromosome.granularities)
        ]
        rules = wang_mendel(partitions, task.examples.columns.T)
        np.testing.assert_array_equal(rules[:, inputs, 0], labels)


@pytest.mark.parametrize(("X", "message"), [([[1.0, 2.0]], "partitions of 1 inputs"), ([], "shape")])
def test_bad_examples_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        wang_mendel([HALVES], X)


def test_examples_without_a_label_make_no_rules():
    with pytest.raises(ValueError, match="no rule"):
        wang_mendel([NominalPartition([[0], [1]])], [[5.0]])
