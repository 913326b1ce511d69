"""What a picture is made from: the rule base of a model, an input of it, its range and its histogram."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from fruler._typing import Floats
from fruler.explain.plots.choices import histogram_edges
from fruler.rules.partitions import Partition
from fruler.rules.rule_base import RuleBase
from fruler.rules.summary import N_BINS


def rule_base_of(model: Any) -> RuleBase:
    """Return the rule base of a fitted estimator, or the rule base itself."""
    if isinstance(model, RuleBase):
        return model
    rule_base = getattr(model, "rule_base_", None)
    if isinstance(rule_base, RuleBase):
        return rule_base
    require_regressor(model)
    raise NotFittedError(f"This {type(model).__name__} has no rules to draw yet; call fit(X, y) first.")


def require_regressor(model: Any) -> None:
    """Refuse what is no estimator with rules."""
    if isinstance(model, type) or not hasattr(type(model), "with_rules"):
        raise ValueError(f"A fitted estimator of rules or its rule base is needed; got {_kind(model)}.")


def table_of(model: Any, attribute: str, what: str) -> Any:
    """Return a table that a search has left in an estimator, or say why there is none."""
    require_regressor(model)
    rule_base_of(model)
    table = getattr(model, attribute, None)
    if table is None or not len(table):
        raise ValueError(
            f"This model knows no {what} ({attribute}), as one that was loaded from a file; fit it again to draw it."
        )
    return table


def rows_of(model: Any, X: Any) -> Floats:
    """Return rows as a model takes them."""
    return rule_base_of(model).inputs_of(X)


def input_number(names: list[str], feature: int | str) -> int:
    """Return the place of an input that is given by its name or its number."""
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    if not isinstance(feature, str | bool) and feature in range(len(names)):
        return int(feature)
    raise ValueError(f"There is no input {feature!r}; the inputs are 0 to {len(names) - 1}: {', '.join(names)}.")


def input_names(rule_base: RuleBase) -> list[str]:
    """Return the names of the inputs."""
    return list(rule_base.names)


def drawn_range(partition: Partition, edges: Floats | None) -> tuple[float, float]:
    """Return the range of an axis: all of the partition and of the data, and never empty."""
    low, high = partition.range
    if edges is not None:
        low, high = min(low, float(edges[0])), max(high, float(edges[-1]))
    if low < high:
        return low, high
    room = max(abs(low) * 0.05, 0.5)
    return low - room, high + room


def histogram_of(rule_base: RuleBase, feature: int, values: Floats | None) -> tuple[Floats, Floats] | None:
    """Return edges and counts of an input's histogram: of some rows, or of the training rows where these are known."""
    if values is not None:
        own = histogram_edges(rule_base.variables[feature])
        counts, edges = np.histogram(values[:, feature], bins=N_BINS if own is None else own)
        return edges, counts.astype(np.float64)
    training = rule_base.training
    if training is None:
        return None
    low, high = float(training.low[feature]), float(training.high[feature])
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, N_BINS + 1), training.histograms[feature]


def _kind(thing: Any) -> str:
    return f"the class {thing.__name__}" if isinstance(thing, type) else f"a {type(thing).__name__}"
