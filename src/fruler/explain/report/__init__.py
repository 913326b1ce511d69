"""The HTML report of a model: key results, importance, rules with plots, errors, and sliders to try the model."""

from __future__ import annotations

from fruler.explain.report._origin import Origin
from fruler.explain.report._page import report_html, write_report

__all__ = ["Origin", "report_html", "write_report"]
