"""KEEL's regression data sets: a whole set, or one fold of its five-fold cross-validation."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import Bunch

from fruler._wording import quote_names, suggest
from fruler.data._attribute_file import AttributeFile, read_attribute_file
from fruler.data._file_content import numeric_target

_N_FOLDS = 5
_SPLIT_SEED = 0
_FOLD_FILE = re.compile(r"-\d+-\d+(tra|tst)$")


@overload
def load_keel(
    path: str | os.PathLike[str], *, fold: None = None, target: str | None = None, as_frame: bool = False
) -> Bunch: ...
@overload
def load_keel(
    path: str | os.PathLike[str], *, fold: int, target: str | None = None, as_frame: bool = False
) -> tuple[Bunch, Bunch]: ...
def load_keel(
    path: str | os.PathLike[str], *, fold: int | None = None, target: str | None = None, as_frame: bool = False
) -> Bunch | tuple[Bunch, Bunch]:
    """Load a data set in KEEL's format.

    Parameters
    ----------
    path : path
        A ``.dat`` file, or a folder ``NAME`` that holds ``NAME.dat``.
    fold : int from 1 to 5, default=None
        Load the training and the test rows of one fold: KEEL's own from ``NAME-5-{fold}tra.dat`` and
        ``NAME-5-{fold}tst.dat`` where the folder has them. A set without any such file is split by
        ``numpy.random.default_rng(0).permutation(n)``, cut into five by `numpy.array_split`; part ``fold`` is the test
        set.
    target : str, default=None
        The output to predict; needed only if the file declares several.
    as_frame : bool, default=False
        Return a DataFrame with categorical columns and a Series instead of arrays.

    Returns
    -------
    Bunch or tuple of two Bunches (train, test)
        With the keys

        data : ndarray of float64 of shape (n_samples, n_features), or DataFrame
            The inputs. In the array a nominal value is its 0-based position among the declared categories, and a
            missing value NaN.
        target : ndarray of float64 of shape (n_samples,), or Series
            The output.
        feature_names : list of str
            The names of the inputs.
        target_name : str
            The name of the output.
        categories : dict of list of str
            For each nominal input the names of its categories.
        name : str
            The data set's name, taken from the file or folder.

    Raises
    ------
    FileNotFoundError
        If the file, or one of the two files of a fold, is not there.
    ValueError
        If a file is malformed, `fold` or `target` is unknown, or the target is not a number in every row.

    See Also
    --------
    read_table : Reads any table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> text = '''@relation demo
    ... @attribute size real [0, 9]
    ... @attribute colour {red, green}
    ... @attribute price real [0, 9]
    ... @outputs price
    ... @data
    ... 1.5, green, 2
    ... 3.5, red, 4
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "demo.dat")
    ...     _ = path.write_text(text)
    ...     demo = load_keel(path)
    >>> demo.data
    array([[1.5, 1. ],
           [3.5, 0. ]])
    >>> demo.target
    array([2., 4.])
    >>> demo.categories
    {'colour': ['red', 'green']}
    """
    whole, name = _locate(Path(path))
    folder = whole.parent
    if fold is None:
        return _as_bunch(read_attribute_file(whole), name, target, as_frame)
    number = _check_fold(fold)
    if _FOLD_FILE.search(name):
        raise ValueError(f"{whole.name} is part of a fold itself; give the folder or the whole set's file")
    train_path, test_path = (folder / f"{name}-{_N_FOLDS}-{number}{part}.dat" for part in ("tra", "tst"))
    if train_path.exists() and test_path.exists():
        train, test = read_attribute_file(train_path), read_attribute_file(test_path)
        _check_same_columns(train, test)
        return _as_bunch(train, name, target, as_frame), _as_bunch(test, name, target, as_frame)
    refuse_incomplete_folds(folder, name, number)
    parsed = read_attribute_file(whole)
    train_rows, test_rows = _split_rows(len(parsed.frame), number)
    return (
        _as_bunch(parsed, name, target, as_frame, train_rows),
        _as_bunch(parsed, name, target, as_frame, test_rows),
    )


def choose_output(parsed: AttributeFile, target: str | None) -> str:
    """Choose the output of a file that is the target.

    Parameters
    ----------
    parsed : AttributeFile
        The file.
    target : str or None
        The requested output; None takes the only one.

    Raises
    ------
    ValueError
        If `target` is not an output, or is None and there are several.
    """
    outputs = parsed.outputs
    if target is None:
        if len(outputs) > 1:
            raise ValueError(
                f"{parsed.places.name} has several outputs; choose one, as in target={outputs[0]!r}: "
                f"{quote_names(outputs)}"
            )
        return outputs[0]
    if target not in outputs:
        raise ValueError(f"{parsed.places.name} has no output {target!r}; {suggest(str(target), outputs)}")
    return target


def _locate(path: Path) -> tuple[Path, str]:
    """Return the file of the whole set at a path, and the name of the set."""
    if path.is_dir():
        name = Path(os.path.abspath(path)).name  # "." and ".." have no name of their own
        return path / f"{name}.dat", name
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r}; check the path")
    if path.suffix.lower() != ".dat":
        raise ValueError(f"{path.name} is not a '.dat' file; read other formats with read_table")
    return path, path.stem


def _check_fold(fold: object) -> int:
    if isinstance(fold, bool) or not isinstance(fold, (int, np.integer)) or not 1 <= fold <= _N_FOLDS:
        raise ValueError(f"fold must be an integer from 1 to {_N_FOLDS}, got {fold!r}")
    return int(fold)


def _check_same_columns(train: AttributeFile, test: AttributeFile) -> None:
    """Refuse two files whose columns differ: codes and columns would not mean the same in both."""
    if (
        [(a.name, a.categories) for a in train.attributes] != [(a.name, a.categories) for a in test.attributes]
        or train.inputs != test.inputs
        or train.outputs != test.outputs
    ):
        raise ValueError(
            f"{train.places.name} and {test.places.name} declare different attributes; give both the same header"
        )


def refuse_incomplete_folds(folder: Path, name: str, fold: int) -> None:
    """Refuse to split a set that has files of folds, but not both files of this fold."""
    files = [f"{name}-{_N_FOLDS}-{k}{part}.dat" for k in range(1, _N_FOLDS + 1) for part in ("tra", "tst")]
    present = {file for file in files if (folder / file).exists()}
    missing = [file for file in files[2 * fold - 2 : 2 * fold] if file not in present]
    if present and missing:
        raise FileNotFoundError(
            f"{str(folder)!r} has files of folds but lacks {' and '.join(missing)}; "
            f"add the missing files, or remove all of them to get a split of {name}.dat"
        )


def _split_rows(n_rows: int, fold: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if n_rows < _N_FOLDS:
        raise ValueError(f"{n_rows} rows are too few for {_N_FOLDS} folds; add rows or load the whole set")
    parts = np.array_split(np.random.default_rng(_SPLIT_SEED).permutation(n_rows), _N_FOLDS)
    test = parts.pop(fold - 1)
    return np.concatenate(parts), test


def _as_bunch(
    parsed: AttributeFile, name: str, target: str | None, as_frame: bool, rows: NDArray[np.int64] | None = None
) -> Bunch:
    target_name = choose_output(parsed, target)
    inputs = list(parsed.inputs)
    if not inputs:
        raise ValueError(f"{parsed.places.name} has no inputs; declare at least one attribute besides {target_name!r}")
    data = parsed.frame[inputs]
    values = numeric_target(parsed.frame[target_name], parsed.places)
    if rows is not None:
        data, values = data.iloc[rows].reset_index(drop=True), values.iloc[rows].reset_index(drop=True)
    categories = {feature: list(parsed.attribute(feature).categories or ()) for feature in inputs}
    return Bunch(
        data=data if as_frame else _code_matrix(data),
        target=values if as_frame else values.to_numpy(),
        feature_names=inputs,
        target_name=target_name,
        categories={feature: names for feature, names in categories.items() if names},
        name=name,
    )


def _code_matrix(data: pd.DataFrame) -> NDArray[np.float64]:
    """Turn a table into one array of floats, with the codes of categories in place of their names."""
    matrix = np.empty(data.shape)
    for j, name in enumerate(data.columns):
        column = data[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy()
            matrix[:, j] = np.where(codes < 0, np.nan, codes)
        else:
            matrix[:, j] = column.to_numpy()
    return matrix
