"""What a notebook shows of an estimator: scikit-learn's box, and the rules below it once there are some."""

from __future__ import annotations

from typing import Any

from fruler.rules.rule_base import RuleBase


class NotebookMixin:
    """Show the rules below scikit-learn's box; as text, and within a pipeline, an estimator stays what it was."""

    def _repr_html_inner(self) -> str:
        return self._with_rules_below(super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._with_rules_below(bundle["text/html"])
        return bundle

    def _with_rules_below(self, box: str) -> str:
        rule_base = getattr(self, "rule_base_", None)
        return box + rule_base._repr_html_() if isinstance(rule_base, RuleBase) else box
