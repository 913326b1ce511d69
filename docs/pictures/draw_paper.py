"""Draw the paper's figures from a run on Weather Ankara: python docs/pictures/draw_paper.py KEEL_FOLDER.

Of the runs with seeds 0, 1, 2, ... over the five folds it is the first with six rules that look at two inputs, as in
the paper's example. All numbers in the pictures are those of this run.
"""

import itertools
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text

from fruler import FRULERRegressor, FuzzyPartition, MultiGranularityDiscretizer, RuleBase, load_keel
from fruler._algorithms.fruler import evolution, learner
from fruler.explain.plots import DisplacementDisplay, GranularitiesDisplay, RuleBaseDisplay

FOLDER = Path(__file__).parent


# What the pairs of parents of a search become, by generation.
PAIRS = ("one-point crossover", "not crossed", "PCBLX")


class Watched(evolution.Evolution):
    """A search that counts, in every generation, what its pairs become and how many chromosomes it has met so far."""

    last: "Watched"

    def run(self) -> None:
        """Search; the last search of a fit is the one after the choice of λ."""
        Watched.last, self.counts = self, []
        super().run()

    def offspring(self) -> list[Any]:
        """Return the offspring of a generation, after counting its pairs."""
        self.counts.append([0, 0, 0, len(self.evaluator.known)])
        return super().offspring()

    def tournaments(self, n_pairs: int) -> list[tuple[Any, Any]]:
        """Choose pairs of parents, and count what they become."""
        pairs = super().tournaments(n_pairs)
        for first, second in pairs:
            if first.structure != second.structure:
                self.counts[-1][0] += 1
            else:
                near = np.linalg.norm(first.genes - second.genes) < self.threshold
                self.counts[-1][1 if near else 2] += 1
        return pairs


def watched_fit(model: FRULERRegressor, train: Any) -> np.ndarray:
    """Fit a model; return the counts of each generation of its search."""
    learner.Evolution = Watched  # type: ignore[misc]
    try:
        model.fit(train.data, train.target)
    finally:
        learner.Evolution = evolution.Evolution  # type: ignore[misc]
    counts = np.array(Watched.last.counts)
    pairs, known = counts[:, :3].sum(axis=0) / counts[:, :3].sum(), len(Watched.last.evaluator.known)
    shares = ", ".join(f"{name} {share:.2%}" for name, share in zip(PAIRS, pairs, strict=True))
    new = f"{known:,} of {model.n_evaluations_:,} evaluations ({known / model.n_evaluations_:.1%}) were new chromosomes"
    sys.stdout.write(f"{new}; pairs: {shares}; first threshold {model.history_['threshold'].iloc[0]:.0f}\n")
    return counts


def first_small_run(data: Path) -> tuple[FRULERRegressor, Any, float]:
    """Return a model with six rules over two inputs, its training table, and its error on the test rows."""
    for seed, fold in itertools.product(range(60), range(1, 6)):
        train, test = load_keel(data / "wankara", fold=fold)
        model = FRULERRegressor(random_state=seed, warn_outside=False).fit(train.data, train.target)
        if model.n_rules_ == 6 and len(model.rule_base_.antecedent_inputs) == 2:
            error = float(np.square(model.predict(test.data) - test.target).mean() / 2.0)
            sys.stdout.write(f"seed {seed}, fold {fold}: 6 rules over 2 inputs, test error {error:.3f}\n")
            return model, train, error
    raise SystemExit("no run has six rules over two inputs")


def displacements(before: FuzzyPartition, after: FuzzyPartition) -> list[float]:
    """Return by which share of the gap on its side each split has moved."""
    edges = [before.domain[0], *before.split_points, before.domain[1]]
    moves = np.subtract(after.split_points, before.split_points)
    return [
        float(move / (edges[k + 2] - edges[k + 1] if move > 0 else edges[k + 1] - edges[k]))
        for k, move in enumerate(moves)
    ]


DASHED, DOTTED, SOLID = (0, (5, 3)), (0, (1, 2)), "solid"


class Diagram:
    """Boxes with texts, by name, and arrows between them."""

    def __init__(self, width: float, height: float) -> None:
        self.figure = Figure(figsize=(width, height), layout="constrained")
        self.axes = self.figure.add_subplot()
        self.axes.set(xlim=(0, 1), ylim=(0, 1))
        self.axes.axis("off")
        self.boxes: dict[str, Text] = {}

    def box(self, name: str, at: tuple[float, float], text: str, *, data: bool = False) -> None:
        """Write a text in a box: a process, or with round corners a set of data."""
        shape = {"boxstyle": "round,pad=0.5" if data else "square,pad=0.5", "fc": "#eef3f8" if data else "white"}
        self.boxes[name] = self.axes.text(*at, text, ha="center", va="center", fontsize=9, bbox=shape)

    def arrows(self, arrows: dict[tuple[str, str], Any]) -> Figure:
        """Draw arrows, each of a style, once all boxes are there; return the figure."""
        self.figure.draw_without_rendering()
        for (start, end), style in arrows.items():
            first, second = self.boxes[start], self.boxes[end]
            ends = {"patchA": first.get_bbox_patch(), "patchB": second.get_bbox_patch(), "shrinkA": 0, "shrinkB": 2}
            look = {"arrowstyle": "->", "ls": style, **ends}
            self.axes.annotate("", xy=second.get_position(), xytext=first.get_position(), arrowprops=look)
        return self.figure


def architecture(model: FRULERRegressor, train: Any, discretizer: MultiGranularityDiscretizer) -> Figure:
    """Draw the paper's Figure 1, the three stages, with the numbers of a run."""
    found, diagram = discretizer.granularities_, Diagram(9.0, 3.6)
    diagram.box("rows", (0.08, 0.5), f"training rows\n{len(train.target):,}", data=True)
    diagram.box("selection", (0.29, 0.86), "instance\nselection")
    diagram.box("discretization", (0.29, 0.14), "multi-granularity\ndiscretization")
    diagram.box("selected", (0.52, 0.86), f"selected rows\n{len(model.sample_indices_)}", data=True)
    diagram.box(
        "labels", (0.55, 0.14), f"labels of each input\nat most {found.max()}, mean {found.mean():.1f}", data=True
    )
    diagram.box("evolution", (0.74, 0.5), f"evolution\n{model.n_evaluations_:,} evaluations")
    diagram.box("rules", (0.94, 0.5), f"rules\n{model.n_rules_}", data=True)
    return diagram.arrows(
        {
            ("rows", "selection"): DASHED,
            ("rows", "discretization"): DASHED,
            ("rows", "evolution"): DASHED,
            ("selection", "selected"): DASHED,
            ("selected", "evolution"): DASHED,
            ("discretization", "labels"): DOTTED,
            ("labels", "evolution"): DOTTED,
            ("evolution", "rules"): SOLID,
        }
    )


def evolution_flow(model: FRULERRegressor, counts: np.ndarray) -> Figure:
    """Draw the paper's Figure 7, the loop of the search, with the numbers of a run."""
    history, pairs, diagram = model.history_, counts[:, :3].sum(axis=0) / counts[:, :3].sum(), Diagram(9.0, 4.0)
    crossed = (
        f"one-point crossover {pairs[0]:.1%},\nPCBLX {pairs[2]:.1%}, not crossed {pairs[1]:.1%}\nof the pairs; mutation"
    )
    steps = {
        "first": ((0.09, 0.78), f"first population\n{model.population_size} data bases"),
        "rules": ((0.33, 0.78), "rules from selected rows,\nerror on all rows"),
        "parents": ((0.56, 0.78), "binary\ntournament"),
        "children": ((0.84, 0.78), crossed),
        "replacement": ((0.84, 0.25), "rules and errors;\nthe best of parents\nand children stay"),
        "local": ((0.56, 0.25), f"local search for\nnew granularities,\n{model.n_local_search} relatives each"),
        "threshold": ((0.33, 0.25), f"L falls, from {history['threshold'].iloc[0]:.0f}\nby 0.4 to 0.8"),
        "restart": ((0.09, 0.25), f"L = 0: one restart,\nthen the end, after\n{len(history) - 1} generations"),
    }
    for name, (at, text) in steps.items():
        diagram.box(name, at, text)
    loop = dict.fromkeys(itertools.pairwise(steps), SOLID)
    return diagram.arrows(loop | {("threshold", "parents"): SOLID, ("restart", "rules"): SOLID})


def search_shares(model: FRULERRegressor, counts: np.ndarray) -> Figure:
    """Draw what the pairs of parents become, and how many of the children are new."""
    figure = Figure(figsize=(9.0, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    generation = np.arange(1, len(counts) + 1)
    pairs = counts[:, :3] / counts[:, :3].sum(axis=1, keepdims=True)
    window = np.ones(9) / 9
    smooth = np.array([np.convolve(column, window, mode="same") for column in pairs.T])
    left.stackplot(generation, smooth / smooth.sum(axis=0), labels=PAIRS, colors=("#4c78a8", "#d8dee6", "#e45756"))
    left.set(xlabel="generation", ylabel="share of the pairs", xlim=(1, len(counts)), ylim=(0, 1))
    left.legend(loc="lower left", fontsize=8)
    history = model.history_
    right.plot(history["evaluations"], label="evaluations as counted")
    right.plot(generation, counts[:, 3], label="different chromosomes")
    right.set(xlabel="generation", yscale="log")
    right.legend(fontsize=8)
    return figure


def absolute_weights(rules: RuleBase, deviations: np.ndarray) -> Figure:
    """Draw the rules as in the paper's Figure 11: labels, and absolute standardised coefficients scaled to 1."""
    figure = Figure(figsize=(9.0, 0.9 * rules.n_rules + 0.4), layout="constrained")
    used = [int(j) for j in rules.antecedent_inputs]
    grid = figure.subplots(rules.n_rules, len(used) + 1, width_ratios=[1] * len(used) + [2])
    weights = np.abs(rules.slopes) * deviations
    for k, row in enumerate(grid):
        for axes, j in zip(row, used, strict=False):
            partition = rules.variables[j].partition
            x = np.linspace(*partition.domain, 200)
            degrees = partition.degrees(x)
            [condition] = [one for one in rules.antecedents.conditions(k) if one.input == j]
            axes.plot(x, degrees, color="#c8ced6", lw=1)
            axes.fill_between(
                x, degrees[:, condition.first : condition.last + 1].sum(axis=1), color="#4c78a8", alpha=0.7
            )
            axes.set(yticks=[], xticks=[])
        row[0].set_ylabel(f"rule {k + 1}", rotation=0, ha="right", va="center")
        row[-1].bar(range(len(rules.names)), weights[k] / weights.max(), color="#4c78a8")
        row[-1].set(ylim=(0, 1), yticks=[0, 1], xticks=[])
    for axes, j in zip(grid[-1], used, strict=False):
        axes.set_xlabel(rules.names[j])
    grid[-1][-1].set_xticks(range(len(rules.names)), rules.names, rotation=30, fontsize=7, ha="right")
    return figure


def main(data: Path) -> None:
    """Draw all of them."""
    mpl.use("Agg")
    model, train, _ = first_small_run(data)
    for name in ("friedman", "dee"):
        sys.stdout.write(f"{name}, fold 1, seed 0: ")
        watched_fit(FRULERRegressor(random_state=0), load_keel(data / name, fold=1)[0])
    counts = watched_fit(model, train)
    rules = model.rule_base_
    finest = max(rules.antecedent_inputs, key=lambda j: rules.granularities[j])
    name, granularity = rules.names[finest], int(rules.granularities[finest])
    discretizer = MultiGranularityDiscretizer().fit(train.data, train.target)
    before, after = discretizer.partition(name, granularity), rules.variables[finest].partition
    most_cut = rules.names[int(discretizer.granularities_.argmax())]
    shown = range(1, min(6, int(discretizer.granularities_.max())) + 1)
    for file, display in {
        "paper_rules": RuleBaseDisplay(rules).plot(),
        "paper_granularities": GranularitiesDisplay.from_estimator(discretizer, most_cut, granularities=shown),
        "paper_displacement": DisplacementDisplay.from_partition(before, displacements(before, after), name=name),
    }.items():
        display.figure_.savefig(FOLDER / f"{file}.png", dpi=72, metadata={"Software": None})
    for file, figure in {
        "paper_architecture": architecture(model, train, discretizer),
        "paper_evolution": evolution_flow(model, counts),
        "paper_search": search_shares(model, counts),
        "paper_weights": absolute_weights(rules, np.std(train.data, axis=0)),
    }.items():
        figure.savefig(FOLDER / f"{file}.png", dpi=72, metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
