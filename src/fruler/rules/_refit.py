"""Refits of the outputs of rules: least squares on sums over rows, with the terms that are there and fixed numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, FrozenValue, Indices, frozen, row_blocks
from fruler._table.rows import measure_scale
from fruler._table.sources import LevelSource
from fruler.rules._antecedents import LabelRanges
from fruler.rules._consequents import LinearConsequents
from fruler.rules._curves import Curve
from fruler.rules._rule_base import RuleBase
from fruler.rules.edits import (
    SAME,
    DropTerm,
    Edit,
    FixAmount,
    FixLevel,
    FixSlope,
    changed,
    lines_of,
    place_of,
    slope_of,
)


class Objective(NamedTuple):
    """What a fit minimises: the mean squared error, and a ridge on standardised terms.

    Attributes
    ----------
    ridge : float
        The ridge, in rows.
    locality : float
        The share of the errors of the rules by themselves in the error.
    """

    ridge: float
    locality: float


@dataclass(frozen=True, eq=False)
class Held:
    """The numbers that a person fixed.

    Attributes
    ----------
    slopes : ndarray of bool, shape (n_rules, n_inputs)
        The fixed slopes, at the values that the rules have.
    levels : mapping of int to (ndarray, float)
        The fixed levels by rule: the values of the inputs, and the level.
    amounts : sequence of FixAmount
        The fixed amounts of categories.
    """

    slopes: npt.NDArray[np.bool_]
    levels: Mapping[int, tuple[Floats, float]] = field(default_factory=dict)
    amounts: Sequence[FixAmount] = ()

    @classmethod
    def by(cls, edits: Sequence[Edit], rules: RuleBase) -> Held:
        """Return what edits fixed, as far as later ones did not change it."""
        slopes = np.zeros((rules.n_rules, len(rules.variables)), dtype=np.bool_)
        levels: dict[int, tuple[Floats, float]] = {}
        amounts: dict[tuple[str, str], FixAmount] = {}
        for edit in edits:
            match edit:
                case FixSlope() | DropTerm():
                    own = slice(None) if edit.rule is None else edit.rule - 1
                    slopes[own, rules.names.index(edit.input)] = edit.also_fixes
                case FixLevel():
                    levels[edit.rule - 1] = place_of(edit, rules), edit.value
                case FixAmount():
                    # Of two categories that are compared with each other, the later edit counts.
                    if (found := amounts.get((edit.input, edit.against or ""))) and found.against == edit.category:
                        del amounts[edit.input, found.category]
                    amounts[edit.input, edit.category] = edit
        there = [one for one in amounts.values() if rules.slopes[:, rules.names.index(one.input)].any()]
        held = cls(slopes, levels, there)
        for one in there:
            j, _ = slope_of(one, rules)
            numbers = _numbers_of(rules, j)
            # If no amount is left to fit, neither is the slope.
            if len({held.amount(one.input, name, number, numbers)[0] for name, number in numbers.items()}) == 1:
                slopes[:, j] = True
        return held

    def kept_by(self, rules: RuleBase) -> RuleBase:
        """Return rules with the fixed levels and amounts, after slopes have changed."""
        lines = lines_of(rules)
        for k, (place, level) in self.levels.items():
            lines[k, 0] = level - lines[k, 1:] @ place
        made = changed(rules, consequents=LinearConsequents(lines))
        # An amount may be compared with one that is fixed itself.
        return reduce(lambda made, amount: amount.applied(made), [*self.amounts] * len(self.amounts), made)

    def amount(self, input: str, category: str, number: float, numbers: Mapping[str, float]) -> tuple[float, float]:
        """Return the number of a category that the slope counts for, and the fixed amount that is added to it."""
        own = next((one for one in self.amounts if (one.input, one.category) == (input, category)), None)
        if own is None:
            return number, 0.0
        left = replace(self, amounts=[one for one in self.amounts if one is not own])
        base, added = (0.0, 0.0)
        if own.against is not None:
            base, added = left.amount(input, own.against, numbers[own.against], numbers)
        return base, added + own.value


@dataclass(frozen=True, eq=False)
class RowSums(FrozenValue):
    """Means of squares and products of all terms over rows; those of two sets of rows can be added.

    The terms are, for each rule, its weight and its weight times each input, then for each curve its input and, for
    each split point, a step and a slope from there on. Inputs and target are standardised.

    Attributes
    ----------
    inputs : ndarray of int
        The inputs with a slope or a curve.
    centre, spread : ndarray of shape (n_inputs + 1,)
        The scale of these inputs, and of the target.
    gram, moment : ndarray of shape (n_terms, n_terms) and (n_terms,)
        Sums of products of the terms with each other, and with the target.
    square, weight : float
        The sums of squares of the target, and of the weights.
    n_rows : int
        The number of rows.
    """

    inputs: Indices
    centre: Floats
    spread: Floats
    gram: Floats
    moment: Floats
    square: float
    weight: float
    n_rows: int

    def __post_init__(self) -> None:
        self._set(inputs=frozen(self.inputs, np.intp))
        self._set(**{name: frozen(getattr(self, name), np.float64) for name in ("centre", "spread", "gram", "moment")})
        n = len(self.moment)
        if self.gram.shape != (n, n) or not self.centre.shape == self.spread.shape == (len(self.inputs) + 1,):
            raise ValueError("Sums over rows must have one row and one column for each term.")
        if not (self.spread > 0.0).all() or not self.weight > 0.0 or self.n_rows < 1:
            raise ValueError("Sums over rows need at least one row, and spreads above zero.")

    @classmethod
    def over(
        cls,
        rules: RuleBase,
        values: Floats,
        raw: Floats,
        weight: Floats,
        held: Held,
        like: RowSums | None = None,
    ) -> RowSums:
        """Sum up rows.

        Parameters
        ----------
        rules : RuleBase
            The rules, whose terms are summed.
        values, raw, weight : ndarray
            The inputs of the rows, their targets before the link, and their weights.
        held : Held
            The fixed numbers: fixed amounts are taken from the target.
        like : RowSums, optional
            Sums of the same terms, to which these are to be added.
        """
        if like is None:
            inputs = inputs_of_outputs(rules)
            scale = measure_scale(np.column_stack([values[:, inputs], raw]), weight)
            centre, spread = scale.centre, scale.spread
        else:
            inputs, centre, spread = like.inputs, like.centre, like.spread
        wanted = np.array(raw)
        terms = np.array(values[:, inputs])
        for one in held.amounts:
            j, _ = slope_of(one, rules)
            numbers = _numbers_of(rules, j)
            rows = values[:, j] == numbers[one.category]
            base, added = held.amount(one.input, one.category, numbers[one.category], numbers)
            wanted[rows] -= added
            terms[rows, list(inputs).index(j)] = base
        wanted = (wanted - centre[-1]) / spread[-1]
        terms = np.column_stack([np.ones(len(values)), (terms - centre[:-1]) / spread[:-1]])
        parts = []
        for some in row_blocks(len(values)):
            activations = rules.inference.activations(values[some])[0]
            of_rules = (activations[:, :, None] * terms[some, None, :]).reshape(len(activations), -1)
            curves = [_curve_terms(one, values[some], inputs, centre, spread) for one in rules.curves]
            design = np.hstack([of_rules, *curves])
            weighted = design * weight[some, None]
            parts.append((weighted.T @ design, weighted.T @ wanted[some]))
        gram, moment = (np.sum(np.stack(one), axis=0) for one in zip(*parts, strict=True))
        return cls(
            inputs, centre, spread, gram, moment, float(weight @ np.square(wanted)), float(weight.sum()), len(raw)
        )

    def __add__(self, other: RowSums) -> RowSums:
        return self._with(other, 1)

    def __sub__(self, other: RowSums) -> RowSums:
        return self._with(other, -1)

    def _with(self, other: RowSums, sign: int) -> RowSums:
        names = ("gram", "moment", "square", "weight", "n_rows")
        return replace(self, **{name: getattr(self, name) + sign * getattr(other, name) for name in names})

    def fits(self, rules: RuleBase) -> bool:
        """Return whether these are sums of the terms of some rules."""
        n_terms = rules.n_rules * (len(self.inputs) + 1) + sum(2 * curve.n_pieces - 1 for curve in rules.curves)
        return n_terms == len(self.moment) and set(inputs_of_outputs(rules)) <= set(self.inputs.tolist())

    def rmse(self, coefficients: Floats) -> float:
        """Return the root mean squared error of coefficients of all terms, before the link."""
        error = float(self.square - 2.0 * coefficients @ self.moment + coefficients @ self.gram @ coefficients)
        return float(np.sqrt(max(error, 0.0) / self.weight) * self.spread[-1])


def _numbers_of(rules: RuleBase, input: int) -> dict[str, float]:
    """Return the numbers of the categories of an input."""
    levels = rules.variables[input].levels
    return {} if levels is None else dict(levels.choices)


def inputs_of_outputs(rules: RuleBase) -> Indices:
    """Return the inputs that have a slope in any rule, or a curve."""
    return np.unique([*rules.consequents.inputs, *(curve.input for curve in rules.curves)]).astype(np.intp)


def _curve_terms(curve: Curve, values: Floats, inputs: Indices, centre: Floats, spread: Floats) -> Floats:
    """Return the terms of a curve: its input, and for each split point a step and a slope from there on."""
    x, c = values[:, curve.input], int(np.searchsorted(inputs, curve.input))
    lower, upper = curve.partition.place(x)
    splits = np.asarray(curve.partition.split_points)
    number = np.arange(len(splits))
    passed = np.where(lower[:, None] > number, 1.0, np.where(lower[:, None] == number, upper[:, None], 0.0))
    beyond = passed * (x[:, None] - splits) / spread[c]
    return np.column_stack([(x - centre[c]) / spread[c], np.stack([passed, beyond], axis=2).reshape(len(x), -1)])


class Terms:
    """The terms that rules have, and the ties between them: coefficients = ties @ (free numbers, 1).

    A term that is zero stays zero; slopes that are equal stay equal; rules, and pieces of curves, that join at a split
    point without a jump still do.

    Parameters
    ----------
    rules : RuleBase
        The rules.
    held : Held
        The fixed numbers.
    sums : RowSums
        Sums of their terms over rows.
    like : RuleBase
        The rules before split points were moved, which show where rules join without a jump.

    Attributes
    ----------
    coefficients : ndarray of shape (n_terms,)
        The present coefficients of all terms, standardised.
    ties : ndarray of shape (n_terms, n_terms + 1)
        The ties. A free number has the place of the first term that it belongs to.
    """

    def __init__(self, rules: RuleBase, held: Held, sums: RowSums, like: RuleBase) -> None:
        self.rules, self.held, self.sums, self.like = rules, held, sums, like
        self.q = len(sums.inputs) + 1
        self.slopes = rules.slopes[:, sums.inputs]
        unit = sums.spread[:-1] / sums.spread[-1]
        self.coefficients = np.zeros(len(sums.moment))
        of_rules = self.coefficients[: rules.n_rules * self.q].reshape(-1, self.q)
        of_rules[:, 1:] = self.slopes * unit
        of_rules[:, 0] = rules.consequents.intercepts + self.slopes @ sums.centre[:-1] - sums.centre[-1]
        self.starts = np.cumsum([rules.n_rules * self.q, *(2 * curve.n_pieces - 1 for curve in rules.curves)])
        for start, curve in zip(self.starts, rules.curves, strict=False):
            c = int(np.searchsorted(sums.inputs, curve.input))
            (first, slope), *steps = curve.steps.tolist()
            of_rules[:, 0] += first + slope * sums.centre[c]
            self.coefficients[start] = slope * unit[c]
            for k, (step, bend) in enumerate(steps):
                jump = step + bend * curve.partition.split_points[k]
                self.coefficients[start + 2 * k + 1 :][:2] = jump / sums.spread[-1], bend * unit[c]
        of_rules[:, 0] /= sums.spread[-1]
        self.ties = np.zeros((len(self.coefficients), len(self.coefficients) + 1))
        self._tie_slopes()
        for start, curve in zip(self.starts, rules.curves, strict=False):
            self._tie_curve(int(start), curve)
        self._tie_levels()

    def _tie_slopes(self) -> None:
        fixed = self.held.slopes[:, self.sums.inputs]
        near = SAME * np.abs(self.slopes).max(axis=0, initial=0.0)
        for k, c in zip(*np.nonzero((np.abs(self.slopes) > near) | fixed), strict=True):
            i = k * self.q + 1 + c
            if fixed[k, c]:
                self.ties[i, -1] = self.coefficients[i]
                continue
            alike = ~fixed[:, c] & (np.abs(self.slopes[:, c] - self.slopes[k, c]) <= near[c])
            self.ties[i, int(np.argmax(alike)) * self.q + 1 + c] = 1.0

    def _tie_curve(self, start: int, curve: Curve) -> None:
        slopes, jumps = curve.coefficients[:, 1], self.coefficients[start + 1 :: 2]
        near = SAME * np.abs(slopes).max()
        height = SAME * np.ptp(curve.outline(*curve.partition.domain)[1]) / self.sums.spread[-1]
        before = np.zeros(self.ties.shape[1])
        for k, slope in enumerate(slopes):
            i = start + 2 * k
            own = np.zeros_like(before)
            if k > 0 and abs(slope - slopes[k - 1]) <= near:
                own = before
            elif abs(slope) > near:
                own[i] = 1.0
            self.ties[i] = own - before
            before = own
            if k > 0 and abs(jumps[k - 1]) > height:
                self.ties[i - 1, i - 1] = 1.0

    def _tie_levels(self) -> None:
        done: list[int] = []
        for k in sorted(range(self.rules.n_rules), key=lambda k: k not in self.held.levels):
            own = self.ties[k * self.q]
            if k in self.held.levels:
                place, level = self.held.levels[k]
                shift = (place[self.sums.inputs] - self.sums.centre[:-1]) / self.sums.spread[:-1]
                own[-1] = (level - self.sums.centre[-1]) / self.sums.spread[-1]
                own -= shift @ self.ties[k * self.q + 1 : (k + 1) * self.q]
                own -= self.curve_means @ self.ties[self.starts[0] :]
            elif not any(self._join(k, other) for other in done):
                own[k * self.q] = 1.0
            done.append(k)

    def _join(self, k: int, other: int) -> bool:
        """Tie a rule to another one that it joins without a jump; return whether it does."""
        antecedents = self.rules.antecedents
        if not isinstance(antecedents, LabelRanges):
            return False
        apart = np.flatnonzero((antecedents.ranges[k] != antecedents.ranges[other]).any(axis=1))
        if len(apart) != 1:
            return False
        j = int(apart[0])
        below, above = sorted([*map(int, antecedents.ranges[one, j])] for one in (k, other))
        splits = self.rules.variables[j].partition.split_points
        mine, others = (self.ties[one * self.q + 1 : (one + 1) * self.q] for one in (k, other))
        differing = np.flatnonzero((mine != others).any(axis=1))
        if below[1] + 1 != above[0] or not splits or not set(self.sums.inputs[differing].tolist()) <= {j}:
            return False
        lines, place = lines_of(self.like), self.like.variables[j].partition.split_points[below[1]]
        gap = (lines[k] - lines[other])[[0, 1 + j]] @ [1.0, place]
        if abs(gap) > SAME * (self.sums.spread[-1] + np.abs(lines[k, [0, 1 + j]]) @ [1.0, abs(place)]):
            return False
        tie = np.zeros(self.q - 1)
        tie[differing] = (splits[below[1]] - self.sums.centre[differing]) / self.sums.spread[differing]
        self.ties[k * self.q] = self.ties[other * self.q] + tie @ (others - mine)
        return True

    @property
    def curve_means(self) -> Floats:
        """The mean of each term of the curves over the rows."""
        return np.asarray(self.sums.gram[: self.starts[0] : self.q, self.starts[0] :].sum(axis=0) / self.sums.weight)

    def solved(self, objective: Objective) -> Floats:
        """Return the coefficients with the least error, ridge included."""
        free = np.flatnonzero(self.ties[:, :-1].any(axis=0))
        ties, fixed = self.ties[:, free], self.ties[:, -1]
        gram = self._mixed(objective.locality) + self._penalty(objective.ridge / self.sums.n_rows)
        system = ties.T @ gram @ ties
        wanted = ties.T @ (self.sums.moment / self.sums.weight - gram @ fixed)
        size = np.sqrt(np.maximum(np.diag(system), np.finfo(float).tiny))
        found = np.linalg.lstsq(system / np.outer(size, size), wanted / size, rcond=1e-14)[0]
        return np.asarray(ties @ (found / size) + fixed)

    def _mixed(self, locality: float) -> Floats:
        """Return the mean products of terms for the mixed error."""
        mixed = np.array(self.sums.gram) / self.sums.weight
        n = int(self.starts[0])
        of_rules = mixed[:n, :n].reshape(self.rules.n_rules, self.q, self.rules.n_rules, self.q)
        # The weights of a row sum to one, so that a rule's products with all rules sum to its own plain ones.
        alone = of_rules.sum(axis=2)
        of_rules *= 1.0 - locality
        for k, own in enumerate(alone):
            of_rules[k, :, k] += locality * own
        return mixed

    def _penalty(self, ridge: float) -> Floats:
        """Return the matrix of the ridge: on what each split adds to the rules on its upper side, and on curves."""
        n, m = int(self.starts[0]), self.rules.n_rules
        plain = self.sums.gram[:n, :n].reshape(m, self.q, m, self.q).sum(axis=(0, 2)) / self.sums.weight
        means = plain[0, 1:]
        spread = np.sqrt(np.maximum(np.diag(plain)[1:] - np.square(means), 0.0))
        blocks, openers = _blocks(self.rules)
        apart = np.linalg.inv(blocks)
        # Slopes of rules include the first slope of the input's curve.
        whole = np.eye(len(self.coefficients)).reshape(len(self.coefficients), -1)
        of_rules = whole[:n].reshape(m, self.q, -1).copy()
        sizes = np.ones(len(self.coefficients))
        sizes[:n].reshape(m, self.q)[:, 1:] = spread
        for start, end, curve in zip(self.starts, self.starts[1:], self.rules.curves, strict=False):
            c = int(np.searchsorted(self.sums.inputs, curve.input))
            of_rules[:, 1 + c] += whole[start]
            sizes[start] = 0.0
            sizes[start + 2 : end : 2] = spread[c]
        of_rules[:, 0] += np.einsum("c,kct->kt", means, of_rules[:, 1:])
        terms = np.einsum("bk,kct->bct", apart, of_rules)
        for b, opener in enumerate(openers):
            found = np.flatnonzero(self.sums.inputs == (-1 if opener is None else opener[0]))
            if opener is not None and len(found):
                c = int(found[0])
                place = (opener[1] - self.sums.centre[c]) / self.sums.spread[c] - means[c]
                terms[b, 0] += place * terms[b, 1 + c]
        weights = ridge * np.square(sizes)
        weights[0] = 0.0
        transformed = np.vstack([terms.reshape(n, -1), whole[n:]])
        return np.asarray(transformed.T @ (weights[:, None] * transformed))

    def rule_base(self, coefficients: Floats) -> RuleBase:
        """Return the rules with these coefficients of all terms."""
        rules, sums = self.rules, self.sums
        of_rules = coefficients[: self.starts[0]].reshape(-1, self.q)
        unit = sums.spread[-1] / sums.spread[:-1]
        lines, slopes = np.zeros((rules.n_rules, len(rules.variables) + 1)), of_rules[:, 1:] * unit
        lines[:, 1 + sums.inputs] = slopes
        # Fixed slopes to the last bit.
        lines[:, 1:][self.held.slopes] = rules.slopes[self.held.slopes]
        lines[:, 0] = of_rules[:, 0] * sums.spread[-1] + sums.centre[-1] - slopes @ sums.centre[:-1]
        curves = []
        for start, end, curve in zip(self.starts, self.starts[1:], rules.curves, strict=False):
            c, own = int(np.searchsorted(sums.inputs, curve.input)), coefficients[start:end]
            mean = float(self.curve_means[start - self.starts[0] : end - self.starts[0]] @ own) * sums.spread[-1]
            slope = own[0] * unit[c]
            bends = own[2::2] * unit[c]
            jumps = own[1::2] * sums.spread[-1] - bends * np.asarray(curve.partition.split_points)
            steps = np.column_stack([jumps, bends])
            pieces = np.cumsum(np.vstack([[-mean - slope * sums.centre[c], slope], steps]), axis=0)
            pieces[:, 1] = _exactly_like(pieces[:, 1], curve.coefficients[:, 1])
            lines[:, 0] += mean
            curves.append(Curve(curve.input, curve.partition, pieces))
        return self.held.kept_by(changed(rules, consequents=LinearConsequents(lines), curves=curves))


def _exactly_like(slopes: Floats, like: Floats) -> Floats:
    """Return slopes that are zero to the last bit where others are zero but for rounding."""
    return np.where(np.abs(like) <= SAME * np.abs(like).max(), 0.0, slopes)


def _blocks(rules: RuleBase) -> tuple[Floats, list[tuple[int, float] | None]]:
    """Return which rules lie on the upper side of each split, and the splits: an input and a place.

    The first column is for all rules. If no split parts the rules of a group, all but one have a column of their own.
    """
    blocks, openers = np.zeros((rules.n_rules, rules.n_rules)), list[tuple[int, float] | None]([None])
    blocks[:, 0] = 1.0
    groups = [np.arange(rules.n_rules)]
    while groups:
        group = groups.pop()
        cut = _cut(rules, group)
        for above in [group[[k]] for k in range(1, len(group))] if cut is None else [cut[2]]:
            blocks[above, len(openers)] = 1.0
            openers.append(None if cut is None else cut[:2])
        if cut is not None:
            groups += [np.setdiff1d(group, cut[2]), cut[2]]
    return blocks, openers


def _cut(rules: RuleBase, group: Indices) -> tuple[int, float, Indices] | None:
    """Return a split with every rule of a group on one side: its input and place, and the rules above it."""
    if not isinstance(rules.antecedents, LabelRanges):
        return None
    ranges = rules.antecedents.ranges[group]
    for j in np.flatnonzero(rules.looks_at[group].any(axis=0)).tolist():
        for label, place in enumerate(rules.variables[j].partition.split_points):
            below, above = ranges[:, j, 1] <= label, ranges[:, j, 0] > label
            if (below | above).all() and below.any() and above.any():
                return j, place, group[above]
    return None


def renumbered(values: Floats, before: RuleBase, after: RuleBase) -> Floats:
    """Return inputs in which categories have the numbers of other rules."""
    new = np.array(values)
    for j, (old, now) in enumerate(zip(before.variables, after.variables, strict=True)):
        if isinstance(old.source, LevelSource) and isinstance(now.source, LevelSource) and old.source != now.source:
            for one, other in zip(old.source.values, now.source.values, strict=True):
                new[values[:, j] == one, j] = other
    return new
