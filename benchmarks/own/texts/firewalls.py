"""Texts of rulesets as people write them: firewalls, routers, hosts that answer or log."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from texts.limiters import limiters
from texts.lines import network, nft_lines, saved_lines
from texts.routers import guarded, routers

SIZES = (1, 10, 100, 1000)


def own_rulesets(sizes: Sequence[int] = SIZES, seed: int = 13) -> dict[str, str]:
    """Texts by file name: at three hooks, with sets, maps, chains of one's own."""
    rng = np.random.default_rng(seed)
    found = {}
    for count in sizes:
        body = "".join(f"    {line}\n" for line in nft_lines(count, rng))
        found[f"firewall_{count}.nft"] = (
            "table inet firewall {\n  chain incoming {\n    type filter hook input priority 0; "
            f"policy drop;\n{body}  }}\n}}\n"
        )
        found[f"early_{count}.nft"] = (
            "table ip early {\n  chain first {\n    type filter hook prerouting priority -300;\n"
            f"{''.join(f'    ip saddr {network(n)} counter drop{chr(10)}' for n in range(count))}"
            "    udp dport 9 counter drop\n  }\n}\n"
        )
        elements = ", ".join(network(n) for n in range(count))
        found[f"blocked_{count}.nft"] = (
            "table netdev blocked {\n  set networks { type ipv4_addr; flags interval\n    "
            f"elements = {{ {elements} }}\n  }}\n  chain first {{\n    type filter "
            'hook ingress device "lan0" priority 0; policy accept;\n    ip saddr @networks drop\n'
            "    udp dport { 9, 19 } drop\n  }\n}\n"
        )
        saved = "".join(f"-A INPUT {line}\n" for line in saved_lines(count, rng))
        found[f"firewall_{count}.rules"] = f"*filter\n:INPUT DROP [0:0]\n{saved}COMMIT\n"
        tree = "".join(f"-A INPUT -s {network(n)} -j guests\n" for n in range(count))
        found[f"guests_{count}.rules"] = (
            f"*filter\n:INPUT ACCEPT [0:0]\n:guests - [0:0]\n{tree}-A INPUT -s 198.18.0.0/16 -j "
            "guests\n-A guests -p tcp -j ACCEPT\n-A guests -p udp -m udp --dport 9 -j DROP\n"
            "COMMIT\n"
        )
        found |= _with_sets(count)
    for count in sizes[1:3]:
        found |= _at_forward(count, rng) | _answering(count, rng)
    for count in sizes[1:3]:
        found |= routers(count, rng) | guarded(count, rng)
    for count in sizes[1:3]:
        found |= limiters(count, rng)
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
    nft = "".join(f"    {line}\n" for line in nft_lines(count, rng))
    saved = "".join(f"-A FORWARD {line}\n" for line in saved_lines(count, rng))
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
    nft = "".join(f"    {line}\n" for line in nft_lines(count, rng))
    saved = "".join(f"-A INPUT {line}\n" for line in saved_lines(count, rng))
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
