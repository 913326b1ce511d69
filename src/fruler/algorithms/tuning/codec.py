"""Tuned chromosomes as arrays, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.algorithms.genetic.codec import ChromosomeCodec
from fruler.algorithms.tuning.chromosome import TunedChromosome
from fruler.learning.algorithm import Arrays
from fruler.learning.checkpoint.values import checked_floats


def _pack(chromosomes: Sequence[TunedChromosome]) -> dict[str, npt.NDArray[Any]]:
    return {
        "genes": np.array([one.genes for one in chromosomes]),
        "selected": np.array([one.selected for one in chromosomes]),
    }


def _unpack(arrays: Arrays) -> list[TunedChromosome]:
    genes, selected = checked_floats(arrays["genes"], (None, None), "genes"), arrays["selected"]
    if (
        selected.dtype != np.bool_
        or selected.ndim != 2
        or len(selected) != len(genes)
        or not selected.any(axis=1).all()
    ):
        raise ValueError("selected are no rules")
    return [TunedChromosome(*pair) for pair in zip(genes, selected, strict=True)]


TUNED = ChromosomeCodec(_pack, _unpack)
