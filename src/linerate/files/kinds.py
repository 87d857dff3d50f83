"""What a path leads to, so that a refusal says what it got and what to type next."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from typing import Literal

from linerate.errors import BadInputError, bad_input

Kind = Literal["nothing", "campaign", "campaigns", "folder", "plan", "model", "object", "file"]
"""``campaign`` is a measured campaign's folder, ``campaigns`` a folder that holds several, ``plan``
a campaign file that was not measured yet."""
JOURNAL = "journal.jsonl"
TABLES = ("runs.parquet", "runs.csv")
MEMBERS = (*TABLES, JOURNAL, "searches.jsonl")
"""Files by which the folder of a campaign is known."""
OBJECT_SUFFIXES = (".o", ".so", ".spec", ".p4")
"""Programs that a campaign can measure, and a model cannot read."""
SNIFFED_BYTES = 4096
TABLE = "a .csv or .parquet file, or the folder of a measured campaign"
PLAN = "a campaign file (TOML)"
FOLDER = "a folder that linerate measure --out made"
MODEL = "the JSON file that linerate fit writes"


def kind_of(path: Path) -> Kind:
    """Tell what a path leads to, by its names and its first bytes."""
    if path.is_dir():
        if any((path / name).is_file() for name in MEMBERS):
            return "campaign"
        return "campaigns" if campaigns_in(path) else "folder"
    if not path.is_file():
        return "nothing"
    if path.suffix == ".toml":
        return "plan"
    if path.suffix in OBJECT_SUFFIXES:
        return "object"
    return "model" if _is_model(path) else "file"


def campaigns_in(folder: Path) -> tuple[Path, ...]:
    """Campaigns that were measured into folders directly below this one, by name."""
    return tuple(
        each for each in _content(folder)
        if each.is_dir() and any((each / name).is_file() for name in MEMBERS)
    )  # fmt: skip


def no_table(path: Path) -> BadInputError | None:
    """Say what a path is that is not a table of runs; None where it may be one."""
    kind, word = kind_of(path), quote(str(path))
    if kind == "nothing":
        return _missing(path, TABLE, "measure one: linerate measure CAMPAIGN.toml --out FOLDER")
    if kind == "campaigns":
        return _several(path)
    if kind == "campaign":
        return _without_table(path)
    refusals = {
        "folder": ("no campaign was measured into this folder",
                   f"measure one: linerate measure CAMPAIGN.toml --out {word}"),
        "plan": ("it is a campaign file: a plan, without runs", _measure(path)),
        "model": ("it is a model file, not a table", f"ask it: linerate predict {word} --help"),
        "object": ("it is a program, not a table of its runs", "measure it: name it as program "
                   "in a campaign file, then linerate measure"),
    }  # fmt: skip
    if kind not in refusals:
        return None
    why, do = refusals[kind]
    return bad_input("path", path, why=why, allowed=TABLE, do=do)


def no_model(path: Path) -> BadInputError | None:
    """Say what a path is that is not a model file; None where it may be one."""
    kind, word = kind_of(path), quote(str(path))
    if kind == "nothing":
        return _missing(path, MODEL, f"write it: linerate fit RUNS --out {word}")
    if kind == "file" and path.suffix in (".csv", ".parquet"):
        kind = "campaign"
    refusals = {
        "campaign": ("these are runs, not a model fitted to them", _fit(path)),
        "folder": ("it is a folder", "name the file that linerate fit wrote"),
        "plan": ("it is a campaign file, not a model", _measure(path)),
        "object": ("it is a program, not a model", "measure it, then fit its runs: linerate fit "
                   "RUNS --out model.json"),
    }  # fmt: skip
    if kind == "campaigns":
        first, names = _first_of(path)
        refusals[kind] = (f"it is a folder of campaigns: {names}", _fit(first))
    if kind not in refusals:
        return None
    why, do = refusals[kind]
    return bad_input("model", path, why=why, allowed=MODEL, do=do)


def no_plan(path: Path) -> BadInputError | None:
    """Say what a path is that is not a campaign file; None where it may be one."""
    kind, word = kind_of(path), quote(str(path))
    if kind == "nothing":
        return _missing(
            path, PLAN, "write one as docs/method/campaigns.md says, or name one that is there"
        )
    if kind == "file" and path.suffix in (".csv", ".parquet"):
        kind = "campaign"
    refusals = {
        "campaign": ("these are runs that were measured", f"use them: linerate fit {word} --out "
                     "model.json"),
        "model": ("it is a model file", f"ask it: linerate predict {word} --help"),
        "object": ("it is a program", "name it as program in a campaign file, and measure that"),
        "folder": ("it is a folder without a TOML file", "name a campaign file"),
    }  # fmt: skip
    if path.is_dir() and (plans := plans_in(path)):
        return _folder_of_plans(path, plans)
    if kind == "campaigns":
        refusals[kind] = (f"it is a folder of measured campaigns: {_first_of(path)[1]}",
                          "name a campaign file")  # fmt: skip
    if kind not in refusals:
        return None
    why, do = refusals[kind]
    return bad_input("campaign", path, why=why, allowed=PLAN, do=do)


def no_watched(path: Path, *, taken: bool) -> BadInputError | None:
    """Say what a path is that no campaign is measured into; None where one is, or was.

    Parameters
    ----------
    path
        What was named.
    taken
        Whether a process has it for its own: it is about to begin.
    """
    kind = kind_of(path)
    if kind == "nothing":
        return _missing(path, FOLDER, "begin one: linerate measure CAMPAIGN.toml --out "
                        f"{quote(str(path))}")  # fmt: skip
    begun = [(path / name).is_file() for name in ("campaign.toml", "provenance.json", JOURNAL)]
    if taken or all(begun[:2]):
        return None
    if kind == "campaigns":
        return _several(path)
    why, do = ("it is not a folder", "name the one that was given to linerate measure --out")
    if kind == "campaign":
        why, do = "it holds a table of runs, without the plan and the journal of their campaign", (
            f"look at them: linerate lint {quote(str(path))}")  # fmt: skip
    elif path.is_dir():
        why, do = "no campaign was measured into this folder", (
            f"begin one: linerate measure CAMPAIGN.toml --out {quote(str(path))}")  # fmt: skip
    return bad_input("path", path, why=why, allowed=FOLDER, do=do)


def plans_in(folder: Path) -> tuple[Path, ...]:
    """TOML files in a folder or directly below it, by name."""
    here = _content(folder)
    below = [each for one in here if one.is_dir() for each in _content(one)]
    return tuple(each for each in (*here, *below) if each.suffix == ".toml" and each.is_file())


def _folder_of_plans(folder: Path, plans: Sequence[Path]) -> BadInputError:
    names = ", ".join(str(each.relative_to(folder)) for each in plans)
    count = f"{len(plans)} TOML file{'s' * (len(plans) > 1)}"
    error = bad_input("campaign", folder, why=f"it is a folder; it holds {count}: {names}",
                      allowed=PLAN, do=f"name one, as {plans[0]}")  # fmt: skip
    error.instead = (str(folder), str(plans[0]))
    return error


def _fit(path: Path) -> str:
    return f"fit one: linerate fit {quote(str(path))} --out model.json"


def _measure(path: Path) -> str:
    return f"measure it: linerate measure {quote(str(path))} --out results/{quote(path.stem)}"


def _content(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # not there, or not ours to read
        return []


def _missing(path: Path, allowed: str, do: str) -> BadInputError:
    names = [each.name for each in _content(path.parent)]
    close = get_close_matches(path.name, names, n=1, cutoff=0.7)
    like = path.parent / close[0] if close else None
    error = bad_input("path", path, why="there is no such file or folder", allowed=allowed,
                      do=f"check the name: there is {like}" if like else do)  # fmt: skip
    if like is not None:
        error.instead = (str(path), str(like))
    return error


def _several(path: Path) -> BadInputError:
    first, names = _first_of(path)
    error = bad_input(
        "path", path, why=f"it is a folder of {len(campaigns_in(path))} campaigns, not one: "
        f"{names}", allowed="one of them, or several by name", do=f"name one, as {first}",
    )  # fmt: skip
    error.instead = (str(path), str(first))
    return error


def _first_of(folder: Path) -> tuple[Path, str]:
    """First campaign in a folder that has a table, and the names of all."""
    there = campaigns_in(folder)
    tables = [each for each in there if any((each / name).is_file() for name in TABLES)]
    return (tables or there)[0], ", ".join(each.name for each in there)


def _without_table(folder: Path) -> BadInputError | None:
    """Refuse the folder of a campaign that has no table of runs yet."""
    if any((folder / name).is_file() for name in TABLES):
        return None
    journal = folder / JOURNAL
    begun = journal.is_file() and journal.stat().st_size > 0
    why = ("its campaign was stopped before its table was written" if begun else
           "no run of its campaign is finished")  # fmt: skip
    plan, out = quote(str(folder / "campaign.toml")), quote(str(folder))
    return bad_input(
        "path", folder, why=why, allowed="a folder with runs.parquet or runs.csv",
        do=f"go on with it: linerate measure {plan} --out {out} --resume",
    )  # fmt: skip


def _is_model(path: Path) -> bool:
    """Whether a file begins as the JSON of a model does."""
    with path.open("rb") as file:
        head = file.read(SNIFFED_BYTES).split()
    return head[:2] == [b"{", b'"schema_version":']
