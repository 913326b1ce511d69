"""The command line: parse, call, print. What is heavy is imported by the command that needs it."""

from __future__ import annotations

import sys

from fruler._cli.commands import app
from fruler._cli.failures import exit_code


def main() -> None:
    """Run the command line; what a user can mend is said in one line, with exit code 2."""
    sys.exit(exit_code(app))
