"""The command line: parse, call, print. Slow modules are imported only by the commands that need them."""

from __future__ import annotations

import sys

from fruler._cli.commands import app
from fruler._cli.failures import exit_code


def main() -> None:
    """Run the command line; an error that the user can correct is a message of one line, with exit code 2."""
    sys.exit(exit_code(app))
