"""The growth itself: add splits and pieces of curves, each time tuning all, while they pay; then prune."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._algorithms.growth.candidates import BendCandidate, Candidates, Contender, Preference, SplitCandidate
from fruler._algorithms.growth.options import GrowthOptions
from fruler._algorithms.growth.problem import GrowthProblem, screened_inputs
from fruler._algorithms.growth.structure import Ramps, Structure
from fruler._algorithms.growth.sums import Degrees, Sums, curve_columns, degrees_of, outputs_of, working_rows
from fruler._algorithms.growth.teaching import Teaching
from fruler._algorithms.growth.terms import MIN_ERROR, Normal, TermFit, TermLimits, choose_terms, fit_terms
from fruler._algorithms.growth.tuning import Placed, Room, SplitPointSearch
from fruler._arrays import Floats
from fruler._kernels import growth_sums, growth_terms
from fruler.learning._checkpoint import damaged
from fruler.learning._control import UNLIMITED, Budget

# The ridge of the growth itself, in rows, if the user sets none: cross-validation chooses the ridge of the model.
DEFAULT_RIDGE = 0.1
# The share of the local error in the search, if the user sets none: the finished model gets as much as it needs.
SEARCH_LOCALITY = 0.07
# The minimum number of rows of a rule; each row counts with the rule's weight in it.
MIN_ROWS = 12.0
# How many of the most promising splits and pieces of curves are fitted, and how many of the fitted ones are tuned.
_N_SPLITS, _N_BENDS, _N_TUNED = 4, 2, 3
# The tuning steps of each of these, of the best of them, and after each reunion.
_STEPS_TO_COMPARE, _STEPS_OF_BEST, _STEPS_BACK = 2, 4, 2
# The maximum number of divisions.
MAX_SIZE = 36
# The leave-one-out error accounts for the fit, but not for the search for terms and split points: this power does.
_SEARCHED = 1.5
# With more terms than this, the final choice begins with the terms that the search kept.
_MANY_TERMS = 250
# With fewer rows than this per input, candidates with many cheap terms would win by chance.
_FEW_ROWS = 10
# The largest leverage that a row can have.
_MAX_LEVERAGE = 0.95
# How often terms are fitted again to working responses after each step, at most: until the loss falls by less than
# this share.
_N_SETTLING, _STILL = 8, 1e-3
# With too many terms this share of the excess is left out at once; terms that stay have next to no price.
_SHARE_AT_ONCE, _NO_PRICE = 4, 1e-12
# Cross-validation ends once its choice is clear, mostly after this many folds; each fold grows again.
_FOLDS_EXPECTED = 3


@dataclass(frozen=True)
class Prices:
    """The prices in the criterion, in units of log(rows): BIC if all are one.

    The criterion is rows·log(error) + log(rows)·(term·terms + rule·rules + split·split points + bend·bends). The error
    is the leave-one-out error: a rule of few rows with many terms does not pay.
    """

    term: float = 0.3
    rule: float = 1.0
    split: float = 1.0
    bend: float = 0.6

    def of(self, structure: Structure, n_terms: int) -> float:
        """Return the price of a structure with `n_terms` terms."""
        splits, bends = self.split * len(structure.splits), self.bend * len(structure.bends)
        return self.term * n_terms + self.rule * (structure.n_rules - 1) + splits + bends


def price_of_sure_term(n_inputs: int) -> float:
    """Return the price of a term in a finished model: by how much it must lower rows·log(error).

    The chance that a term of noise does so is about exp(-price / 2), divided by a little more than two. The price rises
    with the number of inputs, so that of the models of tables in which no input matters about one in ten has a term.

    Examples
    --------
    >>> [round(price_of_sure_term(n_inputs), 1) for n_inputs in (1, 5, 20, 50)]
    [2.0, 5.2, 8.0, 9.8]
    """
    return 2.0 * float(np.log(n_inputs)) + 2.0


class Fit(NamedTuple):
    """Fitted terms: coefficients of all terms (zero where left out), the error (ridge included), and the criterion."""

    coefficients: Floats
    error: float
    criterion: float

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """Which terms are kept; the intercept always is."""
        kept = np.asarray(self.coefficients != 0.0)
        kept[0] = True
        return kept

    @property
    def n_terms(self) -> int:
        """The number of kept terms, including the intercept."""
        return int(np.count_nonzero(self.kept))


class Step(NamedTuple):
    """One size that the growth went through."""

    structure: Structure
    fit: Fit
    n_evaluations: int
    seconds: float

    def is_sound(self, n_inputs: int) -> bool:
        """Return whether kernels can read the step: all indices in it are valid."""
        return self.structure.is_sound(n_inputs) and self.fit.coefficients.shape == (self.structure.n_terms,)


class Growth:
    """Grows a rule base on some rows.

    Parameters
    ----------
    problem : GrowthProblem
        The rows, their domains, known split points and constraints.
    budget : Budget
        The time that the growth may take.
    max_size : int
        The maximum number of divisions.
    on_step : callable, optional
        Called with the growth after each new size.

    Attributes
    ----------
    inputs : ndarray of int
        The inputs that rules are grown on; structures use only these.
    observed, rows : Rows
        The rows, with these inputs only; and the same rows with working responses and weights, unless the loss is the
        squared error.
    working : Loss
        The loss that these responses and weights come from.
    error_scale : float
        The factor from the squared error of these rows to the squared typical error of the loss.
    locality : float
        The share of the local error in the minimised error.
    path : list of Step
        Every size so far, undivided first.
    max_terms : int or None
        The maximum number of slopes and pieces of curves of a finished model.
    prices : Prices
        The prices in the criterion.
    n_exact : int
        The number of first steps of `path` that no limit cut short: every growth on these rows goes through them.
    n_evaluations : int
        The number of fitted structures.
    """

    def __init__(
        self,
        problem: GrowthProblem,
        budget: Budget = UNLIMITED,
        *,
        max_size: int = MAX_SIZE,
        on_step: Callable[[Growth], None] | None = None,
    ) -> None:
        self.loss = problem.loss
        constant = np.full(len(problem.rows), self.loss.constant(problem.rows.y, problem.rows.weight))
        self.inputs = screened_inputs(working_rows(self.loss, problem.rows, constant), problem.fixed)
        own = problem.over(self.inputs)
        self.sure_price, self.max_terms = price_of_sure_term(len(problem.known)), own.options.max_terms
        self.observed, self.options, self.knowledge = own.rows, own.options, own.knowledge
        self.budget, self.max_size, self.on_step = budget, max_size, on_step
        options = own.options
        self.regularization = DEFAULT_RIDGE if options.regularization is None else options.regularization
        self.locality = SEARCH_LOCALITY if options.locality is None else options.locality
        self.prices, self.unit = Prices(), float(np.log(max(len(own.rows), 2)))
        self.term_price = self.unit * self.prices.term
        if len(own.rows) < _FEW_ROWS * len(problem.known):
            self.prices = Prices(term=max(self.term_price, self.sure_price) / self.unit)
        self.room = Room(own)
        self.candidates = Candidates(own, self.room, self.locality, self.regularization, MIN_ROWS)
        self.teaching = Teaching(own.rows, MIN_ROWS)
        self._work_around(constant)
        self._limited: tuple[Structure, TermLimits] | None = None
        self._taught_limits: tuple[Structure, TermLimits] | None = None
        self.preference = Preference(own.rows)
        self.n_evaluations = 0
        self.path: list[Step] = []
        self.n_exact = 0

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline has passed, or a stop was requested."""
        return self.budget.over()

    @property
    def ended(self) -> bool:
        """Whether nothing new may be begun."""
        limit = self.options.max_evaluations
        return self.out_of_time or (limit is not None and self.n_evaluations >= limit)

    def run(self, path: Sequence[Step] = (), max_rules: int | None = None) -> list[Step]:
        """Grow while it pays, then prune; return the best structure of every size, undivided first.

        Parameters
        ----------
        path : sequence of Step
            Exact sizes of an earlier growth on these rows, to resume from.
        max_rules : int, optional
            The maximum number of rules of the earlier growth.
        """
        start = time.monotonic()
        if not all(step.is_sound(len(self.rows.columns)) for step in path):
            raise damaged("it has rules that are impossible for this table")
        self.path = usable_steps(path[: self.max_size + 1], self.options, max_rules)
        if self.path:
            self.n_exact, self.n_evaluations = len(self.path), self.path[-1].n_evaluations
            start -= self.path[-1].seconds
        else:
            structure = Structure.undivided(len(self.rows.columns))
            self._add(structure, self.settled(structure, self._refitted_on_rows(structure)), start)
        while len(self.path) <= self.max_size and failures(self.path) < self.options.early_stopping and not self.ended:
            grown = self._next(self.path[-1])
            if grown is None:
                break
            self._add(*grown, start)
        return self._back(self.path)

    def _add(self, structure: Structure, fit: Fit, start: float) -> None:
        self.path.append(Step(structure, fit, self.n_evaluations, time.monotonic() - start))
        # A limit, once reached, stays reached: if there is none now, there was none on the way.
        if not self.ended:
            self.n_exact = len(self.path)
        if self.on_step is not None:
            self.on_step(self)

    def work_at(self, structure: Structure, coefficients: Floats) -> None:
        """Set the working responses and weights for the predictions of a fitted structure."""
        if self.loss.reweighted:
            degrees = degrees_of(structure, self.observed)
            self._work_around(outputs_of(structure, coefficients, self.observed, degrees).together)

    def _work_around(self, raw: Floats) -> None:
        observed = self.observed
        self.working, self.error_scale = self.loss.near(observed.y, raw), 1.0
        rows = working_rows(self.working, observed, raw)
        if self.loss.reweighted:
            # Weights count rows, as without a loss.
            rows = replace(rows, weight=rows.weight * (observed.total_weight / rows.total_weight))
            square = float(rows.weight @ np.square(rows.y - raw)) / rows.total_weight
            error = self.loss.typical(np.average(self.loss.value(observed.y, raw), weights=observed.weight)) ** 2
            # An exact fit has nothing to scale.
            self.error_scale = float(error) / square if square > 0.0 else 1.0
        self.rows = self.candidates.rows = rows

    def settled(self, structure: Structure, fit: Fit) -> Fit:
        """Fit the terms again to working responses and weights of their own predictions, then choose them again."""
        if not self.loss.reweighted:
            return fit
        degrees, coefficients = degrees_of(structure, self.observed), fit.coefficients
        best = coefficients, self.error_of(structure, coefficients, degrees)
        for _ in range(_N_SETTLING):
            self.work_at(structure, coefficients)
            normal = Sums.over(self.rows, degrees).normal(structure, self.locality)
            coefficients = fit_terms(
                normal, self.regularization, start=fit.kept, limits=self._limits(structure)
            ).coefficients
            error = self.error_of(structure, coefficients, degrees)
            gain = best[1] - error
            if gain > 0.0:
                best = coefficients, error
            if gain < _STILL * best[1] or self.out_of_time:
                break
        self.work_at(structure, best[0])
        normal = Sums.over(self.rows, degrees).normal(structure, self.locality)
        return self._refitted(structure, normal, degrees, fit.kept)

    def error_of(self, structure: Structure, coefficients: Floats, degrees: Degrees | None = None) -> float:
        """Return the mean loss of a fitted structure."""
        degrees = degrees_of(structure, self.observed) if degrees is None else degrees
        raw = outputs_of(structure, coefficients, self.observed, degrees).together
        return float(np.average(self.loss.value(self.observed.y, raw), weights=self.observed.weight))

    def _next(self, step: Step) -> tuple[Structure, Fit] | None:
        """Return the best structure with one more rule or one more piece of a curve; None if there is none."""
        structure = step.structure
        self.work_at(structure, step.fit.coefficients)
        degrees, sums = self._on_rows(structure)
        outputs = outputs_of(structure, step.fit.coefficients, self.rows, degrees)
        tried: list[tuple[float, int, int, Structure, npt.NDArray[np.bool_]]] = []
        if structure.n_rules < self.options.max_rules:
            splits = self.candidates.splits(structure, step.fit.coefficients, degrees, outputs)
            for split in splits[:_N_SPLITS]:
                if self.ended:
                    return None
                divided, fit = self._split(structure, split, degrees, sums, step.fit)
                tried.append((fit.criterion, len(tried), split.input, divided, fit.kept))
        residual = self.rows.y - outputs.together
        for bend in self.candidates.bends(structure, residual, self.options.max_curves)[:_N_BENDS]:
            if self.ended:
                return None
            bent, fit = self._bend(structure, bend, degrees, sums, step.fit)
            tried.append((fit.criterion, len(tried), bend.input, bent, fit.kept))
        searches, contenders = list[SplitPointSearch](), list[Contender]()
        for _, _, input, candidate, kept in sorted(tried, key=lambda entry: entry[:2])[:_N_TUNED]:
            search = self._search(candidate, kept)
            if search is not None:
                _, fit = self._after(search, _STEPS_TO_COMPARE)
                searches.append(search)
                contenders.append(Contender(input, fit.criterion, self._losses(search.placed, fit)))
        if not searches:
            return None
        inputs_in_use = np.concatenate([structure.splits.inputs, structure.bends.inputs])
        chosen = self.preference.choose(contenders, inputs_in_use, step.fit.criterion)
        divided, fit = self._after(searches[chosen], _STEPS_OF_BEST)
        return divided, self.settled(divided, fit)

    def _losses(self, placed: Placed, fit: Fit) -> Floats:
        """Return the losses of the rows."""
        outputs = outputs_of(placed.structure, fit.coefficients, self.observed, placed.degrees)
        return self.loss.value(self.observed.y, outputs.together)

    def _split(
        self, structure: Structure, split: SplitCandidate, degrees: Degrees, sums: Sums, fit: Fit
    ) -> tuple[Structure, Fit]:
        """Fit a split of a rule; all else stays where it is."""
        number = split.number
        if number >= 0:
            ramp, with_split = degrees.ramps[number], structure
        else:
            with_split, number = structure.with_split(split.input, split.place, split.reach)
            [ramp] = growth_sums.ramps(self.rows.columns, *with_split.splits.take(np.array([number])).arrays)
        self.n_evaluations += 1
        divided = with_split.divided(split.rule, number)
        upper = degrees.weights[split.rule] * ramp
        after = sums.after_split(split.rule, upper, self.rows, degrees)
        q = structure.n_inputs + 1
        kept = np.insert(fit.kept, structure.n_rules * q, np.ones(q, dtype=np.bool_))
        weights = np.vstack([degrees.weights, upper])
        weights[split.rule] -= upper
        normal = after.normal(divided, self.locality)
        return divided, self._refitted(divided, normal, degrees._replace(weights=weights), kept)

    def _bend(
        self, structure: Structure, bend: BendCandidate, degrees: Degrees, sums: Sums, fit: Fit
    ) -> tuple[Structure, Fit]:
        """Fit a further piece of a curve; all else stays where it is."""
        self.n_evaluations += 1
        bent = structure.with_bend(bend.input, bend.place, bend.reach)
        point = Ramps(np.array([bend.input], dtype=np.intc), np.array([bend.place]), np.array([bend.reach]))
        columns = curve_columns(point, growth_sums.ramps(self.rows.columns, *point.arrays), self.rows)
        after = sums.with_columns(columns, self.rows, degrees)
        kept = np.append(fit.kept, [True, True])
        kept[1 + bend.input] = True
        normal = after.normal(bent, self.locality)
        return bent, self._refitted(bent, normal, degrees._replace(columns=np.vstack([degrees.columns, columns])), kept)

    def _on_rows(self, structure: Structure) -> tuple[Degrees, Sums]:
        degrees = degrees_of(structure, self.rows)
        return degrees, Sums.over(self.rows, degrees)

    def _refitted_on_rows(self, structure: Structure, kept: npt.NDArray[np.bool_] | None = None) -> Fit:
        self.n_evaluations += 1
        degrees, sums = self._on_rows(structure)
        return self._refitted(structure, sums.normal(structure, self.locality), degrees, kept)

    def _refitted(
        self, structure: Structure, normal: Normal, degrees: Degrees, kept: npt.NDArray[np.bool_] | None = None
    ) -> Fit:
        """Fit a structure, beginning with some of its terms; terms left out may come back."""
        price, n = self.term_price, len(self.rows)
        fit = choose_terms(normal, self.regularization, price, n, kept, self._limits(structure))
        own = fit.error * self.error_scale
        error = own * self._optimism(structure, degrees, fit) ** _SEARCHED
        cost = self.prices.of(structure, len(fit.terms))
        return Fit(fit.coefficients, own, n * float(np.log(error)) + self.unit * cost)

    def _limits(self, structure: Structure) -> TermLimits | None:
        """Return the limits on a structure's terms, if there are any."""
        if self.knowledge is None:
            return None
        # After tuning the same structure is fitted once more.
        if self._limited is None or self._limited[0] is not structure:
            self._limited = structure, self.knowledge.limits(structure)
        return self._limited[1]

    def _taught(self, structure: Structure) -> TermLimits:
        """Return the limits on the terms of a finished structure: those on any, and terms need rows to learn from."""
        # The folds of a cross-validation share their structure.
        if self._taught_limits is None or self._taught_limits[0] is not structure:
            limits, taught = self._limits(structure), self.teaching.terms(structure, degrees_of(structure, self.rows))
            own = TermLimits(taught, np.empty((0, len(taught))))
            if limits is not None:
                own = TermLimits(limits.among(taught), limits.inequalities)
            self._taught_limits = structure, own
        return self._taught_limits[1]

    def final_terms(
        self,
        structure: Structure,
        normal: Normal,
        regularization: float,
        n_rows: int,
        kept: npt.NDArray[np.bool_],
        *,
        chosen: bool = False,
    ) -> TermFit:
        """Fit the terms of a model after the search.

        Parameters
        ----------
        structure : Structure
            The model.
        normal : Normal
            Its normal equations.
        regularization : float
            The ridge, in rows.
        n_rows : int
            The number of rows behind the equations.
        kept : ndarray of bool
            The terms that the search kept. With another ridge, other terms may matter; so the choice begins with all
            terms, unless there are too many.
        chosen : bool
            Whether exactly these terms are fitted.
        """
        # A slope of every input would leave this many rows free: with few rows, errors of many terms look too small.
        n_free, limits = max(n_rows - structure.n_inputs, 1), self._taught(structure)
        if chosen:
            return fit_terms(normal, regularization, start=kept, limits=limits)
        if len(kept) <= _MANY_TERMS:
            fit = fit_terms(normal, regularization, self.sure_price, n_free, limits=limits)
        else:
            fit = choose_terms(normal, regularization, self.sure_price, n_free, kept, limits)
        return fit if self.max_terms is None else self._fewer_terms(structure, normal, regularization, fit)

    def _fewer_terms(self, structure: Structure, normal: Normal, regularization: float, fit: TermFit) -> TermFit:
        """Leave out terms that readers count, those that matter least first, until there are at most `max_terms`."""
        limit, counted = self.max_terms or 0, structure.counted_terms
        while (excess := structure.n_terms_to_read(fit.kept) - limit) > 0:
            own = np.flatnonzero(counted[fit.terms])
            # By how much the error rises without each of the terms.
            worth = np.square(fit.coefficients[fit.terms[own]]) / np.diag(fit.inverse)[own]
            least = own[np.argsort(worth, kind="stable")[: max(excess // _SHARE_AT_ONCE, 1)]]
            left = fit.kept
            left[fit.terms[least]] = False
            fit = fit_terms(normal, regularization, _NO_PRICE, 1, left, self._taught(structure))
        return fit

    def _optimism(self, structure: Structure, degrees: Degrees, fit: TermFit) -> float:
        """Return the ratio of the leave-one-out error of these rows to their error."""
        if len(fit.inverse) < len(fit.terms):
            # Terms without a price are not chosen and have no inverse, which leave-one-out errors need.
            return 1.0
        rows, total = self.rows, self.rows.total_weight
        squares, left_out = growth_terms.squares_left_out(
            (rows.rows, rows.y, rows.weight),
            structure.blocks.T @ degrees.weights,
            degrees.columns,
            structure.terms(fit.terms),
            fit.coefficients[fit.terms],
            fit.inverse,
            total,
            _MAX_LEVERAGE,
        )
        # An exact fit leaves nothing to be optimistic about.
        return left_out / squares if squares > MIN_ERROR * total else 1.0

    def tune(self, structure: Structure, kept: npt.NDArray[np.bool_], n_steps: int) -> tuple[Structure, Fit] | None:
        """Tune a structure with some of its terms, then choose the terms again.

        Returns None if a rule has too few rows, or nothing new may be begun.
        """
        search = self._search(structure, kept)
        if search is None:
            return None
        tuned, found = self._after(search, n_steps)
        return tuned, self.settled(tuned, found)

    def _search(self, structure: Structure, kept: npt.NDArray[np.bool_]) -> SplitPointSearch | None:
        if self.ended:
            return None
        splits, bends = self.room.limited(structure.splits), self.room.limited(structure.bends)
        placed = self._place(structure.placed_at(splits, bends), kept)
        if placed.n_in_smallest_rule < MIN_ROWS:
            return None
        return SplitPointSearch(placed, self.rows, self.locality, self.regularization, self._moved)

    def _after(self, search: SplitPointSearch, n_steps: int) -> tuple[Structure, Fit]:
        """Continue tuning, then choose the terms again."""
        placed = search.placed
        if self.options.fuzziness > 0.0 and placed.structure.size > 0:
            placed = search.run(n_steps)
        return placed.structure, self._refitted(placed.structure, placed.normal, placed.degrees, placed.fit.kept)

    def _place(self, structure: Structure, kept: npt.NDArray[np.bool_]) -> Placed:
        self.n_evaluations += 1
        degrees, sums = self._on_rows(structure)
        normal = sums.normal(structure, self.locality)
        fit = fit_terms(normal, self.regularization, start=kept, limits=self._limits(structure))
        return Placed(structure, degrees, normal, fit, float(degrees.weights.sum(axis=1).min()))

    def _moved(self, placed: Placed, steps: Floats) -> Placed | None:
        """Move all split points; None if a rule then has too few rows, or nothing new may be begun."""
        if self.ended:
            return None
        structure = placed.structure
        n = 2 * len(structure.splits)
        splits = self.room.moved(structure.splits, steps[:n])
        bends = self.room.moved(structure.bends, steps[n:])
        after = self._place(structure.placed_at(splits, bends), placed.fit.kept)
        return after if after.n_in_smallest_rule >= MIN_ROWS else None

    def _back(self, path: Sequence[Step]) -> list[Step]:
        """Prune the largest structure by the division it needs least, step by step, where that beats the path."""
        best = list(path)
        for size in range(len(path) - 2, -1, -1):
            smaller: tuple[Structure, Fit] | None = None
            self.work_at(best[size + 1].structure, best[size + 1].fit.coefficients)
            for structure, kept in self._reductions(best[size + 1]):
                if self.ended:
                    return best
                fit = self._refitted_on_rows(structure, kept)
                if smaller is None or fit.criterion < smaller[1].criterion:
                    smaller = structure, fit
            if smaller is None:
                break
            smaller = smaller[0], self.settled(*smaller)
            if smaller[1].criterion < best[size].fit.criterion:
                found = self.tune(smaller[0], smaller[1].kept, _STEPS_BACK)
                # Tuning lowers the error, but not always the criterion.
                if found is None or found[1].criterion > smaller[1].criterion:
                    found = smaller
                best[size] = best[size]._replace(structure=found[0], fit=found[1])
        return best

    def _reductions(self, step: Step) -> Iterator[tuple[Structure, npt.NDArray[np.bool_]]]:
        """Yield every structure with one piece of a curve or one rule less, and the terms to begin with."""
        structure, used = step.structure, step.fit.kept
        q = structure.n_inputs + 1
        n_rule_terms = structure.n_rules * q
        for number in range(len(structure.bends)):
            kept = np.delete(used, [n_rule_terms + 2 * number, n_rule_terms + 2 * number + 1])
            kept[1 + structure.bends.inputs[number]] = True
            yield structure.without_bend(number), kept
        for lower, upper in structure.reunions():
            smaller, block = structure.reunited(lower, upper)
            kept = np.delete(used, np.arange(block * q, (block + 1) * q))
            kept[:q] = True
            yield smaller, kept


def failures(path: Sequence[Step]) -> int:
    """Return how many of the last steps failed to lower the criterion."""
    best, failed = path[0].fit.criterion, 0
    for step in path[1:]:
        failed = 0 if step.fit.criterion < best else failed + 1
        best = min(best, step.fit.criterion)
    return failed


def usable_steps(path: Sequence[Step], options: GrowthOptions, max_rules: int | None = None) -> list[Step]:
    """Return the leading steps of a path that a growth with other limits goes through as well.

    Parameters
    ----------
    path : sequence of Step
        The steps of an earlier growth.
    options : GrowthOptions
        The options of the growth that resumes from them.
    max_rules : int, optional
        The maximum number of rules of the earlier growth; by default that of `options`.
    """
    limit = options.max_evaluations
    # At the lower of the two limits only one of the growths can still split a rule.
    parting = np.inf if max_rules in (None, options.max_rules) else min(max_rules, options.max_rules)
    usable: list[Step] = []
    for step in path:
        late = usable and limit is not None and step.n_evaluations >= limit
        if late or (usable and failures(usable) >= options.early_stopping):
            break
        usable.append(step)
        if step.structure.n_rules >= parting:
            break
    return usable


def growth_seconds_left(path: Sequence[Step], early_stopping: int, n_folds: int) -> float | None:
    """Estimate the seconds until the size of the model is chosen, if no further step pays; None before the first step.

    Parameters
    ----------
    path : sequence of Step
        The steps so far.
    early_stopping : int
        The number of steps in a row without an improvement after which the growth ends.
    n_folds : int
        The maximum number of folds of the cross-validation.
    """
    if len(path) < 2:
        return None
    grown = path[-1].seconds
    to_come = max(early_stopping - failures(path), 0) * grown / (len(path) - 1)
    return to_come + min(n_folds, _FOLDS_EXPECTED) * (grown + to_come)
