"""A module of plain Python with ``predict(row)``, without dependencies."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Sequence

from fruler._table.date_sources import CycleSource, DateSource, WeekdaySource
from fruler._table.sources import LevelSource
from fruler._table.texts import spellings
from fruler._wording import printable
from fruler.export._phrases import Identifiers
from fruler.export._plan import ModelPlan, make_model_plan
from fruler.export._writer import CodeWriter, Declared, indented
from fruler.rules._rule_base import RuleBase

_OWN_NAMES = (
    *("math", "datetime", "re", "zoneinfo"),
    *("predict", "row", "values", "weight", "output", "total", "curves", "steps", "nearest"),
    *("predict_interval", "beyond", "said", "reach"),
    *("INPUTS", "TARGET", "MEANS", "SLOPES", "COVERAGE", "RADII", "WHOLE"),
)

_MEAN = '''
def _mean(weight, numbers, total):
    """The mean of one number per rule, weighted by the degrees of the rules."""
    return sum(own * number for own, number in zip(weight, numbers)) / total
'''

_NEAREST_RULE = '''
def _nearest_rule(steps):
    """The rule with the smallest distance, the first one in case of ties."""
    return steps.index(min(steps))
'''

_NUMBER = '''
def _number(value):
    """Return a value as a number, NaN if it is missing."""
    if value is None or isinstance(value, str) and not value.strip():
        return math.nan
    number = float(value)
    if math.isinf(number) or isinstance(value, str) and math.isnan(number):
        raise ValueError(f"the numbers of a row must be finite; got {value!r}")
    return number
'''

_LEVEL = '''
def _level(value, numbers, any_case=False):
    """Return the number of a category, NaN if it is missing or unknown."""
    if _is_missing(value):
        return math.nan
    text = f"{value:.15g}" if isinstance(value, float) else str(value).strip()
    return numbers.get(text.lower() if any_case else text, math.nan)
'''

_IS_MISSING = '''
def _is_missing(value):
    """Return whether a value is missing: None, NaN or blank text."""
    return value is None or value != value or isinstance(value, str) and not value.strip()
'''

_FILL = '''
def _fill(values):
    """Fill in missing values by their regressions on the others."""
    missing = [place for place, value in enumerate(values) if math.isnan(value)]
    apart = [0.0 if math.isnan(value) else value - mean for value, mean in zip(values, MEANS)]
    for _ in range({n_rounds} if missing else 0):
        for place in missing:
            apart[place] = sum(slope * value for slope, value in zip(SLOPES[place], apart))
    for place in missing:
        values[place] = MEANS[place] + apart[place]
'''

_SECONDS = r'''
def _seconds(value, zone="", order="ymd"):
    """Return the seconds since the start of 1970, in the local time of a zone, NaN if the date is missing."""
    if _is_missing(value):
        return math.nan
    if isinstance(value, str):
        value = _date(value.strip(), order)
    elif not isinstance(value, datetime.date):
        raise ValueError(f"expected a date; got {value!r}")
    elif not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if (value.tzinfo is not None) != bool(zone):
        raise ValueError(f"dates must have {'a' if zone else 'no'} time zone; got {value}")
    if zone and zone != "as written":
        value = value.astimezone(zoneinfo.ZoneInfo(zone))
    return (value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)).total_seconds()


def _date(text, order):
    """Parse a date."""
    pattern = r"(\d+)[-/.](\d+)(?:[-/.](\d+))?(?:[T ](\d+):(\d+)(?::(\d+)(?:[.,]\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?"
    match = re.fullmatch(pattern, text)
    if match is None or order == "ymd" and len(match[1]) != 4:
        raise ValueError(f"dates must be written like 2024-12-31; got {text!r}")
    *numbers, zone = match.groups()
    first, second, third, hour, minute, second_of_minute = (int(number or 0) for number in numbers)
    if len(match[1]) == 4:
        year, month, day = first, second, third or 1
    else:
        year, month, day = (third, second, first) if order == "dmy" else (third, first, second)
    zoned = datetime.datetime.strptime(zone, "%z").tzinfo if zone else None
    return datetime.datetime(year, month, day, hour, minute, second_of_minute, tzinfo=zoned)
'''

_DAY_OF_YEAR = '''
def _day_of_year(seconds):
    """Return the days since 1 January, with a 29 February in every year."""
    if math.isnan(seconds):
        return math.nan
    day, of_day = divmod(seconds, 86400.0)
    # Days since a 1 March in the calendar's cycle of 400 years.
    day = int(day + 719468) % 146097
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    return (day - (365 * year + year // 4 - year // 100) + 60) % 366 + of_day / 86400.0
'''

_WEEKDAY = '''
def _weekday(seconds, numbers):
    """Return the number of a weekday, from Monday to Sunday, NaN if it is unknown."""
    return math.nan if math.isnan(seconds) else numbers[int(seconds // 86400.0 + 3) % 7]
'''

_PREDICT_ALONE = '''
def predict(row):
    """Return the prediction for one row, as predict_interval does."""
    return predict_interval(row)[0]
'''


def export(rule_base: RuleBase, *, interval: float | None = None) -> str:
    r"""Write a rule base as a Python module.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. It adds ``predict_interval(row)``, which returns the
        prediction and the two ends of its interval.

    Returns
    -------
    str
        The source: ``predict(row)`` takes the values of one row in the order of ``INPUTS``, the columns of the table,
        and returns the prediction. Categories are text, and dates are dates or text. None, NaN and unknown categories
        are missing values, which are filled in as in `RuleBase.predict`. A ``ValueError`` is raised if the model has no
        estimates for missing values, or if a number is infinite.

    See Also
    --------
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print("\n".join(export(rules).splitlines()[-10:]))
        # Rule 1: if temperature is low
        weight[0] = 1.0 - temperature_above_low
        output[0] = 25.0 - 1.0 * temperature
    <BLANKLINE>
        # Rule 2: if temperature is high
        weight[1] = temperature_above_low
        output[1] = 5.25
    <BLANKLINE>
        total = sum(weight)
        return _mean(weight, output, total)
    """
    return _PythonWriter(rule_base, make_model_plan(rule_base, interval)).text()


class _PythonWriter(CodeWriter):
    MEAN = _MEAN
    NEAREST_RULE = _NEAREST_RULE
    BLANK_LINES = 2
    LANGUAGE, ROW, TOTAL = "python", "row", ("total = sum(weight)",)

    def __init__(self, rule_base: RuleBase, plan: ModelPlan) -> None:
        self.modules = {"math"}
        super().__init__(rule_base, plan)
        # Columns that no rule uses may hold anything.
        self.numbers_only = plan.inputs.plain and len(plan.used) == len(rule_base.columns) > 0
        if plan.inputs.plain and not self.numbers_only:
            self.values = [self.value(j) for j in plan.inputs.needed]

    def new_identifiers(self) -> Identifiers:
        return Identifiers((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *_OWN_NAMES))

    def number(self, value: str) -> str:
        self.require(_NUMBER)
        return f"_number({value})"

    def gap(self, value: str) -> str:
        self.require(_IS_MISSING)
        return f"float(_is_missing({value}))"

    def level(self, source: LevelSource, value: str, feature: int) -> str:
        self.require(_IS_MISSING, _LEVEL)
        numbers = {text: number for level, number in source.choices for text in spellings(level, source.levels)}
        any_case = ", any_case=True" if self.plan.inputs.column_of(feature).holds_truth else ""
        return f"_level({value}, {numbers!r}{any_case})"

    def cycle(self, source: CycleSource, seconds: str) -> str:
        if source.cycle == "hour":
            return f"({seconds} % 86400.0 / 3600.0 - {source.start!r}) % 24.0"
        self.require(_DAY_OF_YEAR)
        return f"(_day_of_year({seconds}) - {source.start!r}) % 366.0"

    def weekday(self, source: WeekdaySource, seconds: str, feature: int) -> str:
        self.require(_WEEKDAY)
        numbers = ", ".join("math.nan" if number is None else repr(number) for number in source.week)
        return f"_weekday({seconds}, ({numbers}))"

    def seconds(self, source: DateSource, value: str) -> str:
        dates = source.dates
        self.require(_IS_MISSING, _SECONDS)
        self.modules |= {"datetime", "re"} | ({"zoneinfo"} if dates.zone else set())
        zone = f", zone={dates.zone!r}" if dates.zone else ""
        order = f", order={dates.order!r}" if dates.order != "ymd" else ""
        return f"_seconds({value}{zone}{order})"

    def head(self) -> str:
        rule_base = self.rule_base
        self.add_filling()
        units = {one.column: one.unit for one in rule_base.variables if one.unit and one.written(0.0) is None}
        lines = [self.title(), "", *(f"import {module}" for module in sorted(self.modules)), "", "INPUTS = ("]
        notes = {column: f"  # in {printable(unit)}" for column, unit in units.items()}
        lines += [f"    {str(column)!r},{notes.get(column, '')}" for column in rule_base.columns]
        lines += [")", f"TARGET = {str(rule_base.target_name)!r}"]
        lines += [] if self.plan.interval is None else [f"COVERAGE = {self.plan.interval.coverage!r}"]
        return "\n".join(lines)

    def add_filling(self) -> None:
        """Add the estimates for gaps, and the function that fills them in."""
        filling = self.plan.inputs.filling
        if filling is None:
            return
        rows = "".join(f"    {row!r},\n" for row in filling.slopes)
        self.tables.append(
            "# Estimates for missing values: means, and slopes on all values that the rules use.\n"
            f"MEANS = {filling.centres!r}\nSLOPES = (\n{rows})"
        )
        self.require(_FILL.replace("{n_rounds}", str(filling.n_rounds)))

    def predictions(self) -> list[str]:
        name, what = "predict", "the prediction"
        if self.plan.interval is not None:
            name, what = "predict_interval", "the prediction and the ends of its interval"
        lines = [*(self.opening_of_numbers if self.numbers_only else self.opening)(what), *self.steps()]
        function = "\n".join([f"def {name}(row):", *indented(lines)])
        return [function] if self.plan.interval is None else [_PREDICT_ALONE, function]

    def opening_of_numbers(self, what: str) -> list[str]:
        """Return the lines that check a row of numbers and name the inputs."""
        return [
            f'"""Return {what} for one row: finite numbers in the order of INPUTS."""',
            "values = [float(value) for value in row]",
            *self.if_block(
                "len(values) != len(INPUTS)", [_error("a row has {len(INPUTS)} numbers; got {len(values)}")]
            ),
            *self.if_block("not all(map(math.isfinite, values))", [_error("the numbers of a row must be finite")]),
            f"{_unpacked(self.inputs)} = values",
        ]

    def opening(self, what: str) -> list[str]:
        """Return the lines that check a row and read the inputs from it."""
        lines = [
            f'"""Return {what} for one row: numbers and texts in the order of INPUTS.',
            "",
            "A missing value is None or NaN; an unknown text counts as missing.",
            '"""',
            "row = list(row)",
            *self.if_block("len(row) != len(INPUTS)", [_error("a row has {len(INPUTS)} values; got {len(row)}")]),
        ]
        if not self.values:
            return lines
        lines += ["values = [", *indented([f"{value}," for value in self.values]), "]"]
        if self.plan.inputs.filling is not None:
            lines.append("_fill(values)")
        else:
            problem = _error("a value that the rules need is missing or unknown")
            lines += self.if_block("any(map(math.isnan, values))", [problem])
        return [*lines, f"{_unpacked([self.inputs[j] for j in self.plan.inputs.needed])} = values"]

    def function(self, name: str, arguments: Sequence[str], description: str, lines: Sequence[str]) -> str:
        return "\n".join([f"def _{name}({', '.join(arguments)}):", *indented([f'"""{description}"""', *lines])])

    def table(self, name: str, numbers: Sequence[float], description: str) -> str:
        return f"# {description}\n{name} = ({_unpacked(list(map(repr, numbers)))})"

    def comment(self, text: str) -> str:
        return f"# {printable(text)}"

    def line(self, assignment: str, declares: Declared | None = None) -> str:
        return assignment

    def arrays(self, *names: str) -> str:
        n_rules = self.rule_base.n_rules
        return f"{', '.join(names)} = {', '.join([f'[0.0] * {n_rules}'] * len(names))}"

    def if_block(self, condition: str, lines: Sequence[str]) -> list[str]:
        return [f"if {condition}:", *indented(lines)]

    def returned(self, prediction: str, *ends: str) -> list[str]:
        return [f"return {', '.join([prediction, *ends])}"]

    def call(self, function: str, *arguments: str) -> str:
        return f"_{function}({', '.join(arguments)})"

    def one_of(self, name: str, codes: Sequence[float]) -> str:
        return f"float({name} in {tuple(codes)!r})"

    def least(self, values: Sequence[str]) -> str:
        return f"min({', '.join(values)})"

    def greatest(self, values: Sequence[str]) -> str:
        return f"max({', '.join(values)})"


def _unpacked(names: Sequence[str]) -> str:
    return ", ".join(names) + ("," if len(names) == 1 else "")


def _error(message: str) -> str:
    """Return a line that raises an error."""
    return f'raise ValueError({"f" if "{" in message else ""}"{message}")'
