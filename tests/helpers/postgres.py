"""A PostgreSQL server of Debian's packages, on a local socket, for as long as the tests run."""

import atexit
import csv
import io
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from helpers.exported import quoted

# The server refuses to run as root; Debian's package has a user for it.
_USER = "postgres"


class Postgres:
    """A server with one database."""

    def __init__(self, programs):
        self._programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="fruler-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, _USER)
        data = str(self.folder / "data")
        self._run(
            "initdb", "--pgdata", data, "--auth", "trust", "--username", "tests", "--encoding", "UTF8", "--no-sync"
        )
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off -c max_stack_depth=2MB"
        self._run("pg_ctl", "--pgdata", data, "--wait", "--log", f"{self.folder}/log", "--options", options, "start")
        atexit.register(self.stop)

    @staticmethod
    @cache
    def running():
        """Start a server, or skip the test if there is none."""
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not found or (os.geteuid() == 0 and shutil.which("runuser") is None):
            pytest.skip("no PostgreSQL server: install Debian's package postgresql")
        return Postgres(found[-1].parent)

    def _run(self, program, *arguments, text=None):
        command = [str(self._programs / program), *arguments]
        if program == "pg_ctl" and "start" in arguments:
            # A query that needs more was made wrongly, and would take the memory of other tests.
            command = ["prlimit", "--as=2000000000", *command]
        if os.geteuid() == 0:
            command = ["runuser", "-u", _USER, "--", *command]
        # Not a pipe for pg_ctl: the server would keep it open.
        with tempfile.TemporaryFile("w+") as errors:
            output = subprocess.PIPE if program == "psql" else subprocess.DEVNULL
            done = subprocess.run(
                command, input=text, stdout=output, stderr=errors, text=True, check=False, cwd="/", encoding="utf-8"
            )
            errors.seek(0)
            assert done.returncode == 0, errors.read()
        return done.stdout

    def stop(self):
        self._run("pg_ctl", "--pgdata", str(self.folder / "data"), "--mode", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def answers(self, types, rows, query):
        """Return the answers to a query on a table of these rows, which is called rows."""
        names = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        written = io.StringIO()
        writer = csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for row in rows:
            writer.writerow(["<null>" if value is None else value for value in row])
        lines = [
            "\\set ON_ERROR_STOP on",
            "\\pset format csv",
            "\\pset tuples_only on",
            f"CREATE TEMPORARY TABLE rows ({names});",
            "COPY rows FROM STDIN WITH (FORMAT csv, NULL '<null>', FORCE_NULL ("
            + ", ".join(map(quoted, types))
            + "));",
            f"{written.getvalue()}\\.",
            f"{query};",
        ]
        connection = (
            "--host",
            str(self.folder),
            "--username",
            "tests",
            "--dbname",
            "postgres",
            "--quiet",
            "--no-psqlrc",
        )
        found = self._run("psql", *connection, text="\n".join(lines) + "\n")
        return [[float(value) if value else float("nan") for value in row] for row in csv.reader(io.StringIO(found))]
