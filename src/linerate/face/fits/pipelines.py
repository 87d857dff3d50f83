"""Whether a user's own pipeline of DPDK's SWX sustains line rate: from its file to the answer."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import linerate
from linerate.errors import bad_input
from linerate.face.fits.carrying import HERE, Where, priced_where
from linerate.face.fits.followed import Asked
from linerate.face.fits.runs import run_pipeline
from linerate.face.fits.wider import Wider, waits_lines, wider_of
from linerate.links import LINK_GBPS
from linerate.measure.datapaths.swx.spec.file import read_spec
from linerate.measure.datapaths.swx.spec.p4_source import COMPILER, compile_p4
from linerate.measure.datapaths.swx.spec.spec import Spec
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.saved import load_model
from linerate.models.operations import MixPredictor
from linerate.models.operations.own import OWN_SCOPE
from linerate.models.pipelines import (
    Cases,
    PipelineAnswer,
    PipelineQuestion,
    answer_pipeline,
)
from linerate.programs.pipeline_paths import PipelineTraffic
from linerate.units import short

SHIPPED = Path(linerate.__file__).parent / "data/boxes/pipelines.json"
"""Costs of operations that come with linerate: a model of `data/reference-pipelines`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineFits:
    """Answers for one pipeline, one for each traffic."""

    path: Path
    answers: tuple[PipelineAnswer, ...]
    notes: tuple[str, ...]
    """What the answers rest on."""
    explained: bool = False
    wider: Wider | None = None
    """Where the worst case is explained and waits for metadata."""

    @property
    def sustains(self) -> bool:
        """Whether all of the traffic is sustained, more likely than not."""
        return all(answer.sustains for answer in self.answers)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        wider = {"wider": self.wider.to_dict()} if self.wider else {}
        return {
            "program": str(self.path), "datapath": "swx", "notes": list(self.notes),
            "answers": [answer.to_dict() for answer in self.answers], **wider,
        }  # fmt: skip

    def __str__(self) -> str:
        ran = all(answer.cases[1].priced for answer in self.answers)
        how = ("Run on these frames, on one lcore." if ran
               else "Not run: its operations are priced.")  # fmt: skip
        lines = [f"Does {self.path} sustain line rate? {how}"]
        lines += [str(answer) for answer in self.answers]
        if self.explained:
            lines += _explained(self.answers[0])
            lines += [str(self.wider)] if self.wider else []
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes)])


def _explained(answer: PipelineAnswer) -> list[str]:
    """Say what takes the time of the expected and of the worst case."""
    lines = []
    for case in answer.cases[1:]:
        lines.append(f"Where the {case.name} {short(case.packet_ns, 4)} ns go:")
        parts = sorted(case.parts_ns.items(), key=lambda part: -abs(part[1]))
        lines += [f"  {ns:8.4g} ns  {name}" for name, ns in parts if abs(ns) >= 0.05]
    return [*lines, *waits_lines(answer.cases[-1])]


def fits_pipeline(  # noqa: PLR0913 - one for each part of the question
    path: str | os.PathLike[str],
    *,
    traffic: str | os.PathLike[str] | int | None = None,
    frame_bytes: int | None = None,
    tables: Sequence[str] = (),
    model: str | os.PathLike[str] | None = None,
    link_gbps: float = LINK_GBPS,
    lcores: int | None = None,
    explained: bool = False,
    where: Where = HERE,
) -> PipelineFits:
    """Say whether a pipeline sustains line rate, by the operations of each path and their costs.

    On this machine, as root and with DPDK, it is run on the traffic that is named, too.

    Parameters
    ----------
    path
        A ``.spec``, or a ``.p4`` where ``p4c-dpdk`` is installed.
    traffic
        A frame size, ``imix``, a capture (pcap) or a list of frames (JSON), whose ways are
        followed; left out, every way of several is as likely as the others.
    frame_bytes
        Size of frames of which nothing else is known; the usual ones if left out.
    tables
        ``NAME=FILE`` with the entries of a table or the members of a selector, as in a campaign;
        with any, tables without a file are empty.
    model
        A model of this machine (``linerate fit`` of `data/campaigns/pipelines.toml`), taken as it
        is; the costs that are shipped, carried over to the machine, if left out.
    link_gbps
        Link.
    lcores
        Cores that run an instance each; the fewest that do if left out.
    explained
        Whether to say where the time goes.
    where
        Whose costs: of a box, or of this machine, timed once a day as root where DPDK is there.

    Raises
    ------
    BadInputError
        A file that cannot be used, a model without costs of pipelines, or a box without times.
    CannotHereError
        A P4 source where there is no compiler.
    """
    question = PipelineQuestion(link_gbps=link_gbps, lcores=lcores)
    fitted, mixes = _model(Path(model) if model is not None else SHIPPED)
    asked = Asked.of(_spec(Path(path)), tables, traffic, frame_bytes)
    loads, notes = asked.followed()
    named = model is not None
    prices, of_costs = priced_where(fitted, mixes, OWN_SCOPE, where, is_named=named)
    runs = asked.frames is not None and where.runs(is_named=named)

    def answered(asked: Asked, load: PipelineTraffic) -> tuple[PipelineAnswer, tuple[str, ...]]:
        load, of_run = run_pipeline(asked, load, progress=where.progress) if runs else (load, "")
        answer, unpriced = answer_pipeline(Path(path).name, load, prices, question)
        return answer, tuple(filter(None, (unpriced, of_run)))

    def cases_of(long: Asked) -> Cases:
        (load, *_), _ = long.followed()
        return answered(long, load)[0].cases

    each = [answered(asked, load) for load in loads]
    answers = tuple(answer for answer, _ in each)
    return PipelineFits(
        path=Path(path), answers=answers, explained=explained,
        wider=wider_of(asked, answers[0].cases[-1], cases_of) if explained else None,
        notes=(*dict.fromkeys(note for _, own in each for note in own), *notes,
               *_of_lines(Path(path)), *_of_model(fitted), *of_costs,
               *_of_lcores(answers[0].lcores, mixes)),
    )  # fmt: skip


def _spec(path: Path) -> Spec:
    if path.suffix != ".p4":
        return read_spec(path)
    with tempfile.TemporaryDirectory() as folder:
        return read_spec(compile_p4(path, Path(folder)))


def _model(path: Path) -> tuple[ModelFile, MixPredictor]:
    fitted = load_model(path)
    if fitted.mixes is None or not fitted.mixes.prices_own:
        raise bad_input(
            "model", path, why="it has no costs of what pipelines are made of",
            allowed="a model of runs that hold the program bare", do="linerate measure "
            "data/campaigns/pipelines.toml --out FOLDER, linerate fit FOLDER --out MODEL.json",
        )  # fmt: skip
    return fitted, fitted.mixes


def _of_lines(path: Path) -> tuple[str, ...]:
    if path.suffix != ".p4":
        return ()
    made = f"{COMPILER} --arch psa -o {path.stem}.spec {path.name}"
    return (f"lines are those of what the compiler makes of it: {made}",)


def _of_model(fitted: ModelFile) -> tuple[str, ...]:
    origin = fitted.provenance
    return (
        f"costs of {', '.join(origin.boxes)}, packets that the lcore itself generates: the driver "
        "of a network card comes on top",
    )  # fmt: skip


def _of_lcores(lcores: int, mixes: MixPredictor) -> tuple[str, ...]:
    seen = {int(level) for work in mixes.works for name, level in work.settings if name == "queues"}
    most = max(seen, default=1)
    if lcores <= most:
        return ()
    return (f"more than {most} lcores were not measured: each is taken to do as much as one",)
