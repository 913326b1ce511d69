"""An ES module of JavaScript with ``predict(row)`` and ``explain(row)``, without dependencies, and its types."""

from __future__ import annotations

import json
import re
from typing import Any

from fruler._table.dates import AS_WRITTEN
from fruler._table.sources import LevelSource
from fruler._table.texts import hold_truth, spellings
from fruler._wording import counted_rules, name_with_unit, printable
from fruler.explain._engine import engine_code, engine_data, engine_json
from fruler.export._phrases import rule_title
from fruler.export._plan import ColumnPlan, make_model_plan
from fruler.rules._rule_base import RuleBase

# Down to this depth, the members of objects and lists have lines of their own.
_DEPTH = 3
# In an object of JavaScript, unlike in one of JSON, this key would set the prototype.
_PROTOTYPE = re.compile(r'(?<!\\)"__proto__"(?=:)')

_TYPES = """/** The columns of a row. Null is a missing value, and so is a category that the model was not fitted on. */
export interface Row {
%(columns)s}

/** A row: an object, or its values in the order of INPUTS. */
export type AnyRow = Row | readonly (number | string | boolean | Date | null)[];

export interface Explanation {
  prediction: number;
%(ends)s  /** The prediction from which contributions are counted%(scale)s. */
  base: number;
  /** What each input adds to the base, the largest contribution first. */
  contributions: { input: string; contribution: number }[];
  /** The active rules, the strongest first. The weights sum to one, and each output is that of the rule by itself. */
  rules: { rule: number; text: string; weight: number; output: number }[];
  /** Whether any rule fired; if not, the nearest rule was used. */
  fired: boolean;
  /** Inputs outside the range of the training data. */
  outside: string[];
  /** Inputs that were missing or unknown, and were estimated from the others. */
  missing: string[];
}

export const INPUTS: readonly string[];
export const TARGET: string;
export function predict(row: AnyRow): number;
%(interval)sexport function explain(row: AnyRow): Explanation;
"""
_ENDS = "  /** The ends of the prediction interval. */\n  lower: number;\n  upper: number;\n"
_INTERVAL = """export const COVERAGE: number;
/** The prediction, and the lower and the upper end of its interval. */
export function predictInterval(row: AnyRow): [prediction: number, lower: number, upper: number];
"""


def export(rule_base: RuleBase, *, interval: float | None = None, types: bool = False) -> str:
    r"""Write a rule base as an ES module of JavaScript.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. It adds ``predictInterval(row)``, which returns the
        prediction and the two ends of its interval, and these ends to ``explain(row)``.
    types : bool, default=False
        Write the declarations of the module for TypeScript (``.d.ts``) instead of the module.

    Returns
    -------
    str
        The source: ``predict(row)`` takes an object with the columns of the table as keys, or an array in the order of
        ``INPUTS``. ``explain(row)`` also returns the contribution of each input and the active rules. Null and unknown
        categories are missing values, which are filled in as in `RuleBase.predict`. An ``Error`` is thrown if the row
        lacks a column, if a number is not finite, or if the model has no estimates for missing values.

    See Also
    --------
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print("\n".join(export(rules).splitlines()[-4:]))
    const { columns: INPUTS, predict, explain } = makeModel(DATA);
    const TARGET = "heating";
    <BLANKLINE>
    export { INPUTS, TARGET, predict, explain };
    >>> print("\n".join(export(rules, types=True).splitlines()[1:4]))
    export interface Row {
      "temperature": number | string | null;
    }
    """
    plan = make_model_plan(rule_base, interval)
    if types:
        return _TYPES % {
            "columns": "".join(f"  {json.dumps(one.name)}: {_type(one)};\n" for one in plan.inputs.columns),
            "ends": "" if interval is None else _ENDS,
            "scale": "" if rule_base.output.transform.keeps_units else ", on the scale of the logarithm",
            "interval": "" if interval is None else _INTERVAL,
        }
    target = name_with_unit(rule_base.target_name, rule_base.target_unit)
    named = ["predict", "explain"] if interval is None else ["predict", "predictInterval", "explain"]
    title = printable(f"{counted_rules(rule_base.n_rules, rule_base.n_curves)} for {target}")
    data = _PROTOTYPE.sub('["__proto__"]', _laid_out(_data(rule_base, interval)))
    coverage = [] if interval is None else [f"const COVERAGE = {interval!r};"]
    constants = ["INPUTS", "TARGET", *([] if interval is None else ["COVERAGE"])]
    lines = [
        f"// {title}, learned and written by fruler.",
        engine_code(),
        f"const DATA = {data};",
        "",
        f"const {{ columns: INPUTS, {', '.join(named)} }} = makeModel(DATA);",
        f"const TARGET = {engine_json(str(rule_base.target_name))};",
        *coverage,
        "",
        f"export {{ {', '.join([*constants, *named])} }};",
    ]
    return "\n".join(lines) + "\n"


def _data(rule_base: RuleBase, coverage: float | None) -> dict[str, Any]:
    """Return the data of the model, with all that is needed to read the rows of tables."""
    data = engine_data(rule_base, coverage)
    for written, variable in zip(data["model"]["inputs"], rule_base.variables, strict=True):
        source = variable.source
        if isinstance(source, LevelSource) and not source.of_dates:
            known = {text: number for level, number in source.choices for text in spellings(level, source.levels)}
            written["source"] |= {"categories": known, "any_case": hold_truth(source.levels)}
    gaps = rule_base.gaps
    if gaps is not None:
        slopes = gaps.slopes.tolist()
        data["gaps"] = {"inputs": list(gaps.inputs), "means": gaps.means.tolist(), "slopes": slopes}
    data["titles"] = [rule_title(rule_base, rule) for rule in range(rule_base.n_rules)]
    return data


def _laid_out(value: Any, depth: int = _DEPTH) -> str:
    """Return data as JSON, of which large parts are on lines of their own."""
    if not depth or not value or not isinstance(value, dict | list):
        return engine_json(value, separators=(", ", ":"))
    if isinstance(value, dict):
        opening, closing = "{}"
        parts = [f"{engine_json(key)}: {_laid_out(own, depth - 1)}" for key, own in value.items()]
    else:
        opening, closing = "[]"
        parts = [_laid_out(own, depth - 1) for own in value]
    pad = "  " * (_DEPTH - depth)
    return f"{opening}\n" + "".join(f"{pad}  {part},\n" for part in parts) + f"{pad}{closing}"


def _type(column: ColumnPlan) -> str:
    """Return the type of the values of a column."""
    if column.dates is not None:
        return "string | null" if column.dates.zone in ("", AS_WRITTEN) else "string | Date | null"
    if column.holds_numbers:
        return "number | string | null"
    return "boolean | number | string | null" if column.holds_truth else "string | number | null"
