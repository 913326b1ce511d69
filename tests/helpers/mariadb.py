"""A MariaDB server of Debian's packages, on a local socket, for as long as the tests run."""

import atexit
import os
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

_SERVER, _CLIENT, _INSTALLER = "mariadbd", "mariadb", "mariadb-install-db"
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


class MariaDB:
    """A server with one database."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="fruler-mariadb-"))
        data = self.folder / "data"
        # Nothing of the machine's own settings, no network; the server refuses to run as root unless told.
        root = [] if os.geteuid() else ["--user=root"]
        install = [_INSTALLER, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal", *root]
        done = subprocess.run(
            [*install, "--skip-test-db", "--innodb-log-file-size=4M"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        self.socket = str(self.folder / "socket")
        command = [
            *(_found(_SERVER), "--no-defaults", f"--datadir={data}", f"--socket={self.socket}", "--skip-networking"),
            *("--innodb-buffer-pool-size=16M", "--innodb-flush-log-at-trx-commit=0", "--skip-log-bin", *root),
            *("--character-set-server=utf8mb4", f"--pid-file={self.folder / 'pid'}"),
        ]
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        atexit.register(self.stop)
        end = time.monotonic() + 60
        while not Path(self.socket).exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError((self.folder / "log").read_text())
            time.sleep(0.05)

    @staticmethod
    @cache
    def running():
        """Start a server, or skip the test if there is none."""
        if _found(_SERVER) is None or shutil.which(_CLIENT) is None or shutil.which(_INSTALLER) is None:
            pytest.skip("no MariaDB server: install Debian's package mariadb-server")
        return MariaDB()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def answers(self, types, rows, query):
        """Return the answers to a query on a table of these rows, which is called rows."""
        names = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        written = self.folder / "rows.tsv"
        lines = ("\t".join(map(_cell, row)) + "\n" for row in rows)
        written.write_text("".join(lines), encoding="utf-8", newline="")
        script = (
            "CREATE DATABASE IF NOT EXISTS tests; USE tests;\n"
            f"CREATE TEMPORARY TABLE `rows` ({names}) CHARACTER SET utf8mb4;\n"
            f"LOAD DATA LOCAL INFILE '{written}' INTO TABLE `rows` CHARACTER SET utf8mb4;\n"
            f"{query};\n"
        )
        command = [_CLIENT, "--no-defaults", f"--socket={self.socket}", "--user=root", "--batch", "--skip-column-names"]
        command += ["--default-character-set=utf8mb4", "--local-infile=1", "--binary-mode", "--max-allowed-packet=64M"]
        done = subprocess.run(command, input=script.encode(), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        found = done.stdout.decode().splitlines()
        return [[float("nan") if cell == "NULL" else float(cell) for cell in line.split("\t")] for line in found]


def _found(program):
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/local/sbin")


def _cell(value):
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return str(int(value))
    return "".join(_ESCAPES.get(sign, sign) for sign in str(value))
