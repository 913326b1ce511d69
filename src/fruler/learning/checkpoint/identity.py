"""Which run a checkpoint is of: its data, its settings and its seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from fruler import __version__
from fruler.learning.algorithm import Algorithm
from fruler.learning.checkpoint.values import whole_number
from fruler.learning.training_table import TrainingTable


@dataclass(frozen=True)
class Identity:
    """All that a search depends on.

    Attributes
    ----------
    data : mapping of str to str
        Digests of the inputs, the target and the weights.
    settings : mapping
        The parameters that matter, as JSON can hold them.
    seed : tuple of int
        What the generator of random numbers was started with.
    random_state : int, str or None
        What the user gave for it; None: any seed will do.
    limits : tuple of str
        The settings that only say when the search ends.
    """

    data: Mapping[str, str]
    settings: Mapping[str, Any]
    seed: tuple[int, ...]
    random_state: int | str | None
    limits: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, algorithm: Algorithm, options: Any, table: TrainingTable, random_state: Any, *, with_data: bool = True
    ) -> Self:
        """Describe a run that is about to start, and draw its seed; reading all the data may be left out."""
        settings = {
            "algorithm": algorithm.name,
            **{name: _plain(value) for name, value in asdict(options).items()},
            "split_points": {table.names[j]: points.tolist() for j, points in sorted(table.known_splits.items())},
            "names of the inputs": list(table.names),
            # Checkpoints of the time before there was a choice resume.
            **({} if table.output.is_plain else {"link": table.output.link, "bounds": list(table.output.bounds)}),
            "version of fruler": __version__,
        }
        drawn = check_random_state(random_state).randint(2**31, size=4)
        given = random_state if random_state is None else _plain(random_state)
        return cls(
            table.digests if with_data else {},
            settings,
            tuple(int(number) for number in drawn),
            given if given is None or isinstance(given, int) else "a generator",
            algorithm.limits,
        )

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Self:
        """Return the identity that an object says.

        Raises
        ------
        KeyError, TypeError, ValueError
            If it says none.
        """
        data, settings, random_state = dict(written["data"]), dict(written["settings"]), written["random_state"]
        seed = tuple(whole_number(number, "the seed") for number in written["seed"])
        if random_state is not None and type(random_state) not in (int, str):
            raise ValueError(f"random_state is {random_state!r:.40}")
        return cls(data, settings, seed, random_state)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain lists, texts and numbers."""
        return {
            "data": dict(self.data),
            "settings": dict(self.settings),
            "seed": list(self.seed),
            "random_state": self.random_state,
        }

    def with_seed(self, seed: tuple[int, ...], random_state: int | str | None) -> Self:
        """Return the same run with the seed of another."""
        return replace(self, seed=seed, random_state=random_state)

    def differences(self, there: Identity, *, with_limits: bool = True) -> list[str]:
        """Say in what another run differs from this one: `there` it is so, here it is not."""
        found = [f"{name} is other data" for name, digest in self.data.items() if there.data.get(name) != digest]
        for name in {**self.settings, **there.settings}:
            if not with_limits and name in self.limits:
                continue
            one, other = there.settings.get(name), self.settings.get(name)
            if one != other:
                found.append(f"{name} is {one!r} there and {other!r} here")
        if self.random_state is not None and self.seed != there.seed:
            found.append(f"random_state is {there.random_state!r} there and {self.random_state!r} here")
        return found


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
