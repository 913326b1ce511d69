"""What is known of columns, given to ``fruler fit``."""

import numpy as np
import pandas as pd
import pytest
from helpers.commands import assert_one_line

from fruler import load_model


@pytest.fixture
def steps(tmp_path):
    """A table whose target rises with x here and falls there, and with x and z together."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.uniform(0.0, 1.0, size=(300, 3)), columns=["x", "z", "v"])
    table["kind"] = rng.choice(["a", "b"], 300)
    table["always"] = 1.0
    table["y"] = np.sin(6.0 * table["x"]) + 3.0 * (table["x"] > 0.5) * table["z"] + rng.normal(0.0, 0.05, 300)
    table.to_csv(tmp_path / "steps.csv", index=False)
    return tmp_path / "steps.csv"


def fit(fruler, steps, *options):
    return fruler("fit", steps, "--target", "y", "--no-test", "--model", steps.with_name("m.json"), *options)


def test_directions_and_groups_become_parameters(fruler, steps):
    options = ("--increasing", "x", "--increasing", "v", "--decreasing", "z", "--interactions", "x, z")
    result = fit(fruler, steps, *options)
    assert result.returncode == 0, result.stderr
    model = load_model(steps.with_name("m.json"))
    assert model.monotonic_constraints == {"x": 1, "v": 1, "z": -1}
    assert model.interaction_constraints == [["x", "z"]]
    rows = pd.DataFrame({"x": np.linspace(-1.0, 2.0, 500), "z": 0.5, "v": 0.5, "kind": "a"})
    model.warn_outside = False
    assert np.diff(model.predict(rows)).min() > -1e-12


@pytest.mark.parametrize("named", ["no_interactions", "pairwise"])
def test_groups_that_have_a_name(fruler, steps, named):
    assert fit(fruler, steps, "--interactions", named).returncode == 0
    assert load_model(steps.with_name("m.json")).interaction_constraints == named


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (("--increasing", "w"), ("--increasing", "there is no input 'w'", "'x', 'z', 'v'")),
        (("--increasing", "kind"), ("--increasing: 'kind' has categories", "leave it out")),
        (("--decreasing", "always"), ("--decreasing: the column 'always' is left out (always 1",)),
        (("--increasing", "x", "--decreasing", "x"), ("both name 'x'; choose one",)),
        (("--interactions", "x,w"), ("--interactions: there is no input 'w'",)),
        (("--interactions", " , "), ("such as size,age; got ' , '",)),
        (("--increasing", "x", "--algorithm", "fruler"), ("--increasing: the algorithm fruler takes no constraints",)),
    ],
)
def test_what_is_wrong_is_said_in_one_line(fruler, steps, options, parts):
    assert_one_line(fit(fruler, steps, *options), *parts)
