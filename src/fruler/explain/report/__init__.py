"""A model as one HTML page: what it is, what matters, its rules as pictures, its errors, and sliders to try it."""

from __future__ import annotations

from fruler.explain.report._origin import Origin
from fruler.explain.report._page import report_html, write_report

__all__ = ["Origin", "report_html", "write_report"]
