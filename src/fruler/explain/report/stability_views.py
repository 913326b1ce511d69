"""What the template shows of stability: how often splits, rules and inputs came back in the refits."""

from __future__ import annotations

from dataclasses import dataclass

from fruler._wording import percent, with_minus
from fruler.explain.stability.sentences import came_back, middle_half, overview
from fruler.explain.stability.stability import SplitStability, Stability


@dataclass(frozen=True)
class SplitView:
    """A split, how often it came back, as a share and in words, and where."""

    input: str
    where: str
    below: str
    share: float
    returned: str
    places: str


@dataclass(frozen=True)
class UseView:
    """An input, and in how many refits it is used: in conditions, by a curve, and at all."""

    input: str
    used: bool
    in_conditions: int
    with_curve: int
    at_all: int


@dataclass(frozen=True)
class StabilityView:
    """The stability of a model; the rules are in their order."""

    n_refits: int
    overview: str
    rules: list[str]
    splits: list[SplitView]
    inputs: list[UseView]
    has_curves: bool


def stability_view(stability: Stability) -> StabilityView:
    """Return what a page shows of a model's stability; of the inputs, those that any model uses."""
    n = stability.n_refits
    rules = [came_back(int(rule.came_back.sum()), n) for rule in stability.rule_stabilities]
    inputs = [
        UseView(name, own.at_all, *(sum(use[k] for use in others) for k in range(len(own))))
        for name, (own, *others) in stability.uses.items()
        if own.at_all or any(use.at_all for use in others)
    ]
    return StabilityView(
        n,
        with_minus(" ".join(overview(stability))),
        rules,
        [_split_view(stability, split) for split in stability.split_stabilities],
        sorted(inputs, key=lambda use: (-use.in_conditions, -use.at_all)),
        any(use.with_curve for use in inputs),
    )


def _split_view(stability: Stability, split: SplitStability) -> SplitView:
    times = int(split.came_back.sum())
    return SplitView(
        split.input,
        with_minus(split.text),
        percent(split.below),
        times / stability.n_refits,
        f"{times} of {stability.n_refits}",
        with_minus(middle_half(stability, split)),
    )
