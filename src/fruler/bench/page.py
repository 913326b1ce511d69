"""One page with all pictures and tables of a benchmark, which needs nothing but itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from fruler.bench.rendering import Table, to_html
from fruler.bench.systems import order_methods, title_of

STYLE = """
:root { color-scheme: light dark; --ink: #1b1e23; --soft: #5b6270; --line: #d5d9e0; --paper: #ffffff; --tint: #f4f6f9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e9ee; --soft: #a3aab8; --line: #3a404c; --paper: #15181d; --tint: #1f242c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .9rem; margin: 1rem 0; }
a { color: inherit; }
figure { margin: 0; }
figure svg { width: 100%; height: auto; min-width: 34rem; color: var(--ink); display: block; }
figcaption, .note { color: var(--soft); font-size: .85rem; margin: .4rem 0; max-width: 60rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem;
  width: fit-content; max-width: 100%; }
figure .scroll { padding: .5rem; width: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: right; white-space: nowrap; font-weight: 400; }
b { font-weight: 700; }
.label { text-align: left; }
thead th { font-weight: 600; border-bottom: 1px solid var(--line); }
thead .group { text-align: center; border-left: 1px solid var(--line); }
tbody tr:nth-child(even) { background: var(--tint); }
tbody th { position: sticky; left: 0; background: var(--paper); }
tbody tr:nth-child(even) th { background: var(--tint); }
@media (max-width: 40rem) { #summary tbody th { white-space: normal; min-width: 11rem; } }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .85rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
"""


class Picture(NamedTuple):
    """A picture for the page."""

    name: str
    title: str
    caption: str
    svg: str


def write_page(
    tables: Sequence[Table], pictures: Sequence[Picture], machine: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """Return the page as HTML: pictures and tables inline, no script, nothing from elsewhere.

    Parameters
    ----------
    tables, pictures : sequence
        What it shows, in this order; the first table comes before the pictures.
    machine : mapping
        What the runs were made on, as the benchmark records it; empty if it is not known.
    settings : mapping
        The settings of the methods by their hash, as the benchmark records them; empty if they are not known.
    """
    sections = [(table.name, table.title, to_html(table)) for table in tables]
    shown = [(picture.name, picture.title, _figure(picture)) for picture in pictures]
    sections = [*sections[:1], *shown, *sections[1:]]
    if settings:
        sections.append(("settings", "Settings", _definitions(_settings(settings))))
    if machine:
        sections.append(("machine", "Machine", _definitions([(name, str(value)) for name, value in machine.items()])))
    links = "".join(f'<a href="#{name}">{escape(title.partition(":")[0])}</a>' for name, title, _ in sections)
    body = "".join(
        f'<section id="{name}">\n<h2>{escape(title)}</h2>\n{part}</section>\n' for name, title, part in sections
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>fruler: benchmark</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>fruler: benchmark</h1>\n"
        "<p>The experiment of the FRULER paper, run again, and other methods on the same data. Errors are half the "
        "mean squared error on the test rows of five folds.</p>\n"
        f"<nav>{links}</nav>\n{body}</body>\n</html>\n"
    )


def _figure(picture: Picture) -> str:
    caption = f"<figcaption>{escape(picture.caption)}</figcaption>"
    return f"<figure><div class=scroll>{_inline(picture)}</div>{caption}</figure>\n"


def _inline(picture: Picture) -> str:
    """Return the drawing as a part of a page: on one line, with names that no other drawing has."""
    drawing = re.sub(r"\s*\n\s*", " ", picture.svg[picture.svg.index("<svg") :])
    drawing = re.sub(r'\bid="([^"]+)"', rf'id="{picture.name}-\1"', drawing)
    drawing = re.sub(r'href="#([^"]+)"', rf'href="#{picture.name}-\1"', drawing)
    drawing = re.sub(r"url\(#([^)]+)\)", rf"url(#{picture.name}-\1)", drawing)
    return drawing.replace("<svg", f'<svg role="img" aria-label="{escape(picture.title)}"', 1)


def _definitions(pairs: Sequence[tuple[str, str]]) -> str:
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in pairs)
    return f"<dl>{items}</dl>\n"


def _settings(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return each method's name, and what it was run with."""
    entries = {entry["method"]: (key, entry) for key, entry in settings.items()}
    pairs = []
    for method in order_methods(set(entries)):
        key, entry = entries[method]
        parameters = ", ".join(f"{name} = {json.dumps(value)}" for name, value in entry["settings"].items())
        sources = [_source(source) for source in (entry, *entry.get("later", []))]
        pairs.append((title_of(method), f"{parameters or 'defaults'}. Run by {'; '.join(sources)}; hash {key}."))
    return pairs


def _source(entry: Mapping[str, Any]) -> str:
    return f"fruler {entry['fruler']}" + (f", commit {entry['commit']}" if entry["commit"] else "")
