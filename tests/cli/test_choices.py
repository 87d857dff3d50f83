"""Where an option takes one of a few words, its help lists them all."""

import pytest
from typer.testing import CliRunner

from linerate.cli import main
from linerate.cli.app import app_for
from linerate.measure.datapaths.registry import datapaths
from linerate.measure.rulesets.ruleset import HOOKS

CHOICES = [("predict", "--datapath", tuple(datapaths())), ("fits", "--hook", HOOKS)]


@pytest.mark.parametrize(("command", "option", "known"), CHOICES)
def test_help_lists_every_choice(command, option, known):
    text = CliRunner().invoke(app_for([command]), [command, "--help"]).output
    row = text.partition(f"  {option} ")[2].partition("\n  --")[0]
    assert all(word in row for word in known), row


@pytest.mark.parametrize("words", [["fit", "--out", "m"], ["validate"], ["report", "--out", "r"]])
def test_a_kind_that_is_asked_for_as_if_it_were_a_file_is_refused(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*words, "runs.csv", "--model", "capacity"])
    assert ended.value.code == 2
    assert "write --kind capacity" in capsys.readouterr().err
    assert "--model" not in CliRunner().invoke(app_for(words[:1]), [words[0], "--help"]).output
