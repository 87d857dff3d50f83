"""``--quiet`` leaves the answer and errors alone."""

import json

import pytest
from typer.testing import CliRunner

from linerate.cli import main, output
from linerate.cli.app import COMMANDS, app_for

from ..measure.datapaths.swx.spec.pipelines import ROUTER
from ..measure.live.planted import folder, trials


def printed(capsys, *words):
    with pytest.raises(SystemExit):
        main(list(map(str, words)))
    return capsys.readouterr()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_it(command):
    text = CliRunner().invoke(app_for([command.name]), [command.name, "-h"]).output
    assert "-q, --quiet" in text


@pytest.mark.parametrize("flag", ["--quiet", "-q"])
def test_notes_go_and_the_answer_stays(flag, tmp_path, capsys):
    store = folder(tmp_path / "out", trials(3))
    store.journal_path.write_bytes(store.journal_path.read_bytes().replace(b"990", b"991", 1))
    words = ["watch", tmp_path / "out", "--once", "--json"]
    loud, quiet = printed(capsys, *words), printed(capsys, *words, flag)
    assert "1 line of the journal" in loud.err
    assert quiet.err == ""
    assert json.loads(quiet.out).keys() == json.loads(loud.out).keys()


def test_of_an_answer_the_notes_go_that_say_what_it_rests_on(tmp_path, capsys):
    (tmp_path / "router.spec").write_text(ROUTER)
    words = ["fits", tmp_path / "router.spec", "--static"]
    loud, quiet = (printed(capsys, *words, *flags).out for flags in ((), ("-q",)))
    assert "\nNote: " in loud
    assert quiet == loud[: loud.index("Note: ")]


def test_errors_stay(capsys):
    text = printed(capsys, "lint", "nowhere.csv", "--quiet")
    assert text.err.startswith("linerate: path=nowhere.csv")


def test_it_does_not_outlast_its_command(capsys):
    printed(capsys, "lint", "nowhere.csv", "--quiet")
    assert not output.progress_shown()
    printed(capsys, "lint", "nowhere.csv")
    assert output.progress_shown()
