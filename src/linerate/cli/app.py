"""The table of commands, each imported when it is run: what it needs may take seconds to load."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated

import typer

from linerate.cli.stopping import exit_code_of, stopped_by_signals
from linerate.cli.streams import PIPE_CLOSED, give_up_stdout

CELLS_FAILED = 5
"""Exit code of a campaign in which the device under test failed in some cells."""
HELP_NAMES = {"help_option_names": ["-h", "--help"]}
HELP = """Predict whether a packet program sustains line rate on a machine, from measurements.

Begin with linerate doctor, then linerate demo, as root. Each command has --help with examples.

Exit codes: 0 done, 1 the answer is no (with --check), 2 bad input, 3 set-up failed, 4 this machine
cannot, 5 some cells could not be measured, 130 stopped by Ctrl-C (143 by SIGTERM, 129 by SIGHUP),
141 nobody reads the answer.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command, and where it is."""

    name: str
    """What the user types."""
    module: str
    """Module below this package, dotted."""
    function: str
    examples: str = "EXAMPLES"
    """What the module calls the text below the command's help."""


COMMANDS = (
    Command(name="doctor", module="lab.doctor", function="doctor"),
    Command(name="setup", module="lab.setup", function="setup"),
    Command(name="measure", module="lab.measure", function="measure"),
    Command(
        name="scheduler", module="lab.boxes", function="scheduler", examples="SCHEDULER_EXAMPLES"
    ),
    Command(name="worker", module="lab.boxes", function="worker", examples="WORKER_EXAMPLES"),
    Command(name="watch", module="lab.watch", function="watch"),
    Command(name="import", module="runs.import_runs", function="import_runs"),
    Command(name="lint", module="runs.lint", function="lint_runs"),
    Command(name="fit", module="models.fit", function="fit"),
    Command(name="validate", module="models.validate", function="validate"),
    Command(name="calibrate", module="lab.calibrate", function="calibrate"),
    Command(name="compare", module="lab.compare", function="compare"),
    Command(name="plan", module="lab.plan", function="plan"),
    Command(name="predict", module="models.predict", function="predict"),
    Command(name="drift", module="models.drift", function="drift"),
    Command(name="fits", module="models.fits", function="fits"),
    Command(name="report", module="runs.report", function="report"),
    Command(name="store", module="runs.store", function="store"),
    Command(name="trend", module="runs.trend", function="trend"),
    Command(name="compare-kernels", module="runs.contrast", function="compare_kernels",
            examples="KERNEL_EXAMPLES"),
    Command(name="compare-boxes", module="runs.contrast", function="compare_boxes",
            examples="BOX_EXAMPLES"),
    Command(name="bundle", module="runs.bundle", function="bundle", examples="BUNDLE_EXAMPLES"),
    Command(name="verify", module="runs.bundle", function="verify", examples="VERIFY_EXAMPLES"),
    Command(name="demo", module="demo", function="demo"),
    Command(name="show", module="lab.show", function="show"),
    Command(name="tune", module="lab.tune", function="tune"),
    Command(name="reset", module="lab.reset", function="reset", examples="RESET_EXAMPLES"),
    Command(name="cleanup", module="lab.reset", function="cleanup", examples="CLEANUP_EXAMPLES"),
    Command(name="agent", module="lab.agent", function="agent"),
    Command(name="completion", module="shell.completion", function="completion"),
)  # fmt: skip


def app_for(words: Sequence[str]) -> typer.Typer:
    """Build the app that understands these words: with the command that they name, or a list.

    Parameters
    ----------
    words
        Arguments of ``linerate``. Where they name no command, each is there with its help only.
    """
    named = next((word for word in words if not word.startswith("-")), None)
    command = next((command for command in COMMANDS if command.name == named), None)
    app = typer.Typer(
        name="linerate", callback=_group, help=HELP, no_args_is_help=True,
        # As it stands: what lays out markup and frames takes longer to load than all else here.
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
        # Even where it is not asked for, reading this flag would load a library of types.
        add_help_option=command is None or words[0] != named, context_settings=HELP_NAMES,
    )  # fmt: skip
    if command is not None:
        _add(app, command)
        return app
    for listed in COMMANDS:
        about = _help_of(listed)
        short = about.partition("\n")[0]
        app.command(listed.name, help=about, short_help=short, context_settings=HELP_NAMES)(
            _linerate
        )
    return app


def _add(app: typer.Typer, command: Command) -> None:
    module = import_module(f"linerate.cli.{command.module}")
    examples = _verbatim(getattr(module, command.examples, ""))
    app.command(command.name, epilog=examples, context_settings=HELP_NAMES)(
        _hushable(_stoppable(getattr(module, command.function)))
    )


def _verbatim(text: str) -> str:
    r"""Mark each paragraph as one whose lines are not to be wrapped.

    >>> _verbatim("Examples:\n  linerate doctor")
    '\x08\nExamples:\n  linerate doctor'
    """
    return "\n\n".join(f"\b\n{part}" for part in text.strip().split("\n\n"))


def _stoppable(function: Callable[..., None]) -> Callable[..., None]:
    """End with a code of its own when asked to stop or where nobody takes the answer.

    Typer's is that of an answer that is no.
    """

    @wraps(function)
    def run(*given: object, **named: object) -> None:
        try:
            with stopped_by_signals():
                function(*given, **named)
            sys.stdout.flush()
        except KeyboardInterrupt as stop:
            print("linerate: stopped", file=sys.stderr)
            raise typer.Exit(exit_code_of(stop)) from None
        except BrokenPipeError:
            give_up_stdout()
            raise typer.Exit(PIPE_CLOSED) from None

    return run


def _hushable(function: Callable[..., None]) -> Callable[..., None]:
    """Add --quiet, which every command has."""
    from linerate.cli.output import QuietFlag

    @wraps(function)
    def run(*given: object, quiet: bool, **named: object) -> None:
        function(*given, **named)

    declared = signature(function, eval_str=True)
    flag = Parameter("quiet", Parameter.KEYWORD_ONLY, default=False, annotation=QuietFlag)
    parameters = [*declared.parameters.values(), flag]
    run.__annotations__ = {**function.__annotations__, flag.name: QuietFlag}
    vars(run)["__signature__"] = declared.replace(parameters=parameters)
    return run


def _help_of(command: Command) -> str:
    """Read what a command says of itself, without importing what it needs."""
    source = (Path(__file__).parent / f"{command.module.replace('.', '/')}.py").read_text()
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return next(ast.get_docstring(f) or "" for f in functions if f.name == command.function)


def _linerate() -> None:
    """Stand in for a command that nobody runs."""


def _say_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # slow to load, and seldom asked for

        print(f"linerate {version('linerate')}")
        raise typer.Exit


def _group(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_say_version, help="Say which this is."),
    ] = False,
) -> None:
    """Make one command a group, with what is asked of linerate itself."""
