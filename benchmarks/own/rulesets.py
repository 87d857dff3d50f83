"""How far off `linerate fits RULES.nft` is: rulesets as people write them, of 1 to 1000 rules.

One campaign measures what rulesets are made of (data/campaigns/rulesets.toml) and the rulesets
themselves, all in turn, since the speed of a shared machine moves. Costs are fitted on the former
alone; each ruleset is priced along the way of the lab's one flow, and held against its runs.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from judged import measured, print_errors

from linerate.measure.objects.traffic.named import named_frames
from linerate.measure.rulesets.follow import follow
from linerate.measure.rulesets.listing import read_ruleset
from linerate.models.operations import MixPredictor, fit_mixes, mix_runs
from linerate.models.pipelines.case import cases_of
from linerate.pipeline_paths import PipelinePath

ROOT = Path(__file__).resolve().parents[2]
COSTS = ROOT / "data/campaigns/rulesets.toml"
SIZES = (1, 10, 100, 1000)
CELLS = """
[[cells]]
mode = "serial"
datapath = ["{datapath}"]
program = [{programs}]
queues = [1]
frame_bytes = [64]
link_gbps = inf
offered_mpps = ["flood"]
"""


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


def own_rulesets() -> dict[str, str]:
    """Texts by file name: at three hooks, with sets, maps, chains of one's own."""
    rng = np.random.default_rng(13)
    found = {}
    for count in SIZES:
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
    return found


def write_campaign(folder: Path) -> None:
    """Write the rulesets, and the campaign that measures them between those of one kind."""
    folder.mkdir(parents=True)
    shutil.copytree(COSTS.with_suffix(""), folder / "rulesets")
    names = own_rulesets()
    for name, text in names.items():
        (folder / name).write_text(text)
    cells = [
        CELLS.format(
            datapath=datapath,
            programs=", ".join(f'"{name}"' for name in names if name.endswith(suffix)),
        )
        for datapath, suffix in (("nftables", ".nft"), ("iptables", ".rules"))
    ]
    (folder / "campaign.toml").write_text(COSTS.read_text() + "".join(cells))


def predicted(path: Path, mixes: MixPredictor) -> tuple[float, float, float, int]:
    """Time of a packet of the lab's flow, ns, the ends of its interval, and rules walked."""
    ruleset = read_ruleset(path)
    (way,), _ = follow(ruleset, named_frames(64), ruleset.last_hook)
    one = PipelinePath(operations=way.operations, share=1.0, choices=(), sends=True)
    (_, case, _), _ = cases_of(path.name, [one], mixes, ruleset.datapath)
    return case.packet_ns, case.lower_ns, case.upper_ns, way.walk.counts["rule"]


def compare(runs: pd.DataFrame, folder: Path, mixes: MixPredictor) -> pd.DataFrame:
    """Predict each ruleset, and put its runs beside; disturbed ones only if all are."""
    rows = []
    for name in own_rulesets():
        own = runs[runs["program"] == name]
        sound = own[own["verdict"] == "valid"]
        own = own if sound.empty else sound
        times = (1e3 / own["forwarded_mpps"]).to_numpy(dtype=np.float64)
        packet_ns, lower_ns, upper_ns, walked = predicted(folder / name, mixes)
        rows.append({
            "ruleset": name, "walked": walked, "predicted_ns": packet_ns, "lower_ns": lower_ns,
            "upper_ns": upper_ns, "measured_ns": float(np.median(times)),
            "fastest_ns": float(times.min()), "slowest_ns": float(times.max()),
            "valid": len(sound),
            "error_percent": 100.0 * (packet_ns / float(np.median(times)) - 1.0),
        })  # fmt: skip
    return pd.DataFrame(rows)


def main() -> None:
    """Measure, fit, predict and print."""
    plan, runs = measured(__doc__, write_campaign)
    costs = runs[runs["program"].str.startswith("rulesets/")]
    found = compare(runs, plan, fit_mixes(mix_runs(costs)))
    print_errors(found, "rulesets", found["ruleset"].str.rpartition(".")[2])


if __name__ == "__main__":
    main()
