"""What building takes is named with its packages, and runners are found where they were built."""

import os
import re

import pytest

from linerate.errors import CannotHereError
from linerate.measure.processes import built
from linerate.measure.setup import building, needs

from ...test_layout import ROOT

NOT_THERE = needs.Need(name="no/such.h", packages=("libsuch-dev",), builds="datapath such")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Stand in the place of what pip installs: sources named by a stamp, and no clone."""
    package, home = tmp_path / "site/linerate", tmp_path / "home"
    (package / "build").mkdir(parents=True)
    (package / built.STAMP).write_text("a1b2\n")
    monkeypatch.setattr(built, "PACKAGE", package)
    monkeypatch.setenv("HOME", str(home))
    for name in ("LINERATE_BUILD", "XDG_CACHE_HOME", "SUDO_USER"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.mark.parametrize("file", ["Makefile", "Containerfile"])
def test_packages_are_those_that_a_clone_and_a_container_install(file):
    words = set(re.findall(r"[\w.+-]+", (ROOT / file).read_text()))
    wanted = (*needs.NEEDS, *needs.OBJECT_NEEDS)
    assert {package for need in wanted for package in need.packages} <= words


def test_a_need_is_looked_for_as_the_build_does():
    assert needs.NEEDS[0].is_there()
    assert not NOT_THERE.is_there()
    assert not needs.Need(name="libnosuch", packages=("x",), builds="y").is_there()
    assert needs.Need(name="stdio.h", packages=("libc6-dev",), builds="y").is_there()


def test_what_every_runner_needs_is_refused_with_the_command_that_gets_it(installed, monkeypatch):
    monkeypatch.setattr(needs, "NEEDS", (NOT_THERE,))
    monkeypatch.setattr(needs, "OBJECT_NEEDS", ())
    with pytest.raises(CannotHereError, match=r"no/such.h: datapath such cannot be built without; "
                       r".*apt-get install -y libsuch-dev"):  # fmt: skip
        building.build()
    assert not installed.exists()


def test_a_clone_builds_in_itself_and_a_wheel_in_the_cache(installed, monkeypatch):
    assert built.build_folder() == installed / ".cache/linerate/a1b2/build"
    assert built.build_command() == "linerate setup"
    monkeypatch.setenv("XDG_CACHE_HOME", str(installed / "mine"))
    assert built.build_folder() == installed / "mine/linerate/a1b2/build"
    with pytest.raises(CannotHereError, match="run `linerate setup`"):
        built.runner("traffic")
    monkeypatch.setenv("LINERATE_BUILD", "/elsewhere")
    assert str(built.build_folder()) == "/elsewhere"
    monkeypatch.undo()
    assert built.build_folder() == ROOT / "build"
    assert built.build_command() == "make setup"


def test_under_sudo_the_callers_runners_are_taken_unless_a_stranger_could_change_them(
    installed, tmp_path, monkeypatch
):
    callers = tmp_path / "caller"
    folder = callers / ".cache/linerate/a1b2/build"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_USER", "ada")
    known = os.path.expanduser
    monkeypatch.setattr(
        os.path, "expanduser", lambda path: str(callers) if path == "~ada" else known(path)
    )
    assert built.build_folder() == installed / ".cache/linerate/a1b2/build"
    (folder / "native").mkdir(parents=True)
    assert built.build_folder() == folder
    if os.getuid() == 0:
        os.chown(folder / "native", 65534, 65534)
        assert built.build_folder() == installed / ".cache/linerate/a1b2/build"


def test_without_a_home_it_says_what_to_set(installed, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(built.Path, "home", homeless)
    with pytest.raises(CannotHereError, match="set XDG_CACHE_HOME"):
        built.build_folder()
