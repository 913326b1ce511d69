"""Reading trials: whether a person who has never seen a model can answer questions about it from its report alone.

    python benchmarks/trials/reading_trials.py make --data FOLDER --out FOLDER
    python benchmarks/trials/reading_trials.py grade reader1.json [reader2.json ...] --out FOLDER

`make` fits models of housing prices (california), the strength of concrete (concrete) and fuel consumption (autoMPG6),
and writes their reports, `questions.md` with ten questions about each, and `answers.json` with the models' answers. A
reader gets the reports and the questions, and writes a JSON object that maps the number of a question ("housing 1") to
the answer. `grade` compares these with the models' answers and appends one line per question to
benchmarks/results/reading_trials.jsonl. The right answers are computed from the model, never read from the report.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor, RuleBase, load_keel

RESULTS = Path(__file__).parents[1] / "results" / "reading_trials.jsonl"
# The set of each topic, and the units of its columns.
TOPICS: dict[str, tuple[str, dict[str, str]]] = {
    "housing": ("california", {"HousingMedianAge": "years", "MedianHouseValue": "USD"}),
    "concrete": (
        "concrete",
        {"Age": "days", "ConcreteCompressiveStrength": "MPa"}
        | dict.fromkeys(
            ["Cement", "BlastFurnaceSlag", "FlyAsh", "Water", "Superplasticizer", "CoarseAggregate", "FineAggregate"],
            "kg/m³",
        ),
    ),
    "fuel": ("autoMPG6", {"Horse_power": "hp", "Weight": "lb", "Mpg": "mpg", "Displacement": "in³"}),
}


class Questions:
    """Ten questions about a model, with the model's answers.

    Parameters
    ----------
    rule_base : RuleBase
        The rules of the model.
    rows : DataFrame
        The training rows.
    rng : numpy Generator
        The generator that draws the subjects of the questions.
    """

    def __init__(self, rule_base: RuleBase, rows: pd.DataFrame, rng: np.random.Generator) -> None:
        self.rules, self.rows, self.rng = rule_base, rows, rng
        self.target, self.training = rule_base.target_name, rule_base.training
        self.asked: list[dict[str, Any]] = []

    def all(self) -> list[dict[str, Any]]:
        """Return all ten questions."""
        self._importance()
        self._condition()
        self._typical_output()
        self._slope()
        self._prediction_and_change()
        self._error()
        self._outside()
        self._least_true_rule()
        self._highest()
        return self.asked

    def _ask(self, question: str, answer: Any, tolerance: float = 0.0) -> None:
        self.asked.append({"question": question, "answer": answer, "tolerance": float(tolerance)})

    @property
    def _spread(self) -> float:
        return float(self.training.target_spread)

    def _importance(self) -> None:
        most = int(np.argmax(self.training.input_importance))
        self._ask("Which input moves predictions most? (its name)", self.rules.names[most])

    def _condition(self) -> None:
        """Ask for the split point at the end of a rule's condition."""
        found = []
        for rule in range(self.rules.n_rules):
            for j, first, last in self.rules.antecedents.conditions(rule):
                partition = self.rules.variables[j].partition
                points = getattr(partition, "split_points", ())
                if first == 0 and last < len(points):
                    found.append((rule, j, "below", points[last]))
                elif last == len(points) and first > 0:
                    found.append((rule, j, "above", points[first - 1]))
        rule, j, side, border = found[int(self.rng.integers(len(found)))]
        width = float(self.training.high[j] - self.training.low[j])
        self._ask(
            f"Rule {rule + 1} applies where {self.rules.names[j]} is {side} about which value? (a number)",
            float(border),
            0.03 * width,
        )

    def _typical_output(self) -> None:
        rule = int(self.rng.integers(self.rules.n_rules))
        values = self.rows.to_numpy(dtype=float)
        weights = self.rules.activations(values)[0][:, rule]
        mean = float(np.average(self.rules.rule_outputs(values)[:, rule], weights=weights))
        self._ask(
            f"About how much is {self.target} by rule {rule + 1} in the rows where it applies, on average? (a number)",
            mean,
            0.03 * self._spread,
        )

    def _slope(self) -> None:
        """Ask for the effect of an input without a curve in one rule."""
        curved = {curve.input for curve in self.rules.curves}
        effects = np.abs(self.rules.slopes * self.training.spreads)
        effects[:, sorted(curved)] = 0.0
        rule = int(np.argmax(effects.max(axis=1) * (0.5 + self.rng.random(self.rules.n_rules))))
        j = int(np.argmax(effects[rule]))
        step = float(10.0 ** np.floor(np.log10(2.0 * self.training.spreads[rule, j])))
        change = float(self.rules.slopes[rule, j]) * step
        self._ask(
            f"By rule {rule + 1}, how much does {self.target} change if {self.rules.names[j]} rises by {step:g}? "
            "(a number with its sign)",
            change,
            0.1 * abs(change),
        )

    def _prediction_and_change(self) -> None:
        row = self.rows.iloc[[int(self.rng.integers(len(self.rows)))]].astype(float)
        predicted = float(self.rules.predict(row.to_numpy())[0])
        told = ", ".join(f"{name} = {value:g}" for name, value in row.iloc[0].items())
        self._ask(f"What does the model predict for {told}? (a number)", predicted, 0.02 * self._spread)
        most = int(np.argsort(-self.training.input_importance)[1])
        name = self.rules.names[most]
        low, high = np.quantile(self.rows[name], [0.25, 0.75])
        goal = float(f"{high if abs(high - row.iloc[0, most]) > abs(low - row.iloc[0, most]) else low:.3g}")
        moved = row.copy()
        moved.iloc[0, most] = goal
        change = float(self.rules.predict(moved.to_numpy())[0]) - predicted
        self._ask(
            f"The same row, but with {name} = {goal:g}: by how much does the prediction change? "
            "(a number with its sign)",
            change,
            0.03 * self._spread,
        )

    def _error(self) -> None:
        error = self.training.cv_rmse
        self._ask("How large is the typical error on rows that the model has not seen? (a number)", error, 0.03 * error)

    def _outside(self) -> None:
        rows = self.rows.sample(3, random_state=int(self.rng.integers(2**31))).astype(float)
        bad, j = int(self.rng.integers(3)), int(np.argsort(-self.training.input_importance)[2])
        width = float(self.training.high[j] - self.training.low[j])
        rows.iloc[bad, j] = float(f"{self.training.high[j] + 0.4 * width:.4g}")
        lines = [
            f"{'ABC'[k]}: " + ", ".join(f"{name} = {value:g}" for name, value in rows.iloc[k].items()) for k in range(3)
        ]
        self._ask(
            "Which of these three rows has the prediction that you should trust least? (A, B or C) " + "; ".join(lines),
            "ABC"[bad],
        )

    def _least_true_rule(self) -> None:
        alone = np.asarray(self.training.truth.rule_alone, dtype=float)
        self._ask(
            "Which rule's own formula has the largest typical error in the rows where that rule is the strongest? "
            "(its number)",
            int(np.nanargmax(alone)) + 1,
        )

    def _highest(self) -> None:
        """Ask where the mean prediction is highest along the most important input."""
        most = int(np.argmax(self.training.input_importance))
        low, high = float(self.training.low[most]), float(self.training.high[most])
        some = np.array(self.rows.sample(min(len(self.rows), 500), random_state=0), dtype=float)
        grid = np.linspace(low, high, 201)
        means = []
        for value in grid:
            some[:, most] = value
            means.append(float(self.rules.predict(some).mean()))
        self._ask(
            f"Over the range of the data, at which value of {self.rules.names[most]} is the mean prediction highest? "
            "(a number)",
            float(grid[int(np.argmax(means))]),
            0.05 * (high - low),
        )


def make(data: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    answers, sheet = {}, ["# Questions\n"]
    for number, (topic, (name, units)) in enumerate(TOPICS.items()):
        table = load_keel(data / name, fold=1)[0]
        rows = pd.DataFrame(table.data, columns=table.feature_names)
        rows.attrs["units"] = units
        model = FuzzyRuleRegressor(random_state=0).fit(rows, pd.Series(table.target, name=table.target_name))
        model.report(rows, table.target, path=out / f"{topic}.html")
        asked = Questions(model.rule_base_, rows, np.random.default_rng(number)).all()
        sheet.append(f"\n## {topic}.html\n")
        for k, one in enumerate(asked, start=1):
            answers[f"{topic} {k}"] = one
            sheet.append(f"- **{topic} {k}**: {one['question']}")
        print(f"{topic}: {model.n_rules_} rules, {(out / f'{topic}.html').stat().st_size / 1000:.0f} kB")
    (out / "questions.md").write_text("\n".join(sheet) + "\n")
    (out / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")


def is_right(given: Any, one: dict[str, Any]) -> bool:
    """Return whether an answer agrees with the model's, within its tolerance."""
    answer = one["answer"]
    if isinstance(answer, str):
        return str(given).strip().lower() == answer.lower()
    try:
        number = float(str(given).replace(",", "").replace("−", "-").replace("+", "").split()[0])
    except (ValueError, IndexError):
        return False
    return abs(number - answer) <= max(one["tolerance"], 1e-9)


def grade(out: Path, readers: list[Path]) -> None:
    answers = json.loads((out / "answers.json").read_text())
    with RESULTS.open("a") as results:
        for path in readers:
            given = json.loads(path.read_text())
            right = {key: is_right(given.get(key, ""), one) for key, one in answers.items()}
            for key, one in answers.items():
                line = {"reader": path.stem, "number": key, **one, "given": given.get(key, ""), "right": right[key]}
                results.write(json.dumps(line, ensure_ascii=False) + "\n")
            counts = {topic: sum(right[key] for key in right if key.startswith(topic)) for topic in TOPICS}
            print(path.stem, counts, "wrong:", [key for key in right if not right[key]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "grade"])
    parser.add_argument("readers", nargs="*", type=Path, help="answers of readers, as JSON")
    parser.add_argument("--data", type=Path, default=os.environ.get("FRULER_KEEL"), help="folder of the KEEL sets")
    parser.add_argument("--out", type=Path, required=True, help="folder of reports, questions and answers")
    arguments = parser.parse_args()
    if arguments.what == "make":
        make(Path(arguments.data), arguments.out)
    else:
        grade(arguments.out, arguments.readers)


if __name__ == "__main__":
    main()
