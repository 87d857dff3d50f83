"""Hosts that limit what a source sends and its connections, or spread what comes."""

from __future__ import annotations

import numpy as np

from texts.lines import nft_lines, saved_lines

SEEN = "  set {} {{ type ipv4_addr; size 65535; flags dynamic; }}\n"
NEW = "-p udp -m udp --dport 9 -m conntrack --ctstate NEW"
LIST = "--name ports --rsource"
RANDOMLY = "-m statistic --mode random --probability"
LISTED = "family inet hashsize 1024 maxelem 65536 timeout 600"


def limiters(count: int, rng: np.random.Generator) -> dict[str, str]:
    """Give hosts with so many rules, all of whose limits the lab's flow has used up."""
    nft = "".join(f"    {line}\n" for line in nft_lines(count, rng))
    saved = "".join(f"-A INPUT {line}\n" for line in saved_lines(count, rng))
    each = range(count // 5)
    choices = "".join(f"    numgen random mod {1 << 24} {n} counter accept\n" for n in each)
    spread = "".join(f"-A SERVICE {RANDOMLY} 0.00000{n + 1} -j ACCEPT\n" for n in each)
    return {
        f"limited_{count}.nft": (
            f"table inet own {{\n{SEEN.format('fast')}{SEEN.format('many')}  chain incoming {{\n"
            "    type filter hook input priority 0; policy drop;\n"
            "    ct state established,related accept\n"
            "    ct state new add @many { ip saddr ct count over 0 } counter\n"
            f"{nft}    udp dport 9 update @fast {{ ip saddr limit rate over 100/second }} drop\n"
            "  }\n}\n"
        ),
        f"early_limited_{count}.nft": (
            f"table ip own {{\n{SEEN.format('fast')}  chain first {{\n"
            "    type filter hook prerouting priority -300; policy accept;\n"
            "    ip protocol udp update @fast { ip saddr limit rate over 9/second burst 5 packets }"
            f" counter\n{nft}    ip protocol udp quota over 1 mbytes counter drop\n  }}\n}}\n"
        ),
        f"limited_spread_{count}.nft": (
            "table ip own {\n  chain first {\n    type filter hook prerouting priority -300; "
            f"policy drop;\n    limit rate 9/second accept\n{choices}  }}\n}}\n"
        ),
        f"limited_{count}.rules": (
            "*filter\n:INPUT DROP [0:0]\n"
            "-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n"
            "-A INPUT -p tcp -m tcp --dport 22 -m connlimit --connlimit-above 4 -j REJECT\n"
            f"{saved}-A INPUT -p udp -m hashlimit --hashlimit-above 100/sec --hashlimit-mode "
            "srcip,dstport --hashlimit-name udp -j DROP\nCOMMIT\n"
        ),
        f"limited_connections_{count}.rules": (
            f"*filter\n:INPUT DROP [0:0]\n{saved}-A INPUT -p udp -m udp --dport 9 -m connlimit "
            "--connlimit-above 0 --connlimit-mask 32 -j DROP\nCOMMIT\n"
        ),
        f"limited_recent_{count}.rules": (
            f"*filter\n:INPUT DROP [0:0]\n{saved}-A INPUT {NEW} -m recent --set {LIST}\n"
            f"-A INPUT {NEW} -m recent --update --seconds 30 --hitcount 6 {LIST} -j DROP\nCOMMIT\n"
        ),
        f"limited_listed_{count}.rules": (
            f"create scanners hash:ip {LISTED}\n*raw\n:PREROUTING DROP [0:0]\n"
            f"{saved.replace('INPUT', 'PREROUTING')}"
            "-A PREROUTING -p udp -m udp --dport 9 -j SET --add-set scanners src --exist\n"
            "-A PREROUTING -m hashlimit --hashlimit-upto 9/sec --hashlimit-mode srcip "
            "--hashlimit-name all -j ACCEPT\nCOMMIT\n"
        ),
        f"limited_spread_{count}.rules": (
            "*raw\n:PREROUTING DROP [0:0]\n:SERVICE - [0:0]\n"
            f"-A PREROUTING -p udp -m udp --dport 9 -j SERVICE\n{spread}COMMIT\n"
        ),
    }
