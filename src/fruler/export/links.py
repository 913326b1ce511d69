"""What links and bounds are in code: one table, and the numbers that every language needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fruler.rules.links import LinkName
from fruler.rules.output import Output


@dataclass(frozen=True)
class LinkCode:
    """How languages write the function of a link; ``{}`` stands for what the rules say.

    Attributes
    ----------
    python, c, sql : str
        Expressions.
    onnx : str
        An operator; none where there is nothing to do.
    """

    python: str
    c: str
    sql: str
    onnx: str


LINKS: dict[LinkName, LinkCode] = {
    "identity": LinkCode("{}", "{}", "{}", ""),
    "log": LinkCode("math.exp({})", "exp({})", "EXP({})", "Exp"),
}


@dataclass(frozen=True)
class End:
    """From where on, in what the rules say, the prediction is always the same."""

    raw: float
    target: float


@dataclass(frozen=True)
class OutputPlan:
    """The last step of a prediction: a function, and its ends.

    Attributes
    ----------
    code : LinkCode
        How languages write the function.
    lowest, highest : End or None
        What is said at or beyond these gives one and the same prediction; None where there is no end.
    """

    code: LinkCode
    lowest: End | None
    highest: End | None


def make_output_plan(output: Output, reach: float = math.inf) -> OutputPlan | None:
    """Return the last step of predictions; None where there is nothing to do.

    Parameters
    ----------
    output : Output
        That of the rule base.
    reach : float, optional
        What is farther from zero counts as this, where numbers are too short for the link's own reach.

    Examples
    --------
    >>> plan = make_output_plan(Output("log", (None, 100.0)))
    >>> plan.code.python.format("raw"), plan.lowest.raw, round(plan.highest.raw, 4), plan.highest.target
    ('math.exp(raw)', -345.0, 4.6052, 100.0)
    """
    if output.is_plain:
        return None
    ends: list[End | None] = []
    farthest = math.inf if output.transform.keeps_units else min(output.transform.reach, reach)
    for bound, raw, limit in zip(output.bounds, output.raw_bounds, (-farthest, farthest), strict=True):
        if bound is not None and abs(raw) <= farthest:
            ends.append(End(raw, bound))
        else:
            ends.append(None if math.isinf(limit) else End(limit, float(output.of(np.array(limit)))))
    return OutputPlan(LINKS[output.link], *ends)
