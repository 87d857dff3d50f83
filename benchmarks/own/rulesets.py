"""How far off `linerate fits RULES.nft` is: rulesets as people write them, of 1 to 1000 rules.

One campaign measures what rulesets are made of (data/campaigns/rulesets.toml) and the rulesets
themselves, all in turn, since the speed of a shared machine moves: four loads of each. Costs are
fitted on the former alone; each ruleset is priced along the way of the lab's one flow, as the
campaign wrote it down, and held against its runs. Last, each runs on that flow's frame as `linerate
fits` runs it (FOLDER/ran.csv), and is held against the same runs of the campaign
(``FOLDER/ran.png`` shows both), and against loads of the same minute.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from drawn import draw_errors
from judged import measured, print_beside, print_errors, timed_trial

from linerate.cells import Cell
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.collectors.alone import time_alone
from linerate.measure.collectors.sharing import watch_if_possible
from linerate.measure.datapaths.filters.own.bench import open_ruleset_bench
from linerate.measure.datapaths.filters.own.inputs import read_inputs
from linerate.measure.datapaths.filters.own.load import frames_of
from linerate.measure.datapaths.filters.own.test_run import time_ruleset
from linerate.models.operations import fit_mixes, mix_runs
from linerate.models.pipelines.case import Prices, cases_of
from linerate.models.pipelines.ran import held_against
from linerate.programs.pipeline_paths import PipelinePath
from linerate.progress import telling
from linerate.tables.rates import with_own_cores

ROOT = Path(__file__).resolve().parents[2]
COSTS = ROOT / "data/campaigns/rulesets.toml"
SIZES = (1, 10, 100, 1000)
CELLS = """
[[cells]]
mode = "serial"
datapath = ["{datapath}"]
program = [{programs}]
queues = [1]
frame_bytes = [{frame_bytes}]
link_gbps = inf
offered_mpps = ["flood"]
{more}
"""
KNOWN = "ruleset = { established = [true] }"
TCP = 'packet = { protocol = "tcp", tcp_flags = "S" }'


def _network(number: int) -> str:
    return f"10.{number % 200}.{number // 200 * 16}.0/20"


def _lines(count: int, rng: np.random.Generator) -> Iterator[str]:
    """Give rules of a firewall in nft's words, none of which takes the lab's flow."""
    for number in range(count):
        yield (
            f"ip saddr {_network(number)} drop",
            f"tcp dport {2000 + number} accept",
            f"ip saddr 192.0.2.{number % 250} udp dport {3000 + number} counter accept",
            f"udp dport {{ {4000 + number}, {9000 + number} }} accept",
            f"ip daddr 203.0.113.{number % 250} drop",
            f"tcp dport {{ 22, 80, 443 }} ip saddr 172.16.{number % 250}.0/24 accept",
        )[rng.integers(6)]


def _saved_lines(count: int, rng: np.random.Generator) -> Iterator[str]:
    """Give the same rules in the words of iptables-save."""
    for number in range(count):
        yield (
            f"-s {_network(number)} -j DROP",
            f"-p tcp -m tcp --dport {2000 + number} -j ACCEPT",
            f"-s 192.0.2.{number % 250} -p udp -m udp --dport {3000 + number} -j ACCEPT",
            f"-p udp -m multiport --dports {4000 + number},{9000 + number} -j ACCEPT",
            f"-d 203.0.113.{number % 250} -j DROP",
        )[rng.integers(5)]


def own_rulesets(sizes: Sequence[int] = SIZES, seed: int = 13) -> dict[str, str]:
    """Texts by file name: at three hooks, with sets, maps, chains of one's own."""
    rng = np.random.default_rng(seed)
    found = {}
    for count in sizes:
        body = "".join(f"    {line}\n" for line in _lines(count, rng))
        found[f"firewall_{count}.nft"] = (
            "table inet firewall {\n  chain incoming {\n    type filter hook input priority 0; "
            f"policy drop;\n{body}  }}\n}}\n"
        )
        found[f"early_{count}.nft"] = (
            "table ip early {\n  chain first {\n    type filter hook prerouting priority -300;\n"
            f"{''.join(f'    ip saddr {_network(n)} counter drop{chr(10)}' for n in range(count))}"
            "    udp dport 9 counter drop\n  }\n}\n"
        )
        elements = ", ".join(_network(n) for n in range(count))
        found[f"blocked_{count}.nft"] = (
            "table netdev blocked {\n  set networks { type ipv4_addr; flags interval\n    "
            f"elements = {{ {elements} }}\n  }}\n  chain first {{\n    type filter "
            'hook ingress device "lan0" priority 0; policy accept;\n    ip saddr @networks drop\n'
            "    udp dport { 9, 19 } drop\n  }\n}\n"
        )
        saved = "".join(f"-A INPUT {line}\n" for line in _saved_lines(count, rng))
        found[f"firewall_{count}.rules"] = f"*filter\n:INPUT DROP [0:0]\n{saved}COMMIT\n"
        tree = "".join(f"-A INPUT -s {_network(n)} -j guests\n" for n in range(count))
        found[f"guests_{count}.rules"] = (
            f"*filter\n:INPUT ACCEPT [0:0]\n:guests - [0:0]\n{tree}-A INPUT -s 198.18.0.0/16 -j "
            "guests\n-A guests -p tcp -j ACCEPT\n-A guests -p udp -m udp --dport 9 -j DROP\n"
            "COMMIT\n"
        )
        found |= _with_sets(count)
    for count in sizes[1:3]:
        found |= _at_forward(count, rng) | _answering(count, rng)
    return found


def _chain(hook: str, lines: str, policy: str = "drop") -> str:
    return (f"table ip own {{\n  chain first {{\n    type filter hook {hook} priority 0; "
            f"policy {policy};\n{lines}  }}\n}}\n")  # fmt: skip


def _with_sets(count: int) -> dict[str, str]:
    """Give rules of iptables that look sets up: of addresses that were banned, and of networks."""
    options = "family inet hashsize 1024 maxelem 65536"
    banned = "".join(f"add banned 192.0.{n // 250}.{n % 250}\n" for n in range(count))
    networks = "".join(f"add networks 10.{n % 200}.{n // 200 * 16}.0/{(20, 22, 24)[n % 3]}\n"
                       for n in range(count))  # fmt: skip
    services = "".join(f"add services 203.0.113.{n},tcp:{(80, 443)[n % 2]}\n" for n in range(20))
    each = "".join(f"-A INPUT -p tcp -m tcp --dport {port} -m set --match-set banned src -j DROP\n"
                   for port in (22, 25, 80, 443))  # fmt: skip
    return {
        f"banned_{count}.rules": (
            f"create banned hash:ip {options}\n{banned}*filter\n:INPUT DROP [0:0]\n{each}"
            "-A INPUT -p udp -m set --match-set banned src -j DROP\n"
            "-A INPUT -i lo -j ACCEPT\n-A INPUT -p udp -m udp --dport 9 -j DROP\nCOMMIT\n"
        ),
        f"blocked_{count}.rules": (
            f"create networks hash:net {options}\n{networks}create services hash:ip,port {options}"
            f"\n{services}*raw\n:PREROUTING DROP [0:0]\n"
            "-A PREROUTING -m set --match-set networks src -j DROP\n"
            "-A PREROUTING -m set --match-set services dst,dst -j ACCEPT\n"
            "-A PREROUTING -m set ! --match-set networks dst -j DROP\nCOMMIT\n"
        ),
    }  # fmt: skip


def _at_forward(count: int, rng: np.random.Generator) -> dict[str, str]:
    """Give routers: some rules, then the flow is let through, as a new one or as a known one."""
    nft = "".join(f"    {line}\n" for line in _lines(count, rng))
    saved = "".join(f"-A FORWARD {line}\n" for line in _saved_lines(count, rng))
    known = "-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"
    states = "    ct state established,related accept\n"
    head = "*filter\n:FORWARD DROP [0:0]\n"
    return {
        f"router_{count}.nft": _chain("forward", f"{nft}    udp dport 9 accept\n"),
        f"known_router_{count}.nft": _chain("forward", nft + states),
        f"known_{count}.nft": _chain("input", nft + states),
        f"router_{count}.rules": f"{head}{saved}-A FORWARD -p udp --dport 9 -j ACCEPT\nCOMMIT\n",
        f"known_router_{count}.rules": f"{head}{saved}{known}COMMIT\n",
    }


def _answering(count: int, rng: np.random.Generator) -> dict[str, str]:
    """Give hosts that refuse what came by their rules, with an answer, or log it to a group."""
    nft = "".join(f"    {line}\n" for line in _lines(count, rng))
    saved = "".join(f"-A INPUT {line}\n" for line in _saved_lines(count, rng))
    head = "*filter\n:INPUT DROP [0:0]\n"
    return {
        f"refusing_{count}.nft": _chain("input", f"{nft}    counter reject\n"),
        f"logging_{count}.nft": _chain("input", f"{nft}    log prefix \"no: \" group 3 drop\n"),
        f"refusing_{count}.rules": f"{head}{saved}-A INPUT -j REJECT\nCOMMIT\n",
        f"logging_{count}.rules": f"{head}{saved}-A INPUT -j NFLOG --nflog-group 3\nCOMMIT\n",
        f"tcp_refusing_{count}.nft": _chain("input", f"{nft}    reject with tcp reset\n"),
        f"tcp_refusing_{count}.rules":
            f"{head}{saved}-A INPUT -p tcp -j REJECT --reject-with tcp-reset\nCOMMIT\n",
    }  # fmt: skip


def _settings(name: str) -> tuple[int, str]:
    """Frame size of a ruleset's load, and what else its cells say."""
    if name.startswith("tcp_"):
        return 90, TCP
    return 64, KNOWN if name.startswith("known_") else ""


def write_campaign(folder: Path) -> None:
    """Write the rulesets, and the campaign that measures them between those of one kind."""
    folder.mkdir(parents=True)
    shutil.copytree(COSTS.with_suffix(""), folder / "rulesets")
    cells = write_rulesets(folder, own_rulesets())
    text = COSTS.read_text().replace("repetitions = 3", "repetitions = 4")
    (folder / "campaign.toml").write_text(text + "".join(cells))


def write_rulesets(folder: Path, names: Mapping[str, str]) -> list[str]:
    """Write texts by file name, and return the blocks of cells that measure them."""
    for name, text in names.items():
        (folder / name).write_text(text)
    cells = []
    for datapath, suffix in (("nftables", ".nft"), ("iptables", ".rules")):
        for settings in sorted({_settings(name) for name in names}):
            own = [f'"{name}"' for name in names
                   if name.endswith(suffix) and _settings(name) == settings]  # fmt: skip
            cells.append(CELLS.format(datapath=datapath, programs=", ".join(own),
                                      frame_bytes=settings[0], more=settings[1]))  # fmt: skip
    return cells


def predicted(
    run: pd.Series, mixes: Prices, ran_ns: Sequence[float] = ()
) -> tuple[float, float, float, int]:
    """Time of a packet of a run, ns, the ends of its interval, and rules walked."""
    operations = json.loads(run["operations"])
    one = PipelinePath(operations=tuple(sorted(operations.items())), share=1.0, choices=(),
                       sends=True)  # fmt: skip
    cases, _ = cases_of(run["program"], [one], mixes, run["datapath"])
    case = (held_against(cases, ran_ns) if len(ran_ns) else cases)[1]
    return case.packet_ns, case.lower_ns, case.upper_ns, operations.get("rule", 0)


def compare(runs: pd.DataFrame, mixes: Prices, ran: pd.DataFrame | None = None) -> pd.DataFrame:
    """Predict each ruleset, by its test runs where there are some, and put its runs beside.

    Disturbed ones count only if all are.
    """
    rows = []
    for name in dict.fromkeys(runs["program"][~runs["program"].str.startswith("rulesets/")]):
        own = runs[runs["program"] == name]
        sound = own[own["verdict"] == "valid"]
        own = own if sound.empty else sound
        times = (1e3 / with_own_cores(own)["forwarded_mpps"]).to_numpy(dtype=np.float64)
        ran_ns = [] if ran is None else ran.loc[ran["ruleset"] == name, "packet_ns"].to_list()
        packet_ns, lower_ns, upper_ns, walked = predicted(own.iloc[0], mixes, ran_ns)
        rows.append({
            "ruleset": name, "walked": walked, "predicted_ns": packet_ns, "lower_ns": lower_ns,
            "upper_ns": upper_ns, "measured_ns": float(np.median(times)),
            "fastest_ns": float(times.min()), "slowest_ns": float(times.max()),
            "loads_inside": float(np.mean((lower_ns <= times) & (times <= upper_ns))),
            "valid": len(sound),
            "error_percent": 100.0 * (packet_ns / float(np.median(times)) - 1.0),
        })  # fmt: skip
    return pd.DataFrame(rows)


def test_runs(plan: Path, path: Path) -> pd.DataFrame:
    """Run each ruleset of a campaign on the lab's flow, a row a load, and as the campaign does."""
    if not path.exists():
        cells = [cell for cell in read_campaign(plan / "campaign.toml").campaign.cells()
                 if not cell.program.startswith("rulesets/")]  # fmt: skip
        with telling(shown=True) as tell:
            rows = []
            for place, cell in enumerate(cells):
                tell("test runs", place, len(cells))
                rows += _both(cell, plan)
            tell("test runs", len(cells), len(cells))
        pd.DataFrame(rows).to_csv(path, index=False)
    return pd.read_csv(path)


def _both(cell: Cell, plan: Path) -> Iterator[dict[str, object]]:
    tested, frames = read_inputs(cell, plan).tested, frames_of(cell.load)
    with watch_if_possible((0,)) as watch:
        for ns in time_ruleset(tested, frames, lambda *_: None).ran_ns:
            with open_ruleset_bench(cell, plan) as bench:
                send = partial(timed_trial, bench, cell)
                yield {"ruleset": cell.program, "packet_ns": ns,
                       "generated_ns": time_alone(watch, send, 0.0)}  # fmt: skip


def main() -> None:
    """Measure, fit, predict and print."""
    plan, runs = measured(__doc__, write_campaign)
    costs = fit_mixes(mix_runs(runs[runs["program"].str.startswith("rulesets/")]))
    ran = test_runs(plan, plan.parent / "ran.csv")
    answers = {}
    for how, times in (("priced by costs of that hour", None), ("run on its frames", ran)):
        print(f"{how}:")
        answers[how] = found = compare(runs, costs, times)
        new = found["ruleset"].str.contains("router|known|refusing|logging")
        kinds = new.map({False: "plain", True: "forwarded, known, refused, logged"})
        print_errors(found, "rulesets", found["ruleset"].str.rpartition(".")[2] + ", " + kinds)
    print_beside(ran.groupby("ruleset"))
    draw_errors(answers, plan.parent / "ran.png")


if __name__ == "__main__":
    main()
