"""``linerate fits PROGRAM``: does it sustain line rate, with how many queues, how sure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from linerate.cli.models.answered import Wanted, answered, print_found
from linerate.cli.models.own_file import FUNCTION, OBJECT, kind_of
from linerate.cli.models.predict import CheckFlag, LinkOption
from linerate.cli.models.priced import PRICED_SUFFIXES, of_function, priced, refuse
from linerate.cli.output import JsonFlag, print_answer, print_json, progress_shown
from linerate.errors import bad_input
from linerate.links import LINK_GBPS

if TYPE_CHECKING:
    from linerate.models.answers.fits import Question

EXAMPLES = """
Examples:
  linerate fits map_lookup --model model.json --memory-accesses 100
  sudo linerate fits filter.bpf.o --link-gbps 10
  sudo linerate fits balance.bpf.o --traffic frames.pcap --maps maps.toml --queues 2 --check
  sudo linerate fits new.bpf.o --against old.bpf.o --slower-ns 2 --check
  sudo linerate fits filter.bpf.o --budget-ns 60
  sudo linerate fits filter.bpf.o --offered-mpps 1.5 --latency-us 50
  sudo linerate fits police.bpf.o --datapath tc --traffic 64
  sudo linerate fits filter.bpf.o --explain --figure roofline.png
  sudo linerate fits filter.bpf.o --box other.toml --measured runs-there.csv
  linerate fits filter.bpf.o                    # without root: counted, not run
  sudo linerate fits router.spec --table routes=routes.txt --traffic frames.pcap --queues 2
  linerate fits router.spec --link-gbps 40 --box other.toml --explain
  sudo linerate fits firewall.nft --traffic imix --explain
  sudo iptables-save > host.rules; sudo linerate fits host.rules --hook input --check
  sudo linerate fits gateway.chain.toml --frame-bytes 512 --explain
  linerate fits mine.so --entry fn --queues 2 --explain
  linerate fits my-function --ns-per-packet 85 --verdict drop --link-gbps 1
"""
AUTO = "auto"
T = TypeVar("T")


def fits(  # noqa: PLR0913 - one option per factor
    program: Annotated[
        str,
        typer.Argument(
            help="Your BPF object (.o), your function for AF_XDP (.so), your pipeline (.spec, "
            ".p4), your ruleset (.nft, or .rules of iptables-save), your chain of service "
            "functions (.chain.toml), or the name that a program was measured under."
        ),
    ],
    traffic: Annotated[
        str | None,
        typer.Option(help="Of a file: a frame size, imix, a capture (pcap) or a list (JSON)."),
    ] = None,
    maps: Annotated[
        Path | None, typer.Option(help="Of an object: variables and entries of its maps (TOML).")
    ] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option("--table", help="Of a pipeline: NAME=FILE.txt, entries; several times."),
    ] = None,
    assigned: Annotated[
        list[str] | None,
        typer.Option("--set", help="Of an object: a variable, NAME=VALUE; several times."),
    ] = None,
    entry: Annotated[
        str | None, typer.Option(help="Of an object: its program or function, of several.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD.o",
            help="Of an object: an older one to compare it with, by test runs in turn.",
        ),
    ] = None,
    budget_ns: Annotated[
        float | None,
        typer.Option(help="Of an object: most time in it; exit code 1 where it may take more."),
    ] = None,
    latency_us: Annotated[
        float | None,
        typer.Option(
            help="Of an object: longest p99 at --offered-mpps, else at line rate, likewise."
        ),
    ] = None,
    slower_ns: Annotated[
        float | None,
        typer.Option(help="With --against and --check: how much slower it may be; 0 if left out."),
    ] = None,
    offered_mpps: Annotated[
        float | None, typer.Option(help="Of an object: a load whose latency is asked about.")
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Of an object: PNG or PDF of its rate, with a CSV beside.")
    ] = None,
    ns_per_packet: Annotated[
        float | None,
        typer.Option(help="Of a function on AF_XDP with any name: its time, instead of a file."),
    ] = None,
    verdict: Annotated[
        str | None,
        typer.Option(help="With --ns-per-packet: tx (send back, the default) or drop."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Of a file: where its time goes, by helpers or operations, "
            "and which lines of a pipeline wait.",
        ),
    ] = False,
    static: Annotated[
        bool,
        typer.Option("--static", help="Run nothing here, as without root: count, and price."),
    ] = False,
    box: Annotated[
        Path | None, typer.Option(help="Of a file: a calibrated box; this machine if left out.")
    ] = None,
    measured: Annotated[
        list[Path] | None,
        typer.Option(
            help="Of an object: runs of it on the box, a table or a campaign's folder, by which "
            "the answer is corrected; several times for several."
        ),
    ] = None,
    queues: Annotated[
        str, typer.Option(help="Of a file: how many queues or lcores, or auto for the fewest.")
    ] = AUTO,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            help="Of a name or a pipeline: model file, from linerate fit; of a pipeline the "
            "costs that come with linerate if left out, held against this machine.",
        ),
    ] = None,
    memory_accesses: Annotated[
        int | None, typer.Option(help="Of a name: accesses per packet.")
    ] = None,
    datapath: Annotated[
        str | None,
        typer.Option(help="One datapath; if left out the object's, of a name all that ran it."),
    ] = None,
    hook: Annotated[
        str | None,
        typer.Option(
            help="Of a ruleset: how far packets go (ingress, prerouting, input, forward); "
            "the last that it is on if left out."
        ),
    ] = None,
    established: Annotated[
        float | None,
        typer.Option(
            help="Of a ruleset that tracks flows: share of packets whose flow was answered "
            "before, 0 to 1; none if left out."
        ),
    ] = None,
    interfaces: Annotated[
        str | None,
        typer.Option(
            metavar="IN[,OUT]",
            help="Of a ruleset: what it calls the interfaces that packets come in and leave by.",
        ),
    ] = None,
    frame_bytes: Annotated[
        int | None, typer.Option(help="One frame size, B with FCS; the usual ones if left out.")
    ] = None,
    link_gbps: LinkOption = LINK_GBPS,
    json: JsonFlag = False,
    check: CheckFlag = False,
) -> None:
    """Say in words whether a program sustains line rate, with how many queues, and how sure.

    As root an object is run on your frames; without root its instructions and calls are counted.
    A function for AF_XDP is run by a child without rights, whoever asks.
    A pipeline, a ruleset or a chain is priced by what packets execute, walk or pass; the prices are
    held against this machine as root, half a minute once a day. As root a chain is run, a ruleset
    on the frames of --traffic, and with DPDK a pipeline, with the entries of --table.

    --check exits with 1 where line rate is not sustained; with a budget or a latency, where it may
    be exceeded; with an older object, where it is surely slower or packets end elsewhere.
    """
    refuse({"--frame-bytes": frame_bytes} if traffic is not None else {}, "no --traffic beside it")
    if program.endswith(PRICED_SUFFIXES):
        refuse({"--maps": maps, "--set": assigned, "--entry": entry, "--against": against,
                 "--budget-ns": budget_ns, "--slower-ns": slower_ns, "--figure": figure,
                 "--latency-us": latency_us, "--offered-mpps": offered_mpps,
                 "--measured": measured or None, "--datapath": datapath},
               "a BPF object (.o)")  # fmt: skip
        refuse({"--memory-accesses": memory_accesses}, "a program's name")
        asked = {"traffic": traffic, "frame_bytes": frame_bytes, "model": model,
                 "link_gbps": link_gbps, "explained": explain}  # fmt: skip
        of_rules = {"hook": hook, "established": established, "interfaces": interfaces}
        asked |= {"box": box, "static": static or None}
        answer = priced(program, _number(queues), tables or (), of_rules, asked)
        print_found(answer, json)
        if check and not answer.sustains:
            raise typer.Exit(1)
        return
    refuse(
        {
            "--table": tables,
            "--hook": hook,
            "--established": established,
            "--interfaces": interfaces,
        },
        "a pipeline (.spec, .p4), a ruleset (.nft)",
    )
    kind = None if ns_per_packet is not None else kind_of(program, named=model is not None)
    is_function = kind == FUNCTION or ns_per_packet is not None
    refuse({"--verdict": verdict} if ns_per_packet is None else {}, "--ns-per-packet")
    if kind == OBJECT or is_function:
        refuse({"--model": model, "--memory-accesses": memory_accesses}, "a program's name")
        if against is None:
            refuse({"--slower-ns": slower_ns}, "--against")
        from linerate.models.objects import Gate  # slow to load: not for --help

        gate = Gate(budget_ns=budget_ns, latency_us=latency_us, slower_ns=slower_ns or 0.0)
        wanted = Wanted(json=json, check=check, figure=figure, gate=gate)
        about: dict[str, Any] = {
            "traffic": frame_bytes if traffic is None else traffic, "box": box,
            "link_gbps": link_gbps, "queues": _number(queues), "offered_mpps": offered_mpps,
            "progress": progress_shown(),
        }  # fmt: skip
        in_kernel: dict[str, Any] = {"maps": maps, "assigned": assigned or None,
                                     "static": static or None, "datapath": datapath,
                                     "measured": measured or None}  # fmt: skip
        run: dict[str, Any] = {"entry": entry, "against": against, "explained": explain or None}
        if is_function:
            refuse({"--maps": maps, "--set": assigned or None, "--static": static or None,
                    "--measured": measured or None,
                    "--datapath": datapath}, "a BPF object (.o)")  # fmt: skip
            answered(of_function(program, about, run, ns_per_packet, verdict), wanted)
            return
        from linerate.face.fits.objects import fits as fits_object  # slow to load: not for --help

        given = {name: value for name, value in (in_kernel | run).items() if value is not None}
        answered(fits_object(program, **about, **given), wanted)
        return
    refuse({"--traffic": traffic, "--maps": maps, "--set": assigned, "--entry": entry,
             "--against": against, "--budget-ns": budget_ns, "--slower-ns": slower_ns,
             "--latency-us": latency_us, "--offered-mpps": offered_mpps, "--figure": figure,
             "--explain": explain or None, "--static": static or None,
             "--measured": measured or None, "--box": box}, "a BPF object (.o)")  # fmt: skip
    fitted = _needed("--model", model, "the JSON file that linerate fit writes")
    accesses = _needed("--memory-accesses", memory_accesses, "a count of accesses per packet")
    from linerate.models.answers.fits import FRAME_BYTES, Question  # slow to load

    question = Question(
        program=program, memory_accesses=accesses, datapath=datapath,
        frame_bytes=FRAME_BYTES if frame_bytes is None else (frame_bytes,), link_gbps=link_gbps,
    )  # fmt: skip
    sustains = _measured(fitted, question, json)
    if check and not sustains:
        raise typer.Exit(1)


def _measured(model: Path, question: Question, json: bool) -> bool:
    """Answer for a program that was measured, by its name."""
    from linerate.models.answers.fits import domains_of, fits_of  # slow to load: not for --help
    from linerate.models.file.saved import load_model

    fitted = load_model(model)
    domains = domains_of(fitted, question.program, question.datapath)
    notes = fitted.predictor.notes_on({domain.pair for domain in domains})
    answers = fits_of(fitted, question)
    if json:
        print_json({
            "program": question.program, "memory_accesses": question.memory_accesses,
            "link_gbps": question.link_gbps,
            "answers": [answer.to_dict() for answer in answers], "notes": notes,
        })  # fmt: skip
    else:
        asked = (f"Does {question.program} with {question.memory_accesses} accesses per packet "
                 f"sustain {question.link_gbps:g} Gbit/s line rate?")  # fmt: skip
        lines = (f"  {answer.datapath:12} {answer.frame_bytes:>5} B: {answer}"
                 for answer in answers)  # fmt: skip
        print_answer("\n".join([asked, *lines, *(f"Note: {note}." for note in notes)]))
    return all(answer.sustains for answer in answers)


def _number(queues: str) -> int | None:
    if queues == AUTO:
        return None
    if not queues.isdecimal():
        raise bad_input("--queues", queues, why="it is not a number", allowed=f"1.. or {AUTO}",
                        do="correct it")  # fmt: skip
    return int(queues)


def _needed(option: str, value: T | None, allowed: str) -> T:
    if value is None:
        raise bad_input(
            option, "nothing", why="a program that was measured is asked about by a model",
            allowed=allowed, do="name it, or give a BPF object (.o) instead of a name",
        )  # fmt: skip
    return value
