"""Errors and warnings of commands: one line on standard error, and an exit code."""

from __future__ import annotations

import ast
import io
import os
import re
import shlex
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from fruler._wording import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOT_AS_RECORDED, USER_ERROR, INTERRUPTED = 1, 2, 130
# Parameters of Python functions that messages name, and the corresponding options of the command line.
_OPTIONS = {
    "decimal": "--decimal",
    "format": "--format",
    "na_values": "--na-values",
    "sep": "--sep",
    "sheet": "--sheet",
    "target": "--target",
    "thousands": "--thousands",
}
_PARAMETER = re.compile(rf"\b({'|'.join(_OPTIONS)})=('[^']*'|\"[^\"]*\")")
# The base class of errors in the arguments, whose module differs between versions of typer.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class Commands(TyperGroup):
    """The group of all commands; it handles Ctrl-C and broken pipes."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            say("stopped")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(0) from None
        return result


def exit_code(app: Callable[..., Any]) -> int:
    """Run the command line and return its exit code."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a degree sign shows a question mark instead.
        if isinstance(stream, io.TextIOWrapper) and "utf" not in stream.encoding.lower():
            stream.reconfigure(errors="replace")
    try:
        result = app(standalone_mode=False, prog_name="fruler")
    except KeyboardInterrupt:
        say("stopped")
        return INTERRUPTED
    except _UsageError as error:
        say(_usage_text(error))
        return USER_ERROR
    except (ValueError, OSError, ImportError) as error:
        say(_text_of(error))
        return USER_ERROR
    except MemoryError:
        say("not enough memory for this table; use fewer rows or columns")
        return USER_ERROR
    return result if isinstance(result, int) else 0


def with_options(text: str) -> str:
    """Return a message with options of the command line in place of parameters of Python.

    Examples
    --------
    >>> with_options("say which with thousands=',' or decimal=','")
    'say which with --thousands , or --decimal ,'
    """
    return _PARAMETER.sub(lambda found: f"{_OPTIONS[found[1]]} {shlex.quote(ast.literal_eval(found[2]))}", text)


@contextmanager
def said_of(what: str) -> Iterator[None]:
    """Prefix the message of a ValueError with its subject: an option, or a file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{what}: {str(error).rstrip('.')}") from None


@contextmanager
def recorded_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Record warnings of a search about its end and about faults; others have already been reported in hints."""
    # Help and the like do without NumPy.
    from fruler._table.faults import FaultyValuesWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("always", RuntimeWarning)
        warnings.simplefilter("always", FaultyValuesWarning)
        yield caught


@contextmanager
def without_warnings() -> Iterator[None]:
    """Silence a model's warnings; commands report themselves which rows are outside and which columns were renamed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def say(text: str) -> None:
    """Write one line to standard error."""
    typer.echo(f"fruler: {printable(' '.join(text.split()))}", err=True)


def _text_of(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        # str(error) would begin with the error number.
        return error.strerror if error.filename is None else f"{str(error.filename)!r}: {error.strerror}"
    return with_options(str(error)) or type(error).__name__


def _usage_text(error: Any) -> str:
    message = error.format_message().strip()
    message = message[:1].lower() + message[1:]
    command = error.ctx.command_path if error.ctx is not None else "fruler"
    joint = " See" if message.endswith("?") else "; see"
    return f"{message.rstrip('.')}{joint} {command} --help"


def _open_closed_streams() -> None:
    """Replace streams closed by the shell (`>&-`, None in Python) with the null device."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # A file that is opened later must not get the descriptor of the stream.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # until the end


def _forget_stdout() -> None:
    """Send the rest of the output to the null device, so that Python does not report an error on exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
