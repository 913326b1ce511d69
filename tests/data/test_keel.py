import numpy as np
import pandas as pd
import pytest

from fruler.data import _attribute_file as attribute_file
from fruler.data import load_keel
from fruler.data._attribute_file import read_attribute_file

HEADER = """@relation any
@attribute size real [0, 99]
@attribute colour {red, green, blue}
@attribute price real [0, 99]
@inputs size, colour
@outputs price
@data
"""


def write_set(folder, name="demo", n_rows=23, **parts):
    """Write a set of which row i has size i, and files of folds from `parts` such as ``tra1=[0, 1]``."""
    folder = folder / name
    folder.mkdir()
    rows = [f"{i}, {['red', 'green', 'blue'][i % 3]}, {i / 2}" for i in range(n_rows)]
    (folder / f"{name}.dat").write_text(HEADER + "\n".join(rows))
    for part, members in parts.items():
        kind, fold = part[:3], part[3:]
        (folder / f"{name}-5-{fold}{kind}.dat").write_text(HEADER + "\n".join(rows[i] for i in members))
    return folder


def test_a_file_and_its_folder_give_the_same(tmp_path):
    folder = write_set(tmp_path)
    for path in (folder, str(folder), folder / "demo.dat"):
        demo = load_keel(path)
        assert sorted(demo) == ["categories", "data", "feature_names", "name", "target", "target_name"]
        assert demo.data.dtype == demo.target.dtype == np.float64
        np.testing.assert_array_equal(demo.data, [[i, i % 3] for i in range(23)])
        np.testing.assert_array_equal(demo.target, np.arange(23) / 2)
        assert demo.feature_names == ["size", "colour"]
        assert demo.target_name == "price"
        assert demo.categories == {"colour": ["red", "green", "blue"]}
        assert demo.name == "demo"


def test_the_current_folder_has_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(write_set(tmp_path))
    assert load_keel(".").name == "demo"


def test_missing_inputs_are_nan(tmp_path):
    path = tmp_path / "gaps.dat"
    path.write_text(HEADER + "?, red, 1\n2, <null>, 3\n")
    np.testing.assert_array_equal(load_keel(path).data, [[np.nan, 0], [2, np.nan]])
    frame = load_keel(path, as_frame=True).data
    assert frame.isna().to_numpy().tolist() == [[True, False], [False, True]]


def test_as_frame_keeps_categories(tmp_path):
    train, test = load_keel(write_set(tmp_path), fold=2, as_frame=True)
    for part in (train, test):
        assert part.data["colour"].cat.categories.tolist() == ["red", "green", "blue"]
        assert part.data["colour"].tolist() == [["red", "green", "blue"][int(i) % 3] for i in part.data["size"]]
        assert part.target.name == "price"
        pd.testing.assert_index_equal(part.data.index, pd.RangeIndex(len(part.data)))
        pd.testing.assert_index_equal(part.target.index, part.data.index)


@pytest.mark.parametrize("fold", range(1, 6))
def test_a_set_without_files_of_folds_is_split(tmp_path, fold):
    train, test = load_keel(write_set(tmp_path), fold=np.int64(fold))
    parts = np.array_split(np.random.default_rng(0).permutation(23), 5)
    np.testing.assert_array_equal(test.data[:, 0], parts[fold - 1])
    np.testing.assert_array_equal(train.data[:, 0], np.concatenate(parts[: fold - 1] + parts[fold:]))
    np.testing.assert_array_equal(train.target, train.data[:, 0] / 2)


def test_files_of_folds_come_first(tmp_path):
    folder = write_set(tmp_path, tra1=[5, 6, 7], tst1=[1, 2])
    for path in (folder, folder / "demo.dat"):
        train, test = load_keel(path, fold=1)
        assert train.data[:, 0].tolist() == [5, 6, 7]
        assert test.data[:, 0].tolist() == [1, 2]
        assert train.name == test.name == "demo"
    (folder / "demo.dat").unlink()
    assert load_keel(folder, fold=1)[1].data[:, 0].tolist() == [1, 2]


def test_incomplete_folds_are_refused(tmp_path):
    folder = write_set(tmp_path, tra1=[5], tst1=[1], tra2=[5])
    with pytest.raises(FileNotFoundError, match=r"lacks demo-5-2tst\.dat; add the missing files, or remove"):
        load_keel(folder, fold=2)
    with pytest.raises(FileNotFoundError, match=r"lacks demo-5-3tra\.dat and demo-5-3tst\.dat"):
        load_keel(folder, fold=3)


def test_files_of_a_fold_with_different_headers_are_refused(tmp_path):
    folder = write_set(tmp_path, tra1=[5], tst1=[1])
    path = folder / "demo-5-1tst.dat"
    for old, new in [("red, green", "green, red"), ("size", "weight"), ("@inputs size, colour", "@inputs size")]:
        original = path.read_text()
        path.write_text(original.replace(old, new))
        with pytest.raises(ValueError, match=r"demo-5-1tra\.dat and demo-5-1tst\.dat declare different attributes"):
            load_keel(folder, fold=1)
        path.write_text(original)


@pytest.mark.parametrize("fold", [0, 6, -1, 1.0, True, "1"])
def test_fold_must_be_an_integer_from_1_to_5(tmp_path, fold):
    with pytest.raises(ValueError, match="fold must be an integer from 1 to 5, got"):
        load_keel(write_set(tmp_path), fold=fold)


def test_too_few_rows_for_folds(tmp_path):
    with pytest.raises(ValueError, match="4 rows are too few for 5 folds"):
        load_keel(write_set(tmp_path, n_rows=4), fold=1)


def test_several_outputs_need_a_choice(tmp_path):
    path = tmp_path / "two.dat"
    path.write_text(
        HEADER.replace("@inputs size, colour", "@inputs colour").replace("price\n@data", "size, price\n@data")
    )
    with path.open("a") as file:
        file.write("1, red, 2\n")
    with pytest.raises(
        ValueError, match=r"two\.dat has several outputs; choose one, as in target='size': 'size', 'price'"
    ):
        load_keel(path)
    with pytest.raises(ValueError, match=r"two\.dat has no output 'prise'; did you mean 'price'\?"):
        load_keel(path, target="prise")
    chosen = load_keel(path, target="size")
    assert (chosen.target.tolist(), chosen.target_name, chosen.feature_names) == ([1.0], "size", ["colour"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1, red, ?", "line 9, column 'price': the target is missing; fill it in or remove the row"),
        ("1, red, x", "line 9, column 'price': 'x' is not a number"),
    ],
)
def test_a_bad_target_is_named_by_its_line(tmp_path, row, message):
    path = tmp_path / "bad.dat"
    path.write_text(HEADER + "1, red, 2\n" + row)
    with pytest.raises(ValueError, match=message):
        load_keel(path)


def test_a_nominal_output_is_refused(tmp_path):
    path = tmp_path / "nominal.dat"
    path.write_text(HEADER.replace("size, colour", "size").replace("@outputs price", "@outputs colour") + "1, red, 2\n")
    with pytest.raises(ValueError, match="line 8, column 'colour': the target 'red' is not a number"):
        load_keel(path)


def test_a_file_without_inputs_is_refused(tmp_path):
    path = tmp_path / "lonely.dat"
    path.write_text("@attribute y real\n@data\n1\n")
    with pytest.raises(ValueError, match=r"lonely\.dat has no inputs; declare at least one attribute besides 'y'"):
        load_keel(path)


def test_paths_that_lead_nowhere(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^there is no file or folder '.*nowhere'; check the path$"):
        load_keel(tmp_path / "nowhere")
    (tmp_path / "hollow").mkdir()
    with pytest.raises(FileNotFoundError, match=r"^there is no file '.*hollow\.dat'; check the path$"):
        load_keel(tmp_path / "hollow")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"table\.csv is not a '\.dat' file; read other formats with read_table"):
        load_keel(tmp_path / "table.csv")


def test_every_set_loads(keel_folder, keel_set, keel_facts):
    n_rows, n_inputs, _ = keel_facts
    loaded = load_keel(keel_folder / keel_set)
    assert loaded.data.shape == (n_rows, n_inputs)
    assert loaded.target.shape == (n_rows,)
    assert len(loaded.feature_names) == n_inputs
    assert loaded.categories == {}
    assert np.isfinite(loaded.data).all()
    parsed = read_attribute_file(keel_folder / keel_set / f"{keel_set}.dat")
    assert parsed.outputs == (parsed.attributes[-1].name,)


@pytest.mark.slow
def test_every_fold_of_every_set_loads(keel_folder, keel_set, keel_facts):
    n_rows, n_inputs, has_folds = keel_facts
    assert has_folds == (keel_folder / keel_set / f"{keel_set}-5-1tra.dat").exists()
    whole = np.sort(load_keel(keel_folder / keel_set).target)
    test_targets = []
    for fold in range(1, 6):
        train, test = load_keel(keel_folder / keel_set, fold=fold)
        assert len(train.data) + len(test.data) == n_rows
        assert train.data.shape[1] == test.data.shape[1] == n_inputs
        assert np.isfinite(train.data).all()
        assert np.isfinite(test.data).all()
        np.testing.assert_array_equal(np.sort(np.concatenate([train.target, test.target])), whole)
        test_targets.append(test.target)
    np.testing.assert_array_equal(np.sort(np.concatenate(test_targets)), whole)


def test_a_large_set_is_not_walked_row_by_row(keel_folder, monkeypatch):
    def refuse(*_):
        raise AssertionError("rows were read one by one")

    monkeypatch.setattr(attribute_file, "_read_rows_one_by_one", refuse)
    load_keel(keel_folder / "mv")


def test_a_fold_of_a_fold_is_refused(keel_folder):
    with pytest.raises(ValueError, match="part of a fold itself"):
        load_keel(keel_folder / "dee" / "dee-5-1tra.dat", fold=1)
