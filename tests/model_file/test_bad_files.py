"""What is no model is refused in one sentence that says why."""

import json
import os
import pickle

import pytest

from fruler import load_model
from fruler._model_file.file import parse_model, read_model
from fruler.rules._json.checked import MAX_BYTES, MAX_VALUES

HAND = json.dumps({"format": "fruler-model", "schema": 1})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b" \n\t ", "it is empty"),
        (b"a,b\n1,2\n", r"it is not JSON \(line 1, column 1: Expecting value\)"),
        (b"1,2\n3,4\n", r"it is not JSON \(line 1, column 2: Extra data\)"),
        (pickle.dumps([1]), r"it is not text \(byte 0 is not UTF-8\)"),
        ("{}".encode("utf-16"), "it is not text"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"a":' * 100_000, "it is nested too deeply"),
        (b"NaN", "NaN is not a finite number"),
        (b'{"a": [1, -Infinity]}', "-Infinity is not a finite number"),
        (b"1" * 5_000, "the number 1111111111... has 5,000 digits"),
        (b"-" + b"1" * 5_000, "the number -111111111... has 5,000 digits"),
        (b'{"a": 1, "b": 2, "a": 1}', "the key 'a' occurs twice in one object"),
        (b"[]", "it is JSON but not a fruler-model"),
        (b'"fruler-model"', "it is JSON but not a fruler-model"),
        (b"{}", "it is JSON but not a fruler-model, which an estimator's save and fruler fit write"),
        (b'{"format": "fruler-model"}', "it is JSON but not a fruler-model"),
        (
            b'{"format": "fruler-model", "schema": 5, "news": []}',
            "its schema is 5, and this version reads up to 4; inst",
        ),
        (b'{"format": "fruler-model", "schema": 0}', "schema must be a whole number of at least 1; got 0"),
        (b'{"format": "fruler-model", "schema": "1"}', "schema must be a whole number of at least 1; got '1'"),
        (b'{"format": "fruler-model", "schema": true}', "schema must be a whole number of at least 1; got true"),
        (HAND.encode(), "it has no 'written_by'"),
        (b" " * (MAX_BYTES + 1), "it has more than 32,000,000 bytes, which is too large for a model"),
        (b"[" + b"0," * MAX_VALUES + b"0]", "it holds more than 2,000,000 values, which is too many for a model"),
    ],
    ids=lambda value: str(value[:25]),
)
def test_what_is_no_model_is_refused(content, message, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"^'.*file' can't be read as a model: {message}") as caught:
        load_model(path)
    assert type(caught.value) is ValueError
    assert len(str(caught.value)) < 400 + len(str(path))
    assert "\n" not in str(caught.value)


def at(document, *path):
    for step in path:
        document = document[step]
    return document


RULES = ("rule_bases", 0, "rules")
INPUTS = ("rule_bases", 0, "inputs")
TRAINING = ("rule_bases", 0, "training")
MISSING = object()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("missing_values",), "typical", """missing_values must be "refuse"; got 'typical'"""),
        (("written_by",), 5, "written_by must be text; got 5"),
        (("written_by",), "\x1b[2J", r"written_by must be text without control characters; got '\x1b[2J'"),
        (("rule_bases",), [], "it has 0 rule bases, and this version reads one"),
        (("rule_bases",), {}, "rule_bases must be a list; got an object"),
        (("news",), 5, "it has 'news', which this version does not support"),
        (("learning",), MISSING, "it has no 'learning'"),
        (
            (*RULES, 0, "then", "intercept"),
            "3",
            "rule_bases[0].rules[0].then.intercept must be a finite number; got '3'",
        ),
        ((*RULES, 0, "then", "intercept"), 10**400, "rule_bases[0].rules[0].then.intercept must be a finite number"),
        ((*RULES, 0, "then", "slopes", "x"), None, "rule_bases[0].rules[0].then.slopes.x must be a finite number"),
        (
            (*RULES, 0, "then", "slopes", "x"),
            True,
            "rule_bases[0].rules[0].then.slopes.x must be a finite number; got true",
        ),
        ((*RULES, 0, "then", "slopes", "not an input"), 1, "rules[0].then.slopes['not an input'] is not an input"),
        ((*RULES, 0, "if", "z"), ["low"], "rule_bases[0].rules[0].if.z is not an input"),
        ((*RULES, 0, "if", "x"), ["lowest"], "rule_bases[0].rules[0].if.x must be a list of labels of the input"),
        ((*RULES, 0, "if", "x"), [], "rules[0].if.x must be a list of labels of the input; got a list"),
        (
            (*RULES, 0, "if", "x"),
            ["high", "low"],
            "rules[0].if.x must be a list of neighbouring labels, in their",
        ),
        ((*RULES, 0, "if", "x"), ["low", "low"], "rules[0].if.x must be a list of neighbouring labels"),
        ((*RULES, 0, "if", "x"), ["low", 5], "rule_bases[0].rules[0].if.x[1] must be text; got 5"),
        ((*RULES, 0, "support"), MISSING, "rule_bases[0].rules must all have a support, or none"),
        ((*RULES, 0, "support"), -1, "support must have one non-negative number"),
        ((*RULES, 0, "importance"), MISSING, "rule_bases[0].rules[0] has no 'importance'"),
        ((*RULES, 1, "weight"), 1, "rule_bases[0].rules[1] has 'weight', which this version does not support"),
        (RULES, [], "rule_bases[0] must have at least one input and one rule"),
        (("rule_bases", 0, "t_norm"), "sum", """t_norm must be "product" or "minimum"; got 'sum'"""),
        ((*INPUTS, 0, "kind"), "crisp", """inputs[0].kind must be "fuzzy" or "nominal"; got 'crisp'"""),
        ((*INPUTS, 0, "kind"), "nominal", "rule_bases[0].inputs[0] has no 'groups'"),
        ((*INPUTS, 0, "domain"), [0, 1, 2], "inputs[0] is not a partition: domain must be the smallest and the"),
        ((*INPUTS, 0, "domain"), [-1e301, 9], "inputs[0].domain[0] must be a number of at most 1e+300; got -1e+301"),
        ((*INPUTS, 0, "split_points"), [99], "inputs[0] is not a partition: Split points must increase strictly"),
        ((*INPUTS, 0, "split_points"), "4", "inputs[0].split_points must be a list of numbers; got '4'"),
        ((*INPUTS, 0, "fuzziness"), [1.5], "inputs[0] is not a partition: fuzziness must be"),
        ((*INPUTS, 0, "labels"), ["a", "a"], "inputs[0] is not a partition: Label names must be distinct"),
        ((*INPUTS, 0, "labels"), ["a", "\x1b"], r"inputs[0].labels[1] must be text without control characters; got"),
        ((*INPUTS, 1, "groups"), [[0], [0]], "inputs[1] is not a partition: A category may be in one group only"),
        ((*INPUTS, 1, "groups"), [[], [0]], "inputs[1] is not a partition: A nominal partition needs"),
        ((*INPUTS, 1, "name"), "x", "rule_bases[0].inputs has a name twice"),
        ((*INPUTS, 1, "unit"), None, "rule_bases[0].inputs[1].unit must be text; got null"),
        ((*TRAINING, "n_rows"), 0, "training.n_rows must be a whole number of at least 1; got 0"),
        ((*TRAINING, "n_rows"), 1.5, "training.n_rows must be a whole number of at least 1; got 1.5"),
        ((*TRAINING, "inputs", "x"), MISSING, "training.inputs must have the names of all inputs, and no others"),
        ((*TRAINING, "inputs", "x", "histogram"), [1], "training.inputs must have histograms of one length"),
        ((*TRAINING, "inputs", "x", "histogram"), [-1] * 24, "training is not a summary: Histograms, importances"),
        ((*TRAINING, "inputs", "x", "typical"), 99, "training is not a summary: typical of a"),
        ((*TRAINING, "inputs", "x", "low"), 9.8, "training is not a summary: typical of a"),
        ((*TRAINING, "inputs", "x", "high"), 1e151, "training is not a summary: low and high"),
        ((*TRAINING, "cv_rmse"), -1, "training is not a summary: Histograms, importances"),
        ((*TRAINING, "rmse"), "x", "training.rmse must be a finite number; got 'x'"),
        (("columns",), [], "its columns do not match the inputs of its rules"),
        (("columns", 1, "categories"), ["no"], "columns[1] must have at least two categories, each once"),
        (("columns", 0, "kind"), "category", "columns[0] must have categories if its kind is category, and only then"),
        (("columns", 1, "kind"), "number", "columns[1] must have categories if its kind is category, and only then"),
        (("columns", 1, "name"), "x", "columns has a name twice"),
        (("learning", "front", 0, "rules"), -1, "learning.front[0].rules must be a whole number of at least 0"),
        (("learning", "named_inputs"), 1, "learning.named_inputs must be true or false; got 1"),
        (("learning", "settings"), [], "learning.settings must be an object; got a list"),
        (("learning", "settings", "search"), "luck", "learning.settings: there is no algorithm 'luck'; the names are"),
        (
            ("learning", "settings", "bounds"),
            [0, 1, 2],
            "learning.settings.bounds must be two numbers, with null for no bound",
        ),
        (("learning", "settings", "bounds"), [None, []], "settings.bounds[1] must be a finite number; got a list"),
        (("learning", "settings", "random_state"), -1, "learning.settings: The 'random_state' parameter"),
        (
            ("learning", "settings", "split_points"),
            {"x": [1]},
            "learning.settings.split_points must be a list; got an obj",
        ),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_a_wrong_value_is_named_with_its_place(golden, tmp_path, path, value, message):
    assert_refused(json.loads(golden("small")), path, value, message, tmp_path)


@pytest.mark.parametrize("name", ["\udc00x", "\x1b[31m"])
def test_names_of_categories_are_text(golden, tmp_path, name):
    document = json.loads(golden("table-2"))
    categories = at(document, *INPUTS, 0, "source", "categories")
    spoiled = {name if k == 0 else old: value for k, (old, value) in enumerate(categories.items())}
    message = f"source.categories has the name {name!r}; names must be text without control characters"
    assert_refused(document, (*INPUTS, 0, "source", "categories"), spoiled, message, tmp_path)


def assert_refused(document, path, value, message, folder):
    if value is MISSING:
        del at(document, *path[:-1])[path[-1]]
    else:
        at(document, *path[:-1])[path[-1]] = value
    (folder / "model.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match="can't be read as a model") as caught:
        load_model(folder / "model.json")
    assert message in str(caught.value)


CURVES = ("rule_bases", 0, "curves")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (CURVES, None, "rule_bases[0].curves must be a list; got null"),
        ((*CURVES, 0), 5, "rule_bases[0].curves[0] must be an object with input, kind"),
        ((*CURVES, 0, "colour"), 5, "rule_bases[0].curves[0] has 'colour', which this version does not support"),
        ((*CURVES, 0, "pieces"), MISSING, "rule_bases[0].curves[0] has no 'pieces'"),
        ((*CURVES, 0, "input"), "z", "rule_bases[0].curves[0].input is not an input"),
        ((*CURVES, 0, "input"), 0, "rule_bases[0].curves[0].input must be text; got 0"),
        ((*CURVES, 0, "input"), "sort", "rule_bases[0].curves[0].input is not an input with an order"),
        ((*CURVES, 1, "input"), "age", "rule_bases[0].curves has an input twice"),
        ((*CURVES, 0, "kind"), "nominal", """rule_bases[0].curves[0].kind must be "fuzzy"; got 'nominal'"""),
        ((*CURVES, 0, "domain"), [0], "curves[0] is not a partition: domain must be the smallest and the"),
        ((*CURVES, 0, "split_points"), [99, 400], "curves[0] is not a partition: Split points must increase strictly"),
        ((*CURVES, 0, "pieces"), [], "curves[0] is not a curve: A curve over 3 labels needs coefficients of shape (3"),
        ((*CURVES, 0, "pieces", 1), [0, 1], "curves[0].pieces[1] must be an object with intercept, slope"),
        ((*CURVES, 0, "pieces", 1, "slope"), "1", "curves[0].pieces[1].slope must be a finite number; got '1'"),
        ((*CURVES, 0, "pieces", 0, "slope"), 1e301, "curves[0].pieces[0].slope must be a number of at most 1e+300"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_a_wrong_value_of_a_curve_is_named_with_its_place(golden, tmp_path, path, value, message):
    assert_refused(json.loads(golden("curves")), path, value, message, tmp_path)


TRUTH = (*TRAINING, "truth")
FRONT = ("learning", "front")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (TRUTH, None, "training.truth must be an object with together, alone"),
        ((*TRUTH, "together"), "1", "training.truth.together must be a finite number; got '1'"),
        ((*TRUTH, "alone"), -1, "training.truth is not a truth: The errors of a truth must be finite, and can't be"),
        ((*TRUTH, "alone"), None, "training.truth.alone must be a finite number; got null"),
        ((*TRUTH, "held_out"), 1, "training.truth.held_out must be true or false; got 1"),
        ((*TRUTH, "held_out"), MISSING, "training.truth has no 'held_out'"),
        ((*TRUTH, "ratio"), 0.5, "training.truth has 'ratio', which this version does not support"),
        ((*TRUTH, "rules"), [None], "training is not a summary: The truth of a training summary must have 3 rules"),
        ((*TRUTH, "rules", 0), 1, "training.truth.rules[0] must be an object with together, alone"),
        ((*TRUTH, "rules", 0, "alone"), MISSING, "training.truth.rules[0] has no 'alone'"),
        ((*TRUTH, "rules", 0, "alone"), None, "training.truth.rules[0].alone must be a finite number; got null"),
        ((*FRONT, 1, "truth"), None, "learning.front[1].truth must be a finite number; got null"),
        ((*FRONT, 1, "truth"), -0.5, "learning.front[1].truth must be a number that is not negative; got -0.5"),
        ((*FRONT, 1, "curves"), 0.5, "learning.front[1].curves must be a whole number of at least 0; got 0.5"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_a_wrong_value_of_a_truth_is_named_with_its_place(golden, tmp_path, path, value, message):
    assert_refused(json.loads(golden("truth")), path, value, message, tmp_path)


def test_every_cut_of_a_file_is_refused(golden):
    raw = golden("small").rstrip()
    for end in range(0, len(raw), 7):
        with pytest.raises(ValueError, match=r"it is (not JSON|empty)"):
            parse_model(raw[:end])


@pytest.mark.parametrize("where", ["key", "labels", "groups"])
def test_a_message_is_never_as_long_as_a_file(golden, tmp_path, where):
    document = json.loads(golden("small"))
    inputs = document["rule_bases"][0]["inputs"]
    if where == "key":
        document["b" * 50_000] = 1
    elif where == "labels":
        inputs[0]["labels"] = ["a" * 50_000, "a" * 50_000]
    else:
        inputs[1]["groups"] = [[0.0] * 50_000]
    (tmp_path / "model.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match="can't be read") as caught:
        load_model(tmp_path / "model.json")
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


def test_whole_numbers_with_a_point_and_a_mark_of_the_byte_order_are_read(golden):
    document = json.loads(golden("small"))
    document["schema"] = 1.0
    document["rule_bases"][0]["training"]["n_rows"] = 40.0
    raw = b"\xef\xbb\xbf" + json.dumps(document).encode()
    assert parse_model(raw).rule_base == parse_model(golden("small")).rule_base


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(ValueError, match="is a folder; give the path of a model file"):
        load_model(tmp_path)


@pytest.mark.parametrize("name", ["none.json", "model.json/none.json"])
def test_a_file_that_is_not_there(tmp_path, golden, name):
    (tmp_path / "model.json").write_bytes(golden("small"))
    with pytest.raises(FileNotFoundError, match=r"^there is no file '.*none.json'; check the path"):
        read_model(tmp_path / name)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="a device of Unix")
def test_a_device_without_end_is_not_read_to_its_end():
    with pytest.raises(ValueError, match="more than 32,000,000 bytes"):
        load_model("/dev/zero")


OWN, SHARED = "own-3", "mamdani-3"


@pytest.mark.parametrize(
    ("name", "path", "value", "message"),
    [
        (OWN, (*RULES, 0, "if", "weight"), [1, 2], "rules[0].if.weight must be a list of three points; got a list"),
        (
            OWN,
            (*RULES, 0, "if", "weight"),
            [3, 2, 4],
            "rules[0].if.weight must be three points that do not decrease",
        ),
        (OWN, (*RULES, 0, "if", "weight"), [1, None, 4], "if.weight[1] must be a finite number; got null"),
        (OWN, (*RULES, 0, "if", "weight"), ["low"], "if.weight must be a list of three points; got a list"),
        (OWN, ("rule_bases", 0, "antecedents"), "own", """antecedents must be "triangles" or "own triangles"; got"""),
        (OWN, ("schema",), 2, "rule_bases[0] has 'antecedents', which this version does not support"),
        (SHARED, ("schema",), 2, "rule_bases[0] has 'antecedents', which this version does not support"),
        (
            SHARED,
            ("rule_bases", 0, "antecedents"),
            MISSING,
            "Ranges of labels need partitions whose degrees sum to one",
        ),
        (SHARED, (*RULES, 0, "if", "weight"), ["low", "medium"], "rules[0].if.weight must be a list of one label"),
        (SHARED, (*RULES, 0, "then", "label"), "lowest", "then.label must be a label of the target; got 'lowest'"),
        (SHARED, (*RULES, 0, "then"), {"intercept": 1, "slopes": {}}, "rules[0].then has no 'label'"),
        (SHARED, (*INPUTS, 0, "points"), [], "inputs[0].points must be a list of triangles; got a list"),
        (SHARED, (*INPUTS, 0, "points", 0), [9999, None, None], "inputs[0].points[0][1] must be a finite number"),
        (SHARED, (*INPUTS, 0, "points", 1), [1, 2, 3], "inputs[0] is not a partition: Labels must be ordered by"),
        (SHARED, (*INPUTS, 0, "points", 1), [1, 2000, 1e301], "inputs[0].points[1][2] must be a number of at most"),
        (SHARED, (*INPUTS, 0, "domain"), [2, 1], "inputs[0] is not a partition: domain must be the smallest"),
        (SHARED, (*INPUTS, 0, "labels"), ["a", "b"], "inputs[0] is not a partition: 3 label names are needed"),
        (
            SHARED,
            ("rule_bases", 0, "target", "points", 0),
            [None, 1, 2],
            "The triangles of an output need finite points",
        ),
        (SHARED, ("rule_bases", 0, "target", "kind"), "fuzzy", """target.kind must be "triangles"; got 'fuzzy'"""),
    ],
)
def test_a_wrong_value_of_triangles_is_named_with_its_place(golden, tmp_path, name, path, value, message):
    assert_refused(json.loads(golden(name)), path, value, message, tmp_path)


CHANGE, EDIT = ("changes", 0), ("changes", 0, "edits", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("changes",), {}, "changes must be a list; got an object"),
        ((*CHANGE, "why"), "", "changes[0] has 'why', which this version does not support"),
        ((*CHANGE, "fit"), "again", 'changes[0].fit must be "refit" or "update"'),
        ((*CHANGE, "rows"), 0, "changes[0].rows must be a whole number of at least 1; got 0"),
        ((*CHANGE, "by"), 1, "changes[0].by must be text; got 1"),
        (EDIT, [], "changes[0].edits[0] must be an object"),
        ((*EDIT, "kind"), "erase", "changes[0].edits[0].kind must be"),
        ((*EDIT, "input"), "wind", "There is no input 'wind'"),
        ((*EDIT, "name"), "", "The name of an edit must not be empty"),
        ((*EDIT, "rule"), 1, "changes[0].edits[0] has 'rule', which this version does not support"),
        (("changes", 0, "edits", 2, "rule"), 9, "There is no rule 9; the model has 2 rules"),
        (("changes", 0, "edits", 2, "value"), 1e200, "must be a finite number"),
        (("changes", 0, "edits", 2, "at", "rain"), [], "edits[2].at.rain must be a finite number"),
        (("sums", "inputs"), ["dose", "rain", "soil"], "sums.inputs must be a list of inputs, in their order"),
        (("sums", "spread", 0), 0.0, "sums are not valid: Sums over rows need"),
        (("sums", "centre"), [1.0], "sums are not valid: Sums over rows must have"),
        (("sums", "products", 1), [1.0], "sums.products must be a triangle of 13 rows"),
        (("sums", "products", 0, 0), 1e301, "sums.products[0][0] must be a number of at most"),
        (("sums", "rows"), 0.5, "sums.rows must be a whole number of at least 1"),
        (("sums",), [], "sums must be an object"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_change_is_named_with_its_place(golden, tmp_path, path, value, message):
    assert_refused(json.loads(golden("edited-4")), path, value, message, tmp_path)


def test_changes_need_their_schema(golden, tmp_path):
    document = json.loads(golden("edited-4"))
    assert_refused(document, ("schema",), 3, "has 'changes', which this version does not support", tmp_path)
