"""The last step of predictions as a JSON object, and back."""

from __future__ import annotations

import math
from typing import Any

from fruler.rules.json.checked import Checked
from fruler.rules.links import LINK_NAMES
from fruler.rules.output import Output


def output_to_json(output: Output) -> dict[str, Any]:
    """Return an object that says all of an output.

    Examples
    --------
    >>> output_to_json(Output("log", (None, 9.5)))
    {'link': 'log', 'bounds': [None, 9.5]}
    """
    return {"link": output.link, "bounds": list(output.bounds)}


def output_from_json(written: Checked) -> Output:
    """Return the output that an object says.

    Raises
    ------
    ValueError
        If it is something else.
    """
    members = written.keys(("link", "bounds"))
    link = members["link"].one_of(*LINK_NAMES)
    ends = [end.number_or_none() for end in members["bounds"].items()]
    if len(ends) != 2:
        raise members["bounds"].wrong("a list of the least and the greatest prediction, null where there is none")
    low, high = (None if math.isnan(end) else end for end in ends)
    try:
        return Output(link, (low, high))
    except ValueError as error:
        raise ValueError(f"{written.place} is wrong: {error}") from None
