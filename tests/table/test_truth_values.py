"""Truth values: the same for fit and predict, from whatever table or file they come."""

import io

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

from fruler import FuzzyRuleRegressor
from fruler.data import read_table

FORMS = {
    "bool": lambda b: b,
    "boolean": lambda b: b.astype("boolean"),
    "arrow": lambda b: b.astype(pd.ArrowDtype(pyarrow.bool_())),
    "object": lambda b: b.astype(object),
    "int": lambda b: b.astype(int),
    "float": lambda b: b.astype(float),
    "Int64": lambda b: b.astype("Int64"),
    "text of digits": lambda b: b.astype(int).astype(str),
    "text": lambda b: b.map({True: " TRUE", False: "false"}),
}


def table(form="bool", n_rows=80):
    rng = np.random.default_rng(0)
    b, x = pd.Series(rng.random(n_rows) < 0.5), rng.normal(size=n_rows)
    return pd.DataFrame({"b": FORMS[form](b), "x": x}), x + 5.0 * b.to_numpy()


def learned(form="bool"):
    return FuzzyRuleRegressor(random_state=0).fit(*table(form))


@pytest.mark.parametrize("form", FORMS)
def test_a_model_of_truth_values_reads_them_in_every_form(form):
    model = learned()
    np.testing.assert_array_equal(model.predict(table(form)[0]), model.predict(table()[0]))


@pytest.mark.parametrize("form", ["bool", "boolean", "arrow", "object", "text"])
def test_a_model_is_the_same_whatever_the_type_of_its_truth_values(form):
    np.testing.assert_array_equal(learned(form).predict(table()[0]), learned().predict(table()[0]))


@pytest.mark.parametrize("kind", ["polars", "arrow", "array"])
def test_other_tables_have_the_same_truth_values(kind):
    model, (frame, _) = learned(), table()
    other = {
        "polars": lambda: polars.DataFrame({name: frame[name].tolist() for name in frame}),
        "arrow": lambda: pyarrow.table({name: frame[name].tolist() for name in frame}),
        "array": lambda: frame.astype(float).to_numpy(),
    }[kind]()
    context = pytest.warns(UserWarning, match="feature names") if kind == "array" else _nothing()
    with context:
        found = model.predict(other)
    np.testing.assert_array_equal(found, model.predict(frame))


class _nothing:
    def __enter__(self): ...

    def __exit__(self, *_): ...


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("form", ["bool", "boolean", "arrow", "object"])
def test_parquet_keeps_truth_values(form, gaps):
    frame, y = table(form)
    if gaps and form != "bool":
        frame.loc[3, "b"] = None
    file = io.BytesIO()
    frame.to_parquet(file)
    read = read_table(io.BytesIO(file.getvalue()), format="parquet").data
    assert read["b"].dropna().map(type).isin([bool, np.bool_]).all()
    model = FuzzyRuleRegressor(random_state=0).fit(frame, y)
    np.testing.assert_array_equal(model.predict(read), model.predict(frame))
    again = FuzzyRuleRegressor(random_state=0).fit(read, y)
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


@pytest.mark.parametrize("number", [2, 0.5])
def test_a_number_other_than_0_and_1_is_not_a_truth_value(number):
    frame = table("float")[0]
    frame.loc[4, "b"] = number
    with pytest.raises(ValueError, match=rf"'b', row 4 \(counted from 0\), is {number}, .*'False', 'True'"):
        learned().predict(frame)


@pytest.mark.parametrize("form", ["bool", "boolean", "arrow", "object"])
@pytest.mark.parametrize("others", [{}, {"g": "u"}])
def test_a_model_of_numbers_refuses_truth_values(form, others):
    def with_others(frame):
        return frame.assign(**{name: [value, "v"] * (len(frame) // 2) for name, value in others.items()})

    frame, y = table("int")
    model = FuzzyRuleRegressor(random_state=0).fit(with_others(frame), y)
    given = with_others(table(form)[0])
    if form == "object":
        given.loc[0, "b"] = None
    with pytest.raises(ValueError, match="truth value, but the model was fitted on numbers"):
        model.predict(given)


@pytest.mark.parametrize("others", [{}, {"g": "u"}])
def test_complex_numbers_are_refused(others):
    frame, y = table("int")
    frame = frame.assign(**others) if not others else frame.assign(g=["u", "v"] * (len(frame) // 2))
    model = FuzzyRuleRegressor(random_state=0).fit(frame, y)
    with pytest.raises(ValueError, match=r"[Cc]omplex"):
        model.predict(frame.assign(x=frame["x"] + 1j))
    with pytest.raises(ValueError, match=r"[Cc]omplex"):
        FuzzyRuleRegressor(random_state=0).fit(frame.assign(x=frame["x"] + 1j), y)


def test_a_lazy_frame_is_refused_without_another_word():
    with pytest.raises(TypeError, match=r"pass X.collect\(\)"):
        learned().predict(polars.LazyFrame({"b": [True], "x": [1.0]}))
