import numpy as np
import pandas as pd
import pytest

from fruler.bench._statistics import friedman_ranking, holm, tally, wilcoxon_p
from fruler.bench.paper import paper_tables

SYSTEMS = {"FRULER": "fruler", "A-METSK-HD": "a_metsk", "FS_MOGFS+TUN": "fsmogfs_tun", "L-METSK-HD": "l_metsk"}
# As the paper prints them.
ERROR_RANKS = {"FRULER": 1.714, "A-METSK-HD": 2.036, "FS_MOGFS+TUN": 2.786, "L-METSK-HD": 3.464}
RULE_RANKS = {"FRULER": 1.214, "FS_MOGFS+TUN": 1.786, "A-METSK-HD": 3.0, "L-METSK-HD": 4.0}


def figures(measure):
    tables = paper_tables()
    return pd.DataFrame({system: tables[f"{prefix}_{measure}"] for system, prefix in SYSTEMS.items()})


@pytest.mark.parametrize(("measure", "printed"), [("test", ERROR_RANKS), ("rules", RULE_RANKS)])
def test_the_paper_s_ranks_follow_from_its_table(measure, printed):
    ranking = friedman_ranking(figures(measure))
    assert list(ranking.ranks.index) == list(printed)
    for system, rank in printed.items():
        assert ranking.ranks[system] == pytest.approx(rank, abs=0.05)
    assert ranking.p_value < 1e-5


def test_the_paper_s_wilcoxon_test_is_on_differences():
    errors = figures("test")
    assert wilcoxon_p(errors["FRULER"], errors["A-METSK-HD"]) == pytest.approx(0.079, abs=0.005)
    assert wilcoxon_p(errors["FRULER"], errors["A-METSK-HD"], log_ratios=True) == pytest.approx(0.136, abs=0.01)
    rules = figures("rules")
    assert wilcoxon_p(rules["FRULER"], rules["A-METSK-HD"]) < 1e-4


def test_equal_systems_do_not_differ():
    values = pd.Series([1.0, 2.0, 3.0])
    assert wilcoxon_p(values, values) == 1.0
    assert tally(values, values) == (0, 3, 0)
    assert tally(values, pd.Series([2.0, 2.0, 2.0])) == (1, 1, 1)


def test_holm_never_lowers_a_p_value_nor_changes_the_order():
    p_values = pd.Series(np.random.default_rng(0).uniform(size=8), index=list("abcdefgh"))
    adjusted = holm(p_values)
    assert list(adjusted.index) == list(p_values.index)
    assert (adjusted >= p_values).all()
    assert adjusted.max() <= 1.0
    assert (adjusted[p_values.sort_values().index].diff().dropna() >= 0).all()


def test_gaps_and_too_little_are_refused():
    table = figures("test")
    with pytest.raises(ValueError, match="missing for 'dee'"):
        friedman_ranking(table.drop(index="dee").reindex(table.index))
    with pytest.raises(ValueError, match="two sets and three systems"):
        friedman_ranking(table.iloc[:, :2])
