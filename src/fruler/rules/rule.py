"""One rule of a rule base, spelled out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """One rule, written out with the names of inputs and labels.

    Parameters
    ----------
    antecedent : dict of str to tuple of str
        For each input that the rule has a condition on, the labels that it accepts.
    intercept : float
        The constant of the linear output; for a label of the output, the value that it stands for where the rule fires
        fully.
    coefficients : dict of str to float
        The slopes, in the data's own units, by input; those that are zero are left out.
    label : str or None
        The label of the output, if the rule has one.

    See Also
    --------
    RuleBase.rules : The rules of a rule base.

    Examples
    --------
    >>> Rule({"temperature": ("low",)}, 20.0, {"temperature": -1.0})
    Rule(antecedent={'temperature': ('low',)}, intercept=20.0, coefficients={'temperature': -1.0})
    """

    antecedent: dict[str, tuple[str, ...]]
    intercept: float
    coefficients: dict[str, float]
    label: str | None = None

    def __repr__(self) -> str:
        shown = {name: value for name, value in vars(self).items() if value is not None}
        return f"Rule({', '.join(f'{name}={value!r}' for name, value in shown.items())})"
