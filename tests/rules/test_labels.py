import pytest

from fruler.rules import label_names


@pytest.mark.parametrize("n_labels", range(1, 31))
def test_names_are_distinct_words(n_labels):
    names = label_names(n_labels)
    assert len(set(names)) == len(names) == n_labels
    assert all(name == name.strip() and name[0].isalpha() for name in names)


def test_names_run_from_low_to_high():
    for n_labels in range(2, 21):
        names = label_names(n_labels)
        assert "low" in names[0]
        assert "high" in names[-1]
        zones = ["low" in name and "high" not in name for name in names]
        assert zones == sorted(zones, reverse=True)


def test_no_labels_is_refused():
    with pytest.raises(ValueError, match="at least one label"):
        label_names(0)
