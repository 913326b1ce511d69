"""The rule base: rules over named inputs, which predict, explain themselves and change their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Floats, FrozenValue, Indices, frozen
from fruler._table.gaps import Gaps
from fruler._table.rows import kept_marks
from fruler._table.sources import Source
from fruler._wording import counted_rules, require_printable
from fruler.rules._antecedents import T_NORMS, Antecedents, LabelRanges, TNorm
from fruler.rules._background import Background, TrainingSummary
from fruler.rules._consequents import Consequents, LinearConsequents
from fruler.rules._curves import Curve, checked_curves
from fruler.rules._features import Feature, features_of
from fruler.rules._inference import Inference
from fruler.rules._inputs import EXTRAPOLATIONS, Extrapolation, Inputs, Variable, labels_like
from fruler.rules._measurement import marks_of, training_summary
from fruler.rules._output import PLAIN, Output
from fruler.rules._partitions import LARGEST_LIMIT, Partition
from fruler.rules.intervals import Intervals, PredictionIntervals, calibrated_intervals, prediction_intervals

if TYPE_CHECKING:
    from fruler.explain.explanation import Explanation


@dataclass(frozen=True)
class Rule:
    """One rule, spelled out with the names of inputs and labels.

    Parameters
    ----------
    antecedent : dict of str to tuple of str
        The labels that the rule accepts, for each input that it has a condition on.
    intercept : float
        The constant of the linear output; for an output label, its value where the rule fires fully.
    coefficients : dict of str to float
        The slopes, in the data's own units, by input; zero slopes are left out.
    label : str or None
        The output label, if the rule has one.

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


@dataclass(frozen=True, init=False, eq=False)
class RuleBase(FrozenValue):
    """Fuzzy rules: "if x1 is low and x2 is high then y = a + b·x1 + ...", or "then y is high".

    The prediction for a row is the mean of the outputs of the rules, weighted by how well the row fits each antecedent.
    If the row fits no antecedent, the rule with the nearest labels predicts it.

    Parameters
    ----------
    variables : sequence of Variable
        The inputs, in the order of the columns.
    antecedents : Antecedents, or array-like of int of shape (n_rules, n_inputs, 2)
        LabelRanges, LabelTriangles or OwnTriangles. An array stands for LabelRanges: the first and the last label that
        a rule accepts of each input, both included. A rule that accepts all labels of an input has no condition on it.
        The labels of a nominal input have no order: a range is just a set of them.
    consequents : Consequents, or array-like of float of shape (n_rules, n_inputs + 1)
        LinearConsequents or LabelConsequents. An array stands for LinearConsequents: intercept and slopes of each rule,
        in the data's own units.
    t_norm : {"product", "minimum"}, default="product"
        How the membership degrees of a rule's conditions are combined.
    target_name, target_unit : str
        The name and the unit of the target.
    support : array-like of float, shape (n_rules,), optional
        Each rule's mean weight in the predictions of the training rows.
    training : TrainingSummary, optional
        A summary of the training data, which explanations refer to.
    curves : sequence of Curve, optional
        Functions of single inputs that are added to the output of every rule; at most one per input.
    gaps : Gaps, optional
        How missing values are estimated; without it they are refused.
    intervals : Intervals, optional
        The held-out errors that prediction intervals are computed from; without it there are no intervals.
    extrapolation : {"linear", "clip"}, default="linear"
        How values outside the range of the training data are treated: "linear" uses them unchanged, "clip" replaces
        them by the nearest value in the range.
    output : Output, optional
        The link and the bounds of predictions; by default there are none.

    See Also
    --------
    FuzzyRuleRegressor : Learns rules from data.
    fruler.rules.Variable : An input with its labels.
    fruler.explain.text.rules_text : The rules as sentences.
    fruler.export.export_model : The rules in other languages.

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

    Rules with labels as outputs:

    >>> from fruler.rules import LabelConsequents, LabelTriangles, TrianglePartition
    >>> outside = Variable("temperature", TrianglePartition.uniform((0.0, 30.0), 2))
    >>> said = LabelConsequents([1, 0], TrianglePartition.uniform((5.0, 20.0), 2, shoulders=False))
    >>> heat = RuleBase([outside], LabelTriangles([[0], [1]], [outside]), said, "minimum", target_name="heating")
    >>> heat.predict([[0.0], [15.0], [30.0]]).tolist()
    [20.0, 12.5, 5.0]

    Names and units may change; predictions stay the same:

    >>> named = heat.with_units({"heating": "kW"}).with_labels({"temperature": {"low": "cold"}})
    >>> named.rules[0].antecedent, heat.named_like(named).rules[0].antecedent
    ({'temperature': ('cold',)}, {'temperature': ('cold',)})

    Explanations and importances need a summary of training data:

    >>> rows = [[0.0], [10.0], [30.0]]
    >>> trained = heat.with_training(rows, [20.0, 14.0, 5.0])
    >>> print(trained.explain([[0.0]]))
    heating = 20.00
      13.33  mean prediction
      +6.67  temperature = 0 (low)
      by rule 1 (100%)
    """

    variables: tuple[Variable, ...]
    antecedents: Antecedents
    consequents: Consequents
    t_norm: TNorm
    target_name: str
    target_unit: str
    support: Floats | None
    training: TrainingSummary | None
    curves: tuple[Curve, ...]
    gaps: Gaps | None
    intervals: Intervals | None
    extrapolation: Extrapolation
    output: Output

    def __init__(
        self,
        variables: Sequence[Variable],
        antecedents: Antecedents | npt.ArrayLike,
        consequents: Consequents | npt.ArrayLike,
        t_norm: TNorm = "product",
        target_name: str = "y",
        target_unit: str = "",
        support: npt.ArrayLike | None = None,
        training: TrainingSummary | None = None,
        curves: Sequence[Curve] = (),
        gaps: Gaps | None = None,
        intervals: Intervals | None = None,
        extrapolation: Extrapolation = "linear",
        output: Output = PLAIN,
    ) -> None:
        inputs = _checked_variables(variables)
        # Antecedents have inputs of their own: they are replaced, so that names, units and labels agree.
        where = antecedents.over(inputs) if isinstance(antecedents, Antecedents) else LabelRanges(antecedents, inputs)
        said = consequents if isinstance(consequents, Consequents) else LinearConsequents(consequents)
        self._set(variables=inputs, antecedents=where, consequents=said, t_norm=t_norm)
        self._set(target_name=target_name, target_unit=target_unit, training=training, gaps=gaps, intervals=intervals)
        self._set(curves=checked_curves(curves, len(inputs)), extrapolation=extrapolation, output=output)
        self._set(support=None if support is None else frozen(support, np.float64))
        self._check()

    def _check(self) -> None:
        p, m = len(self.variables), self.n_rules
        if m == 0:
            raise ValueError("A rule base needs at least one input and one rule.")
        self.consequents.require_shape(m, p)
        if self.support is not None and (
            self.support.shape != (m,) or not np.isfinite(self.support).all() or (self.support < 0.0).any()
        ):
            raise ValueError(f"support must have one non-negative number for each of the {m} rules.")
        if self.training is not None and (len(self.training.low), len(self.training.rule_importance)) != (p, m):
            raise ValueError(f"The training summary must have {p} inputs and {m} rules.")
        means = None if self.training is None else self.training.curve_means
        if means is not None and len(means) != len(self.curves):
            raise ValueError(f"The training summary must have curve_means for {len(self.curves)} curves.")
        nominal = [curve.input for curve in self.curves if not self.variables[curve.input].partition.ordered]
        if nominal:
            raise ValueError(f"A curve needs an input with an order; {self.names[nominal[0]]!r} has categories.")
        if self.curves and self.consequents.partition is not None:
            raise ValueError("Curves need rules with numbers as outputs; these rules have labels.")
        if self.gaps is not None and max(self.gaps.inputs, default=0) >= p:
            raise ValueError(f"gaps must refer to the {p} inputs of the rules.")
        if self.intervals is not None and len(self.intervals.spreads) != m:
            raise ValueError(f"intervals must have a spread for each of the {m} rules.")
        if self.extrapolation not in EXTRAPOLATIONS:
            raise ValueError(f"extrapolation must be one of {', '.join(EXTRAPOLATIONS)}; got {self.extrapolation!r}.")
        if self.extrapolation == "clip" and self.training is None:
            raise ValueError("extrapolation='clip' needs the range of the training data; give a training summary.")
        if not isinstance(self.output, Output):
            raise ValueError(f"output must be an Output, such as Output('log'); got {self.output!r}.")
        if self.training is not None and (self.training.raw_spread is None) != self.output.transform.keeps_units:
            raise ValueError("The training summary is for another link; make a new one with with_training(X, y).")
        if self.t_norm not in T_NORMS:
            raise ValueError(f"t_norm must be one of {', '.join(T_NORMS)}; got {self.t_norm!r}.")
        self._check_outputs()

    def _check_outputs(self) -> None:
        """Refuse rules and curves whose outputs could overflow within the domains of the inputs."""
        ends = np.array([_farthest(variable.partition) for variable in self.variables])
        with np.errstate(over="ignore"):
            said = np.abs(self.consequents.intercepts) + np.abs(self.consequents.slopes_over(len(ends))) @ ends
            for curve in self.curves:
                said += (np.abs(curve.coefficients) @ [1.0, _farthest(curve.partition)]).max()
        if not (said <= LARGEST_LIMIT).all():
            raise ValueError(
                f"The output of rule {int(np.argmax(said)) + 1} can exceed {LARGEST_LIMIT:g}; scale the target."
            )

    def __str__(self) -> str:
        from fruler.explain.text import rules_text  # the printer reads the model, not the other way round

        return rules_text(self)

    def _repr_html_(self) -> str:
        from fruler.explain.report._notebook import rules_html

        return rules_html(self)

    def __repr__(self) -> str:
        count = counted_rules(self.n_rules, self.n_curves)
        return f"<RuleBase: {count} over {len(self.variables)} inputs for {self.target_name!r}>"

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return self.antecedents.n_rules

    @property
    def n_coefficients(self) -> int:
        """The number of slopes that are not zero; curves do not count."""
        return self.consequents.n_coefficients

    @property
    def n_curves(self) -> int:
        """The number of curves, which all rules share."""
        return len(self.curves)

    @property
    def numbers_to_read(self) -> int:
        """How much there is to read: an output per rule, the slopes, and the straight pieces of the curves.

        A slope that several rules share counts once.
        """
        pieces = sum(len(curve.bends().x) - 1 for curve in self.curves)
        return self.n_rules + self.consequents.n_different_slopes + pieces

    @property
    def n_terms(self) -> int:
        """The number of slopes and of the lines of curves; a slope that several rules share counts once."""
        return self.consequents.n_different_slopes + sum(curve.n_pieces for curve in self.curves)

    @property
    def granularities(self) -> npt.NDArray[np.intc]:
        """The number of labels of each input."""
        return self.antecedents.granularities

    @property
    def looks_at(self) -> npt.NDArray[np.bool_]:
        """Which rule has a condition on which input, shape (n_rules, n_inputs)."""
        return self.antecedents.looks_at

    @property
    def antecedent_inputs(self) -> Indices:
        """The inputs in any antecedent; the others are only in the consequents."""
        return self.antecedents.inputs

    @cached_property
    def uses(self) -> npt.NDArray[np.bool_]:
        """Which inputs the rules use at all, in a condition, with a slope or by a curve, shape (n_inputs,)."""
        uses = np.array(self.looks_at.any(axis=0))
        uses[self.consequents.inputs] = True
        uses[[curve.input for curve in self.curves]] = True
        return frozen(uses, np.bool_)

    @cached_property
    def background(self) -> Background:
        """Properties of the training data, estimated from the rules if there is no training summary."""
        return Background(self)

    @cached_property
    def inputs(self) -> Inputs:
        """All inputs together, to read the rows of tables."""
        background = self.background
        return Inputs(self.variables, self.uses, self.gaps, self.extrapolation, background.limits, background.typical)

    @cached_property
    def inference(self) -> Inference:
        """Predictions for rows of numbers that have already been checked."""
        clips = self.inputs.clips
        own = clips if np.isfinite(clips).any() else None
        return Inference(self.antecedents, self.consequents, self.t_norm, self.curves, self.output, own)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return self.inputs.names

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table that the inputs come from, each once."""
        return self.inputs.columns

    @cached_property
    def slopes(self) -> Floats:
        """The slopes of each rule, shape (n_rules, n_inputs); zero if the output is a label."""
        return self.consequents.slopes_over(len(self.variables))

    @cached_property
    def target(self) -> Variable | None:
        """The target with its labels, in its own units; None if the output is a number."""
        partition = self.consequents.partition
        if partition is None:
            return None
        transform = self.output.transform
        return Variable(
            self.target_name,
            partition if transform.keeps_units else partition.mapped(transform.target),
            self.target_unit,
        )

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The inputs as readers see them: a column of categories is one feature, with one input or more."""
        return features_of(self.variables)

    def curve_of(self, feature: int) -> Curve | None:
        """Return the curve of an input.

        Parameters
        ----------
        feature : int
            The number of the input, from 0.

        Returns
        -------
        Curve or None
            The curve; None if the input has none.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.curve_of(0) is None
        True
        """
        return next((curve for curve in self.curves if curve.input == feature), None)

    @property
    def is_formula(self) -> bool:
        """Whether there is a single rule, which applies everywhere."""
        return self.n_rules == 1 and not self.looks_at.any()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, spelled out with the names of inputs and labels; the curves are added to each."""
        return tuple(self._spell(rule) for rule in range(self.n_rules))

    def _spell(self, rule: int) -> Rule:
        antecedent = {}
        for condition in self.antecedents.conditions(rule):
            variable = self.antecedents.condition_inputs[condition.input]
            antecedent[variable.name] = variable.partition.labels[condition.first : condition.last + 1]
        said = self.consequents
        terms = {self.names[j]: slope for j, slope in said.terms(rule).items()}
        return Rule(antecedent, float(said.intercepts[rule]), terms, said.label(rule))

    def predict(self, X: Any) -> Floats:
        """Predict the output of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_inputs)
            An array in the order of `columns`, or a data frame with these columns, in any order; other columns are
            ignored.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predictions.
        """
        return self.output.of(self.raw_predictions(X))

    def inputs_of(self, X: Any) -> Floats:
        """Return the inputs of rows as rules use them: with gaps filled, and clipped if need be.

        Parameters
        ----------
        X : array-like or data frame
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_inputs)
            The inputs.

        Raises
        ------
        ValueError
            If a value is missing and cannot be estimated.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.inputs_of([[0.5]]).tolist()
        [[0.5]]
        """
        return self.inference.clipped(self.inputs.complete(X))

    def numbers_of(self, X: Any) -> Floats:
        """Return the inputs of rows as numbers, with NaN for gaps.

        A column that no rule uses changes no prediction: it may be missing from a data frame, or hold anything.

        Parameters
        ----------
        X : array-like or data frame
            The rows, as for `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_inputs)
            The inputs.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.numbers_of([[0.5], [None]]).tolist()
        [[0.5], [nan]]
        """
        return self.inputs.numbers(X)

    def raw_predictions(self, X: Any) -> Floats:
        """Return the raw predictions: the weighted mean of the rules plus the curves, before link and bounds.

        Parameters
        ----------
        X : array-like or data frame
            The rows, as for `predict`.

        Returns
        -------
        ndarray of shape (n_samples,)
            The raw predictions.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.raw_predictions([[0.5]]).tolist()
        [2.0]
        """
        return self.inference.raw_predictions(self.inputs.complete(X))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> PredictionIntervals:
        """Return for each row an interval that contains its target with a given probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_inputs)
            As for `predict`.
        coverage : float, default=0.9
            The share of rows whose target lies in their interval.

        Returns
        -------
        PredictionIntervals
            ``lower``, ``upper`` and ``outside``: the ends, and which rows lie outside the training data.

        Raises
        ------
        ValueError
            If there are no held-out errors, or too few for the coverage.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rows = np.linspace(0.0, 1.0, 100)[:, None]
        >>> known = rules.with_training(rows, rules.predict(rows))
        >>> known = known.with_intervals(rows, rules.predict(rows) + np.linspace(-1.0, 1.0, 100))
        >>> lower, upper, outside = known.predict_interval([[0.5]], coverage=0.9)
        >>> (upper - lower).round(1).tolist()
        [1.8]
        """
        return prediction_intervals(self, self.inputs.complete(X), coverage)

    def with_intervals(self, X: Any, y: Any, sample_weight: Any = None) -> RuleBase:
        """Return the rule base with prediction intervals from rows that it was not learned from.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_inputs)
            The rows.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each row.

        Returns
        -------
        RuleBase
            The rules with these intervals.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rows = np.linspace(0.0, 1.0, 100)[:, None]
        >>> rules.with_intervals(rows, rules.predict(rows) + 1.0).intervals.n_rows
        100
        """
        return replace(self, intervals=calibrated_intervals(self, self.inputs.complete(X), y, sample_weight))

    def rule_outputs(self, X: Any) -> Floats:
        """Return the output of each rule by itself for each row, curves included.

        The output of a rule with a label is the centre of the label's triangle, cut off at the degree to which the rule
        fires.

        Parameters
        ----------
        X : array-like or data frame
            The rows, as for `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_rules)
            The outputs; without link and bounds, their mean weighted by `activations` is the prediction.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
        >>> RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]]).rule_outputs([[0.5]]).tolist()
        [[2.0, 5.0]]
        """
        return self.inference.rule_outputs(self.inputs.complete(X))

    def raw_rule_outputs(self, X: Any) -> Floats:
        """Return the output of each rule by itself for each row, before the link and the bounds.

        Parameters
        ----------
        X : array-like or data frame
            The rows, as for `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_rules)
            The outputs.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.raw_rule_outputs([[0.5]]).tolist()
        [[2.0]]
        """
        return self.inference.raw_rule_outputs(self.inputs.complete(X))

    def activations(self, X: Any) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return each rule's weight in the prediction for each row, and whether any rule fires at all.

        Parameters
        ----------
        X : array-like or data frame
            The rows, as for `predict`.

        Returns
        -------
        activations : ndarray of shape (n_samples, n_rules)
            The weights; those of a row sum to one.
        fired : ndarray of shape (n_samples,)
            False where no rule fires, and the nearest rule has weight one.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
        >>> weights, fired = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]]).activations([[0.25]])
        >>> weights.tolist(), fired.tolist()
        ([[0.75, 0.25]], [True])
        """
        return self.inference.activations(self.inputs.complete(X))

    def explain(self, X: Any) -> Explanation:
        """Explain each prediction: the rules that fire, and the contribution and label of each input.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_inputs)
            The rows.

        Returns
        -------
        Explanation
            The explanation of all rows; printing it gives sentences.
        """
        from fruler.explain.explanation import explain_rows

        return explain_rows(self, self.inputs.numbers(X), X)

    def to_markdown(self) -> str:
        """Return the rules in Markdown, side by side in a table.

        Returns
        -------
        str
            Markdown.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> print(RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]]).to_markdown())
        **y: 1 rule**
        <BLANKLINE>
        For all rows:
        <BLANKLINE>
        - start 1
        - x: +2 per unit
        <BLANKLINE>
        Amounts count from x 0
        <BLANKLINE>
        """
        from fruler.export.markdown import export

        return export(self)

    def to_latex(self, *, caption: str | None = None, label: str | None = None) -> str:
        """Return the rules in LaTeX for a paper, side by side in a table; the document needs the package booktabs.

        Parameters
        ----------
        caption : str, optional
            The caption, in plain text; by default the target, the number of rules and the error.
        label : str, optional
            The label of the table; "tab:rules" by default.

        Returns
        -------
        str
            LaTeX.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
        >>> "toprule" in RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]]).to_latex()
        True
        """
        from fruler.export.latex import export

        return export(self, caption=caption, label=label)

    def to_frame(self) -> pd.DataFrame:
        """Return the rules side by side as a data frame of texts: one column per rule, and one row per thing told.

        Returns
        -------
        DataFrame
            The table of `rules_text`: conditions, share of rows, typical output and error, start and effects, also
            those that all rules share.

        See Also
        --------
        fruler.explain.text.rules_text : The same as text, with the lists of amounts below.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0), 0.0))
        >>> RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]]).to_frame()
                             1         2
        x            under 0.5  over 0.5
        start                1         5
        x, per unit         +2         –
        """
        from fruler.explain._told import told_frame

        return told_frame(self)

    def with_labels(self, labels: Mapping[str, Mapping[str, str] | Sequence[str]]) -> RuleBase:
        """Return the rule base with other label names for some inputs.

        Output labels, if there are any, are renamed by the name of the target.

        Parameters
        ----------
        labels : mapping of str to mapping or sequence of str
            For each input, a mapping from old to new names for some labels, or the names of all labels in order, e.g.
            ``{"age": {"low": "young"}}``.

        Returns
        -------
        RuleBase
            The rules with these names.
        """
        _require_mapping(labels, "labels")
        for own in labels.values():
            require_printable(own.values() if isinstance(own, Mapping) else own, "label")
        said = self.consequents
        if said.partition is not None and self.target_name in labels and self.target_name not in self.names:
            said = said.relabelled(labels[self.target_name])
            labels = {name: own for name, own in labels.items() if name != self.target_name}
        return replace(self, variables=self.inputs.with_labels(labels), consequents=said)

    def with_units(self, units: Mapping[str, str]) -> RuleBase:
        """Return the rule base with units for some inputs, or for the target.

        Parameters
        ----------
        units : mapping of str to str
            The units by the name of the input or of the target.

        Returns
        -------
        RuleBase
            The rules with these units.
        """
        _require_mapping(units, "units")
        require_printable(units.values(), "unit")
        own = {name: unit for name, unit in units.items() if name in self.names or name != self.target_name}
        target_unit = units.get(self.target_name, self.target_unit)
        return replace(self, variables=self.inputs.with_units(own), target_unit=target_unit)

    def named_like(self, other: RuleBase) -> RuleBase:
        """Return the rule base with the units and label names of another one over the same inputs.

        A label takes the name that the other rule base gives to the label of the same default name: "low" becomes
        "cold", however many labels either has. Labels of dates and categories are named by their values and do not
        change.

        Parameters
        ----------
        other : RuleBase
            The rule base to take the names from.

        Returns
        -------
        RuleBase
            The rules with these names.
        """
        said, like = self.consequents, other.consequents.partition
        if said.partition is not None and like is not None:
            said = said.relabelled(labels_like(said.partition, like))
        variables = self.inputs.named_like(other.inputs)
        return replace(self, variables=variables, consequents=said, target_unit=other.target_unit)

    def with_sources(self, sources: Sequence[Source]) -> RuleBase:
        """Return the rule base whose inputs come from columns of a table.

        Parameters
        ----------
        sources : sequence of Source
            One source for each input.

        Returns
        -------
        RuleBase
            The rules with these sources.

        Examples
        --------
        >>> from fruler.rules import FuzzyPartition, Variable
        >>> from fruler._table.sources import NumberSource
        >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
        >>> rules.with_sources([NumberSource("x")]).columns
        ('x',)
        """
        return replace(self, variables=self.inputs.with_sources(sources))

    def with_training(self, X: Any, y: Any) -> RuleBase:
        """Return the rule base with a summary of training data, which explanations and importances refer to.

        A learned rule base has one; a rule base that was written by hand gets it here.

        Parameters
        ----------
        X : array-like or data frame
            The rows, as for `predict`.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        RuleBase
            The rules with the summary.

        Raises
        ------
        ValueError
            If `y` does not have one finite number per row.
        """
        given = self.inputs.numbers(X)
        values = self.inputs.filled(given)
        target = np.asarray(y, dtype=np.float64).reshape(-1)
        if len(target) != len(values) or not np.isfinite(target).all():
            raise ValueError(f"y must have a finite number for each of the {len(values)} rows of X.")
        self.output.learned(target)
        weights, _ = self.inference.activations(values)
        training = replace(training_summary(self, values, target), marks=kept_marks(marks_of(self, given, target)))
        return replace(self, training=training, support=weights.mean(axis=0))


def _require_mapping(given: object, name: str) -> None:
    if not isinstance(given, Mapping):
        raise ValueError(f"{name} must be a dict by the name of the input; got {given!r}.")


def _farthest(partition: Partition) -> float:
    """Return the largest absolute value in the domain of a partition; 1 for categories."""
    return max(abs(end) for end in partition.range) if partition.ordered else 1.0


def _checked_variables(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    inputs = tuple(variables)
    if not inputs:
        raise ValueError("A rule base needs at least one input and one rule.")
    if not all(isinstance(variable, Variable) for variable in inputs):
        raise ValueError("variables must be Variable objects: Variable(name, partition).")
    names = [variable.name for variable in inputs]
    if not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"Inputs must have names; got {names!r}.")
    if len(set(names)) < len(names):
        raise ValueError(f"Inputs must have distinct names; got {', '.join(names)}.")
    return inputs
