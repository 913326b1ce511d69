"""``fruler bench``: what users see, and what they see when something is wrong."""

import json
import sys
from pathlib import Path

import pytest
from helpers.commands import assert_one_line, run_process

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def without_pictures(monkeypatch, request):
    """Pictures take time; most tests can do without."""
    if "with_pictures" not in request.fixturenames:
        monkeypatch.setattr("fruler.bench._presentation.find_spec", lambda _: None)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "line").mkdir()
    rows = "\n".join(f"{i / 40}, {2 * i / 40 + (i % 3) / 50}" for i in range(40))
    header = "@relation line\n@attribute x real [0, 1]\n@attribute y real [0, 2]\n@outputs y\n@data\n"
    (folder / "line" / "line.dat").write_text(header + rows + "\n")
    return folder


@pytest.fixture
def arguments(data, tmp_path):
    return ("bench", "--data", data, "--out", tmp_path / "out", "--sets", "line", "--seeds", 1)


@pytest.fixture
def with_pictures():
    pytest.importorskip("matplotlib")


@pytest.fixture
def bench(fruler, arguments):
    return lambda *options: fruler(*arguments, *options)


def test_lines_and_summary(with_pictures, bench, tmp_path):
    result = bench("--folds", "1", "--peers", "linear")
    assert result.returncode == 0, result.stderr
    assert "3 runs, 0 of them done before" in result.stdout
    assert "line fold 1 seed 0 growth: error" in result.stdout
    lines = [json.loads(line) for line in (tmp_path / "out" / "runs.jsonl").read_text().splitlines()]
    ours = next(line for line in lines if line["method"] == "growth")
    assert ours["status"] == "ok"
    assert ours["evaluations"] > 0
    assert ours["possible_coefficients"] == ours["rules"]
    # Not every search has all stages; those that there are fit into the whole.
    stages = [ours[f"{stage}_seconds"] for stage in ("selection", "discretization", "search")]
    assert 0.0 < sum(seconds or 0.0 for seconds in stages) <= ours["seconds"]
    settings = json.loads((tmp_path / "out" / "settings.json").read_text())
    assert settings[ours["settings"]]["method"] == "growth"
    assert (tmp_path / "out" / "machine.json").exists()
    assert "3 runs in" in result.stdout
    assert "3 ok\n" in result.stdout
    for name in ("index.html", "table4.md", "table4.csv", "table4.tex", "time_rows.png"):
        (tmp_path / "out" / name).unlink()
    assert bench("--tables-only").stdout.splitlines() == result.stdout.splitlines()[-3:]
    for name in ("index.html", "table4.md", "table4.csv", "table4.tex", "time_rows.png"):
        assert (tmp_path / "out" / name).is_file()


def test_bad_input(fruler, bench, tmp_path, monkeypatch):
    monkeypatch.delenv("FRULER_KEEL", raising=False)
    assert_one_line(run_process("bench", "--data", tmp_path / "none"), "no data folder", "--data")
    assert_one_line(fruler("bench", "--data", tmp_path), "has no sets")
    assert_one_line(fruler("bench"), "--data")
    assert_one_line(bench("--sets", "lime"), "'lime'", "'line'")
    assert_one_line(bench("--peers", "cubits"), "'cubits'", "'cubist'")
    assert_one_line(bench("--jobs", "0"), "--jobs")
    assert_one_line(bench("--limit", "0"), "--limit")
    assert_one_line(bench("--tables-only"), "no results")
    (tmp_path / "out").write_text("")
    assert_one_line(bench(), "is a file")
    assert_one_line(bench("--out", tmp_path / "out" / "deeper"), "cannot create the folder", "--out")


def test_other_settings_are_refused(bench, tmp_path):
    options = ("--folds", "1", "--no-preprocessing", "--max-evaluations")
    assert bench(*options, "70").returncode == 0
    before = (tmp_path / "out" / "runs.jsonl").read_bytes()
    assert_one_line(bench(*options, "80"), "growth-capped", "max_evaluations was 70, now 80", "--out")
    assert (tmp_path / "out" / "runs.jsonl").read_bytes() == before


def test_a_damaged_line(bench, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "runs.jsonl").write_text('{"method"\n{}\n')
    assert_one_line(bench(), "line 1", "runs.jsonl")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_file_that_cannot_grow(arguments, bench, tmp_path):
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_500, 1_500))

    result = run_process(*arguments, "--methods", "none", "--peers", "linear,tree", preexec_fn=limit)
    assert_one_line(result, "could not be written", "finished runs", "kept")
    lines = (tmp_path / "out" / "runs.jsonl").read_text().splitlines()
    assert 0 < len(lines) < 10
    assert all(json.loads(line)["status"] == "ok" for line in lines)
    assert bench("--methods", "none", "--peers", "linear,tree").returncode == 0
    assert len((tmp_path / "out" / "runs.jsonl").read_text().splitlines()) == 10


@pytest.mark.skipif(sys.platform == "win32", reason="uses the locks of POSIX")
def test_two_processes_on_one_folder(bench, tmp_path):
    from fruler.bench._results import ResultsFolder

    with ResultsFolder(tmp_path / "out"):
        assert_one_line(bench(), "another process")


def test_failed_runs_are_repeated_only_when_asked(bench, tmp_path):
    options = ("--folds", "1", "--methods", "none", "--peers", "linear")
    # Over before any run can end.
    result = bench(*options, "--limit", "1e-9")
    assert result.returncode == 0
    assert "1 timeout\n  1 took too long: --retry" in result.stdout
    path = tmp_path / "out" / "runs.jsonl"
    assert [json.loads(line)["status"] for line in path.read_text().splitlines()] == ["timeout"]
    assert "1 of them done before" in bench(*options).stdout
    assert bench(*options, "--retry").returncode == 0
    assert [json.loads(line)["status"] for line in path.read_text().splitlines()] == ["timeout", "ok"]


def test_the_end_says_what_did_not_finish_and_where_to_look(bench, tmp_path, data):
    (tmp_path / "out").mkdir()
    line = {"settings": "0" * 12, "set": "line", "fold": 1, "seed": 0, "method": "figs"}
    lines = [line | {"status": "failed", "message": "ValueError: x"}, line | {"status": "missing", "method": "ebm"}]
    (tmp_path / "out" / "runs.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    said = bench("--folds", "1", "--methods", "none", "--peers", "linear").stdout
    assert "3 runs in" in said
    assert ": 1 ok, 1 failed, 1 missing\n" in said
    assert "1 failed: see failures.md" in said
    assert "1 lack a package: install the packages listed in failures.md" in said
    assert "ValueError: x" in (tmp_path / "out" / "failures.md").read_text()


def test_verify_says_whether_the_record_holds(bench, tmp_path):
    options = ("--folds", "1", "--no-preprocessing", "--peers", "linear")
    assert bench(*options).returncode == 0
    result = bench("--verify", "5")
    assert result.returncode == 0, result.stderr
    assert "2 runs repeated: 2 to the bit\nas recorded\n" in result.stdout
    path = tmp_path / "out" / "runs.jsonl"
    before = path.read_bytes()
    lines = [json.loads(line) for line in before.splitlines()]
    path.write_text("".join(json.dumps(line | {"error": line["error"] * 1.01}) + "\n" for line in lines))
    result = bench("--verify", "5")
    assert result.returncode == 1
    assert result.stdout.endswith("not as recorded: replace these runs\n")
    assert_one_line(bench("--verify", "0"), "--verify must be at least 1")
    assert "different" in bench("--verify", "1", "--draw", "3").stdout


def test_verify_looks_at_the_project_s_own_record_by_default(fruler, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record = str(Path("benchmarks", "results", "runs.jsonl"))
    assert_one_line(fruler("bench", "--data", data, "--verify", 1), record, "does not exist")
