import io
import json
import math
import random

import numpy as np
import pandas as pd
import pytest
from helpers.runs import PAPER, make_benchmark, make_ending, make_line, make_preprocessing, write_lines

from fruler.bench._comparisons import _p_value
from fruler.bench._measurements import geometric_mean, read_measurements, read_runs
from fruler.bench._methods import order_methods
from fruler.bench._presentation import TABLES
from fruler.bench._statistics import cliques, friedman_ranking, nemenyi_distance, wilcoxon_p
from fruler.bench._tables import ResultTable, significant, with_decimals
from fruler.bench.paper import as_printed, in_paper_units, order_sets, paper_results, printed_decimals


def build_tables(measured):
    return [table for build in TABLES.values() if (table := build(measured)) is not None]


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    return read_measurements(write_lines(tmp_path_factory.mktemp("bench") / "runs.jsonl", make_benchmark()))


@pytest.fixture(scope="module")
def tables(benchmark):
    return {table.name: table for table in build_tables(benchmark)}


@pytest.fixture
def of(tmp_path):
    """The tables of some lines, by name."""

    def build(*lines):
        measured = read_measurements(write_lines(tmp_path / "runs.jsonl", lines))
        return {table.name: table for table in build_tables(measured)}

    return build


def cell(table, row, name, group=""):
    """The text at a place of a table, without the signs of bold letters."""
    position = list(table.shown).index((group, name))
    return next(cells[position].strip("*") for cells in table.rows if cells[0] == row)


class TestReading:
    def test_a_half_written_last_line_is_left_out(self, tmp_path):
        path = write_lines(tmp_path / "runs.jsonl", [make_line(fold=1), make_line(fold=2)])
        whole = path.read_bytes()
        for cut in (1, 2, 30, 200):
            path.write_bytes(whole[:-cut])
            # Only the end of the line is missing after the first cut.
            assert len(read_runs(path)) == (2 if cut == 1 else 1)

    def test_a_last_line_cut_inside_a_letter_is_left_out(self, tmp_path):
        path = write_lines(tmp_path / "runs.jsonl", [make_line()])
        path.write_bytes(path.read_bytes() + '{"message": "é'.encode()[:-1])
        assert len(read_runs(path)) == 1

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            ("{half", "not JSON"),
            ("[1, 2]", "not a JSON object"),
            ('{"set": "dee"}', "has no valid 'method'"),
            (json.dumps(make_line(fold="1")), "'fold'"),
            (json.dumps(make_line(settings=None)), "'settings'"),
            (json.dumps(make_line(status="done")), "unknown status 'done'"),
            (json.dumps(make_line(error="x")), "'x' where 'error' must be"),
        ],
    )
    def test_any_other_bad_line_is_named(self, tmp_path, line, complaint):
        path = write_lines(tmp_path / "runs.jsonl", [make_line()])
        path.write_text(path.read_text() + line + "\n" + path.read_text())
        with pytest.raises(ValueError, match=rf"line 2 of .*runs\.jsonl' .*{complaint}"):
            read_runs(path)

    def test_no_file(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="no results yet"):
            read_runs(tmp_path / "runs.jsonl")

    @pytest.mark.parametrize("error", [None, math.nan, math.inf])
    def test_a_run_without_a_finite_error_has_failed(self, tmp_path, error):
        runs = read_runs(write_lines(tmp_path / "runs.jsonl", [make_line(error=error)]))
        assert runs.loc[0, "status"] == "failed"
        assert runs.loc[0, "message"] == "the test error is not a finite number"
        assert np.isnan(runs.loc[0, "error"])

    def test_different_settings_are_not_averaged(self, tmp_path):
        path = write_lines(tmp_path / "runs.jsonl", [make_line(settings="aa"), make_line(fold=2, settings="bb")])
        with pytest.raises(ValueError, match=r"'growth' have different settings \(aa, bb\)"):
            read_measurements(path)

    def test_the_last_line_about_a_run_counts(self, tmp_path):
        lines = [make_ending("timeout", "slow", method="growth"), make_line(error=2.0), make_line(error=3.0)]
        measured = read_measurements(write_lines(tmp_path / "runs.jsonl", lines))
        assert measured.means("growth", "error").to_dict() == {"dee": 3.0}
        assert measured.status("growth", "dee") == "ok"


class TestMeans:
    def test_the_order_of_the_lines_does_not_matter(self, tmp_path):
        lines = make_benchmark(["dee", "stock", "ailerons"])
        shuffled = random.Random(0).sample(lines, len(lines))
        written = [
            {table.name: [table.to_csv(), table.to_markdown()] for table in build_tables(measured)}
            for measured in (read_measurements(write_lines(tmp_path / "r", order)) for order in (lines, shuffled))
        ]
        assert written[0] == written[1]

    def test_every_fold_weighs_the_same(self, tmp_path):
        errors = {(1, 0): 1.0, (1, 1): 3.0, (2, 0): 6.0}
        lines = [make_line(fold=fold, seed=seed, error=error) for (fold, seed), error in errors.items()]
        found = read_measurements(write_lines(tmp_path / "r", lines)).describe("growth", "error").loc["dee"]
        assert found.to_dict() == pytest.approx({"mean": 4.0, "sd": np.std([1, 3, 6], ddof=1), "runs": 3, "folds": 2})

    def test_methods_are_compared_on_the_folds_that_both_have(self, tmp_path):
        lines = [make_line("growth", fold=fold, error=float(fold)) for fold in (1, 2, 3)]
        lines += [make_line("cubist", fold=fold, error=10.0 * fold) for fold in (2, 3, 4)]
        lines += [make_line("growth", "stock", fold=1), make_line("cubist", "stock", fold=2)]
        measured = read_measurements(write_lines(tmp_path / "r", lines))
        assert measured.compare(["growth", "cubist"], "error").to_dict("index") == {
            "dee": {"growth": 2.5, "cubist": 25.0}
        }
        both = measured.compare(["paper_fruler", "growth"], "error")
        assert both.loc["dee"].tolist() == [0.08, 2.0]
        assert list(both.index) == ["dee", "stock"]

    def test_capped_runs_stand_in_only_where_there_are_no_full_ones(self, tmp_path):
        lines = [make_line("fruler", "dee", error=1.0), make_line("fruler-capped", "dee", error=5.0)]
        lines += [make_line("fruler-capped", "pole", error=7.0)]
        measured = read_measurements(write_lines(tmp_path / "r", lines))
        assert measured.means("fruler", "error").to_dict() == {"dee": 1.0, "pole": 7.0}
        assert measured.capped == {("fruler", "pole")}
        assert measured.methods == ["fruler"]

    def test_status(self, tmp_path):
        lines = [make_line("growth"), make_line("cubist"), make_ending("failed", "x", method="cubist", fold=2)]
        lines += [make_ending("failed", "x", method="ebm"), make_ending("timeout", "x", method="ebm", fold=2)]
        lines += [make_ending("timeout", "x", method="fruler"), make_line("fruler-capped")]
        measured = read_measurements(write_lines(tmp_path / "r", lines))
        found = {method: measured.status(method, "dee") for method in ("growth", "cubist", "ebm", "linear")}
        assert found == {"growth": "ok", "cubist": "partial", "ebm": "timeout", "linear": ""}
        # A full run that took too long is not hidden by the capped one in its place.
        assert measured.status("fruler", "dee") == "partial"

    def test_geometric_mean(self):
        assert geometric_mean(pd.Series([1.0, 4.0, np.nan, 0.0, np.inf])) == pytest.approx(2.0)
        assert np.isnan(geometric_mean(pd.Series([], dtype=float)))


class TestSystems:
    def test_units_and_decimals_are_the_paper_s(self):
        printed = {
            "ele-1": 3,
            "quake": 4,
            "ele-2": 0,
            "dee": 3,
            "delta_ail": 3,
            "california": 3,
            "puma32h": 3,
            "pole": 3,
        }
        assert {name: printed_decimals(name) for name in printed} == printed
        scaled = {"ele-1": 2.012, "delta_ail": 1.458, "delta_elv": 1.045, "california": 2.11, "house": 8.005}
        scaled |= {"elevators": 2.934, "puma32h": 0.367, "ailerons": 1.404, "ele-2": 6729}
        assert {name: in_paper_units(name, PAPER.fruler_test[name]) for name in scaled} == pytest.approx(
            scaled, rel=1e-12
        )
        assert as_printed("ailerons", 1.40449e-08, "error") == 1.404
        assert as_printed("dee", 0.08049, "error") == 0.08
        assert as_printed("dee", 7.94, "rules") == 7.9

    def test_no_figure_of_the_paper_has_more_digits_than_it_prints(self):
        figures = paper_results("error")
        for name, row in figures.iterrows():
            for value in row:
                assert in_paper_units(name, value) == pytest.approx(as_printed(name, value, "error"), rel=1e-9)

    def test_order(self):
        assert order_sets({"my_own", "ailerons", "ele-1", "dee"}) == ["ele-1", "dee", "ailerons", "my_own"]
        assert order_methods({"zeta", "cubist", "fruler", "growth"}) == [
            "growth",
            "fruler",
            "cubist",
            "zeta",
        ]


class TestPaperTables:
    def test_table4(self, of):
        lines = [make_line("growth", "ele-1", fold, rules=3 + fold, error=1e5 * fold) for fold in (1, 2)]
        lines += [make_line("linear", "ele-1", error=123456.7), make_line("growth", "dee", error=0.0712345, rules=9)]
        lines += [make_ending("timeout", "slow", method="ebm", name="dee")]
        table = of(*lines)["table4"]
        row = "ele-1 (1e5)"
        assert cell(table, row, "error", "Growth") == "1.500"
        assert cell(table, row, "rules", "Growth") == "4.5"
        assert cell(table, row, "error", "FRULER (published)") == "2.012"
        assert cell(table, row, "error", "Linear regression") == "1.235"
        assert cell(table, row, "error", "EBM") == "–"
        assert cell(table, "dee", "error", "EBM") == "timeout"
        assert cell(table, "dee", "error", "Growth") == "0.07123"
        # Linear regression has no rules, and no column of them.
        assert ("Linear regression", "rules") not in table.shown
        bold = [[text.strip("*") for text in cells if text.startswith("**")] for cells in table.rows]
        assert bold == [["4.1", "1.235"], ["7.9", "0.07123"]]
        frame = table.frame.set_index("set")
        assert frame.loc["ele-1", "growth_error"] == 150000.0
        assert frame.loc["ele-1", "growth_error_sd"] == pytest.approx(np.std([1e5, 2e5], ddof=1))
        assert frame.loc["ele-1", ["growth_runs", "linear_runs", "ebm_runs"]].tolist() == [2, 1, 0]
        assert frame.loc["dee", "ebm_status"] == "timeout"
        assert frame.loc["dee", "paper_fruler_error"] == 0.08

    def test_capped_and_partial_figures_are_marked(self, tables):
        table = tables["table4"]
        assert cell(table, "pole", "error", "FRULER").endswith("†")
        assert cell(table, "ailerons (1e-8)", "error", "Cubist").endswith("‡")
        assert not cell(table, "dee", "error", "FRULER").endswith("†")
        assert [note[0] for note in table.notes[-2:]] == ["†", "‡"]

    def test_notes_on_marks_only_where_there_are_marks(self, of):
        assert not any("†" in note or "‡" in note for note in of(make_line())["table4"].notes)

    def test_tables_2_and_3(self, of):
        built = of(make_preprocessing("dee", 1), make_preprocessing("dee", 3))
        assert set(built) == {"table2", "table3"}
        frame = built["table2"].frame.set_index("set")
        assert frame.loc["dee", ["reduction", "paper_reduction"]].tolist() == pytest.approx([77.72, 77.7])
        assert cell(built["table2"], "dee", "ours", "error increase") == f"{1.139 * 1.1:.3f}"
        assert cell(built["table2"], "dee", "paper", "seconds") == "42"
        assert cell(built["table3"], "dee", "ours", "average") == "2.19"
        assert cell(built["table3"], "dee", "paper", "seconds") == "0.11"
        assert cell(built["table3"], "dee", "runs") == "2"

    def test_table9(self, of):
        lines = [make_line("growth", "dee", seconds=2.0, evaluations=12000, selection_seconds=0.25)]
        lines += [make_line("growth", "stock", seconds=11.0), make_line("growth-capped", "pole", seconds=1.0)]
        table = of(*lines)["table9"]
        assert cell(table, "dee", "times faster", "Growth") == "73.0"
        assert cell(table, "dee", "evaluations, share", "Growth") == "0.50"
        assert cell(table, "dee", "selection", "Growth") == "0.250"
        assert cell(table, "dee", "run", "paper") == "146"
        assert cell(table, "pole", "total", "Growth") == "1.00†"
        # Of 73 and 151; pole was not run to its end.
        assert cell(table, "geometric mean", "times faster", "Growth") == "105"


class TestStatistics:
    def test_ranking_of_the_paper_s_systems_beside_the_printed_one(self, tables):
        for figure in ("error", "rules"):
            frame = tables[f"ranking_{figure}"].frame
            paper = frame[frame["ranking"] == "the paper's systems"]
            assert len(paper) == 4
            assert (paper["rank"] - paper["printed_rank"]).abs().max() < 0.05
            assert (paper["p_value"] < 1e-5).all()
            assert (paper["sets"] == 28).all()

    def test_peers_with_few_sets_do_not_shrink_the_ranking(self, tables, benchmark):
        table = tables["ranking_error"]
        last = table.frame[table.frame["ranking"] == "the paper's systems, ours and the peers"]
        assert set(last["sets"]) == {28}
        assert "ex_fuzzy" not in set(last["system"])
        assert any("ex-fuzzy" in note for note in table.notes)
        assert last["rank"].sum() == pytest.approx(len(last) * (len(last) + 1) / 2)
        values = benchmark.compare(list(last["system"]), "error")
        assert last.set_index("system")["rank"].to_dict() == pytest.approx(friedman_ranking(values).ranks.to_dict())

    def test_peers_that_share_no_sets_are_not_ranked_together(self, of):
        names = list(PAPER.index[:8])
        lines = [make_line(name=name) for name in names]
        lines += [make_line("cubist", name) for name in names[:5]] + [make_line("tree", name) for name in names[4:]]
        frame = of(*lines)["ranking_error"].frame
        last = frame[frame["ranking"] == "the paper's systems, ours and the peers"]
        assert set(last["system"]) >= {"growth", "cubist"}
        assert "tree" not in set(last["system"])
        assert set(last["sets"]) == {5}

    def test_no_ranking_on_one_set(self, of):
        assert "ranking_error" not in of(make_line())
        assert "ranking_error" in of(make_line(), make_line(name="stock"))

    def test_wilcoxon_against_the_paper(self, of):
        # No two alike: ties of the ratios would hang on the last bit.
        factors = {name: (1.1 if n % 7 in (0, 3) else 0.9) + 0.001 * n for n, name in enumerate(PAPER.index)}
        lines = [make_line("growth", n, error=f * PAPER.fruler_test[n], rules=2) for n, f in factors.items()]
        frame = of(*lines)["wilcoxon_error"].frame.set_index("against")
        row = frame.loc["paper_fruler"]
        losses = sum(factor > 1 for factor in factors.values())
        assert row[["wins", "ties", "losses", "sets"]].tolist() == [28 - losses, 0, losses, 28]
        assert losses == 8
        ratios = pd.Series(factors)
        assert row["median"] == pytest.approx(ratios.median())
        assert row["geometric_mean"] == pytest.approx(np.prod(ratios) ** (1 / 28))
        assert row["p_log_ratios"] == pytest.approx(wilcoxon_p(ratios, ratios * 0 + 1, log_ratios=True))
        assert row["p_differences"] == pytest.approx(wilcoxon_p(PAPER.fruler_test * ratios, PAPER.fruler_test))
        assert (frame["p_log_ratios_holm"] >= frame["p_log_ratios"]).all()
        # Four comparisons: the smallest is multiplied by four.
        assert frame["p_log_ratios_holm"].min() == pytest.approx(4 * frame["p_log_ratios"].min())

    def test_ties_at_printed_digits(self, of):
        frame = of(make_line(error=0.0803), make_line(name="stock", error=0.36))["wilcoxon_error"].frame
        row = frame.set_index("against").loc["paper_fruler"]
        assert row[["wins", "ties", "losses"]].tolist() == [0, 0, 2]
        assert row[["printed_wins", "printed_ties", "printed_losses"]].tolist() == [0, 1, 1]
        assert np.isnan(row["p_differences"])

    def test_paper_mode_is_compared_with_the_paper_only(self, tables):
        frame = tables["wilcoxon_error"].frame
        assert frame.loc[frame["system"] == "fruler", "against"].str.startswith("paper_").all()
        against = set(frame.loc[frame["system"] == "growth", "against"])
        assert against >= {"paper_fruler", "paper_a_metsk", "fruler", "cubist", "ex_fuzzy"}

    def test_zero_errors_stop_nothing(self, of):
        lines = [make_line(name=name, error=0.0) for name in PAPER.index[:8]]
        lines += [make_line("tree", name, error=0.0) for name in PAPER.index[:8]]
        row = of(*lines)["wilcoxon_error"].frame.set_index("against").loc["tree"]
        assert (row["ties"], row["median"], row["p_differences"]) == (8, 1.0, 1.0)

    def test_critical_difference(self):
        # Demšar (2006): q is 2.569 for four systems, so that 14 sets need 1.25 ranks.
        assert nemenyi_distance(4, 14) == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 14)), abs=1e-3)
        assert cliques(pd.Series([1.0, 2.0, 2.5, 5.0]), 1.5) == [(0, 2)]
        assert cliques(pd.Series([1.0, 3.0, 5.0]), 1.5) == []

    def test_a_ranking_of_equals(self):
        ranking = friedman_ranking(pd.DataFrame(1.0, index=["x", "y"], columns=list("abc")))
        assert (ranking.p_value, ranking.chi_squared) == (1.0, 0.0)
        assert ranking.ranks.tolist() == [2.0, 2.0, 2.0]


class TestModels:
    def test_errors(self, of):
        lines = [make_line("growth", "dee", fold, error=error) for fold, error in ((1, 0.04), (2, 0.08))]
        lines += [make_line("growth", "stock", error=4 * 0.353), make_ending("failed", "x", method="ebm", name="stock")]
        table = of(*lines)["errors"]
        frame = table.frame.set_index(["method", "set"])
        assert frame.loc[("growth", "dee"), ["mean", "sd", "runs", "folds", "ratio"]].tolist() == pytest.approx(
            [0.06, 0.04 / math.sqrt(2), 2, 2, 0.75]
        )
        assert cell(table, "dee", "error", "Growth") == "0.06000 ± 0.028"
        assert cell(table, "stock", "error", "Growth") == "1.412"
        assert cell(table, "stock", "error", "EBM") == "failed"
        assert cell(table, "stock", "error", "FRULER (published)") == "0.353"
        assert cell(table, "geometric mean", "ratio", "Growth") == "1.73"

    def test_complexity(self, of):
        lines = [make_line(fold=1, rules=4, coefficients=12, possible_coefficients=24, conditions=1.5)]
        lines += [make_line(fold=2, rules=6, coefficients=9, possible_coefficients=36, conditions=2.0)]
        # A peer does not say how many it could have had: an input a rule.
        lines += [make_line("cubist", rules=5, coefficients=15, conditions=2.0), make_line("linear")]
        table = of(*lines)["complexity"]
        assert [cell(table, "dee", name, "Growth") for name in ("rules", "coefficients", "share %")] == [
            *("5.0 ± 1.4", "10.5 ± 2.1", "38 ± 18")
        ]
        assert cell(table, "dee", "conditions", "Growth") == "1.75 ± 0.35"
        assert cell(table, "dee", "share %", "Cubist") == "50"
        assert cell(table, "dee", "rules", "FRULER (published)") == "7.9"
        assert "linear" not in set(table.frame["method"])

    def test_failures_are_counted_by_reason(self, tables, of):
        lines = [make_ending("timeout", "slow", method="ebm", fold=fold) for fold in (3, 1)]
        frame = of(make_line(), *lines, make_ending("failed", "bad", method="ebm", fold=2))["failures"].frame
        assert frame[["status", "message", "runs", "folds"]].to_numpy().tolist() == [
            ["timeout", "slow", 2, "1 3"],
            ["failed", "bad", 1, "2"],
        ]
        assert set(tables["failures"].frame["method"]) == {"ex_fuzzy", "cubist"}
        assert "failures" not in of(make_line())


def test_summary(of):
    lines = [make_line("growth", "dee", error=0.02, rules=3.95, seconds=1.0, inputs=6, coefficients=5)]
    lines += [
        make_line("growth", "wankara", error=0.888, rules=11.2, seconds=2.0, coefficients=30, possible_coefficients=60)
    ]
    lines += [make_line("growth", "pole", error=110.898 / 4, rules=40.8, seconds=9.0, coefficients=10)]
    lines[-1]["possible_coefficients"] = 100
    lines[0] |= {"curves": 1, "alone_error": 0.08}
    lines[1] |= {"curves": 2, "alone_error": 0.888}
    lines += [make_line("cubist", "dee", error=0.04, seconds=6.0), make_line("cubist", "pole", error=1.0, seconds=1.0)]
    table = of(*lines)["summary"]
    values = table.frame.set_index("figure")["value"].to_dict()
    assert values == pytest.approx(
        {
            "sets": 3,
            "error, ratio to the paper's FRULER (geometric mean)": (0.25 * 1 * 0.25) ** (1 / 3),
            "rules, ratio to the paper's FRULER (geometric mean)": 1.0,
            "largest ratio of the error to the paper's FRULER": 1.0,
            "sets at least as good as the best of the paper's four systems, at its digits": 3,
            "RMSE of all rules / of the strongest rule alone (geometric mean; least)": 0.5**0.5,
            "rules, median of the sets": 11.2,
            "curves, median of the sets": 1.5,
            "coefficients that are not zero, median of the sets": 10,
            "coefficients that are not zero, sets of 8 inputs and more, %": 30.0,
            "seconds of a fit, summed over the small sets (fold 1)": 3.0,
            "longest fit of a large set, seconds": 9.0,
            "error against Cubist (median ratio; wins / ties / losses)": (0.5 + 110.898 / 4) / 2,
            "seconds against Cubist (small sets, fold 1)": 1 / 6,
        }
    )
    assert cell(table, "error against Cubist (median ratio; wins / ties / losses)", "Growth").endswith("1 / 0 / 1")
    assert cell(table, "seconds of a fit, summed over the small sets (fold 1)", "Growth").endswith("(2 sets)")
    assert cell(table, "seconds against Cubist (small sets, fold 1)", "Growth").endswith("(1 set)")


def test_a_set_that_the_paper_lacks_has_dashes(of):
    built = of(make_line("growth") | {"set": "my_own", "error": 2.0}, make_line("growth"))
    assert cell(built["table4"], "my_own", "error", "FRULER (published)") == "–"
    assert cell(built["errors"], "my_own", "error", "Growth") == "2.000"
    assert cell(built["errors"], "my_own", "ratio", "Growth") == "–"


def test_nothing_from_nothing(tmp_path):
    assert build_tables(read_measurements(write_lines(tmp_path / "runs.jsonl", []))) == []


TABLE = ResultTable(
    name="small",
    title="A small table",
    frame=pd.DataFrame({"set": ["a|b", "c"], "error": [1 / 3, None]}),
    shown={
        ("", "set"): ["a|b", "my_set"],
        ("One & two", "rules"): ["4.0†", "3.0"],
        ("One & two", "error"): ["**0.33**", "timeout"],
        ("", "p %"): ["< 1e-5", "–"],
    },
    notes=["† Capped at 50 %."],
)


class TestRendering:
    def test_csv_has_every_digit(self):
        text = TABLE.to_csv()
        assert text.splitlines()[0] == "set,error"
        assert pd.read_csv(io.StringIO(text))["error"][0] == 1 / 3
        assert text.splitlines()[2] == "c,"

    def test_markdown(self):
        assert TABLE.to_markdown() == (
            "**A small table**\n\n"
            "| set | One & two: rules | One & two: error | p % |\n"
            "| :-- | --: | --: | --: |\n"
            "| a\\|b | 4.0† | **0.33** | < 1e-5 |\n"
            "| my_set | 3.0 | timeout | – |\n\n"
            "† Capped at 50 %.\n"
        )

    def test_latex(self):
        assert TABLE.to_latex().splitlines() == [
            "% A small table",
            r"\begin{tabular}{lrrr}",
            r"  \toprule",
            r"  \multicolumn{1}{c}{} & \multicolumn{2}{c}{One \& two} & \multicolumn{1}{c}{} \\",
            r"  set & rules & error & p \% \\",
            r"  \midrule",
            r"  a\textbar{}b & 4.0† & \textbf{0.33} & \textless{} 1e-5 \\",
            r"  my\_set & 3.0 & timeout & -- \\",
            r"  \bottomrule",
            r"\end{tabular}",
            "",
            r"† Capped at 50 \%.",
        ]

    def test_html_is_escaped_and_groups_span_their_columns(self):
        text = TABLE.to_html()
        assert '<th colspan="2" halign="left">One &amp; two</th>' in text
        assert "<td><b>0.33</b></td>" in text
        assert "&lt; 1e-5" in text
        assert "<th>set</th>" in ResultTable("n", "t", pd.DataFrame(), {("", "set"): ["x" * 99]}).to_html()
        assert "x" * 99 in ResultTable("n", "t", pd.DataFrame(), {("", "set"): ["x" * 99]}).to_html()


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 4, "0"),
        (0.99996, 4, "1.0000"),
        (9.5, 1, "10"),
        (1234.5, 2, "1234"),
        (-0.01234, 2, "-0.012"),
        (2.5e-5, 3, "2.50e-05"),
        (3e9, 3, "3.00e+09"),
        (float("inf"), 3, "–"),
    ],
)
def test_significant_digits(value, digits, text):
    assert significant(value, digits) == text


def test_other_numbers():
    assert (with_decimals(2.345, 1), with_decimals(float("nan"), 1)) == ("2.3", "–")
    assert [_p_value(value) for value in (0.5, 0.05, 0.00099, 9e-6, float("nan"))] == [
        *("0.500", "0.0500", "9.90e-04", "< 1e-5", "–")
    ]
