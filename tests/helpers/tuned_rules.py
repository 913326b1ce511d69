"""Rules with triangles of their own, fired and fitted in plain NumPy: what the kernels of tuning are held against."""

import numpy as np

# What distances to a rule are divided by.
WIDTHS = np.array([1.0, 2.0, 0.5])


def draw_problem(rng, n_rows=60, n_rules=9, n_inputs=3, n_values=None):
    """Draw triangles, constants and rows; with few values some rows lie on the corners."""
    X = rng.uniform(size=(n_rows, n_inputs))
    if n_values is not None:
        X = np.round(X * n_values) / n_values
    peaks = rng.integers(0, 3, (n_rules, n_inputs)) / 2.0
    left = peaks - 0.5 * rng.uniform(0.2, 1.4, peaks.shape)
    right = peaks + 0.5 * rng.uniform(0.2, 1.4, peaks.shape)
    triangles = np.stack([left, peaks, right], axis=2)
    y = np.sin(4 * X[:, 0]) + X.sum(axis=1) + 0.1 * rng.normal(size=n_rows)
    weight = rng.uniform(0.5, 1.5, n_rows)
    return triangles, rng.normal(size=n_rules), X, (y - y.mean()) / max(y.std(), 1e-3), weight / weight.mean()


def membership(points, x):
    """Return the degrees of values in a triangle; a vertical side belongs to it."""
    a, b, c = points
    if a <= x <= c and x == b:
        return 1.0
    if x < b:
        return 1.0 if np.isneginf(a) else max(0.0, (x - a) / (b - a)) if b > a else 0.0
    return 1.0 if np.isposinf(c) else max(0.0, (c - x) / (c - b)) if c > b else 0.0


def degrees(triangles, X, t_norm, nearest):
    """Return degrees (rows, rules), not normalised, and how many rows fire none and have their nearest rule instead."""
    join = np.prod if t_norm == "product" else np.min
    table = np.array(
        [
            [join([membership(points, x) for points, x in zip(rule, row, strict=True)]) for rule in triangles]
            for row in X
        ]
    )
    empty = np.flatnonzero(table.sum(axis=1) == 0.0)
    for row in empty:
        table[row, nearest(triangles, X[row])] = 1.0
    return table, len(empty)


def centroid(points, height, n=200_001):
    """Return the centroid of a clipped triangle by summing over a fine grid."""
    a, b, c = points
    grid = np.linspace(a, c, n)
    values = np.minimum(height, np.interp(grid, [a, b, c], [0.0, 1.0, 0.0]))
    return float((grid * values).sum() / values.sum())


def design(table, X):
    """Return the regressors (rows, rules * (inputs + 1)) of normalised degrees and rows with a one before each."""
    terms = np.column_stack([np.ones(len(X)), X])
    shares = table / table.sum(axis=1, keepdims=True)
    return np.einsum("nk,nj->nkj", shares, terms).reshape(len(X), -1)


def kalman(A, y, weight, start, kappa):
    """Run the filter over the rows, one after the other, for static parameters with unit noise."""
    beta, P = start.copy(), kappa * np.eye(len(start))
    for a, target, w in zip(A, y, weight, strict=True):
        gain = P @ a / (1.0 / w + a @ P @ a)
        beta = beta + gain * (target - a @ beta)
        P = P - np.outer(gain, a @ P)
    return beta


def nearest(triangles, row):
    """Return the rule whose peaks are nearest, each input as a share of its width."""
    steps = []
    for rule in triangles:
        total = 0.0
        for (a, b, c), x, width in zip(rule, row, WIDTHS[: len(row)], strict=True):
            if not ((x < b and np.isneginf(a)) or (x > b and np.isposinf(c))):
                total += abs(x - b) / width
        steps.append(total)
    return int(np.argmin(steps))
