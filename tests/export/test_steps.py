"""The steps of a prediction, for targets without functions."""

import numpy as np
from helpers.calculated import calculated_rows


def test_rules_of_all_kinds(kinds, rows, check):
    for rules in kinds.values():
        X = rows(rules, 60)
        found = calculated_rows(rules, X)
        check(rules, X, [row["prediction"] for row in found])
        shares = [[row[f"share_{rule}"] for rule in range(1, rules.n_rules + 1)] for row in found]
        np.testing.assert_allclose(np.sum(shares, axis=1), 1.0, rtol=1e-9)
