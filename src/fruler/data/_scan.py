"""Tables that are read in batches, as often as needed: files of any size, lazy frames, relations of a database."""

from __future__ import annotations

import glob
import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fruler._wording import install_advice, quote_names, suggest

_SUFFIXES = {"parquet": "parquet", "pq": "parquet", "csv": "csv", "tsv": "csv"}
_WILD = "*?["
# A batch takes about this many times the memory of its numbers, while rules are fitted to it and others are read ahead.
_COPIES_OF_A_BATCH = 24
_MIN_BATCH_ROWS, _MAX_BATCH_ROWS = 1_024, 65_536
# The number of batches that threads work on, or that wait for them.
_BATCHES_IN_POOL = 4

Result = TypeVar("Result")


class Batch(NamedTuple):
    """Some consecutive rows of a table.

    Attributes
    ----------
    data : pyarrow.RecordBatch, or tuple
        The rows; a cluster has its own kind.
    first : int
        The number of the first row in the whole table.
    place : str
        The name of the batch in messages.
    """

    data: Any
    first: int
    place: str


class TrainingPart(NamedTuple):
    """The rows of a batch as `fit` takes them: inputs, target, optional weights and groups, and their place."""

    X: Any
    y: Any
    weight: Any
    first: int
    place: str
    groups: Any = None


@dataclass(frozen=True)
class Roles:
    """The columns of a batch that are inputs, the target, the weights and the groups."""

    inputs: tuple[str, ...]
    target: str
    weight: str | None
    groups: str | None = None

    def __call__(self, batch: Batch) -> TrainingPart:
        """Return the rows of a batch as `fit` takes them."""
        rows = batch.data
        weight = None if self.weight is None else rows.column(self.weight).to_pandas()
        X = rows.select(list(self.inputs)).to_pandas(split_blocks=True)
        groups = None if self.groups is None else rows.column(self.groups).to_pandas().rename(self.groups)
        return TrainingPart(X, rows.column(self.target).to_pandas(), weight, batch.first, batch.place, groups)


class TableScan(ABC):
    """A table that is passed over as often as needed, wherever its rows are; the base class of all scans.

    `FuzzyRuleRegressor.fit` learns from a scan in memory that does not grow with the rows. Rows in record batches are a
    `BatchScan`; `fruler.spark.SparkScan` is one whose rows stay on the executors of Spark.

    Parameters
    ----------
    names : sequence of str
        The columns.
    max_memory : float, default=512.0
        About how many megabytes a fit may take above its start.

    See Also
    --------
    scan_table : Opens files, lazy frames and relations.

    Examples
    --------
    >>> from fruler.data import example_path, scan_table
    >>> scan = scan_table(example_path("friedman"))
    >>> scan.n_rows, len(scan.names)
    (1200, 6)
    >>> scan.reduce(lambda batch: batch.data.num_rows, lambda first, second: first + second, "count")
    1200
    """

    def __init__(self, names: Sequence[str], max_memory: float = 512.0) -> None:
        if not max_memory > 0.0:
            raise ValueError(f"max_memory must be a number of megabytes above 0; got {max_memory!r}.")
        self.names, self.max_memory = tuple(names), float(max_memory)

    @abstractmethod
    def reduce(
        self,
        work: Callable[[Batch], Result],
        merge: Callable[[Result, Result], Result],
        name: str,
        pool: Executor | None = None,
    ) -> Result:
        """Pass over all rows: apply a function to every batch, and merge the results in the order of the rows.

        Parameters
        ----------
        work : callable
            Takes a `Batch` and returns its result; a cluster sends it to its workers.
        merge : callable
            Merges the result of some rows with the result of the rows after them.
        name : str
            The name of the pass, for clusters that show their tasks.
        pool : Executor, optional
            Threads for rows that are read here. The result does not depend on them.

        Returns
        -------
        object
            The merged result.

        Raises
        ------
        ValueError
            If there are no rows.
        """

    @abstractmethod
    def count_rows(self) -> int:
        """Count the rows.

        Returns
        -------
        int
            The number of rows.

        Examples
        --------
        >>> from fruler.data import example_path, scan_table
        >>> scan_table(example_path("friedman")).count_rows()
        1200
        """

    @cached_property
    def n_rows(self) -> int:
        """The number of rows, counted once."""
        return self.count_rows()

    def roles(self, target: Any, weight: Any = None, groups: Any = None) -> Callable[[Batch], TrainingPart]:
        """Return the function that splits batches into inputs, target, weights and groups.

        Parameters
        ----------
        target : str
            The name of the target.
        weight : str, optional
            The name of the column with the weights of rows.
        groups : str, optional
            The name of the column with the groups of rows.

        Returns
        -------
        callable
            Takes a `Batch`.

        Raises
        ------
        ValueError
            If there is no such column, or no other.

        Examples
        --------
        >>> from fruler.data import example_path, scan_table
        >>> scan_table(example_path("weather")).roles("mean_temperature").inputs[:2]
        ('max_temperature_before', 'min_temperature_before')
        """
        optional = {"sample_weight": weight, "groups": groups}
        roles = {"y": target} | {argument: name for argument, name in optional.items() if name is not None}
        for argument, name in roles.items():
            if not isinstance(name, str):
                raise ValueError(f"{argument} must be the name of a column of the scan; got a {type(name).__name__}.")
            if name not in self.names:
                raise ValueError(f"The table has no column {name!r}; {suggest(name, self.names)}.")
        inputs = tuple(name for name in self.names if name not in roles.values())
        if not inputs:
            raise ValueError(f"The table has no input column besides {quote_names(list(roles.values()))}.")
        return Roles(inputs, target, weight, groups)

    def place_of(self, row: int) -> tuple[str, int]:
        """Return the place of a row for messages.

        Parameters
        ----------
        row : int
            The number of the row in the whole table.

        Returns
        -------
        prefix : str
            The beginning of the message.
        row : int
            The number of the row that the message shows.

        Examples
        --------
        >>> from fruler.data import example_path, scan_table
        >>> scan_table(example_path("weather")).place_of(7)
        ('', 7)
        """
        return "", row


class BatchScan(TableScan):
    """A table that is read in Arrow record batches, as often as needed.

    A subclass needs only `batches`.

    Parameters
    ----------
    names : sequence of str
        The columns.
    max_memory : float, default=512.0
        About how many megabytes a fit may take above its start.

    See Also
    --------
    scan_table : Opens files, lazy frames and relations.

    Examples
    --------
    >>> import pyarrow as pa
    >>> class Squares(BatchScan):
    ...     def batches(self):
    ...         for first in range(0, 100, 50):
    ...             x = range(first, first + 50)
    ...             yield pa.record_batch({"x": list(x), "y": [i * i for i in x]})
    >>> from fruler import FuzzyRuleRegressor
    >>> model = FuzzyRuleRegressor(random_state=0).fit(Squares(["x", "y"]), "y")
    >>> model.rule_base_.target_name, model.rule_base_.training.n_rows
    ('y', 100)
    """

    @abstractmethod
    def batches(self) -> Iterator[Any]:
        """Return an iterator over the record batches; every call starts again at the first row.

        Returns
        -------
        iterator of pyarrow.RecordBatch
            The batches, always in the same order.
        """

    @property
    def batch_rows(self) -> int:
        """The maximum number of rows in a batch, so that a pass keeps to the memory."""
        fitting = int(self.max_memory * 1e6 / (8 * _COPIES_OF_A_BATCH * len(self.names)))
        return min(max(fitting, _MIN_BATCH_ROWS), _MAX_BATCH_ROWS)

    def count_rows(self) -> int:
        """Count the rows, in a pass over all of them.

        Returns
        -------
        int
            The number of rows.
        """
        return sum(batch.num_rows for batch in self.batches())

    def reduce(
        self,
        work: Callable[[Batch], Result],
        merge: Callable[[Result, Result], Result],
        name: str,
        pool: Executor | None = None,
    ) -> Result:
        """Pass over all rows: apply a function to every batch, and merge the results in the order of the rows.

        Parameters
        ----------
        work, merge : callable
            As for `TableScan.reduce`.
        name : str
            The name of the pass.
        pool : Executor, optional
            Threads for the function.

        Returns
        -------
        object
            The merged result.
        """
        return reduce_batches(read_ahead(self.batches()), work, merge, pool=pool)


def reduce_batches(
    batches: Iterable[Any],
    work: Callable[[Batch], Result],
    merge: Callable[[Result, Result], Result],
    first: int = 0,
    place: str = "Batch",
    pool: Executor | None = None,
) -> Result:
    """Apply a function to consecutive record batches and merge the results; batches without rows are passed over.

    Raises
    ------
    ValueError
        If there are no rows.
    """

    def given() -> Iterator[Batch]:
        row = first
        for data in batches:
            if data.num_rows:
                yield Batch(data, row, f"{place} that begins at row {row:,}")
                row += data.num_rows

    found = map(work, given()) if pool is None else _in_pool(pool, work, given())
    for earliest in found:
        return reduce(merge, found, earliest)
    raise ValueError("The table has no rows; at least 2 are needed.")


def _in_pool(pool: Executor, work: Callable[[Batch], Result], batches: Iterable[Batch]) -> Iterator[Result]:
    """Yield the results of batches in their order; only a few batches are in memory at a time."""
    waiting: deque[Future[Result]] = deque()
    for batch in batches:
        waiting.append(pool.submit(work, batch))
        if len(waiting) == _BATCHES_IN_POOL:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def read_ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches while a thread already reads the next one."""
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, batches, None)
        while (batch := following.result()) is not None:
            following = reader.submit(next, batches, None)
            yield batch


class FileScan(BatchScan):
    """A scan of files, or of any dataset of pyarrow."""

    def __init__(self, dataset: Any, names: Sequence[str], max_memory: float) -> None:
        super().__init__(names, max_memory)
        self.dataset = dataset

    def batches(self) -> Iterator[Any]:
        # Threads of pyarrow would read up to a gigabyte ahead of a slow reader.
        ahead = {"batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}
        return iter(self.dataset.to_batches(columns=list(self.names), batch_size=self.batch_rows, **ahead))

    def count_rows(self) -> int:
        return int(self.dataset.count_rows())

    def narrowed(self, names: Sequence[str], known: str) -> FileScan:
        """Return a scan of some of the columns, without the rows in which a column has no value."""
        import pyarrow.compute as pc

        return FileScan(self.dataset.filter(~pc.field(known).is_null(nan_is_null=True)), names, self.max_memory)


class _PolarsScan(BatchScan):
    """A scan of a LazyFrame."""

    def __init__(self, lazy: Any, columns: Sequence[str] | None, max_memory: float) -> None:
        super().__init__(_chosen(lazy.collect_schema().names(), columns), max_memory)
        self.lazy = lazy.select(list(self.names))

    def batches(self) -> Iterator[Any]:
        for frame in self.lazy.collect_batches(chunk_size=self.batch_rows, maintain_order=True):
            yield from frame.to_arrow().to_batches(max_chunksize=self.batch_rows)

    def count_rows(self) -> int:
        import polars

        return int(self.lazy.select(polars.len()).collect().item())


class _DuckScan(BatchScan):
    """A scan of a relation of DuckDB."""

    def __init__(self, relation: Any, columns: Sequence[str] | None, max_memory: float) -> None:
        super().__init__(_chosen(relation.columns, columns), max_memory)
        quoted = [name.replace('"', '""') for name in self.names]
        self.relation = relation.project(", ".join(f'"{name}"' for name in quoted))

    def batches(self) -> Iterator[Any]:
        return iter(self.relation.to_arrow_reader(self.batch_rows))

    def count_rows(self) -> int:
        return int(self.relation.count("*").fetchall()[0][0])


def scan_table(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    max_memory: float = 512.0,
    format: str | None = None,
    sep: str | None = None,
    decimal: str = ".",
) -> BatchScan:
    """Open a table that may be larger than memory, to learn from it or to predict it in batches.

    Parameters
    ----------
    source : path, list of paths, or lazy table
        Files of one format (Parquet or CSV): a path, several paths, a pattern such as
        ``"rows/*.parquet"``, or a folder; or a dataset of pyarrow, a LazyFrame or data frame of polars, a relation of
        DuckDB, or a data frame of pandas or Arrow.
    columns : sequence of str, default=None
        The columns to read; None reads all.
    max_memory : float, default=512.0
        About how many megabytes a fit may take above its start. With less, batches are smaller, and so is the sample
        that rules are grown on.
    format : str, default=None
        The format of files; None takes it from the suffix.
    sep : str, default=None
        The separator of values in CSV files; None is a comma, and in ``.tsv`` files a tab.
    decimal : str, default="."
        The decimal sign in CSV files.

    Returns
    -------
    BatchScan
        The open table.

    Raises
    ------
    ValueError
        If the source is not a table that can be read again, or has no such column.
    FileNotFoundError
        If there are no such files.
    ImportError
        If pyarrow is not installed.

    See Also
    --------
    read_table : Reads a table into memory, and understands more ways to write numbers.

    Examples
    --------
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import example_path
    >>> scan = scan_table(example_path("weather"), columns=["dew_point", "humidity", "mean_temperature"])
    >>> model = FuzzyRuleRegressor(random_state=0).fit(scan, "mean_temperature")
    >>> [len(model.predict(batch.to_pandas())) for batch in scan.batches()] == [scan.n_rows]
    True
    """
    try:
        import pyarrow as pa
        import pyarrow.dataset as pds
    except ModuleNotFoundError as error:
        raise ImportError(f"Tables in batches need pyarrow; {install_advice('parquet')}") from error
    if isinstance(source, BatchScan):
        return source
    given = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(given, list | tuple) and given and all(isinstance(path, str | os.PathLike) for path in given):
        return open_files(given, columns, max_memory, format, sep, decimal)
    if hasattr(source, "collect_batches"):
        return _PolarsScan(source, columns, max_memory)
    if hasattr(source, "to_arrow_reader"):
        return _DuckScan(source, columns, max_memory)
    if not isinstance(source, pds.Dataset):
        source = pds.dataset(_in_memory(source, pa))
    return FileScan(source, _chosen(source.schema.names, columns), max_memory)


def _in_memory(source: Any, pa: Any) -> Any:
    """Return a data frame of pandas, polars or Arrow as an Arrow table."""
    if isinstance(source, pa.Table):
        return source
    if hasattr(source, "to_arrow"):
        return source.to_arrow()
    if hasattr(source, "iloc"):
        return pa.Table.from_pandas(source, preserve_index=False)
    raise ValueError(
        f"A {type(source).__name__} cannot be read in batches again and again; pass paths of files, a dataset of "
        "pyarrow, a LazyFrame of polars or a relation of DuckDB, or write a subclass of fruler.data.BatchScan."
    )


def _chosen(names: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    for name in columns or ():
        if name not in names:
            raise ValueError(f"The table has no column {name!r}; {suggest(name, list(names))}.")
    return list(names if columns is None else columns)


def open_files(
    given: Sequence[Any],
    columns: Sequence[str] | None = None,
    max_memory: float = 512.0,
    format: str | None = None,
    sep: str | None = None,
    decimal: str = ".",
) -> FileScan:
    """Open files of one format; `scan_table` describes the arguments."""
    import pyarrow.dataset as pds

    paths = table_paths(given)
    inside = [
        path
        for one in paths
        for path in (sorted(one.rglob("*")) if one.is_dir() else [one])
        if path.is_file() and (not one.is_dir() or file_kind(path) is not None)
    ]
    if not inside:
        raise FileNotFoundError(f"{str(paths[0])!r} is a folder without Parquet or CSV files.")
    kind = file_kind(inside[0]) if format is None else _SUFFIXES.get(format.lower())
    if kind is None:
        raise ValueError(f"The format of {inside[0].name!r} is unknown; give format='parquet' or format='csv'.")
    # Whole files are not read ahead.
    options = pds.ParquetFragmentScanOptions(pre_buffer=False)
    reader = (
        _csv_format(inside[0], sep, decimal)
        if kind == "csv"
        else pds.ParquetFileFormat(default_fragment_scan_options=options)
    )
    if len(paths) == 1 and paths[0].is_dir():
        dataset = pds.dataset(paths[0], format=reader, partitioning="hive")
    else:
        dataset = pds.dataset([str(path) for path in inside], format=reader)
    return FileScan(dataset, _chosen(dataset.schema.names, columns), max_memory)


def table_paths(given: Sequence[Any]) -> list[Path]:
    """Return the paths that paths and patterns stand for.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    """
    found: list[Path] = []
    for path in given:
        one = str(os.fspath(path))
        matches = sorted(glob.glob(one, recursive=True)) if is_pattern(one) else [one]
        found += [Path(match) for match in matches if os.path.exists(match)]
        if not matches or not os.path.exists(matches[0]):
            raise FileNotFoundError(f"There is no file {one!r}; check the path.")
    return found


def is_pattern(path: str) -> bool:
    """Return whether a path stands for all files that match it."""
    return any(sign in path for sign in _WILD) and not os.path.exists(path)


def file_kind(path: Path) -> str | None:
    """Return the format of a file by its suffix; None if it is not one that is read in batches."""
    return _SUFFIXES.get(Path(path.name.lower().removesuffix(".gz")).suffix.removeprefix("."))


def _csv_format(first: Path, sep: str | None, decimal: str) -> Any:
    """Return how CSV files are read: whole numbers may have decimals further down, and text may be missing."""
    import pyarrow as pa
    import pyarrow.dataset as pds
    from pyarrow import csv

    default = "\t" if ".tsv" in first.name.lower() else ","
    parse = csv.ParseOptions(delimiter=default if sep is None else sep)
    convert = {"strings_can_be_null": True, "decimal_point": decimal}
    with csv.open_csv(first, parse_options=parse, convert_options=csv.ConvertOptions(**convert)) as reader:
        schema = reader.schema
    wider = {one.name: pa.float64() for one in schema if pa.types.is_integer(one.type)}
    wider |= {one.name: pa.string() for one in schema if pa.types.is_null(one.type)}
    options = csv.ConvertOptions(column_types=wider, **convert)
    return pds.CsvFileFormat(parse_options=parse, convert_options=options)
