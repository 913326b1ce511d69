"""
Watching the paper's search
===========================

``FRULERRegressor`` searches by evolution. Its history shows how error and number of rules fall from generation to
generation; a callback may end the search at any time. The budget is small here, so that the example takes seconds.
"""

from fruler import FRULERRegressor
from fruler.callbacks import Callback
from fruler.data import make_friedman
from fruler.explain.plots import ProgressDisplay


class Messages(Callback):
    """Prints every fifth generation."""

    def on_generation(self, progress):
        if progress.stage == "evolution" and progress.generation % 5 == 0:
            print(f"generation {progress.generation}: {progress.n_rules} rules, error {progress.error:.2f}")


friedman = make_friedman(200, random_state=0)
X, y = friedman.data, friedman.target
model = FRULERRegressor(max_evaluations=1500, callbacks=[Messages()], random_state=0).fit(X, y)

ProgressDisplay.from_estimator(model)
