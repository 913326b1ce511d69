"""Rules for the tests of reports: with everything that rules can have, and very many."""

import numpy as np

from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable
from fruler.rules._partitions import NominalPartition

NASTY_NAMES = ["<script>window.hacked = 1</script>", "\"quotes' & ünïcode", "__proto__", "</script><b>bold"]


def handmade_rules(t_norm="product"):
    """Rules with crisp splits, a nominal input, one that is only in the consequents, and rows that none covers."""
    variables = [
        Variable(NASTY_NAMES[0], FuzzyPartition([1.0, 2.5], (0.0, 4.0), fuzziness=[0.0, 1.0]), "°C"),
        Variable(NASTY_NAMES[1], NominalPartition([[0], [1, 2], [5]], ["<i>red</i>", "blue or 'green'", "none"])),
        Variable(NASTY_NAMES[2], FuzzyPartition([], (1e5, 1e5 + 1.0))),
        Variable(NASTY_NAMES[3], FuzzyPartition([-3.0], (-8.0, 0.0), fuzziness=0.4, labels=["<low>", "& high"])),
    ]
    antecedents = [
        [[0, 0], [0, 0], [0, 0], [0, 1]],
        [[1, 1], [1, 2], [0, 0], [0, 0]],
        [[2, 2], [0, 1], [0, 0], [1, 1]],
        [[1, 2], [0, 1], [0, 0], [0, 1]],
    ]
    consequents = [
        [10.0, 1.0, 0.0, 1e-4, 0.0],
        [-30.0, -2.5, 3.0, 0.0, 1.0],
        [5.0, 0.0, 0.0, -2e-4, 2.0],
        [2.0] * 2 + [0.0] * 3,
    ]
    return RuleBase(variables, antecedents, consequents, t_norm, target_name="the <target>", target_unit="m³/s")


def handmade_curves():
    """Curves of an input that rules look at, of one that is only in the consequents, and one without a jump."""
    return [
        Curve(0, FuzzyPartition([0.7, 1.5, 3.0], (0.0, 4.0), [1.0, 0.0, 0.3]), [[9.0, -5.0], [1, 2], [-2, 0], [4, -1]]),
        Curve(2, FuzzyPartition([1e5 + 0.4], (1e5, 1e5 + 1.0)), [[-9e5, 9.0], [9.5e5, -9.5]]),
        Curve(3, FuzzyPartition([-6.0], (-8.0, 0.0), 0.0), [[3.0, 1.0], [-3.0, 0.0]]),
    ]


def handmade_rows(n, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.uniform(0, 4, n), rng.choice([0, 1, 2, 5], n), 1e5 + rng.uniform(0, 1, n), rng.uniform(-8, 0, n)]
    )
    return X, handmade_rules().predict(X) + rng.normal(size=n)


def large_rules():
    """Forty rules over forty inputs, each rule with up to six conditions and all slopes."""
    rng = np.random.default_rng(0)
    variables = [
        Variable(f"sensor_{j:02d}", FuzzyPartition(np.sort(rng.uniform(5, 95, rng.integers(1, 4))), (0.0, 100.0)))
        for j in range(40)
    ]
    antecedents = np.zeros((40, 40, 2), dtype=int)
    antecedents[:, :, 1] = [variable.partition.n_labels - 1 for variable in variables]
    for labels in antecedents:
        for j in rng.choice(40, rng.integers(1, 7), replace=False):
            labels[j] = rng.integers(variables[j].partition.n_labels)
    consequents = rng.normal(size=(40, 41)) * np.exp(-np.arange(41) / 8)
    X = rng.uniform(0.0, 100.0, size=(600, 40))
    rules = RuleBase(variables, antecedents, consequents, target_name="yield")
    return rules.with_training(X, rules.predict(X) + rng.normal(size=600))
