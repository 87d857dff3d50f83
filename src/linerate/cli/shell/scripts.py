"""Scripts that complete commands and options, as each shell wants them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A word that is completed: a command, or an option of one."""

    word: str
    help: str
    """One line; empty where there is none."""
    options: tuple[Completed, ...] = ()
    """Of a command."""


BASH = """_linerate() {
  local word=${COMP_WORDS[COMP_CWORD]} options=
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "COMMANDS" -- "$word"))
    return
  fi
  case ${COMP_WORDS[1]} in
CASES
  esac
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word")); fi
}
complete -o default -F _linerate linerate
"""
ZSH = """#compdef linerate
_linerate() {
  local -a commands options
  if (( CURRENT == 2 )); then
    commands=(COMMANDS)
    _describe command commands
    return
  fi
  case $words[2] in
CASES
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options; else _files; fi
}
compdef _linerate linerate
"""
FISH_COMMAND = "complete -c linerate -n __fish_use_subcommand -f -a {word} -d {help}"
FISH_OPTION = "complete -c linerate -n '__fish_seen_subcommand_from {command}' {word} -d {help}"


def quoted(text: str) -> str:
    r"""Quote for any of the shells.

    >>> print(quoted("it's"))
    'it'\''s'
    """
    return "'" + text.replace("'", "'\\''") + "'"


def bash(commands: Sequence[Completed]) -> str:
    """Complete words; what is not an option is a file."""
    cases = [f'    {one.word}) options="{_words(one.options)}" ;;' for one in commands]
    return BASH.replace("COMMANDS", _words(commands)).replace("CASES", "\n".join(cases))


def zsh(commands: Sequence[Completed]) -> str:
    """Complete words with what each is for."""
    cases = [f"    {one.word}) options=({_described(one.options)}) ;;" for one in commands]
    return ZSH.replace("COMMANDS", _described(commands)).replace("CASES", "\n".join(cases))


def fish(commands: Sequence[Completed]) -> str:
    """Complete words with what each is for, a line each."""
    lines = [FISH_COMMAND.format(word=one.word, help=quoted(one.help)) for one in commands]
    lines += [
        FISH_OPTION.format(command=one.word, word=_fish_word(option.word), help=quoted(option.help))
        for one in commands for option in one.options
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


SHELLS: dict[str, Callable[[Sequence[Completed]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


def _words(completed: Sequence[Completed]) -> str:
    return " ".join(one.word for one in completed)


def _described(completed: Sequence[Completed]) -> str:
    r"""List words as zsh's ``_describe`` reads them; it parts a word from its help by a colon."""
    return " ".join(quoted(f"{one.word}:{one.help}") for one in completed)


def _fish_word(word: str) -> str:
    """Name an option without its dashes: fish tells short ones by themselves."""
    return f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}"
