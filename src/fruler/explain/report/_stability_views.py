"""The stability of a model for the template: how often splits, rules and inputs came back in the refits."""

from __future__ import annotations

from fruler._wording import percent, with_minus
from fruler.explain.report._reference import View
from fruler.explain.stability import SplitStability, Stability, came_back, middle_half, overview, used_inputs


def stability_view(stability: Stability) -> View:
    """Return the stability of a model for the page, with the inputs that any refit or the model uses."""
    inputs = used_inputs(stability)
    return {
        "n_refits": stability.n_refits,
        "overview": with_minus(" ".join(overview(stability))),
        "rules": [came_back(int(rule.came_back.sum()), stability.n_refits) for rule in stability.rule_stabilities],
        "splits": [_split_view(stability, split) for split in stability.split_stabilities],
        "inputs": list(inputs.itertuples()),
        "has_curves": bool(inputs["refits_with_curve"].any()),
    }


def _split_view(stability: Stability, split: SplitStability) -> View:
    times = int(split.came_back.sum())
    return {
        "input": split.input,
        "where": with_minus(split.text),
        "below": percent(split.below),
        "share": times / stability.n_refits,
        "returned": f"{times} of {stability.n_refits}",
        "places": with_minus(middle_half(stability, split)),
    }
