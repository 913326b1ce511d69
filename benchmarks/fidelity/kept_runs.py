"""Runs that are kept as lines of a results file and not repeated, so that an interrupted benchmark resumes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel


def finished_runs(path: Path, key: list[str], plan: Mapping[tuple[Any, ...], Any], jobs: int = 1) -> pd.DataFrame:
    """Execute the planned runs that are not in the file, add a line for each, and return all lines.

    Parameters
    ----------
    path : Path
        The results file, with one JSON object per line.
    key : list of str
        The fields of a line that identify a run.
    plan : mapping
        Calls by key, made with `joblib.delayed`, which return lines.
    jobs : int, default=1
        The number of runs at a time.
    """
    known = set(_lines(path, key)[key].itertuples(index=False, name=None))
    work = [call for own, call in plan.items() if own not in known]
    if work:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for line in Parallel(n_jobs=jobs, return_as="generator_unordered")(work):
                file.write(json.dumps(line) + "\n")
                file.flush()
    return _lines(path, key)


def _lines(path: Path, key: list[str]) -> pd.DataFrame:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return pd.DataFrame([json.loads(line) for line in lines], columns=None if lines else key)
