"""An algorithm of ten lines, as CONTRIBUTING shows it: a model that always answers the mean."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fruler.estimators.base import BaseRuleRegressor
from fruler.learning.algorithm import Algorithm
from fruler.learning.learned import FrontPoint, Learned
from fruler.rules import FuzzyPartition, RuleBase, Variable


@dataclass(frozen=True)
class ConstantOptions:
    shift: float = 0.0


class ConstantLearner:
    def __init__(self, search):
        self.search = search

    def learn(self):
        table, rows = self.search.table, self.search.table.rows
        mean = float(np.average(table.target, weights=rows.weight)) + self.search.options.shift
        variables = [
            Variable(name, FuzzyPartition([], ends)) for name, ends in zip(table.names, table.domains, strict=True)
        ]
        coefficients = [[mean, *np.zeros(table.n_inputs)]]
        rules = RuleBase(variables, np.zeros((1, table.n_inputs, 2), dtype=int), coefficients, support=[1.0])
        error = float(np.average(np.square(table.target - mean), weights=rows.weight)) / 2.0
        point = FrontPoint(rules, error, error, np.nan, 0.0, 0)
        self.search.control.report("fit", 1, 1, 1, error)
        return Learned((point,), 0, 1, pd.DataFrame(), np.arange(table.n_rows), {"fit": 0.0})


class ConstantRegressor(BaseRuleRegressor):
    """Always answers the mean."""

    algorithm = Algorithm("constant", "Constant", ConstantOptions, ConstantLearner)

    def __init__(self, *, shift=0.0, time_limit=None, n_jobs=None, random_state=None, callbacks=None, verbose=0,
                 checkpoint=None, warm_start=False):  # fmt: skip
        super().__init__(time_limit=time_limit, n_jobs=n_jobs, random_state=random_state, callbacks=callbacks,
                         verbose=verbose, checkpoint=checkpoint, warm_start=warm_start)  # fmt: skip
        self.shift = shift

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
