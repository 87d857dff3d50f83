"""Commands load when they are run, and none is lost by it."""

import json
import subprocess
import sys
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from linerate.cli.app import COMMANDS, app_for
from linerate.cli.output import stdout

HEAVY = {"pandas", "scipy", "sklearn", "matplotlib", "statsmodels", "pyarrow", "MLRsearch"}
LOADED = f"""
import json, sys
from linerate.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(json.dumps(sorted({HEAVY} & set(sys.modules))))
"""


@pytest.mark.parametrize(
    "words", [["--help"], ["nope"], ["show", "lo"], ["doctor", "--help"], ["tune", "lo"], ["reset"]]
)
def test_what_computes_nothing_loads_nothing_that_computes(words):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_each_command_says_what_it_does_as_the_list_says_it(command):
    listed = CliRunner().invoke(app_for(["--help"]), ["--help"], prog_name="linerate")
    alone = CliRunner().invoke(app_for([command.name]), [command.name, "--help"])
    assert alone.exit_code == 0, alone.output
    row = next(row for row in listed.output.splitlines() if f" {command.name} " in row)
    first_words = row.strip().removeprefix(command.name).strip()
    assert first_words in " ".join(alone.output.split())
    assert len(first_words) > 20


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_examples_stand_in_the_help_as_they_are_typed(command):
    help_ = CliRunner().invoke(app_for([command.name]), [command.name, "--help"]).output
    _, _, examples = help_.partition("Examples:\n")
    first = (examples or help_.splitlines()[-1]).splitlines()[0]  # agent's one ends a paragraph
    assert first.startswith("    ")
    assert f"linerate {command.name}" in first
    assert "[bold]" not in help_


def test_a_word_mistyped_is_met_with_those_like_it():
    printed = CliRunner().invoke(app_for(["fitt"]), ["fitt"])
    assert printed.exit_code == 2
    assert "'fit'" in printed.output


def test_options_before_a_command_do_not_hide_it():
    assert "RUNS" in CliRunner().invoke(app_for(["--", "fit"]), ["--", "fit"]).output


def test_the_version_is_told():
    printed = CliRunner().invoke(app_for(["--version"]), ["--version"])
    assert (printed.exit_code, printed.output) == (0, f"linerate {version('linerate')}\n")


def test_a_stopped_command_is_no_answer_that_is_no(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("linerate.tables.runs.read_runs", stopped)
    done = CliRunner().invoke(app_for(["lint"]), ["lint", "runs.csv"])
    assert done.exit_code == 130
    assert "linerate: stopped" in done.output


def test_names_that_look_like_markup_are_printed_as_they_stand(capsys):
    stdout.print("xdp_native/[red]x[/]")
    assert capsys.readouterr().out == "xdp_native/[red]x[/]\n"
