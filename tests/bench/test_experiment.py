"""What runs, and what is refused before anything runs."""

import json
from pathlib import Path

import pytest

from fruler import FRULERRegressor
from fruler.bench._experiment import Experiment, check_settings, parse_folds, plan_experiment, settings_hash
from fruler.bench._methods import find_method
from fruler.estimators.registry import algorithm_names


def test_every_run_is_there_once(small_sets):
    plan = plan_experiment(small_sets, sets="plain,folded", seeds=2, folds="3", peers="tree,forest")
    keys = [task.key for task in plan.tasks]
    assert len(set(keys)) == len(keys)
    # Two seeded methods with two seeds and two others with one, on two sets and three folds.
    assert len(keys) == (2 * 2 + 2) * 2 * 3
    assert {task.seed for task in plan.tasks if task.method == "tree"} == {0}
    assert {task.seed for task in plan.tasks if task.method == "forest"} == {0, 1}


def test_early_results_are_spread_over_sets(small_sets):
    settings = {"seeds": 2, "folds": "2", "methods": "growth,fruler"}
    tasks = plan_experiment(small_sets, sets="plain,folded,slow", **settings).largest_first().tasks
    layers = [(task.seed, task.fold) for task in tasks]
    assert layers == sorted(layers)
    assert [task.set for task in tasks[:9:3]] == ["slow", "folded", "plain"]  # the largest first


def test_a_cap_makes_another_method(small_sets):
    plan = plan_experiment(small_sets, sets="plain", methods="all", max_evaluations=50, preprocessing=False)
    assert [method.name for method in plan.methods] == [f"{name}-capped" for name in algorithm_names()]
    assert all(method.settings["max_evaluations"] == 50 for method in plan.methods)


def test_tasks_are_plain_data(small_sets):
    for task in plan_experiment(small_sets, sets="plain", methods="all", peers="all").tasks:
        assert json.loads(json.dumps(task.parameters)) == task.parameters


def test_hash_stands_for_settings_of_today():
    hashes = {settings_hash(find_method("growth-capped", n)) for n in (None, 10, 20)}
    assert len(hashes) == 3
    assert settings_hash(find_method("growth")) == settings_hash(find_method("growth"))
    assert find_method("fruler").settings["l1_ratio"] == FRULERRegressor().l1_ratio


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sets": "plane"}, "no set 'plane'.*'plain'"),
        ({"sets": ","}, "--sets is empty"),
        ({"peers": "treee"}, "no peer 'treee'.*'tree'"),
        ({"methods": "fast"}, "--methods: there is no algorithm 'fast'"),
        ({"seeds": 0}, "--seeds must be at least 1"),
        ({"folds": "6"}, "--folds must be"),
        ({"folds": "1,x"}, "--folds must be"),
        ({"max_evaluations": 0}, "--max-evaluations must be"),
        ({"methods": "none", "preprocessing": False}, "nothing to run"),
        ({"sets": None}, "none of the paper's sets"),
    ],
)
def test_bad_wishes_are_refused(small_sets, changes, message):
    with pytest.raises(ValueError, match=message):
        plan_experiment(small_sets, **{"sets": "plain", **changes})


def test_folder_must_hold_sets(tmp_path):
    with pytest.raises(FileNotFoundError, match="no data folder"):
        plan_experiment(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="has no sets"):
        plan_experiment(tmp_path)


def test_missing_fold_is_told_before_anything_runs(small_sets, tmp_path):
    (tmp_path / "folded").mkdir()
    for file in (small_sets / "folded").iterdir():
        if not file.name.endswith("5-3tst.dat"):
            (tmp_path / "folded" / file.name).write_bytes(file.read_bytes())
    with pytest.raises(FileNotFoundError, match=r"lacks folded-5-3tst\.dat"):
        plan_experiment(tmp_path, sets="folded")
    assert plan_experiment(tmp_path, sets="folded", folds="1,2").tasks


def test_paper_sets_are_the_default(keel_folder):
    plan = plan_experiment(keel_folder, seeds=1, folds="1", preprocessing=False)
    assert len(plan.tasks) == 28


def test_results_of_other_settings_are_refused():
    method = find_method("growth-capped", 20)
    before = find_method("growth-capped", 10)
    line = {"method": "growth-capped", "settings": settings_hash(before)}
    known = {settings_hash(before): {"settings": dict(before.settings)}}
    plan = Experiment((), (method,))
    with pytest.raises(ValueError, match="max_evaluations was 10, now 20"):
        check_settings(plan, [line], known, Path("results"))
    with pytest.raises(ValueError, match="not recorded"):
        check_settings(plan, [line], {}, Path("results"))
    check_settings(plan, [line | {"method": "growth"}], known, Path("results"))
    check_settings(plan, [line | {"settings": settings_hash(method)}], known, Path("results"))


def test_folds():
    assert parse_folds("5") == [1, 2, 3, 4, 5]
    assert parse_folds(" 2, 4,2") == [2, 4]
