import json

import numpy as np
import pandas as pd
import pytest

from fruler.learning.checkpoint.learned import pack_learned, unpack_learned
from fruler.learning.learned import FrontPoint, Learned
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules.truth import Truth

NAN = float("nan")


@pytest.mark.parametrize("truth", [None, Truth(0.9, 1.0, [0.9, NAN], [1.0, NAN], held_out=True)])
def test_a_finished_search_comes_back(truth):
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]])
    point = FrontPoint(rules, -3.5, 0.25, NAN, 1e-4, 2, truth)
    history = pd.DataFrame({"n_rules": [1, 2], "best_error": [0.5, 0.25]})
    document, arrays = pack_learned(Learned((point,), 0, 50, history, np.arange(5), {"fit": 1.5}))
    again = unpack_learned(json.loads(json.dumps(document)), arrays)
    (found,) = again.front
    assert found.truth == truth
    assert found.rule_base == rules
    assert (found.criterion, found.error, found.regularization, found.n_uncovered) == (-3.5, 0.25, 1e-4, 2)
    assert np.isnan(found.cv_error)
    assert (again.chosen, again.n_evaluations, again.seconds) == (0, 50, {"fit": 1.5})
    pd.testing.assert_frame_equal(again.history, history)
    np.testing.assert_array_equal(again.sample_indices, np.arange(5))
