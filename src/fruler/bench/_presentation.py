"""The files that present a benchmark: tables, pictures, and a page with all of them."""

from __future__ import annotations

import json
import logging
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from fruler._wording import install_advice
from fruler.bench._comparisons import ranking_table, summary_table, wilcoxon_table
from fruler.bench._measurements import read_measurements
from fruler.bench._methods import order_methods, title_of
from fruler.bench._results import MACHINE, RUNS, SETTINGS, read_description, write_result
from fruler.bench._tables import (
    ResultTable,
    complexity_table,
    errors_table,
    failures_table,
    preprocessing_table,
    results_table,
    time_table,
)

logger = logging.getLogger(__name__)

# In the order of the page.
TABLES = {
    "summary": summary_table,
    "table4": results_table,
    "errors": errors_table,
    "ranking_error": lambda measured: ranking_table(measured, "error"),
    "ranking_rules": lambda measured: ranking_table(measured, "rules"),
    "wilcoxon_error": lambda measured: wilcoxon_table(measured, "error"),
    "wilcoxon_rules": lambda measured: wilcoxon_table(measured, "rules"),
    "complexity": complexity_table,
    "table9": time_table,
    "table2": lambda measured: preprocessing_table(measured, "table2"),
    "table3": lambda measured: preprocessing_table(measured, "table3"),
    "failures": failures_table,
}
PICTURES = ("ranks_error", "ranks_rules", "error_rules", "error_rules_sets", "time_rows")
NO_MATPLOTLIB = "Pictures are left out: matplotlib is not installed"

_STYLE = """
body { margin: 1rem auto; padding: 0 1rem; max-width: 76rem; font: 1rem/1.5 system-ui, sans-serif; }
nav a { margin-right: 1rem; }
img { width: 100%; }
.scroll { overflow-x: auto; }
.note { color: #5b6270; font-size: .85rem; max-width: 60rem; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #d5d9e0; }
td:first-child { text-align: left; position: sticky; left: 0; background: white; }
dt { color: #5b6270; }
"""


class DrawnPicture(NamedTuple):
    """A picture and its files, by suffix."""

    name: str
    title: str
    caption: str
    files: Mapping[str, bytes]


def write_presentation(out: Path) -> list[Path]:
    """Write tables and pictures of the runs in a folder, and a page with all of them.

    Reads ``runs.jsonl``, and ``machine.json`` and ``settings.json`` if they exist. Every file is written completely or
    not at all; files of an earlier call that no longer have runs are removed. Without matplotlib, pictures are left
    out and a warning is logged.

    Parameters
    ----------
    out : Path
        The folder of the results.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    FileNotFoundError, ValueError
        If there are no results, or a file cannot be read; the message names the file and the line.
    """
    measured = read_measurements(out / RUNS)
    machine, settings = read_description(out / MACHINE), read_description(out / SETTINGS)
    # A folder may also have settings without runs.
    settings = {key: entry for key, entry in settings.items() if key in set(measured.lines["settings"])}
    tables = [table for build in TABLES.values() if (table := build(measured)) is not None]
    pictures: list[DrawnPicture] = []
    if find_spec("matplotlib") is None:
        logger.warning("%s; %s", NO_MATPLOTLIB, install_advice("plot"))
    else:
        # Imported here, since tables do not need matplotlib.
        from fruler.bench._figures import draw_pictures

        pictures = draw_pictures(measured)
    contents: dict[str, str | bytes] = {}
    for table in tables:
        contents |= {f"{table.name}.md": table.to_markdown(), f"{table.name}.csv": table.to_csv()}
        contents[f"{table.name}.tex"] = table.to_latex()
    for picture in pictures:
        contents |= {f"{picture.name}.{suffix}": content for suffix, content in picture.files.items()}
    if tables:
        contents["index.html"] = make_page(tables, pictures, machine, settings)
    possible = {f"{name}.{suffix}" for name in TABLES for suffix in ("md", "csv", "tex")}
    possible |= {f"{name}.{suffix}" for name in PICTURES for suffix in ("png", "svg")} | {"index.html"}
    for name in possible - set(contents):
        (out / name).unlink(missing_ok=True)
    return [write_result(out / name, content) for name, content in contents.items()]


def make_page(
    tables: Sequence[ResultTable],
    pictures: Sequence[DrawnPicture],
    machine: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> str:
    """Return the page as HTML, with inline pictures and tables and without scripts or external resources.

    Parameters
    ----------
    tables, pictures : sequence
        The first table comes before the pictures, the others after them.
    machine, settings : mapping
        The recorded machine of the runs, and the recorded settings of the methods by hash; both may be empty.
    """
    sections = [(table.name, table.title, _table_part(table)) for table in tables]
    shown = [(picture.name, picture.title, _picture_part(picture)) for picture in pictures]
    sections = [*sections[:1], *shown, *sections[1:]]
    if settings:
        sections.append(("settings", "Settings", _definitions(_settings(settings))))
    if machine:
        sections.append(("machine", "Machine", _definitions({name: str(value) for name, value in machine.items()})))
    links = "".join(f'<a href="#{name}">{escape(title.partition(":")[0])}</a>\n' for name, title, _ in sections)
    body = "".join(f'<h2 id="{name}">{escape(title)}</h2>\n{part}\n' for name, title, part in sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>fruler: benchmark</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>fruler: benchmark</h1>\n"
        "<p>The experiment of the FRULER paper, repeated, and other methods on the same data. Errors are half the "
        "mean squared error on the test rows of five folds.</p>\n"
        f"<nav>{links}</nav>\n{body}</body>\n</html>\n"
    )


def _table_part(table: ResultTable) -> str:
    notes = "".join(f"<p class=note>{escape(note)}</p>\n" for note in table.notes)
    return f"<div class=scroll>{table.to_html()}</div>\n{notes}"


def _picture_part(picture: DrawnPicture) -> str:
    source = f"data:image/svg+xml;base64,{b64encode(picture.files['svg']).decode()}"
    return f'<img src="{source}" alt="{escape(picture.title)}">\n<p class=note>{escape(picture.caption)}</p>'


def _definitions(texts: Mapping[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{escape(text)}</dd>' for name, text in texts.items())}</dl>"


def _settings(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of each method and the versions of fruler that ran it, by title."""
    entries = {entry["method"]: (key, entry) for key, entry in settings.items()}
    texts = {}
    for method in order_methods(set(entries)):
        key, entry = entries[method]
        parameters = ", ".join(f"{name} = {json.dumps(value)}" for name, value in entry["settings"].items())
        sources = [
            f"fruler {source['fruler']}" + (f", commit {source['commit']}" if source["commit"] else "")
            for source in (entry, *entry.get("later", []))
        ]
        texts[title_of(method)] = f"{parameters or 'defaults'}. Run by {'; '.join(sources)}; hash {key}."
    return texts
