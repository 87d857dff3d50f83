"""The table of commands."""

from __future__ import annotations

import typer

from linerate.cli import (
    agent,
    demo,
    doctor,
    drift,
    fit,
    fits,
    import_runs,
    lint,
    measure,
    plan,
    predict,
    report,
    reset,
    show,
    tune,
    validate,
)

app = typer.Typer(
    name="linerate",
    help="Predict whether a packet program sustains line rate on a machine, from measurements.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

app.command("doctor")(doctor.doctor)
app.command("measure", epilog=measure.EXAMPLES)(measure.measure)
app.command("import", epilog=import_runs.EXAMPLES)(import_runs.import_runs)
app.command("lint", epilog=lint.EXAMPLES)(lint.lint_runs)
app.command("fit", epilog=fit.EXAMPLES)(fit.fit)
app.command("validate", epilog=validate.EXAMPLES)(validate.validate)
app.command("plan", epilog=plan.EXAMPLES)(plan.plan)
app.command("predict", epilog=predict.EXAMPLES)(predict.predict)
app.command("drift", epilog=drift.EXAMPLES)(drift.drift)
app.command("fits", epilog=fits.EXAMPLES)(fits.fits)
app.command("report", epilog=report.EXAMPLES)(report.report)
app.command("demo", epilog=demo.EXAMPLES)(demo.demo)
app.command("show", epilog=show.EXAMPLES)(show.show)
app.command("tune", epilog=tune.EXAMPLES)(tune.tune)
app.command("reset", epilog=reset.RESET_EXAMPLES)(reset.reset)
app.command("cleanup", epilog=reset.CLEANUP_EXAMPLES)(reset.cleanup)
app.command("agent", epilog=agent.EXAMPLES)(agent.agent)
