"""The rules in documents: Markdown, LaTeX and a data frame have the texts and numbers that are printed."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from helpers.mixed_tables import MIXED_MODELS, mixed_model

from fruler.explain._conditions import GLUE
from fruler.explain._told import told
from fruler.export import export_model
from fruler.rules import FuzzyPartition, RuleBase, Variable

ENGINE = next((name for name in ("pdflatex", "lualatex", "xelatex", "tectonic") if shutil.which(name)), None)


def markdown_rows(text):
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def latex_rows(text):
    tables = re.findall(r"\\toprule(.*?)\\bottomrule", text, re.DOTALL)
    bodies = [table.replace("\\midrule", "").split("\\\\")[:-1] for table in tables]
    return [[re.split(r"(?<!\\)&", row) for row in body] for body in bodies]


def plain(text):
    return (
        re.sub(r"\\([\\`*_{}\[\]|~$#!])", r"\1", text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    )


def test_markdown_has_the_rules_side_by_side(kinds):
    for rule_base in kinds.values():
        text, page = rule_base.to_markdown(), told(rule_base)
        assert text == export_model(rule_base, "markdown")
        if page.is_formula:
            assert markdown_rows(text) == []
            continue
        rows = markdown_rows(text)
        assert {len(row) for row in rows} == {1 + rule_base.n_rules}
        assert len(rows) == 1 + len(page.rows)
        for row, (head, cells) in zip(rows[1:], page.rows, strict=True):
            assert [plain(cell) for cell in row] == [cell.replace(GLUE, " ") or "–" for cell in (head, *cells)]


def test_latex_has_the_rules_side_by_side_in_tables_of_eight(kinds):
    for rule_base in kinds.values():
        text = rule_base.to_latex()
        assert text == export_model(rule_base, "latex")
        tables = latex_rows(text)
        if told(rule_base).is_formula:
            assert tables == []
            continue
        sizes = [min(8, rule_base.n_rules - first) for first in range(0, rule_base.n_rules, 8)]
        assert [{len(row) for row in table} for table in tables] == [{1 + size} for size in sizes]


def test_what_all_rules_share_and_lists_are_in_both(kinds):
    for rule_base in kinds.values():
        page = told(rule_base)
        lines = [*page.always, *([] if page.is_formula else page.lists.values()), *page.notes]
        markdown = plain(rule_base.to_markdown())
        for line in lines:
            assert line.replace(GLUE, " ") in markdown
        assert rule_base.to_latex().count(r"\item ") == len(page.always) + len(page.lists) * (not page.is_formula)


def test_latex_is_balanced_and_has_no_loose_special_character(kinds):
    for rule_base in kinds.values():
        text = rule_base.to_latex()
        assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
        for environment in ("table", "tabular", "itemize"):
            assert text.count(rf"\begin{{{environment}}}") == text.count(rf"\end{{{environment}}}")
        words = re.sub(r"\\[A-Za-z]+(\{\})?|\\[%&$#_{}\\]|\$[^$]*\$", "", text)
        assert not re.search(r'[#%^"<>|]', words)


def test_options_of_latex():
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]])
    assert r"\label{tab:mine}" in rules.to_latex(label="tab:mine")
    assert r"\caption{50\% \& more}" in rules.to_latex(caption="50% & more")
    assert r"\begin{table}" not in export_model(rules, "latex", float=False)
    with pytest.raises(ValueError, match="A LaTeX label may have letters"):
        rules.to_latex(label="a}b")


def test_names_are_text_in_documents():
    odd = Variable("a_b|c <d> $5 {e}", FuzzyPartition([0.5], (0.0, 1.0)))
    rules = RuleBase([odd], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]])
    assert r"a\_b\|c &lt;d&gt; \$5 \{e\}" in rules.to_markdown()
    assert r"a\_b\textbar{}c \textless{}d\textgreater{} \$5 \{e\}" in rules.to_latex()


def test_a_data_frame_has_every_effect(kinds):
    for rule_base in kinds.values():
        frame, page = rule_base.to_frame(), told(rule_base)
        assert frame.columns.tolist() == list(range(1, rule_base.n_rules + 1))
        for effect in page.effects:
            cells = frame.loc[effect.head.replace(GLUE, " ")]
            assert [cell for cell in cells if cell != "–"] == [cell.replace(GLUE, " ") for cell in effect.cells if cell]


@pytest.mark.parametrize("kind", MIXED_MODELS)
def test_documents_of_tables_with_categories(kind):
    rules = mixed_model(kind)
    page = told(rules)
    assert np.size(page.rules) == rules.n_rules
    text = plain(rules.to_markdown())
    for level in (level for feature in rules.features if feature.has_levels for level, _ in feature.options[:0]):
        assert level in text


@pytest.mark.slow
@pytest.mark.skipif(ENGINE is None, reason="no LaTeX")
def test_latex_compiles(kinds, tmp_path):
    packages = r"\usepackage[T1]{fontenc}\usepackage{textcomp}\usepackage{booktabs}"
    tables = "\n".join(rule_base.to_latex() for rule_base in kinds.values())
    document = rf"\documentclass{{article}}{packages}\begin{{document}}{tables}\end{{document}}"
    (tmp_path / "d.tex").write_text(document, encoding="utf-8")
    command = [ENGINE, "-interaction=nonstopmode", "-halt-on-error", "d.tex"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-2000:]
