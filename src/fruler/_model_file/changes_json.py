"""The changes of a fitted model and the sums over its rows as JSON, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from fruler.rules._json.checked import Checked
from fruler.rules._refit import RowSums
from fruler.rules._rule_base import RuleBase
from fruler.rules.edits import EDITS, Change, Edit, given_by, require_known

_KINDS = {edit.kind: edit for edit in EDITS}
# How the parameters of edits are read, where these are not text.
_READERS: dict[str, Callable[[Checked], Any]] = {
    **dict.fromkeys(("split", "to", "below", "above"), lambda written: _value(written)),
    "value": Checked.number,
    "rule": lambda written: written.count(1),
    "at": lambda written: {name: _value(one) for name, one in written.members().items()},
}


def changes_to_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return the changes of a model as JSON.

    Examples
    --------
    >>> from fruler.rules.edits import DropTerm
    >>> changes_to_json([Change((DropTerm("rain", 2),), when="2026-03-01T12:00:00+00:00")])
    [{'when': '2026-03-01T12:00:00+00:00', 'edits': [{'kind': 'drop term', 'input': 'rain', 'rule': 2}]}]
    """
    return [
        {
            "when": change.when,
            **({"by": change.by} if change.by else {}),
            "edits": [{"kind": edit.kind, **given_by(edit)} for edit in change.edits],
            **({"fit": change.fit, "rows": change.n_rows} if change.fit else {}),
        }
        for change in changes
    ]


def changes_from_json(written: Checked, rules: RuleBase) -> tuple[Change, ...]:
    """Return the changes of a model with these rules.

    Raises
    ------
    ValueError
        If the JSON does not hold changes of such a model.
    """
    changes = []
    for item in written.items():
        members = item.keys(("when", "edits"), ("by", "fit", "rows"))
        if ("fit" in members) != ("rows" in members):
            raise ValueError(f"{item.place} must have both fit and rows, or neither")
        changes.append(
            Change(
                tuple(_edit(edit, rules) for edit in members["edits"].items()),
                members["fit"].one_of("refit", "update") if "fit" in members else "",
                members["rows"].count(1) if "rows" in members else 0,
                members["when"].text(),
                members["by"].text() if "by" in members else "",
            )
        )
    return tuple(changes)


def _edit(written: Checked, rules: RuleBase) -> Edit:
    kind = Checked(written.members().get("kind", Checked(None)).value, "kind", written).one_of(*_KINDS)
    own = fields(_KINDS[kind])  # type: ignore[arg-type]
    optional = tuple(one.name for one in own if one.default is not MISSING)
    required = tuple(one.name for one in own if one.default is MISSING)
    members = written.keys(("kind", *required), optional)
    given = {name: _READERS.get(name, Checked.text)(one) for name, one in members.items() if name != "kind"}
    edit: Edit = written.made("is not an edit", _KINDS[kind], **given)
    written.made("is not an edit of these rules", require_known, edit, rules)
    return edit


def _value(written: Checked) -> float | str:
    """Return a number, or the text of a date."""
    return written.text() if isinstance(written.value, str) else written.number()


def sums_to_json(sums: RowSums, rules: RuleBase) -> dict[str, Any]:
    """Return sums over rows as JSON; the products of terms are a lower triangle."""
    return {
        "inputs": [rules.names[j] for j in sums.inputs],
        "centre": sums.centre.tolist(),
        "spread": sums.spread.tolist(),
        "products": [row[: k + 1] for k, row in enumerate(sums.gram.tolist())],
        "target": sums.moment.tolist(),
        "target_square": sums.square,
        "weight": sums.weight,
        "rows": sums.n_rows,
    }


def sums_from_json(written: Checked, rules: RuleBase) -> RowSums:
    """Return the sums over rows of a model with these rules.

    Raises
    ------
    ValueError
        If the JSON does not hold sums for these rules.
    """
    members = written.keys(("inputs", "centre", "spread", "products", "target", "target_square", "weight", "rows"))
    names = members["inputs"].texts()
    if [name for name in rules.names if name in names] != names:
        raise members["inputs"].wrong("a list of inputs, in their order")
    moment, rows = members["target"].numbers(), [row.numbers() for row in members["products"].items()]
    if [len(row) for row in rows] != [*range(1, len(moment) + 1)]:
        raise members["products"].wrong(f"a triangle of {len(moment)} rows")
    gram = np.zeros((len(moment), len(moment)))
    for k, row in enumerate(rows):
        gram[k, : k + 1] = gram[: k + 1, k] = row
    numbers = [members[name].number() for name in ("target_square", "weight")]
    inputs, n_rows = np.array([rules.names.index(name) for name in names], dtype=np.intp), members["rows"].count(1)
    scale = [members[name].numbers() for name in ("centre", "spread")]
    sums: RowSums = written.made("are not valid", RowSums, inputs, *scale, gram, moment, *numbers, n_rows)
    if not sums.fits(rules):
        raise ValueError(f"{written.place} are not sums of the terms of these rules")
    return sums
