"""PMML 4.4: a regression model of one derived field, which is computed step by step by other derived fields."""

from __future__ import annotations

from xml.etree import ElementTree

from fruler._table.sources import LevelSource
from fruler._table.texts import WHITE_SPACE, spellings
from fruler._wording import counted_rules, printable
from fruler.export._plan import ColumnPlan, Filling, ModelPlan, make_model_plan
from fruler.export._steps import Argument, Formula, ModelSteps, call, is_missing, linear_formula, name, when
from fruler.rules._rule_base import RuleBase

NAMESPACE = "http://www.dmg.org/PMML-4_4"
_FUNCTIONS = {
    "is missing": "isMissing",
    "=": "equal",
    "<": "lessThan",
    "<=": "lessOrEqual",
    ">": "greaterThan",
    ">=": "greaterOrEqual",
}
# Functions that PMML has under another name for more than two arguments.
_MANY = {"+": "sum", "*": "product"}
_AROUND = "^[{0}]+|[{0}]+$".format("".join(f"\\x{{{ord(space):x}}}" for space in WHITE_SPACE))


def export(rule_base: RuleBase, *, interval: float | None = None) -> str:
    r"""Write a rule base as a PMML document.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. It adds two outputs, ``lower`` and ``upper``.

    Returns
    -------
    str
        The document. Its data fields are the columns of the table: numbers, strings, and dates as ``dateTime``, on the
        clock of the training table. Missing values and unknown categories are filled in as in `RuleBase.predict`; the
        prediction is missing if the model has no estimates.

    Raises
    ------
    ValueError
        If a name has control characters, which XML has not.

    See Also
    --------
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print("\n".join(export(rules).splitlines()[5:9]))
      <DataDictionary>
        <DataField name="temperature" optype="continuous" dataType="double" />
        <DataField name="heating" optype="continuous" dataType="double" />
      </DataDictionary>
    """
    return _PMMLWriter(rule_base, make_model_plan(rule_base, interval)).text()


class _PMMLWriter(ModelSteps):
    """A writer of the document; the names of derived fields have a prefix that no column begins with."""

    def __init__(self, rule_base: RuleBase, plan: ModelPlan) -> None:
        super().__init__(rule_base, plan)
        self.target = str(rule_base.target_name)
        taken = [column.name for column in self.columns.values()]
        while self.target in taken:
            self.target += "_"
        taken.append(self.target)
        if any(ord(sign) < ord(" ") and sign not in "\t\n\r" for own in taken for sign in own):
            raise ValueError("XML has no control characters, and the name of a column has some; choose another format.")
        self.prefix, self.ends = "fruler_", ["lower", "upper"]
        while any(own.startswith(self.prefix) for own in taken):
            self.prefix += "_"
        while set(self.ends) & set(taken):
            self.ends = [f"{end}_" for end in self.ends]
        self.derived = ElementTree.Element("LocalTransformations")

    def text(self) -> str:
        """Return the document."""
        self.add_steps()
        document = ElementTree.Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
        title = counted_rules(self.rule_base.n_rules, self.rule_base.n_curves)
        header = _child(document, "Header", description=f"{title} for {self.target}")
        _child(header, "Application", name="fruler")
        self.write_fields(_child(document, "DataDictionary"))
        self.write_model(document)
        ElementTree.indent(document)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(document, encoding="unicode") + "\n"

    def write_fields(self, dictionary: ElementTree.Element) -> None:
        """Add the columns of the table, and the target."""
        for column in self.columns.values():
            kinds = ("categorical", "string") if column.levels else ("continuous", "double")
            optype, kind = kinds if column.dates is None else ("ordinal", "dateTime")
            field = _child(dictionary, "DataField", name=column.name, optype=optype, dataType=kind)
            for level in column.levels or ():
                _child(field, "Value", value=level)
        _child(dictionary, "DataField", name=self.target, optype="continuous", dataType="double")

    def write_model(self, document: ElementTree.Element) -> None:
        """Add the regression model, with a derived field for each step."""
        model = _child(document, "RegressionModel", modelName="rules", functionName="regression")
        schema = _child(model, "MiningSchema")
        _child(schema, "MiningField", name=self.target, usageType="target")
        for column in self.columns.values():
            # Other categories are valid texts, which count as missing.
            treatment = {"invalidValueTreatment": "asIs"} if column.levels else {}
            _child(schema, "MiningField", name=column.name, **treatment)
        if self.plan.interval is not None:
            output = _child(model, "Output")
            for end, formula in zip(self.ends, self.answers[1:], strict=True):
                own = {"optype": "continuous", "dataType": "double", "feature": "transformedValue"}
                self.write(_child(output, "OutputField", name=end, **own), formula)
        for step in self.steps.values():
            field = {"name": self.prefix + step.name, "displayName": printable(step.title)}
            kind = ("categorical", "string") if step.name.startswith("text_") else ("continuous", "double")
            self.write(_child(self.derived, "DerivedField", **field, optype=kind[0], dataType=kind[1]), step.formula)
        model.append(self.derived)
        table = _child(model, "RegressionTable", intercept="0")
        _child(table, "NumericPredictor", name=f"{self.prefix}prediction", coefficient="1")

    def read(self, place: int, column: ColumnPlan) -> None:
        field = call("field", column.name)
        if column.dates is not None:
            seconds = when(call("isNotMissing", field), call("dateSecondsSinceYear", field, 1970))
            self.add(f"read_{place}", f"{column.name}, in seconds from 1970", seconds)
        elif column.levels is not None:
            text = call("replace", field, call("text", _AROUND), call("text", ""))
            text = call("lowercase", text) if column.holds_truth else text
            self.add(f"text_{place}", column.name, when(call("isNotMissing", field), text))

    def number(self, place: int) -> Formula:
        return call("field", self.columns[place].name)

    def gap(self, place: int) -> Formula:
        blank = call("=", name(f"text_{place}"), call("text", ""))
        return when(is_missing(self.number(place)), 1.0, when(blank, 1.0, 0.0) if self.columns[place].levels else 0.0)

    def level(self, place: int, source: LevelSource) -> Formula:
        known = [(spellings(level, source.levels), repr(number)) for level, number in source.choices]
        pairs = [part for texts, number in known for text in texts for part in (text, number)]
        return call("map", name(f"text_{place}"), *pairs)

    def fill(self, filling: Filling) -> None:
        names, absent = self.rule_base.names, {j: is_missing(self.inputs[j]) for j in filling.means}
        for j, mean in filling.means.items():
            start = when(absent[j], mean, self.inputs[j])
            self.inputs[j] = self.add(f"filled_0_{j + 1}", f"{names[j]}, or its mean", start)
        for turn in range(1, filling.n_rounds + 1):
            for step in filling.steps:
                estimates = zip(step.inputs, step.intercepts, step.slopes, strict=True)
                # All of a step from the values before it.
                found = {j: call("+", *linear_formula(start, slopes, self.inputs)) for j, start, slopes in estimates}
                for j, estimate in found.items():
                    value = when(absent[j], estimate, self.inputs[j])
                    self.inputs[j] = self.add(f"filled_{turn}_{j + 1}", f"{names[j]}, estimate {turn}", value)

    def write(self, parent: ElementTree.Element, term: Argument) -> None:
        """Write a formula as an expression."""
        if not isinstance(term, Formula):
            kind = "integer" if isinstance(term, int) else "double"
            _child(parent, "Constant", dataType=kind).text = repr(term)
            return
        match term.function, term.arguments:
            case "name", (str(step),):
                _child(parent, "FieldRef", field=self.prefix + step)
            case "field", (str(column),):
                _child(parent, "FieldRef", field=column)
            case "missing", _:
                _child(parent, "Constant", dataType="double", missing="true")
            case "text", (str(text),):
                _child(parent, "Constant", dataType="string").text = text
            case "map", (Formula(arguments=(str(step),)), *pairs):
                self.write_map(parent, self.prefix + step, [str(text) for text in pairs])
            case (("+" | "*"), (one,)):
                self.write(parent, one)
            case function, arguments:
                own = _FUNCTIONS.get(function, function)
                many = _MANY.get(function, own) if len(arguments) > 2 else own
                apply = _child(parent, "Apply", function=many)
                for argument in arguments:
                    self.write(apply, argument)

    def write_map(self, parent: ElementTree.Element, step: str, pairs: list[str]) -> None:
        """Write the numbers of texts, which are in turns."""
        values = _child(parent, "MapValues", outputColumn="number", dataType="double")
        _child(values, "FieldColumnPair", field=step, column="text")
        table = _child(values, "InlineTable")
        for text, number in zip(pairs[::2], pairs[1::2], strict=True):
            row = _child(table, "row")
            _child(row, "text").text = text
            _child(row, "number").text = number


def _child(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, attributes)
