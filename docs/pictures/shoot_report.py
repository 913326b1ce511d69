"""Take the picture of the report that the README shows; needs Debian's chromium."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain.report import write_report

PICTURE = Path(__file__).parent / "report.png"


def main() -> None:
    """Write the report of the weather model, open it, and take a picture of its sliders."""
    weather = load_example("weather")
    model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as browsers:
        page_file = Path(folder) / "report.html"
        write_report(page_file, model.rule_base_.with_units(weather.units), weather.data, weather.target)
        browser = browsers.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1100, "height": 1000})
        page.goto(page_file.as_uri())
        page.get_by_role("heading", name="Try it").evaluate("heading => heading.scrollIntoView()")
        page.wait_for_timeout(500)
        page.screenshot(path=PICTURE, clip={"x": 0, "y": 0, "width": 1100, "height": 560})
        browser.close()


if __name__ == "__main__":
    main()
