"""How many examples a test of hypothesis tries."""

from hypothesis import settings


def examples(share: float) -> settings:
    """As many examples as this share of what the profile has: slow tests take fewer, quick ones more."""
    return settings(max_examples=max(1, round(share * settings.default.max_examples)))
