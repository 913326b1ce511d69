"""The steps of a prediction, calculated in Python, without a spreadsheet or an engine."""

import math
import operator

from fruler.export._plan import make_model_plan
from fruler.export._steps import Formula, ModelSteps, is_missing, name, when

FUNCTIONS = {
    "+": lambda *terms: math.fsum(terms),
    "*": lambda *terms: math.prod(terms),
    "-": operator.sub,
    "/": operator.truediv,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "and": lambda *all_of: all(all_of),
    "or": lambda *any_of: any(any_of),
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "floor": math.floor,
    "exp": math.exp,
    "is missing": math.isnan,
}


class CalculatedSteps(ModelSteps):
    """Steps of columns that are numbers already: those of a table without categories, dates as seconds."""

    def read(self, place, column):
        self.add(f"read_{place}", column.name, name(f"column {place}"))

    def number(self, place):
        return name(f"read_{place}")

    def gap(self, place):
        return when(is_missing(self.number(place)), 1.0, 0.0)

    level = fill = None

    def row(self, values):
        known = {f"column {place}": float(value) for place, value in enumerate(values)}
        for step in self.steps.values():
            known[step.name] = calculate(step.formula, known)
        return known


def calculate(term, known):
    if not isinstance(term, Formula):
        return term
    if term.function == "name":
        return known[term.arguments[0]]
    if term.function == "missing":
        return math.nan
    if term.function == "if":
        condition, value, *otherwise = term.arguments
        chosen = [value] if calculate(condition, known) else otherwise
        return calculate(chosen[0], known) if chosen else math.nan
    return FUNCTIONS[term.function](*(calculate(argument, known) for argument in term.arguments))


def calculated_rows(rules, rows):
    """Return the values of all steps for rows of numbers."""
    steps = CalculatedSteps(rules, make_model_plan(rules, gaps=False))
    steps.add_steps()
    return [steps.row(values) for values in rows]
