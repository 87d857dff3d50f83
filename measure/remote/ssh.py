"""The way to the generator host: OpenSSH's own client, with the user's own configuration.

Which machine a host's name means, its key, and the user's keys are what ``ssh HOST`` finds; a key
that is not known is refused, never asked about and never stored. The client is given a list of
arguments, and the remote shell one constant command; all else travels as JSON on the two pipes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import bad_input
from linerate.measure.remote.protocol import SILENCE_SECONDS

CONNECT_SECONDS = 10
_ALIVE_SECONDS = 2
_HOST = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9_.:%@-]{0,252}$")
_WORD = re.compile(r"^[A-Za-z0-9_./+-]{1,255}$")
OPTIONS = {
    "BatchMode": "yes",  # no question is ever asked: there may be nobody to answer
    "StrictHostKeyChecking": "yes",
    "UpdateHostKeys": "no",  # nothing is stored
    "ConnectTimeout": str(CONNECT_SECONDS),
    "ServerAliveInterval": str(_ALIVE_SECONDS),
    "ServerAliveCountMax": str(round(SILENCE_SECONDS / _ALIVE_SECONDS)),
    "ControlMaster": "no",  # a shared connection would outlive us
    "ControlPath": "none",
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "PermitLocalCommand": "no",
    "RequestTTY": "no",
    "StdinNull": "no",
    "ForkAfterAuthentication": "no",
    "LogLevel": "ERROR",
}
"""What a user's configuration cannot change: the first value that ssh gets is what counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SshTarget:
    """Where the agent is, and how it is called there."""

    host: str
    """As the user's ssh configuration names it."""
    command: tuple[str, ...] = ("linerate",)
    """Words that start linerate there."""
    config: Path | None = None
    """Configuration file in place of the user's own."""

    def __post_init__(self) -> None:
        if not _HOST.fullmatch(self.host):
            raise bad_input(
                "generator_host", ascii(self.host), why="it is not a name of a host",
                allowed="a Host of your ssh configuration, or user@host", do="correct it",
            )  # fmt: skip
        for word in self.command:
            if not _WORD.fullmatch(word):
                raise bad_input(
                    "generator_command", ascii(word), why="a shell might take it for more than a "
                    "word", allowed="letters, digits and _./+-", do="install linerate where its "
                    "path has no other characters",
                )  # fmt: skip
        if not self.command:
            raise bad_input(
                "generator_command", "nothing", why="nothing can be started",
                allowed='["linerate"], or its path', do="correct it",
            )  # fmt: skip

    def argv(self) -> list[str]:
        """Command that connects to a new agent."""
        config = ["-F", str(self.config)] if self.config else []
        options = [word for item in OPTIONS.items() for word in ("-o", "=".join(item))]
        return ["ssh", *config, *options, "--", self.host, " ".join((*self.command, "agent"))]
