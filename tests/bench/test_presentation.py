import errno
import json
import logging
import os
import re
from html.parser import HTMLParser

import pytest
from helpers.runs import make_benchmark, make_ending, make_line, make_preprocessing, write_lines

import fruler.bench._presentation
from fruler.bench._presentation import NO_MATPLOTLIB, PICTURES, TABLES, write_presentation

SMALL = [make_line("growth", "dee"), make_line("growth", "friedman")]
VOID = {"meta", "img"}


@pytest.fixture
def without_matplotlib(monkeypatch):
    monkeypatch.setattr(fruler.bench._presentation, "find_spec", lambda _: None)


def names(out):
    return {path.name for path in out.iterdir()} - {"runs.jsonl", "machine.json", "settings.json"}


@pytest.mark.slow
def test_a_whole_benchmark(tmp_path):
    pytest.importorskip("matplotlib")
    write_lines(tmp_path / "runs.jsonl", make_benchmark(["dee", "stock", "ailerons"]))
    (tmp_path / "machine.json").write_text(json.dumps({"cpu": "<Some> CPU", "numpy": "2.0"}))
    source = {"fruler": "0.1", "commit": None}
    ours, linear = (make_line(method)["settings"] for method in ("growth", "linear"))
    settings = {ours: {"method": "growth", "settings": {"t_norm": "product"}, "protocol": {}, **source}}
    settings[ours]["later"] = [{"fruler": "0.2", "commit": "f00"}]
    settings["unused"] = {"method": "growth", "settings": {"t_norm": "minimum"}, "protocol": {}, **source}
    settings[linear] = {"method": "linear", "settings": {}, "protocol": {}, **source}
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    written = write_presentation(tmp_path)
    expected = {f"{name}.{suffix}" for name in TABLES for suffix in ("md", "csv", "tex")}
    expected |= {f"{name}.{suffix}" for name in PICTURES for suffix in ("png", "svg")} | {"index.html"}
    assert {path.name for path in written} == expected
    assert names(tmp_path) == expected
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<table ") == len(TABLES)
    assert page.count('<img src="data:image/svg+xml;base64,') == len(PICTURES)
    assert "<dt>cpu</dt><dd>&lt;Some&gt; CPU</dd><dt>numpy</dt><dd>2.0</dd>" in page
    told = f"t_norm = &quot;product&quot;. Run by fruler 0.1; fruler 0.2, commit f00; hash {ours}."
    assert f"<dt>Growth</dt><dd>{told}</dd>" in page
    assert f"<dt>Linear regression</dt><dd>defaults. Run by fruler 0.1; hash {linear}.</dd>" in page
    check_page(page)


def check_page(page):
    """It is well nested, no two parts have one name, all links lead somewhere, and nothing is fetched."""
    ids = []
    open_tags = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            ids.extend(value for key, value in attributes if key == "id")
            if tag not in VOID:
                open_tags.append(tag)

        def handle_endtag(self, tag):
            if tag not in VOID:
                assert open_tags.pop() == tag

    Reader().feed(page)
    assert open_tags == []
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    assert "<script" not in page


def test_a_small_benchmark_without_matplotlib(tmp_path, without_matplotlib, caplog):
    write_lines(tmp_path / "runs.jsonl", SMALL)
    with caplog.at_level(logging.WARNING):
        written = write_presentation(tmp_path)
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f'{NO_MATPLOTLIB}; run: pip install "matplotlib>=')
    tables = {"summary", "table4", "errors", "complexity", "table9"}
    tables |= {f"{test}_{figure}" for test in ("ranking", "wilcoxon") for figure in ("error", "rules")}
    expected = {f"{name}.{suffix}" for name in tables for suffix in ("md", "csv", "tex")} | {"index.html"}
    assert {path.name for path in written} == expected
    assert names(tmp_path) == expected
    check_page((tmp_path / "index.html").read_text(encoding="utf-8"))


def test_what_is_no_longer_true_is_removed(tmp_path, without_matplotlib):
    write_lines(tmp_path / "runs.jsonl", [*SMALL, make_preprocessing(), make_ending("failed", "x", method="ebm")])
    assert "failures.md" in {path.name for path in write_presentation(tmp_path)}
    (tmp_path / "time_rows.png").write_bytes(b"old")
    (tmp_path / "notes.md").write_text("somebody's own")
    write_lines(tmp_path / "runs.jsonl", [make_line()])
    write_presentation(tmp_path)
    assert not names(tmp_path) & {"failures.md", "failures.tex", "table2.csv", "ranking_error.md", "time_rows.png"}
    assert "notes.md" in names(tmp_path)
    write_lines(tmp_path / "runs.jsonl", [])
    assert write_presentation(tmp_path) == []
    assert names(tmp_path) == {"notes.md"}


def test_bad_input_leaves_the_old_report(tmp_path, without_matplotlib):
    write_lines(tmp_path / "runs.jsonl", SMALL)
    write_presentation(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    (tmp_path / "machine.json").write_text("{")
    with pytest.raises(ValueError, match=r"machine\.json' is damaged"):
        write_presentation(tmp_path)
    (tmp_path / "machine.json").unlink()
    (tmp_path / "runs.jsonl").write_text("nonsense\n")
    with pytest.raises(ValueError, match=r"line 1 of .*runs\.jsonl"):
        write_presentation(tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, without_matplotlib, monkeypatch):
    write_lines(tmp_path / "runs.jsonl", SMALL)
    write_presentation(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    write_lines(tmp_path / "runs.jsonl", [make_line(error=5.0), make_line(name="friedman", error=5.0)])

    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="No space"):
        write_presentation(tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before
