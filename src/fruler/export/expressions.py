"""Expressions that most languages read: the outputs of rules, and what curves add."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fruler.export.plan import CurvePlan


def linear(intercept: float, slopes: Mapping[str, float], number: Callable[[float], str] = repr) -> str:
    """Return a linear expression that most languages read.

    Parameters
    ----------
    intercept : float
        The constant.
    slopes : mapping of str to float
        Slopes by the identifier that they are multiplied with.
    number : callable, default=repr
        Writes a number.

    Examples
    --------
    >>> linear(25.0, {"a": -1.0, "b": 0.5})
    '25.0 - 1.0 * a + 0.5 * b'
    """
    terms = (f" {'-' if slope < 0.0 else '+'} {number(abs(slope))} * {name}" for name, slope in slopes.items())
    return number(intercept) + "".join(terms)


def curve_expression(curve: CurvePlan, name: str, shares: Sequence[str], number: Callable[[float], str] = repr) -> str:
    """Return what a curve adds as an expression that most languages read.

    Parameters
    ----------
    curve : CurvePlan
        The curve.
    name : str
        The identifier of its input.
    shares : sequence of str
        Expressions of how far a row lies above each of its split points.
    number : callable, default=repr
        Writes a number.

    Examples
    --------
    >>> curve_expression(CurvePlan(0, (0,), ((-5.0, 1.0), (10.0, -1.0))), "age", ["over"])
    '-5.0 + 1.0 * age + over * (10.0 - 1.0 * age)'
    """
    first, *steps = [linear(start, {name: slope} if slope else {}, number) for start, slope in curve.lines]
    return first + "".join(f" + {share} * ({step})" for share, step in zip(shares, steps, strict=True))
