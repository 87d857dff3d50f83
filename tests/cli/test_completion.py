"""Scripts of shells complete what the commands declare; each shell that is here is asked."""

import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from linerate.cli.app import COMMANDS, app_for
from linerate.cli.shell.completion import commands
from linerate.cli.shell.scripts import SHELLS, Completed
from linerate.errors import BadInputError

ASK_BASH = """
source "$1"
COMP_WORDS=({words}) COMP_CWORD={place}
_linerate
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    found = {}
    for shell in SHELLS:
        done = CliRunner().invoke(app_for(["completion"]), ["completion", shell])
        assert done.exit_code == 0, done.output
        found[shell] = folder / f"linerate.{shell}"
        found[shell].write_text(done.output)
    return found


def bash(script, *words):
    asked = ASK_BASH.format(words=" ".join(f"'{word}'" for word in words), place=len(words) - 1)
    done = subprocess.run(["bash", "-uc", asked, "bash", script], capture_output=True, text=True,
                          check=True)  # fmt: skip
    return done.stdout.split()


def test_bash_completes_commands_and_their_options(scripts):
    assert bash(scripts["bash"], "linerate", "re") == ["report", "reset"]
    assert bash(scripts["bash"], "linerate", "report", "--doc") == ["--documents"]
    assert "-o" in bash(scripts["bash"], "linerate", "report", "runs.csv", "-")


def test_bash_leaves_files_to_itself(scripts):
    assert bash(scripts["bash"], "linerate", "report", "da") == []
    assert bash(scripts["bash"], "linerate", "nope", "--o") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_reads_its_script(shell, scripts):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here: its script is not read")
    subprocess.run([shell, "-n", scripts[shell]], check=True, timeout=60)


def test_fish_completes_commands_and_their_options(scripts):
    if shutil.which("fish") is None:
        pytest.skip("no fish here: its script is not asked")
    asked = f"source {scripts['fish']}; complete -C 'linerate re'; complete -C 'linerate fit --ou'"
    done = subprocess.run(["fish", "--no-config", "-c", asked], capture_output=True, text=True,
                          check=True, timeout=60)  # fmt: skip
    words = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert words == ["report", "reset", "--out"]


def test_every_command_and_option_is_in_every_script(scripts):
    listed = list(commands())
    assert [one.word for one in listed] == [command.name for command in COMMANDS]
    for script in scripts.values():
        text = script.read_text()
        for one in listed:
            assert one.word in text
            assert all(option.word.lstrip("-") in text for option in one.options)


def test_quotes_in_a_help_end_no_word():
    hostile = [Completed(word="x", help="it's $(touch /tmp/no) `no`: \"", options=())]
    for shell, write in SHELLS.items():
        if shutil.which(shell):
            subprocess.run([shell, "-n"], input=write(hostile), text=True, check=True, timeout=60)


def test_short_names_are_the_same_everywhere():
    for one in commands():
        words = {option.word for option in one.options}
        assert {"-h", "--help"} <= words
        assert ("-o" in words) == ("--out" in words)


def test_another_shell_is_refused():
    done = CliRunner().invoke(app_for(["completion"]), ["completion", "csh"])
    assert isinstance(done.exception, BadInputError)
    assert "allowed: bash, zsh, fish" in str(done.exception)
