"""``python -m fruler.cli`` is the command ``fruler``."""

from __future__ import annotations

from fruler.cli import main

if __name__ == "__main__":
    main()
