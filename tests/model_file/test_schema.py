"""The JSON Schema says what the reader reads."""

import json
import random
import re
from importlib.resources import files
from pathlib import Path

import fuzz_model_file
import pytest
from jsonschema import Draft202012Validator

from fruler import FRULERRegressor
from fruler._model_file.file import model_bytes, parse_model
from fruler.estimators._saved_model import regressor_of

# What a schema cannot say: how parts of a document refer to each other, the order of numbers, a key that occurs twice,
# and the values of settings, which each version knows best.
BEYOND_A_SCHEMA = re.compile(
    r"occurs twice in one object|has a name twice|has an input twice|is not an input|NaN is not|Infinity is not"
    r"|must be a list of (neighbouring )?labels|its columns do not match|must all have a support"
    r"|must have the names of all inputs|Split points must increase|for each of the \d+ split points"
    r"|label names are needed|in one group only|The truth of a training summary must have|an input that fills no gaps"
    r"|the numbers of its categories|three points that do not decrease|ordered by their second points"
    r"|must be a label of the target|must be a list of one label|LabelTriangles needs inputs"
    r"|Ranges of labels need partitions|Curves need rules with numbers|domain must be the"
    r"|A triangle needs an input with an order|A curve over \d+ labels needs|low must not be above high"
    r"|must lie between low and high|learning\.settings: |a number of at most 1e\+300|The output of rule \d+ can exceed"
    r"|The coverages of intervals must increase|and scores can.t decrease|a score for each coverage|intervals must have"
    r"|(one|a) number for each of the|is not an edit|must be a triangle of|are not sums of the terms|Sums over rows"
    r"|a list of inputs, in their order"
    r"|extrapolation=.clip. needs|(lower|upper) bound must be|summary is for another link"
)


class Validators:
    """The schemas, of which a document names its own."""

    def __init__(self):
        texts = (
            files("fruler._model_file").joinpath(f"schema-{n}.json").read_text(encoding="utf-8") for n in (1, 2, 3, 4)
        )
        self.all = [Draft202012Validator(json.loads(text)) for text in texts]
        for validator in self.all:
            Draft202012Validator.check_schema(validator.schema)

    def of(self, document):
        schema = document.get("schema") if isinstance(document, dict) else None
        return self.all[schema - 1 if schema in (2, 3, 4) and schema is not True else 0]

    def iter_errors(self, document):
        return self.of(document).iter_errors(document)

    def is_valid(self, document):
        return self.of(document).is_valid(document)


@pytest.fixture(scope="module")
def validator():
    return Validators()


@pytest.mark.parametrize(
    "name",
    ["model-1", "hand-1", "small-1", "curves-1", "truth-1", "output-2", "table-2", "mamdani-3", "own-3", "edited-4"],
)
def test_golden_files_satisfy_the_schema(validator, name):
    document = json.loads((Path(__file__).parent / "golden" / f"{name}.json").read_bytes())
    assert [error.message for error in validator.iter_errors(document)] == []


def test_learned_models_satisfy_the_schema(validator, fitted, weather):
    evolved = FRULERRegressor(max_evaluations=200, population_size=11, random_state=0)
    evolved.fit(weather.data[:150].to_numpy(), weather.target[:150])
    for model in (fitted, fitted.with_rules(1), evolved):
        assert [error.message for error in validator.iter_errors(json.loads(model_bytes(model._to_model())))] == []


@pytest.mark.fuzz
def test_the_schema_and_the_reader_agree_on_spoiled_files(validator):
    rng, golden = random.Random(1), sorted(fuzz_model_file.golden_files(), key=len)[:6]
    golden.append((Path(__file__).parent / "golden" / "edited-4.json").read_bytes())
    assert all(
        any(key in raw for raw in golden)
        for key in (
            b'"curves": [',
            b'"truth": {',
            b'"truth": 0.',
            b'"own triangles"',
            b'"points": [[',
            b'"intervals": {',
            b'"changes": [',
            b'"sums": {',
        )
    )
    agreed = {True: 0, False: 0}
    while sum(agreed.values()) < 600:
        raw = fuzz_model_file.spoiled(rng, golden)
        try:
            document = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if len(raw) > 50_000:
            continue
        try:
            regressor_of(parse_model(raw))
            message = ""
        except ValueError as error:
            message = str(error)
        valid = validator.is_valid(document)
        assert valid or message, f"read, but no {next(validator.iter_errors(document)).message[:300]}: {raw[:3000]!r}"
        if valid and message:
            assert BEYOND_A_SCHEMA.search(message), f"{message}: {raw[:3000]!r}"
        else:
            agreed[valid] += 1
    assert min(agreed.values()) > 100
