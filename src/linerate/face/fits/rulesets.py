"""Whether a user's own ruleset sustains line rate: from its file to the answer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import linerate
from linerate.errors import bad_input, bad_name
from linerate.face.fits.carrying import HERE, Where, priced_where
from linerate.face.fits.kept import keep_ruleset
from linerate.face.fits.ruleset_fits import RulesetAnswer, RulesetFits
from linerate.face.fits.runs import run_ruleset
from linerate.links import LINK_GBPS
from linerate.measure.datapaths.filters.own.inputs import RulesetUnderTest
from linerate.measure.objects.traffic.named import named_frames
from linerate.measure.rulesets.fields import DRAWN
from linerate.measure.rulesets.follow import Followed, follow
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.lists import OTHER_DESTINATION, OTHER_PROTOCOL
from linerate.measure.rulesets.ruleset import HOOKS, Hook, Ruleset
from linerate.measure.rulesets.source import parse_interfaces, read_source
from linerate.measure.rulesets.steps import CONNECTION_LIMIT, QUOTA
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.saved import load_model
from linerate.models.operations import MixPredictor
from linerate.models.operations.own import BARE
from linerate.models.pipelines import PipelineQuestion, answer_pipeline
from linerate.models.pipelines.case import SHARED_MIN, Prices
from linerate.programs.pipeline_paths import PipelinePath, PipelineTraffic

FRAME_BYTES = (64, 512, 1518)
"""Sizes that are asked about where no traffic is named."""
SHIPPED = Path(linerate.__file__).parent / "data/boxes/rulesets.json"
"""Costs that come with linerate: a model of `data/reference-rulesets-6` and `-queues-2`."""
USED_UP = (
    "limits are taken as used up: no packet is within one and each is beyond it, and what "
    "stands behind one, such as log, is met at most as often as the limit says"
)
ASSUMED = {
    **dict.fromkeys(("limit", "hashlimit", QUOTA), USED_UP),
    "recent": "sources are taken as on the list of recent, and seen as often as a rule asks for",
    CONNECTION_LIMIT: "limits of connections are taken as reached, by a source that has few: one "
                      "with many takes longer",
    DRAWN: "a rule for a drawn share of packets is taken as none, and of several choices the last "
           "as made",
    "conntrack": "packets are taken as the first of their flow, but for the share that "
                 "--established says",
    "reject": "reject: the kernel limits such answers (net.ipv4.icmp_ratelimit, "
              "icmp_msgs_per_sec), so most packets get none; they take that time all the same",
    "reset": "reject with tcp reset: each packet is answered, in a lab whose sink copies answers",
    "entered": "first packets that are forwarded are entered into the connection table, and one is "
               "taken out for each, in a lab whose table is small: a large one takes longer",
    "set_update": "sets that packets add to: as where an element is there already",
    "log_group": "log to a group: as where somebody listens who does not keep up with the load",
}  # fmt: skip
"""Note for a packet that meets such an operation."""
IN_COMMON = {
    "limit": "a limit has one count", "log_group": "a log one listener",
    "set_update": "an element of a set is one for all",
    "ipset_update": "a set that packets are added to is locked", "recent": "so is a list of recent",
    CONNECTION_LIMIT: "a list of connections is for one at a time",
    "conntrack": "new flows are counted in one place",
    "entered": "new flows are counted in one place",
}  # fmt: skip
"""Where cores wait for each other, by the operation (`linerate.models.operations.shared`)."""
IN_TURN = {OTHER_PROTOCOL: "protocols", **dict.fromkeys(OTHER_DESTINATION.values(), "destinations")}


def fits_ruleset(  # noqa: PLR0913 - one for each part of the question
    path: str | os.PathLike[str],
    *,
    traffic: str | os.PathLike[str] | int | None = None,
    frame_bytes: int | None = None,
    hook: str | None = None,
    established: float = 0.0,
    interfaces: str = "",
    model: str | os.PathLike[str] | None = None,
    link_gbps: float = LINK_GBPS,
    queues: int | None = None,
    explained: bool = False,
    where: Where = HERE,
) -> RulesetFits:
    """Say whether a ruleset sustains line rate, by the rules that each frame walks.

    On this machine, as root, it is run on the traffic that is named, too.

    Parameters
    ----------
    path
        ``.nft``, or ``.rules`` as iptables-save writes it.
    traffic
        A frame size, ``imix``, a capture (pcap) or a list of frames (JSON).
    frame_bytes
        The same as a size; the usual ones if neither is given.
    hook
        How far packets go that no rule drops: ``ingress``, ``prerouting``, ``input`` or
        ``forward``; the last that the ruleset has a base chain on if left out. What passes
        ``forward`` is sent out of another interface.
    established
        Share of packets whose flow was answered before, 0 to 1, as connection tracking sees them;
        the others are the first of theirs.
    interfaces
        What the rules call the interface that packets come in by, and behind a comma that they are
        forwarded to; names that no rule has if left out.
    model
        A model of this machine (``linerate fit`` of `data/campaigns/rulesets.toml`), taken as it
        is; the costs that are shipped, carried over to the machine, if left out.
    link_gbps
        Link.
    queues
        Cores that receive; the fewest that do if left out.
    explained
        Whether to say where the time goes.
    where
        Whose costs: of a box, or of this machine, timed once a day as root.

    Raises
    ------
    BadInputError
        A file that cannot be used, a model without costs of rules, or a box without times.
    CannotHereError
        nft or iptables is missing, or a namespace cannot be made.
    """
    source = read_source(Path(path), parse_interfaces(interfaces))
    ruleset = load_source(source)
    last = _hook(hook, ruleset)
    _check_share(established, ruleset)
    fitted, mixes = _model(Path(model) if model is not None else SHIPPED, ruleset.datapath)
    is_named = model is not None
    prices, of_costs = priced_where(fitted, mixes, ruleset.datapath, where, is_named=is_named)
    tested = RulesetUnderTest(source=source, ruleset=ruleset, last=last, established=established)
    here = where.runs(is_named=is_named)
    asked = traffic if traffic is not None else frame_bytes
    question = PipelineQuestion(link_gbps=link_gbps, lcores=queues)
    answers, notes = [], []
    for named in FRAME_BYTES if asked is None else (asked,):
        frames = named_frames(named)
        ways, left_out = follow(ruleset, frames, last, established)
        run, of_run = (run_ruleset(tested, frames, ways, progress=where.progress)
                       if here and traffic is not None else (None, ()))  # fmt: skip
        load = PipelineTraffic(frame_bytes=frames.mean_frame_bytes, paths=_paths(ways),
                               ran_ns=run.ran_ns if run else ())  # fmt: skip
        priced, _ = answer_pipeline(Path(path).name, load, prices, question, ruleset.datapath)
        if here:
            keep_ruleset(tested, frames, priced.cases[1], run.made_ns if run else None)
        answers.append(RulesetAnswer(priced=priced, ways=tuple(ways)))
        notes += [*of_run, *(note for note in (frames.note, left_out) if note)]
        notes += [] if run else _of_mixed(ways, prices, ruleset.datapath)
    more = _notes(ruleset, last, [way for answer in answers for way in answer.ways])
    more += _of_cores(answers, prices, ruleset.datapath)
    more.append(f"costs of {', '.join(fitted.provenance.boxes)} on a veth; the driver of a network "
                "card comes on top")  # fmt: skip
    more += of_costs
    return RulesetFits(
        path=Path(path), datapath=ruleset.datapath, hook=last, answers=tuple(answers),
        notes=tuple(dict.fromkeys((*notes, *more))), explained=explained,
    )  # fmt: skip


def _hook(named: str | None, ruleset: Ruleset) -> Hook:
    if named is None:
        return ruleset.last_hook
    for hook in HOOKS:
        if hook == named:
            return hook
    raise bad_name("hook", named, why="no incoming packet passes it", known=HOOKS)


def _check_share(established: float, ruleset: Ruleset) -> None:
    if not 0.0 <= established <= 1.0:
        raise bad_input("established", established, why="it is a share of the packets",
                        allowed="0..1", do="correct it")  # fmt: skip
    if established and not ruleset.tracks:
        raise bad_input("established", established, why="no rule asks for ct state and none "
                        "translates addresses, so flows are not tracked", allowed="0",
                        do="leave it out")  # fmt: skip


def _model(path: Path, datapath: str) -> tuple[ModelFile, MixPredictor]:
    fitted = load_model(path)
    known = {(work.scope, work.base) for work in fitted.mixes.works} if fitted.mixes else set()
    if fitted.mixes is None or (datapath, BARE) not in known:
        raise bad_input(
            "model", path, why=f"it has no costs of {datapath} rules",
            allowed="a model of runs of rulesets", do="linerate measure "
            "data/campaigns/rulesets.toml --out FOLDER, linerate fit FOLDER --out MODEL.json",
        )  # fmt: skip
    return fitted, fitted.mixes


def _paths(ways: Sequence[Followed]) -> tuple[PipelinePath, ...]:
    """Put frames together that take the same."""
    found: dict[tuple[object, bool], PipelinePath] = {}
    for way in ways:
        passes = way.walk.end == "accept"
        other = found.get((way.operations, passes))
        found[way.operations, passes] = PipelinePath(
            operations=way.operations, share=way.share + (other.share if other else 0.0),
            choices=other.choices if other else (f"{way.walk.decided_by}: {way.walk.end}",),
            sends=passes,
        )  # fmt: skip
    return tuple(found.values())


def _of_cores(answers: Sequence[RulesetAnswer], prices: Prices, datapath: str) -> list[str]:
    """Say what more than one queue rests on."""
    asked = [answer.priced for answer in answers if answer.priced.lcores > 1]
    if not asked:
        return []
    if not prices.model.knows_cores(datapath):
        return ["more than one queue was not measured: each is taken to do as much as one"]
    added_ns = max(answer.cases[1].shared_ns for answer in asked)
    if added_ns < SHARED_MIN * asked[0].cases[1].packet_ns:
        return ["each queue is taken to do as much as one alone: two did 2 to 16 % less each, as "
                "measured, and more were not"]  # fmt: skip
    met = {kind for answer in asked for kind in answer.cases[1].operations} & IN_COMMON.keys()
    places = ", ".join(sorted({IN_COMMON[kind] for kind in met}))
    return [f"cores wait for each other ({places}): a packet takes {added_ns:.0f} ns longer for "
            "each other core, as measured on two; more are taken to add as much each"]  # fmt: skip


def _of_mixed(ways: Iterable[Followed], prices: Prices, datapath: str) -> list[str]:
    """Say where frames differ from those before them by what has no price."""
    met = {kind for way in ways for kind, _ in way.operations}
    several = [words for kind, words in IN_TURN.items()
               if kind in met and not prices.model.prices(kind, datapath)]  # fmt: skip
    return [f"frames of several {words} come in turn, of which no cost is known, so the interval "
            "is wider" for words in several]  # fmt: skip


def _notes(ruleset: Ruleset, last: Hook, ways: Iterable[Followed]) -> list[str]:
    """Say what was assumed."""
    walks = [way.walk for way in ways]
    met = {kind for walk in walks for kind in walk.counts}
    notes = [*dict.fromkeys(words for kind, words in ASSUMED.items() if kind in met)]
    strange = sorted({what for walk in walks for what in walk.strange})
    if strange:
        notes.append(f"not understood, or without a cost: {', '.join(strange)}: taken as no match, "
                     "or as free, and the interval is wider")  # fmt: skip
    if any(walk.end == "accept" and walk.counts["conntrack"] and not walk.counts["entered"]
           for walk in walks):  # fmt: skip
        notes.append("a first packet that passes is entered into the connection table: what that "
                     "takes was not measured")  # fmt: skip
    if ruleset.interface_names:
        notes.append(_of_interfaces(ruleset))
    if ruleset.translates and ruleset.tracks:
        notes.append("rules that translate addresses have every packet tracked, which counts")
    if ruleset.left_out:
        notes.append(f"left out, as not every incoming packet meets them: "
                     f"{', '.join(ruleset.left_out)}")  # fmt: skip
    if {"input", "forward"} <= set(ruleset.hooks):
        notes.append(f"packets are taken to go to {last}: --hook says otherwise")
    return notes


def _of_interfaces(ruleset: Ruleset) -> str:
    """Say by which interfaces packets come and leave."""
    comes_by, leaves_by = ruleset.interfaces.comes_by, ruleset.interfaces.leaves_by
    if not comes_by:
        return (
            f"rules name interfaces ({', '.join(ruleset.interface_names)}), and packets are taken "
            "to come in by another: --interfaces IN,OUT says by which, and by which they leave"
        )
    leaving = f", and leave by {leaves_by} where they are forwarded" if leaves_by else ""
    return f"packets come in by {comes_by}{leaving}"
