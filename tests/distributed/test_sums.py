"""Sums and summaries of blocks, put together, are those of the whole table."""

from dataclasses import fields
from functools import reduce

import numpy as np
import pytest
from helpers.blocks import blocks_of
from helpers.structures import grow_at_random, standardised
from helpers.tasks import make_task

from fruler.algorithms.fruler.initialization import initial_population
from fruler.algorithms.growth.sums import Sums, degrees_of
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.distributed import growth as distributed_growth
from fruler.distributed.bins import Bins, bin_block, merge_bins, splits_of_bins
from fruler.distributed.blocks import Standard
from fruler.distributed.growth import SumsJob, add_sums, sum_rows, within_limit
from fruler.distributed.quantiles import MAX_BINS, Sketch, median_of, merge_sketches, shortened, sketch_block
from fruler.distributed.summaries import merge_summaries, summarise_block
from fruler.kernels import evaluation, partial_sums
from fruler.stages.discretization import nested_splits
from fruler.table.scaling import Scale, measure_scale

UNSCALED = Standard(Scale(np.zeros(3), np.ones(3)), Scale(np.zeros(()), np.ones(())))


def summary_of(blocks, weighted_scale=False):
    return reduce(merge_summaries, [summarise_block(block, weighted_scale) for block in blocks])


@pytest.mark.parametrize("unit", [1.0, 1e149, 1e-200])
def test_scales_of_blocks_are_that_of_the_table(rng, unit):
    X, y = rng.normal(size=(500, 3)) * unit, rng.normal(5.0, size=500) * unit
    X[:, 1] = 7.0 * unit
    found = summary_of(blocks_of(X, y, 10, 10, 300))
    for scale, expected in ((found.scale, measure_scale(X)), (found.target_scale, measure_scale(y))):
        np.testing.assert_allclose(scale.centre, expected.centre, rtol=1e-12, atol=1e-12 * unit)
        np.testing.assert_allclose(scale.spread, expected.spread, rtol=1e-12)
    assert found.counts == (10, 0, 290, 200)
    assert found.low.tolist() == [*X.min(axis=0), y.min()]
    assert found.high.tolist() == [*X.max(axis=0), y.max()]


@pytest.mark.parametrize("weighted_scale", [False, True])
def test_weights_count_in_the_scales_of_blocks_if_they_are_to(rng, weighted_scale):
    X, y, weight = rng.normal(size=(500, 3)), rng.normal(5.0, size=500), rng.uniform(0.1, 3.0, 500)
    found = summary_of(blocks_of(X, y, 10, 10, 300, weight=weight), weighted_scale)
    counted = weight if weighted_scale else None
    for scale, expected in ((found.scale, measure_scale(X, counted)), (found.target_scale, measure_scale(y, counted))):
        np.testing.assert_allclose(scale.centre, expected.centre, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(scale.spread, expected.spread, rtol=1e-12)
    assert found.mean_weight == pytest.approx(weight.mean())


def test_a_digest_tells_other_rows_and_other_blocks(rng):
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    digests = {summary_of(blocks_of(X, y, cut)).digests for cut in (20, 20, 30)}
    X[3, 1] += 1e-9
    digests.add(summary_of(blocks_of(X, y, 20)).digests)
    assert len(digests) == 3


def test_few_values_are_all_in_a_sketch(rng):
    x = rng.integers(0, 3000, 20_000).astype(float)
    [sketch] = reduce(merge_sketches, [sketch_block(b, MAX_BINS) for b in blocks_of(x[:, None], x, 777, 9000)])
    assert np.array_equal(sketch.values, np.unique(x))
    assert np.array_equal(sketch.counts, np.unique(x, return_counts=True)[1])
    assert median_of(sketch) == np.quantile(x, 0.5, method="inverted_cdf")


def test_many_values_have_bins_enough_even_where_half_of_them_are_equal(rng):
    x = np.where(rng.uniform(size=60_000) < 0.5, 0.5, rng.uniform(size=60_000))
    [sketch] = reduce(merge_sketches, [sketch_block(b, MAX_BINS) for b in blocks_of(x[:, None], x, 20_000, 40_000)])
    assert 4096 <= len(sketch.values) <= MAX_BINS
    assert sketch.counts.sum() == len(x)
    assert sketch.values[[0, -1]].tolist() == [x.min(), x.max()]
    others = np.delete(sketch.counts, sketch.counts.argmax())
    assert others.max() < 10 * len(x) / MAX_BINS


def test_a_shortened_sketch_keeps_its_ends_and_all_rows():
    short = shortened(Sketch(np.arange(10.0), np.full(10, 3.0)), 4)
    assert len(short.values) <= 4
    assert (short.values[0], short.values[-1], short.counts.sum()) == (0.0, 9.0, 30.0)


def splits_by_blocks(X, y, *cuts, weight=None, most=MAX_BINS):
    blocks = blocks_of(X, y, *cuts, weight=weight)
    summary = summary_of(blocks)
    sketches = reduce(merge_sketches, [sketch_block(block, most) for block in blocks])
    standard = Standard(summary.scale, summary.target_scale, summary.mean_weight)
    bins = Bins.from_sketches(
        [shortened(sketch, most) for sketch in sketches], summary.low[:-1], summary.high[:-1], standard
    )
    found = []
    for part in bins.parted(2):
        found += splits_of_bins(reduce(merge_bins, [bin_block(block, part) for block in blocks]), part)
    return found


@pytest.mark.parametrize("weighted", [False, True])
def test_splits_of_bins_are_exact_where_values_are_few(rng, weighted):
    X = np.column_stack([np.round(rng.uniform(0, 9, (3000, 2)), 2), np.full(3000, 2.0)])
    y = np.abs(X[:, 0] - 4.0) + np.sin(X[:, 1]) + 0.1 * rng.normal(size=3000)
    weight = rng.uniform(0.5, 2.0, 3000) if weighted else None
    expected = nested_splits(X, y, None if weight is None else weight / weight.mean())
    for found, known in zip(splits_by_blocks(X, y, 1000, 1700, weight=weight), expected, strict=True):
        assert found.found.tolist() == known.found.tolist()
        np.testing.assert_allclose(found.criteria, known.criteria, rtol=1e-9)


def test_splits_of_bins_are_near_where_values_are_many(rng):
    X = rng.uniform(0, 9, (20_000, 1))
    y = np.abs(X[:, 0] - 4.0) + 0.01 * rng.normal(size=20_000)
    [found] = splits_by_blocks(X, y, 9_000, most=512)
    [known] = nested_splits(X, y)
    assert found.found[0] == pytest.approx(known.found[0], abs=9 / 512 * 3)
    assert found.found[0] != known.found[0]  # else this would test nothing


def test_a_frequent_value_among_many_has_a_bin_of_its_own(rng):
    """Its rows are left out of the errors at the end of the domain, and on a split, as they are in memory."""
    x = rng.uniform(0, 9, 30_000)
    x[rng.uniform(size=30_000) < 0.4] = 0.0
    x[rng.uniform(size=30_000) < 0.3] = 4.0
    y = np.select([x == 0.0, x < 4.0, x == 4.0], [-9.0, x, 7.0], 3.0 - x) + rng.normal(size=30_000)
    [found] = splits_by_blocks(x[:, None], y, 9_000, 20_000, most=512)
    [known] = nested_splits(x[:, None], y)
    assert found.found[0] == known.found[0] == 4.0
    np.testing.assert_allclose(found.criteria[:2], known.criteria[:2], rtol=1e-3)


@pytest.mark.parametrize("most", [4, 16, 100])
def test_a_shortened_sketch_is_never_too_long(rng, most):
    for _ in range(50):
        counts = rng.pareto(0.6, 200).astype(int) + 1.0
        short = shortened(Sketch(np.arange(200.0), counts), most)
        assert len(short.values) <= most
        assert short.counts.sum() == counts.sum()
        for value in np.flatnonzero(counts >= 2 * counts.sum() / (most - 1)):
            assert short.counts[short.values == value] == counts[value]


@pytest.mark.parametrize("inputs", [[0, 1, 2], [0, 2]])
def test_sums_of_blocks_add_up(rng, inputs):
    X, y = rng.normal(size=(400, 3)), rng.normal(size=400)
    weight = rng.uniform(0.2, 3.0, 400)
    rows, domains = standardised(X, y, weight / weight.mean())
    structures = grow_at_random(rng, domains[inputs], 3, 2)
    standard = Standard(measure_scale(X), measure_scale(y), float(weight.mean()))
    job = SumsJob(tuple(structures), np.array(inputs), standard)
    totals = reduce(add_sums, [sum_rows(block, job) for block in blocks_of(X, y, 0, 100, 110, weight=weight)])
    own = rows.with_inputs(np.array(inputs))
    for structure, total in zip(structures, totals, strict=True):
        expected = Sums.over(own, degrees_of(structure, own))
        for field in fields(Sums):
            np.testing.assert_allclose(getattr(total, field.name), getattr(expected, field.name), atol=1e-9)


def test_structures_beyond_the_limit_of_a_pass_wait(rng, monkeypatch):
    structures = grow_at_random(rng, np.array([[0.0, 1.0]] * 2), 3)
    assert within_limit(structures, [2, 0, 1, 3]) == [2, 0, 1, 3]
    # They have 9, 3, 6 and 12 terms.
    for limit, wanted in ((81 + 9 + 36, [2, 0, 1]), (81 + 9 + 35, [2, 0]), (1, [2])):
        monkeypatch.setattr(distributed_growth, "_MAX_NUMBERS", limit)
        assert within_limit(structures, [2, 0, 1, 3]) == wanted


@pytest.mark.parametrize("t_norm", ["product", "minimum"])
def test_a_chromosome_is_worth_the_same_from_sums_of_parts(rng, t_norm):
    task = make_task(t_norm=t_norm)
    settings, n_inputs = ElasticNetSettings(1e-3, 0.5), task.space.n_inputs
    for one in initial_population(task.space, 12, rng):
        genes = one.granularities, one.displacements
        inputs, labels, examples = partial_sums.rules_of(
            *genes, task.space.arrays, task.examples.arrays, task.max_rules
        )
        expected = evaluation.learn(
            *genes, task.space.arrays, task.examples.arrays, task.scored.arrays, settings.numbers, task.max_rules
        )
        assert (inputs.tolist(), labels.tolist()) == (expected[0].tolist(), expected[1].tolist())
        sums = np.zeros(partial_sums.n_sums(len(labels), n_inputs))
        # An example a rule gives the same rules as all of them.
        few = task.examples.take(examples)
        errors = uncovered = 0
        for part in (np.arange(0, 100), np.arange(100, 300)):
            rows = task.scored.take(part)
            partial_sums.add_sums(*genes, task.space.arrays, few.arrays, rows.arrays, task.max_rules, sums)
            error, missed = partial_sums.score_sums(
                *genes, task.space.arrays, few.arrays, rows.arrays, task.max_rules, expected[2]
            )
            errors, uncovered = errors + error, uncovered + missed
        coefficients, results = partial_sums.solve_sums(sums, len(labels), n_inputs, settings.numbers)
        np.testing.assert_allclose(coefficients, expected[2], atol=1e-9)
        np.testing.assert_allclose(results[:3], expected[3][:3], atol=1e-9)
        fitted = evaluation.evaluate(
            one.granularities[None], one.displacements[None], task.space.arrays, task.examples.arrays,
            task.scored.arrays, task.scored.arrays, settings.numbers, task.max_rules,
        )  # fmt: skip
        assert errors / 300 == pytest.approx(fitted[0, 0], rel=1e-9)
        assert uncovered == fitted[0, 3]


def test_rules_beyond_the_most_are_none(rng):
    task = make_task()
    one = max(initial_population(task.space, 20, rng), key=lambda c: int(np.prod(c.granularities)))
    assert (
        partial_sums.rules_of(one.granularities, one.displacements, task.space.arrays, task.examples.arrays, 2) is None
    )


def test_sums_of_other_rules_are_refused(rng):
    task = make_task()
    [one] = initial_population(task.space, 1, rng)
    genes = one.granularities, one.displacements
    with pytest.raises(ValueError, match="not those of"):
        partial_sums.add_sums(
            *genes, task.space.arrays, task.examples.arrays, task.scored.arrays, task.max_rules, np.zeros(7)
        )
    with pytest.raises(ValueError, match="not those of"):
        partial_sums.solve_sums(np.zeros(7), 3, task.space.n_inputs, ElasticNetSettings(1e-3, 0.5).numbers)
    with pytest.raises(ValueError, match="not those of"):
        partial_sums.score_sums(
            *genes,
            task.space.arrays,
            task.examples.arrays,
            task.scored.arrays,
            task.max_rules,
            np.zeros((99, task.space.n_inputs + 1)),
        )
