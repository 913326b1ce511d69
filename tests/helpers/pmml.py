"""PMML documents, held against the schema and scored by JPMML-Evaluator."""

import shutil
import zipfile
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from fruler.export import export_model
from helpers.engines import cells, columns_of


@lru_cache(maxsize=1)
def backend():
    """Return the connection to Java, or skip the test."""
    jpmml = pytest.importorskip("jpmml_evaluator", reason="jpmml-evaluator is not installed")
    pytest.importorskip("jpype", reason="JPype1 is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    return jpmml.make_backend("jpype")


@lru_cache(maxsize=1)
def schema():
    """Return the schema of PMML 4.4, which JPMML's model classes have with them."""
    etree = pytest.importorskip("lxml.etree", reason="lxml is not installed")
    import jpmml_evaluator

    (jar,) = (Path(jpmml_evaluator.__file__).parent / "dependencies").glob("pmml-model-[0-9]*.jar")
    with zipfile.ZipFile(jar) as file:
        return etree.XMLSchema(etree.fromstring(file.read("pmml.xsd")))


def check_schema(document):
    """Raise an error if a document is not valid."""
    etree = pytest.importorskip("lxml.etree")
    schema().assertValid(etree.fromstring(document.encode()))


def evaluator_of(document):
    from jpmml_evaluator import LoadingModelEvaluatorBuilder

    return LoadingModelEvaluatorBuilder(backend()).loadString(document).build().verify()


def with_pmml(rules, frame, folder=None, **options):
    document = export_model(rules, "pmml", **options)
    evaluator = evaluator_of(document)
    check_schema(document)
    fields = [field.name for field in evaluator.getInputFields()]
    columns = {column.name: column for column in columns_of(rules)}
    given = {name: _values(columns[name], frame[name]) for name in fields}
    ends = [field.name for field in [*evaluator.getTargetFields(), *evaluator.getOutputFields()]]
    found = [
        [result[end] for end in ends]
        for row in range(len(frame))
        for result in [evaluator.evaluate({name: values[row] for name, values in given.items()})]
    ]
    answers = np.array(found, dtype=float)
    return answers if options else answers[:, 0]


def _values(column, values):
    if column.dates is not None:
        seconds = column.dates.seconds(values)
        return [None if np.isnan(own) else str(np.datetime64(int(own), "s")) for own in seconds]
    known = [value for (value,) in cells(values.to_frame())]
    if column.levels is None:
        return [(float(value) if value.strip() else None) if isinstance(value, str) else value for value in known]
    return known
