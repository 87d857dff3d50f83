"""A ruleset's text loaded where it meets no packet, and listed as the kernel has it.

nft, iptables and ipset read the text themselves, so their errors and lines are the user's. What
iptables has is put into nft's words before.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from linerate.errors import BadInputError, LinerateError, bad_input, cannot_here
from linerate.measure.generators.external import tools
from linerate.measure.rulesets.modules import ModuleMatches
from linerate.measure.rulesets.source import FIELD, Source
from linerate.measure.system.machine import ROOT_PATH

SECONDS_MAX = 30
MEMORY_BYTES_MAX = 2 << 30
WORDS_MAX = 600
_LOAD = (
    'for name in "$@"; do ip link show dev "$name" >/dev/null 2>&1 || '
    'ip link add name "$name" type veth || exit; done; '
    "nft --file - >&2 && nft --json list ruleset && nft --handle list ruleset"
)
_LOADING = ("sh", "-c", _LOAD, "sh")
_WITH_SETS = (
    "text=$(cat); blank=; "
    'if [ "$1" -gt 0 ]; then blank="1,$1s/.*//"; '
    'printf "%s\\n" "$text" | sed -n "1,$1p" | ipset restore >&2 || exit; fi; '
    'shift; printf "%s\\n" "$text" | sed "$blank" | "$@"'
)
_BARE = re.compile(r" -m (tcp|udp)(?= -[jm] )(?<= -p \1 -m \1)")
"""A match of a protocol alone, which the translation drops together with the protocol (1.8.9)."""
_UNTRANSLATED = re.compile(r"# -t (\w+) -A (\S+) (.*)")
_TRANSLATED = re.compile(r"add rule (\w+ \w+ \S+) (.*)")
_UNREAD = re.compile(r"line:(\d+):[\d-]+: Error: (?!Could not process)")
"""A line whose words nft does not take; what the kernel refuses is the user's own."""
REFUSED_MAX = 8
"""Times that a translation is mended; nft names up to ten lines at once."""
WORDS_OF_RULE = 100
"""Letters that are kept of a rule that is not understood."""
NOT_TRANSLATED = "not translated: "
"""Begins the comment of a rule that stands for one that is not understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What the tools say of a text."""

    listed: str
    """Its rules, by nft's JSON."""
    text: str
    """The same in nft's words, with the handle of each rule."""
    sets: str = ""
    """Its sets of ipset, as `ipset save` writes them."""


def load_text(source: Source, matches: ModuleMatches) -> Loaded:
    """Load a text into a network namespace that is gone at once.

    Parameters
    ----------
    source
        What is loaded.
    matches
        Its rules with marks in the place of what nft has no words for.

    Raises
    ------
    BadInputError
        A tool refuses it, with the tool's words and the line.
    CannotHereError
        A tool is missing.
    """
    if source.datapath == "nftables":
        listed = _run(source, [*_LOADING, *source.needed], source.text)
        sets = ""
    else:
        marked = source.sets + _BARE.sub("", matches.text[source.set_lines :])
        _run_with_sets(source, ["iptables-restore", "--test"], source.text)
        sets = _run_with_sets(source, ["ipset", "save"], source.text) if source.sets else ""
        translate = ["iptables-restore-translate", "--file", "/dev/stdin"]
        translated = _with_untranslated(_run_with_sets(source, translate, marked), matches.named)
        listed = _load_translated(source, translated, matches.named)
    plain, _, text = listed.partition("\n")
    return Loaded(listed=plain, text=text, sets=sets)


def _with_untranslated(text: str, named: Callable[[str], str] = str) -> str:
    """Keep the place of what cannot be said in nft's words: a rule that is not understood.

    >>> _with_untranslated("# -t filter -A INPUT -m u32 --u32 0x0=0x0 -j DROP ")
    'add rule ip filter INPUT continue comment "not translated: -m u32 --u32 0x0=0x0 -j DROP"'
    """
    return _UNTRANSLATED.sub(
        lambda rule: _not_understood(f"ip {rule[1]} {rule[2]}", named(rule[3])), text
    )


def _load_translated(source: Source, text: str, named: Callable[[str], str]) -> str:
    """Load a translation; a rule whose words nft refuses is not understood."""
    lines = text.split("\n")
    for _ in range(REFUSED_MAX):
        try:
            return _run(source, _LOADING, "\n".join(lines))
        except BadInputError as error:
            refused = {int(number) for number in _UNREAD.findall(str(error))}
            found = {place: rule for place, line in enumerate(lines)
                     if place + 1 in refused and (rule := _TRANSLATED.fullmatch(line))}  # fmt: skip
            if not found:
                raise
        for place, rule in found.items():
            lines[place] = _not_understood(rule[1], named(rule[2]))
    return _run(source, _LOADING, "\n".join(lines))


def _not_understood(chain: str, words: str) -> str:
    """Say a rule that does nothing and names another."""
    kept = re.sub(r"[^\w .:,/=!-]", " ", words.strip())
    short = kept if len(kept) <= WORDS_OF_RULE else f"{kept[:WORDS_OF_RULE].rpartition(' ')[0]} ..."
    return f'add rule {chain} continue comment "{NOT_TRANSLATED}{short}"'


def _run_with_sets(source: Source, command: Sequence[str], text: str) -> str:
    """Run a tool on the rules of a text, where its sets are."""
    return _run(source, ["sh", "-c", _WITH_SETS, "sh", str(source.set_lines), *command], text)


def _run(source: Source, command: Sequence[str], text: str) -> str:
    """Run a tool in a network namespace of its own, with limits."""
    tools.tool("nft", why="it reads the rules", package="nftables")
    if source.datapath == "iptables":
        tools.tool("iptables-restore", why="it reads the rules", package="iptables")
    if source.set_lines:
        tools.tool("ipset", why="it reads the sets", package="ipset")
    own = ["--user", "--map-root-user"] if os.geteuid() else []
    argv = ["unshare", "--net", *own, "--", *command]
    path = os.environ.get("PATH", os.defpath) + ROOT_PATH
    environment = {"PATH": path, "LC_ALL": "C", "XTABLES_LOCKFILE": os.devnull}
    try:
        done = subprocess.run(
            argv, input=text.encode(), capture_output=True, timeout=SECONDS_MAX, check=False,
            cwd="/", preexec_fn=_limit, env=environment,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise LinerateError(f"{source.path}: {command[0]} did not end in {SECONDS_MAX} s; it was "
                            "stopped") from None  # fmt: skip
    words = done.stderr.decode("utf-8", "replace")
    if done.returncode and "unshare failed" in words:
        raise cannot_here("a network namespace", why="rules are read by loading them into one",
                          do="run it with sudo")  # fmt: skip
    if done.returncode:
        raise _refusal(source, text, words)
    return done.stdout.decode("utf-8", "replace")


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _refusal(source: Source, text: str, words: str) -> LinerateError:
    """Say what the tool said, with the line first where it is of the user's own text."""
    found = re.search(r"/dev/stdin:(\d+)|line:? (\d+)", words) if text == source.text else None
    line = f":{found[1] or found[2]}" if found else ""
    output = "; ".join(
        part.strip()
        for part in words.replace("/dev/stdin", "line").splitlines()
        if part.strip() and "--help" not in part and set(part.strip()) - {"^", "~"}
    )
    tool = "nft" if source.datapath == "nftables" else "iptables-restore"
    tool = "ipset" if words.startswith("ipset ") else tool
    whole = ", or take what sudo iptables-save prints" if tool == "iptables-restore" else ""
    return bad_input(
        FIELD, f"{source.path}{line}", why=f"{tool} refuses it: {output[:WORDS_MAX]}",
        allowed=f"what {tool} takes on this machine", do=f"correct it{whole}",
    )  # fmt: skip
