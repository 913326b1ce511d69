"""Candidates for the next split of a rule or bend of a curve: their gains, and the choice among equally good ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._algorithms.growth.problem import GrowthProblem, binned
from fruler._algorithms.growth.structure import Numbers, Ramps, Structure
from fruler._algorithms.growth.sums import Degrees, Outputs, rule_coefficients
from fruler._algorithms.growth.terms import Bools
from fruler._algorithms.growth.tuning import Room
from fruler._arrays import Floats
from fruler._kernels import growth_candidates
from fruler._table.rows import Rows

N_BINS = 32
# The maximum number of new places for the split of a rule that are judged on each input.
MAX_JUDGED = 11
# The initial reach of a new split point as a share of its room; tuning continues from there.
START_SHARE = 0.5
# With more terms than this, a split is judged by the strongest terms of the rules, and by its own input.
_MAX_TERMS = 13
# Two inputs with a larger correlation than this are near copies of each other. If one of them is used, the other is
# not, unless its gain is larger by this factor: readers of the rules would take it for new information.
_COPY, _MUCH_MORE = 0.99, 1.25
# The minimum ridge for judging a candidate: all else stays as it is, and slopes on few rows run away.
_MIN_RIDGE = 1e-6
# Divisions are equally good if their criteria differ by at most this many standard errors of the difference, by at
# most a difference that would be decisive if errors were normal, and by at most this share of the best one's gain.
_STANDARD_ERRORS, _DECISIVE, _SHARE_OF_GAIN = 1.0, 10.0, 0.5
# Correlations that agree in this many digits are equal.
_DIGITS = 2


class SplitPlaces(NamedTuple):
    """Places at which inputs could be split: those of input j are from `first[j]` to `first[j + 1]`.

    A place is new, or it is that of an existing split point, given by its number.
    """

    first: Numbers
    places: Floats
    reaches: Floats
    is_new: npt.NDArray[np.uint8]
    numbers: Numbers


class SplitCandidate(NamedTuple):
    """A split of a rule and how much of the error it could explain."""

    gain: float
    rule: int
    input: int
    place: float
    reach: float
    number: int


class BendCandidate(NamedTuple):
    """A further piece of a curve and how much of the error it could explain."""

    gain: float
    input: int
    place: float
    reach: float


class Candidates:
    """Judges every place at which rules could be split or curves bent.

    Parameters
    ----------
    problem : GrowthProblem
        The rows, and constraints on the inputs.
    room : Room
        Where split points may be.
    locality, regularization : float
        The share of the local error, and the ridge, of the minimised error.
    min_rows : float
        The minimum number of rows of a rule; each row counts with the rule's weight in it.
    """

    def __init__(
        self, problem: GrowthProblem, room: Room, locality: float, regularization: float, min_rows: float
    ) -> None:
        rows = problem.rows
        self.rows, self.room, self.locality, self.min_rows = rows, room, locality, min_rows
        self.knowledge = problem.knowledge
        self.total = float(rows.weight.sum())
        self.ridge = max(regularization / self.total, _MIN_RIDGE)
        found = [binned(column, values, N_BINS) for column, values in zip(rows.columns, room.sorted, strict=True)]
        self.bins = np.array([bins for bins, _, _ in found]), np.array([centres for _, centres, _ in found])
        self.edges = [known if len(known) else edges for known, (_, _, edges) in zip(room.known, found, strict=True)]
        self.copies = _near_copies(rows)
        self.untouched = [self._places(j, Ramps.none()) for j in range(len(self.edges))]

    def splits(
        self, structure: Structure, coefficients: Floats, degrees: Degrees, outputs: Outputs
    ) -> list[SplitCandidate]:
        """Return the best split of every rule on every input, the most promising first."""
        found = list(self._splits(structure, coefficients, degrees, outputs))
        gains = {(split.rule, split.input): split.gain for split in found}
        copies = self._used_copies(structure)
        return sorted(
            (
                split
                for split in found
                # If the copy cannot be split any further, neither is this input.
                if all(split.gain > _MUCH_MORE * gains.get((split.rule, j), np.inf) for j in copies[split.input])
            ),
            reverse=True,
        )

    def _used_copies(self, structure: Structure) -> list[list[int]]:
        """Return for each input that is not in use its near copies that are."""
        used = np.zeros(len(self.edges), dtype=np.bool_)
        used[structure.splits.inputs] = used[structure.bends.inputs] = True
        return [[] if used[j] else np.flatnonzero(self.copies[j] & used).tolist() for j in range(len(used))]

    def _splits(
        self, structure: Structure, coefficients: Floats, degrees: Degrees, outputs: Outputs
    ) -> Iterator[SplitCandidate]:
        residual = self.rows.y - outputs.together
        said = rule_coefficients(structure, coefficients)
        ends, asked = self.room.domains, _Asked(self, structure.splits, said)
        for rule in range(structure.n_rules):
            lower, upper = structure.bounds[rule].T
            places = structure.splits.places if len(structure.splits) else np.zeros(1)
            bounds = np.column_stack(
                [np.where(lower >= 0, places[lower], ends[:, 0]), np.where(upper >= 0, places[upper], ends[:, 1])]
            )
            # The share `locality` of the error is that of the rule by itself rather than that of the prediction.
            apart = outputs.rules[rule] + outputs.curves - outputs.together
            for candidates, terms in asked.of((structure.bounds[rule] >= 0).any(axis=1)):
                gains, best = growth_candidates.split_gains(
                    (self.rows.rows, self.rows.weight),
                    (degrees.weights[rule], residual - self.locality * apart, bounds),
                    self.bins,
                    candidates[:4],
                    terms,
                    self.locality,
                    self.total,
                    self.ridge,
                    self.min_rows,
                    MAX_JUDGED,
                )
                for j in np.flatnonzero(best >= 0).tolist():
                    c = best[j]
                    place, reach, number = candidates.places[c], candidates.reaches[c], int(candidates.numbers[c])
                    yield SplitCandidate(float(gains[j]), rule, j, place, reach, number)

    def bends(self, structure: Structure, residual: Floats, max_curves: int) -> list[BendCandidate]:
        """Return the best further piece of every curve, the most promising first."""
        points, copies = structure.bends, self._used_copies(structure)
        curved = np.unique(points.inputs)
        may = ~self.room.nominal
        if len(curved) >= max_curves:
            may &= np.isin(np.arange(len(self.edges)), curved)
        candidates = self.places_of_all(points, may)
        new = candidates.is_new.astype(np.bool_)
        gains, best = growth_candidates.curve_gains(
            self.rows.columns, residual, self.rows.weight, self.bins, candidates[:4], self.total, self.ridge
        )
        found = [
            BendCandidate(float(gains[j]), j, float(candidates.places[best[j]]), float(candidates.reaches[best[j]]))
            for j in np.flatnonzero(best >= 0).tolist()
            if new[best[j]] and all(gains[j] > _MUCH_MORE * gains[k] for k in copies[j] if best[k] >= 0)
        ]
        return sorted(found, reverse=True)

    def judged_terms(self, coefficients: Floats, may: Bools | None = None) -> Numbers:
        """Return the terms by which a split is judged; only those of inputs in `may`, if given."""
        n_terms = coefficients.shape[1]
        if may is not None and 1 + np.count_nonzero(may) <= _MAX_TERMS:
            return np.flatnonzero(np.append(True, may)).astype(np.intc)
        if n_terms <= _MAX_TERMS:
            return np.arange(n_terms, dtype=np.intc)
        used = np.abs(coefficients).max(axis=0)
        if may is not None:
            used[1:][~may] = 0.0
        used[0] = np.inf
        strongest = np.argsort(-used, kind="stable")[:_MAX_TERMS]
        return np.sort(strongest[used[strongest] > 0.0]).astype(np.intc)

    def places_of_all(self, points: Ramps, may: Bools | None = None) -> SplitPlaces:
        """Return the places of every input, or of the inputs that may be divided."""
        touched = set(points.inputs.tolist())
        parts = [self._places(j, points) if j in touched else part for j, part in enumerate(self.untouched)]
        if may is not None:
            parts = [part if allowed else _NO_PLACES for part, allowed in zip(parts, may, strict=True)]
        first = np.zeros(len(parts) + 1, dtype=np.intc)
        np.cumsum([len(part.places) for part in parts], out=first[1:])
        return SplitPlaces(first, *(np.concatenate([part[k] for part in parts]) for k in range(1, 5)))

    def _places(self, input: int, points: Ramps) -> SplitPlaces:
        """Return the split points of an input, and new places between them, in increasing order."""
        edges, numbers = self.edges[input], points.of(input)
        places = points.places[numbers]
        if len(edges) == 0 or self.room.widths[input] <= 0.0:
            return _NO_PLACES
        fixed = self.room.fixed[input]
        new = edges[~np.isin(edges, places) if fixed else self.room.free(input, edges, places)]
        around = self._reaches(input, new, places)
        new, around = new[around > 0.0], around[around > 0.0]
        all_places, all_reaches = np.concatenate([new, places]), np.concatenate([around, points.reaches[numbers]])
        all_numbers = np.concatenate([np.full(len(new), -1), numbers]).astype(np.intc)
        order = np.argsort(all_places, kind="stable")
        is_new = (all_numbers < 0).astype(np.uint8)
        return SplitPlaces(_NO_FIRST, all_places[order], all_reaches[order], is_new[order], all_numbers[order])

    def _reaches(self, input: int, new: Floats, places: Floats) -> Floats:
        """Return the initial reach of each new place."""
        low, high = self.room.domains[input]
        if self.room.fixed[input]:
            return self.room.largest_reaches(Ramps(np.full(len(new), input, dtype=np.intc), new, new))
        at = np.searchsorted(places, new)
        edges = np.concatenate([[low], places, [high]])
        left = (new - edges[at]) * np.where(at > 0, 0.5, 1.0)
        right = (edges[at + 1] - new) * np.where(at < len(places), 0.5, 1.0)
        share = min(START_SHARE, self.room.fuzziness)
        return np.asarray(np.maximum(share * np.minimum(left, right), self.room.least_reach[input]))


class _Asked:
    """The arguments of the kernel for the splits of a rule: the places, and the terms by which they are judged.

    Parameters
    ----------
    candidates : Candidates
        All places and terms.
    points : Ramps
        The existing split points.
    coefficients : ndarray of shape (n_rules, n_inputs + 1)
        The consequents of the rules.
    """

    def __init__(self, candidates: Candidates, points: Ramps, coefficients: Floats) -> None:
        self.candidates, self.points, self.coefficients = candidates, points, coefficients
        # Most rules have the same inputs in their antecedent as another rule.
        self._known: dict[bytes, list[tuple[SplitPlaces, Numbers]]] = {}

    def of(self, looks_at: Bools) -> list[tuple[SplitPlaces, Numbers]]:
        """Return the places and terms for a rule with some inputs in its antecedent.

        Inputs that may interact with the same others are judged together: all at once, if there are no constraints.
        """
        key = b"" if self.candidates.knowledge is None else looks_at.tobytes()
        if key not in self._known:
            self._known[key] = [
                (
                    self.candidates.places_of_all(self.points, split),
                    self.candidates.judged_terms(self.coefficients, partners),
                )
                for split, partners in self._groups(looks_at)
            ]
        return self._known[key]

    def _groups(self, looks_at: Bools) -> Iterator[tuple[Bools | None, Bools | None]]:
        """Yield groups of inputs that may be split, and the inputs whose slopes may then differ; None means all."""
        knowledge = self.candidates.knowledge
        if knowledge is None:
            yield None, None
            return
        if knowledge.groups is None:
            yield knowledge.may_split, None
            return
        alike: dict[bytes, Bools] = {}
        for j in np.flatnonzero(knowledge.may_split).tolist():
            together = looks_at.copy()
            together[j] = True
            partners = knowledge.partners(together)
            if partners.any():
                alike.setdefault(partners.tobytes(), np.zeros_like(looks_at))[j] = True
        for key, split in alike.items():
            yield split, np.frombuffer(key, dtype=np.bool_)


_NO_FIRST = np.empty(0, dtype=np.intc)
_NO_PLACES = SplitPlaces(_NO_FIRST, np.empty(0), np.empty(0), np.empty(0, dtype=np.uint8), _NO_FIRST)


def _near_copies(rows: Rows) -> npt.NDArray[np.bool_]:
    """Return which inputs are near copies of each other, shape (n_inputs, n_inputs); none is a copy of itself."""
    weight = rows.weight / rows.total_weight
    apart = rows.columns - (rows.columns @ weight)[:, None]
    products = (apart * weight) @ apart.T
    squares = np.diag(products)
    copies = np.square(products) > _COPY**2 * np.outer(squares, squares)
    np.fill_diagonal(copies, False)
    return np.asarray(copies)


class Contender(NamedTuple):
    """A division that has been tuned.

    Attributes
    ----------
    input : int
        The divided input.
    criterion : float
        The criterion; lower is better.
    squares : ndarray of shape (n_rows,)
        The squared errors of the rows.
    """

    input: int
    criterion: float
    squares: Floats


class Preference:
    """Chooses among divisions.

    If two inputs explain the target nearly equally well, chance decides which has the lower criterion: with another
    sample it would be the other input, and the rules would read differently. So among equally good divisions, an input
    that is already divided wins, and then the input with the largest correlation with the target, because this order
    changes least from one sample to the next.

    Parameters
    ----------
    rows : Rows
        Standardised data.

    Examples
    --------
    The second input has the larger correlation with the target, and its criterion is hardly worse:

    >>> import numpy as np
    >>> from fruler._table.rows import Rows
    >>> X = np.array([[0.0, -1.0], [-1.0, -1.0], [1.0, 1.0], [0.0, 1.0]])
    >>> preference = Preference(Rows.from_arrays(X, y=np.array([-1.5, -0.5, 0.5, 1.5])))
    >>> first = Contender(0, -3.0, np.array([0.1, 0.3, 0.1, 0.3]))
    >>> second = Contender(1, -2.9, np.array([0.3, 0.1, 0.3, 0.2]))
    >>> preference.choose([first, second], divided=[], before=0.0)
    1

    But an input that is already divided comes before all others:

    >>> preference.choose([first, second], divided=[0], before=0.0)
    0
    """

    def __init__(self, rows: Rows) -> None:
        self.weight = rows.weight / rows.total_weight
        self.correlations = np.round(_correlations(rows.rows[:, 1:], rows.y, self.weight), _DIGITS)

    def choose(
        self, contenders: Sequence[Contender], divided: Sequence[int] | npt.NDArray[np.integer], before: float
    ) -> int:
        """Return the number of the division to make.

        Parameters
        ----------
        contenders : sequence of Contender
            The divisions, at least one.
        divided : sequence of int
            The inputs in use.
        before : float
            The criterion without any of the divisions.
        """
        best = min(contenders, key=lambda one: one.criterion)
        most = min(_DECISIVE, _SHARE_OF_GAIN * max(before - best.criterion, 0.0))
        used = set(np.asarray(divided, dtype=np.intp).tolist())
        equal = [
            number
            for number, one in enumerate(contenders)
            if one.criterion - best.criterion <= min(_STANDARD_ERRORS * self._noise(one, best), most)
        ]
        return min(
            equal,
            key=lambda number: (
                contenders[number].input not in used,
                -self.correlations[contenders[number].input],
                contenders[number].criterion,
            ),
        )

    def _noise(self, one: Contender, best: Contender) -> float:
        """Return the standard error of the difference of two criteria, each rows·log(error) plus prices."""
        errors = float(self.weight @ one.squares), float(self.weight @ best.squares)
        if min(errors) == 0.0:
            return 0.0
        # By how much each row moves the two logarithms apart.
        apart = one.squares / errors[0] - best.squares / errors[1]
        return float(np.sqrt(len(apart) * (self.weight @ np.square(apart))))


def _correlations(terms: Floats, y: Floats, weight: Floats) -> Floats:
    """Return the absolute correlation of each input's terms, shape (n_rows, n_inputs), with the target."""
    inputs, target = terms - weight @ terms, y - weight @ y
    squares = (weight @ np.square(inputs)) * (weight @ np.square(target))
    products = np.abs((weight * target) @ inputs)
    return np.asarray(np.divide(products, np.sqrt(squares), out=np.zeros(len(products)), where=squares > 0.0))
