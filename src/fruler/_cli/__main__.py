"""``python -m fruler._cli`` is the command ``fruler``."""

from __future__ import annotations

from fruler._cli import main

if __name__ == "__main__":
    main()
