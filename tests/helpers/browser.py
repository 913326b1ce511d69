"""A real browser for the tests of pages: Debian's Chromium, or the one that FRULER_CHROMIUM names."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def open_browser() -> Iterator:
    """Open Chromium; where there is none the test is skipped."""
    playwright = pytest.importorskip("playwright.sync_api")
    found = os.environ.get("FRULER_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium: install it, or name its path in FRULER_CHROMIUM")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=FLAGS)
        try:
            yield chromium
        finally:
            chromium.close()
