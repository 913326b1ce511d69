"""The option by which benchmarks are told where the KEEL data sets are."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def parse_with_data(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse the command line with an option --data, whose folder must exist."""
    parser.add_argument("--data", default=os.environ.get("FRULER_KEEL"), help="folder of the KEEL sets")
    arguments = parser.parse_args()
    if not arguments.data or not Path(arguments.data).is_dir():
        parser.error("--data must name the folder of the KEEL data sets (or set FRULER_KEEL)")
    arguments.data = Path(arguments.data)
    return arguments
