"""Nested splits against least squares and against an exhaustive search."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._kernels import discretization


def line_error(x, y, w):
    """Weighted squared error of the least squares line, by QR."""
    root = np.sqrt(w)
    x = (x - x.mean()) / max(np.ptp(x), 1e-300)  # the error does not depend on the unit of x, rounding does
    design = np.column_stack([np.ones_like(x), x]) * root[:, None]
    solution = np.linalg.lstsq(design, y * root, rcond=None)[0]
    return float(np.square(root * y - design @ solution).sum())


def split_column(x, y, w=None, *, min_rows=5, free_splits=1.0, floor=1e-300, printed=False, errors=(False, False)):
    w = np.ones(len(x)) if w is None else w
    order = np.argsort(x, kind="stable")[None, :]
    charges = min_rows, free_splits, floor, printed
    [(found, criteria)] = discretization.split_columns(x[None, :], order, y, w, *charges, *errors)
    return np.sort(x), found, criteria


def error_of(criterion, granularity, n, weight, free_splits=1.0):
    """The squared error that a BIC stands for, of rows with some weight in all."""
    penalty = max(granularity - free_splits, 1.0) * 2.0 * np.log(n)
    return weight * np.exp((criterion - penalty) / n)


def parts_of(x, splits, printed):
    """The rows in each interval; printed ones are open, others half-open."""
    edges = [x.min(), *sorted(splits), x.max()] if printed else [-np.inf, *sorted(splits), np.inf]
    pairs = itertools.pairwise(edges)
    return [(x > a) & (x < b) if printed else (x >= a) & (x < b) for a, b in pairs]


def total_error(x, y, w, splits, printed):
    """The squared error over the rows that count, and their weight; of the whole input all rows count."""
    parts = parts_of(x, splits, printed) if len(splits) else [np.ones(len(x), dtype=bool)]
    return sum(line_error(x[part], y[part], w[part]) for part in parts), sum(w[part].sum() for part in parts)


def candidates_of(x, part, min_rows, printed):
    """The values at which an interval may be split, with the rows at both sides."""
    for c in np.unique(x[part]):
        left, right = part & (x < c), part & ((x > c) if printed else (x >= c))
        if min(left.sum(), right.sum()) >= min_rows and min(len(np.unique(x[s])) for s in (left, right)) > 1:
            yield c, left, right


def split_by_the_book(x, y, w, printed, min_rows=5, errors=(False, False)):
    """What the kernel does, value by value and line by line; the splits in the order of their finding, and all BICs."""
    n, splits, best, idle = len(x), [], 0, 0

    def criterion():
        error, weight = total_error(x, y, w, splits, printed)
        mean = max(error, 1e-300) / weight
        if errors[1] and splits:
            mean = sum(line_error(x[part], y[part], w[part]) / w[part].sum() for part in parts_of(x, splits, printed))
        return n * np.log(mean) + max(len(splits), 1) * 2 * np.log(n)

    criteria = [criterion()]
    while idle <= np.sqrt(n / (min_rows * (best + 1))):
        merits = {}
        for part in parts_of(x, splits, printed):
            after = {
                c: sum(line_error(x[side], y[side], w[side]) * (side.sum() if errors[0] else 1) for side in sides)
                for c, *sides in candidates_of(x, part, min_rows, printed)
            }
            if after:
                c = min(after, key=after.get)
                merits[c] = after[c] / w[part].sum() if printed else after[c] - line_error(x[part], y[part], w[part])
        if not merits:
            break
        splits.append(min(merits, key=merits.get))
        criteria.append(criterion())
        idle += 1
        if criteria[-1] < criteria[best]:
            best, idle = len(splits), 0
    return splits[:best], criteria


@st.composite
def columns(draw):
    n = draw(st.integers(10, 120))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = rng.normal(size=n) if draw(st.booleans()) else rng.integers(0, draw(st.integers(1, 30)), n).astype(float)
    x = x * 10.0 ** draw(st.integers(-9, 12)) + draw(st.sampled_from([0.0, 1.0, 1e3]))
    if draw(st.booleans()):
        x[0] = draw(st.sampled_from([-1e15, 9_999_999.0, 1e12]))  # as a code for "missing" may do
    y = rng.normal(size=n) + draw(st.floats(0, 5)) * np.sign(rng.normal(size=n) + np.argsort(np.argsort(x)) - n / 2)
    w = rng.uniform(0.1, 3.0, n) if draw(st.booleans()) else np.ones(n)
    return x, y, w


@pytest.mark.parametrize("printed", [False, True])
@given(column=columns())
def test_errors_equal_least_squares(printed, column):
    x, y, w = column
    x_sorted, found, criteria = split_column(x, y, w, printed=printed)
    scale = (w * np.square(y - np.average(y, weights=w))).sum()
    for granularity in range(1, len(found) + 2):
        error, weight = total_error(x, y, w, x_sorted[found[: granularity - 1]], printed)
        assert error_of(criteria[granularity - 1], granularity, len(x), weight) == pytest.approx(
            error, rel=1e-7, abs=1e-9 * scale
        )


@pytest.mark.parametrize("printed", [False, True])
@given(column=columns())
def test_the_first_split_is_the_best_of_all(printed, column):
    x, y, w = column
    _, _, criteria = split_column(x, y, w, printed=printed)
    [whole] = parts_of(x, [], printed)
    candidates = list(candidates_of(x, whole, 5, printed))
    if not candidates:
        assert len(criteria) == 1
        return
    errors = [line_error(x[a], y[a], w[a]) + line_error(x[b], y[b], w[b]) for _, a, b in candidates]
    _, left, right = candidates[int(np.argmin(errors))]
    scale = (w * np.square(y - np.average(y, weights=w))).sum()
    # Of two splits that are equally good, rows of other weights may count.
    close = sorted(errors)[: 2 if len(errors) > 1 else 1]
    if len(close) == 1 or close[1] > close[0] + 1e-6 * scale:
        weight = w[left].sum() + w[right].sum()
        assert error_of(criteria[1], 2, len(x), weight) == pytest.approx(min(errors), rel=1e-7, abs=1e-9 * scale)


@pytest.mark.parametrize(
    ("printed", "errors"),
    # A gain has no LinearError.
    [
        (False, (False, False)),
        (False, (False, True)),
        (True, (False, False)),
        (True, (False, True)),
        (True, (True, False)),
    ],
)
@pytest.mark.parametrize("n_values", [4, 7, 12, 40, None])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_splits_are_those_of_the_book(printed, n_values, weighted, errors):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=150) if n_values is None else rng.integers(0, n_values, 150) / n_values
        y = np.sin(7 * x) + (x > 0.6) + 0.1 * rng.normal(size=150)
        w = rng.uniform(0.5, 2.0, 150) if weighted else np.ones(150)
        expected, known = split_by_the_book(x, y, w, printed, errors=errors)
        x_sorted, found, criteria = split_column(x, y, w, printed=printed, errors=errors)
        np.testing.assert_array_equal(x_sorted[found], expected)
        np.testing.assert_allclose(criteria, known, rtol=1e-9)
        # Seven values are the fewest that a printed split needs: two at each side, two ends, and its own.
        assert (len(criteria) > 1) == (n_values is None or n_values >= (7 if printed else 4))


@pytest.mark.parametrize("printed", [False, True])
@given(column=columns())
def test_every_side_has_rows_and_values_enough(printed, column):
    x, y, w = column
    # Nothing is charged: as many splits as there can be.
    x_sorted, found, _ = split_column(x, y, w, free_splits=100.0, printed=printed)
    splits = x_sorted[found]
    for k in found:
        assert x_sorted[k - 1] < x_sorted[k]
    for part in parts_of(x, splits, printed):
        if len(found):
            assert part.sum() >= 5
            assert len(np.unique(x[part])) > 1
            assert all(x.min() < split < x.max() for split in splits)


def test_bic_ends_the_splits_at_its_minimum():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 3, 600))
    y = np.select([x < 1, x < 2], [0.0, 9.0 + x], 3.0 - x) + 0.01 * rng.normal(size=600)
    x_sorted, found, criteria = split_column(x, y, min_rows=30)
    assert len(found) + 1 == np.argmin(criteria) + 1 == 3
    np.testing.assert_allclose(np.sort(x_sorted[found]), [1.0, 2.0], atol=0.05)


def test_the_free_first_split_changes_only_what_is_charged():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(size=300), rng.normal(size=300)
    _, _, printed = split_column(x, y, min_rows=30)
    _, _, full = split_column(x, y, min_rows=30, free_splits=0.0)
    common = min(len(printed), len(full))
    assert common > 2
    charged_more = (full[:common] - printed[:common]) / (2.0 * np.log(300))
    np.testing.assert_allclose(charged_more, [0.0, *[1.0] * (common - 1)], atol=1e-9)
