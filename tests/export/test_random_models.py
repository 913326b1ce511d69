"""Models of random mixed tables predict the same everywhere; tests/fuzz/fuzz_models.py tries thousands."""

from collections import Counter

import fuzz_models
import pytest
from helpers.engines import ENGINES, with_mariadb, with_postgres


def test_a_few_models_are_the_same_everywhere():
    ended = Counter(
        fuzz_models.use(fuzz_models.make_case(number, quick=True), number, refits=number % 2 == 0)
        for number in range(6)
    )
    assert ended["FuzzyRuleRegressor"] >= 3


@pytest.mark.fuzz
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_many_models_are_the_same_everywhere(first):
    cases = range(10_000 + first, 10_050 + first)
    ended = Counter(fuzz_models.use(fuzz_models.make_case(number), number) for number in cases)
    assert min(ended["FuzzyRuleRegressor"], ended["FRULERRegressor"]) > 0
    assert ended["refused"] < 10


@pytest.mark.process
@pytest.mark.parametrize("run", [with_postgres, with_mariadb])
def test_servers_predict_the_same(run):
    for number in range(20_000, 20_015):
        case = fuzz_models.make_case(number, quick=True)
        fuzz_models.use(case, number, engines={"server": run}, refits=False)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_difference_is_found(engine):
    def wrong(rules, frame, folder, **options):
        found = ENGINES[engine](rules, frame, folder, **options)
        return found + 1e-6 * (abs(found) + 1.0)

    case = fuzz_models.make_case(2, quick=True)
    with pytest.raises(AssertionError, match=f"{engine} differs in row 0"):
        fuzz_models.use(case, 2, engines={engine: wrong}, refits=False)
