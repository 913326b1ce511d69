"""Lines of a benchmark that look like real ones, for the tests of tables and pictures."""

import json
import zlib

import numpy as np

from fruler.bench._methods import own_systems, uncapped
from fruler.bench.paper import LARGE_SETS, paper_tables

PAPER = paper_tables()

# Of a method: error as a multiple of the paper's FRULER, rules (None: it has none), seconds for 1,000 rows.
METHODS = {
    "growth": (0.92, 6.0, 2.0),
    "growth-capped": (0.95, 7.0, 1.0),
    "fruler": (1.02, 8.0, 9.0),
    "fruler-capped": (1.1, 9.0, 40.0),
    "linear": (1.7, None, 0.002),
    "tree": (1.6, 24.0, 0.01),
    "cubist": (0.97, 12.0, 0.2),
    "ebm": (0.9, None, 8.0),
    "lightgbm": (0.93, None, 0.3),
    "forest": (0.96, None, 0.5),
    "elastic_net": (1.72, None, 0.02),
    "figs": (1.3, 14.0, 3.0),
    "rulefit": (1.25, 30.0, 5.0),
    "highfis": (1.31, 15.0, 20.0),
    "ex_fuzzy": (2.6, 15.0, 60.0),
}


def make_line(method="growth", name="dee", fold=1, seed=0, **changes):
    """A line of a finished run with plausible figures; the same for the same arguments."""
    row = PAPER.loc[name]
    error, rules, seconds = METHODS[method]
    rng = np.random.default_rng(zlib.crc32(f"{method} {name} {fold} {seed}".encode()))
    taste = np.random.default_rng(zlib.crc32(f"{method} {name}".encode())).normal(scale=0.2)
    factor = float(np.exp(taste + rng.normal(scale=0.05)))
    rows = int(0.8 * row.cases)
    spent = seconds * rows / 1000 * float(np.exp(rng.normal(scale=0.3)))
    line = {
        "method": method,
        "settings": f"{zlib.crc32(method.encode()):012x}",
        "set": name,
        "fold": fold,
        "seed": seed,
        "status": "ok",
        "message": None,
        "error": float(row.fruler_test) * error * factor,
        "train_error": float(row.fruler_test) * error * factor * 0.8,
        "rules": None,
        "coefficients": None,
        "conditions": None,
        "inputs": int(row.inputs),
        "rows": rows,
        "seconds": spent,
        "predict_seconds": 0.001,
        "version": "0.1.0",
    }
    if rules is not None:
        count = int(max(1, rules + rng.integers(-2, 3)))
        possible = count * int(row.inputs)
        line |= {"rules": count, "coefficients": int(0.7 * possible), "conditions": 1.0 + float(rng.uniform())}
        if uncapped(method) in own_systems():
            line |= {"possible_coefficients": possible, "uncovered": 0, "regularization": 0.01}
            line |= {"evaluations": int(row.fruler_evaluations * 0.9), "selection_seconds": 0.1 * spent}
            line |= {"discretization_seconds": 0.05 * spent, "search_seconds": 0.85 * spent}
    return line | changes


def make_ending(status, message, **about):
    """A line of a run that did not finish."""
    figures = dict.fromkeys(("error", "train_error", "rules", "coefficients", "conditions", "seconds"))
    return make_line(**about, status=status, message=message, **figures)


def make_preprocessing(name="dee", fold=1):
    row = PAPER.loc[name]
    shift = 0.01 * fold
    return {
        "method": "preprocessing",
        "settings": "0",
        "set": name,
        "fold": fold,
        "seed": 0,
        "status": "ok",
        "message": None,
        "reduction": row.is_reduction_pct + shift,
        "increase": row.is_error_increase * 1.1,
        "thinned": 0,
        "selection_s": 0.2,
        "average": row.disc_avg_granularity + shift,
        "discretization_s": 0.003,
        "largest": float(row.disc_max_granularity),
        "unused": float(row.disc_not_used),
        "version": "0.1.0",
    }


def make_benchmark(sets=PAPER.index):
    """A whole benchmark with what real ones have: gaps, capped runs, methods that fail or take too long."""
    lines = []
    for name in sets:
        large = name in LARGE_SETS
        folds = range(1, 6)
        lines += [make_preprocessing(name, fold) for fold in folds]
        lines += [make_line("growth", name, fold, seed) for fold in folds for seed in range(1 if large else 2)]
        if large:
            lines.append(make_line("fruler-capped", name))
        else:
            lines += [make_line("fruler", name, fold, seed) for fold in folds for seed in range(2)]
        for peer in ("linear", "tree", "cubist", "lightgbm"):
            lines += [make_line(peer, name, fold) for fold in folds]
        lines += [make_line("ebm", name, fold) for fold in (range(1, 2) if large else folds)]
        if name in ("dee", "stock", "wankara"):
            lines += [make_line("ex_fuzzy", name, fold) for fold in (1, 2)]
        else:
            lines.append(make_ending("timeout", "longer than 600 s", method="ex_fuzzy", name=name))
    lines.append(make_ending("failed", "ValueError: | no % rule_found", method="cubist", name="ailerons", fold=5))
    return lines


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
