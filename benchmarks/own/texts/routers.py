"""Routers that translate addresses, and hosts that look routes up, mark, and list sources."""

from __future__ import annotations

import numpy as np

from texts.lines import nft_lines, saved_lines


def routers(count: int, rng: np.random.Generator) -> dict[str, str]:
    """Give routers with so many rules and a fifth as many forwarded ports, for flows of two kinds.

    What leaves has its source translated; of half of them the flow goes to a forwarded port.
    """
    found = {}
    for kind in ("known", "first"):
        found[f"{kind}_home_{count}.nft"] = _home(count, rng, forwards=False)
        found[f"{kind}_served_{count}.nft"] = _home(count, rng, forwards=True)
        found[f"{kind}_docker_{count}.rules"] = _docker(count, rng, forwards=False)
        found[f"{kind}_published_{count}.rules"] = _docker(count, rng, forwards=True)
    return found


def _home(count: int, rng: np.random.Generator, *, forwards: bool) -> str:
    """Give the router of a home: port forwards, masquerading, a firewall with states."""
    ports = "".join(f"    tcp dport {2000 + n} dnat ip to 10.0.1.{n % 250}:80\n"
                    for n in range(count // 5))  # fmt: skip
    ports += "    udp dport 9 dnat ip to 10.0.0.2:99\n" if forwards else ""
    rules = "".join(f"    {line}\n" for line in nft_lines(count, rng))
    return (
        "table inet router {\n  chain to {\n    type nat hook prerouting priority dstnat;\n"
        f"{ports}  }}\n  chain from {{\n    type nat hook postrouting priority srcnat;\n"
        "    ip saddr 192.168.0.0/16 masquerade\n    ip saddr 198.18.0.0/16 masquerade\n  }\n"
        "  chain forwarded {\n    type filter hook forward priority 0; policy drop;\n"
        "    ct state vmap { invalid : drop, established : accept, related : accept }\n"
        f"{rules}    udp dport {{ 9, 99 }} accept\n  }}\n}}\n"
    )


def _docker(count: int, rng: np.random.Generator, *, forwards: bool) -> str:
    """Give a host of containers: published ports, chains of its own, masquerading."""
    ports = "".join(f"-A DOCKER ! -i docker0 -p tcp -m tcp --dport {3000 + n} -j DNAT "
                    f"--to-destination 172.17.0.{n % 250}:80\n"
                    for n in range(count // 5))  # fmt: skip
    ports += ("-A DOCKER ! -i docker0 -p udp -m udp --dport 9 -j DNAT --to-destination "
              "172.17.0.2:99\n" if forwards else "")  # fmt: skip
    rules = "".join(f"-A DOCKER-USER {line}\n" for line in saved_lines(count, rng))
    return (
        "*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n"
        ":POSTROUTING ACCEPT [0:0]\n:DOCKER - [0:0]\n-A PREROUTING -j DOCKER\n"
        f"-A POSTROUTING -s 198.18.0.0/16 -j MASQUERADE\n{ports}COMMIT\n"
        "*filter\n:FORWARD DROP [0:0]\n:DOCKER-USER - [0:0]\n-A FORWARD -j DOCKER-USER\n"
        "-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"
        f"-A FORWARD -p udp -j ACCEPT\n{rules}COMMIT\n"
    )


def guarded(count: int, rng: np.random.Generator) -> dict[str, str]:
    """Give hosts that turn spoofed sources away, mark packets, and keep a list of sources."""
    nft = "".join(f"    {line}\n" for line in nft_lines(count, rng))
    saved = "".join(f"-A INPUT {line}\n" for line in saved_lines(count, rng))
    return {
        f"guarded_{count}.nft": (
            "table ip guard {\n  set seen {\n    type ipv4_addr; size 65535; "
            "flags dynamic,timeout; timeout 10m;\n  }\n  chain early {\n"
            "    type filter hook prerouting priority raw;\n"
            "    fib saddr . iif oif missing drop\n    meta mark set 0x10\n    fib daddr type "
            "!= local drop\n  }\n  chain incoming {\n    type filter hook input priority 0; policy "
            f"drop;\n    update @seen {{ ip saddr }}\n{nft}  }}\n}}\n"
        ),
        f"guarded_{count}.rules": (
            "*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -m rpfilter --invert -j DROP\nCOMMIT\n"
            "*mangle\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -j MARK --set-xmark 0x10/0xffffffff\n"
            "COMMIT\n*filter\n:INPUT DROP [0:0]\n-A INPUT -m addrtype ! --dst-type LOCAL -j DROP\n"
            f"{saved}COMMIT\n"
        ),
    }
