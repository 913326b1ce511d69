"""``fruler bench --verify``: recorded runs are made again, and whatever differs is told."""

import io
import json

import pytest
from helpers.runs import write_lines
from rich.console import Console

from fruler.bench._methods import find_method
from fruler.bench._runner import RunTask
from fruler.bench._verification import (
    DIFFERENT,
    EXACT,
    NOT_MADE,
    ROUNDED,
    Record,
    compare,
    draw,
    outcome_text,
    read_records,
    verify_results,
)

pytestmark = pytest.mark.slow


def make_record(method="growth", number=1, version=None):
    task = RunTask(method, "", "dee", 1, 0, data="", parameters={}, package=find_method(method).package)
    line = {"error": 2.0, "rules": 3, "seconds": 1.0, "version": version}
    return Record(f"runs.jsonl:{number} x", task, ("error", "rules", "truth"), line)


def make_again(**changes):
    return {"status": "ok", "message": None, "error": 2.0, "rules": 3, "version": "0.1.0", "seconds": 9.0} | changes


@pytest.fixture
def recorded(bench, tmp_path):
    """A folder with the runs of two methods on two small sets."""
    bench(tmp_path, methods="growth", peers="linear", folds="2", max_evaluations=None, preprocessing=True)
    return tmp_path


@pytest.fixture
def verify(recorded, small_sets):
    def run(number=20, **options):
        console = Console(file=io.StringIO(), soft_wrap=True)
        agrees = verify_results(recorded, small_sets, number, console=console, **options)
        return agrees, console.file.getvalue()

    return run


def change_lines(folder, change):
    lines = [json.loads(raw) for raw in (folder / "runs.jsonl").read_text().splitlines()]
    write_lines(folder / "runs.jsonl", [change(line) for line in lines])


def test_a_true_record_agrees_to_the_bit(verify):
    agrees, said = verify()
    assert agrees
    assert "12 runs of the 12 in" in said
    assert "results of our own algorithms must agree to the bit" in said
    assert said.count(": to the bit\n") == 12
    assert said.endswith("12 runs repeated: 12 to the bit\nas recorded\n")


def test_a_false_record_is_found(recorded, verify):
    change_lines(recorded, lambda line: line | ({"rules": 99} if line["method"] == "growth" else {}))
    agrees, said = verify()
    assert not agrees
    assert "different (rules 99 recorded, " in said
    assert "growth in runs.jsonl: 4 different\n" in said
    assert said.endswith("not as recorded: replace these runs\n")


def test_the_recorded_settings_are_those_of_the_run(recorded, verify):
    settings = json.loads((recorded / "settings.json").read_text())
    for entry in settings.values():
        if entry["method"] == "growth":
            entry["settings"]["max_rules"] = 1
            del entry["settings"]["locality"]
    (recorded / "settings.json").write_text(json.dumps(settings))
    assert not verify()[0]


def test_rounding_is_allowed_on_another_machine_only(recorded, verify):
    change_lines(recorded, lambda line: line | ({"error": line["error"] * (1 + 1e-12)} if line["error"] else {}))
    assert not verify()[0]
    machine = json.loads((recorded / "machine.json").read_text())
    (recorded / "machine.json").write_text(json.dumps(machine | {"numpy": "1.0"}))
    agrees, said = verify()
    assert agrees
    assert "recorded on another machine (numpy differ): results must agree to rounding" in said
    assert "to rounding (1e-12 relative)" in said


def test_runs_that_cannot_be_made_are_not_drawn(recorded, verify):
    change_lines(recorded, lambda line: line | ({"method": "second_growth"} if line["method"] == "growth" else {}))
    agrees, said = verify(sets=["plain"])
    assert agrees
    assert "left out: 4 runs, of second_growth, which is no longer in the package" in said
    assert "left out: 4 runs, of other sets" in said
    with pytest.raises(ValueError, match="no run that can be repeated here"):
        verify(limit=1e-9)


def test_a_draw_depends_on_its_seed_alone():
    records = [make_record(number=number) for number in range(1, 101)]

    def drawn(number, seed):
        return [record.place for record in draw(records, number, seed)]

    assert drawn(10, 0) == drawn(10, 0)
    assert drawn(10, 0) != drawn(10, 1)
    assert len(set(drawn(10, 0))) == 10
    assert len(drawn(200, 0)) == 100


@pytest.mark.parametrize(
    ("line", "outcome", "accepted"),
    [
        (make_again(), EXACT, True),
        (make_again(truth=0.5), EXACT, True),  # what was not recorded is not compared
        (make_again(error=2.0 + 1e-12), ROUNDED, False),
        (make_again(error=2.1), DIFFERENT, False),
        (make_again(rules=None), DIFFERENT, False),
        (make_again(status="timeout", message="stopped after 1 s"), NOT_MADE, False),
    ],
)
def test_outcomes(line, outcome, accepted):
    compared = compare(make_record(), line, same_machine=True)
    assert (compared.outcome, compared.accepted) == (outcome, accepted)


def test_peers_may_round_differently():
    record = make_record("cubist", version="1.0")
    assert compare(record, make_again(error=2.0 + 1e-12, version="1.0"), same_machine=True).accepted
    assert not compare(make_record(), make_again(error=2.0 + 1e-12), same_machine=True).accepted
    compared = compare(record, make_again(error=2.5, version="1.1"), same_machine=True)
    assert compared.detail == "error 2 recorded, 2.5 now; version 1.0 then, 1.1 now"


def test_the_records_of_the_scripts(tmp_path):
    write_lines(tmp_path / "runs.jsonl", [])
    line = {"set": "dee", "fold": 2, "seed": 1, "error": 0.1, "rules": 5, "evaluations": 9, "seconds": 1.5}
    write_lines(tmp_path / "paper_fidelity.jsonl", [line | {"solver": "sgd", "l1_ratio": 0.05, "coefficients": 7}])
    changes = {"algorithm": "a-metsk", "changes": "kappa=30.0, t_norm='product'", "train_error": 0.2, "uncovered": 0}
    write_lines(tmp_path / "comparator_fidelity.jsonl", [line | changes])
    paper, other = read_records(tmp_path, tmp_path)
    assert (paper.task.method, paper.task.parameters) == ("fruler", {"solver": "sgd", "l1_ratio": 0.05})
    assert {"error", "rules", "evaluations"} <= set(paper.measures)
    assert "coefficients" not in paper.measures
    assert (other.task.method, other.task.parameters) == ("a-metsk", {"kappa": 30.0, "t_norm": "product"})
    assert other.place == "comparator_fidelity.jsonl:1 dee fold 2 seed 1 a-metsk"
    write_lines(tmp_path / "paper_fidelity.jsonl", [line])
    with pytest.raises(ValueError, match=r"line 1 of .*paper_fidelity\.jsonl"):
        read_records(tmp_path, tmp_path)


def test_bad_requests(tmp_path):
    with pytest.raises(ValueError, match="--verify must be at least 1"):
        verify_results(tmp_path, tmp_path, 0)
    with pytest.raises(ValueError, match="give --data"):
        verify_results(tmp_path, None, 1)
    with pytest.raises(FileNotFoundError, match="no data folder"):
        verify_results(tmp_path, tmp_path / "none", 1)
    with pytest.raises(FileNotFoundError, match="no results yet"):
        verify_results(tmp_path, tmp_path, 1)


def test_the_summary_counts_by_file_and_method():
    good = compare(make_record(), make_again(), same_machine=True)
    bad = compare(make_record("linear"), make_again(error=9.0), same_machine=True)
    said = outcome_text([good, bad, good])
    assert said.splitlines()[0] == "3 runs repeated: 2 to the bit, 1 different"
    assert "  linear in runs.jsonl: 1 different\n" in said
    late = compare(make_record(), make_again(status="timeout", message="stopped"), same_machine=True)
    assert outcome_text([good, late]).endswith(
        "growth in runs.jsonl: 1 to the bit, 1 not made\nsome could not be repeated"
    )
