"""What each node of a chain runs: stages of NSH with their rules, and the functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from linerate.measure.datapaths.chain.counts import RunningChain, RunningNode
from linerate.measure.datapaths.chain.lab import (
    BACK_DEVICE,
    DESTINATION_ADDRESS,
    INNER_DEVICE,
    INNER_PEER,
    SOURCE_ADDRESS,
    UPLINK,
    ChainLab,
    Node,
)
from linerate.measure.datapaths.chain.settings import ChainSettings
from linerate.measure.processes import built
from linerate.measure.processes.held import HeldProcess, hold_process

STAGES = ("classify", "dec", "enc", "fwd", "sff", "bounce", "cross", "entry", "socket")
PINS = "/sys/fs/bpf"
"""Where rules are pinned, in a node's own view of it."""
SPI = 7
SI_FIRST = 255
"""Service index of a classified packet, RFC 8300 section 2.3."""
PROTOCOLS = ("icmp", "udp", "tcp")
"""What the lab's classifier sends along the chain."""
KEPT_FLOWS_PER_FLOW = 4
"""Room for headers of flows, so that none goes before its packet is back."""
KEPT_FLOWS_MIN = 1024
_ICMP = 1


def chain_files(chain: ChainSettings) -> list[Path]:
    """Everything that is loaded or run for a chain.

    Raises
    ------
    CannotHereError
        One of it is not built.
    """
    runners = ["nsh_stage", "nsh_rules"]
    if chain.function != "tc":
        runners.append(_function_runner(chain))
    return [
        *(built.runner(name).resolve() for name in runners),
        *(built.program_object(f"nsh_{stage}").resolve() for stage in STAGES),
    ]


@contextmanager
def run_chain(
    lab: ChainLab, chain: ChainSettings, flows: int, works_ns: Sequence[int] = ()
) -> Iterator[RunningChain]:
    """Put stages, rules and functions in place; all of it goes with the context, or with us.

    Parameters
    ----------
    lab, chain
        Where, and what.
    flows
        That packets are of.
    works_ns
        What each function takes itself with a packet, ns; what the settings say if left out.
    """
    names = [node.name for node in lab.functions]
    works = dict(zip(names, works_ns or (chain.work_ns,) * chain.length, strict=True))
    with ExitStack() as stack:

        def start(node: Node, flags: list[str]) -> RunningNode:
            stages = stack.enter_context(
                _held(node, "nsh_stage", _stage_flags(lab, node, flows, flags))
            )
            return RunningNode(
                node=node,
                stages=stages,
                function=stack.enter_context(
                    _held(
                        node,
                        _function_runner(chain),
                        _function_flags(node, chain, works[node.name]),
                    )
                )
                if node.name in works and chain.function != "tc"
                else None,
            )

        running = [start(lab.source, _source_flags(lab))]
        for node in lab.functions:
            running.append(start(node, _function_stages(chain, works[node.name])))
        running.append(start(lab.destination, _destination_flags()))
        if lab.hub:
            running.append(start(lab.hub, _attach(f"sff@{lab.hub.uplink}")))
        _set_rules(lab, chain)
        threads = lab.start_threads()
        yield RunningChain(lab=lab, nodes=tuple(running), napi_threads=threads)


def run_rules(node: Node, command: str, *options: str) -> str:
    """Change or list the rules of a node.

    Raises
    ------
    LinerateError
        The rule was refused; the message says why.
    """
    argv = [str(built.runner("nsh_rules").resolve()), command, "--pins", PINS, *options]
    return node.namespace.run(argv, pins=True)


def _held(node: Node, runner: str, flags: list[str]) -> AbstractContextManager[HeldProcess]:
    argv = [str(built.runner(runner).resolve()), *flags]
    return hold_process(
        f"{node.name}: {runner}", node.namespace.argv(argv, pins=True), under_test=True
    )


def _stage_flags(lab: ChainLab, node: Node, flows: int, flags: list[str]) -> list[str]:
    kept = max(KEPT_FLOWS_MIN, KEPT_FLOWS_PER_FLOW * flows)
    objects = built.program_object("nsh_fwd").resolve().parent
    forwarder = ["--sff-mac", lab.hub.mac] if lab.hub else []
    return [
        "--objects", str(objects), "--pins", PINS, "--own-dev", node.uplink, "--flows", str(kept),
        *forwarder, *flags,
    ]  # fmt: skip


def _attach(*places: str) -> list[str]:
    return [word for place in places for word in ("--attach", place)]


def _source_flags(lab: ChainLab) -> list[str]:
    return [
        *_attach(f"classify@{UPLINK}", f"fwd@{UPLINK}", f"entry@{lab.traffic.dut_device}"),
        "--out-dev", UPLINK,
    ]  # fmt: skip


def _destination_flags() -> list[str]:
    # What is pinged is the destination itself; all else goes back to the generator's sink.
    return [
        *_attach(f"dec@{UPLINK}", f"cross@{UPLINK}"), "--path-ends",
        "--out-dev", BACK_DEVICE, "--skip-protocol", str(_ICMP),
    ]  # fmt: skip


def _function_stages(chain: ChainSettings, work_ns: int) -> list[str]:
    """Around the function: Dec, Enc and Fwd; Fwd alone if it is aware of NSH."""
    around = [f"fwd@{UPLINK}"]
    if not chain.nsh_aware:
        around += [f"dec@{UPLINK}", f"enc@{UPLINK}"]
    flags = ["--nsh-aware"] if chain.nsh_aware else []
    if chain.function == "tc":
        around.append(f"bounce@{UPLINK}")
        flags += ["--work-ns", str(work_ns)]
    elif chain.function == "af_xdp":
        around.append(f"cross@{INNER_PEER}")
        flags += ["--out-dev", UPLINK]
        if chain.nsh_aware:
            around.append(f"socket@{UPLINK}")
        else:
            flags.append("--to-socket")
    return [*_attach(*around), *flags]


def _function_runner(chain: ChainSettings) -> str:
    return "chain_function_xsk" if chain.function == "af_xdp" else "chain_function_raw"


def _function_flags(node: Node, chain: ChainSettings, work_ns: int) -> list[str]:
    flags = ["--dev", UPLINK, "--core", str(node.core), "--work-ns", str(work_ns)]
    if chain.nsh_aware:
        flags.append("--nsh-aware")
    if chain.function == "af_xdp":
        flags += ["--out-dev", INNER_DEVICE, "--pins", PINS]
    return flags


def _set_rules(lab: ChainLab, chain: ChainSettings) -> None:
    """Lay the path, hop by hop.

    From the source packets go on with the first service index, from the first function with one
    less, and so on. With a hub it is the hub that knows.
    """
    for protocol in PROTOCOLS:
        run_rules(
            lab.source, "add-flow", "--source", SOURCE_ADDRESS, "--destination",
            DESTINATION_ADDRESS, "--protocol", protocol, "--spi", str(SPI),
            "--metadata-type", str(chain.metadata_type),
        )  # fmt: skip
    senders = (lab.source, *lab.functions)
    receivers = (*lab.functions, lab.destination)
    for hop, (sender, receiver) in enumerate(zip(senders, receivers, strict=True)):
        _add_path(lab.hub or sender, SI_FIRST - hop, receiver)
    _add_path(lab.destination, SI_FIRST - len(lab.functions), lab.destination)


def _add_path(node: Node, si: int, to: Node) -> None:
    run_rules(node, "add-path", "--spi", str(SPI), "--si", str(si), "--mac", to.mac)
