"""Values outside the range of the training data."""

import numpy as np
import pandas as pd
from helpers.dated_rules import dated_rules

from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules.outside import outside_training


def test_the_ends_are_inside_and_gaps_too():
    x, z = (Variable(name, FuzzyPartition([], (0.0, 9.0))) for name in "xz")
    rules = RuleBase([x, z], [[[0, 0], [0, 0]]], [[1.0, 2.0, 0.0]])
    values = np.array([[2.0, 4.0], [1.9, 4.1], [np.nan, 0.0]])
    assert not outside_training(rules, values).any()
    trained = rules.with_training([[2.0, 0.0], [5.0, 4.0]], [5.0, 9.0])
    assert outside_training(trained, values).tolist() == [[False, False], [True, True], [False, False]]


def test_a_year_goes_around():
    rules = dated_rules()
    days = pd.date_range("2019-01-01", "2019-12-31")
    rows = pd.DataFrame({"sold": days.strftime("%Y-%m-%d %H:%M:%S"), "origin": "usa", "fuel": "gas", "size": 1.0})
    trained = rules.with_training(rows, np.arange(len(rows), dtype=float))
    values = trained.numbers_of(rows.iloc[:1])
    values[:, trained.names.index("day of year")] += 1000.0
    assert not outside_training(trained, values)[0, trained.names.index("day of year")]
    values[:, trained.names.index("sold")] += 1000.0
    assert outside_training(trained, values)[0, trained.names.index("sold")]
