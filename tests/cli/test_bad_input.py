"""Whatever a user gets wrong: one line that says what and what to do, exit code 2, and no file."""

import sys

import pytest
from helpers.commands import assert_one_line, run_process

TABLES = {
    "empty.csv": "",
    "header.csv": "a,y\n",
    "one.csv": "a,y\n1,2\n",
    "gaps.csv": "a,b,y\n1,,1\n,2,2\n,,3\n,,4\n",
    "no_target.csv": "a,y\n1,\n2,\n",
    "text.csv": "a,k,y\n1,u,1\n2,v,2\n3,w,3\n",
    "odd.csv": "a,y\n1,2\n2,3\n3,unknown\n",
    "comma.csv": 'a,y\n1,"1,000"\n2,"2,500"\n',
    "percent.csv": "a,y\n1,5%\n2,0.5\n3,10%\n",
    "ids.csv": "a,y\nu,1\nv,2\nw,3\n",
    "constant.csv": "a,y\n1,2\n2,2\n",
    "wide.csv": "a,y\n1,1e200\n2,2\n",
    "alone.csv": "y\n1\n2\n",
}


@pytest.fixture
def tables(tmp_path):
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "latin.csv").write_bytes("a,y\n1,2\nñ,3\n".encode("latin-1"))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "target", "parts"),
    [
        ("none.csv", "y", ["no file", "none.csv"]),
        ("none.xyz", "y", ["no file", "none.xyz"]),
        ("empty.csv", "y", ["empty.csv", "empty"]),
        ("header.csv", "y", ["header.csv", "no row"]),
        ("one.csv", "y", ["one.csv", "one row"]),
        ("gaps.csv", "y", ["no column can be an input", "a: only 1 value in 4 rows; b: only 1 value"]),
        ("no_target.csv", "y", ["'y' is missing in every row"]),
        ("text.csv", "k", ["'k' must be numbers", "row 1", "'u'", "'a', 'y'"]),
        ("odd.csv", "y", ["row 3", "'unknown'", "leave it empty"]),
        ("comma.csv", "y", ["line 2", "'1,000' may be 1000 or 1", "--thousands ,", "--decimal ,"]),
        ("percent.csv", "y", ["line 3", "'y'", 'some values have "%" and some do not']),
        ("ids.csv", "y", ["no column can be an input", "a: 3 categories in 3 rows, too few rows to learn from each"]),
        ("constant.csv", "y", ["2 in every row"]),
        ("wide.csv", "y", ["1e+200", "row 1"]),
        ("alone.csv", "y", ["no input column"]),
        ("latin.csv", "y", ["line 3", "UTF-8"]),
    ],
)
def test_tables_that_cannot_be_learned_from(fruler, tables, name, target, parts):
    model = tables / "m.json"
    result = fruler("fit", tables / name, "--target", target, "--model", model)
    assert_one_line(result, *parts)
    assert result.stdout == ""
    assert not model.exists()


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ([], ["--target price", "'size', 'smoker'"]),
        (["--target", "prise"], ["'prise'", "did you mean 'price'"]),
        (["--target", "price", "--drop", "sise"], ["'sise'", "did you mean 'size'"]),
        (["--target", "price", "--drop", "price"], ["'price' is the target"]),
        (["--target", "price", "--category", "colur"], ["'colur'", "did you mean 'colour'"]),
        (["--target", "price", "--category", "price"], ["'price' is the target", "not categories"]),
        (["--target", "price", "--category", "age", "--drop", "age"], ["'age' cannot be both a category and left out"]),
        (["--target", "price", "--category", "size"], ["'size' cannot be a category", "in 199 rows, too few rows"]),
        (["--target", "price", "--category", "age"], ["'age' cannot be a category", "too few rows to learn from each"]),
        (["--target", "price", "--unit", "size"], ["--unit", "size=m²"]),
        (["--target", "price", "--unit", "sise=m"], ["'sise'", "did you mean 'size'"]),
        (["--target", "price", "--max-rules", "0"], ["--max-rules"]),
        (["--target", "price", "--time-limit", "-1"], ["--time-limit", "-1"]),
        (["--target", "price", "--time-limit", "nan"], ["--time-limit"]),
        (["--target", "price", "--time-limit", "inf"], ["--time-limit", "inf"]),
        (["--target", "price", "--jobs", "0"], ["--jobs"]),
        (["--target", "price", "--seed", "-1"], ["--seed"]),
        (["--target", "price", "--format", "xls"], ["'xls'", "csv"]),
        (["--targe", "price"], ["--targe", "--target", "fruler fit --help"]),
        (["price"], ["no file 'price'"]),
    ],
)
def test_options_that_make_no_sense(fruler, houses, options, parts):
    result = fruler("fit", houses, *options)
    assert_one_line(result, *parts)
    assert result.stdout == ""


@pytest.mark.parametrize("option", ["--model", "--report"])
def test_places_where_no_file_can_be(fruler, houses, tmp_path, option):
    def fit(path):
        result = fruler("fit", houses, "--target", "price", option, path)
        assert result.stdout == ""  # said before anything is learned
        return result

    (tmp_path / "file").write_text("")
    assert_one_line(fit(tmp_path / "none" / "m"), "does not exist")
    assert_one_line(fit(tmp_path / "file" / "m"), "is a file")
    assert_one_line(fit(tmp_path), "is a folder")
    before = houses.read_bytes()
    assert_one_line(fit(houses), "overwritten")
    assert houses.read_bytes() == before
    if sys.platform == "linux":
        # Not even the superuser makes files there.
        assert_one_line(fit("/proc/m"), "is not writable")
        assert_one_line(fit("/dev/null"), "is not a regular file")


def test_model_and_report_in_one_file(fruler, houses, tmp_path):
    path = tmp_path / "m"
    result = fruler("fit", houses, "--target", "price", "--model", path, "--report", path)
    assert_one_line(result, "--model and --report")


@pytest.mark.parametrize("name", ["predict", "explain", "rules"])
def test_models_from_elsewhere(fruler, houses, model, tmp_path, name):
    def use(path):
        return fruler(name, path, *([] if name == "rules" else [houses]))

    (tmp_path / "any.json").write_text('{"a": 1}')
    (tmp_path / "cut.json").write_text(model.read_text()[:2_000])
    (tmp_path / "latin.json").write_bytes(b"\xff\xfe")
    assert_one_line(use(tmp_path / "none.json"), "no file", "none.json")
    assert_one_line(use(tmp_path), "is a folder")
    for path in (tmp_path / "any.json", tmp_path / "cut.json", tmp_path / "latin.json", houses):
        result = use(path)
        assert_one_line(result, path.name, "can't be read as a model")
        assert result.stdout == ""


def test_commands_that_are_none(fruler):
    assert_one_line(fruler("predikt"), "'predikt'", "Did you mean 'predict'", "fruler --help")
    assert_one_line(fruler("--nope"), "--nope")
    assert_one_line(fruler("predict"), "MODEL", "fruler predict --help")


@pytest.mark.process
@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "none.csv", "--target", "y"),
        ("fit", "{houses}", "--target", "prise"),
        ("predict", "{houses}", "{houses}"),
        ("predict", "{model}", "-"),
        ("fit", "{houses}", "--max-rules", "many"),
        ("nothing",),
    ],
)
def test_a_process_of_its_own_ends_the_same_way(houses, model, arguments):
    filled = [text.format(houses=houses, model=model) for text in arguments]
    assert_one_line(run_process(*filled, input=""))
