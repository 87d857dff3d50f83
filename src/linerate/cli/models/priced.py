"""Answers of ``linerate fits`` beside BPF objects: functions, pipelines and rulesets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linerate.cli.output import progress_shown
from linerate.errors import bad_input

if TYPE_CHECKING:
    from linerate.face.fits.chains.answer import ChainFits
    from linerate.face.fits.object_fits import ObjectFits
    from linerate.face.fits.pipelines import PipelineFits
    from linerate.face.fits.ruleset_fits import RulesetFits

FUNCTION_SUFFIX = ".so"
PIPELINE_SUFFIXES = (".spec", ".p4")
RULESET_SUFFIXES = (".nft", ".rules")
CHAIN_SUFFIX = ".chain.toml"
PRICED_SUFFIXES = (*PIPELINE_SUFFIXES, *RULESET_SUFFIXES, CHAIN_SUFFIX)
"""Of files of which what packets execute, walk or pass is priced, whether or not they run, too."""
OF_MACHINE = ("box", "static")
"""Whose costs are asked for, and whether they may be timed."""


def priced(
    program: str, queues: int | None, tables: Sequence[str], of_rules: dict[str, Any],
    asked: dict[str, Any],
) -> PipelineFits | RulesetFits | ChainFits:  # fmt: skip
    """Answer for a pipeline, a ruleset or a chain.

    Parameters
    ----------
    program, queues, tables
        The file; lcores or queues; entries of a pipeline's tables.
    of_rules, asked
        What a ruleset alone is asked, and what all are; None is not asked.
    """
    # Slow to load: not for --help.
    from linerate.face.fits.carrying import Where

    where = Where(box=asked["box"], static=asked["static"], progress=progress_shown())
    asked = {name: value for name, value in asked.items() if name not in OF_MACHINE}
    if program.endswith(CHAIN_SUFFIX):
        refuse(
            {"--queues": queues, "--table": list(tables) or None, "--traffic": asked["traffic"]}
            | {f"--{name}": value for name, value in of_rules.items()},
            "another kind of file; a chain is asked --frame-bytes",
        )
        from linerate.face.fits.chains.question import fits_chain

        del asked["traffic"]
        return fits_chain(program, where=where, **asked)
    if program.endswith(RULESET_SUFFIXES):
        refuse({"--table": list(tables) or None}, "a pipeline (.spec, .p4)")
        from linerate.face.fits.rulesets import fits_ruleset

        given = {name: value for name, value in of_rules.items() if value is not None}
        return fits_ruleset(program, queues=queues, where=where, **given, **asked)
    refuse({f"--{name}": value for name, value in of_rules.items()}, "a ruleset (.nft, .rules)")
    from linerate.face.fits.pipelines import fits_pipeline

    return fits_pipeline(program, tables=tables, lcores=queues, where=where, **asked)


def of_function(
    program: str, asked: dict[str, Any], run: dict[str, Any], ns_per_packet: float | None,
    verdict: str | None,
) -> ObjectFits:  # fmt: skip
    """Answer for a function in user space: of a file, or by its time.

    Parameters
    ----------
    program
        The file, or a name.
    asked, run
        What is asked of any function, and of one that is run; None is not asked.
    ns_per_packet, verdict
        Its time and what it does with packets, where there is no file.
    """
    from linerate.face.fits.functions import fits_function, fits_time  # slow to load

    if ns_per_packet is None:
        return fits_function(program, **asked, **{k: v for k, v in run.items() if v is not None})
    refuse({"--entry": run["entry"], "--against": run["against"], "--explain": run["explained"]},
           "a file (.so) that is run")  # fmt: skip
    return fits_time(program, ns_per_packet, verdict=verdict or "tx", **asked)


def refuse(given: dict[str, object], goes_with: str) -> None:
    """Refuse options that are given and have no meaning for what is asked about."""
    for option, value in given.items():
        if value is not None:
            raise bad_input(option, value, why="it has no meaning here",
                            allowed=f"with {goes_with}", do="leave it out")  # fmt: skip
