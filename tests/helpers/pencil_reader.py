"""A mechanical reader: it computes predictions from the printed rules alone, as a person with a pencil would."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

_NUMBER = r"[-+]?[\d,]*\.?\d+"
_POINT = re.compile(rf"(?P<amount>×?{_NUMBER}%?) (?P<kind>at|just below) (?P<place>.+)")
_AMOUNT = re.compile(rf"(?P<who>.+) (?P<amount>×?{_NUMBER}%?)")


def number(text: str) -> float:
    return float(text.replace(",", ""))


def change(text: str) -> float:
    """Return an amount: what is added, or the logarithm of the factor."""
    if text.startswith("×"):
        return float(np.log(number(text[1:])))
    return float(np.log1p(number(text[:-1]) / 100.0)) if text.endswith("%") else number(text)


@dataclass
class Reader:
    """The printed list of rules, and how to read places that are not numbers, such as dates.

    Attributes
    ----------
    text : str
        The text.
    places : mapping of str to callable, optional
        For each input with places that are not numbers, the function that reads one.
    """

    text: str
    places: Mapping[str, Callable[[str], float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        blocks = [[re.sub(r"\s*\n\s{4,}", " ", line) for line in _lines(block)] for block in self.text.split("\n\n")]
        self.is_log = "%" in "".join(line for block in blocks[2:] for line in block[1:] if ": " in line)
        self.zeros: dict[str, str] = {}
        self.fades: dict[str, list[tuple[float, float]]] = {}
        self.shared: list[str] = []
        self.rules: list[tuple[str, list[str]]] = []
        self.lists: dict[str, str] = {}
        for head, *lines in blocks:
            if head == "For all rows":
                self.shared = lines
            elif head == "Lists":
                self.lists = dict(line.split(" (× 1): ", 1) for line in lines)
            elif head.startswith("Rule "):
                condition = head.split(": if ", 1)[1] if ": if " in head else ""
                self.rules.append((condition, lines))
            elif head.startswith("Amounts count from "):
                self._read_zeros(head.removeprefix("Amounts count from "))
            elif head.startswith("Rules fade into each other: "):
                for part in head.removeprefix("Rules fade into each other: ").split("; "):
                    name, zones = part.split(" from ", 1)
                    self.fades[name] = [self._zone(name, zone) for zone in zones.split(" and from ")]
        if not self.rules:
            self.rules = [("", self.shared)]
            self.shared = []

    def _read_zeros(self, text: str) -> None:
        for part in re.split(r", (?=[^\d])", text):
            name, zero = re.fullmatch(rf"(.+?) ({_NUMBER}.*|\d+ [A-Z].*)", part).groups()
            self.zeros[name] = zero

    def place(self, name: str, text: str) -> float:
        if name in self.places:
            return self.places[name](text)
        return number(re.match(_NUMBER, text)[0])

    def _zone(self, name: str, zone: str) -> tuple[float, float]:
        low, high = zone.split(" to ")
        return self.place(name, low), self.place(name, high)

    # Conditions

    def degree(self, condition: str, row: Mapping[str, object]) -> float:
        """Return how far a row meets a condition."""
        name = max((name for name in row if condition.startswith(f"{name} ")), key=len)
        rest = condition.removeprefix(name).strip()
        if rest in ("is missing", "is present"):
            return float(bool(row[f"{name} is missing"]) == (rest == "is missing"))
        value = row[name]
        if isinstance(value, str):
            words = rest.removeprefix("is ")
            among = re.split(r", | or | nor ", re.sub(r"^(not|neither) ", "", words))
            return float((value in among) != words.startswith(("not ", "neither ")))
        low, high = self._bounds(name, rest)
        return self._above(name, low, value) - self._above(name, high, value)

    def _bounds(self, name: str, rest: str) -> tuple[float | None, float | None]:
        """Return the split points below and above the values that a condition accepts."""
        if within := re.search(r"\((under|over)? ?(.+?)\)$", rest):
            ends = within[2]
            if within[1]:
                split = self.place(name, ends)
                return (None, split) if within[1] == "under" else (split, None)
            return tuple(self.place(name, end) for end in ends.split(" to "))
        if rest.startswith("is "):
            words = rest.removeprefix("is ")
            if words.startswith("before "):
                return None, self.place(name, words.removeprefix("before "))
            if words.startswith("after "):
                return self.place(name, words.removeprefix("after ")), None
            return tuple(self.place(name, end) for end in words.split(" to "))
        values = [number(value) for value in re.split(r" to | or |, ", rest.removeprefix("= "))]
        # A split point lies between neighbouring values.
        return values[0] - 0.5, values[-1] + 0.5

    def _above(self, name: str, split: float | None, value: float) -> float:
        """Return how far a value lies above a split point; 1 if there is none below."""
        if split is None:
            return 1.0
        zones = self.fades.get(name, [])
        near = [zone for zone in zones if abs(sum(zone) / 2.0 - split) <= max(0.51, 0.3 * (zone[1] - zone[0]))]
        if not near:
            return float(value >= split)
        low, high = min(near, key=lambda zone: abs(sum(zone) / 2.0 - split))
        return float(np.clip((value - low) / (high - low), 0.0, 1.0))

    def weights(self, row: Mapping[str, object]) -> np.ndarray:
        """Return the weight of each rule in a row."""
        found = []
        for condition, _ in self.rules:
            weight = 1.0
            for part in filter(None, re.split(r" and (?=\D)", condition)):
                # An open side is met by everything.
                weight *= self._met(part, row)
            found.append(weight)
        total = sum(found)
        return np.array(found) / total if total else np.array(found)

    def _met(self, part: str, row: Mapping[str, object]) -> float:
        if "(under" in part or "is before" in part:
            name = max((name for name in row if part.startswith(f"{name} ")), key=len)
            return 1.0 - self._above(name, self._bounds(name, part.removeprefix(name).strip())[1], row[name])
        if "(over" in part or "is after" in part:
            name = max((name for name in row if part.startswith(f"{name} ")), key=len)
            return self._above(name, self._bounds(name, part.removeprefix(name).strip())[0], row[name])
        return self.degree(part, row)

    # Effects

    def _effects(self, rule: int) -> list[str]:
        found = []
        for line in self.rules[rule][1]:
            if same := re.match(r"as in rule (\d+): (.+)", line):
                others = dict(_named(one) for one in self._effects(int(same[1]) - 1))
                names = same[2]
                for name in sorted(others, key=len, reverse=True):
                    if re.search(rf"(^|, ){re.escape(name)}(, |$)", names):
                        found.append(f"{name}: {others[name]}")
                        names = re.sub(rf"(^|, ){re.escape(name)}(?=, |$)", "", names)
                assert not names.strip(", "), f"nothing is said of {names!r}"
            elif ": " in line and not line.startswith("typical "):
                found.append(line)
        return found

    def amount(self, line: str, row: Mapping[str, object]) -> float:
        """Return what an effect adds to the prediction of a row, or the logarithm of its factor."""
        name, said = _named(line)
        column = re.sub(r" \(list \d\)$", "", name)
        if said.startswith("× "):
            return number(said[2:]) * self._of_category(self.lists[name], row[column])
        if " = " in name or name.endswith((" missing", " present")):
            return change(said) if _is_state(name, row) else 0.0
        if step := re.fullmatch(rf"(×?{_NUMBER}%?) per (.*)", said):
            size = re.match(_NUMBER, step[2])
            steps = (row[name] - self.place(name, self.zeros[name])) / (number(size[0]) if size else 1.0)
            return change(step[1]) * steps
        if isinstance(row.get(column), str):
            return self._of_category(said, row[column])
        return self._of_points(name, said, row[name])

    def _of_points(self, name: str, said: str, x: float) -> float:
        points = [_POINT.fullmatch(part) for part in said.split(" · ")]
        places = [self.place(name, one["place"]) for one in points]
        heights = [np.exp(change(one["amount"])) if self.is_log else change(one["amount"]) for one in points]
        k = int(np.clip(np.searchsorted(places, x, side="right"), 1, len(places) - 1))
        run = places[k] - places[k - 1]
        height = heights[k - 1] + (heights[k] - heights[k - 1]) * (x - places[k - 1]) / run if run else heights[k]
        return float(np.log(max(height, 1e-9))) if self.is_log else float(height)

    def _of_category(self, said: str, level: str) -> float:
        base = re.search(r" ?\(against (.+)\)$", said)
        found = 0.0
        for part in filter(None, (said[: base.start()] if base else said).split(" · ")):
            own = _AMOUNT.fullmatch(part)
            if own["who"] == "others":
                found = found or change(own["amount"])
            elif level in (own["who"], *own["who"].split(", ")) or f", {level}," in f", {own['who']},":
                return change(own["amount"])
        if base and (level == base[1] or level in base[1].split(", ")):
            return 0.0
        return found

    def predict(self, row: Mapping[str, object]) -> float:
        """Return the prediction for a row: by name, a number, or the text of a category."""
        outputs = []
        for rule, (_, lines) in enumerate(self.rules):
            start = number(re.search(rf"start ({_NUMBER})", " ".join(lines))[1])
            effects = [*self._effects(rule), *self.shared]
            added = sum(self.amount(line, row) for line in effects if "; start" not in line)
            outputs.append(np.log(start) + added if self.is_log else start + added)
        weights = self.weights(row)
        raw = float(weights @ np.array(outputs)) if weights.any() else np.nan
        return float(np.exp(raw)) if self.is_log else raw


def _lines(block: str) -> list[str]:
    """Return the lines of a paragraph; deeper lines continue the one before."""
    found: list[str] = []
    for line in block.splitlines():
        if line.startswith("    ") and found:
            found[-1] += f" {line.strip()}"
        else:
            found.append(line.strip())
    return found


def _named(line: str) -> tuple[str, str]:
    name, said = line.split(": ", 1)
    return name, said


def _is_state(name: str, row: Mapping[str, object]) -> bool:
    if " = " in name:
        column, value = name.rsplit(" = ", 1)
        return row[column] == number(value)
    column, state = name.rsplit(" ", 1)
    return bool(row[f"{column} is missing"]) == (state == "missing")


def readable_rows(rule_base, values: np.ndarray) -> list[dict[str, object]]:
    """Return rows of inputs as a person sees them: numbers, and the names of categories."""
    columns: dict[str, list[object]] = {}
    for feature in rule_base.features:
        if feature.has_levels:
            chosen = feature.options_of(values)
            columns[feature.name] = [feature.options[k].text for k in chosen]
        else:
            columns[feature.name] = values[:, feature.inputs[0]].tolist()
    return pd.DataFrame(columns).to_dict("records")
