"""Writing the tables, the pictures and the page of a benchmark."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path

from fruler._wording import install_advice
from fruler.bench.files import read_json, write_result
from fruler.bench.measurements import read_measured
from fruler.bench.page import Picture, write_page
from fruler.bench.rendering import to_csv, to_latex, to_markdown
from fruler.bench.results import MACHINE, RUNS, SETTINGS
from fruler.bench.tables import TABLES, build_tables

logger = logging.getLogger(__name__)

RENDERERS = {"md": to_markdown, "csv": to_csv, "tex": to_latex}
PICTURES = ("ranks_error", "ranks_rules", "error_rules", "error_rules_sets", "time_rows")
FORMATS = ("png", "svg")
NO_MATPLOTLIB = "Pictures are left out: matplotlib is not installed"


def write_report(out: Path) -> list[Path]:
    """Write what the runs in a folder show: tables, pictures, and a page with all of them.

    Reads ``runs.jsonl``, and ``machine.json`` and ``settings.json`` if they are there. Every file is written whole or
    not at all; those of an earlier report for which there is nothing any more are removed. Without matplotlib there
    are no pictures; a warning in the log says so.

    Parameters
    ----------
    out : Path
        Folder of the results.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    ValueError
        If there are no results, or one of the files cannot be read; the message names the file and the line.
    """
    measured = read_measured(out / RUNS)
    machine, settings = read_json(out / MACHINE) or {}, read_json(out / SETTINGS) or {}
    # A folder may also know of settings that no run was made with.
    settings = {key: entry for key, entry in settings.items() if key in set(measured.lines["settings"])}
    tables = build_tables(measured)
    contents: dict[str, str | bytes] = {
        f"{table.name}.{suffix}": render(table) for table in tables for suffix, render in RENDERERS.items()
    }
    pictures: list[Picture] = []
    if find_spec("matplotlib") is None:
        logger.warning("%s; %s", NO_MATPLOTLIB, install_advice("plot"))
    else:
        # Here, and not above: tables need no plot library.
        from fruler.bench.figures import draw_pictures

        for picture, files in draw_pictures(measured):
            pictures.append(picture)
            contents |= {f"{picture.name}.{suffix}": content for suffix, content in files.items()}
    if tables:
        contents["index.html"] = write_page(tables, pictures, machine, settings)
    for name in _all_names() - set(contents):
        (out / name).unlink(missing_ok=True)
    return [write_result(out / name, content) for name, content in contents.items()]


def _all_names() -> set[str]:
    """Return every file that a report can have."""
    tables = {f"{name}.{suffix}" for name in TABLES for suffix in RENDERERS}
    return tables | {f"{name}.{suffix}" for name in PICTURES for suffix in FORMATS} | {"index.html"}
