"""A machine: what was read of it, what was calibrated on it, and its TOML file."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ConfigDict, TypeAdapter, ValidationError

from linerate.errors import BadInputError, bad_input
from linerate.files.outputs import write_whole

BOX_BYTES_MAX = 1024 * 1024
"""A larger box file is refused."""
KEY_PARTS_MAX = 32
"""Of a dotted key: reading one takes time with the square of its parts."""
_KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w.-])(?:{_KEY_PART}){{{KEY_PARTS_MAX}}}")
SHOWN_MAX = 100
"""Characters of a refused value that its error repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """A calibrated cost with its 90 % interval."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)

    value_ns: float
    lower_ns: float
    upper_ns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """CPU, memory, kernel and link of one machine. No secrets, no addresses."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)

    name: str
    cpu_model: str
    cores: int
    threads_per_core: int
    memory_gib: float
    kernel: str
    mitigations: dict[str, str]
    """Processor flaw -> what the kernel does about it, where it does anything."""
    governor: str
    """Frequency governor; ``none`` where the machine shows none."""
    hypervisor: str
    """``none`` on bare metal."""
    nic: str
    """Card under test, or ``veth``."""
    costs: dict[str, Cost] = field(default_factory=dict)
    """Cost constants by name, after calibration."""

    def __post_init__(self) -> None:
        if self.cores < 1:
            raise bad_input(
                "cores", self.cores, why="a machine has a core", allowed=">= 1", do="correct it"
            )

    @property
    def checked_hash(self) -> str:
        """Hash of what must be equal for runs to be pooled: all but name and costs.

        Returns
        -------
        16 hex digits.
        """
        checked = {k: v for k, v in asdict(self).items() if k not in ("name", "costs")}
        return hashlib.sha256(json.dumps(checked, sort_keys=True).encode()).hexdigest()[:16]


_BOX = TypeAdapter(Box)


def box_from(fields: object, source: str) -> Box:
    """Build a box from parsed TOML or JSON; refuse unknown keys and wrong types."""
    try:
        # By way of JSON: strict validation takes a dict for a record only from there.
        return _BOX.validate_json(json.dumps(fields, default=str))
    except ValidationError as error:
        raise first_problem(error, source) from error


def read_box(path: Path) -> Box:
    """Read a box file."""
    return box_from(read_toml(path, BOX_BYTES_MAX), str(path))


def write_box(box: Box, path: Path) -> None:
    """Write a box file that reads back as the same box."""
    write_whole(path, tomli_w.dumps(asdict(box)).encode())


def read_toml(path: Path, bytes_max: int) -> dict[str, Any]:
    """Parse a TOML file of limited size, or say why it cannot be used."""
    return parse_toml(read_text(path, bytes_max), str(path))


def read_text(path: Path, bytes_max: int) -> str:
    """Read a text file whole, but never more than it may have; a device may have no end."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(bytes_max + 1)
    except (OSError, ValueError) as error:
        is_text = not isinstance(error, UnicodeDecodeError)
        why = getattr(error, "strerror", None) or (
            "it is not a path" if is_text else "it is not UTF-8"
        )
        raise bad_input(
            "path", path, why=f"it cannot be read ({why})", allowed="a TOML file",
            do="check the path",
        ) from error  # fmt: skip
    if len(text) > bytes_max:
        raise bad_input(
            "path", path, why="it is too large", allowed=f"at most {bytes_max} bytes",
            do="check that it is the right file",
        )  # fmt: skip
    return text


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Parse TOML, or say where it is none."""
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise bad_input(
            "path", source, why=f"line {line} has a key of over {KEY_PARTS_MAX} parts",
            allowed=f"at most {KEY_PARTS_MAX} parts with dots between them", do="shorten it",
        )  # fmt: skip
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # the latter for endless brackets
        raise bad_input(
            "path", source, why=f"it is not TOML ({error})", allowed="TOML 1.0",
            do="mend the syntax",
        ) from error  # fmt: skip


def first_problem(error: ValidationError, source: str) -> BadInputError:
    """Turn the first complaint of a validation into an error of the usual form."""
    problems = error.errors(include_url=False)
    problem, place = problems[0], problems[0]["loc"]
    cause = problem.get("ctx", {}).get("error")
    if isinstance(cause, BadInputError):
        return BadInputError(f"{source}: {_dotted(place)}: {cause}")
    if problem["type"] in ("missing", "missing_argument"):
        return bad_input(
            f"{source}: {_dotted(place)}", "nothing", why="the key is missing",
            allowed="see data/README.md", do="add it",
        )  # fmt: skip
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return bad_input(
            f"{source}: {_dotted(place)}", _shown(problem["input"]), why="unknown key",
            allowed="the keys that data/README.md lists", do="remove it or correct its name",
        )  # fmt: skip
    # A value of several possible types brings one complaint for each.
    either = [p for p in problems if p["input"] is problem["input"] and p["loc"][:-1] == place[:-1]]
    return bad_input(
        f"{source}: {_dotted(place if len(either) == 1 else place[:-1])}",
        _shown(problem["input"]),
        why=" or ".join(p["msg"].lower() for p in either),
        allowed="see data/README.md",
        do="correct the file",
    )


def _dotted(place: tuple[int | str, ...]) -> str:
    return ".".join(_shown(step) for step in place) or "file"


def _shown(value: object) -> str:
    """One short line, whatever the file holds."""
    text = "{...}" if isinstance(value, dict) else " ".join(str(value).split())
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."
