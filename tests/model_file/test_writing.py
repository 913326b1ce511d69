"""A file is written whole or not at all."""

import os
import stat
import subprocess
import sys
import textwrap

import pytest

from fruler import load_model
from fruler._files import write_whole

unix = pytest.mark.skipif(sys.platform == "win32", reason="rights and limits of Unix")


@pytest.mark.process
@unix
def test_a_full_disk_leaves_the_old_model(golden, tmp_path):
    (tmp_path / "model.json").write_bytes(golden("small"))
    (tmp_path / "larger.json").write_bytes(golden("model"))
    program = """
        import resource
        from fruler import load_model
        larger = load_model("larger.json")
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))
        try:
            larger.save("model.json")
        except OSError as error:
            print(error)
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "'model.json' could not be written (File too large); make room, or choose another folder" in result.stdout
    assert (tmp_path / "model.json").read_bytes() == golden("small")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["larger.json", "model.json"]


def test_a_model_is_saved_over_another(golden, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(golden("small"))
    (tmp_path / "larger.json").write_bytes(golden("model"))
    load_model(tmp_path / "larger.json").save(str(path))
    assert load_model(path).n_rules_ == 5
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["larger.json", "model.json"]


def test_a_folder_that_is_not_there_is_named(fitted, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*none' to write 'm\.json' to; create it"):
        fitted.save(tmp_path / "none" / "m.json")


def test_a_folder_is_not_written_over(fitted, tmp_path):
    with pytest.raises(OSError, match=r"could not be written \(it is not a regular file\)"):
        fitted.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


@unix
def test_a_device_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="it is not a regular file"):
        write_whole(tmp_path / "pipe", b"new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@unix
def test_rights_are_those_of_the_old_file_or_of_the_mask(tmp_path):
    old = os.umask(0o027)
    try:
        new = write_whole(tmp_path / "new", b"1")
    finally:
        os.umask(old)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    new.chmod(0o600)
    write_whole(new, b"2")
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    assert new.read_bytes() == b"2"


def test_a_file_that_says_the_same_is_left_alone(tmp_path):
    path = write_whole(tmp_path / "file", "é")
    before = path.stat()
    write_whole(path, "é")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_long_name_is_no_hindrance(tmp_path):
    assert write_whole(tmp_path / ("n" * 250), b"1").read_bytes() == b"1"
