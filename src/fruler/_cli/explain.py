"""``fruler explain``: explanations of predictions for the rows of a table."""

from __future__ import annotations

from typing import Any

from fruler._cli.failures import say
from fruler._cli.input import load_shown_model
from fruler._cli.options import ExplainOptions
from fruler._cli.output import STDOUT, as_json, show, write_output
from fruler._cli.predict import NewRows, rows_for
from fruler._wording import counted, readable_number, unit_after
from fruler.explain._sentences import truth_sentence
from fruler.explain.explanation import Explanation


def explain_table(options: ExplainOptions) -> None:
    """Run ``fruler explain``; rows are counted from 1."""
    model = load_shown_model(options.model)
    found = rows_for(model, options.data, options.reading)
    row = options.row
    n_rows = len(found.inputs)
    if row is not None and row > n_rows:
        raise ValueError(f"--row {row}: {found.table.name} has {counted(n_rows, 'row')}")
    wanted = [row - 1] if row is not None else list(range(min(options.rows, n_rows)))
    known = [place for place in wanted if found.complete[place]]
    for unknown in found.unknown(wanted):
        say(unknown)
    why = dict(zip(known, found.explain(known), strict=True))
    if options.json:
        write_output(STDOUT, as_json([_as_dict(why.get(place), found, place) for place in wanted]))
        return
    show("\n\n".join(_as_text(why.get(place), found, place) for place in wanted))
    if row is None and len(wanted) < n_rows:
        show(f"\n{counted(n_rows - len(wanted), 'more row')}; --rows or --row shows them")
    truth = truth_sentence(model.rule_base_)
    if truth:
        show(f"\n{truth}")


def _as_text(why: Explanation | None, rows: NewRows, place: int) -> str:
    told = f"cannot be predicted: {', '.join(rows.lacking(place))} missing or unknown" if why is None else str(why)
    lines, observed = [f"Row {place + 1}", told], rows.observed(place)
    if observed is not None:
        number = readable_number(observed, 6)
        lines.append(f"  observed: {number} {unit_after(number, rows.rule_base.target_unit)}".rstrip())
    return "\n".join(lines)


def _as_dict(why: Explanation | None, rows: NewRows, place: int) -> dict[str, Any]:
    observed = rows.observed(place)
    own = {"row": place + 1, **({} if observed is None else {"observed": observed})}
    if why is None:
        return {**own, "prediction": None, "lacks": rows.lacking(place)}
    return {**own, **why.to_dict()[0]}
