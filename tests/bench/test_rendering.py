import io

import pandas as pd
import pytest

from fruler.bench.rendering import (
    LATEX_WIDTH,
    Cell,
    Column,
    Table,
    fixed,
    p_value,
    significant,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
    with_spread,
)

TABLE = Table(
    name="small",
    title="A small table",
    frame=pd.DataFrame({"set": ["a|b", "c"], "error": [1 / 3, None]}),
    columns=[Column("set"), Column("rules", "One & two"), Column("error", "One & two"), Column("p %")],
    rows=[
        [Cell("a|b (×10⁻⁸)"), Cell("4.0†"), Cell("0.33", bold=True), Cell("< 1e-5")],
        [Cell("my_set"), Cell("3.0"), Cell("timeout"), Cell("–")],
    ],
    notes=["† Capped at 50 %."],
)


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
    assert (fixed(2.345, 1), fixed(float("nan"), 1)) == ("2.3", "–")
    assert [p_value(value) for value in (0.5, 0.05, 0.00099, 9e-6, float("nan"))] == [
        *("0.500", "0.0500", "9.90e-04", "< 1e-5", "–")
    ]
    assert (with_spread("1.0", "0.1"), with_spread("1.0", "–")) == ("1.0 ± 0.1", "1.0")


def test_csv_has_every_digit():
    text = to_csv(TABLE)
    assert text.splitlines()[0] == "set,error"
    assert pd.read_csv(io.StringIO(text))["error"][0] == 1 / 3
    assert text.splitlines()[2] == "c,"


def test_markdown():
    assert to_markdown(TABLE) == (
        "**A small table**\n\n"
        "| set | One & two: rules | One & two: error | p % |\n"
        "| :-- | --: | --: | --: |\n"
        "| a\\|b (×10⁻⁸) | 4.0† | **0.33** | < 1e-5 |\n"
        "| my_set | 3.0 | timeout | – |\n\n"
        "† Capped at 50 %.\n"
    )


def test_latex():
    assert to_latex(TABLE) == "\n".join(
        [
            "% A small table",
            r"\begin{tabular}{lrrr}",
            r"\toprule",
            r" & \multicolumn{2}{c}{One \& two} &  \\",
            r"set & rules & error & p \% \\",
            r"\midrule",
            r"a|b ($\times$10$^{-8}$) & 4.0$^{\dagger}$ & \textbf{0.33} & $<$ 1e-5 \\",
            r"my\_set & 3.0 & timeout & -- \\",
            r"\bottomrule",
            r"\end{tabular}",
            "",
            r"$^{\dagger}$ Capped at 50 \%.",
            "",
        ]
    )


def test_a_wide_table_is_cut_between_groups_in_latex():
    columns = [Column("set"), *(Column(name, f"G{n}") for n in range(7) for name in ("x", "y"))]
    row = [Cell("s"), *(Cell(str(n)) for n in range(14))]
    text = to_latex(Table("wide", "Wide", pd.DataFrame(), columns, [row]))
    kinds = [line for line in text.splitlines() if line.startswith(r"\begin{tabular}")]
    assert kinds == [r"\begin{tabular}{lrrrrrrrr}", r"\begin{tabular}{lrrrrrr}"]
    assert all(len(kind.split("{")[2]) - 2 <= LATEX_WIDTH for kind in kinds)
    bodies = [line for line in text.splitlines() if line.startswith("s &")]
    assert bodies == [
        r"s & 0 & 1 & 2 & 3 & 4 & 5 & 6 & 7 \\",
        r"s & 8 & 9 & 10 & 11 & 12 & 13 \\",
    ]


def test_html_is_escaped_and_groups_span_their_columns():
    text = to_html(TABLE)
    assert "<th class=group colspan=2 scope=colgroup>One &amp; two</th>" in text
    assert "<td><b>0.33</b></td>" in text
    assert "&lt; 1e-5" in text
    assert "<th scope=row class=label>my_set</th>" in text
    assert "<p class=note>† Capped at 50 %.</p>" in text
