"""``linerate completion``: the script by which a shell completes commands and options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, cast

import typer

from linerate.cli.shell.scripts import SHELLS, Completed
from linerate.errors import bad_input

EXAMPLES = """
Examples:
  linerate completion bash
  linerate completion fish
"""


def completion(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish.")],
) -> None:
    """Print the script by which bash, zsh or fish completes commands, options and files.

    Append it to ~/.bashrc, to ~/.zshrc after compinit, or write it to
    ~/.config/fish/completions/linerate.fish; again after an update: it lists what there is now.
    """
    if shell not in SHELLS:
        raise bad_input("shell", shell, why="no script for it", allowed=", ".join(SHELLS),
                        do="name one of these")  # fmt: skip
    print(SHELLS[shell](list(commands())), end="")


def commands() -> Iterator[Completed]:
    """List every command with its options, as the commands themselves declare them."""
    # The table of commands names this module, too.
    from linerate.cli.app import COMMANDS, app_for

    for command in COMMANDS:
        group = cast("Any", typer.main.get_command(app_for([command.name])))
        declared = group.commands[command.name]
        options = [
            Completed(word=word, help=_first_line(parameter.help))
            for parameter in declared.params if not getattr(parameter, "hidden", False)
            for word in parameter.opts if word.startswith("-")
        ]  # fmt: skip
        helps = [Completed(word=word, help="Show help.") for word in ("--help", "-h")]
        yield Completed(word=command.name, help=_first_line(declared.help),
                        options=(*options, *helps))  # fmt: skip


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]
