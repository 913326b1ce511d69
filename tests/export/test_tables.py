"""The tables for papers: Markdown and LaTeX."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from helpers.mixed_tables import MIXED_MODELS, mixed_model

from fruler._table.sources import GapSource, LevelSource
from fruler._wording import readable_number
from fruler.explain._effects import level_offsets
from fruler.export import export_model
from fruler.rules import FuzzyPartition, RuleBase, Variable

ENGINE = next((name for name in ("pdflatex", "lualatex", "xelatex", "tectonic") if shutil.which(name)), None)


def markdown_cells(line):
    assert line.startswith("| ")
    assert line.endswith(" |")
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def latex_rows(text):
    inner = text[text.index(r"\toprule") : text.index(r"\bottomrule")]
    plain = re.sub(r"\\(toprule|midrule|cmidrule\(l?r?\)\{\d+-\d+\})", "", inner)
    return [re.split(r"(?<!\\)&", row) for row in plain.split(r"\\")[:-1]]


def width_of(cell):
    spans = re.match(r"\s*\\multicolumn\{(\d+)\}", cell)
    return int(spans.group(1)) if spans else 1


def test_markdown_has_as_many_cells_in_every_row(kinds):
    for rule_base in kinds.values():
        text = rule_base.to_markdown()
        assert text == export_model(rule_base, "markdown")
        header, ruler, *rows = text.partition("\n\n")[0].splitlines()
        assert len(rows) == rule_base.n_rules
        assert re.fullmatch(r"\|((:-+|-+:)\|)+", ruler)
        assert {len(markdown_cells(line)) for line in (header, *rows)} == {ruler.count("|") - 1}
        if rule_base.target is not None:
            said = [markdown_cells(row)[-1] for row in rows]
            assert len(set(said)) == len({rule_base.consequents.label(rule) for rule in range(rule_base.n_rules)})
            continue
        intercept = markdown_cells(header).index("Intercept")
        for row, number in zip(rows, rule_base.consequents.intercepts, strict=True):
            assert markdown_cells(row)[intercept].replace("−", "-") == readable_number(number)


def test_latex_has_as_many_cells_in_every_row(kinds):
    for rule_base in kinds.values():
        text = rule_base.to_latex()
        assert text == export_model(rule_base, "latex")
        columns = len(re.search(r"\\begin\{tabular\}\{([rl]+)\}", text).group(1))
        rows = latex_rows(text)
        assert len(rows) == rule_base.n_rules + 2
        assert {sum(map(width_of, row)) for row in rows} == {columns}
        for rule in re.findall(r"\\cmidrule\(l?r?\)\{(\d+)-(\d+)\}", text):
            assert 1 <= int(rule[0]) <= int(rule[1]) <= columns


def test_latex_is_balanced_and_has_no_loose_special_character(kinds):
    for rule_base in kinds.values():
        text = rule_base.to_latex()
        plain = re.sub(r"\\[&%$#_{}]", "", text)
        depth = np.cumsum([{"{": 1, "}": -1}.get(character, 0) for character in plain])
        assert depth.min() >= 0
        assert depth[-1] == 0
        assert plain.count("$") % 2 == 0
        outside = re.sub(r"\$[^$]*\$", "", plain)
        assert not re.search(r"[#%~^\"<>|]", outside)
        assert not re.search(r"_", outside)
        assert [*re.findall(r"\\begin\{(\w+)\}", text)] == [*re.findall(r"\\end\{(\w+)\}", text)][::-1]


def test_a_curve_is_a_table_of_its_bends_in_markdown(make_rules):
    rule_base = make_rules("crisp curve")
    sentence, header, ruler, *rows = [
        line for line in rule_base.to_markdown().partition("\n\n")[2].splitlines() if line
    ]
    assert sentence == "A curve adds to the output of every rule:"
    assert markdown_cells(header) == ["Curve of", "At", "Adds"]
    assert ruler.count("|") == 4
    x, adds = rule_base.curves[0].bends()
    assert [markdown_cells(row)[0] for row in rows] == ["b"] * len(x)
    # Just below a jump, and on it.
    places = ["−1", "&lt; −0.3", "−0.3", "&lt; 0.1", "0.1", "1"]
    assert [markdown_cells(row)[1] for row in rows] == places
    assert [markdown_cells(row)[2] for row in rows] == [readable_number(value).replace("-", "−") for value in adds]
    assert "2 curves add to" in make_rules("two curves").to_markdown()


def test_a_curve_is_a_second_tabular_in_latex(make_rules):
    text = make_rules("two curves").to_latex()
    assert text.count(r"\begin{tabular}") == 2
    assert "5 rules and 2 curves for höhe (km). The curves add to the output of every rule." in text
    second = text[text.rindex(r"\toprule") :]
    n_bends = sum(len(curve.bends()[0]) for curve in make_rules("two curves").curves)
    rows = second.split(r"\\")[1:-1]
    assert [row.count("&") for row in rows] == [2] * n_bends
    assert "$< 0.2$" in second


@pytest.mark.skipif(ENGINE is None, reason="there is no LaTeX")
def test_latex_compiles(make_rules, tmp_path):
    body = "\n".join(make_rules(name).to_latex() for name in ("mixed fuzziness", "formula", "gaps", "two curves"))
    preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{textcomp,booktabs}"
    (tmp_path / "page.tex").write_text(f"{preamble}\\begin{{document}}\n{body}\\end{{document}}\n", encoding="utf-8")
    options = [] if ENGINE == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([ENGINE, *options, "page.tex"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_what_a_rule_accepts_and_gives_is_in_its_row(make_rules):
    rule_base = make_rules("mixed fuzziness")
    lines = rule_base.to_markdown().splitlines()
    header, first = markdown_cells(lines[0]), markdown_cells(lines[2])
    assert header == ["Rule", "Support (%)", "a (m)", "b", "Intercept", "× a", "× b"]
    labels = rule_base.variables[0].partition.labels
    numbers = [readable_number(value).replace("-", "−") for value in rule_base.consequents.coefficients[0, :3]]
    assert first == ["1", "10", f"{labels[0]} or {labels[1]}", "low", *numbers]
    gaps = make_rules("gaps").to_markdown().splitlines()[2]
    assert markdown_cells(gaps)[3] == "–"


def test_options_of_latex(make_rules):
    text = make_rules("crisp").to_latex(digits=1, caption="50% of_it", label="tab:x")
    assert r"\caption{50\% of\_it}" in text
    assert r"\label{tab:x}" in text
    with pytest.raises(ValueError, match="label"):
        make_rules("crisp").to_latex(label="x}y")
    with pytest.raises(ValueError, match="digits"):
        make_rules("crisp").to_markdown(digits=0)


def test_numbers_with_exponents_are_set_as_powers(make_rules):
    assert r"$1 \cdot 10^{-7}$" in make_rules("formula").to_latex()
    assert r"$1 \cdot 10^{20}$" in make_rules("formula").to_latex()


def origin_rules():
    levels = ["usa", "japan", "europe", "mars|moon"]
    sources = {f"origin={own}": LevelSource.indicator("origin", levels, own) for own in levels}
    sources |= {"size is missing": GapSource("size"), "sold": LevelSource("sold", ["False", "True"], [-1.0, 1.5])}
    switch = FuzzyPartition([0.5], (0.0, 1.0))
    variables = [Variable(name, switch, source=source) for name, source in sources.items()]
    whole = [[0, 1]] * 6
    antecedents = [
        [[0, 0], [0, 0], *whole[2:]],
        [[1, 1], *whole[1:4], [1, 1], [0, 1]],
        [[0, 1], [1, 1], *whole[2:4], [0, 0], [0, 1]],
    ]
    consequents = [[1.0, 0, 0, 2.5, -3.25, 0, 0], [2.0, 0, 0, 0, 0, 7.0, 2.0], [3.0, 0, 4.0, 0, 0, 0, -1.0]]
    return RuleBase(variables, antecedents, consequents)


def test_categories_are_read_by_their_names_in_markdown():
    header, _, *rows = origin_rules().to_markdown().splitlines()
    assert markdown_cells(header) == [
        *("Rule", "origin", "size is missing", "Intercept", "× size is missing", "origin adds", "sold adds")
    ]
    assert [markdown_cells(row)[1:] for row in rows] == [
        ["europe or mars\\|moon", "–", "1", "0", "mars\\|moon −3.25, europe +2.5", "–"],
        ["usa", "yes", "2", "7", "–", "False −2, True +3"],
        ["japan", "no", "3", "0", "japan +4", "True −1.5, False +1"],
    ]


def test_categories_are_read_by_their_names_in_latex():
    rows = latex_rows(origin_rules().to_latex())
    assert [[cell.strip() for cell in row][5:] for row in rows[1:]] == [
        ["origin adds", "sold adds"],
        [r"mars\textbar{}moon $-$3.25, europe +2.5", "--"],
        ["--", "False $-$2, True +3"],
        ["japan +4", "True $-$1.5, False +1"],
    ]
    assert [row[2].strip() for row in rows[2:]] == ["--", "yes", "no"]


def test_a_column_of_categories_that_adds_nothing_is_left_out():
    levels = LevelSource("a", ["x", "y"], [0.0, 1.0])
    x = Variable("a", FuzzyPartition([0.5], (0.0, 1.0)), source=levels)
    plain = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]])
    assert markdown_cells(plain.to_markdown().splitlines()[0]) == ["Rule", "a", "Intercept"]
    row = RuleBase([x], [[[0, 1]]], [[1.0, 2.0]]).to_markdown().splitlines()[2]
    assert markdown_cells(row)[2] == "x 0, y +2"


def test_of_many_categories_the_ends_are_named():
    levels = [f"l{k:02}" for k in range(20)]
    x = Variable("a", FuzzyPartition([], (0.0, 19.0)), source=LevelSource("a", levels, np.arange(20.0) - 9.5))
    row = RuleBase([x], [[[0, 0]]], [[0.0, 1.0]]).to_markdown().splitlines()[2]
    said = markdown_cells(row)[2]
    assert said.startswith("l00 −9.5, l01 −8.5")
    assert said.endswith("l18 +8.5, l19 +9.5")
    assert ", 12 others between, l16" in said


@pytest.mark.parametrize("kind", MIXED_MODELS)
def test_tables_of_categories_are_whole(kind):
    rule_base = mixed_model(kind)
    header, ruler, *rows = rule_base.to_markdown().partition("\n\n")[0].splitlines()
    assert {len(markdown_cells(line)) for line in (header, *rows)} == {ruler.count("|") - 1}
    assert not any("=" in cell for cell in markdown_cells(header))
    place = markdown_cells(header).index("origin adds") if "origin adds" in header else None
    origin = next(feature for feature in rule_base.features if feature.name == "origin")
    for rule, row in enumerate(rows):
        offsets = level_offsets(rule_base, rule, origin)
        said = "–" if place is None else markdown_cells(row)[place]
        assert all(f"{readable_number(value).replace('-', '−')}" in said for value in offsets.values())
    text = rule_base.to_latex()
    columns = len(re.search(r"\\begin\{tabular\}\{([rl]+)\}", text).group(1))
    assert {sum(map(width_of, row)) for row in latex_rows(text)} == {columns}


@pytest.mark.parametrize(("target", "sign"), [("python", "#"), ("c", "/*"), ("sql", "--")])
def test_code_names_the_categories_of_a_rule(target, sign):
    text = export_model(origin_rules(), target)
    assert f"{sign} Rule 1: if origin is europe or mars|moon" in text
    assert f"{sign} Rule 2: if origin is usa and size is missing: yes" in text
