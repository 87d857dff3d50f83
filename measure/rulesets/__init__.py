"""A user's own rulesets, nftables or iptables: what of them a packet walks through."""
