"""The frozen rule base: everything that predicts, prints, plots or ships a model reads this and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.kernels import inference
from fruler.rules.partition import Labels, Partition
from fruler.rules.summary import TrainingSummary
from fruler.table.validation import number_table

if TYPE_CHECKING:
    from fruler.explain.explanation import Explanation

TNorm = Literal["product", "minimum"]
T_NORMS: tuple[TNorm, ...] = ("product", "minimum")  # in the order of the kernel's codes


@dataclass(frozen=True)
class Variable:
    """An input: its name, its unit if any, and its partition into labels."""

    name: str
    partition: Partition
    unit: str = ""


@dataclass(frozen=True)
class Rule:
    """One rule, spelled out.

    Attributes
    ----------
    antecedent : dict of str to tuple of str
        For each input that the rule looks at, the labels that it accepts.
    intercept : float
        The constant of the linear output.
    coefficients : dict of str to float
        The other terms, in the data's own units; those that are zero are left out.
    """

    antecedent: dict[str, tuple[str, ...]]
    intercept: float
    coefficients: dict[str, float]


@dataclass(frozen=True, eq=False)
class RuleBase:
    """TSK-1 fuzzy rules: "if x1 is low and x2 is high then y = a + b·x1 + ...".

    The output of a row is the mean of the rules' linear outputs, weighted by how well the row fits each antecedent.
    Where it fits none, the rule whose labels are nearest answers.

    Parameters
    ----------
    variables : sequence of Variable
        The inputs, in the order of the columns.
    antecedents : array-like of int, shape (n_rules, n_inputs, 2)
        The first and the last label that a rule accepts of each input, both included. All of an input's labels:
        the rule does not look at it. A range of a nominal input's labels is a set of them like any other.
    consequents : array-like of float, shape (n_rules, n_inputs + 1)
        Intercept and coefficients of each rule, in the data's own units.
    t_norm : {"product", "minimum"}, default="product"
        How the degrees of an antecedent's parts are joined.
    target_name, target_unit : str
        What is predicted.
    support : array-like of float, shape (n_rules,), optional
        Each rule's mean weight in the predictions of the training rows.
    training : TrainingSummary, optional
        A few figures of the training data, which explanations refer to.

    Examples
    --------
    >>> from fruler import FuzzyPartition, RuleBase
    >>> from fruler.rules import Variable
    >>> heat = RuleBase(
    ...     [Variable("temperature", FuzzyPartition([15.0], domain=(0.0, 30.0)), unit="°C")],
    ...     antecedents=[[[0, 0]], [[1, 1]]],
    ...     consequents=[[20.0, -1.0], [5.0, 0.0]],
    ...     target_name="heating",
    ... )
    >>> heat.predict([[0.0], [15.0], [30.0]]).tolist()
    [20.0, 5.0, 5.0]
    >>> heat.rules[0]
    Rule(antecedent={'temperature': ('low',)}, intercept=20.0, coefficients={'temperature': -1.0})
    """

    variables: tuple[Variable, ...]
    antecedents: npt.NDArray[np.intc]
    consequents: Floats
    t_norm: TNorm = "product"
    target_name: str = "y"
    target_unit: str = ""
    support: Floats | None = None
    training: TrainingSummary | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.variables))
        object.__setattr__(self, "antecedents", _whole_numbers(self.antecedents))
        # Adding zero turns a negative zero into a positive one, so that equal rule bases have equal hashes.
        object.__setattr__(self, "consequents", _frozen(np.asarray(self.consequents, dtype=np.float64) + 0.0))
        if self.support is not None:
            object.__setattr__(self, "support", _frozen(self.support, np.float64))
        self._check()

    def _check(self) -> None:
        if not all(isinstance(variable, Variable) for variable in self.variables):
            raise ValueError("variables must be Variable objects: Variable(name, partition).")
        p, m = len(self.variables), len(self.consequents) if self.consequents.ndim else 0
        names = [variable.name for variable in self.variables]
        if p == 0 or m == 0:
            raise ValueError("A rule base needs at least one input and one rule.")
        if not all(isinstance(name, str) and name for name in names):
            raise ValueError(f"Inputs must have names; got {names!r}.")
        if len(set(names)) < p:
            raise ValueError(f"Inputs must have distinct names; got {', '.join(names)}.")
        if self.antecedents.shape != (m, p, 2) or self.consequents.shape != (m, p + 1):
            raise ValueError(
                f"{m} rules over {p} inputs need antecedents of shape {(m, p, 2)} and consequents of shape "
                f"{(m, p + 1)}; got {self.antecedents.shape} and {self.consequents.shape}."
            )
        if not np.isfinite(self.consequents).all():
            raise ValueError("Consequents must be finite numbers.")
        first, last = self.antecedents[:, :, 0], self.antecedents[:, :, 1]
        wrong = (first < 0) | (first > last) | (last >= self.granularities)
        if wrong.any():
            rule, j = (int(i) for i in np.argwhere(wrong)[0])
            raise ValueError(
                f"Rule {rule} accepts the labels {first[rule, j]} to {last[rule, j]} of {names[j]!r}, "
                f"which has the labels 0 to {self.granularities[j] - 1}."
            )
        if self.support is not None and (
            self.support.shape != (m,) or not np.isfinite(self.support).all() or (self.support < 0.0).any()
        ):
            raise ValueError(f"support must have one number, not negative, for each of the {m} rules.")
        if self.training is not None and (len(self.training.low), len(self.training.rule_importance)) != (p, m):
            raise ValueError(f"The training summary must be of {p} inputs and {m} rules.")
        if self.t_norm not in T_NORMS:
            raise ValueError(f"t_norm must be one of {', '.join(T_NORMS)}; got {self.t_norm!r}.")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleBase):
            return NotImplemented
        return (
            self.variables == other.variables
            and np.array_equal(self.antecedents, other.antecedents)
            and np.array_equal(self.consequents, other.consequents)
            and np.array_equal(self._support_or_nothing, other._support_or_nothing)
            and (self.t_norm, self.target_name, self.target_unit, self.training)
            == (other.t_norm, other.target_name, other.target_unit, other.training)
        )

    @property
    def _support_or_nothing(self) -> Floats:
        return np.empty(0) if self.support is None else self.support

    def __hash__(self) -> int:
        return hash((self.variables, self.antecedents.tobytes(), self.consequents.tobytes(), self.t_norm))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return RuleBase, tuple(getattr(self, field.name) for field in fields(self))

    def __str__(self) -> str:
        from fruler.explain.text import rules_text  # the printer reads the model, not the other way round

        return rules_text(self)

    def _repr_html_(self) -> str:
        from fruler.explain.report.notebook import rules_html

        return rules_html(self)

    def __repr__(self) -> str:
        return f"<RuleBase: {self.n_rules} rules over {len(self.variables)} inputs for {self.target_name!r}>"

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.consequents)

    @cached_property
    def granularities(self) -> npt.NDArray[np.intc]:
        """The number of labels of each input."""
        return _frozen([variable.partition.n_labels for variable in self.variables], np.intc)

    @cached_property
    def looks_at(self) -> npt.NDArray[np.bool_]:
        """Which rule looks at which input in its antecedent, shape (n_rules, n_inputs)."""
        all_labels = (self.antecedents[:, :, 0] == 0) & (self.antecedents[:, :, 1] == self.granularities - 1)
        return _frozen(~all_labels, np.bool_)

    @cached_property
    def uses(self) -> npt.NDArray[np.bool_]:
        """Which inputs the rules use at all, in a condition or with a slope, shape (n_inputs,)."""
        return _frozen(self.looks_at.any(axis=0) | (self.consequents[:, 1:] != 0.0).any(axis=0), np.bool_)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, spelled out with the names of inputs and labels."""
        return tuple(self._spell(rule) for rule in range(self.n_rules))

    def _spell(self, rule: int) -> Rule:
        antecedent = {}
        for j in np.flatnonzero(self.looks_at[rule]):
            first, last = self.antecedents[rule, j]
            variable = self.variables[j]
            antecedent[variable.name] = variable.partition.labels[first : last + 1]
        intercept, *slopes = self.consequents[rule].tolist()
        terms = {variable.name: slope for variable, slope in zip(self.variables, slopes, strict=True) if slope != 0.0}
        return Rule(antecedent, intercept, terms)

    def predict(self, X: Any, *, compiled: bool = True) -> Floats:
        """Predict the output of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_inputs)
            Finite values: an array in the order of `variables`, or a data frame with columns of these names.
        compiled : bool, default=True
            Whether to use the compiled kernel; plain NumPy gives the same within rounding.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions.
        """
        values = number_table(X, [variable.name for variable in self.variables])
        if not compiled:
            outputs = values @ self.consequents[:, 1:].T + self.consequents[:, 0]
            return np.asarray((self._activate_numpy(values)[0] * outputs).sum(axis=1))
        lower, upper = self._placed(values)
        labels, ordered, t_norm = self._kernel_rules
        return inference.predict(values, lower, upper, labels, ordered, t_norm, self.consequents)

    def activations(self, X: Any, *, compiled: bool = True) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return each rule's weight in the output of each row, and whether any rule fired at all.

        Returns
        -------
        activations : ndarray of shape (n_samples, n_rules)
            Normalised: a row's weights sum to one.
        fired : ndarray of shape (n_samples,)
            False where no rule fits and the nearest one stands in with weight one.
        """
        values = number_table(X, [variable.name for variable in self.variables])
        if not compiled:
            return self._activate_numpy(values)
        lower, upper = self._placed(values)
        return inference.activate(lower, upper, *self._kernel_rules)

    def explain(self, X: Any) -> Explanation:
        """Tell why each row is predicted as it is: the rules that fired, what each input adds, and its labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_inputs)
            The rows.

        Returns
        -------
        Explanation
            Of all rows; printing it gives sentences.
        """
        from fruler.explain.explanation import explain_rows

        return explain_rows(self, X)

    def to_markdown(self, *, digits: int = 3) -> str:
        """Return the rules as a table in Markdown, with coefficients of so many digits that matter."""
        from fruler.export.markdown import export

        return export(self, digits=digits)

    def to_latex(self, *, digits: int = 3, caption: str | None = None, label: str | None = None) -> str:
        """Return the rules as a LaTeX table for a paper; the document needs the package booktabs."""
        from fruler.export.latex import export

        return export(self, digits=digits, caption=caption, label=label)

    def with_training(self, X: Any, y: Any) -> RuleBase:
        """Return the rule base with a summary of training data, which explanations and importances refer to.

        A learned rule base has one; one that was written by hand gets it here.
        """
        from fruler.rules.measurement import summarise

        values = number_table(X, [variable.name for variable in self.variables])
        target = np.asarray(y, dtype=np.float64).reshape(-1)
        if len(target) != len(values) or not np.isfinite(target).all():
            raise ValueError(f"y must have a finite number for each of the {len(values)} rows of X.")
        return replace(self, training=summarise(self, values, target), support=self.activations(values)[0].mean(axis=0))

    def with_labels(self, labels: Mapping[str, Mapping[str, str] | Sequence[str]]) -> RuleBase:
        """Return the rule base with other label names for some inputs, e.g. ``{"age": {"low": "young"}}``."""
        self._require_names(labels)
        variables = (
            replace(variable, partition=variable.partition.renamed(labels[variable.name]))
            if variable.name in labels
            else variable
            for variable in self.variables
        )
        return replace(self, variables=tuple(variables))

    def with_units(self, units: Mapping[str, str]) -> RuleBase:
        """Return the rule base with units for some inputs, or for the target by its name."""
        self._require_names([name for name in units if name != self.target_name])
        variables = (replace(variable, unit=units.get(variable.name, variable.unit)) for variable in self.variables)
        return replace(self, variables=tuple(variables), target_unit=units.get(self.target_name, self.target_unit))

    def named_like(self, other: RuleBase) -> RuleBase:
        """Return the rule base with the units and label names of another one over the same inputs.

        A label takes the name that the other rule base gives to the label of the same default name: "low" becomes
        "cold", however many labels either has.
        """
        others = {variable.name: variable for variable in other.variables}
        variables = []
        for variable in self.variables:
            like = others.get(variable.name)
            if like is not None:
                defaults = like.partition.default_labels
                names = dict(zip(defaults, like.partition.labels, strict=True))
                labels = [names.get(label, label) for label in variable.partition.labels]
                variable = replace(variable, partition=variable.partition.renamed(labels), unit=like.unit)
            variables.append(variable)
        return replace(self, variables=tuple(variables), target_unit=other.target_unit)

    def _require_names(self, names: Mapping[str, Any] | Sequence[str]) -> None:
        known = [variable.name for variable in self.variables]
        for name in names:
            if name not in known:
                raise ValueError(f"There is no input {name!r}; the inputs are {', '.join(known)}.")

    @cached_property
    def antecedent_inputs(self) -> npt.NDArray[np.intp]:
        """The inputs that any antecedent looks at; the others only take part in the consequents."""
        return np.flatnonzero(self.looks_at.any(axis=0))

    @cached_property
    def _kernel_rules(self) -> tuple[npt.NDArray[np.intc], npt.NDArray[np.uint8], int]:
        labels = np.where(self.looks_at[:, :, None], self.antecedents, -1)[:, self.antecedent_inputs]
        ordered = [self.variables[j].partition.ordered for j in self.antecedent_inputs]
        return (
            np.ascontiguousarray(labels, dtype=np.intc),
            np.asarray(ordered, dtype=np.uint8),
            T_NORMS.index(self.t_norm),
        )

    def _placed(self, values: Floats) -> tuple[Labels, Floats]:
        lower = np.empty((len(values), len(self.antecedent_inputs)), dtype=np.intc)
        upper = np.empty(lower.shape)
        for k, j in enumerate(self.antecedent_inputs):
            lower[:, k], upper[:, k] = self.variables[j].partition.place(values[:, j])
        return lower, upper

    def _activate_numpy(self, values: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
        n, m = len(values), self.n_rules
        degrees = np.ones((n, m))
        steps = np.zeros((n, m))
        join = np.multiply if self.t_norm == "product" else np.minimum
        for j in self.antecedent_inputs:
            partition = self.variables[j].partition
            lower, upper = partition.place(values[:, j])
            table = partition.degrees(values[:, j])
            place = lower + upper
            for rule in np.flatnonzero(self.looks_at[:, j]):
                first, last = self.antecedents[rule, j]
                degrees[:, rule] = join(degrees[:, rule], table[:, first : last + 1].sum(axis=1))
                away = np.maximum(np.maximum(first - place, place - last), 0.0)
                steps[:, rule] += away if partition.ordered else away > 0.0
        total = degrees.sum(axis=1, keepdims=True)
        fired = total[:, 0] > 0.0
        nearest = np.zeros((n, m))
        nearest[np.arange(n), steps.argmin(axis=1)] = 1.0
        return np.divide(degrees, total, out=nearest, where=fired[:, None]), fired


def _frozen(values: Any, dtype: Any = None) -> npt.NDArray[Any]:
    array = np.array(values, dtype=dtype, order="C")
    array.flags.writeable = False
    return array


def _whole_numbers(values: Any) -> npt.NDArray[np.intc]:
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iu" and not (numbers.dtype.kind == "f" and (numbers == np.floor(numbers)).all()):
        raise ValueError("antecedents must be whole numbers: the first and the last label accepted.")
    if (np.abs(numbers) > np.iinfo(np.intc).max).any():
        raise ValueError("antecedents must be numbers of labels, which are small.")
    return _frozen(numbers, np.intc)
