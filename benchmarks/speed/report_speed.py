"""The speed of the report of a large model in a real browser.

    python benchmarks/speed/report_speed.py [--chromium PATH]

Prints the size of the page of the demo's model (goal: below 400 kB). Then, for a model of 40 rules over 40 inputs, each
rule with all 40 slopes: the time to write its page, its size (goal: below 500 kB), and the time from a move of a slider
until everything is redrawn, median and worst of 50 moves (goal: below 50 ms). A mouse drags the slider; a move ends
with the frame after the new layout. For comparison, it also times frames in which nothing changes.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from fruler import FuzzyRuleRegressor
from fruler._wording import counted_rules
from fruler.data import load_example
from fruler.explain.report import write_report
from fruler.rules import FuzzyPartition, RuleBase, Variable

N_MOVES = 50
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

# Measures the time from the event's handler to the end of its layout, and to the next frame.
WATCH = """() => {
    window.moves = [];
    let start = 0;
    document.addEventListener("input", () => { start = performance.now(); }, true);
    document.addEventListener("input", () => {
        const handled = performance.now() - start;
        document.body.offsetHeight;
        const laidOut = performance.now() - start, from = start;
        requestAnimationFrame(() => setTimeout(() => window.moves.push([handled, laidOut, performance.now() - from])));
    });
}"""
IDLE = """() => new Promise(resolve => {
    const start = performance.now();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
})"""


def large_model(n_rules: int = 40, n_inputs: int = 40) -> tuple[RuleBase, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    variables = [
        Variable(f"sensor_{j:02d}", FuzzyPartition(np.sort(rng.uniform(5, 95, rng.integers(1, 4))), (0.0, 100.0)))
        for j in range(n_inputs)
    ]
    antecedents = np.zeros((n_rules, n_inputs, 2), dtype=int)
    antecedents[:, :, 1] = [variable.partition.n_labels - 1 for variable in variables]
    for labels in antecedents:
        for j in rng.choice(n_inputs, rng.integers(1, 7), replace=False):
            labels[j] = rng.integers(variables[j].partition.n_labels)
    consequents = rng.normal(size=(n_rules, n_inputs + 1))
    X = rng.uniform(0.0, 100.0, size=(2000, n_inputs))
    rules = RuleBase(variables, antecedents, consequents, target_name="yield")
    y = rules.predict(X) + rng.normal(size=len(X))
    return rules.with_training(X, y), X, y


def drag(page: Page) -> np.ndarray:
    """Drag the first slider back and forth; return milliseconds until handled, laid out and drawn."""
    page.evaluate("() => { window.moves = []; }")
    slider = page.locator("input[type=range]").first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 20, middle)
    page.mouse.down()
    for k in range(N_MOVES):
        share = abs((k + 1) % 40 - 20) / 20
        page.mouse.move(box["x"] + 20 + share * (box["width"] - 40), middle)
        page.wait_for_timeout(30)
    page.mouse.up()
    page.wait_for_timeout(200)
    return np.array(page.evaluate("() => window.moves"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="the browser")
    chromium = parser.parse_args().chromium
    if chromium is None:
        parser.error("there is no chromium on the path; name one with --chromium")
    weather = load_example("weather")
    demo = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    size = len(str(demo.report(weather.data, weather.target)).encode())
    print(f"the demo: {counted_rules(demo.n_rules_, demo.rule_base_.n_curves)}, {size / 1e3:.0f} kB")
    model, X, y = large_model()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        start = time.perf_counter()
        path = write_report(Path(folder) / "report.html", model, X, y)
        seconds = time.perf_counter() - start
        print(f"40 rules, 40 inputs, {len(X)} rows: made in {seconds:.2f} s, {path.stat().st_size / 1e3:.0f} kB")
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri())
        page.evaluate(WATCH)
        for name, unfold in (("as it opens", False), ("all inputs unfolded", True)):
            if unfold:
                page.locator(".more-inputs > summary").first.click()
            moves = drag(page)
            idle = np.array([page.evaluate(IDLE) for _ in range(N_MOVES)])
            print(f"{name}: {len(moves)} moves, milliseconds, median and worst")
            for what, times in zip(("computed and shown", "with the layout", "with the frame"), moves.T, strict=True):
                print(f"  {what:20} {np.median(times):6.1f} {times.max():6.1f}")
            print(f"  {'an idle frame':20} {np.median(idle):6.1f} {idle.max():6.1f}")
        browser.close()


if __name__ == "__main__":
    main()
