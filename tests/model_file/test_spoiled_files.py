"""Spoiled and hostile files give a ValueError or a model that works; tests/fuzz/fuzz_model_file.py tries a million."""

import json
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import fuzz_model_file
import numpy as np
import pytest

pytestmark = pytest.mark.fuzz

N_FILES = 8_000


def test_spoiled_files_are_refused_or_work():
    rng, golden = random.Random(0), fuzz_model_file.golden_files()
    # All are read; what is read is used one time in five, which takes longer than reading.
    models = sum(
        fuzz_model_file.use(fuzz_model_file.spoiled(rng, golden), thoroughly=i % 50 == 0, used=i % 5 == 0)
        for i in range(N_FILES)
    )
    assert N_FILES / 10 < models < N_FILES / 2


HOSTILE = {
    # Terabytes of room for the coefficients.
    "cells": "document([fuzzy(f'x{j}') for j in range(30_000)], [empty] * 30_000)",
    # Every rule looks its label up among all.
    "labels": "document([fuzzy('x', 50_000)], [{'if': {'x': ['49999']}, 'then': empty['then']}] * 20_000)",
    "lists": "b'[' + b'[],' * 10_000_000 + b'[]]'",
    "keys": "b'{' + b','.join(b'\"%x\":0' % i for i in range(500_000)) + b'}'",
    "the same key": "b'{' + b','.join([b'\"a\":0'] * 500_000) + b'}'",
    "digits": "b'1' * 32_000_000",
    "decimals": "b'0.' + b'1' * 31_000_000",
    "exponent": "b'1e' + b'1' * 31_000_000",
    "text": "b'\"' + b'a' * 31_000_000 + b'\"'",
    "depth": "b'[' * 1_900_000",
    "closed depth": "b'[' * 900_000 + b']' * 900_000",
    "depth of objects": "b'{\"a\":' * 1_900_000",
}
PROGRAM = """
    import json, resource, sys
    from fruler._model_file.file import parse_model

    def fuzzy(name, n=1):
        splits = {"domain": [-1, n], "split_points": list(range(n - 1)), "fuzziness": [0.5] * (n - 1)}
        return {"name": name, "unit": "", "kind": "fuzzy", **splits, "labels": [str(i) for i in range(n)]}

    def document(inputs, rules):
        base = {"target": {"name": "y", "unit": ""}, "t_norm": "product", "inputs": inputs, "rules": rules}
        head = {"format": "fruler-model", "schema": 1, "written_by": "", "missing_values": "refuse", "columns": None}
        return json.dumps(head | {"rule_bases": [base | {"training": None}], "learning": None}).encode()

    empty = {"if": {}, "then": {"intercept": 0, "slopes": {}}}
    hostile = json.loads(sys.argv[1])
    for what, code in hostile.items():
        raw = eval(code)
        # Making the file took memory as well, which is not to be counted.
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 500_000_000, resource.RLIM_INFINITY))
        try:
            result = f"a model of {parse_model(raw).rule_base.n_rules}"
        except ValueError as error:
            result = "refused" if len(str(error)) < 300 else "a long story"
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        print(f"{what}: {result}")
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux to limit memory")
def test_a_hostile_file_takes_no_gigabytes():
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), json.dumps(HOSTILE)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    expected = dict.fromkeys(HOSTILE, "refused") | {"labels": "a model of 20000"}
    assert result.stdout.splitlines() == [f"{what}: {what_happens}" for what, what_happens in expected.items()]
    assert result.returncode == 0, result.stderr[-500:]


@pytest.mark.parametrize(
    ("then", "message"),
    [
        ({"intercept": -1.7e308, "slopes": {}}, r"then.intercept must be a number of at most 1e\+300; got -1.7e\+308"),
        ({"intercept": 0.0, "slopes": {"x": 1.7e308}}, "then.slopes.x must be a number of at most"),
        ({"intercept": 9e299, "slopes": {"x": 5e299}}, r"The output of rule 1 can exceed 1e\+300; scale the target"),
    ],
)
def test_a_model_whose_outputs_could_overflow_is_refused(golden, then, message):
    document = json.loads(golden("small"))
    document["rule_bases"][0]["rules"][0]["then"] = then
    with pytest.raises(ValueError, match=message):
        fuzz_model_file.parse_model(json.dumps(document).encode())


def test_a_model_with_enormous_numbers_predicts_explains_and_reports(golden, tmp_path):
    document = json.loads(golden("small"))
    for rule in document["rule_bases"][0]["rules"]:
        rule["then"] = {"intercept": -1e298, "slopes": {"x": 1e297, "open": -1e297}}
    raw = json.dumps(document).encode()
    assert fuzz_model_file.use(raw)
    model = fuzz_model_file.regressor_of(fuzz_model_file.parse_model(raw))
    assert np.isfinite(model.rule_base_.predict(model.rule_base_.training.typical[None])).all()
    assert "e+29" in str(model.rule_base_)
    model.report(path=tmp_path / "report.html")


def test_a_lifted_limit_on_digits_is_no_way_in():
    from fruler._model_file.file import parse_model

    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        with pytest.raises(ValueError, match="has 1,000,000 digits"):
            parse_model(b"1" * 1_000_000)
    finally:
        sys.set_int_max_str_digits(before)


def test_nothing_in_a_file_is_called(golden):
    """Reading imports nothing, opens nothing and compiles nothing: the interpreter would tell."""
    from fruler._model_file.file import parse_model
    from fruler.estimators._saved_model import regressor_of

    document = json.loads(golden("hand"))
    document["rule_bases"][0]["target"]["name"] = "__import__('os').system('false')"
    raw = json.dumps(document).encode()
    regressor_of(parse_model(raw))
    events = []
    watching = True
    sys.addaudithook(lambda event, _: events.append(event) if watching else None)
    regressor_of(parse_model(raw))
    watching = False
    assert not {"import", "open", "exec", "compile", "os.system", "subprocess.Popen", "pickle.find_class"} & set(events)
