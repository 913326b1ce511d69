"""Sums and summaries of blocks, put together, are those of the whole table."""

from dataclasses import fields
from functools import reduce

import numpy as np
import pytest
from helpers.blocks import blocks_of
from helpers.structures import grow_at_random, standardised

from fruler._algorithms.growth.sums import Sums, degrees_of
from fruler._table.rows import measure_scale
from fruler.distributed import _remote_growth as remote_growth
from fruler.distributed._blocks import Standard
from fruler.distributed._remote_growth import SumsJob, add_sums, sum_rows, within_limit
from fruler.distributed._summaries import (
    MAX_BINS,
    Sketch,
    median_of,
    merge_sketches,
    merge_summaries,
    sketch_block,
    summarise_block,
    thinned_sketch,
)


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


def test_a_thinned_sketch_keeps_its_ends_and_all_rows():
    short = thinned_sketch(Sketch(np.arange(10.0), np.full(10, 3.0)), 4)
    assert len(short.values) <= 4
    assert (short.values[0], short.values[-1], short.counts.sum()) == (0.0, 9.0, 30.0)


@pytest.mark.parametrize("most", [4, 16, 100])
def test_a_thinned_sketch_is_never_too_long(rng, most):
    for _ in range(50):
        counts = rng.pareto(0.6, 200).astype(int) + 1.0
        short = thinned_sketch(Sketch(np.arange(200.0), counts), most)
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
        monkeypatch.setattr(remote_growth, "_MAX_NUMBERS", limit)
        assert within_limit(structures, [2, 0, 1, 3]) == wanted
