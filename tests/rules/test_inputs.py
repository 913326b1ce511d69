"""What an input says of itself: its values, its title, and its labels."""

import pytest
from helpers.dated_rules import dated_rules

from fruler._table.sources import GapSource, LevelSource
from fruler.rules import FuzzyPartition, NominalPartition, Variable

RULES = dated_rules()
INPUTS = dict(zip(RULES.names, RULES.variables, strict=True))


@pytest.mark.parametrize(
    ("name", "number", "text", "title"),
    [
        ("sold", 4.17, "4 Mar 2019", "sold"),
        ("day of year", 43.0, "14 Dec", "day of year"),
        ("hour", 0.25, "22:15", "hour"),
        ("weekday", -3.0, "Sunday", "weekday"),
        ("origin", 0.4, "europe", "origin"),
        ("fuel=gas", 0.8, "yes", "fuel=gas"),
        ("size is missing", 0.0, "no", "size is missing"),
        ("size", 3.0, None, "size (m)"),
    ],
)
def test_values_and_titles(name, number, text, title):
    assert INPUTS[name].written(number) == text
    assert INPUTS[name].title == title


def test_labels_that_are_words_tell_where_they_meet():
    told = {name: variable.tells_ranges for name, variable in INPUTS.items()}
    assert [name for name, tells in told.items() if not tells] == ["size"]


def test_an_input_of_0_and_1_is_no_or_yes():
    gap = Variable("x is missing", FuzzyPartition([0.5], (0.0, 1.0))).of(GapSource("x"))
    assert gap.partition.labels == ("no", "yes")
    assert (gap.words(0, 0), gap.words(1, 1)) == ("no", "yes")
    assert gap.choices == (("no", 0.0), ("yes", 1.0))
    # A label that neither fits keeps its name.
    three = Variable("x is missing", FuzzyPartition([0.3, 0.6], (0.0, 1.0))).of(GapSource("x"))
    assert three.partition.labels == ("low", "medium", "high")
    assert not three.words(1, 1)


def test_choices_are_the_categories_in_their_own_order():
    assert INPUTS["weekday"].choices[0][0] == "Monday"
    assert INPUTS["origin"].choices == (("europe", 0.5), ("japan", 1.0), ("usa", -1.0))
    assert INPUTS["fuel=gas"].choices == (("no", 0.0), ("yes", 1.0))
    assert INPUTS["day of year"].choices == ()
    assert INPUTS["size"].choices == ()
    # Two categories are one input of 0 and 1, which is named by the column alone.
    sold = Variable("sold", FuzzyPartition([], (0.0, 1.0))).of(LevelSource.indicator("sold", ["no", "sure"], "sure"))
    assert sold.choices == (("no", 0.0), ("sure", 1.0))


def test_groups_of_categories_have_the_names_of_their_labels():
    nominal = Variable("kind", NominalPartition([[0.0], [1.0, 2.0]], ["a", "b or c"]))
    assert nominal.words(1, 1) is None
    assert not nominal.tells_ranges
