"""The user's own at netfilter: rulesets of nftables and iptables-save, and BPF programs."""
